import GQLStore

/// A place where entities live, normalized, with their links.
///
/// It is a value: copying it costs nothing, and what is saved in a copy does not change the other. Entities lie in typed
/// columns; structs are made when they are read.
public struct Context: Sendable {
  package internal(set) var storage: ContextStorage

  /// An empty context. It learns the types of entities from the first one that is saved.
  public init() { storage = ContextStorage() }

  /// An empty context that knows some types, and all that their relations lead to.
  public init(for types: [any EntityModelProtocol.Type]) throws {
    storage = ContextStorage()
    storage.adopt(try ModelSchema.make(for: types))
  }

  /// An empty context that knows some types, and all that their relations lead to.
  public init(for types: any EntityModelProtocol.Type...) throws { try self.init(for: types) }

  package init(storage: ContextStorage) { self.storage = storage }

  /// Makes sure that nobody else sees what is written next.
  @inline(__always)
  mutating func own() {
    if !isKnownUniquelyReferenced(&storage) { storage = ContextStorage(copying: storage) }
  }

  /// What was written so far, valid until the next write. Unlike ``ContextStorage/current`` it makes no version of what
  /// only this context has.
  mutating func written() -> (any StoreTables)? {
    isKnownUniquelyReferenced(&storage) ? storage.written : storage.current
  }

  /// Undoes everything if `body` throws.
  mutating func atomically<Result>(_ body: (inout Context) throws -> Result) throws -> Result {
    let before = self
    do { return try body(&self) } catch {
      self = before
      throw error
    }
  }

  /// Where a type lies; the context gets to know it if it does not yet.
  mutating func mapping<Entity: EntityModelProtocol>(of type: Entity.Type) throws -> TypeMapping<Entity> {
    if let known = storage.schema?.mapping(of: type) { return known }
    own()
    try storage.learn(type)
    guard let mapping = storage.schema?.mapping(of: type) else { throw ModelError.unknownType("\(type)") }
    return mapping
  }

  /// Whether nothing was ever saved in it, not even something that is gone.
  package var isUntouched: Bool {
    guard let snapshot = storage.current else { return true }
    return snapshot.danglingCount == 0 && snapshot.catalog.types.allSatisfy { snapshot.slotCount($0.id) == 0 }
  }

  /// A hook's default tells that it ran, and of which type: a hook of one type may call that of another.
  func noteDefault(_ hook: Hook, of type: Any.Type) {
    if storage.calledType == ObjectIdentifier(type) { storage.idleHooks |= 1 << hook.rawValue }
  }
}
