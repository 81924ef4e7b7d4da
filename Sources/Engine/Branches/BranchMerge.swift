/// A state of what a branch has got of another one by merges, from a version of it on. By it a second merge brings only
/// what has been added to numbers since.
package struct BranchMerge: Sendable, Hashable {
  /// A part of the other branch's changes.
  package enum Content: Sendable, Hashable {
    /// Nothing: a merge was taken back.
    case nothing
    /// The changes of the other branch up to a version of that.
    case version(Int64)
    /// Not known: a merge was taken back in part.
    case unknown
  }

  /// The number of the branch that was merged.
  package let source: Int64
  /// The number of the branch that has got its changes; 0 for a context.
  package let target: Int64
  /// The version of the target from which on it has them.
  package let at: Int64
  package let content: Content
  /// The version of the database that the source began with.
  package let base: Int64
  /// Indicates whether numbers are among the changes.
  package let hasNumbers: Bool
  /// Indicates whether the database has got them too at that version.
  package let isSaved: Bool

  package init(
    source: Int64, target: Int64, at: Int64, _ content: Content, base: Int64, hasNumbers: Bool, isSaved: Bool = false
  ) {
    (self.source, self.target, self.at, self.content) = (source, target, at, content)
    (self.base, self.hasNumbers, self.isSaved) = (base, hasNumbers, isSaved)
  }

  /// Returns the same from another version of the target on.
  func since(_ version: Int64, _ content: Content? = nil, isSaved: Bool = false) -> BranchMerge {
    BranchMerge(
      source: source, target: target, at: version, content ?? self.content, base: base, hasNumbers: hasNumbers,
      isSaved: isSaved)
  }
}

/// A step of a branch that changes what it has of others by merges.
package struct BranchStep: OptionSet, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The database has got its changes.
  package static let saved = BranchStep(rawValue: 1)
  /// Its changes were dropped.
  package static let dropped = BranchStep(rawValue: 2)
  /// Conflicts were decided, so that what was merged may be gone.
  package static let decided = BranchStep(rawValue: 4)
}
