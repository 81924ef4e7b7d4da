import GQLBase
import GQLCatalog
import GQLParser

extension SchemaBuilder {
  mutating func addRelation(
    _ field: FieldDefinition, _ signature: TypeSignature, of source: EntityTypeID, _ property: PropertyID,
    _ column: ColumnID
  ) {
    let isToMany: Bool
    let target: EntityTypeID
    switch signature.type {
    case .list(.entity(let id)): (isToMany, target) = (true, id)
    case .entity(let id): (isToMany, target) = (false, id)
    default: return
    }
    var draft = RelationDraft(
      source: source, target: target, property: property, column: column, isToMany: isToMany,
      isRequired: !isToMany && signature.isNonNull, name: field.name.text, range: field.range)
    if let directive = directives("relation", of: field.directives).first {
      if let inverse = argument("inverse", of: directive), inverse.value.kind != .null {
        if let name = string("inverse", of: directive) { draft.inverse = (name, inverse.value.range) }
      } else if directive.arguments.isEmpty || argument("inverse", of: directive) != nil {
        draft.isDeclaredOneWay = true
      }
      draft.onDelete =
        choice("onDelete", of: directive, among: [Relation.DeleteRule.nullify, .cascade, .deny]) ?? .nullify
    }
    for name in ["collate", "default", "id"] {
      for directive in field.directives where directive.name.text == name {
        switch name {
        case "collate": report(.misplacedDirective(name: name, reason: .notText), at: directive.name.range)
        case "id":
          report(
            .invalidKey(
              field: field.name.text, type: drafts[entityDrafts[Int(source.index)]].definition.name.text,
              reason: .relation), at: directive.name.range)
        default:
          report(
            .wrongDefault(field: field.name.text, problem: .notConstant), at: directive.range)
        }
      }
    }
    if let value = field.defaultValue {
      report(.wrongDefault(field: field.name.text, problem: .notConstant), at: value.range)
    }
    if isOwned(target) {
      draft.isOwned = true
      draft.isDeclaredOneWay = true
      draft.inverse = nil
      draft.onDelete = .cascade
      for directive in field.directives where directive.name.text == "relation" {
        report(.misplacedDirective(name: "relation", reason: .notRelation), at: directive.name.range)
      }
    }
    relationIndex[source, default: [:]][field.name.text] = relations.count
    relations.append(draft)
  }

  func isOwned(_ target: EntityTypeID) -> Bool { Int(target.index) >= entityDrafts.count + abstractDrafts.count }

  /// A relation that no field of an entity type's own definition stands for: inside an embedded object.
  mutating func addEmbeddedRelation(
    _ name: String, _ signature: TypeSignature, of source: EntityTypeID, _ property: PropertyID, _ column: ColumnID,
    presence: ColumnID?, at range: SourceRange
  ) -> RelationID {
    var isToMany = false
    var target = source
    switch signature.type {
    case .list(.entity(let id)): (isToMany, target) = (true, id)
    case .entity(let id): target = id
    default: break
    }
    var draft = RelationDraft(
      source: source, target: target, property: property, column: column, isToMany: isToMany,
      isRequired: !isToMany && signature.isNonNull, name: name, range: range)
    draft.isInEmbedded = presence != nil
    draft.presence = presence
    draft.isDeclaredOneWay = true
    draft.isOwned = isOwned(target)
    if draft.isOwned { draft.onDelete = .cascade }
    relations.append(draft)
    return RelationID(relations.count - 1)
  }

