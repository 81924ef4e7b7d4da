import Dispatch
import GQLCatalog
import Synchronization

/// An index that is to be built of the rows of a table. Several are built at the same time: a build reads columns, and
/// writes its own index only.
struct IndexBuild: Sendable {
  let table: Table
  let index: Int

  /// Rows of all tables below which several threads are not worth their start.
  private static var fewRows: Int { 20_000 }
}

extension IndexBuild {
  /// Builds indexes, those of the largest tables first. Returns false where two rows have one unique key.
  static func run(_ builds: [IndexBuild]) -> Bool {
    let ordered = builds.sorted { $0.table.slots > $1.table.slots }
    guard builds.reduce(0, { $0 + $1.table.slots }) > fewRows else { return ordered.allSatisfy { $0.run() } }
    let isFine = Atomic<Bool>(true)
    DispatchQueue.concurrentPerform(iterations: ordered.count) { number in
      if !ordered[number].run() { isFine.store(false, ordering: .relaxed) }
    }
    return isFine.load(ordering: .relaxed)
  }

  private func run() -> Bool {
    do throws(StoreProblem) {
      try table.buildIndex(index)
      return true
    } catch {
      return false
    }
  }
}

extension Table {
  /// Fills an index, which is owned and empty, from the live rows. Reads columns, and writes nothing else.
  func buildIndex(_ number: Int) throws(StoreProblem) {
    guard let repeated = indexes[number].built?.build(liveRows, columns: readers, nil) else { return }
    throw .uniqueViolation(index: layout.indexes[number].id, existing: repeated.0, row: repeated.1)
  }
}

extension Snapshot {
  /// Indicates whether an index is not built yet.
  package func isPending(_ index: IndexID) -> Bool {
    self.index(index)?.isPending ?? false
  }

  /// Indicates whether some indexes are not built yet.
  package var hasPendingIndexes: Bool { hasPendingIndexes(orders: []) }

  /// Indicates whether some indexes are not built yet, orders of the ids of these types among them.
  package func hasPendingIndexes(orders types: Set<EntityTypeID>) -> Bool {
    tables.contains { table in table.indexes.indices.contains { isWanted(table, $0, orders: types) } }
  }

  private func isWanted(_ table: Table, _ number: Int, orders types: Set<EntityTypeID>) -> Bool {
    guard table.indexes[number].isPending else { return false }
    return !table.layout.indexes[number].isIDOrder || types.contains(table.layout.id) && !table.idsAscend
  }

  /// Returns the version with all indexes, orders of ids for these types only.
  ///
  /// Complexity: O(*n* log *n*) in the entities of types whose indexes are not built yet.
  package func withPendingIndexes(orders types: Set<EntityTypeID> = [], fold: @escaping TextFold) -> Snapshot {
    let transaction = WriteTransaction(self, fold: fold)
    var builds: [IndexBuild] = []
    for (number, table) in tables.enumerated() {
      for index in table.indexes.indices where isWanted(table, index, orders: types) {
        let owned = transaction.ownedTable(EntityTypeID(number))
        owned.makeIndex(index)
        builds.append(IndexBuild(table: owned, index: index))
      }
    }
    // Only indexes that are not unique are left for later, and these refuse nothing.
    precondition(IndexBuild.run(builds), "such an index takes all rows")
    return transaction.commit()
  }

  /// Returns this version, in which all indexes are built, with what has changed in another that goes on from where this
  /// one began. Precondition: both have one layout.
  package func catchingUp(with newest: Snapshot, since base: Snapshot, fold: @escaping TextFold) throws(ChangeProblem)
    -> Snapshot
  {
    var result = self
    if newest !== base {
      let transaction = WriteTransaction(self, fold: fold)
      try transaction.apply(newest.changes(since: base))
      result = transaction.commit()
    }
    // Plans that were made without the indexes are not kept.
    return Snapshot(
      newest.catalog, version: max(result.version, newest.version) + 1, layout: newest.layout, tables: result.tables,
      dangling: result.dangling, growth: GrowthMark(generation: Stamp.next(), result.tables))
  }
}
