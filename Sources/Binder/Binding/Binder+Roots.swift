import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  func rootFields(_ entries: [MergedEntry]) -> [BoundField] {
    var fields: [BoundField] = []
    for merged in entries {
      guard !isExhausted else { break }
      let (condition, inner) = merge(merged, of: .root)
      guard let content = bindRoot(merged, inner) else { continue }
      fields.append(BoundField(key: merged.key, condition: condition, content: content, range: merged.first.range))
    }
    return fields
  }

  func bindRoot(_ merged: MergedEntry, _ inner: [SelectionSource]) -> BoundField.Content? {
    let entry = computed(merged.first, of: .root)
    guard let name = entry.field else { return bindComputed(entry, inner) }
    if name.text == "__typename" { return isPlain(entry, inner, name) ? .typename(rootType) : nil }
    if name.text == "__schema" || name.text == "__type" { return bindIntrospection(entry, name, inner) }
    guard let named = catalog.root(named: name.text) else {
      let remedy = remedy(forRoot: name, entry)
      let near = remedy == nil ? suggest(name, catalog.rootFieldNames) : []
      report(.unknownRoot(name: name.text, near: near), remedy, at: name.range)
      return nil
    }
    let (root, arguments) = VersionBinder(binder: self).root(named, entry.arguments, of: name, entry.environment)
    let set = reserveSet(root.type, at: name.range)
    let hint = fieldDirectives(entry.directives, over: root.type, walks: ["recurse", "expand"])
    if let directive = entry.directives.first(where: { $0.name.text == "recurse" }) {
      report(.notRecursive(field: name.text, source: nil, target: catalog[root.type].name), at: directive.range)
    }
    var inner = inner
    if let expansion = expansion(entry.directives) {
      inner.append(SelectionSource(expansion: expansion, environment: entry.environment, condition: nil))
    }
    if !root.isList, catalog[root.type].isAbstract {
      bindKey(arguments, of: name, abstract: root.type, into: set, entry.environment)
      return bindSelection(set, inner, name, entry.environment).map { .one($0) }
    }
    if root.isList {
      var bound = BoundSet(type: root.type, source: root.source, range: name.range)
      bound.hint = hint
      if isGrouped(entry) {
        reportWalks(entry)
        return bindGroups(entry.with(arguments), inner, set, bound, name).map { .many($0) }
      }
      bindArguments(
        arguments, of: name, lets: inner, environment: entry.environment, into: &bound)
      query[set] = bound
    } else {
      var bound = BoundSet(type: root.type, source: .all, range: name.range)
      bound.hint = hint
      guard let source = KeyBinder(binder: self).source(arguments, of: name, root.type, entry.environment) else {
        _ = bindSelection(set, inner, name, entry.environment)
        return nil
      }
      bound.source = source
      query[set] = bound
    }
    guard let selection = bindSelection(set, inner, name, entry.environment) else { return nil }
    return root.isList ? .many(selection) : .one(selection)
  }

  /// Reports one element without what tells which: perhaps the list is meant.
  func reportMissingKey(of name: Name, _ type: EntityTypeID, _ keys: [[String]]) {
    report(.missingKey(field: name.text, keys: keys, list: catalog[type].rootMany), at: name.range)
  }

  /// All entities of a root, with the arguments of a selection.
  func rootSet(
    _ root: RootName, _ arguments: [Argument], _ name: Name, _ environment: Environment
  ) -> Operand {
    let (root, arguments) = VersionBinder(binder: self).root(root, arguments, of: name, environment)
    let set = reserveSet(root.type, at: name.range)
    var bound = BoundSet(type: root.type, source: root.source, range: name.range)
    bindArguments(arguments, of: name, environment: environment, into: &bound)
    query[set] = bound
    return .plural(PluralPath(set: set, type: root.type, range: name.range, text: name.text))
  }
}

extension Catalog {
  /// What a root field stands for: generated names first, then those of `type Query`.
  func root(named name: String) -> RootName? {
    for type in types where !type.isElement {
      if type.rootMany == name { return RootName(name: name, type: type.id, isList: true) }
      if type.rootOne == name { return RootName(name: name, type: type.id, isList: false) }
    }
    return rootNames.first { $0.name == name }
  }

  var rootFieldNames: [String] {
    types.filter { !$0.isElement }.flatMap { [$0.rootMany, $0.rootOne] } + rootNames.map(\.name)
  }
}

extension RootName {
  /// The entities of which arguments choose.
  fileprivate var source: BoundSet.Source { isDeleted ? .deleted(includesLive: false) : .all }
}
