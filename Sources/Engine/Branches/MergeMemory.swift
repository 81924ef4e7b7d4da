import GQLBase
import GQLStore

/// A memory of the merges of branches into what an origin is of, and of the origin's own merges into others.
struct MergeMemory {
  let origin: EditingOrigin
  let own: Database

  private var parent: Database { origin.parent }
  private var number: Int64 { origin.log?.number ?? 0 }

  // MARK: - Merging

  /// Returns the last merge of a branch into this one whose changes this one still has; nil for none.
  func last(of source: Int64) throws(QueryError) -> BranchMerge? {
    let found = try into().filter { $0.source == source }
    for merge in found.reversed() where try !isTakenBack(merge) { return merge }
    return nil
  }

  /// Has the next change be a merge.
  ///
  /// - Parameter body: Makes the change.
  func noting(_ merge: BranchMerge?, _ body: () throws(QueryError) -> Void) throws(QueryError) {
    guard let merge else { return try body() }
    guard let log = origin.log else {
      try body()
      origin.merges.withLock { $0.append(merge.kept(by: own.version)) }
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

  // MARK: - Steps of the target

  /// Notes that the database has all changes, those of others among them. Precondition: settled before.
  func noteSaved() throws(QueryError) {
    try change({ $0.kept = nil }, where: { _ throws(QueryError) in true })
    try forgetOwn()
  }

  /// Notes that the changes are dropped, with those of others that the database does not have.
  func noteDiscarded() throws(QueryError) {
    try change({ _ in }, where: { merge throws(QueryError) in merge.kept == nil })
    try forgetOwn()
  }

  /// Forgets the merges that were taken back, which cannot be known later.
  func settle() throws(QueryError) {
    try change({ _ in }, where: { merge throws(QueryError) in try !isTakenBack(merge) })
  }

  /// Forgets the branch's own merges into others, because it has no changes any more.
  func forgetOwn() throws(QueryError) {
    guard origin.log != nil, let storage = parent.branchTable.storage(of: parent) else { return }
    let all = try parent.branchTable.merges(of: parent)
    let left = all.filter { $0.source != number }
    if left != all { try parent.branchTable.replaceMerges(by: left, in: storage, of: parent) }
  }

  private func change(
    _ change: (inout BranchMerge) -> Void, where isKept: (BranchMerge) throws(QueryError) -> Bool
  ) throws(QueryError) {
    func changed(_ merges: [BranchMerge]) throws(QueryError) -> [BranchMerge] {
      var result: [BranchMerge] = []
      for merge in merges {
        guard merge.target == number else {
          result.append(merge)
          continue
        }
        guard try isKept(merge) else { continue }
        var merge = merge
        change(&merge)
        result.append(merge)
      }
      return result
    }
    guard origin.log != nil else {
      let known = origin.merges.withLock { $0 }
      if known.isEmpty { return }
      let merges = try changed(known)
      return origin.merges.withLock { $0 = merges }
    }
    guard let storage = parent.branchTable.storage(of: parent) else { return }
    let all = try parent.branchTable.merges(of: parent)
    let merges = try changed(all)
    if merges != all { try parent.branchTable.replaceMerges(by: merges, in: storage, of: parent) }
  }

  // MARK: - Reading

  private func into() throws(QueryError) -> [BranchMerge] {
    guard origin.log != nil else { return origin.merges.withLock { $0 } }
    return try parent.branchTable.merges(of: parent).filter { $0.target == number }
  }

  private func isTakenBack(_ merge: BranchMerge) throws(QueryError) -> Bool {
    guard let kept = merge.kept else { return false }
    try PastReader(database: own).read(kept)
    return own.past.isTakenBack(kept)
  }
}

extension BranchTable {
  /// Lists the merges of branches into others.
  func merges(of database: Database) throws(QueryError) -> [BranchMerge] {
    guard let storage = storage(of: database) else { return [] }
    return try reading(database) { () throws(QueryError) in try storage.merges() }
  }

  func replaceMerges(
    by merges: [BranchMerge], in storage: any BranchStorage, of database: Database
  ) throws(QueryError) {
    try writing(database) { () throws(QueryError) in try storage.replaceMerges(by: merges) }
  }
}
