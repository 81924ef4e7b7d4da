import GQLCatalog
import GQLStore
import GQLWriting

/// Writes the stored properties of an entity, by the names that ``EntityModelProtocol/describe(_:)`` gives them. It is
/// quickest in the same order.
///
/// All of them must be written. What is written under a name that is not described, or as another type, is an error.
public struct EntityWriter<Entity: EntityModelProtocol> {
  let layout: EntityLayout
  let cells: UnsafeMutablePointer<Cell>
  let valid: UnsafeMutablePointer<Bool>
  let memory: StagingArena
  /// The values without a column, by their numbers; empty if there are none.
  private(set) var opaques: [AnyObject?] = []
  /// By property: embedded objects of a schema in text; empty if there are none.
  private(set) var objects: [ObjectValue] = []
  private var position = 0
  /// The properties that were written, once one did not come next; until then it is all before the position.
  private var written: Set<Int>?

  init(
    _ layout: EntityLayout, _ cells: UnsafeMutablePointer<Cell>, _ valid: UnsafeMutablePointer<Bool>,
    _ memory: StagingArena
  ) {
    self.layout = layout
    self.cells = cells
    self.valid = valid
    self.memory = memory
  }

  /// Writes a property.
  public mutating func write<Value: _ColumnValue>(_ value: Value, as name: String) throws {
    try put(name, Value.self) { try value._write(into: &$0) }
  }

  /// Writes a property, by its raw value.
  public mutating func write<Value: RawRepresentable>(_ value: Value, as name: String) throws
  where Value.RawValue: _ColumnScalar {
    try put(name, Value.self) { try value.rawValue._write(into: &$0) }
  }

  /// Writes a property, by its raw value.
  public mutating func write<Value: RawRepresentable>(_ value: Value?, as name: String) throws
  where Value.RawValue: _ColumnScalar {
    try put(name, Value?.self) { try value?.rawValue._write(into: &$0) }
  }

  /// Writes a property, by raw values.
  public mutating func write<Value: RawRepresentable>(_ value: [Value], as name: String) throws
  where Value.RawValue: _ColumnScalar {
    try put(name, [Value].self) { try value.map(\.rawValue)._write(into: &$0) }
  }

  /// Writes a property, by raw values.
  public mutating func write<Value: RawRepresentable>(_ value: [Value]?, as name: String) throws
  where Value.RawValue: _ColumnScalar {
    try put(name, [Value]?.self) { try value?.map(\.rawValue)._write(into: &$0) }
  }

  /// Writes a property whose type says nothing about columns: as JSON if it is `Codable`, else beside the store.
  @_disfavoredOverload
  public mutating func write<Value>(_ value: Value, as name: String) throws {
    let index = try place(name, Value.self)
    let column = layout.places[index].column
    if column < 0 {
      if opaques.isEmpty { opaques = Array(repeating: nil, count: layout.opaqueCount) }
      opaques[Int(~column)] = OpaqueBox(value)
      return
    }
    if let object = layout.object(index) {
      guard let codec = layout.codecs[index] as? ValueCodec<Value> else { throw mismatch(name, Value.self) }
      if objects.isEmpty { objects = Array(repeating: .unsaid, count: layout.count) }
      do { objects[index] = try codec.write(value, object.kind) } catch { throw located(error, index) }
      return
    }
    // What is described with its type has no codec, or one of its elements.
    let codec = layout.codecs[index] as? ValueCodec<Value> ?? ValueCodec<Value>.make()
    try put(at: index) { try codec.write(value, into: &$0) }
  }

  /// Throws if something was not written.
  @inline(__always)
  func finish() throws {
    if (written?.count ?? position) != layout.count { throw missing }
  }

  private var missing: ModelError {
    let names = layout.names.indices.filter { !(written?.contains($0) ?? ($0 < position)) }.map { layout.names[$0] }
    return .unwritable(layout.typeName, "it does not write \(names.map { "'\($0)'" }.joined(separator: ", "))")
  }

  /// Writes a property that is an enum; gets nil where its cases are stored by their raw values.
  @inline(__always)
  mutating func putEnum<Value, Property>(
    _ name: String, _ type: Property.Type, _ body: (EnumColumn<Value>?, inout _ColumnSlot) throws -> Void
  ) throws {
    let index = try place(name, type)
    guard let codec = layout.codecs[index] else { return try put(at: index) { try body(nil, &$0) } }
    guard let column = codec as? EnumColumn<Value> else { throw mismatch(name, type) }
    try put(at: index) { try body(column, &$0) }
  }

  @inline(__always)
  private mutating func put(_ name: String, _ type: Any.Type, _ body: (inout _ColumnSlot) throws -> Void) throws {
    var index = position
    if index >= layout.count || !layout.keys[index].isSurely(name, ObjectIdentifier(type)) {
      index = try plainPlace(name, type)
    } else {
      note(index)
    }
    try put(at: index, body)
  }

  @inline(__always)
  private mutating func note(_ index: Int) {
    written?.insert(index)
    position = index &+ 1
  }

  /// The place of a property that is written as it lies in its column, and does not come next, or bears a long name.
  @inline(never)
  private mutating func plainPlace(_ name: String, _ type: Any.Type) throws -> Int {
    let index = try place(name, type)
    guard layout.isPlain(index) else { throw mismatch(name, type) }
    return index
  }

  /// The place of a property, whatever holds it; goes to the next one.
  private mutating func place(_ name: String, _ type: Any.Type) throws -> Int {
    guard let index = layout.place(of: name, type, likely: position) else { throw mismatch(name, type) }
    if index != position && written == nil { written = Set(0..<position) }
    note(index)
    return index
  }

  /// A number that columns cannot hold, with where it was found; other errors say what they are about.
  @inline(never)
  private func located(_ error: any Error, _ index: Int) -> any Error {
    func located(_ number: String, _ path: [any CodingKey] = []) -> ModelError {
      let name = path.reduce(layout.names[index]) { path, key in
        key.intValue.map { "\(path)[\($0)]" } ?? "\(path).\(key.stringValue)"
      }
      return .numberOutOfRange(layout.typeName, "its '\(name)' is \(number), and numbers in columns are finite")
    }
    switch error {
    case ModelError.numberNotFinite(let number): return located(number)
    case EncodingError.invalidValue(let value, let context):
      guard let number = value as? any BinaryFloatingPoint, !number.isFinite else { return error }
      return located("\(number)", context.codingPath)
    default: return error
    }
  }

  private func mismatch(_ name: String, _ type: Any.Type) -> ModelError {
    .unwritable(layout.typeName, layout.mismatch(name, type))
  }

  @inline(__always)
  private mutating func put(at index: Int, _ body: (inout _ColumnSlot) throws -> Void) throws {
    let column = Int(layout.places[index].column)
    var slot = _ColumnSlot(memory)
    do { try body(&slot) } catch { throw located(error, index) }
    valid[column] = slot.cell != nil
    cells[column] = slot.cell ?? Cell(low: 0)
  }
}
