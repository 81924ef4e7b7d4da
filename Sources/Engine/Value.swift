import GQLBase
import GQLCatalog

/// A value that goes into or comes out of the evaluator: a variable, an inserted field, a part of an answer.
///
/// It is JSON's model with exact numbers. A variable takes the type that it is declared with: a `.string` stands for
/// an id, a date, an enum value or a UUID where one is declared. Literals of Swift are values, and
/// ``init(encoding:)`` makes one of any `Encodable`.
///
/// ```swift
/// let value: Value = ["name": "Ada", "age": 36, "tags": ["math", nil]]
/// print(value["age"]?.int ?? 0)
/// ```
public enum Value: Sendable, Hashable {
  /// No value: JSON's `null`, a field that is null, a variable that is given as null.
  case null
  /// `true` or `false`: a `Boolean`.
  case bool(Bool)
  /// A whole number from -2^63 to 2^63 - 1: an `Int`, or an `ID` that is written as a number.
  case int(Int64)
  /// A number with a fraction or an exponent, of which `Double` prints the same digits: a `Float`. Where an `Int` is
  /// declared, a double without a fraction is accepted.
  case double(Double)
  /// The digits of a number that neither an `Int64` nor a `Double` prints as: a `Decimal` such as `1.50`, an integer
  /// beyond `Int64`, `-0`.
  case number(String)
  /// A text: a `String`, and each type that JSON writes as a text. These are `ID`, an enum's value, `DateTime`
  /// (`2026-01-31T12:00:00Z`), `Date` (`2026-01-31`), `Duration` (`PT1.5S`), `UUID`, and `Bytes` (base64).
  case string(String)
  /// Values in their order: a list field, a list of entities, a JSON array.
  case list([Value])
  /// Members in their order: an entity, an embedded object, an input object, a JSON object. A name may stand in it once;
  /// ``subscript(_:)-(String)`` finds the first.
  case object([Member])

  /// A named value within an object.
  public struct Member: Sendable, Hashable {
    /// The member's name.
    public var name: String
    /// The member's value.
    public var value: Value
    /// A member of an object.
    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// The member of an object; nil if this is no object or has no such member. Complexity: O(members).
  public subscript(_ name: String) -> Value? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The element of a list; nil if this is no list or the index is out of bounds.
  public subscript(_ index: Int) -> Value? {
    guard case .list(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The text, if this is a string.
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The number, if this is an integer.
  public var int: Int64? { if case .int(let number) = self { number } else { nil } }
  /// The number, if this is one; rounded to the nearest `Double`.
  public var double: Double? {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number
    case .number(let digits): Double(digits)
    default: nil
    }
  }
  /// The truth value, if this is one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements, if this is a list.
  public var list: [Value]? { if case .list(let elements) = self { elements } else { nil } }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `.null`.
  public init(nilLiteral: ()) { self = .null }
  /// `.bool`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// `.int`.
  public init(integerLiteral value: Int64) { self = .int(value) }
  /// `.double`.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// `.string`.
  public init(stringLiteral value: String) { self = .string(value) }
  /// `.list`.
  public init(arrayLiteral elements: Value...) { self = .list(elements) }
  /// `.object`, members in the order written.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

extension Value {
  /// Reads JSON text. Numbers that would print otherwise as `Int64` or `Double` keep their digits.
  ///
  /// - Throws: ``QueryError`` with the place of what is not JSON.
  public init(json utf8: [UInt8]) throws(QueryError) {
    try self.init(json: utf8, name: "JSON")
  }

  /// Reads JSON text; see ``init(json:)-([UInt8])``.
  ///
  /// - Throws: ``QueryError`` with the place of what is not JSON.
  public init(json text: String) throws(QueryError) {
    try self.init(json: Array(text.utf8))
  }

  /// The value of a JSON tree.
  init(_ json: JSONValue) {
    switch json {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let digits): self = Value(digits: digits.string)
    case .string(let text): self = .string(text.string)
    case .array(let elements): self = .list(elements.map(Value.init))
    case .object(let members): self = .object(members.map { Member($0.key.string, Value($0.value)) })
    }
  }

  private init(digits: String) {
    if let integer = Int64(digits), digits.utf8.first != UInt8(ascii: "-") || integer != 0 {
      self = .int(integer)
    } else if let number = Double(digits), number.isFinite, number != 0, Self.printed(number) == digits {
      self = .double(number)
    } else {
      self = .number(digits)
    }
  }

  /// A number as answers print it.
  static func printed(_ number: Double) -> String {
    var buffer = ByteBuffer(capacity: 32)
    buffer.append(double: number)
    return String(decoding: buffer.takeArray(), as: UTF8.self)
  }

  /// The value as a JSON tree, numbers by their digits.
  package var json: JSONValue {
    switch self {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .int(let value): return .number(Text(String(value)))
    case .double(let value):
      return value.isFinite ? .number(Text(Self.printed(value))) : .null
    case .number(let digits): return .number(Text(digits))
    case .string(let text): return .string(Text(text))
    case .list(let elements): return .array(elements.map(\.json))
    case .object(let members): return .object(members.map { JSONValue.Member(Text($0.name), $0.value.json) })
    }
  }
}
