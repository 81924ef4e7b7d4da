import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  /// Flattens fragments and splats and groups by response key, in order of first appearance.
  func collect(_ sources: [SelectionSource], of parent: SelectionParent) -> [MergedEntry] {
    collect(sources, of: parent, as: nil).merged
  }

  /// For an interface or union, what is selected of its entities of one type; or with nil of those that no narrower
  /// type condition is about, the others being mentioned.
  func collect(
    _ sources: [SelectionSource], of parent: SelectionParent, as runtime: EntityTypeID?
  ) -> Collected {
    var result = Collected()
    if case .entity(let id) = parent {
      result.root = id
      result.runtime = catalog[id].isAbstract ? runtime : id
    }
    for source in sources {
      var source = source
      if runtime != nil, let root = result.root {
        source.environment = viewing(root, source.environment, result)
      }
      collect(source, of: parent, into: &result)
    }
    result.joinDirectives()
    if result.merged.count + result.letCount > options.limits.fields,
      let last = result.merged.last?.first.range ?? result.lastLet
    {
      report(.fieldLimit(limit: options.limits.fields), at: last)
    }
    return result
  }

  private func collect(
    _ source: SelectionSource, of parent: SelectionParent, into result: inout Collected
  ) {
    if let range = source.splat {
      addScalars(of: parent, range, source.environment, source.condition, to: &result)
    }
    if let expansion = source.expansion, case .entity(let id) = parent {
      if !catalog[id].isAbstract {
        addExpanded(expansion, of: id, source.environment, source.condition, to: &result)
      } else if let runtime = result.runtime {
        let environment = viewing(runtime, source.environment, result)
        addExpanded(expansion, of: runtime, environment, source.condition, to: &result)
      } else {
        // An entity comes whole as what it is.
        result.mentioned.formUnion(catalog.possibleTypes(of: id))
      }
    }
    guard let set = source.set else { return }
    var environment = source.environment
    var declared: EntityTypeID?
    if case .entity(let id) = parent { declared = id }
    for selection in set.selections {
      guard !isExhausted, count(at: selection.range) else { return }
      switch selection {
      case .letBinding(let node):
        check(node, environment, of: parent)
        environment.lets.set(node.name.text, to: environment.binding(of: node), in: lets)
        result.countLet(at: node.range)
      case .field(let node):
        guard let condition = condition(node.directives, and: source.condition, environment) else { continue }
        result.add(
          SelectionEntry(
            key: node.alias ?? node.name, field: node.name, arguments: node.arguments, directives: node.directives,
            set: node.selectionSet, environment: environment, condition: condition.expression, range: node.range,
            declared: declared))
      case .computed(let node):
        guard let condition = condition(node.directives, and: source.condition, environment) else { continue }
        result.add(
          SelectionEntry(
            key: node.name, expression: node.expression, directives: node.directives, set: node.selectionSet,
            environment: environment, condition: condition.expression, range: node.range, declared: declared))
      case .splat(let node):
        checkFragmentDirectives(node.directives, at: .field)
        guard let condition = condition(node.directives, and: source.condition, environment) else { continue }
        addScalars(of: parent, node.range, environment, condition.expression, to: &result)
        if node.isDouble { addRelations(of: parent, node.range, environment, condition.expression, to: &result) }
      case .inlineFragment(let node):
        checkFragmentDirectives(node.directives, at: .inlineFragment)
        var place = FragmentPlace(parent: parent, environment: environment)
        if let name = node.typeCondition {
          guard let entered = enter(name, parent, environment, &result) else { continue }
          place = entered
        }
        guard let condition = condition(node.directives, and: source.condition, environment) else { continue }
        let inner = SelectionSource(
          set: node.selectionSet, environment: place.environment, condition: condition.expression)
        if unreached.reaches(place, inner, at: node.range) {
          nested(at: node.range, ()) { $0.collect(inner, of: place.parent, into: &result) }
        }
      case .fragmentSpread(let node):
        checkFragmentDirectives(node.directives, at: .spread)
        guard let condition = condition(node.directives, and: source.condition, environment) else { continue }
        spread(node, environment, condition.expression, of: parent, into: &result)
      }
    }
  }

  /// Binds a `let` where it stands, for its errors; uses bind it again in their own scopes.
  private func check(_ node: LetBinding, _ environment: Environment, of parent: SelectionParent) {
    warn(ofLet: node.name, hiding: node.name, of: parent)
    if let number = environment.group() { return checkOfGroup(node, number, environment) }
    let known = query.sets.count
    let operand = bindOperand(node.expression, environment)
    if case .bare(let name) = operand { _ = resolveBare(name, environment) }
    query.sets.removeLast(query.sets.count - known)
  }

  private func spread(
    _ node: FragmentSpread, _ environment: Environment, _ condition: BoundExpression?, of parent: SelectionParent,
    into result: inout Collected
  ) {
    let name = node.name.text
    usedFragments.insert(name)
    guard let fragment = fragments[name] else {
      let near = suggest(node.name, fragments.keys.sorted())
      report(.unknownFragment(name: name, near: near), at: node.name.range)
      return
    }
    if cyclicFragments.contains(name) {
      // Nothing follows it, so all of the cycle counts as used.
      usedFragments.formUnion(cyclicFragments)
      return
    }
    guard let place = enter(fragment.typeCondition, parent, environment, &result) else { return }
    for directive in fragment.directives { unknown(directive, at: .fragment) }
    var inner = place.environment
    inner.lets = LetScope()
    inner.arguments = arguments(node, of: fragment, environment)
    if !inner.arguments.isEmpty { inner.spreads.append(node.range) }
    let source = SelectionSource(set: fragment.selectionSet, environment: inner, condition: condition)
    guard unreached.reaches(place, source, at: node.range) else { return }
    nested(at: node.range, ()) { $0.collect(source, of: place.parent, into: &result) }
  }

  /// Returns what a type condition selects from; nil where that is asked for each type, and for an unknown or unrelated
  /// type, which is reported.
  private func enter(
    _ name: Name, _ parent: SelectionParent, _ environment: Environment, _ result: inout Collected
  ) -> FragmentPlace? {
    let type: String
    switch parent {
    case .root:
      if ["Query", "Mutation", "Subscription"].contains(name.text) {
        return name.text == rootType ? FragmentPlace(parent: parent, environment: environment) : nil
      }
      type = rootType
    case .entity(let id):
      type = catalog[id].name
      if name.text != type, let condition = catalog.type(named: name.text), catalog.overlap(id, condition.id) {
        return enter(condition.id, environment, &result)
      }
    case .embedded(let id): type = catalog[id].name
    case .meta(let meta): type = meta.rawValue
    case .group(let id, _): type = catalog[id].name
    }
    if name.text == type { return FragmentPlace(parent: parent, environment: environment) }
    if catalog.types.contains(where: { $0.name == name.text })
      || catalog.embeddedTypes.contains(where: { $0.name == name.text }) || MetaType(rawValue: name.text) != nil
    {
      report(.impossibleFragment(condition: name.text, type: type), at: name.range)
    } else if let kind = kindOfValue(name.text) {
      report(.fragmentOnValue(name: name.text, kind: kind), at: name.range)
    } else {
      var isMeta = false
      if case .meta = parent { isMeta = true }
      let near = suggest(
        name,
        catalog.types.map(\.name) + catalog.embeddedTypes.map(\.name)
          + (isMeta ? MetaType.allCases.map(\.rawValue) : []))
      report(.unknownType(name: name.text, near: near), at: name.range)
    }
    return nil
  }

  private func enter(
    _ condition: EntityTypeID, _ environment: Environment, _ result: inout Collected
  ) -> FragmentPlace? {
    guard let root = result.root else { return nil }
    guard let runtime = result.runtime else {
      if condition == root { return FragmentPlace(parent: .entity(condition), environment: environment) }
      let possible = catalog.possibleTypes(of: root)
      result.mentioned.formUnion(catalog.possibleTypes(of: condition).filter(possible.contains))
      return nil
    }
    guard catalog.possibleTypes(of: condition).contains(runtime) else {
      guard let element = environment.element(), let type = environment.elementType,
        let seen = cast(element, from: type, to: condition)
      else { return nil }
      return FragmentPlace(
        parent: .entity(condition), environment: environment.viewing(seen, as: condition), isThere: false)
    }
    return FragmentPlace(parent: .entity(condition), environment: viewing(condition, environment, result))
  }

  /// The environment with the selected entity, whose type is known, seen as another of its types.
  private func viewing(_ type: EntityTypeID, _ environment: Environment, _ result: Collected) -> Environment {
    guard let root = result.root, let runtime = result.runtime, let index = environment.chain.last else {
      return environment
    }
    if type == root, root == runtime {
      var plain = environment
      plain.views[environment.chain.count - 1] = nil
      return plain
    }
    let own = EntityReference.scope(environment.scopes.count - 1 - index, root)
    guard let entity = cast(own, from: root, to: runtime), let seen = cast(entity, from: runtime, to: type) else {
      return environment
    }
    return environment.viewing(seen, as: type)
  }

  private func addScalars(
    of parent: SelectionParent, _ range: SourceRange, _ environment: Environment, _ condition: BoundExpression?,
    to result: inout Collected
  ) {
    var names: [String] = []
    var declared: EntityTypeID?
    switch parent {
    case .root: report(.misplacedSplat, at: range)
    case .entity(let id):
      declared = id
      for property in catalog[id].properties where !isRelation(property) || isOwned(property.signature.type) {
        names.append(property.name)
      }
    case .embedded(let id):
      names = catalog[id].fields.filter {
        !elementType(of: $0.signature.type).isEntity || isOwned($0.signature.type)
      }.map(\.name)
    case .meta(let meta): names = meta.definitions.filter { $0.inner == nil }.map(\.field.rawValue)
    case .group(_, let number): names = groups[number].keys.map(\.name)
    }
    // A splat is of fields, whatever a `let` is called.
    var environment = environment
    environment.lets = LetScope()
    for name in names where count(at: range) {
      let node = Name(name, at: range)
      result.add(
        SelectionEntry(
          key: node, field: node, environment: environment, condition: condition, range: range, declared: declared))
    }
  }

  private func addRelations(
    of parent: SelectionParent, _ range: SourceRange, _ environment: Environment, _ condition: BoundExpression?,
    to result: inout Collected
  ) {
    guard case .entity(let id) = parent else { return }
    for property in catalog[id].properties where isRelation(property) && !isOwned(property.signature.type) {
      guard count(at: range) else { return }
      let node = Name(property.name, at: range)
      result.add(
        SelectionEntry(
          key: node, field: node, splat: range, environment: environment, condition: condition, range: range,
          declared: id))
    }
  }

  /// A list of embedded objects is a value, as a single one is.
  private func isOwned(_ type: ValueType) -> Bool {
    guard case .list(.entity(let id)) = type else { return false }
    return catalog[id].isElement
  }
}
