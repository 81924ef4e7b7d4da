import Foundation

/// Whether types that columns hold by something else, a raw value or a description, are equal just where that is.
///
/// Nothing tells of a type what its `==` does. So it is tried: with values that an equality of the program's own is likely
/// to take for the same, as texts but for their case, or numbers that are near each other.
enum OwnEquality {
  private static let known = Guarded<[ObjectIdentifier: Bool]>([:])

  /// Whether two of the values are equal though what columns hold of them is not.
  static func joins<Stored: Equatable, Value>(_ values: [(stored: Stored, value: Value)]) -> Bool {
    func joins<Known: Equatable>(_ type: Known.Type) -> Bool {
      let values = values.compactMap { stored, value in (value as? Known).map { (stored, $0) } }
      return values.indices.contains { first in
        values[..<first].contains { $0.1 == values[first].1 && $0.0 != values[first].0 }
      }
    }
    // What is not Equatable is compared by nobody.
    guard let type = Value.self as? any Equatable.Type else { return false }
    return joins(type)
  }

  /// Whether a value has another hash than what columns hold of it. Equal values have equal hashes, so a type whose
  /// equality is its own has a hash of its own.
  static func hashesApart<Stored, Value>(_ values: [(stored: Stored, value: Value)]) -> Bool {
    values.contains { stored, value in
      guard let stored = stored as? any Hashable, let value = value as? any Hashable else { return false }
      return stored.hashValue != value.hashValue
    }
  }

  /// What is known of a type, or is found out now.
  fileprivate static func known(_ type: Any.Type, _ find: () -> Bool) -> Bool {
    let key = ObjectIdentifier(type)
    if let known = known.withLock({ $0[key] }) { return known }
    // Not under the lock, because the type is the program's.
    let found = find()
    known.withLock { $0[key] = found }
    return found
  }

  /// Values of a type that columns have, to try others with.
  fileprivate static func samples<Sample>(_ type: Sample.Type) -> [Sample] {
    if let type = type as? any FixedWidthInteger.Type { return integers(type).compactMap { $0 as? Sample } }
    if let type = type as? any BinaryFloatingPoint.Type { return numbers(type).compactMap { $0 as? Sample } }
    switch type {
    case is String.Type, is Substring.Type: return texts.compactMap { $0 as? Sample ?? Substring($0) as? Sample }
    case is Character.Type: return texts.compactMap { $0.count == 1 ? Character($0) as? Sample : nil }
    case is Bool.Type: return [false, true].compactMap { $0 as? Sample }
    case is Date.Type: return seconds.compactMap { Date(timeIntervalSince1970: $0) as? Sample }
    case is Foundation.Decimal.Type: return hundredths.compactMap { Foundation.Decimal($0) / 100 as? Sample }
    case is URL.Type: return texts.compactMap { URL(string: $0) as? Sample }
    case is Data.Type: return texts.compactMap { Data($0.utf8) as? Sample }
    default: return []
    }
  }

  private static func integers<Integer: FixedWidthInteger>(_ type: Integer.Type) -> [Integer] {
    let numbers = Array(-2...12) + [24, 60, 99, 100, 101, 127, 255, 256, 257, 359, 360, 361, 1000, 65_536, 1_000_000]
    return numbers.compactMap { Integer(exactly: $0) } + [.min, .max]
  }

  private static func numbers<Number: BinaryFloatingPoint>(_ type: Number.Type) -> [Number] {
    (hundredths.map { Double($0) / 100 } + [1e-12, 1e-9, 1e-6, 1 + 1e-9, 1 + 1e-6, 1e9, 1e9 + 1]).map { Number($0) }
  }

  private static var hundredths: [Int] { [-100, 0, 1, 100, 101, 110, 140, 160, 200, 10_000, 36_000, 36_100] }
  private static var seconds: [Double] { [0, 0.001, 0.4, 1, 1.5, 59, 60, 3600, 86_400, 86_401, 31_536_000] }

  /// Alike but for case, spaces, diacritics, digits, punctuation, ends. None are canonically equivalent, which Swift takes
  /// for the same itself.
  private static var texts: [String] {
    [
      "", " ", "a", "A", "b", "á", "ä", "ae", "ß", "ss", "SS", " a", "a ", "a-b", "a_b", "a.b", "ab", "AB", "Ab", "a b",
      "0", "1", "01", "1.0", "+1", "12", "#12", "abc", "ABC", "aBc", "abd", "ﬁ", "fi", "１", "e", "é",
      "a@b.org", "A@b.org", "a@B.org", "a+c@b.org", "http://a.org", "http://a.org/", "HTTP://a.org", "de-DE", "de_DE",
      "de",
      "0f0e0d0c-0b0a-0908-0706-050403020100", "0F0E0D0C-0B0A-0908-0706-050403020100", "12345678901", "+1 234 567 8901",
      "1234-5678-901", String(repeating: "a", count: 40), String(repeating: "a", count: 41),
    ]
  }
}

extension RawRepresentable {
  /// Whether values are equal just where their raw values are.
  static var isEqualByRawValue: Bool {
    OwnEquality.known(Self.self) {
      var values = OwnEquality.samples(RawValue.self).compactMap { Self(rawValue: $0) }
      if let type = Self.self as? any CaseIterable.Type {
        func cases<Enum: CaseIterable>(_ type: Enum.Type) -> [Self] {
          Enum.allCases.prefix(100).compactMap { $0 as? Self }
        }
        values += cases(type)
      }
      func joins<Raw: Equatable>(_ type: Raw.Type) -> Bool {
        OwnEquality.joins(values.compactMap { value in (value.rawValue as? Raw).map { ($0, value) } })
      }
      if let type = RawValue.self as? any Equatable.Type, joins(type) { return false }
      return !OwnEquality.hashesApart(values.map { ($0.rawValue, $0) })
    }
  }
}

extension LosslessStringConvertible {
  /// Whether values are equal just where their descriptions are.
  static var isEqualByDescription: Bool {
    OwnEquality.known(Self.self) {
      !OwnEquality.joins(OwnEquality.samples(String.self).compactMap { Self($0) }.map { ($0.description, $0) })
    }
  }
}
