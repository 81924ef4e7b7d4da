import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  // MARK: Objects

  /// The selection of a set's members; without a selection set their ids.
  func bindSelection(
    _ set: SetID, _ sources: [SelectionSource], _ name: Name, _ environment: Environment,
    recursion: BoundRecursion? = nil, isExpanded: Bool = false
  ) -> SelectionID? {
    let selection = reserveSelection(of: set)
    let type = query[set].type
    var sources = sources
    if sources.isEmpty, isGraphQL, !isExpanded, recursion == nil {
      report(.missingSelection(field: name.text), at: name.range)
    }
    if sources.isEmpty, catalog[type].isElement {
      // As a single embedded object does, a list of them comes whole.
      let fields = catalog[type].properties.map { property in
        Selection.field(Field(plain: Name(property.name, at: name.range)))
      }
      let all = SelectionSet(selections: fields, range: name.range)
      // Its fields are the element's, whatever a `let` is called.
      var inner = environment
      inner.lets = LetScope()
      sources = [SelectionSource(set: all, environment: inner)]
    }
    if sources.isEmpty {
      if recursion != nil {
        report(.missingSelection(field: name.text), at: name.range)
        return nil
      }
      guard let id = identity(of: .scope(0, type), type, at: name.range) else {
        report(.missingSelection(field: name.text), at: name.range)
        return nil
      }
      query.selections[selection.index].shape = .value(id)
      return selection
    }
    let inner = sources.map { source in
      var copy = source
      copy.environment = source.environment.entering(type)
      copy.environment.note(searches: searches(of: query[set]))
      return copy
    }
    frames.append(
      SelectionFrame(
        set: set, isRecursive: recursion != nil, recursionKey: recursion == nil ? nil : name.text))
    let siblings = inner.map { $0.selected(of: name.text) }
    var fields = withSiblings(siblings) { nested(at: name.range, []) { $0.bindFields(inner, of: type) } }
    frames.removeLast()
    if let recursion {
      if let other = fields.first(where: { $0.key == name.text }) {
        report(.recursionKey(key: name.text), at: other.range)
      }
      fields.append(BoundField(key: name.text, content: .recursion, range: recursion.range))
      query.selections[selection.index].recursion = recursion
    }
    query.selections[selection.index].shape = .object(fields)
    return selection
  }

  func bindFields(_ sources: [SelectionSource], of type: EntityTypeID) -> [BoundField] {
    UnreachedFragments.checking(self) {
      let collected = collect(sources, of: .entity(type), as: nil)
      if collected.mentioned.isEmpty { return bindFields(collected, of: type) }
      return bindFields(sources, byTypeOf: type, collected)
    }
  }

  func bindFields(_ collected: Collected, of type: EntityTypeID) -> [BoundField] {
    var fields: [BoundField] = []
    fields.reserveCapacity(collected.merged.count)
    for merged in collected.merged {
      guard !isExhausted else { break }
      let (condition, inner) = merge(merged, of: .entity(type))
      guard let content = bindField(merged, inner, of: collected.runtime ?? type) else { continue }
      var field = BoundField(key: merged.key, condition: condition, content: content, range: merged.first.range)
      field.omitsNull = merged.first.omitsNull
      fields.append(field)
    }
    return fields
  }

  private func bindField(
    _ merged: MergedEntry, _ inner: [SelectionSource], of runtime: EntityTypeID
  ) -> BoundField.Content? {
    let type = merged.first.declared ?? runtime
    if inner.isEmpty, let content = bindColumn(merged.first, of: type) { return content }
    var entry = computed(merged.first, of: .entity(type))
    guard let name = entry.field else { return bindComputed(entry, inner) }
    if name.text == "__typename" {
      return isPlain(entry, inner, name) ? typename(of: runtime, entry, at: name.range) : nil
    }
    if name.text == "_score" { return bindScoreField(entry, inner, name) }
    if name.text == "_inserted" { return bindInserted(entry, name) }
    if let content = bindMeta(entry, inner, name) { return content }
    if let element = entry.environment.element(), let value = metaValue(name, of: element) {
      return bindLifecycleField(entry, inner, value)
    }
    guard let property = catalog.property(named: name.text, of: type) else {
      if let remedy = remedy(forField: name, entry, of: type) {
        report(.unknownField(name: name.text, type: catalog[type].name, near: []), remedy, at: fieldPlace(entry, name))
      } else {
        reportUnknownField(name, of: catalog[type].name, among: catalog[type].properties.map(\.name))
      }
      return nil
    }
    guard let element = entry.environment.element() else { return nil }
    var takesArguments = true
    if case .computed = property.storage { takesArguments = false }
    var inner = inner
    if isRelation(property), let expansion = expansion(entry.directives) {
      inner.append(SelectionSource(expansion: expansion, environment: entry.environment, condition: nil))
    }
    let repeated = takesArguments ? recursion(of: entry, name, property, element) : nil
    if let parent = repeated?.parent {
      entry = entry.placed(in: entry.environment.repeating(parent))
      for index in inner.indices { inner[index].environment = inner[index].environment.repeating(parent) }
    }
    return bindField(
      repeated?.operand ?? shown(member(property, of: element, at: name.range), property.signature), entry, inner, name,
      takesArguments: takesArguments, recursion: repeated?.recursion)
  }

  /// Returns the value of a field that is a name and a column: most fields are, and nothing else can be meant.
  private func bindColumn(_ entry: SelectionEntry, of type: EntityTypeID) -> BoundField.Content? {
    guard entry.isName, let name = entry.field, name.text.utf8.first != UInt8(ascii: "_"),
      let (column, value) = catalog.column(named: name.text, of: type), let element = entry.environment.element()
    else { return nil }
    return .value(narrowed(BoundExpression(.column(element, column), value, at: name.range), at: name.range))
  }

  /// `_inserted`: whether the mutation field that answers has created the entity.
  private func bindInserted(_ entry: SelectionEntry, _ name: Name) -> BoundField.Content? {
    _ = fieldDirectives(entry.directives, over: nil)
    guard answersRows, entry.environment.scopes.count == 1, let element = entry.environment.element() else {
      report(.misplacedMeta(name: name.text), at: name.range)
      return nil
    }
    return .value(BoundExpression(.isInserted(element), .boolean, at: name.range))
  }

  func reportUnknownField(_ name: Name, of type: String, among known: @autoclosure () -> [String]) {
    if name.text == "_items" { return report(.outsideGroup("_items"), at: name.range) }
    report(.unknownField(name: name.text, type: type, near: suggest(name, known())), at: name.range)
  }

  /// What is selected of a field that is bound already.
  private func bindField(
    _ operand: Operand, _ entry: SelectionEntry, _ inner: [SelectionSource], _ name: Name, takesArguments: Bool,
    recursion: BoundRecursion? = nil
  ) -> BoundField.Content? {
    if !takesArguments, let argument = entry.arguments.first {
      report(.argumentsOnValue(field: name.text), at: argument.range)
      return nil
    }
    switch operand {
    case .entity(let reference, let target, _):
      let hint = fieldDirectives(entry.directives, over: target, walks: ["recurse", "expand"])
      if inner.isEmpty, entry.arguments.isEmpty, recursion == nil,
        let id = identity(of: reference, target, at: name.range)
      {
        if isGraphQL, !entry.isExpanded { report(.missingSelection(field: name.text), at: name.range) }
        return .value(id)
      }
      let set = reserveSet(target, at: name.range)
      var bound = BoundSet(type: target, source: source(of: reference), range: name.range)
      bound.hint = hint
      bindArguments(entry.arguments, of: name, lets: inner, environment: entry.environment, into: &bound)
      query[set] = bound
      return bindSelection(set, inner, entry, name, recursion).map { .one($0) }
    case .plural(let path):
      var bound = query[path.set]
      bound.range = name.range
      bound.hint = fieldDirectives(entry.directives, over: path.type, walks: ["recurse", "expand"])
      if takesArguments, isGrouped(entry) {
        reportWalks(entry)
        return bindGroups(entry, inner, path.set, bound, name).map { .many($0) }
      }
      if takesArguments {
        bindArguments(entry.arguments, of: name, lets: inner, environment: entry.environment, into: &bound)
      }
      query[path.set] = bound
      return bindSelection(path.set, inner, entry, name, recursion).map { .many($0) }
    case .value(let value):
      return isPlain(entry, inner, name) ? .value(narrowed(value.expression, at: name.range)) : nil
    case .embedded(let value):
      _ = fieldDirectives(entry.directives, over: nil)
      if let argument = entry.arguments.first {
        report(.argumentsOnValue(field: name.text), at: argument.range)
        return nil
      }
      if inner.isEmpty, isGraphQL, !entry.isExpanded { report(.missingSelection(field: name.text), at: name.range) }
      return bindEmbedded(value, inner, entry)
    default: return nil
    }
  }

  /// Returns whether a field that is a value is selected as one, without arguments and fields; else that is reported.
  func isPlain(_ entry: SelectionEntry, _ inner: [SelectionSource], _ name: Name) -> Bool {
    _ = fieldDirectives(entry.directives, over: nil)
    if let argument = entry.arguments.first {
      report(.argumentsOnValue(field: name.text), at: argument.range)
      return false
    }
    guard let set = entry.set ?? inner.compactMap(\.set).first else { return true }
    report(.selectionOnValue(field: name.text), at: set.range)
    return false
  }

  /// Returns a field as an answer shows it. Lists of lists are JSON as it was stored, but ids are texts in GraphQL.
  private func shown(_ operand: Operand, _ signature: TypeSignature) -> Operand {
    guard isGraphQL, case .list(.list) = signature.type, signature.type.innermost == .id,
      case .value(var value) = operand
    else { return operand }
    value.expression = BoundExpression(.call(.textIDs, [value.expression]), .json, at: value.expression.range)
    return .value(value)
  }

  /// An answer has no other Ints than a document may have.
  func narrowed(_ value: BoundExpression, at range: SourceRange) -> BoundExpression {
    guard options.ints != Int64.min...Int64.max, elementType(of: value.type) == .int else { return value }
    return BoundExpression(.call(.graphQLInt, [value]), value.type, at: range)
  }

  private func bindSelection(
    _ set: SetID, _ sources: [SelectionSource], _ entry: SelectionEntry, _ name: Name, _ recursion: BoundRecursion?
  ) -> SelectionID? {
    if recursion != nil, let cursor = query[set].paging?.after ?? query[set].paging?.before {
      report(.noCursor(of: "a recursion"), at: cursor.range)
    }
    return bindSelection(
      set, sources, recursion == nil ? name : Name(entry.key.text, at: name.range), entry.environment,
      recursion: recursion, isExpanded: entry.isExpanded)
  }

  /// The set of the one entity that a reference leads to. Precondition: it is no scope's own element.
  func source(of reference: EntityReference) -> BoundSet.Source {
    var branches: [RelationBranch] = []
    for path in reference.alternatives {
      if case .toOne(let base, let relation) = path {
        branches.append(RelationBranch(reference: base, relation: relation))
      }
    }
    if branches.count == 1, let only = branches.first { return .relation(only.reference, only.relation) }
    return .branches(branches)
  }

  /// An embedded object; without a selection set, whole.
  private func bindEmbedded(
    _ value: EmbeddedValue, _ sources: [SelectionSource], _ entry: SelectionEntry
  ) -> BoundField.Content {
    let type = catalog[value.type]
    if sources.isEmpty { return .embedded(presence: value.presenceExpression, whole(value, entry.environment)) }
    var fields: [BoundField] = []
    let all = nested(at: value.range, []) { $0.collect(sources, of: .embedded(value.type)) }
    for merged in all {
      let (condition, inner) = merge(merged)
      let entry = merged.first
      var content: BoundField.Content?
      if let name = entry.field {
        if name.text == "__typename" {
          if isPlain(entry, inner, name) { content = .typename(type.name) }
        } else if let index = type.fields.firstIndex(where: { $0.name == name.text }) {
          content = nested(at: name.range, nil) {
            let operand = $0.shown($0.member(index, of: value, at: name.range), type.fields[index].signature)
            return $0.bindField(operand, entry, inner, name, takesArguments: true)
          }
        } else {
          reportUnknownField(name, of: type.name, among: type.fields.map(\.name))
        }
      } else {
        content = bindComputed(entry, inner)
      }
      guard let content else { continue }
      fields.append(BoundField(key: merged.key, condition: condition, content: content, range: entry.range))
    }
    return .embedded(presence: value.presenceExpression, fields)
  }

  /// All fields of an embedded object; what it links to by ids, as where no selection is.
  private func whole(_ value: EmbeddedValue, _ environment: Environment) -> [BoundField] {
    nested(at: value.range, []) { binder in
      var fields: [BoundField] = []
      for (index, field) in binder.catalog[value.type].fields.enumerated() where binder.count(at: value.range) {
        let name = Name(field.name, at: value.range)
        let entry = SelectionEntry(
          wholeField: name, environment: environment, range: value.range)
        let operand = binder.member(index, of: value, at: value.range)
        guard let content = binder.bindField(operand, entry, [], name, takesArguments: true) else { continue }
        fields.append(BoundField(key: field.name, content: content, range: value.range))
      }
      return fields
    }
  }

  // MARK: Computed selections

  /// Warns of a `let` that is called like a field of an object where both can be meant.
  func warn(ofLet name: Name, hiding field: Name, of parent: SelectionParent) {
    guard let type = owner(ofField: field.text, parent) else { return }
    report(.letLikeField(name: name.text, type: type), at: name.range, severity: .warning)
  }

  /// Returns the name of the type whose field a plainly selected name is; nil where it is none.
  func owner(ofField name: String, _ parent: SelectionParent) -> String? {
    switch parent {
    case .entity(let type):
      catalog.property(named: name, of: type) != nil || name == "__typename" || Property.reservedNames.contains(name)
        ? catalog[type].name : nil
    case .embedded(let type):
      catalog[type].fields.contains { $0.name == name } || name == "__typename" ? catalog[type].name : nil
    case .root: catalog.root(named: name) != nil || name == "__typename" ? rootType : nil
    case .group(let type, let number):
      name == "_items" || groups[number].hasKey(name) ? "group of \(catalog[type].name)" : nil
    default: nil
    }
  }

  /// Returns what a `let` stands for, under its name, where no field is called so: `recent { id }`.
  func computed(_ entry: SelectionEntry, of parent: SelectionParent) -> SelectionEntry {
    guard let name = entry.field, let binding = entry.environment.lets[name.text] else { return entry }
    if owner(ofField: name.text, parent) != nil {
      if let range = binding.letName { warn(ofLet: Name(name.text, at: range), hiding: name, of: parent) }
      return entry
    }
    ExpressionRemedies(binder: self).reportArguments(entry.arguments, of: name, binding, entry.environment)
    return entry.computing(Expression(.name(name), at: name.range), entry.environment)
  }

  func bindComputed(_ entry: SelectionEntry, _ inner: [SelectionSource]) -> BoundField.Content? {
    guard let expression = entry.expression else { return nil }
    _ = fieldDirectives(entry.directives, over: nil)
    let operand = bindOperand(expression, entry.environment)
    switch resolve(operand, entry.environment) {
    case .error: return nil
    case .plural(let path):
      guard case .none = path.tail else {
        // A bag of values is the list of them.
        if let set = entry.set ?? inner.compactMap(\.set).first {
          report(.selectionOnValue(field: entry.key.text), at: set.range)
          return nil
        }
        return collected(path).map { .value($0) }
      }
      // `recent := messages(limit: 3) { text }` is a list like the relation itself.
      let name = Name(entry.key.text, at: path.range)
      return bindSelection(path.set, inner, name, entry.environment).map { .many($0) }
    case .entity(let reference, let type, let range) where !inner.isEmpty && !reference.isScope:
      let set = reserveSet(type, at: range)
      query[set] = BoundSet(type: type, source: source(of: reference), range: range)
      return bindSelection(set, inner, Name(entry.key.text, at: range), entry.environment).map { .one($0) }
    case .entity(let reference, let type, let range) where !inner.isEmpty:
      // An element around the place, once more; its own environment is that of the selection.
      let climb = climb(to: reference, entry.environment)
      let sources = inner.map { source in
        var copy = source
        copy.environment = source.environment.returning(to: climb)
        return copy
      }
      return .embedded(
        presence: .truth(true, at: range), nested(at: range, []) { $0.bindFields(sources, of: type) })
    case .single(let path) where !inner.isEmpty || path.isEntity && catalog[path.type].isElement:
      guard case .none = path.tail else {
        report(.selectionOnValue(field: entry.key.text), at: path.range)
        return nil
      }
      return bindSelection(path.set, inner, Name(entry.key.text, at: path.range), entry.environment).map { .one($0) }
    case .embedded(let value): return bindEmbedded(value, inner, entry)
    case let value:
      if let set = entry.set ?? inner.compactMap(\.set).first {
        report(.selectionOnValue(field: entry.key.text), at: set.range)
        return nil
      }
      guard let bound = self.value(value, entry.environment, at: expression.range) else { return nil }
      return .value(bound.expression)
    }
  }

  /// How many visible scopes out an element of the environment is.
  private func climb(to reference: EntityReference, _ environment: Environment) -> Int {
    (0..<environment.chain.count).first { environment.scope($0)?.depth == reference.scope } ?? 0
  }
}
