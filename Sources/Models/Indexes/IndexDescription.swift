import GQLCatalog

/// An index that an entity type describes.
struct IndexDescription<Entity: EntityModelProtocol> {
  enum Kind {
    case plain(IndexDescriptor.Kind)
    case unique(CollisionResolver<Entity>)
  }
  var name: String
  var kind: Kind
  var components: [IndexComponent<Entity>]
}

/// A key path of an index, with a way to write its value into a column if it is no stored property.
struct IndexComponent<Entity: EntityModelProtocol> {
  var path: PartialKeyPath<Entity> & Sendable
  /// Nil if values of its type have no column.
  var shape: _ColumnShape?
  var isDescending: Bool
  var comparesAsStored: Bool
  var write: (Entity, inout _ColumnSlot) throws -> Void
  /// Whether two entities have the same value, where equal keys do not tell: see ``UniqueKey``.
  var isSame: ((Entity, Entity) -> Bool)?

  init<Value>(_ path: KeyPath<Entity, Value> & Sendable) {
    self.path = path
    let codec = ValueCodec<Value>.make()
    // JSON is no key.
    shape = codec.shape.flatMap { $0.isList || $0.scalar == .json ? nil : $0 }
    if PathWay.canFail(path) { shape?.isNonNull = false }
    comparesAsStored = codec.comparesAsStored
    isDescending = Value.self is any DescendingKey.Type
    let reader = PathReader(path)
    write = { if let value = reader.read($0) { try codec.write(value, into: &$1) } }
  }
}

extension EntityDescription {
  /// A B-tree.
  public mutating func index<A: Comparable>(_ name: String, _ a: KeyPath<Entity, A> & Sendable) {
    addTree(name, [IndexComponent(a)])
  }

  /// A B-tree.
  public mutating func index<A: Comparable, B: Comparable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b)])
  }

  /// A B-tree.
  public mutating func index<A: Comparable, B: Comparable, C: Comparable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B> & Sendable,
    _ c: KeyPath<Entity, C> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b), IndexComponent(c)])
  }

  /// A B-tree.
  public mutating func index<A: Comparable, B: Comparable, C: Comparable, D: Comparable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B> & Sendable,
    _ c: KeyPath<Entity, C> & Sendable,
    _ d: KeyPath<Entity, D> & Sendable
  ) {
    addTree(name, [IndexComponent(a), IndexComponent(b), IndexComponent(c), IndexComponent(d)])
  }

  mutating func addTree(_ name: String, _ components: [IndexComponent<Entity>]) {
    indexes.append(IndexDescription(name: name, kind: .plain(.btree), components: components))
  }

  /// A hash table.
  public mutating func hashIndex<each Value: Hashable>(
    _ name: String, _ paths: repeat KeyPath<Entity, each Value> & Sendable
  ) {
    var components: [IndexComponent<Entity>] = []
    repeat components.append(IndexComponent(each paths))
    indexes.append(IndexDescription(name: name, kind: .plain(.hash), components: components))
  }

  /// An index whose values one entity only may have.
  public mutating func unique<A: Hashable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, collisions: CollisionResolver<Entity> = .upsert
  ) {
    addUnique(name, [IndexComponent(unique: a)], collisions)
  }

  /// An index whose values one entity only may have.
  public mutating func unique<A: Hashable, B: Hashable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B> & Sendable,
    collisions: CollisionResolver<Entity> = .upsert
  ) {
    addUnique(name, [IndexComponent(unique: a), IndexComponent(unique: b)], collisions)
  }

  /// An index whose values one entity only may have.
  public mutating func unique<A: Hashable, B: Hashable, C: Hashable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B> & Sendable,
    _ c: KeyPath<Entity, C> & Sendable,
    collisions: CollisionResolver<Entity> = .upsert
  ) {
    addUnique(name, [IndexComponent(unique: a), IndexComponent(unique: b), IndexComponent(unique: c)], collisions)
  }

  /// An index whose values one entity only may have.
  public mutating func unique<A: Hashable, B: Hashable, C: Hashable, D: Hashable>(
    _ name: String, _ a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B> & Sendable,
    _ c: KeyPath<Entity, C> & Sendable,
    _ d: KeyPath<Entity, D> & Sendable, collisions: CollisionResolver<Entity> = .upsert
  ) {
    addUnique(
      name,
      [IndexComponent(unique: a), IndexComponent(unique: b), IndexComponent(unique: c), IndexComponent(unique: d)],
      collisions)
  }

  mutating func addUnique(
    _ name: String, _ components: [IndexComponent<Entity>], _ collisions: CollisionResolver<Entity>
  ) {
    indexes.append(IndexDescription(name: name, kind: .unique(collisions), components: components))
  }

  /// The words of texts.
  public mutating func fullTextIndex(_ name: String, _ texts: (KeyPath<Entity, String> & Sendable)...) {
    indexes.append(
      IndexDescription(name: name, kind: .plain(.fullText), components: texts.map { IndexComponent($0) }))
  }
}
