import GQLCatalog
import GQLStore
import GQLWriting

/// A form of values of one type in single cells, where no entity type is known to the program.
///
/// Unchecked because codecs are immutable.
package final class CellCodec<Value: Codable>: @unchecked Sendable {
  private let codec: ValueCodec<Value>
  private let kind: ColumnKind
  private let isInstant: Bool
  /// The type of the columns that hold such values, nullability aside.
  package let type: ValueType
  /// The type as a schema in text has it, nullable.
  package let typeText: String
  /// The value that null is; nil for a type that has none.
  package let null: Value?
  /// Indicates whether reading a cell calls no code of the program.
  package let isBuiltIn: Bool

  /// Fails for a type without a column.
  package init?() {
    codec = ValueCodec<Value>.makePlain()
    guard var shape = codec.shape else { return nil }
    type = shape.valueType
    kind = ColumnKind(shape.valueType)
    isInstant = shape.valueType == .scalar(.dateTime)
    shape.isNonNull = false
    typeText = shape.text(shape.scalar.rawValue)
    null = (Value.self as? any ExpressibleByNilLiteral.Type).flatMap { $0.init(nilLiteral: ()) as? Value }
    isBuiltIn = codec is any PlainCodec
  }

  /// Reads a cell of a row; nil for null.
  @inline(__always)
  package func read(_ column: ColumnID, _ row: UInt32, in readers: UnsafePointer<ColumnReader>) throws -> Value? {
    let source = EntitySource(readers, row, nil, nil)
    let number = Int(column.index)
    let cell = isInstant ? source.fineCell(number) : source.cell(number, kind)
    return cell.isNull ? nil : try codec.read(cell)
  }

  /// Returns the cell of a value, which lies in the memory; nil for null.
  package func cell(of value: Value, in memory: StagingArena) throws -> Cell? {
    var slot = _ColumnSlot(memory)
    try codec.write(value, into: &slot)
    return slot.cell
  }
}
