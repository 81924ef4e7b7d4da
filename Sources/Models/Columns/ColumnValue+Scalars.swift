import GQLCatalog
import GQLStore

extension _ColumnScalar where Self: FixedWidthInteger {
  /// `Int`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.int) }

  /// Fails if another program has put a number there that is too large for the type.
  public init(_cell cell: _ColumnCell) throws {
    guard let value = Self(exactly: cell.int) else {
      throw ModelError.unreadable("\(cell.int) is no \(Self.self)")
    }
    self = value
  }

  /// Fails for what is larger than `Int64.max`.
  public func _write(into slot: inout _ColumnSlot) throws {
    guard let value = Int64(exactly: self) else { throw ModelError.integerTooLarge("\(self)") }
    slot.cell = Cell(value)
  }
}

extension Int: _ColumnScalar {
  /// The number.
  @inline(__always) public init(_cell cell: _ColumnCell) throws { self = Int(truncatingIfNeeded: cell.int) }
  /// The number.
  @inline(__always) public func _write(into slot: inout _ColumnSlot) throws { slot.cell = Cell(Int64(self)) }
}
extension Int64: _ColumnScalar {}
extension Int32: _ColumnScalar {}
extension Int16: _ColumnScalar {}
extension Int8: _ColumnScalar {}
extension UInt: _ColumnScalar {}
extension UInt64: _ColumnScalar {}
extension UInt32: _ColumnScalar {}
extension UInt16: _ColumnScalar {}
extension UInt8: _ColumnScalar {}

extension Double: _ColumnScalar {
  /// `Float`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.float) }
  /// The number.
  public init(_cell cell: _ColumnCell) throws { self = cell.double }
  /// The number; negative zero as zero. Fails for infinities and for what is no number.
  public func _write(into slot: inout _ColumnSlot) throws { slot.cell = try Cell(finite: self, "\(self)") }
}

extension Float: _ColumnScalar {
  /// `Float`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.float) }
  /// The number, rounded to this type if another program has put it there.
  public init(_cell cell: _ColumnCell) throws { self = Float(cell.double) }
  /// The number; negative zero as zero. Fails for infinities and for what is no number.
  public func _write(into slot: inout _ColumnSlot) throws { slot.cell = try Cell(finite: Double(self), "\(self)") }
}

extension Cell {
  /// A number; negative zero as zero.
  @inline(__always)
  fileprivate init(finite number: Double, _ words: @autoclosure () -> String) throws {
    guard let number = FloatCodec.read(real: number) else { throw ModelError.numberNotFinite(words()) }
    self.init(number)
  }
}

extension Bool: _ColumnScalar {
  /// `Boolean`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.boolean) }
  /// The truth value.
  public init(_cell cell: _ColumnCell) throws { self = cell.cell.low & 1 != 0 }
  /// The truth value.
  public func _write(into slot: inout _ColumnSlot) throws { slot.cell = Cell(low: self ? 1 : 0) }
}

extension String: _ColumnScalar {
  /// `String`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.string) }
  /// The text.
  public init(_cell cell: _ColumnCell) throws { self = cell.string }
  /// The text's UTF-8.
  public func _write(into slot: inout _ColumnSlot) throws { try slot.set(self) }
}

extension Substring: _ColumnScalar {
  /// `String`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.string) }
  /// The text.
  public init(_cell cell: _ColumnCell) throws { self = Substring(cell.string) }
  /// The text's UTF-8.
  public func _write(into slot: inout _ColumnSlot) throws { try slot.set(String(self)) }
}

extension Character: _ColumnScalar {
  /// `String`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.string) }
  /// Fails if another program has put something else than one character there.
  public init(_cell cell: _ColumnCell) throws {
    let text = cell.string
    guard let first = text.first, text.count == 1 else { throw ModelError.unreadable("'\(text)' is no Character") }
    self = first
  }
  /// The character's UTF-8.
  public func _write(into slot: inout _ColumnSlot) throws { try slot.set(String(self)) }
}
