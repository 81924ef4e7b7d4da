import GQLCatalog
import GQLStore

extension ColumnScalar where Self: FixedWidthInteger {
  /// `Int`.
  public static var columnShape: ColumnShape { ColumnShape(.int) }

  /// Fails if another program has put a number there that is too large for the type.
  public init(cell: ColumnCell) throws {
    guard let value = Self(exactly: cell.int) else {
      throw ModelError.unreadable("\(cell.int) is no \(Self.self)")
    }
    self = value
  }

  /// Fails for what is larger than `Int64.max`.
  public func write(into slot: inout ColumnSlot) throws {
    guard let value = Int64(exactly: self) else { throw ModelError.integerTooLarge("\(self)") }
    slot.cell = Cell(value)
  }
}

extension Int: ColumnScalar {
  /// The number.
  @inline(__always) public init(cell: ColumnCell) throws { self = Int(truncatingIfNeeded: cell.int) }
  /// The number.
  @inline(__always) public func write(into slot: inout ColumnSlot) throws { slot.cell = Cell(Int64(self)) }
}
extension Int64: ColumnScalar {}
extension Int32: ColumnScalar {}
extension Int16: ColumnScalar {}
extension Int8: ColumnScalar {}
extension UInt: ColumnScalar {}
extension UInt64: ColumnScalar {}
extension UInt32: ColumnScalar {}
extension UInt16: ColumnScalar {}
extension UInt8: ColumnScalar {}

extension Double: ColumnScalar {
  /// `Float`.
  public static var columnShape: ColumnShape { ColumnShape(.float) }
  /// The number.
  public init(cell: ColumnCell) throws { self = cell.double }
  /// The number; negative zero as zero. Fails for infinities and for what is no number.
  public func write(into slot: inout ColumnSlot) throws { slot.cell = try Cell(finite: self, "\(self)") }
}

extension Float: ColumnScalar {
  /// `Float`.
  public static var columnShape: ColumnShape { ColumnShape(.float) }
  /// The number, rounded to this type if another program has put it there.
  public init(cell: ColumnCell) throws { self = Float(cell.double) }
  /// The number; negative zero as zero. Fails for infinities and for what is no number.
  public func write(into slot: inout ColumnSlot) throws { slot.cell = try Cell(finite: Double(self), "\(self)") }
}

extension Cell {
  /// A number; negative zero as zero.
  @inline(__always)
  fileprivate init(finite number: Double, _ words: @autoclosure () -> String) throws {
    guard let number = FloatCodec.read(real: number) else { throw ModelError.numberNotFinite(words()) }
    self.init(number)
  }
}

extension Bool: ColumnScalar {
  /// `Boolean`.
  public static var columnShape: ColumnShape { ColumnShape(.boolean) }
  /// The truth value.
  public init(cell: ColumnCell) throws { self = cell.cell.low & 1 != 0 }
  /// The truth value.
  public func write(into slot: inout ColumnSlot) throws { slot.cell = Cell(low: self ? 1 : 0) }
}

extension String: ColumnScalar {
  /// `String`.
  public static var columnShape: ColumnShape { ColumnShape(.string) }
  /// The text.
  public init(cell: ColumnCell) throws { self = cell.string }
  /// The text's UTF-8.
  public func write(into slot: inout ColumnSlot) throws { try slot.set(self) }
}

extension Substring: ColumnScalar {
  /// `String`.
  public static var columnShape: ColumnShape { ColumnShape(.string) }
  /// The text.
  public init(cell: ColumnCell) throws { self = Substring(cell.string) }
  /// The text's UTF-8.
  public func write(into slot: inout ColumnSlot) throws { try slot.set(String(self)) }
}

extension Character: ColumnScalar {
  /// `String`.
  public static var columnShape: ColumnShape { ColumnShape(.string) }
  /// Fails if another program has put something else than one character there.
  public init(cell: ColumnCell) throws {
    let text = cell.string
    guard let first = text.first, text.count == 1 else { throw ModelError.unreadable("'\(text)' is no Character") }
    self = first
  }
  /// The character's UTF-8.
  public func write(into slot: inout ColumnSlot) throws { try slot.set(String(self)) }
}
