import GQLCatalog
import GQLStore

/// Reads the stored properties of an entity, by the names that ``EntityModelProtocol/describe(_:)`` gives them. It is
/// quickest in the same order.
///
/// What is read under a name that is not described, or as another type, is an error, never another property's value.
public struct EntityReader<Entity: EntityModelProtocol> {
  @usableFromInline var cursor: PropertyCursor

  init(_ layout: EntityLayout, _ source: EntitySource, wanted: UnsafePointer<Bool>? = nil) {
    cursor = PropertyCursor(layout, source, wanted: wanted)
  }

  @inlinable init(_ cursor: PropertyCursor) { self.cursor = cursor }

  var layout: EntityLayout { cursor.layout }
  var source: EntitySource { cursor.source }

  /// Reads a property.
  @inlinable
  public mutating func read<Value: _ColumnValue>(_ name: String) throws -> Value {
    try Value(_cell: cursor.cell(name, Value.self))
  }

  /// Reads a property, by its raw value.
  public mutating func read<Value: RawRepresentable>(_ name: String) throws -> Value
  where Value.RawValue: _ColumnScalar {
    try Value(rawCell: cursor.cell(name, Value.self))
  }

  /// Reads a property, by its raw value.
  public mutating func read<Value: RawRepresentable>(_ name: String) throws -> Value?
  where Value.RawValue: _ColumnScalar {
    let cell = try cursor.cell(name, Value?.self)
    return cell.isNull ? nil : try Value(rawCell: cell)
  }

  /// Reads a property, by raw values.
  public mutating func read<Value: RawRepresentable>(_ name: String) throws -> [Value]
  where Value.RawValue: _ColumnScalar {
    let cell = try cursor.cell(name, [Value].self)
    return try cell.elements(isWide: Value.RawValue._columnShape.elementIsWide) { try Value(rawCell: $0) }
  }

  /// Reads a property, by raw values.
  public mutating func read<Value: RawRepresentable>(_ name: String) throws -> [Value]?
  where Value.RawValue: _ColumnScalar {
    let cell = try cursor.cell(name, [Value]?.self)
    if cell.isNull { return nil }
    return try cell.elements(isWide: Value.RawValue._columnShape.elementIsWide) { try Value(rawCell: $0) }
  }

  /// Reads a property whose type says nothing about columns: as JSON if it is `Codable`, else from beside the store.
  @_disfavoredOverload
  public mutating func read<Value>(_ name: String) throws -> Value {
    let index = try cursor.place(name, Value.self)
    let place = layout.places[index]
    if place.column < 0 {
      guard let box = source.opaque(Int(~place.column)) as? OpaqueBox<Value> else {
        throw ModelError.unreadable("a \(Value.self) was not stored by a model")
      }
      return box.value
    }
    if let object = layout.object(index) {
      guard let codec = layout.codecs[index] as? ValueCodec<Value> else {
        throw ModelError.unreadable(layout.mismatch(name, Value.self))
      }
      return try codec.read(cursor.isWanted(index) ? source.object(index, object) : .null, object.kind)
    }
    // What is described with its type has no codec, or one of its elements.
    let codec = layout.codecs[index] as? ValueCodec<Value> ?? ValueCodec<Value>.make()
    return try codec.read(cursor.cell(at: index))
  }

  /// Passes over a property that has its value already.
  public mutating func _skip() { cursor.position += 1 }

  /// The cell of an enum's property and the cases; nil where these are stored by their raw values.
  @inline(__always)
  mutating func enumCell<Value, Property>(
    _ name: String, _ type: Property.Type
  ) throws -> (cell: _ColumnCell, column: EnumColumn<Value>?) {
    let index = try cursor.place(name, type)
    guard let codec = layout.codecs[index] else { return (cursor.cell(at: index), nil) }
    guard let column = codec as? EnumColumn<Value> else {
      throw ModelError.unreadable(layout.mismatch(name, type))
    }
    return (cursor.cell(at: index), column)
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

  /// The cell of a property that is read as it lies in its column, and goes to the next one.
  @usableFromInline mutating func cell(_ name: String, _ type: Any.Type) throws -> _ColumnCell {
    var index = position
    if index >= layout.count || !layout.keys[index].isSurely(name, ObjectIdentifier(type)) {
      index = try plainPlace(name, type)
    }
    position = index &+ 1
    return cell(at: index)
  }

  /// The place of a property that does not come next, or bears a long name.
  @inline(never)
  private func plainPlace(_ name: String, _ type: Any.Type) throws -> Int {
    guard let index = layout.place(of: name, type, likely: position), layout.isPlain(index) else {
      throw ModelError.unreadable(layout.mismatch(name, type))
    }
    return index
  }

  /// The place of a property, whatever holds it; goes to the next one.
  mutating func place(_ name: String, _ type: Any.Type) throws -> Int {
    guard let index = layout.place(of: name, type, likely: position) else {
      throw ModelError.unreadable(layout.mismatch(name, type))
    }
    position = index &+ 1
    return index
  }

  /// The cell of a property that has a column.
  @inline(__always)
  func cell(at index: Int) -> _ColumnCell {
    if !isWanted(index) { return _ColumnCell(Cell(low: 0), isNull: true) }
    let place = layout.places[index]
    return place.isInstant ? source.fineCell(Int(place.column)) : source.cell(Int(place.column), place.kind)
  }

  /// Whether a property is read; what is not is nil.
  @inline(__always)
  func isWanted(_ index: Int) -> Bool { wanted?[index] ?? true }
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
  /// Where embedded objects and their lists are, if the entity has any.
  private let objects: ObjectSource?

  init(_ readers: UnsafePointer<ColumnReader>, _ row: UInt32, _ opaques: OpaqueValues?, _ objects: ObjectSource?) {
    self.readers = readers
    self.row = row
    cells = nil
    valid = nil
    self.opaques = opaques
    self.objects = objects
  }

  init(
    _ cells: UnsafePointer<Cell>, _ valid: UnsafePointer<Bool>, _ opaques: OpaqueValues?, _ objects: ObjectSource?
  ) {
    readers = nil
    row = 0
    self.cells = cells
    self.valid = valid
    self.opaques = opaques
    self.objects = objects
  }

  @inline(__always)
  func cell(_ column: Int, _ kind: ColumnKind) -> _ColumnCell {
    if let readers {
      let reader = readers[column]
      return _ColumnCell(reader.cell(row, kind: kind), isNull: reader.isNull(row))
    }
    guard let cells, let valid else { return _ColumnCell(Cell(low: 0), isNull: true) }
    return _ColumnCell(cells[column], isNull: !valid[column])
  }

  /// The cell of an `.int64` column, with what it holds beside its word.
  @inline(__always)
  func fineCell(_ column: Int) -> _ColumnCell {
    guard let readers else { return cell(column, .int64) }
    return _ColumnCell(readers[column].fineCell(row), isNull: readers[column].isNull(row))
  }

  func opaque(_ number: Int) -> AnyObject? { opaques?[row, number] }

  /// The embedded object that a property is.
  func object(_ index: Int, _ object: ObjectProperty) -> ObjectValue {
    objects?.value(index, object, row) ?? .null
  }
}
