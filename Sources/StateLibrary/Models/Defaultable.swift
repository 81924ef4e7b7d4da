import Foundation

/// A type with a value that properties have when none was set.
public protocol Defaultable {
  /// The value.
  static var `default`: Self { get }
}

extension Defaultable where Self: AdditiveArithmetic {
  /// Zero.
  public static var `default`: Self { .zero }
}

extension Int: Defaultable {}
extension Int8: Defaultable {}
extension Int16: Defaultable {}
extension Int32: Defaultable {}
extension Int64: Defaultable {}
extension UInt: Defaultable {}
extension UInt8: Defaultable {}
extension UInt16: Defaultable {}
extension UInt32: Defaultable {}
extension UInt64: Defaultable {}
extension Double: Defaultable {}
extension Float: Defaultable {}
extension Decimal: Defaultable {}

extension Bool: Defaultable {
  /// False.
  public static var `default`: Bool { false }
}

extension String: Defaultable {
  /// The empty text.
  public static var `default`: String { "" }
}

extension Data: Defaultable {
  /// No bytes.
  public static var `default`: Data { Data() }
}

extension Optional: Defaultable {
  /// Nil.
  public static var `default`: Wrapped? { nil }
}

extension Array: Defaultable {
  /// The empty array.
  public static var `default`: [Element] { [] }
}

extension ContiguousArray: Defaultable {
  /// The empty array.
  public static var `default`: ContiguousArray<Element> { [] }
}

extension Set: Defaultable {
  /// The empty set.
  public static var `default`: Set<Element> { [] }
}

extension Dictionary: Defaultable {
  /// The empty dictionary.
  public static var `default`: [Key: Value] { [:] }
}

/// A sequence that can be made of the elements of another one.
public protocol SequenceInitializable<Element>: Sequence {
  /// A sequence of elements.
  init<Elements: Sequence>(_ elements: Elements) where Elements.Element == Element
}

extension Array: SequenceInitializable {}
extension ContiguousArray: SequenceInitializable {}
extension Set: SequenceInitializable {}
