import Foundation
import GQLBase
import GQLCatalog
import GQLStore

extension UUID: _ColumnScalar {
  /// `UUID`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.uuid) }

  /// Reads the canonical text.
  public init(_cell cell: _ColumnCell) throws {
    guard let value = UUID(uuidString: cell.string) else { throw ModelError.unreadable("'\(cell.string)' is no UUID") }
    self = value
  }

  /// Writes the canonical text, in lower case.
  public func _write(into slot: inout _ColumnSlot) throws { try slot.set(uuidString.lowercased()) }
}

extension URL: _ColumnScalar {
  /// `String`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.string) }

  /// Fails if another program has put something else there.
  public init(_cell cell: _ColumnCell) throws {
    guard let value = URL(string: cell.string) else { throw ModelError.unreadable("'\(cell.string)' is no URL") }
    self = value
  }

  /// Writes the absolute text.
  public func _write(into slot: inout _ColumnSlot) throws { try slot.set(absoluteString) }
}

extension Data: _ColumnScalar {
  /// `Bytes`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.bytes) }
  /// The bytes.
  public init(_cell cell: _ColumnCell) throws { self = cell.withBytes { Data($0) } }
  /// The bytes.
  public func _write(into slot: inout _ColumnSlot) throws { try withUnsafeBytes { try slot.set($0) } }
}

extension Foundation.Decimal: _ColumnScalar {
  /// `Decimal`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.decimal) }

  /// The number.
  public init(_cell cell: _ColumnCell) throws {
    let text = cell.cell.decimal.description
    guard let value = Foundation.Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
      throw ModelError.unreadable("\(text) is no Decimal")
    }
    self = value
  }

  /// Fails for what is not a number, or has more than 36 digits.
  public func _write(into slot: inout _ColumnSlot) throws {
    guard !isNaN, let value = GQLBase.Decimal(parsing: description) else {
      throw ModelError.numberTooFine(description)
    }
    slot.cell = Cell(value)
  }
}

extension Date: _ColumnScalar {
  /// `DateTime`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.dateTime) }

  /// The instant, to the bit.
  @inline(__always)
  public init(_cell cell: _ColumnCell) throws {
    self.init(microseconds: cell.int)
    if cell.cell.high != 0 { self = refined(by: cell.cell.finer) }
  }

  /// The instant in microseconds, and how far it is from what these alone give.
  public func _write(into slot: inout _ColumnSlot) throws {
    let microseconds = try microseconds()
    slot.cell = Cell(
      low: UInt64(bitPattern: microseconds), high: UInt64(bitPattern: finer(than: Date(microseconds: microseconds))))
  }

  /// The date that `Date(timeIntervalSince1970:)` makes of as many microseconds.
  init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1e6) }

  /// What is added to the microseconds of a value; 0 for what is no date, or none that a column can hold.
  static func finer(of value: Any) -> Int64 {
    if let raw = value as? any RawRepresentable { return finer(of: raw.rawValue) }
    if let descending = value as? _Descending<Date> { return finer(of: descending.value) }
    guard let date = value as? Date, let microseconds = try? date.microseconds() else { return 0 }
    return date.finer(than: Date(microseconds: microseconds))
  }

  /// A date's place among all dates: neighbors differ by one, and equal dates have one place.
  private var place: Int64 {
    let bits = Int64(bitPattern: timeIntervalSinceReferenceDate.bitPattern)
    return bits < 0 ? Int64.min &- bits : bits
  }

  /// How many dates lie between another one and this.
  private func finer(than other: Date) -> Int64 { place &- other.place }

  @inline(never)
  private func refined(by finer: Int64) -> Date {
    let place = place &+ finer
    return Date(
      timeIntervalSinceReferenceDate: Double(bitPattern: UInt64(bitPattern: place < 0 ? Int64.min &- place : place)))
  }

  func microseconds() throws -> Int64 {
    let interval = timeIntervalSinceReferenceDate
    guard let microseconds = CivilTime.dateTime(sinceReference: interval) else {
      throw ModelError.dateOutOfRange("\(interval)")
    }
    return microseconds
  }
}
