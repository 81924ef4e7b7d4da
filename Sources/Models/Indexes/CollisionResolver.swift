/// A rule of what happens when an entity is saved with a value of a unique index that another one has.
public struct CollisionResolver<Entity: EntityModelProtocol>: Sendable {
  /// Decides with the id of the entity that is there, the one that comes, and the index. Returning lets both live.
  public typealias Resolution =
    @Sendable (
      _ existing: Entity.ID, _ new: Entity, _ index: UniqueKeyPath<Entity>, _ context: inout Context
    ) throws -> Void

  enum Kind: Sendable {
    case fail
    case failUnlessNil
    case replace
    case replaceUnlessNil
    case custom(Resolution)
  }
  let kind: Kind

  init(kind: Kind) { self.kind = kind }

  /// Whether nothing but an error comes of a collision.
  var isRefusal: Bool {
    switch kind {
    case .fail, .failUnlessNil: true
    case .replace, .replaceUnlessNil, .custom: false
    }
  }

  /// Whether nil is a value like others.
  var comparesNil: Bool {
    switch kind {
    case .fail, .replace, .custom: true
    case .failUnlessNil, .replaceUnlessNil: false
    }
  }

  /// The save fails, unless one of the values is nil; of those there may be any number.
  public static var throwUnlessNil: Self { Self(kind: .failUnlessNil) }

  /// The entity that is there is deleted, unless one of the values is nil; of those there may be any number.
  public static var upsertUnlessNil: Self { Self(kind: .replaceUnlessNil) }

  /// A decision of the program. Of several that are there it is asked about the newest.
  public init(_ resolve: @escaping Resolution) { kind = .custom(resolve) }

  /// The entity that is there is deleted.
  public static var upsert: Self { Self(kind: .replace) }
  /// The save fails with ``Errors/uniqueValueIndexViolation(existing:new:indexName:)``.
  public static var `throw`: Self { Self(kind: .fail) }
}

/// A unique index that a collision is about: its name and its key paths.
public struct UniqueKeyPath<Entity: EntityModelProtocol>: Sendable {
  /// The index's name.
  public let name: String
  /// The properties, in order.
  let keyPaths: [PartialKeyPath<Entity> & Sendable]
}

/// A reason why a save failed.
public enum Errors: Error, Sendable, Hashable, CustomStringConvertible {
  /// Two entities want one value of a unique index.
  case uniqueValueIndexViolation(existing: String, new: String, indexName: String)

  /// One sentence of cause.
  public var description: String {
    switch self {
    case .uniqueValueIndexViolation(let existing, let new, let index):
      "'\(new)' cannot be saved: '\(existing)' has its value of the unique index '\(index)'"
    }
  }

  /// A code of the fault. It is the one that the same fault has in documents, variables and data.
  public var code: String { "unique-violation" }
}

/// An error that a resolver of the program throws to refuse an entity.
public struct UniqueConstraintViolation: Error, CustomStringConvertible {
  /// The id of the entity that is there.
  public let existingId: String
  /// The index.
  public let indexName: String

  /// A violation of an index.
  public init<Entity>(existingId: Entity.ID, keyPath: UniqueKeyPath<Entity>) {
    self.existingId = existingId.description
    indexName = keyPath.name
  }

  /// One sentence of cause.
  public var description: String { "'\(existingId)' has the value of the unique index '\(indexName)'" }
}

extension EntityModelProtocol {
  /// The value of an index's first property: nil if it is an optional without a value.
  public subscript(keyPath index: UniqueKeyPath<Self>) -> Any? {
    guard let path = index.keyPaths.first, PathWay(path, from: Self.self).leads(from: self) else { return nil }
    let value = self[keyPath: path]
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional ? mirror.children.first?.value : value
  }
}
