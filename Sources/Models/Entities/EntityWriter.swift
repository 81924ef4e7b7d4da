import GQLCatalog
import GQLStore

/// Writes the stored properties of an entity, in the order in which ``EntityModelProtocol/describe(_:)`` names them.
public struct EntityWriter<Entity: EntityModelProtocol> {
  let layout: EntityLayout
  let cells: UnsafeMutablePointer<Cell>
  let valid: UnsafeMutablePointer<Bool>
  let memory: StagingMemory
  /// The values without a column, in order.
  var opaques: [AnyObject?] = []
  private var position = 0

  init(
    _ layout: EntityLayout, _ cells: UnsafeMutablePointer<Cell>, _ valid: UnsafeMutablePointer<Bool>,
    _ memory: StagingMemory
  ) {
    self.layout = layout
    self.cells = cells
    self.valid = valid
    self.memory = memory
  }

  /// Writes the next property.
  public mutating func write<Value: ColumnValue>(_ value: Value) throws {
    try put { try value.write(into: &$0) }
  }

  /// Writes the next property, by its raw value.
  public mutating func write<Value: RawRepresentable>(_ value: Value) throws where Value.RawValue: ColumnScalar {
    try put { try value.rawValue.write(into: &$0) }
  }

  /// Writes the next property, by its raw value.
  public mutating func write<Value: RawRepresentable>(_ value: Value?) throws where Value.RawValue: ColumnScalar {
    try put { try value?.rawValue.write(into: &$0) }
  }

  /// Writes the next property, by raw values.
  public mutating func write<Value: RawRepresentable>(_ value: [Value]) throws where Value.RawValue: ColumnScalar {
    try put { try value.map(\.rawValue).write(into: &$0) }
  }

  /// Writes the next property, by raw values.
  public mutating func write<Value: RawRepresentable>(_ value: [Value]?) throws where Value.RawValue: ColumnScalar {
    try put { try value?.map(\.rawValue).write(into: &$0) }
  }

  /// Writes the next property, whose type says nothing about columns: as JSON if it is `Codable`, else beside the store.
  @_disfavoredOverload
  public mutating func write<Value>(_ value: Value) throws {
    let index = position
    guard index < layout.count, let codec = layout.codecs[index] else { throw outOfStep }
    if layout.places[index].column < 0 {
      opaques.append(OpaqueBox(value))
      position += 1
      return
    }
    guard let typed = codec as? ValueCodec<Value> else { throw outOfStep }
    try put { try typed.write(value, into: &$0) }
  }

  private var outOfStep: ModelError {
    .unwritable("\(Entity.self)", "it writes other properties than it describes")
  }

  /// The cases of the next property; nil where they are stored by their raw values.
  @inline(__always)
  func enumColumn<Value>() throws -> EnumColumn<Value>? {
    guard position < layout.count, let codec = layout.codecs[position] else { return nil }
    guard let column = codec as? EnumColumn<Value> else { throw outOfStep }
    return column
  }

  @inline(__always)
  mutating func put(_ body: (inout ColumnSlot) throws -> Void) throws {
    guard position < layout.count else { throw outOfStep }
    let column = Int(layout.places[position].column)
    guard column >= 0 else { throw outOfStep }
    position &+= 1
    var slot = ColumnSlot(memory)
    try body(&slot)
    valid[column] = slot.cell != nil
    cells[column] = slot.cell ?? Cell(low: 0)
  }
}
