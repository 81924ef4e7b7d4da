import GQLBase
import GQLStore

/// A memory of the merges of branches into what an origin is of.
struct MergeMemory {
  let origin: EditingOrigin
  let own: Database

  /// The number of the branch that is merged into; 0 for a context.
  var target: Int64 { origin.log?.number ?? 0 }

  /// Returns the merges of branches into others, and into the target.
  ///
  /// - Throws: ``QueryError`` `storage-corrupt` where the list of merges is damaged.
  func known() throws(QueryError) -> BranchMerges {
    let branches = try origin.parent.branchTable.merges(of: origin.parent)
    if origin.log != nil { return branches }
    follow()
    return BranchMerges(branches.list + origin.merges.withLock { $0.merges.list })
  }

  /// Notes a merge, and makes its change.
  ///
  /// - Parameter change: Makes the change; nil where there is none.
  func noting(_ merge: BranchMerge, _ change: (() throws(QueryError) -> Void)?) throws(QueryError) {
    guard let log = origin.log else {
      follow()
      try change?()
      let version = own.version
      origin.merges.withLock { state in
        state.merges.add(merge.since(version))
        state.version = version
      }
      return
    }
    // What gathers is no part of it.
    try own.committer?.appendGathered(of: own.state)
    if let change { try log.merging(merge, change) } else { try log.note(merge) }
  }

  /// Notes a step of a context. A branch's are kept with the step itself.
  func note(_ step: BranchStep) {
    if origin.log != nil { return }
    follow()
    let version = own.version
    origin.merges.withLock { state in
      state.merges.note(step, of: 0, at: version)
      state.version = version
    }
  }

  /// Looks at what the commits of a context have taken back since the last look.
  private func follow() {
    let version = own.version
    origin.merges.withLock { state in
      if !state.merges.isEmpty, own.past.isKeeping, state.version < version {
        for number in state.version + 1...version {
          guard let commit = own.past.commit(number) else {
            // It may have taken merges back.
            state.merges.note(.decided, of: 0, at: version)
            break
          }
          state.merges.note(commit, of: 0)
        }
      }
      state.version = version
    }
  }

  /// The merges into a context.
  struct Followed: Sendable {
    var merges = BranchMerges()
    /// The version of the context up to which its commits were looked at.
    var version: Int64 = 0
  }
}

extension BranchTable {
  /// Lists the merges of branches into others.
  func merges(of database: Database) throws(QueryError) -> BranchMerges {
    guard let storage = storage(of: database) else { return BranchMerges() }
    return try reading(database) { () throws(QueryError) in try storage.merges() }
  }

  /// Lists the merges of branches into others; nil where the list is damaged, for steps that go on without it.
  func readableMerges(of database: Database) throws(QueryError) -> BranchMerges? {
    do throws(QueryError) {
      return try merges(of: database)
    } catch {
      if error.problems.first?.code == "storage-corrupt" { return nil }
      throw error
    }
  }
}
