/// The value of a property that stands for an index: there is nothing to know about it.
public struct IndexMarker: Sendable, Hashable {
  /// There is one such value only.
  public init() {}
}

/// A property wrapper that says something about an entity's type and holds nothing.
public protocol IndexAttribute: Sendable, Hashable, CustomStringConvertible {
  /// A wrapper that holds nothing.
  init(nothing: IndexMarker)
}

/// `@Index<Self>(\.age) private var ageIndex`: a B-tree over up to four properties, for ranges and orders.
@propertyWrapper
public struct Index<Entity: EntityModelProtocol>: IndexAttribute {
  /// Nothing.
  public var wrappedValue: IndexMarker { IndexMarker() }
  /// Nothing.
  public init(nothing: IndexMarker) {}
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
public struct HashIndex<Entity: EntityModelProtocol>: IndexAttribute {
  /// Nothing.
  public var wrappedValue: IndexMarker { IndexMarker() }
  /// Nothing.
  public init(nothing: IndexMarker) {}
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
public struct Unique<Entity: EntityModelProtocol>: IndexAttribute {
  /// Nothing.
  public var wrappedValue: IndexMarker { IndexMarker() }
  /// Nothing.
  public init(nothing: IndexMarker) {}
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
public struct FullTextIndex<Entity: EntityModelProtocol>: IndexAttribute {
  /// Nothing.
  public var wrappedValue: IndexMarker { IndexMarker() }
  /// Nothing.
  public init(nothing: IndexMarker) {}
  /// Over any number of texts.
  public init(_ texts: KeyPath<Entity, String>...) {}
}

extension IndexAttribute where Self: Codable {
  /// Reads nothing.
  public init(from decoder: any Decoder) throws { self.init(nothing: IndexMarker()) }
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
  public func decode<Attribute: IndexAttribute & Codable>(_ type: Attribute.Type, forKey key: Key) throws -> Attribute {
    Attribute(nothing: IndexMarker())
  }
}

extension KeyedEncodingContainer {
  /// Nothing.
  public mutating func encode<Attribute: IndexAttribute & Codable>(_ value: Attribute, forKey key: Key) throws {}
}
