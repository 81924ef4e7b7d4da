import GQLBase
import GQLCatalog
import GQLParser

/// Interfaces and unions as hidden types whose rows mirror the entities of their members, and the hidden types of the
/// elements of lists of embedded objects.
extension SchemaBuilder {
  mutating func buildAbstract(_ position: Int) {
    let definition = drafts[abstractDrafts[position]].definition
    let name = definition.name.text
    var type = EntityType(
      id: EntityTypeID(entityDrafts.count + position), name: name, description: definition.description?.value,
      rootMany: name, rootOne: name)
    type.kind = definition.kind == .union ? .union : .interface
    type.source = sourceName(in: definition.directives)
    type.identity = identity(in: definition.directives)
    for field in distinctFields(of: definition) {
      for directive in field.directives { check(directive, on: .abstractField) }
      if let value = field.defaultValue {
        report(.wrongDefault(field: field.name.text, problem: .notConstant), at: value.range)
      }
      guard let signature = resolve(field.type) else { continue }
      type.properties.append(
        Property(
          id: PropertyID(type.properties.count), name: field.name.text, description: field.description?.value,
          signature: signature, storage: .members([])))
    }
    if type.kind == .union ? definition.members.isEmpty : definition.fields.isEmpty {
      report(.emptyType(name: name), at: definition.name.range)
    }
    catalog.types.append(type)
  }

  /// More may come up while they are built.
  mutating func buildElementTypes() {
    var position = 0
    while position < elementTypes.count {
      let embedded = catalog[elementTypes[position]]
      let definition = drafts[embeddedDrafts[Int(embedded.id.index)]].definition
      var type = EntityType(
        id: elementType(of: embedded.id), name: embedded.name, description: embedded.description,
        rootMany: embedded.name, rootOne: embedded.name)
      type.kind = .element(embedded.id)
      type.identity = embedded.identity
      let ranges = Dictionary(definition.fields.map { ($0.name.text, $0.range) }) { first, _ in first }
      for field in embedded.fields {
        let property = PropertyID(type.properties.count)
        let range = ranges[field.name] ?? definition.name.range
        let storage = storage(
          of: field.signature, named: field.name, isNonNull: field.signature.isNonNull, isFolded: false,
          at: FieldPlace(property: property, range: range), in: &type)
        type.properties.append(
          Property(
            id: property, name: field.name, description: field.description, signature: field.signature,
            storage: storage, defaultValue: field.defaultValue))
        type.properties[type.properties.count - 1].source = field.source
        type.properties[type.properties.count - 1].isMixed = field.isMixed
        type.properties[type.properties.count - 1].identity = field.identity
      }
      if type.columns.count > Self.columnLimit {
        report(.tooManyColumns(type: type.name, limit: Self.columnLimit), at: definition.name.range)
      }
      catalog.types.append(type)
      position += 1
    }
  }

  // MARK: Members

  /// Gives every interface and union its members, and each member the relation to its mirrored row and back.
  mutating func linkMembers() {
    checkInterfaces()
    var implementing: [EntityTypeID: [EntityTypeID]] = [:]
    for place in entityDrafts.indices {
      for id in Set(catalog.types[place].interfaces) { implementing[id, default: []].append(EntityTypeID(place)) }
    }
    for (position, index) in abstractDrafts.enumerated() {
      let id = EntityTypeID(entityDrafts.count + position)
      for member in members(of: drafts[index].definition, implementing[id] ?? []) { link(member, to: id) }
    }
  }

  private mutating func members(
    of definition: TypeDefinition, _ implementing: [EntityTypeID]
  ) -> [EntityTypeID] {
    guard definition.kind == .union else { return implementing }
    var members: [EntityTypeID] = []
    var known: Set<EntityTypeID> = []
    for name in definition.members {
      guard let index = draftIndex[name.text] else {
        let near = suggest(name.text, at: name.range, drafts.map(\.definition.name.text))
        report(.unknownType(name: name.text, near: near), at: name.range)
        continue
      }
      switch drafts[index].role {
      case .entity(let member) where !known.insert(member).inserted:
        report(.wrongMember(name: name.text, of: definition.name.text, reason: .repeated), at: name.range)
      case .entity(let member): members.append(member)
      case .embedded:
        report(.wrongMember(name: name.text, of: definition.name.text, reason: .withoutID), at: name.range)
      default:
        report(.wrongMember(name: name.text, of: definition.name.text, reason: .notAnObject), at: name.range)
      }
    }
    return members
  }

  private mutating func link(_ member: EntityTypeID, to id: EntityTypeID) {
    let (name, memberName) = (catalog[id].name, catalog[member].name)
    let down = RelationID(catalog.relations.count)
    let up = RelationID(catalog.relations.count + 1)
    // In place: a type has a column for each of many others, and a copy of it would have them all.
    let downColumn = Self.addColumn(to: &catalog[id], "as \(memberName)", .entity(member), isNonNull: false)
    let upColumn = Self.addColumn(to: &catalog[member], "as \(name)", .entity(id), isNonNull: false)
    catalog[id].members.append(TypeLink(type: member, relation: down))
    catalog[member].memberships.append(TypeLink(type: id, relation: up))
    // Both go together, whichever is deleted.
    for (relation, source, target, column, inverse) in [
      (down, id, member, downColumn, up), (up, member, id, upColumn, down),
    ] {
      var mirror = Relation(
        id: relation, source: source, target: target, property: nil, column: column, isToMany: false,
        isRequired: false, inverse: inverse, onDelete: .cascade)
      mirror.isMirror = true
      catalog.relations.append(mirror)
    }
  }

