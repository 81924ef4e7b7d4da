import GQLCatalog
import GQLStore

/// A Swift value that has a column of its own kind: a ``ColumnScalar``, an optional of one, or a list of them.
public protocol ColumnValue {
  /// The column that holds it.
  static var columnShape: ColumnShape { get }
  /// Reads it from a column.
  init(cell: ColumnCell) throws
  /// Writes it into a column.
  func write(into slot: inout ColumnSlot) throws
}

/// A ``ColumnValue`` that is never null.
public protocol NonNullColumnValue: ColumnValue {}

/// A ``ColumnValue`` that is one scalar of the language.
public protocol ColumnScalar: NonNullColumnValue {}

extension Optional: ColumnValue where Wrapped: NonNullColumnValue {
  /// The wrapped type's column, nullable.
  public static var columnShape: ColumnShape {
    var shape = Wrapped.columnShape
    shape.isNonNull = false
    return shape
  }

  /// Null is nil.
  public init(cell: ColumnCell) throws { self = cell.isNull ? nil : try Wrapped(cell: cell) }

  /// Nil is null.
  public func write(into slot: inout ColumnSlot) throws {
    if let value = self { try value.write(into: &slot) }
  }
}

extension Array: NonNullColumnValue, ColumnValue where Element: ColumnScalar {
  /// A list of the element's type.
  public static var columnShape: ColumnShape {
    var shape = Element.columnShape
    shape.isList = true
    return shape
  }

  /// The elements in order.
  public init(cell: ColumnCell) throws {
    self = try cell.elements(isWide: Element.columnShape.elementIsWide) { try Element(cell: $0) }
  }

  /// The elements in order.
  public func write(into slot: inout ColumnSlot) throws {
    let memory = slot.memory
    slot.cell = try memory.list(count: count, isWide: Element.columnShape.elementIsWide) { index in
      var element = ColumnSlot(memory)
      try self[index].write(into: &element)
      return element.cell ?? Cell(low: 0)
    }
  }
}
