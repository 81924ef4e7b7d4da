import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore

/// Puts embedded objects into a row: what lies in its cells before the row is written, links and elements of lists when
/// it is there.
struct ObjectWriter {
  let types: ObjectTypes
  let type: EntityTypeID
  let transaction: WriteTransaction
  /// Has what the cells point to.
  let pool: CellPool
  /// When a new row is made, in microseconds since 1970.
  let now: Int64

  /// The cells of a row on their way.
  struct Cells {
    let cells: UnsafeMutablePointer<Cell>
    let valid: UnsafeMutablePointer<Bool>
    /// By column: whether the row gets the cell; where not, it keeps what it has.
    var owned: [Bool]
  }

  // MARK: - Cells

  /// - Parameters:
  ///   - path: What the value is called.
  ///   - row: The row that is there, if it has the object around the value; what is unsaid is what it has.
  func put(
    _ value: ObjectValue, _ place: ObjectPlace, _ path: String, isNonNull: Bool, row: UInt32?, _ cells: inout Cells
  ) throws {
    switch (value, place) {
    case (.unsaid, _):
      if row == nil { return try fill(place, path, isNonNull: isNonNull, &cells) }
      for column in place.columns { cells.owned[Int(column.index)] = false }
    case (.object(let values), .object(_, let presence, let fields)):
      set(Cell(low: 1), presence, &cells)
      let old = row.flatMap { types.isPresent(presence, type, $0, transaction) ? $0 : nil }
      for (value, field) in zip(values, fields) {
        try put(value, field.place, "\(path).\(field.name)", isNonNull: field.isNonNull, row: old, &cells)
      }
    case (.null, _):
      if isNonNull, case .elements = place {} else if isNonNull { throw missing(path) }
      for column in place.columns { set(nil, column, &cells) }
    case (_, .cell(let column, let valueType)):
      set(value.scalar.flatMap { pool.cell($0, valueType) }, column, &cells)
    // Written when the row is there.
    case (_, .elements): break
    case (_, .link(let relation, let targets)): for id in value.ids { _ = try keys(id, relation, targets) }
    case (_, .object): throw missing(path)
    }
  }

  private func missing(_ path: String) -> ModelError {
    .unwritable(types.catalog[type].name, "'\(path)' must have a value in the schema")
  }

  private func set(_ cell: Cell?, _ column: ColumnID, _ cells: inout Cells) {
    cells.cells[Int(column.index)] = cell ?? Cell(low: 0)
    cells.valid[Int(column.index)] = cell != nil
  }

  /// What a new object has of which nothing is said.
  private func fill(_ place: ObjectPlace, _ path: String, isNonNull: Bool, _ cells: inout Cells) throws {
    switch place {
    case .cell(let column, _):
      let cell = filled(column)
      if cell == nil && isNonNull { throw missing(path) }
      set(cell, column, &cells)
    case .object(_, let presence, let fields):
      if let cell = filled(presence) {
        set(cell, presence, &cells)
        for field in fields { try fill(field.place, "\(path).\(field.name)", isNonNull: field.isNonNull, &cells) }
      } else if isNonNull {
        throw missing(path)
      } else {
        for column in place.columns { set(nil, column, &cells) }
      }
    case .link(let relation, _): if relation.isRequired { throw missing(path) }
    case .elements: break
    }
  }

  private func filled(_ column: ColumnID) -> Cell? {
    let valueType = types.catalog[type][column].type
    switch CatalogFills.of(types.catalog)[type, column] {
    case nil: return nil
    case .now: return Cell(valueType.scalar == .date ? CivilTime.date(ofDateTime: now) : now)
    case .value(let value): return pool.cell(value, valueType)
    }
  }

  // MARK: - Links and lists

  /// Writes what does not lie in cells. Texts of the value must be there as long as the pool is.
  func link(_ value: ObjectValue, _ place: ObjectPlace, _ path: String, row: UInt32) throws {
    switch (value, place) {
    case (.unsaid, _), (_, .cell): break
    case (.object(let values), .object(_, _, let fields)):
      for (value, field) in zip(values, fields) { try link(value, field.place, "\(path).\(field.name)", row: row) }
    case (.null, .object(_, _, let fields)):
      for field in fields { try link(.null, field.place, "\(path).\(field.name)", row: row) }
    case (_, .object): break
    case (_, .elements(let relation)): try setElements(value, relation, path, row)
    case (_, .link(let relation, let targets)): try setLinks(value.ids, relation, targets, row)
    }
  }

