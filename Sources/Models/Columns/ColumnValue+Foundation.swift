import Foundation
import GQLBase
import GQLCatalog
import GQLStore

extension UUID: ColumnScalar {
  /// `UUID`.
  public static var columnShape: ColumnShape { ColumnShape(.uuid) }

  /// Reads the canonical text.
  public init(cell: ColumnCell) throws {
    guard let value = UUID(uuidString: cell.string) else { throw ModelError.unreadable("'\(cell.string)' is no UUID") }
    self = value
  }

  /// Writes the canonical text, in lower case.
  public func write(into slot: inout ColumnSlot) throws { try slot.set(uuidString.lowercased()) }
}

extension URL: ColumnScalar {
  /// `String`.
  public static var columnShape: ColumnShape { ColumnShape(.string) }

  /// Fails if another program has put something else there.
  public init(cell: ColumnCell) throws {
    guard let value = URL(string: cell.string) else { throw ModelError.unreadable("'\(cell.string)' is no URL") }
    self = value
  }

  /// Writes the absolute text.
  public func write(into slot: inout ColumnSlot) throws { try slot.set(absoluteString) }
}

extension Data: ColumnScalar {
  /// `Bytes`.
  public static var columnShape: ColumnShape { ColumnShape(.bytes) }
  /// The bytes.
  public init(cell: ColumnCell) throws { self = cell.withBytes { Data($0) } }
  /// The bytes.
  public func write(into slot: inout ColumnSlot) throws { try withUnsafeBytes { try slot.set($0) } }
}

extension Foundation.Decimal: ColumnScalar {
  /// `Decimal`.
  public static var columnShape: ColumnShape { ColumnShape(.decimal) }

  /// The number.
  public init(cell: ColumnCell) throws {
    let text = GQLBase.Decimal(packed: (cell.cell.low, cell.cell.high)).description
    guard let value = Foundation.Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
      throw ModelError.unreadable("\(text) is no Decimal")
    }
    self = value
  }

  /// Fails for what is not a number, or has more than 36 digits.
  public func write(into slot: inout ColumnSlot) throws {
    guard !isNaN, let value = GQLBase.Decimal(parsing: description) else {
      throw ModelError.numberTooFine(description)
    }
    let packed = value.packed
    slot.cell = Cell(low: packed.0, high: packed.1)
  }
}

extension Date: ColumnScalar {
  /// `DateTime`.
  public static var columnShape: ColumnShape { ColumnShape(.dateTime) }
  /// The instant, which has whole microseconds.
  public init(cell: ColumnCell) throws { self.init(microseconds: cell.int) }
  /// The instant, rounded to microseconds.
  public func write(into slot: inout ColumnSlot) throws { slot.cell = Cell(try microseconds()) }

  init(microseconds: Int64) {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(timeIntervalSinceReferenceDate: Double(seconds - Self.referenceSeconds) + Double(rest) / 1e6)
  }

  private static var referenceSeconds: Int64 { 978_307_200 }

  func microseconds() throws -> Int64 {
    let interval = timeIntervalSinceReferenceDate
    let whole = interval.rounded(.down)
    // The years from -9999 to 9999 and far beyond; what comes in ends as an Int64 of microseconds.
    guard abs(whole) < 4e12 else { throw ModelError.dateOutOfRange("\(interval)") }
    let fraction = ((interval - whole) * 1e6).rounded()
    return (Int64(whole) + Self.referenceSeconds) * 1_000_000 + Int64(fraction)
  }
}
