import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore

/// A way to single cells of the newest version: to read them, no version is made; one that is written is a transaction.
package struct CellAccess: Sendable {
  package let database: Database

  package init(_ database: Database) { self.database = database }

  /// Calls with the newest data that may be seen: a version, or what is committed and not published.
  ///
  /// Others may wait for the second: it must take microseconds only, and call no code of the program.
  @inline(__always)
  package func withNewest<Output>(
    _ version: (Snapshot) -> Output, open: (WriteTransaction) -> Output
  ) -> Output {
    // What is not kept yet is not seen, and a context first follows what it was made of.
    if database.isDurable || database.editing != nil { return version(database.current) }
    return database.state.withLock { state in
      if let transaction = state.open?.tables { return open(transaction) }
      return version(state.snapshot)
    }
  }

  /// A number of the thread that asks.
  package static var thread: UInt { Database.thread }

  /// Returns the newest version that may be seen.
  package var newest: Snapshot { database.current }

  /// Replaces a cell of an entity, as a transaction of its own. Returns the number of the version; nil where it is not to
  /// be written so, and nothing was done.
  ///
  /// - Parameters:
  ///   - find: Finds the live row in the data of a catalog's version; nil where there is none, or the catalog is another.
  /// - Throws: ``StoreProblem`` where the store refuses the value, ``QueryError`` where it cannot be kept.
  package func replace(
    _ type: EntityTypeID, _ column: ColumnID, with cell: Cell?, _ find: (WriteTransaction) -> UInt32?
  ) throws -> Int64? {
    if database.hasResolvers || database.editing != nil { return nil }
    let catalog = database.catalog
    guard Int(type.index) < catalog.types.count, isPoint(catalog[type], column, cell, catalog) else { return nil }
    let now = WallClock.now
    return try database.asWriter {
      do throws(StoreProblem) {
        return try OpenVersionWriter(database: database).apply(at: now) { (open) throws(StoreProblem) -> Bool in
          guard let row = find(open.tables) else { return false }
          try open.replace(type, row, column, with: cell, at: now)
          return true
        }
      } catch {
        throw error
      }
    }
  }

  /// Returns whether writing the cell takes microseconds only: others wait for it.
  private func isPoint(_ type: EntityType, _ column: ColumnID, _ cell: Cell?, _ catalog: Catalog) -> Bool {
    guard Int(column.index) < type.columns.count else { return false }
    switch type[column].kind {
    case .text: if let cell, TextView(cell).count > PointMutation.maximumBytes { return false }
    case .wordList, .wideList, .reference, .references: return false
    default: break
    }
    for index in type.indexes {
      let isOver = catalog[index].columns.contains { $0 == column || type[$0].foldedFrom == column }
      if isOver, case .byEntry = catalog[index].kind.facts.upkeep { continue }
      if isOver { return false }
    }
    return true
  }
}
