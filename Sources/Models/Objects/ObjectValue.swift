import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore
import GQLWriting

/// An embedded object, or a part of one, on its way between the store and a `Codable` value.
indirect enum ObjectValue: Sendable {
  /// The Swift type knows no such field.
  case unsaid
  case null
  /// A scalar, an enum's value, or a list of these.
  case value(GQLCatalog.Value)
  /// A DateTime that holds something beside its microseconds.
  case instant(Cell)
  /// By field.
  case object([ObjectValue])
  case list([ObjectValue])

  /// Whether what this says is what another one is.
  func holds(in other: ObjectValue) -> Bool {
    switch (self, other) {
    case (.unsaid, _), (.null, .null): true
    case (.value(let left), .value(let right)): Self.areEqual(left, right)
    case (.instant(let left), .instant(let right)): left == right
    case (.object(let left), .object(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.holds(in: $1) }
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.holds(in: $1) }
    case (.list, .value), (.value, .list):
      scalar.flatMap { left in other.scalar.map { Self.areEqual(left, $0) } } ?? false
    default: false
    }
  }

  /// What one column can hold of it: a list of scalars may have been written in parts.
  var scalar: GQLCatalog.Value? {
    switch self {
    case .value(let value): value
    case .instant(let cell): .dateTime(cell.int)
    case .list(let elements): .list(elements.map { if case .list = $0 { .null } else { $0.scalar ?? .null } })
    case .null, .unsaid, .object: nil
    }
  }

  /// Whether it is a list with a null in it.
  var hasNullElement: Bool {
    switch self {
    case .list(let elements):
      elements.contains { element in
        switch element {
        case .null: true
        case .value(let value): value.isNull
        case .unsaid, .object, .list, .instant: false
        }
      }
    case .value(.list(let elements)): elements.contains(where: \.isNull)
    case .value, .instant, .null, .unsaid, .object: false
    }
  }

  /// A column's cell.
  init(_ cell: Cell, of type: ValueType) {
    self = type == .scalar(.dateTime) && cell.high != 0 ? .instant(cell) : .value(GQLCatalog.Value(cell, of: type))
  }

  /// As a column of a type holds it; nil for null.
  func cell(_ type: ValueType, in pool: CellPool) -> Cell? {
    if case .instant(let cell) = self { return cell }
    return scalar.flatMap { pool.cell($0, type) }
  }

  /// Ids are one whether they print as numbers or as texts.
  private static func areEqual(_ left: GQLCatalog.Value, _ right: GQLCatalog.Value) -> Bool {
    switch (left, right) {
    case (.id(let left, _), .id(let right, _)): left == right
    case (.list(let left), .list(let right)): left.count == right.count && zip(left, right).allSatisfy(areEqual)
    default: left == right
    }
  }
}

/// Where the rows of all types are: a version, or a transaction.
package protocol StoreTables: AnyObject {
  func slotCount(_ type: EntityTypeID) -> Int
  func column(_ type: EntityTypeID, _ column: ColumnID) -> ColumnReader
  func readers(_ type: EntityTypeID) -> UnsafePointer<ColumnReader>
  func isLive(_ type: EntityTypeID, _ row: UInt32) -> Bool
  func findRow(_ type: EntityTypeID, key: UnsafePointer<Cell>) -> UInt32?
  func deletedRow(_ type: EntityTypeID, key: UnsafePointer<Cell>) -> UInt32?
  func cascade(fromOnly entity: DeletedRow, behind counts: inout [Int]) -> [DeletedRow]
}

extension Snapshot: StoreTables {}
extension WriteTransaction: StoreTables {}

/// Where the embedded objects of entities are: in the store, or, of one entity, on their way to it.
final class ObjectSource {
  private let tables: (any StoreTables)?
  /// By property.
  private let staged: [ObjectValue]

  init(_ tables: any StoreTables) {
    self.tables = tables
    staged = []
  }

  init(staged: [ObjectValue]) {
    tables = nil
    self.staged = staged
  }

  func value(_ index: Int, _ object: ObjectProperty, _ row: UInt32) -> ObjectValue {
    if let tables { return object.types.read(object.place, object.type, row, tables) }
    return index < staged.count ? staged[index] : .null
  }
}

extension EntityLayout {
  /// Where embedded objects are; nil if an entity has none.
  func objects(in tables: any StoreTables) -> ObjectSource? { objects.isEmpty ? nil : ObjectSource(tables) }
}

extension ObjectTypes {
  /// The value of a row.
  func read(_ place: ObjectPlace, _ type: EntityTypeID, _ row: UInt32, _ tables: any StoreTables) -> ObjectValue {
    switch place {
    case .cell(let column, let valueType):
      let reader = tables.column(type, column)
      if reader.isNull(row) { return .null }
      return ObjectValue(reader.wholeCell(row, kind: ColumnKind(valueType)), of: valueType)
    case .object(_, let presence, let fields):
      guard isPresent(presence, type, row, tables) else { return .null }
      return .object(fields.map { read($0.place, type, row, tables) })
    case .elements(let relation):
      let fields = fields(relation.target)
      return .list(
        Array(tables.column(type, relation.column).references(row)).map { element in
          .object(fields.map { read($0.place, relation.target, element, tables) })
        })
    case .link(let relation, let targets):
      let reader = tables.column(type, relation.column)
      if relation.isToMany { return .list(reader.references(row).map { id($0, relation, targets, tables) }) }
      if reader.isNull(row) { return .null }
      let target = reader.reference(row)
      return target == PageLayout.noRow ? .null : id(target, relation, targets, tables)
    }
  }

  /// The id of what a link leads to.
  func id(
    _ row: UInt32, _ relation: StoredRelation, _ targets: [LinkTarget], _ tables: any StoreTables
  ) -> ObjectValue {
    for target in targets {
      var entity = row
      if let member = target.member {
        let reader = tables.column(relation.target, member.column)
        if reader.isNull(row) { continue }
        entity = reader.reference(row)
        if entity == PageLayout.noRow { continue }
      }
      let cell = tables.column(target.type, target.id.id).cell(entity, kind: target.id.kind)
      switch GQLCatalog.Value(cell, of: target.id.type) {
      case .int(let number): return .value(.id(Text("\(number)"), isNumber: true))
      case .string(let text), .uuid(let text): return .value(.id(text, isNumber: false))
      case let id: return .value(id)
      }
    }
    return .null
  }

  /// Whether a row has an embedded object.
  func isPresent(_ presence: ColumnID, _ type: EntityTypeID, _ row: UInt32, _ tables: any StoreTables) -> Bool {
    let reader = tables.column(type, presence)
    return !reader.isNull(row) && reader.byte(row) != 0
  }
}

extension GQLCatalog.Value {
  /// A column's cell as a value.
  init(_ cell: Cell, of type: ValueType) {
    switch type {
    case .scalar(.id):
      let view = TextView(cell)
      self = .id(view.withBytes { Text(UnsafeRawBufferPointer(start: $0, count: $1)) }, isNumber: view.isNumber)
    case .scalar(let scalar): self = GQLCatalog.Value(cell, scalar)
    case .enumeration(let id): self = .enumeration(id, code: Int(cell.int))
    case .list(let element):
      self = .list(
        _ColumnCell(cell).elements(isWide: ColumnKind(element).width == 16) { cell in
          cell.isNull ? .null : GQLCatalog.Value(cell.cell, of: element)
        })
    case .embedded, .entity, .null: self = .null
    }
  }
}
