import GQLCatalog
import GQLParser

/// What people are told of two schemas: everything that the new one adds, leaves out or says differently, in the order
/// of the schemas.
extension CatalogComparison {
  mutating func compareEnums() {
    let enums = NameIndex(old.enums.lazy.map(\.name))
    let newEnums = NameIndex(new.enums.lazy.map(\.name))
    for type in new.enums where type.id != new.statusType {
      guard let before = enums[type.name].map({ old.enums[$0] }) else {
        differences.append(CatalogDifference(.added, .enumeration, type.name))
        continue
      }
      compareNames(.enumeration, type.name, before.identity, type.identity)
      let known = Set(before.values)
      let wanted = Set(type.values)
      for value in type.values {
        let name = "\(type.name).\(value)"
        if !known.contains(value) {
          differences.append(CatalogDifference(.added, .enumValue, name))
        } else if let former = formerNames[name] {
          differences.append(CatalogDifference(.changed, .enumValue, name, .renamed(from: former)))
        }
      }
      for value in before.values where !wanted.contains(value) {
        differences.append(CatalogDifference(.removed, .enumValue, "\(type.name).\(value)"))
      }
      if before.values.filter(wanted.contains) != type.values.filter(known.contains) {
        differences.append(CatalogDifference(.changed, .enumeration, type.name, .order))
      }
    }
    for type in old.enums where type.id != old.statusType && !newEnums.contains(type.name) {
      differences.append(CatalogDifference(.removed, .enumeration, type.name))
    }
  }

  mutating func compareTypes() {
    compareEmbedded()
    for type in new.types where !type.isElement {
      guard let before = mapping.oldTypes[Int(type.id.index)].map({ old[$0] }) else {
        differences.append(CatalogDifference(.added, Self.element(type), type.name))
        continue
      }
      if before.kind != type.kind {
        differences.append(CatalogDifference(.removed, Self.element(before), type.name))
        differences.append(CatalogDifference(.added, Self.element(type), type.name))
      }
      compareNames(Self.element(type), type.name, before.identity, type.identity)
      if before.history != type.history {
        differences.append(CatalogDifference(.changed, Self.element(type), type.name, .history(type.history != nil)))
      }
      compareFields(before, type)
      if !type.isAbstract { compareIndexes(before, type) }
      compareMembers(before, type)
      if before.rootOne != type.rootOne || before.rootMany != type.rootMany {
        differences.append(CatalogDifference(.changed, .root, type.name))
      }
    }
    for type in old.types where !type.isElement && mapping.newTypes[Int(type.id.index)] == nil {
      differences.append(CatalogDifference(.removed, Self.element(type), type.name))
    }
  }

  private static func element(_ type: EntityType) -> CatalogDifference.Element {
    switch type.kind {
    case .entity, .element: .type
    case .interface: .interface
    case .union: .union
    }
  }

  private mutating func compareEmbedded() {
    let types = NameIndex(old.embeddedTypes.lazy.map(\.name))
    let newTypes = NameIndex(new.embeddedTypes.lazy.map(\.name))
    for type in new.embeddedTypes {
      guard let before = types[type.name].map({ old.embeddedTypes[$0] }) else {
        differences.append(CatalogDifference(.added, .type, type.name))
        continue
      }
      compareNames(.type, type.name, before.identity, type.identity)
      let known = NameIndex(before.fields.lazy.map(\.name))
      let wanted = NameIndex(type.fields.lazy.map(\.name))
      for field in type.fields {
        let name = "\(type.name).\(field.name)"
        guard let same = known[field.name].map({ before.fields[$0] }) else {
          differences.append(CatalogDifference(.added, .field, name))
          continue
        }
        compareNames(.field, name, same.identity, field.identity)
        compareSignatures(name, same.signature, field.signature)
        compareDefaults(name, same.defaultValue, field.defaultValue)
      }
      for field in before.fields where !wanted.contains(field.name) {
        differences.append(CatalogDifference(.removed, .field, "\(type.name).\(field.name)"))
      }
    }
    for type in old.embeddedTypes where !newTypes.contains(type.name) {
      differences.append(CatalogDifference(.removed, .type, type.name))
    }
  }

  private mutating func compareNames(
    _ element: CatalogDifference.Element, _ name: String, _ before: Identity, _ after: Identity
  ) {
    if let former = formerNames[name] {
      differences.append(CatalogDifference(.changed, element, name, .renamed(from: former)))
    }
    if before.number != after.number {
      differences.append(CatalogDifference(.changed, element, name, .number(after.number)))
    }
  }

  private mutating func compareSignatures(_ name: String, _ before: TypeSignature, _ after: TypeSignature) {
    let (from, to) = (old.text(of: before), new.text(of: after))
    if from != to { differences.append(CatalogDifference(.changed, .field, name, .type(from: from, to: to))) }
  }

  private mutating func compareDefaults(_ name: String, _ before: DefaultValue?, _ after: DefaultValue?) {
    if text(before, old) != text(after, new) {
      differences.append(CatalogDifference(.changed, .field, name, .defaultValue))
    }
  }

