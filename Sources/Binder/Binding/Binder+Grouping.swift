import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// What is known of a grouping while its selection is bound.
struct GroupBinding {
  struct Key {
    var name: String
    /// Bound for a member wherever the key is used, as a `let` is.
    var binding: Environment.Binding
    /// Reported already.
    var isWrong: Bool
  }
  var type: EntityTypeID
  /// The members' scope, an index into `Environment.scopes`; the group's own stands behind it.
  var scope: Int
  var selection: SelectionID
  var keys: [Key] = []
  var aggregates: [BoundGroupAggregate] = []
  /// The aggregates by what they say, so that each is computed once.
  var known: [String: Int] = [:]
  /// What is selected of the groups.
  var sources: [SelectionSource] = []
  /// The computed selections among it, once somebody asks for one.
  var aliases: [String: Environment.Binding]?

  func hasKey(_ name: String) -> Bool { keys.contains { $0.name == name } }
}

extension Binder {
  /// Whether a selection of many is one of groups: not where `groupBy` is null, or a variable that holds none.
  func isGrouped(_ entry: SelectionEntry) -> Bool {
    guard let argument = entry.arguments.first(where: { $0.name.text == "groupBy" }) else { return false }
    return holdsKeys(argument.value, entry.environment)
  }

  /// Whether a value of `groupBy` is not null, as far as it is known.
  func holdsKeys(_ expression: Expression, _ environment: Environment) -> Bool {
    if expression.kind == .null { return false }
    guard let fields = namedFields(expression, environment) else { return true }
    return !options.knowsValues || fields.value != nil
  }

  /// Returns whether a variable whose value is not known yet says what a selection is grouped by.
  private func hasOpenKeys(_ expression: Expression, _ environment: Environment) -> Bool {
    !options.knowsValues && elements(of: expression).contains { namedFields($0, environment) != nil }
  }

  /// A selection of many with `groupBy`: the set without order and limit, which are the groups'.
  func bindGroups(
    _ entry: SelectionEntry, _ sources: [SelectionSource], _ set: SetID, _ bound: BoundSet, _ name: Name
  ) -> SelectionID? {
    let keys = entry.arguments.first { $0.name.text == "groupBy" }
    guard let keys, hasOpenKeys(keys.value, entry.environment) else {
      return bindKnownGroups(entry, sources, set, bound, name)
    }
    // Which names are keys, and whether there are groups, is known when the variable is: the run tells what is wrong.
    let known = (diagnostics, reported)
    let selection = bindKnownGroups(entry, sources, set, bound, name)
    (diagnostics, reported) = known
    return selection
  }

  private func bindKnownGroups(
    _ entry: SelectionEntry, _ sources: [SelectionSource], _ set: SetID, _ bound: BoundSet, _ name: Name
  ) -> SelectionID? {
    let environment = entry.environment
    let selection = reserveSelection(of: set)
    var bound = bound
    let (own, rest) = groupArguments(entry.arguments)
    bindArguments(rest, of: name, lets: sources, environment: environment, into: &bound)
    if let cursor = bound.paging?.after ?? bound.paging?.before {
      report(.noCursor(of: "a grouping"), at: cursor.range)
    }
    query[set] = bound

    var member = environment.entering(bound.type)
    let scope = member.scopes.count - 1
    member.note(searches: searches(of: bound))
    member = adding(lets: sources, to: member)
    let number = groups.count
    groups.append(GroupBinding(type: bound.type, scope: scope, selection: selection))
    var grouping = BoundGrouping(keys: [])
    if let argument = own["groupBy"] {
      grouping.keys = withSiblings(sources) { bindKeys(argument.value, member, number) }
    }
    let group = enteringGroup(number, member)
    var inner = sources.map { source in
      var copy = source
      var member = source.environment.entering(bound.type)
      member.note(searches: searches(of: bound))
      copy.environment = enteringGroup(number, member)
      return copy
    }
    groups[number].sources = inner
    var naming = group
    naming.aliases = number
    withSiblings(inner) {
      if let argument = own["having"] { grouping.having = bindWhere(argument.value, naming) }
      if let argument = own["orderBy"] { grouping.order = bindOrder(argument.value, naming) }
      if let argument = own["limit"] { grouping.limit = bindCount(argument, environment) }
      if let argument = own["offset"] { grouping.offset = bindCount(argument, environment) }
    }

    if inner.isEmpty {
      if isGraphQL { report(.missingSelection(field: name.text), at: name.range) }
      // Without a selection its keys.
      inner = [SelectionSource(splat: name.range, environment: group, condition: nil)]
    }
    grouping.fields = withSiblings(inner) {
      nested(at: name.range, []) { $0.bindGroupFields(inner, bound.type, number) }
    }
    grouping.aggregates = groups[number].aggregates
    query.selections[selection.index].shape = .groups(grouping)
    return selection
  }

