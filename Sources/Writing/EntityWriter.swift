import GQLCatalog
import GQLStore

/// A writer of staged records: finds rows by key, inserts or completes them, and links them when all are in.
///
/// Doors fill stages and word its problems. A run is fast because nothing is looked up twice: where it is a bulk of the
/// transaction, indexes and relations are built at its end. Where bad records are to be left out, each is checked on its
/// own as it comes.
package struct EntityWriter: ~Copyable {
  let catalog: Catalog
  package let transaction: WriteTransaction
  let layouts: EntityLayouts
  /// Indicates whether a record that is refused is left out, so that each is written and linked by itself.
  package let leavesOutBad: Bool
  /// Holds what staged cells point to; it is forgotten when they are written.
  let memory: StagingArena
  /// Holds keys of links, until all rows are there.
  let keys = StagingArena()
  /// By type: records on their way into the transaction.
  var stages: [EntityStage?]
  /// Holds the types whose stages hold records.
  var staged: [Int] = []
  package internal(set) var stagedRecords = 0
  /// Holds the staged type that is a member of an interface or union; there is one at most.
  var stagedMember: Int?
  /// Holds the types of which rows were put in together, so that links do not know their keys yet.
  var unsettled: Set<Int> = []
  /// A record that meets an entity which is there.
  var merged = RecordStage()
  /// Holds the columns that a row takes of the record that it meets.
  var merge = RecordMerge()
  var pending: [PendingLinks]
  let baseSlots: [Int]
  /// By type: the last number that a record without an id got.
  var lastNumbers: [Int]
  /// By type: how many rows are numbered from 1 on; all of them, as long as no record has an id.
  var numberedRows: [Int]
  /// For each type and new row: whether a record of its own defined it, and where that record is.
  var origins: [RowOrigins]
  /// For each relation that must have a target, the rows whose target is named but not there.
  var dangling: [RelationID: Set<UInt32>] = [:]
  /// By column: how many values differ from those that other objects with the same id gave.
  var conflicts: [ConflictPlace: Int] = [:]
  struct ConflictPlace: Hashable {
    var type: EntityTypeID
    var column: ColumnID
  }
  /// Holds what was found and not taken yet.
  var notes: [WriteNote] = []

  /// - Parameter memory: Memory of the door, for what lies nowhere else until it is written.
  package init(
    _ transaction: WriteTransaction, _ layouts: EntityLayouts, leavesOutBad: Bool, memory: StagingArena
  ) {
    catalog = layouts.catalog
    self.transaction = transaction
    self.layouts = layouts
    self.leavesOutBad = leavesOutBad
    self.memory = memory
    stages = Array(repeating: nil, count: catalog.types.count)
    pending = Array(repeating: PendingLinks(), count: catalog.relations.count)
    baseSlots = catalog.types.map { transaction.slotCount($0.id) }
    lastNumbers = Array(repeating: 0, count: catalog.types.count)
    numberedRows = Array(repeating: 0, count: catalog.types.count)
    origins = Array(repeating: RowOrigins(), count: catalog.types.count)
  }

  /// Returns what was found since it was asked for last.
  package mutating func takeNotes() -> [WriteNote] {
    defer { notes = [] }
    return notes
  }

  /// Returns where the record stands that made a row; nil for a row that was there before.
  package func place(of row: UInt32, _ type: EntityTypeID) -> (source: Int, start: Int)? {
    let position = Int(row) - baseSlots[Int(type.index)]
    guard origins[Int(type.index)].indices.contains(position) else { return nil }
    let origin = origins[Int(type.index)][position]
    return (origin.file, origin.offset)
  }
}
