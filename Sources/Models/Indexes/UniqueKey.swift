import Foundation

/// What stands for a value in a unique index if columns have no key of it: lists, JSON, and values beside the store.
///
/// Equal values have equal keys; whether those of equal keys are equal is looked at then.
enum UniqueKey<Value> {
  /// The key: the value's JSON; nil of nil. What is not coded, or says that it has an equality of its own, has one key for
  /// all, so that each value is compared with all others.
  static func text(_ value: Value) throws -> String? {
    if (value as? any _OptionalValue)?._isMissing == true { return nil }
    guard !isOwnEquatable, let coded = value as? any Encodable else { return "" }
    // Sets have no order.
    return text(of: try JSONSerialization.jsonObject(with: try JSONColumn.encode(coded), options: .fragmentsAllowed))
  }

  /// Whether two values are the same: equal, or coded in the same way if they cannot be compared.
  static func areSame(_ left: Value?, _ right: Value?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    func isEqual<Compared: Equatable>(_ left: Compared) -> Bool { right as? Compared == left }
    if let left = left as? any Equatable { return isEqual(left) }
    guard let left = left as? any Encodable, let right = right as? any Encodable else { return false }
    guard let first = try? JSONColumn.encode(left), let second = try? JSONColumn.encode(right) else { return false }
    return first == second
  }

  private static var isOwnEquatable: Bool {
    func wraps<Some: OptionalType>(_ type: Some.Type) -> Bool { Some.Wrapped.self is any OwnEquatable.Type }
    if let optional = Value.self as? any OptionalType.Type { return wraps(optional) }
    return Value.self is any OwnEquatable.Type
  }

  /// JSON whose lists are in order.
  private static func text(of value: Any) -> String {
    switch value {
    case let object as [String: Any]:
      let fields = object.sorted { $0.key < $1.key }.map { "\($0.key.debugDescription):\(text(of: $0.value))" }
      return "{\(fields.joined(separator: ","))}"
    case let list as [Any]: return "[\(list.map { text(of: $0) }.sorted().joined(separator: ","))]"
    case let text as String: return text.debugDescription
    // Two zeros are equal.
    case let number as NSNumber where number.doubleValue == 0: return "0"
    default: return "\(value)"
    }
  }
}

private protocol OptionalType {
  associatedtype Wrapped
}
extension Optional: OptionalType {}

extension IndexComponent {
  /// A key path of a unique index, whatever the values are.
  init<Value>(unique path: KeyPath<Entity, Value> & Sendable) {
    self.init(path)
    if shape != nil { return }
    var text = _ColumnShape(.string)
    text.isNonNull = !(Value.self is any _OptionalValue.Type) && !PathWay.canFail(path)
    shape = text
    let reader = PathReader(path)
    write = { entity, slot in
      if let value = reader.read(entity), let key = try UniqueKey.text(value) { try slot.set(key) }
    }
    isSame = { UniqueKey.areSame(reader.read($0), reader.read($1)) }
  }
}

extension Unique {
  /// Over properties that can be compared.
  @_disfavoredOverload
  public init<A: Comparable, each B: Comparable>(
    _ a: KeyPath<Entity, A>, _ b: repeat KeyPath<Entity, each B>, collisions: CollisionResolver<Entity> = .upsert
  ) {}

  /// Over properties that can be coded.
  @_disfavoredOverload
  public init<A: Codable, each B: Codable>(
    _ a: KeyPath<Entity, A>, _ b: repeat KeyPath<Entity, each B>, collisions: CollisionResolver<Entity> = .upsert
  ) {}

  /// Over properties that can be compared and coded.
  @_disfavoredOverload
  public init<A: Comparable & Codable, each B: Comparable & Codable>(
    _ a: KeyPath<Entity, A>, _ b: repeat KeyPath<Entity, each B>, collisions: CollisionResolver<Entity> = .upsert
  ) {}
}

extension EntityDescription {
  /// Adds an index whose values one entity only may have, over properties that can be compared.
  @_disfavoredOverload
  public mutating func unique<A: Comparable, each B: Comparable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, _ b: repeat KeyPath<Entity, each B> & Sendable,
    collisions: CollisionResolver<Entity> = .upsert
  ) {
    var components = [IndexComponent(unique: a)]
    repeat components.append(IndexComponent(unique: each b))
    addUnique(name, components, collisions)
  }

  /// Adds an index whose values one entity only may have, over properties that can be coded.
  @_disfavoredOverload
  public mutating func unique<A: Codable, each B: Codable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, _ b: repeat KeyPath<Entity, each B> & Sendable,
    collisions: CollisionResolver<Entity> = .upsert
  ) {
    var components = [IndexComponent(unique: a)]
    repeat components.append(IndexComponent(unique: each b))
    addUnique(name, components, collisions)
  }

  /// Adds an index whose values one entity only may have, over properties that can be compared and coded.
  @_disfavoredOverload
  public mutating func unique<A: Comparable & Codable, each B: Comparable & Codable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, _ b: repeat KeyPath<Entity, each B> & Sendable,
    collisions: CollisionResolver<Entity> = .upsert
  ) {
    var components = [IndexComponent(unique: a)]
    repeat components.append(IndexComponent(unique: each b))
    addUnique(name, components, collisions)
  }
}
