import GQLCatalog
import GQLExecutor
import GQLStore

/// The changes between two looks at a database, by types.
struct LiveChanges {
  /// The changes of entities of one type.
  private struct Change {
    var rows: Set<UInt32> = []
    var columns: ColumnMask = []
    /// The rows, ascending, once somebody has wanted them.
    var sorted: ContiguousArray<UInt32>?
  }
  private var sets: [ChangeSet] = []
  /// Indicates whether these are all that there are.
  private var isKnown = true
  private var bytes = 0
  /// By type; nil where they were not looked up yet.
  private var found: [Int: Change]?
  /// Changes of more bytes concern so many rows that questions are run again.
  private static let mostBytes = 4 << 20

  mutating func add(_ changes: ChangeSet) {
    found = nil
    bytes += changes.bytes.count
    if bytes > Self.mostBytes { return forget() }
    sets.append(changes)
  }

  /// Notes that there are others.
  mutating func forget() {
    isKnown = false
    sets = []
    found = nil
  }

  /// Returns the rows of a type that differ, ascending; nil where they are not known, or one of the columns differs that
  /// are read of other types.
  mutating func rows(
    of type: EntityTypeID, readingAlso others: [EntityTypeID: Set<ColumnID>]
  ) -> ContiguousArray<UInt32>? {
    guard isKnown, lookUp() else { return nil }
    for (other, columns) in others {
      let read = columns.reduce(ColumnMask.members) { $0.union(ColumnMask($1)) }
      if let change = found?[Int(other.index)], !change.columns.isDisjoint(with: read) { return nil }
    }
    guard let change = found?[Int(type.index)] else { return [] }
    if let sorted = change.sorted { return sorted }
    let sorted = ContiguousArray(change.rows.sorted())
    found?[Int(type.index)]?.sorted = sorted
    return sorted
  }

  private mutating func lookUp() -> Bool {
    if found != nil { return true }
    var result: [Int: Change] = [:]
    do throws(ChangeProblem) {
      for changes in sets {
        try changes.forEachChange { change in
          result[change.type, default: Change()].rows.insert(change.row)
          result[change.type, default: Change()].columns.formUnion(ColumnMask(of: change))
        }
      }
    } catch {
      // Invariant: the engine has written the bytes.
      forget()
      return false
    }
    found = result
    return true
  }
}

extension ColumnMask {
  /// The columns that differ by a change, and whether the entity has come or gone.
  init(of change: borrowing RowChange) {
    if change.hasOtherStatus {
      // What reads a row that is not new has come to it by what has changed too: its membership, or a link.
      self = .members
    } else if change.hasOtherRecords {
      self = .all
    } else {
      self = []
      for field in change.fields { formUnion(ColumnMask(field.column)) }
      for column in change.lists { formUnion(ColumnMask(column)) }
    }
  }
}
