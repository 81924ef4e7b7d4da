import Foundation

/// A `Codable` value within entities whose properties are coded as they are, each under its key: an address, say.
///
/// `@EmbeddedModel` writes ``describe(_:)`` and the coding that makes it true; both can be written by hand. In a database
/// whose schema was given as text such values lie in columns, and conditions and orders on what is described go to the
/// planner. Of other `Codable` values nothing but coding them tells what they hold, so that these are looked at in Swift.
///
/// `SendableMetatype`, so that in a module whose default isolation is an actor's they belong to none, as models do.
public protocol EmbeddedModelProtocol: Codable, SendableMetatype {
  /// Names the properties that are coded as they are.
  static func describe(_ model: inout EmbeddedDescription<Self>)
}

/// A list of what a value within entities consists of: what ``EmbeddedModelProtocol/describe(_:)`` fills in.
public struct EmbeddedDescription<Object: EmbeddedModelProtocol> {
  var fields: [EmbeddedField] = []

  /// A property that is encoded under a key, and decoded from it, as it is.
  ///
  /// - Parameters:
  ///   - path: `\.city`.
  ///   - optional: The same where the value may be missing, `\.?.city`.
  public mutating func field<Value>(
    _ key: some CodingKey, _ path: KeyPath<Object, Value> & Sendable,
    _ optional: KeyPath<Object?, Value?> & Sendable
  ) {
    fields.append(EmbeddedField(key.stringValue, path, optional, Value.self))
  }

  /// A property that is encoded under a key, and decoded from it, as it is.
  ///
  /// - Parameters:
  ///   - path: `\.zip`.
  ///   - optional: The same where the value may be missing, `\.?.zip`.
  public mutating func field<Value>(
    _ key: some CodingKey, _ path: KeyPath<Object, Value?> & Sendable,
    _ optional: KeyPath<Object?, Value?> & Sendable
  ) {
    fields.append(EmbeddedField(key.stringValue, path, optional, Value?.self))
  }
}

/// A property of a value within entities.
struct EmbeddedField {
  enum Content {
    case value(_ColumnShape, codec: AnyObject?, comparesAsStored: Bool)
    case object(any EmbeddedModelProtocol.Type)
  }
  let key: String
  let type: Any.Type
  /// From the value, and from an optional of it.
  let path: AnyKeyPath
  let optionalPath: AnyKeyPath
  /// What may stand behind the path.
  let endings: [PathEnding]
  let isOptional: Bool
  /// Nil where only Swift knows what it holds.
  let content: Content?
  var isObject: Bool { if case .object = content { true } else { false } }

  init<Value>(_ key: String, _ path: AnyKeyPath, _ optionalPath: AnyKeyPath, _ type: Value.Type) {
    self.key = key
    self.type = type
    self.path = path
    self.optionalPath = optionalPath
    isOptional = type is any _OptionalValue.Type
    endings = PathEnding.endings(of: type)
    content = Self.content(type)
  }

  private static func content<Value>(_ type: Value.Type) -> Content? {
    if let stored = type as? any _ColumnValue.Type {
      return type is any StoredExactly.Type
        ? .value(stored._columnShape, codec: nil, comparesAsStored: true) : nil
    }
    if let object = embeddedType(type) { return .object(object) }
    // The protocol's name says what it does for optionals, too.
    if let optional = type as? any OptionalCase.Type { return optional.content }
    return (type as? any (RawRepresentable<String> & CaseIterable & Codable).Type)
      .flatMap { content(ofCase: $0, isNonNull: true) }
  }

  /// An enum's, if it is one of the schema language.
  fileprivate static func content<Case: RawRepresentable & CaseIterable & Codable>(
    ofCase type: Case.Type, isNonNull: Bool
  ) -> Content? where Case.RawValue == String {
    guard var shape = EnumRegistry.column(of: type)?.shape, isCodedByRawValue(type) else { return nil }
    shape.isNonNull = isNonNull
    return .value(shape, codec: EnumRegistry.column(of: type), comparesAsStored: type.isEqualByRawValue)
  }

  /// Whether the cases are coded as their raw values are, as they are unless their type does it in a way of its own.
  private static func isCodedByRawValue<Case: RawRepresentable & CaseIterable & Codable>(_ type: Case.Type) -> Bool
  where Case.RawValue == String {
    let (cases, encoder) = (Array(type.allCases), JSONEncoder())
    guard let coded = try? encoder.encode(cases), let raw = try? encoder.encode(cases.map(\.rawValue)), coded == raw,
      let decoded = try? JSONDecoder().decode([Case].self, from: coded)
    else { return false }
    return decoded.map(\.rawValue) == cases.map(\.rawValue)
  }
}

/// A type whose values are equal, and ordered, as what columns hold of them is, whoever has written it.
///
/// Text writes numbers that are no `Float`, letters that are none of a `URL`, and JSON that means the same in many ways. What
/// the program's own types make of a column nobody knows.
private protocol StoredExactly {}
extension Int: StoredExactly {}
extension Int64: StoredExactly {}
extension Int32: StoredExactly {}
extension Int16: StoredExactly {}
extension Int8: StoredExactly {}
extension UInt: StoredExactly {}
extension UInt64: StoredExactly {}
extension UInt32: StoredExactly {}
extension UInt16: StoredExactly {}
extension UInt8: StoredExactly {}
extension Double: StoredExactly {}
extension Bool: StoredExactly {}
extension String: StoredExactly {}
extension Substring: StoredExactly {}
extension Character: StoredExactly {}
extension UUID: StoredExactly {}
extension Data: StoredExactly {}
extension Decimal: StoredExactly {}
extension Date: StoredExactly {}
extension CalendarDate: StoredExactly {}
extension Duration: StoredExactly {}
extension Optional: StoredExactly where Wrapped: StoredExactly {}
extension Array: StoredExactly where Element: StoredExactly {}

/// An optional of an enum.
private protocol OptionalCase {
  static var content: EmbeddedField.Content? { get }
}
extension Optional: OptionalCase where Wrapped: RawRepresentable & CaseIterable & Codable, Wrapped.RawValue == String {
  fileprivate static var content: EmbeddedField.Content? {
    EmbeddedField.content(ofCase: Wrapped.self, isNonNull: false)
  }
}

/// An optional of a described value.
private protocol OptionalEmbedded {
  static var embedded: any EmbeddedModelProtocol.Type { get }
}
extension Optional: OptionalEmbedded where Wrapped: EmbeddedModelProtocol {
  fileprivate static var embedded: any EmbeddedModelProtocol.Type { Wrapped.self }
}

/// The described value that a type is, or is an optional of.
func embeddedType(_ type: Any.Type) -> (any EmbeddedModelProtocol.Type)? {
  (type as? any OptionalEmbedded.Type)?.embedded ?? type as? any EmbeddedModelProtocol.Type
}
