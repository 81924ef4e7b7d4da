#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
// Not its numbers: a Decimal here is Foundation's.
import enum GQLBase.CivilTime
import protocol GQLBase.PartEncoder
import struct GQLBase.PartKey

extension Value {
  /// Encodes any `Encodable`: a struct becomes an object with the names of its `CodingKeys`, an array a list.
  ///
  /// A `Date` becomes a `DateTime` (RFC 3339), `Data` base64, a `UUID` its text in lower case, a `URL` its absolute text,
  /// a `Duration` a `Duration` (`PT1.5S`), a `Decimal` and any integer the exact number. An optional property without a value
  /// is left out, as the compiler's `encode(to:)` does it.
  ///
  /// ```swift
  /// struct Person: Encodable { var id: Int; var name: String; var birthday: Date? }
  /// let value = try Value(encoding: Person(id: 1, name: "Ada"))
  /// ```
  ///
  /// - Throws: ``QueryError`` with the code `unencodable-value` and the path of the value that failed: a number that is
  ///   not finite, a date outside of the years 1 to 9999, more than 200 levels, or an error of the type's own `encode(to:)`.
  public init(encoding value: some Encodable) throws(QueryError) {
    do {
      self = try ValueEncoder.encode(value)
    } catch {
      throw QueryError(unencodable: error)
    }
  }

  /// Encodes the variables of an operation: a struct with a property for each, or a dictionary by their names.
  package static func variables(encoding value: some Encodable) throws(QueryError) -> [String: Value] {
    if let values = value as? [String: Value] { return values }
    guard case .object(let members) = try Value(encoding: value) else {
      throw QueryError(
        code: DocumentProblem.unencodableValue.code, "a \(type(of: value)) has no names for variables",
        help: "pass a struct with a property for each variable, or a dictionary")
    }
    return Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
  }
}

extension Value {
  /// Reads JSON text in UTF-8; see ``init(json:)-([UInt8])``.
  ///
  /// - Throws: ``QueryError`` with the place of what is not JSON.
  public init(json data: Data) throws(QueryError) {
    try self.init(json: Array(data))
  }
}

