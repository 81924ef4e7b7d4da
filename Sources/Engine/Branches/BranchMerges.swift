import GQLStore

/// A list of what branches have got of each other by merges, the oldest first.
///
/// The last entry of two branches tells what the one has of the other now. Those before tell what it has again where merges
/// are taken back.
package struct BranchMerges: Sendable, Hashable {
  /// Entries of two branches that are kept.
  private static let most = 64

  package private(set) var list: [BranchMerge]

  package init(_ list: [BranchMerge] = []) { self.list = list }

  package var isEmpty: Bool { list.isEmpty }

  /// Returns what one branch has of another one; nil for nothing.
  func last(of source: Int64, in target: Int64) -> BranchMerge? {
    guard let last = list.last(where: { $0.source == source && $0.target == target }), last.content != .nothing
    else { return nil }
    return last
  }

  /// The lists of entries into a branch, by the branch that they are of.
  func bySource(into target: Int64) -> [[BranchMerge]] {
    var found: [[BranchMerge]] = []
    for merge in list where merge.target == target {
      if let place = found.firstIndex(where: { $0[0].source == merge.source }) {
        found[place].append(merge)
      } else {
        found.append([merge])
      }
    }
    return found
  }

  // MARK: - Steps

  /// Adds what a merge has brought.
  package mutating func add(_ merge: BranchMerge) {
    list.append(merge)
    let own = list.indices.filter { list[$0].source == merge.source && list[$0].target == merge.target }
    if own.count <= Self.most { return }
    // What the database has is known as long as something is.
    let saved = own.last { list[$0].isSaved }
    if let oldest = own.first(where: { $0 != saved }) { list.remove(at: oldest) }
  }

  /// Adds what a merge has brought, where the branch that it is of is there.
  ///
  /// - Parameter record: That branch as it is now. Where it has begun again since, nothing is known of what it was.
  package mutating func add(_ merge: BranchMerge, from record: BranchRecord?) {
    guard let record else { return }
    var isSame = record.base == merge.base
    if let version = merge.version, record.version < version { isSame = false }
    add(isSame ? merge : merge.since(merge.at, .unknown))
  }

  /// Notes that a commit of a branch has taken versions of it back, if it has.
  package mutating func note(_ commit: Commit, of target: Int64) {
    let (whole, partly) = (commit.cause.undone, commit.cause.touched)
    if whole.isEmpty && partly.isEmpty || list.isEmpty { return }
    let undone = Set(whole).union(partly)
    for own in bySource(into: target) {
      let last = own[own.count - 1]
      guard let first = own.firstIndex(where: { undone.contains($0.at) }) else {
        // An entry that is not kept any more may be among them.
        let isShort = own.count < Self.most
        if !isShort, undone.contains(where: { $0 < last.at }) { add(last.since(commit.version, .unknown)) }
        continue
      }
      let isWhole = partly.isEmpty && own[first...].allSatisfy { undone.contains($0.at) }
      if !isWhole || first == 0 && own.count >= Self.most {
        add(last.since(commit.version, .unknown))
      } else if first == 0 {
        add(last.since(commit.version, .nothing))
      } else {
        add(own[first - 1].since(commit.version))
      }
    }
  }

  /// Notes a step of a branch, which has no changes any more where they were saved or dropped.
  ///
  /// - Parameter version: The branch's version after it.
  package mutating func note(_ step: BranchStep, of target: Int64, at version: Int64) {
    for own in bySource(into: target) {
      let last = own[own.count - 1]
      if step.contains(.dropped) {
        // What the database has is not dropped.
        add(own.last { $0.isSaved }?.since(version, isSaved: true) ?? last.since(version, .nothing))
      } else if step.contains(.saved) || step.contains(.decided) && last.content != .nothing {
        let content = step.contains(.decided) ? last.afterDecisions : last.content
        add(last.since(version, content, isSaved: step.contains(.saved)))
      }
    }
    if !step.isDisjoint(with: [.saved, .dropped]) { forget(of: target) }
  }

  /// Notes that a branch goes on from another base. Where all that it had was merged, so is what it has now.
  package mutating func follow(_ old: BranchRecord, to new: BranchRecord) {
    if old.base == new.base { return }
    for place in list.indices where list[place].source == new.number && list[place].base == old.base {
      if list[place].version == old.version {
        list[place] = list[place].moved(to: new.version, base: new.base)
      }
    }
  }

  /// Forgets the merges of a branch into others, because it has no changes any more.
  package mutating func forget(of source: Int64) { list.removeAll { $0.source == source } }

  /// Forgets a branch that is gone.
  package mutating func remove(_ branch: Int64) { list.removeAll { $0.source == branch || $0.target == branch } }

  /// Returns the list with nothing known of each of some branches in each other.
  package static func unknown(among branches: [Int64]) -> BranchMerges {
    var all = BranchMerges()
    for target in branches {
      for source in branches where source != target {
        all.list.append(
          BranchMerge(source: source, target: target, at: 0, .unknown, base: 0, hasNumbers: true))
      }
    }
    return all
  }

  /// Returns the entries among some branches.
  package func among(_ branches: [Int64]) -> BranchMerges {
    BranchMerges(list.filter { branches.contains($0.source) && branches.contains($0.target) })
  }
}
