import GQLBase
import GQLStore

/// A memory of the merges of branches into what an origin is of, and of the origin's own merges into others.
struct MergeMemory {
  let origin: EditingOrigin
  let own: Database

  private var parent: Database { origin.parent }
  private var number: Int64 { origin.log?.number ?? 0 }

  /// What the target still has of a branch.
  enum Earlier: Equatable {
    case none
    /// All that was merged up to a merge.
    case last(BranchMerge)
    /// Some merges were taken back and later ones were not, or nothing is known.
    case unknown
  }

  // MARK: - Merging

  /// Returns what the target still has of a branch.
  ///
  /// - Throws: ``QueryError`` `storage-corrupt` where the list of merges is damaged.
  func earlier(of source: Int64) throws(QueryError) -> Earlier {
    guard origin.log != nil else {
      return try earlier(origin.merges.withLock { $0 }.filter { $0.source == source })
    }
    let found = try parent.branchTable.merges(of: parent)
    return try earlier(found.filter { $0.target == number && $0.source == source })
  }

  /// Has the next change be a merge.
  ///
  /// - Parameter body: Makes the change.
  func noting(_ merge: BranchMerge, _ body: () throws(QueryError) -> Void) throws(QueryError) {
    try forgetTakenBack(of: merge.source)
    guard let log = origin.log else {
      try body()
      origin.merges.withLock { $0.append(merge.standing(.inVersion(own.version))) }
      return
    }
    // What gathers is no part of it.
    try own.committer?.appendGathered(of: own.state)
    log.nextMerge.withLock { $0 = merge }
    do throws(QueryError) {
      try body()
    } catch {
      log.nextMerge.withLock { $0 = nil }
      throw error
    }
  }

  /// Forgets the last merges of a branch that were taken back: what is merged next has their changes too.
  private func forgetTakenBack(of source: Int64) throws(QueryError) {
    guard let all = try into() else { return }
    let merges = all.filter { $0.source == source }
    var left = all.filter { $0.source != source }
    switch try earlier(merges) {
    case .none: break
    case .last(let last): left += merges[...(merges.lastIndex(of: last) ?? 0)]
    case .unknown: return
    }
    if left.count < all.count { try replace(by: left) }
  }

  // MARK: - Steps of the target

  /// Runs a step after which no version of the target that has got a merge can be taken back.
  ///
  /// The step and what is noted of it are kept one after the other. Nothing is known of the merges in between, so that a
  /// process that ends there leaves no wrong memory.
  ///
  /// - Parameter standing: Returns the standing of a merge after the step; nil where its changes are dropped.
  func stepping<Output>(
    _ standing: (BranchMerge.Standing) -> BranchMerge.Standing?, _ body: () throws(QueryError) -> Output
  ) throws(QueryError) -> Output {
    guard let before = try into(), !before.isEmpty else { return try body() }
    var after: [BranchMerge] = []
    var between: [BranchMerge] = []
    for (place, merge) in before.enumerated() {
      // Once for each branch, by its last merge.
      if before[(place + 1)...].contains(where: { $0.source == merge.source }) { continue }
      between.append(merge.standing(.unknown))
      switch try earlier(before.filter { $0.source == merge.source }) {
      case .none: break
      case .last(let last): if let next = standing(last.standing) { after.append(last.standing(next)) }
      case .unknown: after.append(merge.standing(.unknown))
      }
    }
    if after == before { return try body() }
    try replace(by: between)
    let output: Output
    do throws(QueryError) {
      output = try body()
    } catch {
      // Where that fails, nothing stays known.
      try? replace(by: before)
      throw error
    }
    try replace(by: after)
    return output
  }

  /// Forgets the branch's own merges into others, because it has no changes any more.
  func forgetOwn() throws(QueryError) {
    guard origin.log != nil, let all = try parent.branchTable.readableMerges(of: parent) else { return }
    let left = all.filter { $0.source != number }
    if left != all { try parent.branchTable.replaceMerges(by: left, of: parent) }
  }

  // MARK: - Reading and writing

  /// Returns the merges into the target; nil where their list is damaged.
  private func into() throws(QueryError) -> [BranchMerge]? {
    guard origin.log != nil else { return origin.merges.withLock { $0 } }
    return try parent.branchTable.readableMerges(of: parent)?.filter { $0.target == number }
  }

  private func replace(by merges: [BranchMerge]) throws(QueryError) {
    guard origin.log != nil else { return origin.merges.withLock { $0 = merges } }
    guard let all = try parent.branchTable.readableMerges(of: parent) else { return }
    try parent.branchTable.replaceMerges(by: all.filter { $0.target != number } + merges, of: parent)
  }

  /// - Parameter merges: All of one branch.
  private func earlier(_ merges: [BranchMerge]) throws(QueryError) -> Earlier {
    var oldest: Int64?
    for case .inVersion(let version) in merges.lazy.map(\.standing) { oldest = min(oldest ?? version, version) }
    if let oldest { try PastReader(database: own).read(oldest) }
    let last = merges.lastIndex { isTakenBack($0) != true }
    guard let last else { return .none }
    return merges[...last].allSatisfy { isTakenBack($0) == false } ? .last(merges[last]) : .unknown
  }

  /// Returns whether a merge was taken back; nil where that is not known.
  private func isTakenBack(_ merge: BranchMerge) -> Bool? {
    switch merge.standing {
    case .settled, .saved: return false
    case .unknown: return nil
    case .inVersion(let version):
      guard let oldest = own.past.oldestUndoable, version >= oldest else { return nil }
      return own.past.isTakenBack(version)
    }
  }
}

extension BranchTable {
  /// Lists the merges of branches into others.
  func merges(of database: Database) throws(QueryError) -> [BranchMerge] {
    guard let storage = storage(of: database) else { return [] }
    return try reading(database) { () throws(QueryError) in try storage.merges() }
  }

  /// Lists the merges of branches into others; nil where the list is damaged, for steps that go on without it.
  func readableMerges(of database: Database) throws(QueryError) -> [BranchMerge]? {
    do throws(QueryError) {
      return try merges(of: database)
    } catch {
      if error.problems.first?.code == "storage-corrupt" { return nil }
      throw error
    }
  }

  func replaceMerges(by merges: [BranchMerge], of database: Database) throws(QueryError) {
    guard let storage = storage(of: database) else { return }
    try writing(database) { () throws(QueryError) in try storage.replaceMerges(by: merges) }
  }
}
