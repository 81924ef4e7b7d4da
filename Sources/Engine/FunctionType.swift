import GQLBase
import GQLCatalog

/// The type of a parameter or of the result of a function that a program registers.
public indirect enum FunctionType: Sendable, Hashable {
  /// `.int` in Swift.
  case int
  /// `.double`.
  case float
  /// `.number` with the digits, or `.int`.
  case decimal
  /// `.string`.
  case string
  /// `.bool`.
  case boolean
  /// `.string`.
  case id
  /// `.string`, as answers write it: `2026-01-31T12:00:00Z`.
  case dateTime
  /// `.string`, as answers write it: `2026-01-31`.
  case date
  /// `.string`, as answers write it: `P1DT2H`.
  case duration
  /// `.string`.
  case uuid
  /// `.string` in base64.
  case bytes
  /// Any value.
  case json
  /// `.list`.
  case list(FunctionType)

  var valueType: ValueType {
    switch self {
    case .int: .int
    case .float: .float
    case .decimal: .decimal
    case .string: .string
    case .boolean: .boolean
    case .id: .id
    case .dateTime: .scalar(.dateTime)
    case .date: .scalar(.date)
    case .duration: .scalar(.duration)
    case .uuid: .scalar(.uuid)
    case .bytes: .scalar(.bytes)
    case .json: .json
    case .list(let element): .list(element.valueType)
    }
  }

  /// Whether lists stand within lists, which the language does not have.
  var isNested: Bool {
    if case .list(.list) = self { true } else { false }
  }
}

/// A Swift type that parameters and results of registered functions may have.
public protocol FunctionValue: Sendable {
  /// Gives the type in the language.
  static var functionType: FunctionType { get }
  /// Tells whether it takes nulls.
  static var takesNull: Bool { get }
  /// Nil if the value is none of this type; not called for others than ``functionType`` has.
  init?(functionValue: Value)
  /// The value as an answer has it.
  var functionValue: Value { get }
}

extension FunctionValue {
  /// False, but for optionals.
  public static var takesNull: Bool { false }
}

extension Int64: FunctionValue {
  /// `Int`.
  public static var functionType: FunctionType { .int }
  /// Nil if it is no integer.
  public init?(functionValue value: Value) {
    guard let number = value.int else { return nil }
    self = number
  }
  /// `.int`.
  public var functionValue: Value { .int(self) }
}

extension Int: FunctionValue {
  /// `Int`.
  public static var functionType: FunctionType { .int }
  /// Nil if it is no integer.
  public init?(functionValue value: Value) {
    guard let number = value.int.flatMap({ Int(exactly: $0) }) else { return nil }
    self = number
  }
  /// `.int`.
  public var functionValue: Value { .int(Int64(self)) }
}

extension Double: FunctionValue {
  /// `Float`.
  public static var functionType: FunctionType { .float }
  /// Nil if it is no number.
  public init?(functionValue value: Value) {
    guard let number = value.double else { return nil }
    self = number
  }
  /// `.double`.
  public var functionValue: Value { .double(self) }
}

extension String: FunctionValue {
  /// `String`.
  public static var functionType: FunctionType { .string }
  /// Nil if it is no text.
  public init?(functionValue value: Value) {
    guard let text = value.string else { return nil }
    self = text
  }
  /// `.string`.
  public var functionValue: Value { .string(self) }
}

extension Bool: FunctionValue {
  /// `Boolean`.
  public static var functionType: FunctionType { .boolean }
  /// Nil if it is no truth value.
  public init?(functionValue value: Value) {
    guard let truth = value.bool else { return nil }
    self = truth
  }
  /// `.bool`.
  public var functionValue: Value { .bool(self) }
}

extension Optional: FunctionValue where Wrapped: FunctionValue {
  /// Gives that of the wrapped type.
  public static var functionType: FunctionType { Wrapped.functionType }
  /// True.
  public static var takesNull: Bool { true }
  /// `nil` for null.
  public init?(functionValue value: Value) {
    if case .null = value {
      self = .none
      return
    }
    guard let wrapped = Wrapped(functionValue: value) else { return nil }
    self = .some(wrapped)
  }
  /// `.null` for `nil`.
  public var functionValue: Value { self?.functionValue ?? .null }
}

extension Array: FunctionValue where Element: FunctionValue {
  /// A list.
  public static var functionType: FunctionType { .list(Element.functionType) }
  /// Nil if it is no list of such elements.
  public init?(functionValue value: Value) {
    guard let elements = value.list else { return nil }
    var result: [Element] = []
    for element in elements {
      guard let element = Element(functionValue: element) else { return nil }
      result.append(element)
    }
    self = result
  }
  /// `.list`.
  public var functionValue: Value { .list(map(\.functionValue)) }
}
