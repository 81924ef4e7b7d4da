import GQLCatalog

/// What an entity type describes, looked up by key path. Made once for each type.
final class EntityInfo<Entity: EntityModelProtocol>: @unchecked Sendable {
  /// A property or a computed key path that has a column.
  struct Attribute {
    var name: String
    /// Of stored properties.
    var type: Any.Type = Never.self
    /// Nil if it has no column.
    var shape: _ColumnShape?
    /// Of stored properties: chosen at run time.
    var codec: AnyObject?
    /// Of computed key paths: their value.
    var derived: ((Entity, inout _ColumnSlot) throws -> Void)?
    /// Of keys of unique indexes that do not tell whether values are the same: what does.
    var isSame: ((Entity, Entity) -> Bool)?
    var comparesAsStored: Bool
    /// Whether entities that are read in part can be without it.
    var canBeLeftOut = false
    var isAlwaysReadable = true
    /// Of what lies in a property: where.
    var place: EmbeddedPlace?

    /// What it wants of a field, in words.
    var misfit: String {
      guard let shape else { return "not \(type)" }
      let column = shape.text(shape.enumeration?.name ?? shape.scalar.rawValue)
      return codec is any ObjectCodec ? "neither \(column) nor an object, as \(type) is" : "not \(column)"
    }
  }

  /// An attribute's place, and whether the key path descends.
  struct Key: Hashable {
    var attribute: Int
    var isDescending: Bool
  }

  struct Index {
    var name: String
    var kind: IndexDescription<Entity>.Kind
    var attributes: [Int]
    var paths: [PartialKeyPath<Entity> & Sendable]
  }

  /// The stored properties, in order; behind them the id, if it is not one of them; then computed key paths of indexes;
  /// then what is described of values within properties.
  let attributes: [Attribute]
  /// How many attributes schemas of the type have: those but for the last.
  let ownCount: Int
  let propertyCount: Int
  let idAttribute: Int
  let idCodec: ValueCodec<Entity.ID>
  let relations: [RelationDescriptor<Entity>]
  let indexes: [Index]
  let identity: Identity
  /// By the name of a property or relation.
  let fieldIdentities: [String: Identity]
  /// Whether any attribute is an enum of the schema language.
  let hasEnums: Bool
  /// Whether the id may look at relations: it is computed, and there are some.
  let watchesID: Bool
  let hooks = HookKnowledge(of: Entity.self)
  private let keys: [AnyKeyPath: Key]
  /// What is described of properties, and of objects in them, by their key paths.
  let nodes: [AnyKeyPath: EmbeddedNode]
  /// Of the properties and relations, as the type describes them, and of what a deleted entity was.
  let paths: [AnyKeyPath]
  private let relationPaths: [AnyKeyPath: Int]
  private let relationValues: [AnyKeyPath: Int]

  static var shared: EntityInfo<Entity> { EntityRegistry.info(of: Entity.self) }

