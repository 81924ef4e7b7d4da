/// A merge of a branch into another one, or into a context, while the branch keeps its changes. By it a second merge brings
/// only what has been added to numbers since.
package struct BranchMerge: Sendable, Hashable {
  /// The number of the branch that was merged.
  package let source: Int64
  /// The version of it that was merged.
  package let version: Int64
  /// The version of the database that it began with then.
  package let base: Int64
  /// The number of the branch that has its changes; 0 for a context.
  package let target: Int64
  /// The version of the target that has got them; nil once its database has them, so that they cannot be taken back with
  /// it.
  package var kept: Int64?

  package init(source: Int64, version: Int64, base: Int64, target: Int64, kept: Int64?) {
    self.source = source
    self.version = version
    self.base = base
    self.target = target
    self.kept = kept
  }

  /// Returns the merge as one that a version of the target has.
  package func kept(by version: Int64) -> BranchMerge {
    var result = self
    result.kept = version
    return result
  }
}