  /// Values that are written alike are the same in both catalogs.
  private func text(_ value: DefaultValue?, _ catalog: Catalog) -> String {
    switch value {
    case nil: ""
    case .now?: "now()"
    case .value(let value)?: catalog.written(value)
    }
  }

  private mutating func compareFields(_ before: EntityType, _ type: EntityType) {
    if before.idProperties.map({ before[$0].name }) != type.idProperties.map({ type[$0].name }) {
      differences.append(CatalogDifference(.changed, Self.element(type), type.name, .key))
    }
    let known = NameIndex(before.properties.lazy.map(\.name))
    let wanted = NameIndex(type.properties.lazy.map(\.name))
    for property in type.properties {
      let name = "\(type.name).\(property.name)"
      guard let same = known[property.name].map({ before.properties[$0] }) else {
        differences.append(CatalogDifference(.added, .field, name))
        continue
      }
      compareNames(.field, name, same.identity, property.identity)
      if same.isOutOfHistory != property.isOutOfHistory {
        differences.append(CatalogDifference(.changed, .field, name, .history(!property.isOutOfHistory)))
      }
      compareSignatures(name, same.signature, property.signature)
      compareDefaults(name, same.defaultValue, property.defaultValue)
      if same.merge != property.merge {
        differences.append(CatalogDifference(.changed, .field, name, .merge(property.merge?.rawValue)))
      }
      if same.isCaseInsensitive != property.isCaseInsensitive, !type.isAbstract {
        differences.append(
          CatalogDifference(.changed, .field, name, .caseInsensitive(property.isCaseInsensitive)))
      }
      compareStorage(name, same.storage, property.storage)
    }
    for property in before.properties where !wanted.contains(property.name) {
      differences.append(CatalogDifference(.removed, .field, "\(type.name).\(property.name)"))
    }
  }

  private mutating func compareStorage(_ name: String, _ before: PropertyStorage, _ after: PropertyStorage) {
    switch (before, after) {
    case (.computed(let expression), .computed(let other)):
      if expression != other { differences.append(CatalogDifference(.changed, .field, name, .expression)) }
    case (.computed, _): differences.append(CatalogDifference(.changed, .field, name, .computed(false)))
    case (_, .computed): differences.append(CatalogDifference(.changed, .field, name, .computed(true)))
    case (.relation(let oldID), .relation(let id)):
      let inverse = old.inverseName(oldID)
      let other = new.inverseName(id)
      if inverse != other {
        differences.append(CatalogDifference(.changed, .field, name, .inverse(from: inverse, to: other)))
      }
      if old[oldID].onDelete != new[id].onDelete {
        differences.append(
          CatalogDifference(
            .changed, .field, name,
            .deleteRule(from: old[oldID].onDelete.rawValue, to: new[id].onDelete.rawValue)))
      }
    case (.column, _), (.embedded, _), (.relation, _), (.members, _): break
    }
  }

  private mutating func compareIndexes(_ before: EntityType, _ type: EntityType) {
    let known = before.indexes.filter { !old[$0].isPrimary }.map { (name: old.words(for: old[$0]), index: old[$0]) }
    let wanted = type.indexes.filter { !new[$0].isPrimary }.map { (name: new.words(for: new[$0]), index: new[$0]) }
    let names = NameIndex(known.lazy.map(\.name))
    let newNames = NameIndex(wanted.lazy.map(\.name))
    for (name, index) in wanted {
      guard let same = names[name].map({ known[$0].index }) else {
        differences.append(CatalogDifference(.added, .index, name))
        continue
      }
      if same.name != index.name || same.onConflict != index.onConflict || same.language != index.language {
        differences.append(CatalogDifference(.changed, .index, name, .options))
      }
    }
    for (name, _) in known where !newNames.contains(name) {
      differences.append(CatalogDifference(.removed, .index, name))
    }
  }

  private mutating func compareMembers(_ before: EntityType, _ type: EntityType) {
    let known = before.members.map { old[$0.type].name }
    let wanted = type.members.map { new[$0.type].name }
    let (knownNames, wantedNames) = (NameIndex(known), NameIndex(wanted))
    for name in wanted where !knownNames.contains(name) {
      differences.append(CatalogDifference(.added, .member(of: type.name), name))
    }
    for name in known where !wantedNames.contains(name) {
      differences.append(CatalogDifference(.removed, .member(of: type.name), name))
    }
  }
}

extension Catalog {
  /// The name of the field at the other end of a relation.
  fileprivate func inverseName(_ id: RelationID) -> String? {
    let inverse = self[self[id].inverse]
    return inverse.property.map { self[inverse.source][$0].name }
  }

  /// `unique User.email`, `hash User.status`, `B-tree User.lastName,firstName`.
  package func words(for index: IndexDescriptor) -> String {
    let type = self[index.type]
    let fields = index.columns.map { type[type[$0].foldedFrom ?? $0].name }.joined(separator: ",")
    return "\(index.isUnique ? "unique" : index.kind.facts.name) \(type.name).\(fields)"
  }

  /// A constant as a schema writes it.
  fileprivate func written(_ value: Value) -> String { GQLParser.print(literal(value)) }
}