  fileprivate init() {
    var description = EntityDescription<Entity>()
    Entity.describe(&description)
    var attributes: [Attribute] = []
    var keys: [AnyKeyPath: Key] = [:]
    for property in description.properties {
      keys[property.path] = Key(attribute: attributes.count, isDescending: false)
      for ending in property.endings {
        guard let path = (property.path as AnyKeyPath).appending(path: ending.path) else { continue }
        keys[path] = Key(attribute: attributes.count, isDescending: ending.isDescending)
      }
      attributes.append(
        Attribute(
          name: property.name, type: property.type, shape: property.shape, codec: property.codec,
          comparesAsStored: property.comparesAsStored, canBeLeftOut: property.canBeLeftOut,
          isAlwaysReadable: property.isAlwaysReadable))
    }
    propertyCount = attributes.count
    isReadAsDescribed = description.isReadAsDescribed
    identity = description.identity
    fieldIdentities = description.fieldIdentities
    problems = description.problems
    let isStoredID = description.properties.contains {
      $0.name == "id" && MemoryLayout<Entity>.offset(of: $0.path) != nil
    }
    watchesID = !isStoredID && !description.relations.isEmpty
    let idCodec = ValueCodec<Entity.ID>.makeKey()
    self.idCodec = idCodec
    if let place = attributes.firstIndex(where: { $0.name == "id" }) {
      idAttribute = place
    } else {
      // The id is computed.
      idAttribute = attributes.count
      keys[\Entity.id] = Key(attribute: attributes.count, isDescending: false)
      attributes.append(
        Attribute(
          name: "id", shape: idCodec.shape, derived: { try idCodec.write($0.id, into: &$1) },
          comparesAsStored: idCodec.comparesAsStored))
    }
    var indexes: [Index] = []
    for index in description.indexes {
      var places: [Int] = []
      for (number, component) in index.components.enumerated() {
        if component.isSame == nil, let key = keys[component.path] {
          places.append(key.attribute)
        } else if let shape = component.shape {
          if component.isSame == nil {
            keys[component.path] = Key(attribute: attributes.count, isDescending: component.isDescending)
          }
          places.append(attributes.count)
          attributes.append(
            Attribute(
              name: "\(index.name)_\(number + 1)", shape: shape,
              derived: Self.naming(component.write, index.name), isSame: component.isSame,
              comparesAsStored: component.comparesAsStored))
        }
      }
      indexes.append(
        Index(name: index.name, kind: index.kind, attributes: places, paths: index.components.map(\.path)))
    }
    ownCount = attributes.count
    let embedded = EmbeddedAttributes(attributes, keys, of: description.properties)
    self.attributes = embedded.attributes
    hasEnums = embedded.attributes.contains { $0.shape?.enumeration != nil }
    self.keys = embedded.keys
    nodes = embedded.nodes
    self.indexes = indexes
    relations = description.relations
    paths =
      description.properties.map(\.path) + description.relations.flatMap { [$0.value, $0.path] } + [\Entity.id]
      + [(Entity.self as? any Tombstone.Type)?.entityPath].compactMap { $0 }
    relationPaths = Dictionary(
      description.relations.enumerated().map { ($1.path as AnyKeyPath, $0) }, uniquingKeysWith: { first, _ in first })
    relationValues = Dictionary(
      description.relations.enumerated().map { ($1.value as AnyKeyPath, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The attribute that a key path leads to; nil where columns do not know it.
  func key(_ path: AnyKeyPath) -> Key? { keys[path] }

  /// The property that a key path leads to, or into, or another attribute.
  func property(_ path: AnyKeyPath) -> Int? {
    keys[path].map { attributes[$0.attribute].place?.property ?? $0.attribute }
      ?? nodes[path].flatMap { attributes[$0.attribute].place?.property }
  }

  /// Whether a key path is that of a stored property.
  func isProperty(_ path: AnyKeyPath) -> Bool { keys[path].map { $0.attribute < propertyCount } ?? false }

  /// The name of the property that a key path leads to; nil where the description has none.
  func name(_ path: AnyKeyPath) -> String? {
    if let number = relationValues[path] { return relations[number].name }
    guard let key = keys[path], key.attribute < propertyCount || key.attribute == idAttribute else { return nil }
    return attributes[key.attribute].name
  }

  /// Whether columns have all that an index is over, and can be its keys.
  func hasKeys(_ index: Index) -> Bool {
    !index.paths.isEmpty && index.attributes.count == index.paths.count && index.attributes.allSatisfy { isKey($0) }
  }

  private func isKey(_ attribute: Int) -> Bool {
    guard let shape = attributes[attribute].shape else { return false }
    return shape.scalar != .json && !shape.isList
  }

  /// The place of the relation that a key path to `$property` leads to.
  func relation(_ path: AnyKeyPath) -> Int? { relationPaths[path] }

  /// The place of the relation that a key path to `property` leads to.
  func relation(value path: AnyKeyPath) -> Int? { relationValues[path] }

  /// By property: whether it is read where these attributes are wanted.
  func mustRead(_ wanted: Set<Int>) -> [Bool] {
    attributes[..<propertyCount].enumerated().map { number, attribute in
      wanted.contains(number) || number == idAttribute || !attribute.canBeLeftOut
    }
  }

  /// Whether reading an entity cannot fail, whatever another program has put into its columns.
  var isAlwaysReadable: Bool { isReadAsDescribed && attributes[..<propertyCount].allSatisfy(\.isAlwaysReadable) }
  private let isReadAsDescribed: Bool
  /// Why no schema can have the type, in words.
  let problems: [String]

  /// What writes an index's value, with errors that name the index where it is no number that columns can hold.
  private static func naming(
    _ write: @escaping (Entity, inout _ColumnSlot) throws -> Void, _ index: String
  ) -> (Entity, inout _ColumnSlot) throws -> Void {
    { entity, slot in
      do { try write(entity, &slot) } catch ModelError.numberNotFinite(let number) {
        throw ModelError.numberOutOfRange(
          "\(Entity.self)", "its index '\(index)' is over \(number), and numbers in columns are finite")
      }
    }
  }

  /// What takes the entities that routes lead to, each a list of places of relations.
  func loading(_ routes: [ArraySlice<Int>]) -> [NestedQuery<Entity>] {
    var byFirst: [Int: [ArraySlice<Int>]] = [:]
    for route in routes { if let first = route.first { byFirst[first, default: []].append(route.dropFirst()) } }
    return byFirst.sorted { $0.key < $1.key }.compactMap { relations[$0.key].loading($0.value) }
  }

  func normalize(_ entity: inout Entity) {
    for relation in relations { relation.normalize(&entity) }
  }
}

/// The descriptions of all types that the process has met.
enum EntityRegistry {
  private static let known = Guarded<[ObjectIdentifier: AnyObject]>([:])

  static func info<Entity: EntityModelProtocol>(of type: Entity.Type) -> EntityInfo<Entity> {
    let key = ObjectIdentifier(type)
    if let found = known.withLock({ $0[key] }) { return unsafeDowncast(found, to: EntityInfo<Entity>.self) }
    // Not under the lock, because describing a type may lead to others.
    let made = EntityInfo<Entity>()
    let kept = known.withLock { known -> AnyObject in
      if let found = known[key] { return found }
      known[key] = made
      return made
    }
    // Safe because there is one kind of object under the key of a type.
    return unsafeDowncast(kept, to: EntityInfo<Entity>.self)
  }
}
