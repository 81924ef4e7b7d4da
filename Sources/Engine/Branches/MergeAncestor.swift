/// A version of a branch that both sides of a merge have, as the list of merges tells.
struct MergeAncestor: Sendable, Hashable {
  /// The number of the branch.
  let branch: Int64
  let version: Int64
  /// The version of the database that the branch began with.
  let base: Int64
  /// Indicates whether the version has changed numbers.
  let hasNumbers: Bool
  /// Indicates whether one side may lack some of these, or has others that both have.
  let isPart: Bool

  init(_ merge: BranchMerge, _ version: Int64, isPart: Bool) {
    (branch, self.version, base) = (merge.source, version, merge.base)
    (hasNumbers, self.isPart) = (merge.hasNumbers, isPart)
  }

  /// Returns the same where others are not among it.
  fileprivate func beside(_ others: [MergeAncestor]) -> MergeAncestor {
    MergeAncestor(
      branch: branch, version: version, base: base,
      hasNumbers: hasNumbers || others.contains { $0.hasNumbers }, isPart: true)
  }

  private init(branch: Int64, version: Int64, base: Int64, hasNumbers: Bool, isPart: Bool) {
    (self.branch, self.version, self.base) = (branch, version, base)
    (self.hasNumbers, self.isPart) = (hasNumbers, isPart)
  }
}

extension BranchMerges {
  /// Returns the newest version that both sides of a merge have; nil for none.
  func ancestor(of source: Int64, in target: Int64) -> MergeAncestor? {
    let (mine, theirs) = (versions(in: source, savesCount: false), versions(in: target))
    var found: [MergeAncestor] = []
    for (branch, merge) in theirs.sorted(by: { $0.key < $1.key }) {
      guard let version = merge.version else { continue }
      if branch == source {
        found.append(MergeAncestor(merge, version, isPart: merge.isPart))
      } else if let other = mine[branch], let known = other.version, other.base == merge.base {
        found.append(MergeAncestor(merge, min(version, known), isPart: merge.isPart || other.isPart))
      }
    }
    if let merge = mine[target], let version = merge.version {
      found.append(MergeAncestor(merge, version, isPart: merge.isPart))
    }
    // The one that has all others.
    let newest = found.first { one in found.allSatisfy { one == $0 || contains(one, $0) } }
    return newest ?? found.first { $0.branch == source }.map { $0.beside(found) } ?? found.first?.beside(found)
  }

  private func contains(_ one: MergeAncestor, _ other: MergeAncestor) -> Bool {
    if one.branch == other.branch { return one.version >= other.version }
    guard let known = versions(in: one.branch, through: one.version)[other.branch]?.version else { return false }
    return known >= other.version
  }

  /// Returns the newest version of each branch that another one has, be it by way of a third.
  ///
  /// - Parameters:
  ///   - limit: The version of the branch that is asked about; nil for the newest.
  ///   - savesCount: Whether what the database has got of it, too, is told.
  private func versions(
    in branch: Int64, through limit: Int64 = .max, savesCount: Bool = true
  ) -> [Int64: BranchMerge] {
    var found: [Int64: BranchMerge] = [:]
    var pending = [(branch: branch, limit: limit, isPart: false)]
    while let next = pending.popLast() {
      for own in bySource(into: next.branch) where own[0].source != branch {
        guard let last = own.last(where: { $0.at <= next.limit }), let version = last.version,
          savesCount || !last.isSaved, found[last.source].map({ ($0.version ?? 0) < version }) ?? true
        else { continue }
        let isPart = next.isPart || last.isPart
        found[last.source] = isPart ? last.since(last.at, last.afterDecisions, isSaved: last.isSaved) : last
        pending.append((last.source, version, isPart))
      }
    }
    return found
  }
}

extension BranchMerge {
  fileprivate var isPart: Bool {
    if case .partly = content { true } else { false }
  }
}
