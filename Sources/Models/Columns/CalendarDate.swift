import GQLBase
import GQLCatalog
import GQLStore

/// A day of the calendar, without a time: `Date` in the schema language.
public struct CalendarDate: Sendable, Hashable, Comparable {
  /// Days since 1970.
  private let days: Int64

  /// A day of the Gregorian calendar; nil if there is none such in the years from 1 to 9999.
  public init?(year: Int, month: Int, day: Int) {
    guard let days = CivilTime.days(year: year, month: month, day: day) else { return nil }
    self.days = days
  }

  /// The year.
  public var year: Int { CivilTime.components(ofDate: days).year }
  /// The month, from 1.
  public var month: Int { CivilTime.components(ofDate: days).month }
  /// The day of the month, from 1.
  public var day: Int { CivilTime.components(ofDate: days).day }

  /// The earlier day is less.
  public static func < (left: Self, right: Self) -> Bool { left.days < right.days }
}

extension CalendarDate: LosslessStringConvertible {
  /// Reads `2024-05-01`.
  public init?(_ description: String) {
    var text = description
    guard let days = text.withUTF8({ CivilTime.parseDate($0) }) else { return nil }
    self.days = days
  }

  /// `2024-05-01`.
  public var description: String {
    var buffer = ByteBuffer()
    // As JSON, between quotes.
    buffer.append(date: days)
    return String(buffer.string.dropFirst().dropLast())
  }
}

extension CalendarDate: Codable {
  /// Reads the text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let date = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no day")
    }
    self = date
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension CalendarDate: _ColumnScalar {
  /// `Date`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.date) }
  /// The day.
  public init(_cell cell: _ColumnCell) throws { days = cell.int }
  /// The day.
  public func _write(into slot: inout _ColumnSlot) throws { slot.cell = Cell(days) }
}

extension Duration: _ColumnScalar {
  /// `Duration`.
  public static var _columnShape: _ColumnShape { _ColumnShape(.duration) }
  /// The time, which has whole microseconds.
  public init(_cell cell: _ColumnCell) throws { self = .microseconds(cell.int) }

  /// The time in microseconds, without what is finer. Fails for what is longer than 292,000 years.
  public func _write(into slot: inout _ColumnSlot) throws {
    guard let microseconds = CivilTime.microseconds(of: self) else {
      throw ModelError.unwritable("Duration", "\(components.seconds) seconds are too long")
    }
    slot.cell = Cell(microseconds)
  }
}
