import GQLCatalog
import GQLStore

/// A list of the columns that a row which is there takes of a staged record.
///
/// Strategies differ in the columns that they take of the record. The store then writes all of them or none.
package struct RecordMerge: ~Copyable {
  package enum Strategy {
    /// Takes what the record says, null included.
    case assign
    /// Takes what the record says that is not null.
    case patch
    /// Takes what the record says, null included, and an embedded object as one value.
    case define
    /// Takes the values that the record names, also single ones of an embedded object.
    case complete
    /// Takes all of the record, and so empties what it does not say.
    case replace
    /// Takes as ``patch`` does, and adds the elements of lists to those that are there.
    case append
    /// Takes as ``patch`` does, where the row has nothing.
    case fill
    /// Takes nothing.
    case keep
  }

  private var staged = StagedCells(capacity: 64)
  /// Holds the record whose decisions go before the strategy, if there is one.
  private var decision: Int?
  private var decided: [Bool] = []

  package init() {}

  deinit { staged.deallocate() }

  /// Forgets what was taken.
  package mutating func begin(_ layout: EntityLayout) {
    decision = nil
    staged.truncate(to: 0)
    _ = staged.begin(layout.columnCount)
  }

  /// Takes the columns of a record; the primary key stays, but where it is assigned.
  ///
  /// - Parameter join: Makes one list of that of the row and that of the record.
  package mutating func take<Failure: Error>(
    _ record: RecordStage.Record, of stage: borrowing RecordStage, by strategy: Strategy, _ layout: EntityLayout,
    row: UInt32, in transaction: WriteTransaction,
    join: (_ old: Cell, _ new: Cell, ValueType) throws(Failure) -> Cell
  ) throws(Failure) {
    begin(layout)
    if case .keep = strategy { return }
    let base = record.base
    for column in 0..<layout.columnCount where layout.isStored[column] {
      switch strategy {
      case .assign: if !stage.given[base + column] { continue }
      case .complete:
        if layout.isKey[column] || !stage.valid[base + column] { continue }
        // Defaults are those of objects that the record makes.
        if !stage.given[base + column] {
          guard let parent = layout.parents[column], stage.valid[base + parent],
            transaction.column(layout.type, ColumnID(parent)).isNull(row)
          else { continue }
        }
      case .replace: if layout.isKey[column] { continue }
      case .define: if layout.isKey[column] || !stage.given[base + (layout.presence[column] ?? column)] { continue }
      case .patch, .append, .fill, .keep:
        if layout.isKey[column] || !Self.says(column, base, of: stage, layout) { continue }
      }
      if case .fill = strategy,
        !transaction.column(layout.type, ColumnID(layout.presence[column] ?? column)).isNull(row)
      {
        continue
      }
      set(column, stage.valid[base + column] ? stage.cells[base + column] : nil)
      guard case .append = strategy, layout.presence[column] == nil, staged.valid[column] else { continue }
      let descriptor = layout.columns[column]
      let reader = transaction.column(layout.type, descriptor.id)
      guard case .list = descriptor.type, !reader.isNull(row) else { continue }
      staged.cells[column] = try join(
        reader.cell(row, kind: descriptor.kind), staged.cells[column], descriptor.type)
    }
  }

  /// Returns whether a record says something of a column, where null says nothing. An embedded object is one value:
  /// where it is given, what it lacks is null.
  private static func says(
    _ column: Int, _ base: Int, of stage: borrowing RecordStage, _ layout: EntityLayout
  ) -> Bool {
    let place = base + (layout.presence[column] ?? column)
    return stage.given[place] && stage.valid[place]
  }

  /// Takes all that another record says instead.
  package mutating func decide(by number: Int, of stage: borrowing RecordStage, _ layout: EntityLayout) {
    decision = number
    let base = stage.records[number].base
    decided = (0..<layout.columnCount).map { stage.given[base + $0] }
    for column in decided.indices where decided[column] {
      set(column, stage.valid[base + column] ? stage.cells[base + column] : nil)
    }
  }

  /// Returns the record that decides about a column; nil where it is the one that is merged.
  package func decision(of column: Int) -> Int? { decision.flatMap { decided[column] ? $0 : nil } }

  /// Returns whether a column is written.
  package func writes(_ column: Int) -> Bool { staged.given[column] }

  /// Returns the cell that a column gets; nil for null.
  package func cell(_ column: Int) -> Cell? { staged.valid[column] ? staged.cells[column] : nil }

  /// Sets the cell that a column gets; nil for null.
  package mutating func set(_ column: Int, _ cell: Cell?) {
    staged.given[column] = true
    staged.valid[column] = cell != nil
    staged.cells[column] = cell ?? Cell(low: 0)
  }

  /// Leaves a column as it is.
  package mutating func leave(_ column: Int) { staged.given[column] = false }

  /// Returns the first column that would get null and must have a value.
  package func missingColumn(_ layout: EntityLayout) -> Int? {
    layout.required.first { staged.given[$0] && !staged.valid[$0] }
  }

  /// Returns the first column of an embedded object that is written, must have a value, and would have none in a row.
  package func missingColumn(_ layout: EntityLayout, in row: UInt32, _ transaction: WriteTransaction) -> Int? {
    func isNull(_ column: Int) -> Bool {
      writes(column) ? cell(column) == nil : transaction.column(layout.type, ColumnID(column)).isNull(row)
    }
    return layout.requiredWithin.first { column in
      guard let parent = layout.parents[column], writes(column) || writes(parent) else { return false }
      return isNull(column) && !isNull(parent)
    }
  }

  /// Indicates whether no column is written.
  package var isEmpty: Bool { !(0..<staged.count).contains { staged.given[$0] } }

  /// Writes the columns into a row.
  package func write(
    _ type: EntityTypeID, _ row: UInt32, in transaction: WriteTransaction
  ) throws(StoreProblem) {
    if isEmpty { return }
    try transaction.replace(type, row, cells: staged.cells, valid: staged.valid, given: staged.given)
  }
}
