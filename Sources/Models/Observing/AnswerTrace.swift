import GQLCatalog
import GQLStore

/// Where the values of an answer lie, so that two answers can be compared without reading them.
struct AnswerTrace {
  private struct Level {
    let type: EntityTypeID
    let columns: [ColumnID]
    /// How many values without a column an entity has.
    let opaqueCount: Int
    let rows: [UInt32]
    /// Where the rows of each parent end.
    let ends: [Int]
  }

  /// The version in which the rows lie.
  private(set) var context: Context
  private let snapshot: Snapshot?
  private var levels: [Level] = []

  init(_ context: Context) {
    self.context = context
    snapshot = context.storage.current
  }

  /// The same rows in a newer version, in which they have the same values.
  func moved(to context: Context) -> AnswerTrace {
    var trace = AnswerTrace(context)
    trace.levels = levels
    return trace
  }

  mutating func add(_ type: EntityTypeID, _ columns: [ColumnID], opaqueCount: Int, rows: [UInt32], ends: [Int]) {
    levels.append(Level(type: type, columns: columns, opaqueCount: opaqueCount, rows: rows, ends: ends))
  }

  /// Whether an older answer to the same question has the same values.
  func isSame(as old: AnswerTrace) -> Bool {
    guard levels.count == old.levels.count else { return false }
    guard let snapshot, let before = old.snapshot else { return levels.allSatisfy(\.rows.isEmpty) }
    guard snapshot.catalog.version == before.catalog.version else { return false }
    return zip(levels, old.levels).allSatisfy { level, oldLevel in
      guard level.type == oldLevel.type, level.rows.count == oldLevel.rows.count, level.ends == oldLevel.ends else {
        return false
      }
      let isInPlace = level.rows == oldLevel.rows
      for column in level.columns where !(isInPlace && snapshot.hasSameCells(level.type, column, as: before)) {
        for (row, oldRow) in zip(level.rows, oldLevel.rows)
        where !snapshot.hasSameValue(level.type, column, row, as: before, oldRow) {
          return false
        }
      }
      return level.opaqueCount == 0 || hasSameOpaques(level, as: old, oldLevel)
    }
  }

  private func hasSameOpaques(_ level: Level, as old: AnswerTrace, _ oldLevel: Level) -> Bool {
    let (now, before) = (context.storage.opaques(of: level.type), old.context.storage.opaques(of: level.type))
    return zip(level.rows, oldLevel.rows).allSatisfy { row, oldRow in
      (0..<level.opaqueCount).allSatisfy { number in
        switch (now?[row, number], before?[oldRow, number]) {
        case (nil, nil): true
        case (let value as AnyOpaqueBox, let old?): value.isEqual(to: old)
        default: false
        }
      }
    }
  }
}

extension QueryReading {
  /// Adds entities that are read, and what comes with them.
  func trace(
    _ rows: [UInt32], ends: [Int], _ list: QueryList<Entity>, idsOnly: Bool, _ trace: inout AnswerTrace
  ) throws {
    let columns = idsOnly ? [ColumnID(mapping.idColumn)] : valueColumns(of: list.attributes)
    trace.add(
      mapping.type, columns, opaqueCount: idsOnly ? 0 : mapping.layout.opaqueCount, rows: rows, ends: ends)
    if idsOnly { return }
    for nested in list.nested { try nested.trace(rows, self, &trace) }
  }
}
