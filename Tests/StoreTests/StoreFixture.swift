import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// Reproducible random numbers; the seed is in the message of every failure.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

/// A value to store, and its cell.
enum TestValue: Hashable {
  case null
  case int(Int64)
  case double(Double)
  case text(String)
  case decimal(Int64, scale: Int)
  case bool(Bool)
  case texts([String?])

  /// The cell, in memory that is never freed: tests are short.
  var cell: Cell {
    switch self {
    case .null: return Cell(low: 0)
    case .int(let value): return Cell(value)
    case .double(let value): return Cell(value)
    case .bool(let value): return Cell(low: value ? 1 : 0)
    case .decimal(let significand, let scale):
      let wide = Int128(significand)
      return Cell(
        low: UInt64(truncatingIfNeeded: wide),
        high: UInt64(truncatingIfNeeded: wide >> 64) & 0x03FF_FFFF_FFFF_FFFF | UInt64(scale) << 58)
    case .text(let text):
      let bytes = Array(text.utf8)
      let start = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + 16, alignment: 8)
      start.copyMemory(from: bytes, byteCount: bytes.count)
      return TextView(start, count: bytes.count).cell
    case .texts(let list):
      let start = UnsafeMutableRawPointer.allocate(byteCount: list.count * 17 + 16, alignment: 8)
      for (index, element) in list.enumerated() {
        let cell = element.map { TestValue.text($0).cell } ?? Cell(low: 0)
        (start + index * 16).storeBytes(of: cell, as: Cell.self)
        (start + list.count * 16 + index).storeBytes(of: element == nil ? 0 : 1, as: UInt8.self)
      }
      return Cell(low: UInt64(UInt(bitPattern: start)), high: UInt64(list.count))
    }
  }
}

/// One side of a relation under construction.
struct RelationEnd {
  var type: EntityTypeID
  var column: Int
  var isToMany = true
  var isRequired = false
  var onDelete = Relation.DeleteRule.nullify
}

/// A catalog under construction.
struct CatalogBuilder {
  var catalog = Catalog()

  mutating func type(_ name: String, _ columns: [(String, ColumnKind, ValueType)]) -> EntityTypeID {
    let id = EntityTypeID(catalog.types.count)
    let descriptors = columns.enumerated().map { number, column in
      ColumnDescriptor(
        id: ColumnID(number), name: column.0, kind: column.1, type: column.2, isNonNull: false,
        foldedFrom: column.0.hasSuffix("Folded") ? ColumnID(number - 1) : nil)
    }
    catalog.types.append(
      EntityType(id: id, name: name, columns: descriptors, rootMany: name, rootOne: name))
    return id
  }

  @discardableResult
  mutating func index(
    _ type: EntityTypeID, _ kind: IndexDescriptor.Kind, _ columns: [Int], unique: Bool = false, primary: Bool = false
  ) -> IndexID {
    let id = IndexID(catalog.indexes.count)
    catalog.indexes.append(
      IndexDescriptor(
        id: id, type: type, name: "index\(id.index)", kind: kind, columns: columns.map(ColumnID.init),
        isUnique: unique, isPrimary: primary))
    catalog[type].indexes.append(id)
    return id
  }

  /// Both directions; the second one has the next id.
  mutating func relation(_ source: RelationEnd, _ target: RelationEnd) -> RelationID {
    let id = RelationID(catalog.relations.count)
    let inverse = RelationID(catalog.relations.count + 1)
    append(source, to: target.type, id: id, inverse: inverse)
    append(target, to: source.type, id: inverse, inverse: id)
    return id
  }

  /// A relation that is its own inverse.
  mutating func symmetric(_ end: RelationEnd) -> RelationID {
    let id = RelationID(catalog.relations.count)
    append(end, to: end.type, id: id, inverse: id)
    return id
  }

  private mutating func append(_ end: RelationEnd, to target: EntityTypeID, id: RelationID, inverse: RelationID) {
    catalog.relations.append(
      Relation(
        id: id, source: end.type, target: target, property: nil, column: ColumnID(end.column),
        isToMany: end.isToMany, isRequired: end.isRequired, inverse: inverse, onDelete: end.onDelete))
  }
}

extension WriteTransaction {
  func insert(_ type: EntityTypeID, _ values: [TestValue]) throws(StoreProblem) -> UInt32 {
    try insert(type, cells: values.map(\.cell), valid: values.map { $0 != .null })
  }
  func update(_ type: EntityTypeID, _ row: UInt32, _ column: Int, _ value: TestValue) throws(StoreProblem) {
    try update(type, row, ColumnID(column), value == .null ? nil : value.cell)
  }
  func setReferences(_ relation: RelationID, _ source: UInt32, _ targets: [UInt32]) throws(StoreProblem) {
    let copy = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: targets.count)
    defer { copy.deallocate() }
    _ = copy.initialize(from: targets)
    try setReferences(relation, source: source, targets: UnsafeBufferPointer(copy))
  }
}

extension Snapshot {
  func text(_ type: EntityTypeID, _ row: UInt32, _ column: Int) -> String? {
    let reader = self.column(type, ColumnID(column))
    if reader.isNull(row) { return nil }
    return TextView(reader.wide(row)).withBytes { start, count in
      String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }
  func int(_ type: EntityTypeID, _ row: UInt32, _ column: Int) -> Int64? {
    let reader = self.column(type, ColumnID(column))
    return reader.isNull(row) ? nil : reader.int64(row)
  }
  func links(_ relation: RelationID, _ row: UInt32) -> [UInt32] {
    let relation = catalog[relation]
    let reader = column(relation.source, relation.column)
    if relation.isToMany { return Array(reader.references(row)) }
    let target = reader.reference(row)
    return target == PageLayout.noRow ? [] : [target]
  }
  func rows(_ index: IndexID, _ values: [TestValue]) -> [UInt32] {
    switch hashIndex(index).rows(values.map(\.cell)) {
    case .none: []
    case .one(let row): [row]
    case .many(let rows): Array(rows)
    }
  }
  func walk(
    _ index: IndexID, _ bounds: BTreeBounds, equal: [TestValue] = [], descending: Bool = false, skip: Int = 0,
    limit: Int = .max
  ) -> [UInt32] {
    let reader = tree(index)
    let cells = equal.map(\.cell)
    return cells.withUnsafeBufferPointer { cells in
      var bounds = bounds
      bounds.equal = cells.baseAddress
      bounds.equalCount = cells.count
      var rows = [UInt32](repeating: 0, count: reader.entryCount + 1)
      let capacity = rows.count
      let count = rows.withUnsafeMutableBufferPointer { buffer in
        reader.walk(
          bounds, descending: descending, skip: skip, limit: min(limit, capacity),
          into: buffer.baseAddress.unsafelyUnwrapped)
      }
      return Array(rows[..<count])
    }
  }
}