  private func groupArguments(_ arguments: [Argument]) -> (own: [String: Argument], rest: [Argument]) {
    var own: [String: Argument] = [:]
    var rest: [Argument] = []
    for argument in arguments {
      let name = argument.name.text
      switch name {
      case "groupBy", "having", "orderBy", "limit", "offset":
        if own[name] != nil { report(.duplicateArgument(name: name), at: argument.name.range) }
        own[name] = argument
      case "distinctOn", "after", "before": report(.notWithGrouping(argument: name), at: argument.name.range)
      default: rest.append(argument)
      }
    }
    return (own, rest)
  }

  /// From the members' environment into the groups': names are keys, and the group itself is the innermost scope.
  private func enteringGroup(_ number: Int, _ member: Environment) -> Environment {
    var group = member
    group.groups[groups[number].scope] = number
    group.scopes.append(.entity(groups[number].type))
    return group
  }

  /// Where an argument of an aggregate stands: as the group, but names are the member's.
  func memberEnvironment(_ number: Int, _ environment: Environment) -> Environment {
    let scope = groups[number].scope
    var member = environment
    member.scopes = Array(environment.scopes.prefix(scope + 1))
    member.groups[scope] = nil
    member.aliases = nil
    return member
  }

  // MARK: Keys

  private func bindKeys(_ expression: Expression, _ member: Environment, _ number: Int) -> [BoundGroupKey] {
    var named: [(name: String, expression: Expression, range: SourceRange)] = []
    for element in namedElements(of: expression, member) {
      keyNames(element, of: groups[number].type, member, into: &named)
    }
    var keys: [BoundGroupKey] = []
    for key in named {
      if groups[number].hasKey(key.name) {
        report(.wrongGroupKey(.duplicate(key.name)), at: key.range)
        continue
      }
      let isTypename = key.name == "__typename" && lastStep(key.expression)?.text == key.name
      if GraphQLName.isReserved(key.name) && !isTypename || key.name == "_items" {
        report(.wrongGroupKey(.reserved(key.name)), at: key.range)
        continue
      }
      let expressions = keyExpressions(key.expression, member)
      groups[number].keys.append(
        GroupBinding.Key(name: key.name, binding: member.binding(key.expression), isWrong: expressions == nil))
      if let expressions { keys.append(BoundGroupKey(name: key.name, expressions: expressions)) }
    }
    return keys
  }

