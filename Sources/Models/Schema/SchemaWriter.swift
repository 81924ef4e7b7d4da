import GQLCatalog
import GQLStore

/// Writes the schema of entity types and all that they lead to.
struct SchemaWriter {
  private(set) var types: [any EntityModelProtocol.Type] = []
  private(set) var text = ""
  /// Of entity types and enums.
  private var names: [ObjectIdentifier: String] = [:]
  private var taken: Set<String> = []
  /// By the name of an entity type that does not give two: the names under which text asks for its entities.
  private var roots: [String: (one: String, many: String)] = [:]

  init(_ roots: [any EntityModelProtocol.Type]) {
    for root in roots { meet(root) }
    var next = 0
    while next < types.count {
      let type = types[next]
      meetTargets(of: type)
      next += 1
    }
    makeRoots()
    for type in types { write(type) }
  }

  func name(of type: any EntityModelProtocol.Type) -> String { names[ObjectIdentifier(type)] ?? "" }

  private mutating func meet(_ type: any EntityModelProtocol.Type) {
    // A deleted entity is a row of the entity's own table.
    if let tombstone = type as? any Tombstone.Type { return meet(tombstone.entityType) }
    guard names[ObjectIdentifier(type)] == nil else { return }
    take(schemaName(of: type), for: ObjectIdentifier(type))
    types.append(type)
  }

  /// Gives a type its name. Two types of one name are in two modules, or local.
  private mutating func take(_ name: String, for type: ObjectIdentifier) {
    var unique = name
    var number = 2
    while !taken.insert(unique).inserted {
      unique = "\(name)_\(number)"
      number += 1
    }
    names[type] = unique
  }

  /// The name of an attribute's scalar or enum; an enum is written where it is met first.
  private mutating func name(of shape: _ColumnShape, _ enums: inout String) -> String {
    guard let enumeration = shape.enumeration else { return shape.scalar.rawValue }
    if let known = names[enumeration.type] { return known }
    take(enumeration.name, for: enumeration.type)
    let name = names[enumeration.type] ?? enumeration.name
    enums += "enum \(name) {\n\(enumeration.values.map { "  \($0)\n" }.joined())}\n"
    return name
  }

  private mutating func meetTargets<Entity: EntityModelProtocol>(of type: Entity.Type) {
    for relation in EntityInfo<Entity>.shared.relations { meet(relation.target) }
  }

  private mutating func write<Entity: EntityModelProtocol>(_ type: Entity.Type) {
    let info = EntityInfo<Entity>.shared
    text += "type \(name(of: type))"
    if let (one, many) = roots[name(of: type)] { text += " @root(one: \"\(one)\", many: \"\(many)\")" }
    write(info.identity)
    for index in info.indexes { write(index, info) }
    text += " {\n"
    var enums = ""
    for (number, attribute) in info.attributes[..<info.ownCount].enumerated() {
      guard var shape = attribute.shape else { continue }
      if number == info.idAttribute { shape.isNonNull = true }
      text += "  \(attribute.name): \(shape.text(name(of: shape, &enums)))"
      write(info.fieldIdentities[attribute.name])
      text += "\n"
    }
    for relation in info.relations where !(relation.target is any Tombstone.Type) {
      let target = name(of: relation.target)
      let inverse = relation.inverse.map { "inverse: \"\($0)\", " } ?? "inverse: null, "
      let rule =
        switch relation.deleteRule {
        case .nullify: "NULLIFY"
        case .cascade: "CASCADE"
        case .deny: "DENY"
        }
      let list = relation.isToMany ? "[\(target)!]!" : target
      text += "  \(relation.name): \(list) @relation(\(inverse)onDelete: \(rule))"
      write(info.fieldIdentities[relation.name])
      text += "\n"
    }
    text += "}\n" + enums
  }

  private mutating func write(_ identity: Identity?) {
    guard let identity else { return }
    if let number = identity.number { text += " @number(value: \(number))" }
    for name in identity.formerNames { text += " @was(name: \"\(name)\")" }
  }

  /// Text asks for all entities of a type by its name, and for one of them by the same with a small letter. Names that
  /// begin with a small one give no two.
  private mutating func makeRoots() {
    let names = types.map { name(of: $0) }
    let small = names.filter { Self.lowerFirst($0) == $0 }
    if small.isEmpty { return }
    var taken = Set(names.filter { Self.lowerFirst($0) != $0 }.flatMap { [$0, Self.lowerFirst($0)] })
    func take(_ name: String) -> String {
      var unique = name
      while !taken.insert(unique).inserted { unique += "_" }
      return unique
    }
    let all = small.map { take($0) }
    for (name, many) in zip(small, all) { roots[name] = (one: take("\(name)_one"), many) }
  }

  private static func lowerFirst(_ name: String) -> String {
    guard let first = name.utf8.first, (0x41...0x5A).contains(first) else { return name }
    return String(decoding: [first | 0x20], as: UTF8.self) + name.dropFirst()
  }

  private mutating func write<Entity>(_ index: EntityInfo<Entity>.Index, _ info: EntityInfo<Entity>) {
    // Values without a column have no index.
    guard info.hasKeys(index) else { return }
    let attributes = index.attributes.map { info.attributes[$0] }
    let fields = attributes.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let kind: IndexDescriptor.Kind
    var isUnique = false
    switch index.kind {
    case .plain(let plain): kind = plain
    case .unique(let resolver):
      let hasNulls = attributes.contains { $0.shape?.isNonNull == false }
      // The store compares microseconds, and a model what is finer too; of other values it has a key only.
      if !attributes.contains(where: { $0.shape?.scalar == .dateTime || $0.isSame != nil }) {
        switch resolver.kind {
        // What a program decides may leave two entities with one value, and nil is a value that collides.
        case .custom: break
        case .failUnlessNil, .replaceUnlessNil: isUnique = true
        case .fail, .replace: isUnique = !hasNulls
        }
      }
      kind = hasNulls && !isUnique ? .btree : .hash
    }
    guard let directive = IndexDirective(kind, isUnique: isUnique) else { return }
    let choice = directive.kinds.count > 1 ? "kind: \(kind.rawValue), " : ""
    text += " @\(directive.name)(\(choice)name: \"\(index.name)\", fields: [\(fields)])"
  }
}

/// A type of deleted entities.
protocol Tombstone {
  static var entityType: any EntityModelProtocol.Type { get }
  /// Leads to the entity.
  static var entityPath: AnyKeyPath { get }
  /// What saving it is, within the save of another entity.
  func saving() -> SaveStep
  /// Gives the entity, whose row this is, the ids that its relations had.
  mutating func loadIDs(_ row: UInt32, _ snapshot: Snapshot, _ schema: ModelSchema) throws
}

extension Deleted: Tombstone {
  static var entityType: any EntityModelProtocol.Type { Entity.self }
  static var entityPath: AnyKeyPath { \Self.entity }
  func saving() -> SaveStep { DeletedStep(entity) }
  mutating func loadIDs(_ row: UInt32, _ snapshot: Snapshot, _ schema: ModelSchema) throws {
    guard let mapping = schema.mapping(of: Entity.self) else { return }
    try mapping.loadIDs(&entity, snapshot, schema) { snapshot.targetsWhenDeleted($0.id, row) }
  }
}
