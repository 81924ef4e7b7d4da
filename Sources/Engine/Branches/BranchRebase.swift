/// A branch that is to begin with the next version of its database, without changes.
package struct BranchRebase: Sendable {
  package let versions: BranchVersions
  /// What is noted of it in the list of merges.
  package var step: BranchStep
}
