/// `@Index<Self>(\.age) private var ageIndex`: a B-tree over up to four properties, for ranges and orders.
@propertyWrapper
public struct Index<Entity: EntityModelProtocol>: _IndexAttribute {
  /// Nothing.
  public var wrappedValue: _IndexMarker { _IndexMarker() }
  /// Nothing.
  public init(_nothing: _IndexMarker) {}
  /// Over one property.
  public init<A: Comparable>(_ a: KeyPath<Entity, A>) {}
  /// Over two properties.
  public init<A: Comparable, B: Comparable>(_ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>) {}
  /// Over three properties.
  public init<A: Comparable, B: Comparable, C: Comparable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>, _ c: KeyPath<Entity, C>
  ) {}
  /// Over four properties.
  public init<A: Comparable, B: Comparable, C: Comparable, D: Comparable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>, _ c: KeyPath<Entity, C>, _ d: KeyPath<Entity, D>
  ) {}
}

/// `@HashIndex<Self>(\.region) private var regionIndex`: a hash table over up to four properties, for equality.
@propertyWrapper
public struct HashIndex<Entity: EntityModelProtocol>: _IndexAttribute {
  /// Nothing.
  public var wrappedValue: _IndexMarker { _IndexMarker() }
  /// Nothing.
  public init(_nothing: _IndexMarker) {}
  /// Over one property.
  public init<A: Hashable>(_ a: KeyPath<Entity, A>) {}
  /// Over two properties.
  public init<A: Hashable, B: Hashable>(_ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>) {}
  /// Over three properties.
  public init<A: Hashable, B: Hashable, C: Hashable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>, _ c: KeyPath<Entity, C>
  ) {}
  /// Over four properties.
  public init<A: Hashable, B: Hashable, C: Hashable, D: Hashable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>, _ c: KeyPath<Entity, C>, _ d: KeyPath<Entity, D>
  ) {}
}

/// `@Unique<Self>(\.email, collisions: .throw) private var uniqueEmail`: up to four properties whose values one entity
/// only may have.
@propertyWrapper
public struct Unique<Entity: EntityModelProtocol>: _IndexAttribute {
  /// Nothing.
  public var wrappedValue: _IndexMarker { _IndexMarker() }
  /// Nothing.
  public init(_nothing: _IndexMarker) {}
  /// Over one property.
  public init<A: Hashable>(_ a: KeyPath<Entity, A>, collisions: CollisionResolver<Entity> = .upsert) {}
  /// Over two properties.
  public init<A: Hashable, B: Hashable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>, collisions: CollisionResolver<Entity> = .upsert
  ) {}
  /// Over three properties.
  public init<A: Hashable, B: Hashable, C: Hashable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>, _ c: KeyPath<Entity, C>,
    collisions: CollisionResolver<Entity> = .upsert
  ) {}
  /// Over four properties.
  public init<A: Hashable, B: Hashable, C: Hashable, D: Hashable>(
    _ a: KeyPath<Entity, A>, _ b: KeyPath<Entity, B>, _ c: KeyPath<Entity, C>, _ d: KeyPath<Entity, D>,
    collisions: CollisionResolver<Entity> = .upsert
  ) {}
}

/// `@FullTextIndex<Self>(\.title, \.content) private var contentIndex`: the words of texts, for `matches`.
@propertyWrapper
public struct FullTextIndex<Entity: EntityModelProtocol>: _IndexAttribute {
  /// Nothing.
  public var wrappedValue: _IndexMarker { _IndexMarker() }
  /// Nothing.
  public init(_nothing: _IndexMarker) {}
  /// Over any number of texts.
  public init(_ texts: KeyPath<Entity, String>...) {}
}

extension _IndexAttribute where Self: Codable {
  /// Reads nothing.
  public init(from decoder: any Decoder) throws { self.init(_nothing: _IndexMarker()) }
  /// Writes nothing.
  public func encode(to encoder: any Encoder) throws {}
}

extension Index: Codable {}
extension HashIndex: Codable {}
extension Unique: Codable {}
extension FullTextIndex: Codable {}

/// What compilers write for `Codable` types passes over indexes.
extension KeyedDecodingContainer {
  /// Nothing, whether the key is there or not.
  public func decode<Attribute: _IndexAttribute & Codable>(_ type: Attribute.Type, forKey key: Key) throws -> Attribute
  {
    Attribute(_nothing: _IndexMarker())
  }
}

extension KeyedEncodingContainer {
  /// Nothing.
  public mutating func encode<Attribute: _IndexAttribute & Codable>(_ value: Attribute, forKey key: Key) throws {}
}
