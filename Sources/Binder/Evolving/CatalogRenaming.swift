import GQLBase
import GQLCatalog

/// A catalog with the names that the next one gives to its types, fields and values of enums.
///
/// Each is the same where the number is, else where the name is, else where the next catalog says that it was called so.
/// After the renaming, names alone tell what is the same.
package struct CatalogRenaming {
  /// The catalog before, with new names. All identifiers are as they were.
  package private(set) var catalog: Catalog
  /// By the new name, `User`, `User.name` or `Status.OLD`: the name before.
  private(set) var names: [String: String] = [:]
  package private(set) var problems: [RenameProblem] = []
  private let old: Catalog
  private let new: Catalog

  /// A type, a field or a value of an enum, as it is matched.
  private struct Item {
    var name: String
    var identity: Identity
    /// The place in the catalog.
    var place: Int
  }

  package init(from old: Catalog, to new: Catalog) {
    self.old = old
    self.new = new
    catalog = old
    renameTypes()
    renameFields()
    renameEnumValues()
    if !names.isEmpty { nameColumns() }
  }

  // MARK: - Matching

  /// Returns for each new item the old one that it is.
  private mutating func match(_ before: [Item], _ after: [Item], in type: String?) -> [Int?] {
    var matches: [Int?] = Array(repeating: nil, count: after.count)
    var owners: [Int?] = Array(repeating: nil, count: before.count)
    func path(_ name: String) -> String { type.map { "\($0).\(name)" } ?? name }
    func take(_ place: Int, _ number: Int) {
      matches[number] = place
      owners[place] = number
    }
    let known = NameIndex(before.lazy.map(\.name))
    var numbers: [Int64: Int] = [:]
    for (place, item) in before.enumerated() { if let number = item.identity.number { numbers[number] = place } }
    for (number, item) in after.enumerated() {
      if let wanted = item.identity.number, let place = numbers[wanted], owners[place] == nil { take(place, number) }
    }
    for (number, item) in after.enumerated() where matches[number] == nil {
      guard let place = known[item.name] else { continue }
      if let owner = owners[place] {
        // With a number of its own it is another one, which took a name that had become free.
        if item.identity.number != nil { continue }
        problems.append(
          RenameProblem(
            kind: .numberIsTaken(before[place].identity.number ?? 0, by: item.name), path: path(after[owner].name)))
        matches[owner] = nil
      }
      take(place, number)
    }
    for (number, item) in after.enumerated() where matches[number] == nil {
      for name in item.identity.formerNames {
        guard let place = known[name] else { continue }
        if let owner = owners[place] {
          if after[owner].name == name {
            problems.append(RenameProblem(kind: .isStillThere(name), path: path(item.name)))
          }
          continue
        }
        take(place, number)
        break
      }
    }
    for (number, item) in after.enumerated() {
      guard let place = matches[number] else { continue }
      if let wanted = item.identity.number, let had = before[place].identity.number, wanted != had {
        problems.append(RenameProblem(kind: .numberIsOther(wanted, than: had), path: path(item.name)))
      }
      // Two of one name would be taken for one.
      if before[place].name != item.name, let other = known[item.name], owners[other] == nil {
        problems.append(
          RenameProblem(kind: .nameIsTaken(item.identity.number ?? 0, of: before[place].name), path: path(item.name)))
        matches[number] = nil
        owners[place] = nil
      }
    }
    return matches
  }

  // MARK: - Types

  private mutating func renameTypes() {
    func types(_ catalog: Catalog, isAbstract: Bool) -> [Item] {
      catalog.types.enumerated().filter { !$0.element.isElement && $0.element.isAbstract == isAbstract }
        .map { Item(name: $0.element.name, identity: $0.element.identity, place: $0.offset) }
    }
    for isAbstract in [false, true] {
      for (place, name) in renamed(types(old, isAbstract: isAbstract), types(new, isAbstract: isAbstract)) {
        let before = old.types[place]
        catalog.types[place].name = name
        // The names at the root follow where they were made of the type's.
        if before.rootMany == before.name { catalog.types[place].rootMany = name }
        if before.rootOne == SchemaBuilder.oneName(of: before.name) {
          catalog.types[place].rootOne = SchemaBuilder.oneName(of: name)
        }
      }
    }
    func embedded(_ catalog: Catalog) -> [Item] {
      catalog.embeddedTypes.enumerated().map {
        Item(name: $0.element.name, identity: $0.element.identity, place: $0.offset)
      }
    }
    for (place, name) in renamed(embedded(old), embedded(new)) { catalog.embeddedTypes[place].name = name }
    for place in catalog.types.indices {
      guard case .element(let id) = catalog.types[place].kind else { continue }
      catalog.types[place].name = catalog[id].name
    }
    func enums(_ catalog: Catalog) -> [Item] {
      catalog.enums.enumerated().filter { $0.element.id != catalog.statusType }
        .map { Item(name: $0.element.name, identity: $0.element.identity, place: $0.offset) }
    }
    for (place, name) in renamed(enums(old), enums(new)) { catalog.enums[place].name = name }
  }

  /// Returns the old types that get another name, with it.
  private mutating func renamed(_ before: [Item], _ after: [Item]) -> [(place: Int, name: String)] {
    var result: [(place: Int, name: String)] = []
    for (number, match) in match(before, after, in: nil).enumerated() {
      guard let match, before[match].name != after[number].name else { continue }
      result.append((before[match].place, after[number].name))
      names[after[number].name] = before[match].name
    }
    return result
  }

  // MARK: - Fields

  private mutating func renameFields() {
    let wanted = NameIndex(new.types.lazy.map { $0.isElement || $0.isAbstract ? "" : $0.name })
    for place in catalog.types.indices where catalog.types[place].kind == .entity {
      guard let type = wanted[catalog.types[place].name].map({ new.types[$0] }) else { continue }
      let before = catalog.types[place].properties.map { Item(name: $0.name, identity: $0.identity, place: 0) }
      let after = type.properties.map { Item(name: $0.name, identity: $0.identity, place: 0) }
      for (number, match) in match(before, after, in: type.name).enumerated() {
        guard let match, before[match].name != after[number].name else { continue }
        catalog.types[place].properties[match].name = after[number].name
        names["\(type.name).\(after[number].name)"] = before[match].name
      }
    }
    let wantedEmbedded = NameIndex(new.embeddedTypes.lazy.map(\.name))
    for place in catalog.embeddedTypes.indices {
      guard let type = wantedEmbedded[catalog.embeddedTypes[place].name].map({ new.embeddedTypes[$0] }) else {
        continue
      }
      let before = catalog.embeddedTypes[place].fields.map { Item(name: $0.name, identity: $0.identity, place: 0) }
      let after = type.fields.map { Item(name: $0.name, identity: $0.identity, place: 0) }
      for (number, match) in match(before, after, in: type.name).enumerated() {
        guard let match, before[match].name != after[number].name else { continue }
        catalog.embeddedTypes[place].fields[match].name = after[number].name
        names["\(type.name).\(after[number].name)"] = before[match].name
      }
    }
    // The elements of lists have the fields of their embedded type.
    for place in catalog.types.indices {
      guard case .element(let id) = catalog.types[place].kind else { continue }
      for (number, field) in catalog[id].fields.enumerated()
      where number < catalog.types[place].properties.count {
        catalog.types[place].properties[number].name = field.name
      }
    }
  }

  // MARK: - Enums

  private mutating func renameEnumValues() {
    func values(_ type: EnumType) -> [Item] {
      type.values.enumerated().map { place, name in
        Item(
          name: name, identity: type.notes.indices.contains(place) ? type.notes[place].identity : Identity(),
          place: place)
      }
    }
    let wanted = NameIndex(new.enums.lazy.map(\.name))
    for place in catalog.enums.indices where catalog.enums[place].id != catalog.statusType {
      guard let type = wanted[catalog.enums[place].name].map({ new.enums[$0] }), type.id != new.statusType else {
        continue
      }
      let before = values(catalog.enums[place])
      for (number, match) in match(before, values(type), in: type.name).enumerated() {
        guard let match, before[match].name != type.values[number] else { continue }
        catalog.enums[place].values[match] = type.values[number]
        names["\(type.name).\(type.values[number])"] = before[match].name
      }
    }
  }

  // MARK: - Columns

  /// Gives the columns and indexes the names that follow from those of types and fields.
  private mutating func nameColumns() {
    for place in catalog.types.indices {
      for property in catalog.types[place].properties { nameColumns(property.storage, property.name, place) }
    }
    for relation in catalog.relations where relation.property == nil {
      let target = catalog[relation.target]
      let inverse = catalog[relation.inverse]
      catalog[relation.source].columns[Int(relation.column.index)].name =
        relation.isMirror ? "as \(target.name)" : "~\(target.name).\(target[inverse.column].name)"
    }
    for place in catalog.indexes.indices {
      let index = catalog.indexes[place]
      func standard(_ catalog: Catalog) -> String {
        index.columns.map { catalog[index.type][$0].name }.joined(separator: ",")
      }
      if index.name == standard(old) { catalog.indexes[place].name = standard(catalog) }
    }
    catalog.indexNames()
  }

  private mutating func nameColumns(_ storage: PropertyStorage, _ path: String, _ type: Int) {
    func name(_ column: ColumnID) { catalog.types[type].columns[Int(column.index)].name = path }
    switch storage {
    case .column(let column, let folded):
      name(column)
      if let folded { name(folded) }
    case .embedded(let id, let presence, let fields):
      name(presence)
      for (field, inner) in zip(catalog[id].fields, fields) { nameColumns(inner, "\(path).\(field.name)", type) }
    case .relation(let id): name(catalog[id].column)
    case .members, .computed: break
    }
  }
}

extension CatalogRenaming {
  /// By the new name of a type: the name before, where it was another.
  package var typeNames: [String: String] { names.filter { !$0.key.contains(".") } }

  /// Returns the names that the types and columns of the next catalog have in this one; nil for those that are new.
  package func formerNames() -> [(type: String?, columns: [String?])] {
    let known = Dictionary(grouping: catalog.types) { Text($0.name) }
    return new.types.map { type in
      guard
        let same = known[Text(type.name)]?.first(where: {
          $0.isAbstract == type.isAbstract && $0.isElement == type.isElement
        })
      else { return (nil, Array(repeating: nil, count: type.columns.count)) }
      let before = old[same.id]
      let columns = NameIndex(same.columns.lazy.map(\.name))
      return (before.name, type.columns.map { column in columns[column.name].map { before.columns[$0].name } })
    }
  }
}
