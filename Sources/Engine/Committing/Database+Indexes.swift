import Dispatch
import GQLBase
import GQLStore

/// The state of the indexes that are built while queries run.
struct IndexBuilding {
  var isRunning = false
  /// Holds the tasks that wait in ``Database/ready()``.
  var waiters: [CheckedContinuation<Void, Never>] = []
}

/// Opening leaves the indexes of large types to a thread of its own. Until they are built no plan uses them, and writes
/// do not change them.
extension Database {
  /// Returns when all indexes are built. Queries and writes need not wait for it: until then queries find by other ways
  /// what these indexes would find, and answer the same. Returns at once for a database in memory.
  public func ready() async {
    await withCheckedContinuation { continuation in
      let isReady = indexBuilding.withLock { building in
        if building.isRunning { building.waiters.append(continuation) }
        return !building.isRunning
      }
      if isReady { continuation.resume() }
    }
  }

  /// Begins to build the indexes that the version lacks, if nobody does.
  func buildIndexes() {
    guard state.withLock({ $0.snapshot.hasPendingIndexes }) else { return }
    let begins = indexBuilding.withLock { building in
      defer { building.isRunning = true }
      return !building.isRunning
    }
    if !begins { return }
    DispatchQueue.global(qos: .userInitiated).async { [weak self] in
      // Once more where what was built is no longer wanted: another schema, or other rows.
      while let base = self?.pendingVersion() {
        let whole = base.withPendingIndexes(fold: foldText)
        self?.join(whole, base)
      }
    }
  }

  /// The version whose indexes are to be built; nil where there is none, which whoever waits is told.
  private func pendingVersion() -> Snapshot? {
    let snapshot = state.withLock { $0.snapshot }
    if snapshot.hasPendingIndexes { return snapshot }
    let waiters = indexBuilding.withLock { building in
      defer { building = IndexBuilding() }
      return building.waiters
    }
    for waiter in waiters { waiter.resume() }
    // Another version may have come between the two looks.
    buildIndexes()
    return nil
  }

  /// Brings a version with all indexes up to the newest one, and puts it in its place.
  private func join(_ whole: Snapshot, _ base: Snapshot) {
    guard let committer else { return }
    guard committer.following == nil else {
      try? alone(committer) { () throws(QueryError) in replace(state.withLock { $0.snapshot }, with: whole, base) }
      return
    }
    writer.withLock { _ in
      // A storage that failed has nothing that is not seen.
      let newest = (try? newestVersion()) ?? state.withLock { $0.snapshot }
      replace(newest, with: whole, base)
    }
  }

  private func replace(_ newest: Snapshot, with whole: Snapshot, _ base: Snapshot) {
    guard newest.hasPendingIndexes, newest.hasLayout(of: base) else { return }
    let joined =
      (try? whole.catchingUp(with: newest, since: base, fold: foldText)) ?? newest.withPendingIndexes(fold: foldText)
    let old = state.withLock { state in
      let old = state.snapshot
      state.snapshot = joined
      return old
    }
    withExtendedLifetime(old) {}
  }
}
