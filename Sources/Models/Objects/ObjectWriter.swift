import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore
import GQLWriting

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
  ///   - isElementNonNull: Whether a list of scalars, or of links, can have no nulls.
  ///   - row: The row that is there, if it has the object around the value; what is unsaid is what it has.
  func put(
    _ value: ObjectValue, _ place: ObjectPlace, _ path: String, isNonNull: Bool, isElementNonNull: Bool = false,
    row: UInt32?, _ cells: inout Cells
  ) throws {
    switch (value, place) {
    case (.unsaid, _):
      if row == nil { return try fill(place, path, isNonNull: isNonNull, &cells) }
      for column in place.columns { cells.owned[Int(column.index)] = false }
    case (.object(let values), .object(_, let presence, let fields)):
      set(Cell(low: 1), presence, &cells)
      let old = row.flatMap { types.isPresent(presence, type, $0, transaction) ? $0 : nil }
      for (value, field) in zip(values, fields) {
        try put(
          value, field.place, "\(path).\(field.name)", isNonNull: field.isNonNull,
          isElementNonNull: field.isElementNonNull, row: old, &cells)
      }
    case (.null, _):
      if isNonNull, !mayBeAbsent(place, row) { throw missing(path) }
      for column in place.columns { set(nil, column, &cells) }
    case (_, .cell), (_, .link):
      if isElementNonNull, value.hasNullElement { throw missing("\(path)[]") }
      try putChecked(value, place, &cells)
    // Written when the row is there.
    case (_, .elements): break
    case (_, .object): throw missing(path)
    }
  }

  /// Whether a non-null field may say nothing: a list, and a link that waits for an entity already.
  private func mayBeAbsent(_ place: ObjectPlace, _ row: UInt32?) -> Bool {
    switch place {
    case .elements: return true
    case .link(let relation, _):
      guard let row, !relation.isToMany else { return false }
      let reader = transaction.column(type, relation.column)
      return reader.isNull(row) || reader.reference(row) == PageLayout.noRow
    case .cell, .object: return false
    }
  }

  private func putChecked(_ value: ObjectValue, _ place: ObjectPlace, _ cells: inout Cells) throws {
    switch place {
    case .cell(let column, let valueType):
      set(value.cell(valueType, in: pool), column, &cells)
    // It is written when the row is there.
    case .link(let relation, _): for id in value.ids { _ = try find(id, relation) }
    case .object, .elements: break
    }
  }

  private func missing(_ path: String) -> ModelError {
    .missingValue(types.catalog[type].name, "'\(path)' must have a value in the schema")
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
      for field in fields { try clear(field.place, row: row) }
    case (_, .object): break
    case (_, .elements(let relation)): try setElements(value, relation, path, row)
    case (_, .link(let relation, _)):
      // What is as it was read goes on waiting for what it does not show: entities that are not there, or deleted.
      if value.ids == types.read(place, type, row, transaction).ids { return }
      try setLinks(value.ids, relation, row)
    }
  }

  /// Takes all links and elements away, and what links wait for, because the object around them is no more.
  private func clear(_ place: ObjectPlace, row: UInt32) throws {
    switch place {
    case .cell: break
    case .object(_, _, let fields): for field in fields { try clear(field.place, row: row) }
    case .elements(let relation): try setElements(.null, relation, "", row)
    case .link(let relation, _): try setLinks([], relation, row)
    }
  }

  private func setElements(_ value: ObjectValue, _ relation: StoredRelation, _ path: String, _ row: UInt32) throws {
    let wanted: [ObjectValue] = if case .list(let elements) = value { elements } else { [] }
    let old = Array(transaction.column(type, relation.column).references(row))
    let fields = types.fields(relation.target)
    let inner = ObjectWriter(types: types, type: relation.target, transaction: transaction, pool: pool, now: now)
    let known = old.map { element -> ObjectValue in
      .object(fields.map { types.read($0.place, relation.target, element, transaction) })
    }
    // Elements have no ids: one that says the same is the same, with what Swift does not know of it.
    let hasLinks = !fields.allSatisfy(\.place.isInCells)
    let places = try ElementMatching.places(
      of: hasLinks ? wanted.map { try inner.resolved($0, fields) } : wanted, among: known)
    var rows: [UInt32] = []
    rows.reserveCapacity(wanted.count)
    for (element, place) in zip(wanted, places) {
      guard let place else {
        rows.append(try inner.insert(element, fields, path))
        continue
      }
      rows.append(old[place])
      // What its links wait for does not show.
      if hasLinks, !element.holds(in: known[place]), case .object(let values) = element {
        for (value, field) in zip(values, fields) where !field.place.isInCells {
          try inner.link(value, field.place, "\(path).\(field.name)", row: old[place])
        }
      }
    }
    if rows == old { return }
    var list = LinkList()
    for element in rows { list.append(element) }
    try transaction.write(list, of: relation, from: row, mode: .set)
  }

  /// An element as it would read: links lead to what is there.
  private func resolved(_ element: ObjectValue, _ fields: [ObjectField]) throws -> ObjectValue {
    guard case .object(let values) = element else { return element }
    return .object(try zip(values, fields).map { try resolved($0, $1.place) })
  }

  private func resolved(_ value: ObjectValue, _ place: ObjectPlace) throws -> ObjectValue {
    switch (value, place) {
    case (.object, .object(_, _, let fields)): return try resolved(value, fields)
    case (.list(let elements), .elements(let relation)):
      let fields = types.fields(relation.target)
      return .list(try elements.map { try resolved($0, fields) })
    case (.list, .link(let relation, let targets)), (.value, .link(let relation, let targets)):
      var seen = Set<UInt32>()
      let found = try value.ids.compactMap { id -> ObjectValue? in
        guard case .row(let row) = try find(id, relation), seen.insert(row).inserted else { return nil }
        return types.id(row, relation, targets, transaction)
      }
      return relation.isToMany ? .list(found) : found.last ?? .null
    default: return value
    }
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
      try put(
        value, field.place, "\(path).\(field.name)", isNonNull: field.isNonNull,
        isElementNonNull: field.isElementNonNull, row: nil, &row)
    }
    let made = try transaction.insert(type, cells: cells, valid: valid)
    for (value, field) in zip(values, fields) { try link(value, field.place, "\(path).\(field.name)", row: made) }
    return made
  }

  private func setLinks(_ ids: [Text], _ relation: StoredRelation, _ row: UInt32) throws {
    var list = LinkList()
    for id in ids {
      switch try find(id, relation) {
      case .row(let target): list.append(target)
      case .absent(let keys): list.append(absent: keys)
      case .ambiguous(let types):
        let names = types.map { self.types.catalog[$0].name }.joined(separator: ", ")
        throw ModelError.unwritable("'\(id.string)'", "entities of several types have this id: \(names)")
      case .gone: break
      }
    }
    try transaction.write(list, of: relation, from: row, mode: .set)
  }

  /// Finds the entity that a link leads to by an id.
  private func find(_ id: Text, _ relation: StoredRelation) throws -> FoundTarget {
    let layouts = types.layouts
    let cell = pool.cell(.id(id, isNumber: false), .id)
    let keys = cell.map { layouts.keys(ofID: $0, of: relation.target) } ?? []
    if !keys.isEmpty { return layouts.find(keys, relation, transaction) }
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
    case .value, .instant, .null, .unsaid, .object: []
    }
  }
}
