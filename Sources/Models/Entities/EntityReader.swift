import GQLCatalog
import GQLStore

/// Reads the stored properties of an entity, in the order in which ``EntityModelProtocol/describe(_:)`` names them.
///
/// Precondition, for what is written by hand: the same properties with the same types. What the macro writes keeps to it.
public struct EntityReader<Entity: EntityModelProtocol> {
  @usableFromInline var cursor: PropertyCursor

  init(_ layout: EntityLayout, _ source: EntitySource, wanted: UnsafePointer<Bool>? = nil) {
    cursor = PropertyCursor(layout, source, wanted: wanted)
  }

  @inlinable init(_ cursor: PropertyCursor) { self.cursor = cursor }

  var layout: EntityLayout { cursor.layout }
  var source: EntitySource { cursor.source }

  /// Reads the next property.
  @inlinable
  public mutating func read<Value: ColumnValue>() throws -> Value {
    assert(cursor.isPlain, "the property has another type")
    return try Value(cell: cursor.next())
  }

  /// Reads the next property, by its raw value.
  public mutating func read<Value: RawRepresentable>() throws -> Value where Value.RawValue: ColumnScalar {
    try Value(rawCell: cursor.next())
  }

  /// Reads the next property, by its raw value.
  public mutating func read<Value: RawRepresentable>() throws -> Value? where Value.RawValue: ColumnScalar {
    let cell = try cursor.next()
    return cell.isNull ? nil : try Value(rawCell: cell)
  }

  /// Reads the next property, by raw values.
  public mutating func read<Value: RawRepresentable>() throws -> [Value] where Value.RawValue: ColumnScalar {
    try cursor.next().elements(isWide: Value.RawValue.columnShape.elementIsWide) { try Value(rawCell: $0) }
  }

  /// Reads the next property, by raw values.
  public mutating func read<Value: RawRepresentable>() throws -> [Value]? where Value.RawValue: ColumnScalar {
    let cell = try cursor.next()
    if cell.isNull { return nil }
    return try cell.elements(isWide: Value.RawValue.columnShape.elementIsWide) { try Value(rawCell: $0) }
  }

  /// Reads the next property, whose type says nothing about columns: as JSON if it is `Codable`, else from beside the
  /// store.
  @_disfavoredOverload
  public mutating func read<Value>() throws -> Value {
    let index = cursor.position
    guard index < layout.count, let codec = layout.codecs[index] else { throw cursor.outOfStep }
    let place = layout.places[index]
    if place.column < 0 {
      cursor.position += 1
      guard let box = source.opaque(Int(~place.column)) as? OpaqueBox<Value> else {
        throw ModelError.unreadable("a \(Value.self) was not stored by a model")
      }
      return box.value
    }
    guard let typed = codec as? ValueCodec<Value> else { throw cursor.outOfStep }
    return try typed.read(cursor.next())
  }

  /// Passes over a property that has its value already.
  public mutating func skip() { cursor.position += 1 }

  /// The cases of the next property; nil where they are stored by their raw values.
  @inline(__always)
  func enumColumn<Value>() throws -> EnumColumn<Value>? {
    guard cursor.position < layout.count, let codec = layout.codecs[cursor.position] else { return nil }
    guard let column = codec as? EnumColumn<Value> else { throw cursor.outOfStep }
    return column
  }
}

/// Goes through the cells of one entity, property by property. Knows nothing of the entity's type, so that what the
/// program's own module inlines asks for no metadata of generic types, which costs more than reading a cell.
@usableFromInline struct PropertyCursor {
  let layout: EntityLayout
  let source: EntitySource
  var position = 0
  /// By property: whether it is read; nil if all are. What is not is nil.
  private let wanted: UnsafePointer<Bool>?

  init(_ layout: EntityLayout, _ source: EntitySource, wanted: UnsafePointer<Bool>? = nil) {
    self.layout = layout
    self.source = source
    self.wanted = wanted
  }

  var outOfStep: ModelError { .unreadable("\(layout.typeName) reads other properties than it describes") }

  /// Whether the next property has no codec of its own. What is written by hand may be out of step; what the macro writes
  /// is not.
  @usableFromInline var isPlain: Bool { position >= layout.count || layout.codecs[position] == nil }

  @usableFromInline mutating func next() throws -> ColumnCell {
    guard position < layout.count else { throw outOfStep }
    let place = layout.places[position]
    guard place.column >= 0 else { throw outOfStep }
    if let wanted, !wanted[position] {
      position &+= 1
      return ColumnCell(Cell(low: 0), isNull: true)
    }
    position &+= 1
    return source.cell(Int(place.column), place.kind)
  }
}

/// Where the cells of one entity are: in the store, or on their way to it.
struct EntitySource {
  /// Of a stored row.
  let readers: UnsafePointer<ColumnReader>?
  let row: UInt32
  /// Of an entity that is on its way.
  let cells: UnsafePointer<Cell>?
  let valid: UnsafePointer<Bool>?
  let opaques: OpaqueValues?

  init(_ readers: UnsafePointer<ColumnReader>, _ row: UInt32, _ opaques: OpaqueValues?) {
    self.readers = readers
    self.row = row
    cells = nil
    valid = nil
    self.opaques = opaques
  }

  init(_ cells: UnsafePointer<Cell>, _ valid: UnsafePointer<Bool>, _ opaques: OpaqueValues?) {
    readers = nil
    row = 0
    self.cells = cells
    self.valid = valid
    self.opaques = opaques
  }

  @inline(__always)
  func cell(_ column: Int, _ kind: ColumnKind) -> ColumnCell {
    if let readers {
      let reader = readers[column]
      return ColumnCell(reader.cell(row, kind: kind), isNull: reader.isNull(row))
    }
    guard let cells, let valid else { return ColumnCell(Cell(low: 0), isNull: true) }
    return ColumnCell(cells[column], isNull: !valid[column])
  }

  func opaque(_ number: Int) -> AnyObject? { opaques?[row, number] }
}
