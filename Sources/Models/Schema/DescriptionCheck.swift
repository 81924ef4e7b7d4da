import GQLBase
import GQLCatalog

/// Finds in what an entity type describes what a schema cannot have.
enum DescriptionCheck {
  /// - Throws: ``ModelError/invalidSchema(_:)``.
  static func check<Entity: EntityModelProtocol>(_ type: Entity.Type) throws {
    let info = EntityInfo<Entity>.shared
    var others: [String: String] = [:]
    for name in info.attributes[..<info.propertyCount].map(\.name) + info.relations.map(\.name) {
      try check(name, "property '\(name)'", of: type)
    }
    try check(info.identity, "it", of: type)
    for (name, identity) in info.fieldIdentities.sorted(by: { $0.key < $1.key }) {
      guard
        info.attributes[..<info.ownCount].contains(where: { $0.name == name })
          || info.relations.contains(where: { $0.name == name })
      else { throw ModelError.invalidSchema("'\(type)' has no property '\(name)' to have a number or another name") }
      try check(identity, "'\(name)'", of: type)
    }
    for relation in info.relations {
      guard let inverse = relation.inverse, !(relation.target is any Tombstone.Type) else { continue }
      if let other = others.updateValue(relation.name, forKey: "\(ObjectIdentifier(relation.target)) \(inverse)") {
        throw ModelError.invalidSchema(
          "the relations '\(other)' and '\(relation.name)' of '\(type)' both have '\(inverse)' of '\(relation.target)' as "
            + "their inverse, which can be that of one only")
      }
    }
    for index in info.indexes {
      try check(index.name, "index '\(index.name)'", of: type)
      for path in index.paths {
        if let relation = relation(on: path, info) {
          throw ModelError.invalidSchema(
            "the index '\(index.name)' of '\(type)' leads through the relation '\(relation)', and an index can only be "
              + "over what an entity itself holds")
        }
      }
    }
  }

  private static func check(_ identity: Identity, _ what: String, of type: Any.Type) throws {
    for name in identity.formerNames { try check(name, "former name '\(name)' of \(what)", of: type) }
  }

  private static func check(_ name: String, _ what: String, of type: Any.Type) throws {
    if GraphQLName.isFree(name) { return }
    throw ModelError.invalidSchema(
      "the \(what) of '\(type)' has no name for text: names there are of ASCII letters, digits and '_', without a digit "
        + "at the beginning, and without '__' there")
  }

  /// The relation that a key path begins with; nil if there is none.
  private static func relation<Entity>(
    on path: PartialKeyPath<Entity> & Sendable, _ info: EntityInfo<Entity>
  ) -> String? {
    if info.isProperty(path) { return nil }
    // Nothing else tells what a key path is made of.
    let text = (path as AnyKeyPath).debugDescription
    for relation in info.relations {
      for way in [relation.value as AnyKeyPath, relation.path as AnyKeyPath] {
        if way == path { return relation.name }
        let beginning = way.debugDescription
        guard text.hasPrefix(beginning), let next = text.dropFirst(beginning.count).first else { continue }
        if ".?!".contains(next) { return relation.name }
      }
    }
    return nil
  }
}
