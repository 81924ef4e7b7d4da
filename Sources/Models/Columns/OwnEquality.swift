import Foundation

/// A type with a raw value, or a description, by which columns hold it, and an equality that is not that one's: texts that
/// are equal but for their case, say. Conditions compare it in Swift.
///
/// Nothing tells of a type what its `==` does, and it cannot be tried with values that the program has not made.
public protocol OwnEquatable {}

/// Whether types that columns hold by something else are equal just where that is.
enum OwnEquality {
  private static let known = Guarded<[ObjectIdentifier: Bool]>([:])

  /// Whether two of the cases are equal though their raw values are not, or have a hash of their own, as a type with an
  /// equality of its own has.
  fileprivate static func isOwn<Enum: CaseIterable & RawRepresentable>(_ type: Enum.Type) -> Bool {
    func joins<Case: Equatable, Raw: Equatable>(_ values: [Case], _ raws: [Raw]) -> Bool {
      values.indices.contains { first in
        (0..<first).contains { values[$0] == values[first] && raws[$0] != raws[first] }
      }
    }
    let cases = Array(type.allCases.prefix(100))
    func open<Case: Equatable>(_ case: Case.Type) -> Bool {
      func open<Raw: Equatable>(_ raw: Raw.Type) -> Bool {
        joins(cases.compactMap { $0 as? Case }, cases.compactMap { $0.rawValue as? Raw })
      }
      return (Enum.RawValue.self as? any Equatable.Type).map { open($0) } ?? false
    }
    return (type as? any Equatable.Type).map { open($0) } ?? false
  }

  /// Whether two of the program's own values are equal though what columns hold of them is not.
  static func joins<Value>(_ values: [(stored: String, value: Value)]) -> Bool {
    func open<Known: Equatable>(_ type: Known.Type) -> Bool {
      let values = values.compactMap { stored, value in (value as? Known).map { (stored, $0) } }
      return values.indices.contains { first in values[..<first].contains { $0.1 == values[first].1 } }
    }
    return (Value.self as? any Equatable.Type).map { open($0) } ?? false
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
}

extension RawRepresentable {
  /// Whether values are equal just where their raw values are.
  static var isEqualByRawValue: Bool {
    if self is any OwnEquatable.Type { return false }
    guard let type = self as? any (CaseIterable & RawRepresentable).Type else { return true }
    return OwnEquality.known(Self.self) { !OwnEquality.isOwn(type) }
  }
}

extension LosslessStringConvertible {
  /// Whether values are equal just where their descriptions are.
  static var isEqualByDescription: Bool { !(self is any OwnEquatable.Type) }
}