  private func setElements(_ value: ObjectValue, _ relation: StoredRelation, _ path: String, _ row: UInt32) throws {
    let wanted: [ObjectValue] = if case .list(let elements) = value { elements } else { [] }
    let old = Array(transaction.column(type, relation.column).references(row))
    let fields = types.fields(relation.target)
    let inner = ObjectWriter(types: types, type: relation.target, transaction: transaction, pool: pool, now: now)
    // Elements have no ids: one that says the same is the same, with what Swift does not know of it.
    var free = old.map { element -> (row: UInt32, value: ObjectValue)? in
      (element, .object(fields.map { types.read($0.place, relation.target, element, transaction) }))
    }
    var next = 0
    var rows: [UInt32] = []
    for element in wanted {
      // Most often they are all as they were.
      if next < free.count, let known = free[next], element.holds(in: known.value) {
        rows.append(known.row)
        free[next] = nil
      } else if let place = free.firstIndex(where: { $0.map { element.holds(in: $0.value) } ?? false }) {
        free[place].map { rows.append($0.row) }
        free[place] = nil
      } else {
        rows.append(try inner.insert(element, fields, path))
      }
      next += 1
    }
    if rows == old { return }
    try rows.withUnsafeBufferPointer { try transaction.setReferences(relation.id, source: row, targets: $0) }
    let gone = free.compactMap { $0?.row }
    if !gone.isEmpty { try transaction.delete(relation.target, rows: gone, keeps: false) }
  }

  /// Adds an element.
  private func insert(_ value: ObjectValue, _ fields: [ObjectField], _ path: String) throws -> UInt32 {
    guard case .object(let values) = value else { throw missing("\(path)[]") }
    let count = types.catalog[type].columns.count
    let cells = UnsafeMutablePointer<Cell>.allocate(capacity: count)
    let valid = UnsafeMutablePointer<Bool>.allocate(capacity: count)
    cells.initialize(repeating: Cell(low: 0), count: count)
    valid.initialize(repeating: false, count: count)
    defer {
      cells.deallocate()
      valid.deallocate()
    }
    var row = Cells(cells: cells, valid: valid, owned: Array(repeating: true, count: count))
    for (value, field) in zip(values, fields) {
      try put(value, field.place, "\(path).\(field.name)", isNonNull: field.isNonNull, row: nil, &row)
    }
    let made = try transaction.insert(type, cells: cells, valid: valid)
    for (value, field) in zip(values, fields) { try link(value, field.place, "\(path).\(field.name)", row: made) }
    return made
  }

  private func setLinks(
    _ ids: [Text], _ relation: StoredRelation, _ targets: [LinkTarget], _ row: UInt32
  ) throws {
    transaction.forgetDangling(relation.id, source: row)
    var rows: [UInt32] = []
    for id in ids {
      let keys = try keys(id, relation, targets)
      if let target = keys.lazy.compactMap({ self.row(of: $0.key, $0.target, relation) }).first {
        rows.append(target)
      } else {
        for (key, target) in keys { transaction.rememberDangling(relation.id, source: row, target.type, key: key) }
      }
    }
    if relation.isToMany {
      try rows.withUnsafeBufferPointer { try transaction.setReferences(relation.id, source: row, targets: $0) }
    } else {
      try transaction.setReference(relation.id, source: row, target: rows.last)
    }
  }

  /// The row that a link to an entity leads to: the entity's own, or the one that mirrors it.
  private func row(of key: Cell, _ target: LinkTarget, _ relation: StoredRelation) -> UInt32? {
    var key = key
    guard let entity = transaction.findRow(target.type, key: &key) else { return nil }
    return target.member == nil ? entity : transaction.mirroredRow(target.type, entity, in: relation.target)
  }

  /// The keys that an id may be, of each type that the field leads to.
  private func keys(
    _ id: Text, _ relation: StoredRelation, _ targets: [LinkTarget]
  ) throws -> [(key: Cell, target: LinkTarget)] {
    let keys = targets.compactMap { target -> (key: Cell, target: LinkTarget)? in
      let key = target.id.type == .int ? Int64(id.string).map { Cell($0) } : pool.cell(.string(id), target.id.type)
      return key.map { ($0, target) }
    }
    if !keys.isEmpty { return keys }
    throw ModelError.unwritable("'\(id.string)'", "no \(types.catalog[relation.target].name) can have this id")
  }
}

extension ObjectValue {
  /// Of links.
  fileprivate var ids: [Text] {
    switch self {
    case .list(let values): values.flatMap(\.ids)
    case .value(.list(let values)): values.flatMap { ObjectValue.value($0).ids }
    case .value(.id(let text, _)): [text]
    case .value, .null, .unsaid, .object: []
    }
  }
}