extension QueryError {
  /// Says of an error that an encoding threw where it was.
  fileprivate init(unencodable error: any Error) {
    let message: String
    var path: [any CodingKey] = []
    if case EncodingError.invalidValue(_, let context)? = error as? EncodingError {
      // The value itself is not printed: describing a Date that is not finite stops the process.
      message = context.debugDescription
      path = context.codingPath
    } else {
      message = "\(error)"
    }
    var place = ""
    for key in path {
      if let index = key.intValue {
        place += "[\(index)]"
      } else {
        place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    self.init(
      code: DocumentProblem.unencodableValue.code,
      place.isEmpty ? "the value cannot be encoded: \(message)" : "'\(place)' cannot be encoded: \(message)")
  }
}

/// An encoder of ``Value``.
///
/// It differs from `JSONEncoder` in what the language has a type for: see ``Value/init(encoding:)``.
final class ValueEncoder: PartEncoder {
  /// The levels of a value, so that encoding it fits the stack of any thread, and one that holds itself ends.
  static let maximumDepth = 200

  let codingPath: [any CodingKey]
  /// Counts the values that it is within, be they at one place.
  private let depth: Int
  private var content = Content.nothing
  /// The places of an object's members by their names.
  private var places: [String: Int] = [:]
  /// Containers cannot fail when they are made.
  private var problem: (any Error)?

  private enum Content {
    case nothing
    case single(Value)
    case members([(name: String, part: Part)])
    case elements([Part])
  }
  /// A part of a value, or an encoder that may still be written to.
  private enum Part {
    case value(Value)
    case later(ValueEncoder)
  }

  private init(_ codingPath: [any CodingKey], depth: Int) {
    self.codingPath = codingPath
    self.depth = depth
  }

  private static let tooDeep = "there are more than \(maximumDepth) levels"

  static func encode<T: Encodable>(_ value: T, _ codingPath: [any CodingKey] = [], depth: Int = 0) throws -> Value {
    if let scalar = try scalar(value, codingPath) { return scalar }
    guard depth < maximumDepth else { throw unfit(value, tooDeep, codingPath) }
    let encoder = ValueEncoder(codingPath, depth: depth)
    try value.encode(to: encoder)
    let result = try encoder.result()
    // A dictionary has no order of its own: the same one is always written the same way.
    guard value is any Unordered, case .object(let members) = result else { return result }
    return .object(members.sorted { $0.name < $1.name })
  }

  private func result() throws -> Value {
    if let problem { throw problem }
    switch content {
    // A type without properties encodes nothing.
    case .nothing: return .object([])
    case .single(let value): return value
    case .members(let members): return .object(try members.map { Value.Member($0.name, try Self.value($0.part)) })
    case .elements(let parts): return .list(try parts.map(Self.value))
    }
  }

  private static func value(_ part: Part) throws -> Value {
    switch part {
    case .value(let value): value
    case .later(let encoder): try encoder.result()
    }
  }

  /// Keeps the first problem for ``result()``.
  private func note(_ message: String) {
    let context = EncodingError.Context(codingPath: codingPath, debugDescription: message)
    problem = problem ?? EncodingError.invalidValue(codingPath, context)
  }

  private func encode(_ value: some Encodable, _ codingPath: [any CodingKey]) throws -> Value {
    try Self.encode(value, codingPath, depth: depth + 1)
  }

  // MARK: - Parts

  func beginObject() {
    switch content {
    case .nothing: content = .members([])
    case .members: break
    case .single, .elements: note("it encodes an object and something else")
    }
  }

  func set(_ value: some Encodable, for key: any CodingKey) throws {
    set(.value(try encode(value, codingPath + [key])), for: key)
  }

  func setNull(for key: any CodingKey) { set(.value(.null), for: key) }

  func omit(_ key: any CodingKey) {}

  func member(_ key: any CodingKey) -> ValueEncoder { later(key) { set($0, for: key) } }

  var inherited: any Encoder { member(PartKey(stringValue: "super")) }

  private func set(_ part: Part, for key: any CodingKey) {
    guard case .members(var members) = content else { return }
    // The array is changed in place.
    content = .nothing
    if let place = places[key.stringValue] {
      members[place].part = part
    } else {
      places[key.stringValue] = members.count
      members.append((key.stringValue, part))
    }
    content = .members(members)
  }

  func beginList() {
    switch content {
    case .nothing: content = .elements([])
    case .elements: break
    case .single, .members: note("it encodes a list and something else")
    }
  }

  var count: Int { if case .elements(let parts) = content { parts.count } else { 0 } }

  func append(_ value: some Encodable) throws {
    append(.value(try encode(value, codingPath + [PartKey(intValue: count)])))
  }

  func appendNull() { append(.value(.null)) }

  func element() -> ValueEncoder { later(PartKey(intValue: count)) { append($0) } }

  private func append(_ part: Part) {
    guard case .elements(var parts) = content else { return }
    content = .nothing
    parts.append(part)
    content = .elements(parts)
  }

  /// An encoder for a part. Below the last level it belongs to no value, so that a chain of them takes no memory.
  private func later(_ key: any CodingKey, _ add: (Part) -> Void) -> ValueEncoder {
    guard depth < Self.maximumDepth else {
      note(Self.tooDeep)
      return ValueEncoder(codingPath, depth: depth)
    }
    let encoder = ValueEncoder(codingPath + [key], depth: depth + 1)
    add(.later(encoder))
    return encoder
  }

  func put(_ value: some Encodable) throws { put(single: try encode(value, codingPath)) }

  func putNull() { put(single: .null) }

  private func put(single value: Value) {
    guard case .nothing = content else { return note("it encodes a value and something else") }
    content = .single(value)
  }
}

// MARK: - Scalars

extension ValueEncoder {
  /// The value of a type that is written in a form of its own; nil for one that encodes itself.
  private static func scalar(_ value: Any, _ codingPath: [any CodingKey]) throws -> Value? {
    switch value {
    case let value as Value: value
    case let value as String: .string(value)
    case let value as Bool: .bool(value)
    case let value as Double: try number(value, "\(value)", codingPath)
    case let value as Float: try number(Double(value), "\(value)", codingPath)
    case let value as any FixedWidthInteger & Encodable: integer(value)
    case let value as Date: try date(value, codingPath)
    case let value as Data: .string(value.base64EncodedString())
    case let value as UUID: .string(value.uuidString.lowercased())
    case let value as URL: .string(value.absoluteString)
    case let value as Decimal: try decimal(value, codingPath)
    case let value as Duration: try duration(value, codingPath)
    default: nil
    }
  }

  private static func integer(_ value: some FixedWidthInteger) -> Value {
    Int64(exactly: value).map { .int($0) } ?? .number(String(value))
  }

  /// The shortest digits that are the number, of whichever precision it is.
  private static func number(_ value: Double, _ digits: String, _ codingPath: [any CodingKey]) throws -> Value {
    guard value.isFinite else { throw unfit(value, "\(digits) is no finite number", codingPath) }
    return .double(Double(digits) ?? value)
  }

  private static func decimal(_ value: Decimal, _ codingPath: [any CodingKey]) throws -> Value {
    guard value.isFinite else { throw unfit(value, "\(value) is no finite number", codingPath) }
    let digits = value.description
    return Int64(digits).map { .int($0) } ?? .number(digits)
  }

  private static func date(_ value: Date, _ codingPath: [any CodingKey]) throws -> Value {
    guard let microseconds = CivilTime.dateTime(sinceReference: value.timeIntervalSinceReferenceDate),
      let result = Value.dateTime(microseconds)
    else { throw unfit(value, "the date is not within the years 1 to 9999", codingPath) }
    return result
  }

  private static func duration(_ value: Duration, _ codingPath: [any CodingKey]) throws -> Value {
    guard let microseconds = CivilTime.microseconds(of: value) else {
      throw unfit(value, "the duration is too long", codingPath)
    }
    return .duration(microseconds)
  }

  private static func unfit(_ value: Any, _ message: String, _ codingPath: [any CodingKey]) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: codingPath, debugDescription: message))
  }
}

/// A type whose members have no order.
private protocol Unordered {}
extension Dictionary: Unordered {}
