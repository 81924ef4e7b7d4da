/// Bringing what was applied to a database's state to the storage.
extension Committer {
  /// Brings what gathers in memory to the storage.
  func appendGathered(of state: Lock<Database.State>) throws(QueryError) {
    if !isGathering { return }
    try commitGathered { () throws(QueryError) in try append(of: state) }
  }

  /// Brings the transactions that were applied to the storage. Called by the thread that commits.
  func append(of state: Lock<Database.State>) throws(QueryError) {
    let (commits, old) = state.withLockSoon { state in
      // A version that was cut is not lost. None is made here, which would cost more than the commit.
      let old = state.publishCut(through: durable)
      let commits = takeQueue()
      // Where nobody has looked lately none is cut: whatever is written after it would be copied first. Whoever looks
      // then makes one, see ``State/publishKept(_:)``.
      if let last = commits.last?.version, let open = state.open,
        state.isLookedAt || open.isCutDue || storage.isFolding
      {
        state.isLookedAt = false
        open.cut(through: last)
      }
      return (commits, old)
    }
    guard let last = commits.last?.version else { return }
    do throws(QueryError) {
      try withExtendedLifetime(old) { () throws(QueryError) in
        try storage.append(commits) { () throws(QueryError) in try state.version(through: last, self) }
      }
    } catch {
      state.forgetUnkept(self)
      throw error
    }
    if isGathering {
      // Published when somebody looks, with what has come meanwhile.
      let cut = state.withLock { $0.open?.takeCut(through: last) }
      withExtendedLifetime(cut) {}
    }
  }
}