  // MARK: Implementing

  /// What a type says to implement must be interfaces, and all that these implement.
  private mutating func checkInterfaces() {
    // As sets: of n interfaces each may implement all that come before it.
    var implemented: [EntityTypeID: Set<EntityTypeID>] = [:]
    for draft in drafts {
      let definition = draft.definition
      var found: [EntityTypeID] = []
      var known: Set<EntityTypeID> = []
      for name in definition.interfaces {
        guard let index = draftIndex[name.text] else { continue }
        guard case .abstract(let id) = drafts[index].role, catalog[id].kind == .interface else {
          report(.notAnInterface(name: name.text), at: name.range)
          continue
        }
        switch draft.role {
        case .entity, .abstract:
          if known.insert(id).inserted {
            found.append(id)
          } else {
            report(.wrongMember(name: name.text, of: definition.name.text, reason: .repeated), at: name.range)
          }
        case .embedded:
          report(.wrongMember(name: definition.name.text, of: name.text, reason: .withoutID), at: name.range)
        default: break
        }
      }
      switch draft.role {
      case .entity(let id), .abstract(let id):
        catalog[id].interfaces = found
        implemented[id] = known
      default: break
      }
    }
    for draft in drafts {
      let type: EntityTypeID
      switch draft.role {
      case .entity(let id), .abstract(let id): type = id
      default: continue
      }
      for name in draft.definition.interfaces {
        guard let index = draftIndex[name.text], case .abstract(let id) = drafts[index].role else { continue }
        if id == type || implemented[id]?.contains(type) == true {
          let path = [catalog[type].name, catalog[id].name] + (id == type ? [] : [catalog[type].name])
          report(.cyclicInterface(path: path), at: name.range)
          catalog[type].interfaces.removeAll { $0 == id }
          implemented[type]?.remove(id)
          continue
        }
        let own = implemented[type] ?? []
        for inherited in catalog[id].interfaces where !own.contains(inherited) {
          report(
            .missingInterface(
              type: catalog[type].name, interface: catalog[inherited].name, through: catalog[id].name), at: name.range)
        }
      }
    }
  }

  /// Checks the fields of what implements an interface, and connects them with the interface's. Keys are non-null by now.
  mutating func bindMemberFields() {
    for draft in drafts {
      let type: EntityTypeID
      switch draft.role {
      case .entity(let id), .abstract(let id): type = id
      default: continue
      }
      for interface in catalog[type].interfaces { checkFields(of: type, interface, draft.definition) }
    }
    for position in abstractDrafts.indices {
      let id = EntityTypeID(entityDrafts.count + position)
      for index in catalog[id].properties.indices {
        let property = catalog[id].properties[index]
        var fields: [MemberField] = []
        var isCaseInsensitive = false
        for member in catalog[id].members {
          guard let own = catalog[member.type].property(named: property.name), fits(own, property) else { continue }
          fields.append(MemberField(member: member, property: own.id))
          isCaseInsensitive = isCaseInsensitive || own.isCaseInsensitive
        }
        catalog[id].properties[index].storage = .members(fields)
        catalog[id].properties[index].isCaseInsensitive = isCaseInsensitive
      }
    }
  }

  private mutating func checkFields(of type: EntityTypeID, _ interface: EntityTypeID, _ definition: TypeDefinition) {
    for property in catalog[interface].properties {
      guard let own = catalog[type].property(named: property.name) else {
        // A field that could not be built was reported.
        if definition.fields.contains(where: { $0.name.text == property.name }) { continue }
        report(
          .missingInterfaceField(
            type: catalog[type].name, interface: catalog[interface].name, field: property.name),
          at: definition.name.range)
        continue
      }
      if fits(own, property) { continue }
      let range = definition.fields.first { $0.name.text == property.name }?.type.range ?? definition.name.range
      report(
        .wrongInterfaceField(
          type: catalog[type].name, field: property.name, found: words(own.signature),
          interface: catalog[interface].name, expected: words(property.signature)), at: range)
    }
  }

  /// Covariance, as GraphQL has it: the same type, or a narrower one, or the same but non-null.
  private func fits(_ own: Property, _ wanted: Property) -> Bool {
    let (own, wanted) = (own.signature, wanted.signature)
    if wanted.isNonNull && !own.isNonNull || wanted.isElementNonNull && !own.isElementNonNull { return false }
    if zip(wanted.innerNonNull, own.innerNonNull).contains(where: { $0 && !$1 }) { return false }
    return fits(own.type, wanted.type)
  }

  private func fits(_ own: ValueType, _ wanted: ValueType) -> Bool {
    switch (own, wanted) {
    case (.entity(let first), .entity(let second)): catalog.isSubtype(first, of: second)
    case (.list(let first), .list(let second)): fits(first, second)
    default: own == wanted
    }
  }

  private func words(_ signature: TypeSignature) -> String {
    "'\(catalog.text(of: signature))'"
  }
}
