import GQLCatalog
import GQLStore

extension Optional: _ColumnValue where Wrapped: _NonNullColumnValue {
  /// The wrapped type's column, nullable.
  public static var _columnShape: _ColumnShape {
    var shape = Wrapped._columnShape
    shape.isNonNull = false
    return shape
  }

  /// Null is nil.
  public init(_cell cell: _ColumnCell) throws { self = cell.isNull ? nil : try Wrapped(_cell: cell) }

  /// Nil is null.
  public func _write(into slot: inout _ColumnSlot) throws {
    if let value = self { try value._write(into: &slot) }
  }
}

extension Array: _NonNullColumnValue, _ColumnValue where Element: _ColumnScalar {
  /// A list of the element's type.
  public static var _columnShape: _ColumnShape {
    var shape = Element._columnShape
    shape.isList = true
    return shape
  }

  /// The elements in order.
  public init(_cell cell: _ColumnCell) throws {
    self = try cell.elements(isWide: Element._columnShape.elementIsWide) { try Element(_cell: $0) }
  }

  /// The elements in order.
  public func _write(into slot: inout _ColumnSlot) throws {
    let memory = slot.memory
    slot.cell = try memory.list(count: count, isWide: Element._columnShape.elementIsWide) { index in
      var element = _ColumnSlot(memory)
      try self[index]._write(into: &element)
      return element.cell ?? Cell(low: 0)
    }
  }
}
