import GQLBase
import GQLCatalog

/// What two catalogs say differently, and where the data of the new one comes from in the old one.
///
/// Types and fields are the same where their numbers or names are, or where the new catalog says what they were called;
/// so are values of enums, which have no numbers.
package struct CatalogComparison {
  /// With the names that the new one gives.
  let old: Catalog
  let new: Catalog
  package private(set) var mapping: CatalogMapping
  package var differences: [CatalogDifference] = []
  /// Contradictions between the names and numbers of the two catalogs. What they concern is passed over.
  package let problems: [RenameProblem]
  /// By the new name of a type or field: the name before, where it was another.
  let formerNames: [String: String]
  /// By new direction that has a field: the old direction of that field.
  private var pairs: [RelationID?]
  /// By type of either catalog: what the paths of its fields begin with.
  private let oldPaths: [String]
  private let newPaths: [String]

  /// A field of an entity type or of an embedded object.
  private struct Slot {
    var path: String
    var signature: TypeSignature
    var storage: PropertyStorage
    var defaultValue: DefaultValue?
    var presence: ColumnID?
  }

  package init(from old: Catalog, to new: Catalog) {
    let renaming = CatalogRenaming(from: old, to: new)
    let old = renaming.catalog
    self.old = old
    self.new = new
    problems = renaming.problems
    formerNames = renaming.names
    mapping = CatalogMapping(from: old, to: new)
    pairs = Array(repeating: nil, count: new.relations.count)
    oldPaths = Self.paths(old)
    newPaths = Self.paths(new)
    matchTypes()
    compareEnums()
    compareTypes()
    mapColumns()
    mapLinks()
  }

  // MARK: - Types

  /// The names of the types; for the elements of a list of embedded objects the list, if there is one only: `User.addrs`.
  private static func paths(_ catalog: Catalog) -> [String] {
    var lists: [EntityTypeID: [Relation]] = [:]
    for relation in catalog.relations
    where relation.isToMany && relation.onDelete == .cascade && catalog[relation.target].isElement {
      lists[relation.target, default: []].append(relation)
    }
    var paths = catalog.types.map(\.name)
    func path(_ type: EntityTypeID, depth: Int) -> String {
      let entity = catalog[type]
      // Deeper ones have a list of their own kind around them.
      guard entity.isElement, depth < 64, let lists = lists[type], lists.count == 1, let list = lists.first else {
        return entity.name
      }
      return "\(path(list.source, depth: depth + 1)).\(catalog[list.source][list.column].name)"
    }
    for type in catalog.types where type.isElement { paths[Int(type.id.index)] = path(type.id, depth: 0) }
    return paths
  }

  private mutating func matchTypes() {
    // An element type has the name of its embedded type, which no other type has.
    let known = Dictionary(grouping: old.types) { Text($0.name) }
    for type in new.types {
      guard let same = known[Text(type.name)]?.first(where: { Self.areSame($0, type) }) else { continue }
      mapping.oldTypes[Int(type.id.index)] = same.id
      mapping.newTypes[Int(same.id.index)] = type.id
    }
  }

  private static func areSame(_ old: EntityType, _ new: EntityType) -> Bool {
    old.isAbstract == new.isAbstract && old.isElement == new.isElement
  }

  private mutating func mapColumns() {
    for type in new.types where !type.isAbstract {
      guard let oldID = mapping.oldTypes[Int(type.id.index)] else {
        for property in type.properties { add(slot(property, type), to: type.id) }
        continue
      }
      let before = old[oldID]
      let known = NameIndex(before.properties.lazy.map(\.name))
      let wanted = NameIndex(type.properties.lazy.map(\.name))
      for property in type.properties {
        if let same = known[property.name].map({ before.properties[$0] }) {
          match(slot(property, type), slot(same, before, isOld: true), type.id, before.id)
        } else {
          add(slot(property, type), to: type.id)
        }
      }
      for property in before.properties where !wanted.contains(property.name) {
        remove(slot(property, before, isOld: true), from: before.id, replacement: nil)
      }
      for (column, oldColumn) in [
        (type.createdColumn, before.createdColumn), (type.updatedColumn, before.updatedColumn),
      ] {
        guard let column, let oldColumn else { continue }
        set(column, of: type.id, CatalogMapping.Column(path: "\(type.name).\(type[column].name)", old: oldColumn))
      }
    }
  }

  private func slot(_ property: Property, _ type: EntityType, isOld: Bool = false) -> Slot {
    Slot(
      path: "\((isOld ? oldPaths : newPaths)[Int(type.id.index)]).\(property.name)", signature: property.signature,
      storage: property.storage,
      defaultValue: property.defaultValue)
  }

  private func slots(_ slot: Slot, _ catalog: Catalog) -> [(name: String, slot: Slot)] {
    guard case .embedded(let id, let presence, let fields) = slot.storage else { return [] }
    return zip(catalog[id].fields, fields).map { field, storage in
      let inner = Slot(
        path: "\(slot.path).\(field.name)", signature: field.signature, storage: storage,
        defaultValue: field.defaultValue, presence: presence)
      return (field.name, inner)
    }
  }

  private mutating func set(_ column: ColumnID, of type: EntityTypeID, _ source: CatalogMapping.Column) {
    mapping.columns[Int(type.index)][Int(column.index)] = source
  }

  /// A field that was not there. Inside an embedded object that has a default of its own, `given` is what that says.
  private mutating func add(_ slot: Slot, to type: EntityTypeID, given: Value?? = nil) {
    switch slot.storage {
    case .column(let column, _):
      var fill = slot.defaultValue
      if case .some(.some(let value)) = given { fill = value.isNull ? nil : .value(value) }
      set(
        column, of: type,
        CatalogMapping.Column(
          path: slot.path, fill: fill, presence: slot.presence, isRequired: slot.signature.isNonNull))
    case .embedded(_, let presence, _):
      var members: [Value.Member]?
      if case .some(.some(let value)) = given {
        if case .object(let given) = value { members = given }
      } else if case .value(.object(let given))? = slot.defaultValue {
        members = given
      }
      set(
        presence, of: type,
        CatalogMapping.Column(
          path: slot.path, fill: members == nil ? nil : .value(.boolean(true)), presence: slot.presence,
          isRequired: slot.signature.isNonNull))
      for (name, inner) in slots(slot, new) {
        let member = members?.first { $0.name.string == name }
        add(inner, to: type, given: member.map { .some($0.value) })
      }
    case .relation, .members, .computed: break
    }
  }

  /// A field whose values go; `replacement` is the type of the one that has its name now.
  private mutating func remove(_ slot: Slot, from type: EntityTypeID, replacement: String?) {
    switch slot.storage {
    case .column(let column, _), .embedded(_, presence: let column, _):
      mapping.removedFields.append(
        CatalogMapping.RemovedField(path: slot.path, type: type, column: column, replacement: replacement))
      // What an embedded object links to goes with it, lists of objects too.
      for (_, inner) in slots(slot, old) {
        switch inner.storage {
        case .relation, .embedded: remove(inner, from: type, replacement: replacement)
        case .column, .members, .computed: break
        }
      }
    case .relation(let id):
      mapping.removedFields.append(
        CatalogMapping.RemovedField(
          path: slot.path, type: type, column: old[id].column, relation: id, replacement: replacement))
    case .members, .computed: break
    }
  }

  private mutating func match(_ slot: Slot, _ before: Slot, _ type: EntityTypeID, _ oldType: EntityTypeID) {
    switch (slot.storage, before.storage) {
    case (.column(let column, _), .column(let oldColumn, _)):
      let conversion = conversion(before.signature, slot.signature)
      let isRequired = slot.signature.isNonNull && (!before.signature.isNonNull || conversion != nil)
      set(
        column, of: type,
        CatalogMapping.Column(
          path: slot.path, old: oldColumn, conversion: conversion, fill: isRequired ? slot.defaultValue : nil,
          presence: slot.presence, isRequired: isRequired))
    case (.embedded(let id, let presence, _), .embedded(let oldID, let oldPresence, _)) where isKept(oldID, id):
      let isRequired = slot.signature.isNonNull && !before.signature.isNonNull
      set(
        presence, of: type,
        CatalogMapping.Column(path: slot.path, old: oldPresence, presence: slot.presence, isRequired: isRequired))
      let fields = slots(slot, new)
      let oldFields = slots(before, old)
      let known = NameIndex(oldFields.lazy.map(\.name))
      let wanted = NameIndex(fields.lazy.map(\.name))
      for (name, inner) in fields {
        if let same = known[name] {
          match(inner, oldFields[same].slot, type, oldType)
        } else {
          add(inner, to: type)
        }
      }
      for (name, inner) in oldFields where !wanted.contains(name) {
        remove(inner, from: oldType, replacement: nil)
      }
    case (.relation(let id), .relation(let oldID)) where canFollow(old[oldID], new[id]):
      pairs[Int(id.index)] = oldID
    case (.column(let column, _), _) where slot.signature.type == .json && composition(before) != nil:
      set(
        column, of: type,
        CatalogMapping.Column(
          path: slot.path, composition: composition(before),
          fill: slot.signature.isNonNull ? slot.defaultValue : nil, presence: slot.presence,
          isRequired: slot.signature.isNonNull))
      removeLinks(before, from: oldType)
    case (.computed, _), (.members, _), (_, .computed), (_, .members), (.relation, _), (.column, _), (.embedded, _):
      let isComputed = if case .computed = slot.storage { true } else { false }
      remove(
        before, from: oldType, replacement: isComputed ? "a computed field" : "'\(new.text(of: slot.signature))'")
      add(slot, to: type)
    }
  }

  /// Whether an embedded object stays one: its type does, or a field of it. An object of another type that keeps nothing
  /// is another one, and the old one is lost.
  private func isKept(_ before: EmbeddedTypeID, _ type: EmbeddedTypeID) -> Bool {
    if old[before].name == new[type].name { return true }
    let known = NameIndex(old[before].fields.lazy.map(\.name))
    return new[type].fields.contains { known.contains($0.name) }
  }

  /// An embedded object, or a list of such, as a JSON value; nil for what is neither.
  private func composition(_ before: Slot) -> CatalogMapping.Composition? {
    switch before.storage {
    case .embedded: return composition(of: before)
    case .relation(let id) where old[old[id].target].isElement: return composition(of: before)
    case .relation, .column, .members, .computed: return nil
    }
  }

  /// What the language prints for a field inside an embedded object; nil where that is nothing.
  private func composition(of slot: Slot) -> CatalogMapping.Composition? {
    switch slot.storage {
    case .column(let column, _): return .value(column, slot.signature)
    case .embedded(_, let presence, _):
      return .object(presence: presence, members(slots(slot, old)))
    case .relation(let id):
      let target = old[old[id].target]
      guard target.isElement else { return target.idProperties.count == 1 ? .ids(id) : nil }
      return .elements(
        id, members(target.properties.map { ($0.name, self.slot($0, target, isOld: true)) }))
    case .members, .computed: return nil
    }
  }

  private func members(_ slots: [(name: String, slot: Slot)]) -> [CatalogMapping.Composition.Member] {
    slots.compactMap { name, slot in
      composition(of: slot).map { CatalogMapping.Composition.Member(name, $0) }
    }
  }

  /// Links in an object that becomes a JSON value are links no more, though their ids stay.
  private mutating func removeLinks(_ slot: Slot, from type: EntityTypeID) {
    switch slot.storage {
    case .relation(let id) where !old[old[id].target].isElement:
      mapping.removedFields.append(
        CatalogMapping.RemovedField(
          path: slot.path, type: type, column: old[id].column, relation: id, replacement: "a part of a JSON value"))
    case .relation(let id):
      let element = old[old[id].target]
      for property in element.properties { removeLinks(self.slot(property, element, isOld: true), from: element.id) }
    case .embedded: for (_, inner) in slots(slot, old) { removeLinks(inner, from: type) }
    case .column, .members, .computed: break
    }
  }

  /// Whether links to the old target can be links to the new one.
  private func canFollow(_ before: Relation, _ relation: Relation) -> Bool {
    if let target = mapping.newTypes[Int(before.target.index)], target == relation.target { return true }
    if old[before.target].isElement || new[relation.target].isElement { return false }
    let possible = Set(new.possibleTypes(of: relation.target))
    return old.possibleTypes(of: before.target).contains { type in
      mapping.newTypes[Int(type.index)].map(possible.contains) ?? false
    }
  }

  // MARK: - Cells

  /// Nil where the cells stay as they are.
  private func conversion(_ from: TypeSignature, _ to: TypeSignature) -> CatalogMapping.Conversion? {
    hasSameCells(from, to) ? nil : CatalogMapping.Conversion(from: from, to: to)
  }

  private func hasSameCells(_ from: TypeSignature, _ to: TypeSignature) -> Bool {
    switch (from.type, to.type) {
    case (.list(let before), .list(let after)):
      let levels = zip([from.isElementNonNull] + from.innerNonNull, [to.isElementNonNull] + to.innerNonNull)
      if levels.contains(where: { !$0 && $1 }) { return false }
      if case .list = before { return isSameNested(before, after) }
      return isSame(before, after)
    case (.list(.list), .scalar(.json)): return true
    default: return isSame(from.type, to.type)
    }
  }

  /// Lists of lists lie as JSON, in which enum values are names.
  private func isSameNested(_ from: ValueType, _ to: ValueType) -> Bool {
    switch (from, to) {
    case (.list(let before), .list(let after)): isSameNested(before, after)
    case (.enumeration(let before), .enumeration(let after)):
      old[before].values.allSatisfy {
        new[after].values.contains($0) && formerNames["\(old[before].name).\($0)"] == nil
      }
    case (.scalar(let before), .scalar(let after)): before == after
    default: false
    }
  }

  private func isSame(_ from: ValueType, _ to: ValueType) -> Bool {
    switch (from, to) {
    case (.scalar(let before), .scalar(let after)):
      if before == after { return true }
      // A text is an id that prints as one; a UUID lies as its canonical text.
      return [.string, .cursor, .uuid].contains(before) && [.string, .cursor, .id].contains(after)
    case (.enumeration(let before), .enumeration(let after)): return new[after].values.starts(with: old[before].values)
    default: return false
    }
  }

  // MARK: - Links

  private mutating func mapLinks() {
    for type in new.types where !type.isAbstract {
      guard let oldID = mapping.oldTypes[Int(type.id.index)] else { continue }
      for membership in type.memberships {
        guard let abstract = mapping.oldTypes[Int(membership.type.index)],
          let before = old[oldID].memberships.first(where: { $0.type == abstract })
        else { continue }
        pairs[Int(membership.relation.index)] = before.relation
        pairs[Int(new[membership.relation].inverse.index)] = old[before.relation].inverse
      }
    }
    for relation in new.relations {
      var sources: [RelationID] = []
      if let own = pairs[Int(relation.id.index)] { sources.append(own) }
      if let other = pairs[Int(relation.inverse.index)] {
        // What the field at the other end held; once, where both held the same links.
        let source = old[other].inverse
        if !sources.contains(source) { sources.append(source) }
      }
      mapping.links[Int(relation.id.index)] = sources
      mapping.sameFields[Int(relation.id.index)] = pairs[Int(relation.id.index)]
      mapping.linkPaths[Int(relation.id.index)] = path(relation)
    }
    // A field may go and its links stay: with the field at the other end.
    let kept = Set(mapping.links.joined())
    mapping.removedFields.removeAll { field in
      guard let relation = field.relation else { return false }
      return kept.contains(relation) || kept.contains(old[relation].inverse)
    }
  }

  /// `User.chats`, or that of the other direction.
  private func path(_ relation: Relation) -> String {
    let shown = relation.property == nil ? new[relation.inverse] : relation
    let type = new[shown.source]
    return "\(newPaths[Int(type.id.index)]).\(type[shown.column].name)"
  }
}