  private func keyNames(
    _ expression: Expression, of type: EntityTypeID, _ member: Environment,
    into named: inout [(name: String, expression: Expression, range: SourceRange)]
  ) {
    if case .object(let fields) = expression.kind {
      for field in fields { named.append((field.name.text, field.value, field.name.range)) }
    } else if let name = lastStep(expression) {
      var key = expression
      // A key is shown under the name of its field, so it is that field, whatever a `let` around is called.
      if case .name = expression.kind, catalog[type].property(named: name.text) != nil,
        let binding = member.lets[name.text]
      {
        if let range = binding.letName { warn(ofLet: Name(name.text, at: range), hiding: name, of: .entity(type)) }
        key = Expression(.current(name), at: name.range)
      }
      named.append((name.text, key, expression.range))
    } else if case .string(let literal) = expression.kind {
      named.append((literal.value, expression, expression.range))
    } else if case .variable(let name) = expression.kind, case .broken? = variables[name.text]?.kind {
      // Its value is reported.
      usedVariables.insert(name.text)
    } else if case .variable(let name) = expression.kind, case .slot(let slot)? = variables[name.text]?.kind {
      usedVariables.insert(name.text)
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(catalog.text(of: query.parameters[slot].signature))'",
          expected: "'[\(GeneratedNames(catalog)[.fields(type)])!]', or a key with a name: {name: $\(name.text)}"),
        at: expression.range)
    } else {
      report(.wrongGroupKey(.unnamed), at: expression.range)
    }
  }

  private func lastStep(_ expression: Expression) -> Name? {
    switch expression.kind {
    case .parenthesized(let inner): lastStep(inner)
    case .name(let name), .member(_, let name, _): name
    case .current(let name): name
    default: nil
    }
  }

  /// What is compared; nil if it is wrong, which is reported.
  private func keyExpressions(_ expression: Expression, _ member: Environment) -> [BoundExpression]? {
    if reportConstant(expression, member, ofTexts: true) { return nil }
    let operand = resolve(bindOperand(expression, member), member)
    switch operand {
    case .error: return nil
    // Entities of one type are told apart by their ids.
    case .single(let path) where path.isEntity && !catalog[path.type].isAbstract:
      if let id = identity(operand) { return [id.key] }
      report(.wrongGroupKey(.many), at: path.range)
      return nil
    case .plural(let path), .single(let path):
      report(.wrongGroupKey(.many), at: path.range)
      return nil
    case .entity(let reference, let type, let range):
      return [BoundExpression(.entity(reference), .entity(type), at: range)]
    case .embedded(let value): return [value.presenceExpression] + columns(of: value)
    default: return value(operand, member, at: expression.range).map { [$0.key] }
    }
  }

  private func columns(of value: EmbeddedValue) -> [BoundExpression] {
    var result: [BoundExpression] = []
    for index in catalog[value.type].fields.indices {
      let member = member(index, of: value, at: value.range)
      switch member {
      case .value(let value): result.append(value.key)
      case .embedded(let inner): result += [inner.presenceExpression] + columns(of: inner)
      case .plural(let path): report(.wrongGroupKey(.many), at: path.range)
      default:
        if let target = identity(member)?.key ?? entity(member, at: value.range) { result.append(target) }
      }
    }
    return result
  }

  // MARK: Names

  /// A key or `_items` by its name; nil if it is neither, nor a field of the members, which is reported.
  func groupMember(_ name: Name, _ number: Int, _ environment: Environment) -> Operand? {
    let group = groups[number]
    if let key = group.keys.first(where: { $0.name == name.text }) {
      guard !key.isWrong, let expression = key.binding.expression else { return .error }
      var inner = environment.inside(key.binding)
      inner.groups[group.scope] = nil
      return nested(at: name.range, .error) { binder in
        let operand = binder.resolve(binder.bindOperand(expression, inner), inner)
        switch operand {
        // Their names are a member's fields, which the place of the key's use does not know.
        case .list, .object: return binder.value(operand, inner, at: expression.range).map { .value($0) } ?? .error
        default: return operand
        }
      }
    }
    if name.text == "_items" { return .plural(items(name, number, environment)) }
    if let binding = alias(name, number, environment) {
      guard let expression = binding.expression else { return .error }
      let inner = environment.inside(binding)
      return nested(at: name.range, .error) { $0.settled($0.bindOperand(expression, inner), inner) }
    }
    if environment.aliases == number, catalog.root(named: name.text) == nil, let problem = selectionName(name) {
      report(problem, at: name.range)
      return .error
    }
    let property = catalog[group.type].property(named: name.text)
    guard property != nil || name.text == "__typename" else { return nil }
    // It may be the one that could not be bound.
    guard !group.keys.contains(where: \.isWrong) else { return .error }
    var isValue = false
    if case .column? = property?.storage { isValue = true }
    report(.notAKey(name: name.text, isValue: isValue), at: name.range)
    return .error
  }

  private func items(_ name: Name, _ number: Int, _ environment: Environment) -> PluralPath {
    let group = groups[number]
    let set = reserveSet(group.type, at: name.range)
    let own = EntityReference.scope(environment.scopes.count - 2 - group.scope, group.type)
    query[set].source = .items(own, group.selection)
    return PluralPath(set: set, type: group.type, range: name.range, text: name.text)
  }

  /// `.genre`, and `.` alone, which is no value.
  func groupValue(
    _ name: Name?, _ number: Int, _ range: SourceRange, _ environment: Environment
  ) -> Operand {
    guard let name else {
      report(.groupAsValue, at: range)
      return .error
    }
    if let operand = groupMember(name, number, environment) { return operand }
    if ["count", "_count", "total", "totalCount"].contains(name.text) {
      let text = name.text == "count" ? "count()" : "\(name.text): count()"
      report(
        .unknownField(name: name.text, type: "group of \(catalog[groups[number].type].name)", near: []),
        .write(text.hasPrefix("_") ? "count()" : text, over: name.range), at: name.range)
      return .error
    }
    reportUnknownField(
      name, of: "group of \(catalog[groups[number].type].name)", among: groupNames(number, environment))
    return .error
  }

  func groupAddressed(by base: Expression, _ environment: Environment) -> Int? {
    switch base.kind {
    case .current(nil): environment.group()
    case .outer(let climb): environment.group(climb)
    default: nil
    }
  }

  func groupMember(
    _ name: Name, _ arguments: CallArguments?, _ number: Int, _ range: SourceRange, _ environment: Environment
  ) -> Operand {
    if let arguments { return groupCall(name, arguments, number, environment) ?? .error }
    return groupValue(name, number, range, environment)
  }

  /// `_items(where: …)`; nil for what is no field of the group.
  func groupCall(
    _ name: Name, _ arguments: CallArguments, _ number: Int, _ environment: Environment
  ) -> Operand? {
    guard let operand = groupMember(name, number, environment) else { return nil }
    guard case .plural(let path) = operand else {
      if case .error = operand { return .error }
      report(.argumentsOnValue(field: name.text), at: arguments.range)
      return .error
    }
    var bound = query[path.set]
    bindArguments(arguments.named, of: name, environment: environment, into: &bound)
    query[path.set] = bound
    return operand
  }

  /// A `let` of a group is over keys and aggregates, or else over a member, for the arguments of aggregates.
  func checkOfGroup(_ node: LetBinding, _ number: Int, _ environment: Environment) {
    let before = (query.sets.count, diagnostics, reported, groups)
    func bind(_ environment: Environment) -> Bool {
      let operand = bindOperand(node.expression, environment)
      if case .bare(let name) = operand { _ = resolveBare(name, environment) }
      return diagnostics.count == before.1.count
    }
    defer {
      query.sets.removeLast(query.sets.count - before.0)
      groups = before.3
    }
    if bind(environment) { return }
    let found = (diagnostics, reported)
    (diagnostics, reported) = (before.1, before.2)
    if !bind(memberEnvironment(number, environment)) { (diagnostics, reported) = found }
  }

  // MARK: Fields

  private func bindGroupFields(
    _ sources: [SelectionSource], _ type: EntityTypeID, _ number: Int
  ) -> [BoundField] {
    var fields: [BoundField] = []
    for merged in collect(sources, of: .group(type, number)) {
      guard !isExhausted else { break }
      let (condition, inner) = merge(merged)
      guard let content = bindGroupField(merged.first, inner, number) else { continue }
      fields.append(BoundField(key: merged.key, condition: condition, content: content, range: merged.first.range))
    }
    return fields
  }

  private func bindGroupField(
    _ entry: SelectionEntry, _ inner: [SelectionSource], _ number: Int
  ) -> BoundField.Content? {
    guard let name = entry.field else { return bindComputed(entry, inner) }
    if name.text == "_items" { return bindItems(entry, inner, name, number) }
    guard groups[number].hasKey(name.text) else {
      _ = groupValue(name, number, name.range, entry.environment)
      return nil
    }
    if let argument = entry.arguments.first {
      report(.argumentsOnValue(field: name.text), at: argument.range)
      return nil
    }
    // A key hides a `let` of its name: the field is the group's.
    var environment = entry.environment
    environment.lets.set(name.text, to: nil, in: lets)
    let content = bindComputed(entry.computing(Expression(.name(name), at: name.range), environment), inner)
    if case .value(let value)? = content { return .value(narrowed(value, at: name.range)) }
    return content
  }

  private func bindItems(
    _ entry: SelectionEntry, _ inner: [SelectionSource], _ name: Name, _ number: Int
  ) -> BoundField.Content? {
    let set = items(name, number, entry.environment).set
    var bound = query[set]
    bound.hint = fieldDirectives(entry.directives, over: groups[number].type)
    if isGrouped(entry) { return bindGroups(entry, inner, set, bound, name).map { .many($0) } }
    bindArguments(entry.arguments, of: name, lets: inner, environment: entry.environment, into: &bound)
    query[set] = bound
    return bindSelection(set, inner, name, entry.environment).map { .many($0) }
  }
}
