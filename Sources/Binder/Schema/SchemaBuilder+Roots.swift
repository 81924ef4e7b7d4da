import GQLBase
import GQLCatalog
import GQLParser

extension SchemaBuilder {
  /// What a root name stands for, for messages.
  private struct Root: Hashable {
    var type: EntityTypeID
    var isList: Bool
  }

  private mutating func rootName(_ argument: String, of directive: Directive) -> String? {
    guard let name = string(argument, of: directive) else { return nil }
    guard name.isEmpty || GraphQLName.isReserved(name), let written = self.argument(argument, of: directive) else {
      return name
    }
    wrong(written, of: directive, expected: "a name")
    return nil
  }

  mutating func buildRoots() {
    var taken: [String: Root] = [:]
    for (position, index) in (entityDrafts + abstractDrafts).enumerated() {
      let definition = drafts[index].definition
      let id = EntityTypeID(position)
      var many = definition.name.text
      var one = Self.oneName(of: many)
      var range = definition.name.range
      if let directive = directives("root", of: definition.directives).first {
        if let name = rootName("many", of: directive) { many = name }
        if let name = rootName("one", of: directive) { one = name }
        range = directive.range
      }
      catalog.types[position].rootMany = many
      catalog.types[position].rootOne = one
      take(many, Root(type: id, isList: true), at: range, &taken)
      take(one, Root(type: id, isList: false), at: range, &taken)
    }
    guard let index = draftIndex[queryName], case .root = drafts[index].role else { return }
    var seen: [String: SourceRange] = [:]
    for field in drafts[index].definition.fields {
      let name = field.name.text
      if let first = seen.updateValue(field.name.range, forKey: name) {
        report(.duplicateField(name: name, type: queryName, first: first), at: field.name.range)
        continue
      }
      if GraphQLName.isReserved(name) {
        report(.reservedName(name: name), at: field.name.range)
        continue
      }
      if name == VersionCatalog.changesName { report(.versionName(name), at: field.name.range) }
      guard let root = root(field.type) else {
        report(.unusableRootField(name: name), at: field.name.range)
        continue
      }
      // `user(id: ID!): User` says what is there anyway.
      if taken[name] == root { continue }
      if take(name, root, at: field.name.range, &taken) {
        catalog.rootNames.append(RootName(name: name, type: root.type, isList: root.isList))
      }
    }
  }

  static func lowerFirst(_ name: String) -> String {
    guard let first = name.utf8.first, first >= 0x41, first <= 0x5A else { return name }
    return String(decoding: [first | 0x20], as: UTF8.self) + name.dropFirst()
  }

  /// Returns the root name of one object of a type: `user` for `User`, and `oneSheep` for a type `sheep`, whose list has
  /// the name itself.
  static func oneName(of type: String) -> String {
    let lower = lowerFirst(type)
    guard lower == type, let first = type.utf8.first else { return lower }
    guard first >= 0x61, first <= 0x7A else { return "one" + type }
    return "one" + String(decoding: [first & 0xDF], as: UTF8.self) + type.dropFirst()
  }

  @discardableResult
  private mutating func take(
    _ name: String, _ root: Root, at range: SourceRange, _ taken: inout [String: Root]
  ) -> Bool {
    if let other = taken[name] {
      report(.rootNameClash(name: name, first: words(other), second: words(root)), at: range)
      return false
    }
    if GraphQLName.isReserved(name) { report(.reservedName(name: name), at: range) }
    taken[name] = root
    return true
  }

  private func words(_ root: Root) -> String {
    let name = catalog[root.type].name
    return root.isList ? "the list of '\(name)'" : "one '\(name)'"
  }

  /// The entity type of `T`, `T!`, `[T]`, `[T!]!` …; nil for anything else.
  private func root(_ reference: TypeReference) -> Root? {
    switch reference {
    case .nonNull(let inner, _): return root(inner)
    case .named(let name):
      guard let index = draftIndex[name.text] else { return nil }
      switch drafts[index].role {
      case .entity(let id), .abstract(let id): return Root(type: id, isList: false)
      default: return nil
      }
    case .list(let inner, _):
      guard let element = root(inner), !element.isList else { return nil }
      return Root(type: element.type, isList: true)
    }
  }
}
