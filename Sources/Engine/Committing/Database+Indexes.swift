import Dispatch
import GQLBase
import GQLCatalog
import GQLStore

/// The state of the indexes that are built while queries run.
struct IndexBuilding {
  var isRunning = false
  /// Holds the types whose ids are to have an order, because a plan would be better with it.
  var orders: Set<EntityTypeID> = []
  /// Holds the tasks that wait in ``Database/ready()``.
  var waiters: [CheckedContinuation<Void, Never>] = []
}

/// Opening leaves the indexes of large types to a thread of its own, and so do queries that want an order of ids. Until
/// they are built no plan uses them, and writes do not change them.
extension Database {
  /// Returns when all indexes are built. Queries and writes need not wait for it: until then queries find by other ways
  /// what these indexes would find, and answer the same. A database in memory builds some only after a query: an order
  /// of ids that do not ascend with insertion.
  public func ready() async {
    await withCheckedContinuation { continuation in
      let isReady = indexBuilding.withLock { building in
        if building.isRunning { building.waiters.append(continuation) }
        return !building.isRunning
      }
      if isReady { continuation.resume() }
    }
  }

  /// Begins to build orders of ids, if nobody does. The query that would be better with them does not wait.
  func buildOrders(of types: Set<EntityTypeID>) {
    indexBuilding.withLock { $0.orders.formUnion(types) }
    buildIndexes()
  }

  /// Begins to build the indexes that the version lacks, if nobody does.
  func buildIndexes() {
    let orders = indexBuilding.withLock { $0.orders }
    guard state.withLock({ $0.snapshot.hasPendingIndexes(orders: orders) }) else { return }
    let begins = indexBuilding.withLock { building in
      defer { building.isRunning = true }
      return !building.isRunning
    }
    if !begins { return }
    DispatchQueue.global(qos: .userInitiated).async { [weak self] in
      // Once more where what was built is no longer wanted: another schema, or other rows.
      while let (base, orders) = self?.indexBuilder.pendingVersion() {
        let whole = base.withPendingIndexes(orders: orders, fold: foldText)
        self?.indexBuilder.join(whole, base, orders)
      }
    }
  }

  private var indexBuilder: IndexBuilder { IndexBuilder(database: self) }
}

/// A builder of the indexes of a database while queries run.
private struct IndexBuilder {
  let database: Database

  /// The version whose indexes are to be built; nil where there is none, which whoever waits is told.
  func pendingVersion() -> (Snapshot, orders: Set<EntityTypeID>)? {
    let snapshot = database.state.withLock { $0.snapshot }
    let orders = database.indexBuilding.withLock { $0.orders }
    if snapshot.hasPendingIndexes(orders: orders) { return (snapshot, orders) }
    let waiters = database.indexBuilding.withLock { building in
      defer {
        building.isRunning = false
        building.waiters = []
        // Where one goes, because its types do, a query asks again.
        building.orders.subtract(orders)
      }
      return building.waiters
    }
    for waiter in waiters { waiter.resume() }
    // Another version may have come between the two looks.
    database.buildIndexes()
    return nil
  }

  /// Brings a version with all indexes up to the newest one, and puts it in its place.
  func join(_ whole: Snapshot, _ base: Snapshot, _ orders: Set<EntityTypeID>) {
    if let committer = database.committer, committer.following != nil {
      try? database.alone(committer) { () throws(QueryError) in
        replace(database.state.withLock { $0.snapshot }, with: whole, base, orders)
      }
      return
    }
    database.writer.withLock { _ in
      // A storage that failed has nothing that is not seen.
      let newest = (try? database.newestVersion()) ?? database.state.withLock { $0.snapshot }
      replace(newest, with: whole, base, orders)
    }
  }

  private func replace(
    _ newest: Snapshot, with whole: Snapshot, _ base: Snapshot, _ orders: Set<EntityTypeID>
  ) {
    guard newest.hasPendingIndexes(orders: orders), newest.hasLayout(of: base) else { return }
    let joined =
      (try? whole.catchingUp(with: newest, since: base, fold: foldText))
      ?? newest.withPendingIndexes(orders: orders, fold: foldText)
    let old = database.state.withLock { state in
      let old = state.snapshot
      state.snapshot = joined
      return old
    }
    withExtendedLifetime(old) {}
  }
}
