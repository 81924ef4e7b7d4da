import GQLBase
import GQLCatalog

/// A set of the kinds of values that a column or key has: what its type is made of.
///
/// A value of CSV is looked at as bytes, without an allocation.
struct ValueKinds: OptionSet {
  let rawValue: UInt16

  static let boolean = ValueKinds(rawValue: 1 << 0)
  /// A whole number that doubles hold as well: up to 2^53.
  static let integer = ValueKinds(rawValue: 1 << 1)
  /// Beyond 64 bits, of up to 36 digits.
  static let bigInteger = ValueKinds(rawValue: 1 << 2)
  /// With a fraction or an exponent, as Decimal holds it too.
  static let fraction = ValueKinds(rawValue: 1 << 3)
  /// A number that no type of the language holds.
  static let wildNumber = ValueKinds(rawValue: 1 << 4)
  static let date = ValueKinds(rawValue: 1 << 5)
  static let dateTime = ValueKinds(rawValue: 1 << 6)
  static let uuid = ValueKinds(rawValue: 1 << 7)
  static let text = ValueKinds(rawValue: 1 << 8)
  /// `NULL` or `NA` without quotes in CSV: no value among numbers, truth values and times, else a text.
  static let nullWord = ValueKinds(rawValue: 1 << 9)
  static let list = ValueKinds(rawValue: 1 << 10)
  static let object = ValueKinds(rawValue: 1 << 11)
  /// Beyond 2^53, of 64 bits: a double may hold a neighbor.
  static let longInteger = ValueKinds(rawValue: 1 << 12)
  /// With a fraction or an exponent, of more digits or places than Decimal holds.
  static let wideFraction = ValueKinds(rawValue: 1 << 13)

  static let numbers: ValueKinds = [.integer, .longInteger, .bigInteger, .fraction, .wideFraction]
  static let scalars: ValueKinds = [.numbers, .boolean, .wildNumber, .date, .dateTime, .uuid, .text, .nullWord]
  /// Holds what may be the values of an id, and of links to it.
  static let keys: ValueKinds = [.integer, .longInteger, .bigInteger, .date, .dateTime, .uuid, .text, .nullWord]

  /// Returns the narrowest scalar type that holds values of these kinds; nil where there is no value, or one that is no
  /// scalar.
  var scalar: String? {
    let others = subtracting(.nullWord)
    if others.isEmpty { return isEmpty ? nil : "String" }
    if !others.isSubset(of: .scalars) { return nil }
    switch others {
    case .boolean: return "Boolean"
    case .date: return "Date"
    case .dateTime: return "DateTime"
    case .uuid where self == .uuid: return "UUID"
    default: return others.number ?? "String"
    }
  }

  /// Returns the narrowest type of numbers that holds values of these kinds without a change; nil where there is none.
  private var number: String? {
    if isSubset(of: [.integer, .longInteger]) { return "Int" }
    guard isSubset(of: .numbers) else { return nil }
    if isDisjoint(with: [.longInteger, .bigInteger]) { return "Float" }
    return contains(.wideFraction) ? nil : "Decimal"
  }

  /// Returns whether values that JSON writes without quotes stand among texts.
  var isMixed: Bool {
    scalar == "String" && !isDisjoint(with: [.numbers, .boolean, .wildNumber])
  }

  /// Returns whether `NULL` and `NA` mean that there is no value.
  var hasNullWords: Bool { contains(.nullWord) && scalar != "String" }

  // MARK: - Detection

  /// Returns the kind of a cell of CSV that is not empty.
  static func ofCell(_ cell: UnsafeBufferPointer<UInt8>, isQuoted: Bool) -> ValueKinds {
    guard let first = cell.first else { return .text }
    switch first {
    case 0x30...0x39, 0x2D: return ofDigits(cell)
    case UInt8(ascii: "t"), UInt8(ascii: "T"), UInt8(ascii: "f"), UInt8(ascii: "F"):
      if !isQuoted, BooleanCodec.read(cell) != nil { return .boolean }
    case UInt8(ascii: "N"):
      if !isQuoted, CSVWords.isNull(cell) { return .nullWord }
    default: break
    }
    return ofText(cell)
  }

  /// Returns the kind of a cell that begins with a digit or a minus sign.
  private static func ofDigits(_ cell: UnsafeBufferPointer<UInt8>) -> ValueKinds {
    let start = cell[0] == 0x2D ? 1 : 0
    var end = start
    while end < cell.count, cell[end] >= 0x30, cell[end] <= 0x39 { end += 1 }
    let digits = end - start
    // `007` and `-` are texts.
    if digits == 0 || digits > 1 && cell[start] == 0x30 { return ofText(cell) }
    if end == cell.count { return digits < 16 ? .integer : ofInteger(cell, digits: digits) }
    if cell[end] == 0x2E || cell[end] | 0x20 == 0x65 {
      var scanner = JSONScanner(cell)
      if let number = try? scanner.scanNumber(), number.count == cell.count { return ofNumber(number) }
    }
    return ofText(cell)
  }

  private static func ofInteger(_ text: UnsafeBufferPointer<UInt8>, digits: Int) -> ValueKinds {
    if let number = Decimal.int64(text) { return ofInteger(number) }
    return digits <= Decimal.maximumDigits ? .bigInteger : .wildNumber
  }

  static func ofInteger(_ number: Int64) -> ValueKinds { number.magnitude <= 1 << 53 ? .integer : .longInteger }

  /// Returns the kind of a JSON number.
  static func ofNumber(_ number: JSONNumber) -> ValueKinds {
    if let integer = number.int64 { return ofInteger(integer) }
    if number.isInteger { return ofInteger(number.bytes, digits: number.count - (number.bytes.first == 0x2D ? 1 : 0)) }
    let hasExponent = number.bytes.contains { $0 | 0x20 == 0x65 }
    // So few digits without an exponent are within the range of doubles, and fewer yet are within that of Decimal.
    if !hasExponent, number.count <= Decimal.maximumDigits { return .fraction }
    guard !hasExponent && number.count <= 300 || number.double?.isFinite ?? false else { return .wildNumber }
    return Decimal(parsing: number.bytes) == nil ? .wideFraction : .fraction
  }

  /// Returns the kind of a text: by its form a time or a UUID, or else a text.
  static func ofText(_ text: UnsafeBufferPointer<UInt8>) -> ValueKinds {
    guard text.count >= 10, text.count <= 40 else { return .text }
    if text.count == 36, text[8] == 0x2D, let normal = UUIDText.normalize(text) {
      return normal.elementsEqual(text) ? .uuid : .text
    }
    guard text[0] >= 0x30, text[0] <= 0x39, text[4] == 0x2D else { return .text }
    if CivilTime.parseDate(text) != nil { return .date }
    return CivilTime.parseDateTime(text) != nil ? .dateTime : .text
  }
}