  mutating func buildRelations() {
    // All properties are there: inverses are found by name.
    for place in catalog.types.indices { catalog.types[place].indexNames() }
    for index in relations.indices { pair(index) }
    warnOfPossibleInverses()
    // Directions with a property first, in the order of the schema, so that identifiers do not depend on pairing.
    for index in relations.indices {
      let draft = relations[index]
      if !draft.isInEmbedded {
        catalog[draft.source].properties[Int(draft.property.index)].storage = .relation(RelationID(index))
      }
      var relation = Relation(
        id: RelationID(index), source: draft.source, target: draft.target, property: draft.property,
        column: draft.column, isToMany: draft.isToMany, isRequired: draft.isRequired,
        inverse: RelationID(draft.partner ?? index), onDelete: draft.onDelete)
      relation.presence = draft.presence
      catalog.relations.append(relation)
    }
    for index in relations.indices where relations[index].partner == nil {
      let draft = relations[index]
      let hidden = RelationID(catalog.relations.count)
      let name = "~\(catalog[draft.source].name).\(draft.name)"
      // Many sources may name one target, whatever the cardinality of the written side.
      let type: ValueType = draft.isOwned ? .entity(draft.source) : .list(.entity(draft.source))
      let column = Self.addColumn(to: &catalog[draft.target], name, type, isNonNull: false)
      catalog.relations[index].inverse = hidden
      catalog.relations.append(
        Relation(
          id: hidden, source: draft.target, target: draft.source, property: nil, column: column,
          isToMany: !draft.isOwned, isRequired: false, inverse: RelationID(index)))
    }
  }

  /// Makes the two sides of a mutual relation partners.
  private mutating func pair(_ index: Int) {
    let draft = relations[index]
    guard let inverse = draft.inverse else { return }
    let target = catalog[draft.target]
    guard let other = relationIndex[draft.target]?[inverse.name] else {
      if target.isAbstract, target.property(named: inverse.name) != nil {
        report(.inverseOfMembers(name: inverse.name, type: target.name), at: inverse.range)
      } else if target.property(named: inverse.name) != nil {
        report(
          .inverseIsOther(name: inverse.name, target: target.name, source: catalog[draft.source].name),
          at: inverse.range)
      } else {
        let near = suggest(inverse.name, at: inverse.range, target.properties.map(\.name))
        report(.unknownInverse(name: inverse.name, target: target.name, near: near), at: inverse.range)
      }
      return
    }
    guard relations[other].target == draft.source else {
      report(
        .inverseIsOther(name: inverse.name, target: target.name, source: catalog[draft.source].name),
        at: inverse.range)
      return
    }
    // The other side may name another inverse, or already have a partner.
    let contradicts = relations[other].inverse.map { $0.name != draft.name } ?? relations[other].isDeclaredOneWay
    let isTaken = relations[other].partner.map { $0 != index } ?? false
    let isEngaged = draft.partner.map { $0 != other } ?? false
    if contradicts || isTaken || isEngaged {
      report(
        .inverseConflict(
          field: draft.name, type: catalog[draft.source].name, inverse: inverse.name, target: target.name,
          other: relations[other].inverse?.range ?? relations[other].partnerRange ?? relations[other].range),
        at: inverse.range)
      return
    }
    relations[index].partner = other
    relations[other].partner = index
    relations[index].partnerRange = inverse.range
    relations[other].partnerRange = inverse.range
  }

  private mutating func warnOfPossibleInverses() {
    var byTypes: [[EntityTypeID]: [Int]] = [:]
    for (index, draft) in relations.enumerated() where isFree(draft) {
      byTypes[[draft.source, draft.target], default: []].append(index)
    }
    for (index, draft) in relations.enumerated() where isFree(draft) {
      // Among so many none stands out.
      let (there, here) = (byTypes[[draft.target, draft.source]] ?? [], byTypes[[draft.source, draft.target]] ?? [])
      guard max(there.count, here.count) <= 64 else { continue }
      let candidates = there.filter { matches($0, index) }
      guard candidates.count == 1, let other = candidates.first else { continue }
      let back = here.filter { matches($0, other) }
      guard back == [index] else { continue }
      // Once per pair: at the to-many side, or at the first of two alike.
      let isHere = draft.isToMany != relations[other].isToMany ? draft.isToMany : index < other
      guard isHere else { continue }
      report(
        .possibleInverse(
          field: draft.name, type: catalog[draft.source].name, inverse: relations[other].name,
          target: catalog[draft.target].name, insertAt: SourceRange(at: draft.range.end)),
        at: draft.range)
    }
  }

  private func isFree(_ draft: RelationDraft) -> Bool {
    draft.inverse == nil && draft.partner == nil && !draft.isDeclaredOneWay
  }

  private func matches(_ candidate: Int, _ index: Int) -> Bool {
    guard candidate != index else { return false }
    // `mother` and `father` of one type are no two sides.
    let isWithinOneType = relations[index].source == relations[index].target
    return !isWithinOneType || relations[index].isToMany || relations[candidate].isToMany
  }
}
