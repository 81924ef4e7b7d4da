/// A state of what a branch has got of another one by merges, from a version of it on. A second merge goes on from it.
package struct BranchMerge: Sendable, Hashable {
  /// A part of the other branch's changes.
  package enum Content: Sendable, Hashable {
    /// Nothing: a merge was taken back.
    case nothing
    /// The changes of the other branch up to a version of that.
    case version(Int64)
    /// The changes up to a version, of which numbers may be missing: conflicts were decided.
    case partly(Int64)
    /// Not known: a merge was taken back in part.
    case unknown
  }

  /// The version of the other branch; nil for none that is known.
  package var version: Int64? {
    switch content {
    case .version(let version), .partly(let version): version
    case .nothing, .unknown: nil
    }
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

  /// Returns what is left of it where conflicts were decided.
  var afterDecisions: Content { version.map { .partly($0) } ?? content }

  /// Returns the same for a source whose version has become another one, with another base.
  func moved(to version: Int64, base: Int64) -> BranchMerge {
    var content = content
    switch content {
    case .version: content = .version(version)
    case .partly: content = .partly(version)
    case .nothing, .unknown: break
    }
    return BranchMerge(
      source: source, target: target, at: at, content, base: base, hasNumbers: hasNumbers, isSaved: isSaved)
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
