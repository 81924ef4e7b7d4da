/// A merge of a branch into another one, or into a context, while the branch keeps its changes. By it a second merge brings
/// only what has been added to numbers since.
package struct BranchMerge: Sendable, Hashable {
  /// Where the changes are.
  package enum Standing: Sendable, Hashable {
    /// A version of the target has got them, and may be taken back.
    case inVersion(Int64)
    /// The target has them, and no version of it can be taken back that has got them.
    case settled
    /// The database of the target has them too.
    case saved
    /// Nothing is known: a step that changes it was not finished.
    case unknown
  }

  /// The number of the branch that was merged.
  package let source: Int64
  /// The version of it that was merged.
  package let version: Int64
  /// The version of the database that it began with then.
  package let base: Int64
  /// The number of the branch that has got its changes; 0 for a context.
  package let target: Int64
  package let standing: Standing

  package init(source: Int64, version: Int64, base: Int64, target: Int64, standing: Standing) {
    self.source = source
    self.version = version
    self.base = base
    self.target = target
    self.standing = standing
  }

  /// Returns the merge with another standing.
  package func standing(_ standing: Standing) -> BranchMerge {
    BranchMerge(source: source, version: version, base: base, target: target, standing: standing)
  }
}
