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
    _ version: (Snapshot) throws -> Output, open: (WriteTransaction) throws -> Output
  ) rethrows -> Output {
    // What is not kept yet is not seen, and a context first follows what it was made of.
    if database.isDurable || database.editing != nil { return try version(database.current) }
    return try database.state.withLock { state in
      if let transaction = state.open?.tables { return try open(transaction) }
      return try version(state.snapshot)
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
  ///   - find: Finds the live row in the data of the column's catalog; nil where there is none.
  /// - Throws: ``StoreProblem`` where the store refuses the value, ``QueryError`` where it cannot be kept.
  package func replace(
    _ column: PointColumn, with cell: Cell?, _ find: (WriteTransaction) -> UInt32?
  ) throws -> Int64? {
    if database.hasResolvers || database.editing != nil || !column.takes(cell) { return nil }
    let now = WallClock.now
    return try database.asWriter {
      do throws(StoreProblem) {
        return try OpenVersionWriter(database: database).apply(at: now) { (open) throws(StoreProblem) -> Bool in
          guard open.tables.base.catalog.version == column.catalogVersion,
            !PointMutation.hasLongPostings(column.postingIndexes, of: column.type, in: open.tables.base),
            let row = find(open.tables)
          else { return false }
          try open.replace(column.type, row, column.column, with: cell, at: now)
          return true
        }
      } catch {
        throw error
      }
    }
  }
}

/// A column of an entity type in a catalog, of which writing a cell takes microseconds only: others wait for it.
package struct PointColumn: Sendable {
  package let type: EntityTypeID
  package let column: ColumnID
  package let catalogVersion: UInt64
  private let isText: Bool
  /// The hash indexes over it that are not unique.
  fileprivate let postingIndexes: [IndexID]

  /// Fails for a column whose cells take longer.
  package init?(_ number: EntityTypeID, _ column: ColumnID, in catalog: Catalog) {
    let type = catalog[number]
    switch type[column].kind {
    case .wordList, .wideList, .reference, .references: return nil
    case .text: isText = true
    default: isText = false
    }
    let indexes = type.indexes.filter { index in
      catalog[index].columns.contains { $0 == column || type[$0].foldedFrom == column }
    }
    for index in indexes { guard case .byEntry = catalog[index].kind.facts.upkeep else { return nil } }
    postingIndexes = indexes.filter { catalog[$0].hasPostings }
    (self.type, self.column, catalogVersion) = (number, column, catalog.version)
  }

  /// Returns whether a value is short enough.
  fileprivate func takes(_ cell: Cell?) -> Bool {
    guard isText, let cell else { return true }
    return TextView(cell).count <= PointMutation.maximumBytes
  }
}
