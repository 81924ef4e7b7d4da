import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// `versions: ALL`, and `_versions` where there are none.
struct VersionBinder {
  let binder: Binder

  /// Returns what the arguments of a root field choose from, and those that are left: all versions of the entities of its
  /// type in the place of these.
  func root(
    _ root: RootName, _ arguments: [Argument], of name: Name, _ environment: Environment
  ) -> (RootName, [Argument]) {
    if binder.catalog[root.type].pastRole == .change { return (root, changeArguments(arguments, environment)) }
    guard root.isList, let argument = arguments.first(where: { $0.name.text == VersionCatalog.argumentName }) else {
      return (root, arguments)
    }
    let others = arguments.filter { $0.name.text != VersionCatalog.argumentName }
    if arguments.count - others.count > 1 {
      binder.report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
    }
    guard let versions = binder.catalog[root.type].versions else {
      binder.report(
        .unknownArgument(name: argument.name.text, of: name.text, near: []), remedy(root.type), at: argument.name.range)
      return (root, others)
    }
    if let deleted = others.first(where: { $0.name.text == "deleted" }) {
      let help = "the deleted entities have versions, too: their last one has the '_change' DELETED"
      binder.report(
        .unknownArgument(name: "deleted", of: name.text, near: []), Remedy(help: help), at: deleted.name.range)
    }
    var value = argument.value
    while case .parenthesized(let inner) = value.kind { value = inner }
    switch value.kind {
    case .null: return (root, others)
    case .name(let word) where word.text == "ALL": break
    default: binder.report(.wrongType(found: "this value", expected: "ALL"), at: argument.value.range)
    }
    return (RootName(name: root.name, type: versions, isList: true), others)
  }

  /// Returns the arguments of a list of changes with `from:`, `to:` and `types:` as parts of its condition.
  ///
  /// The changes lead from one version or time to the other: the first one is not among them, the last one is.
  private func changeArguments(_ arguments: [Argument], _ environment: Environment) -> [Argument] {
    var conditions: [Expression] = []
    var others: [Argument] = []
    var seen: Set<String> = []
    var range = BoundChangeRange(bounds: [], types: nil)
    for argument in arguments {
      switch argument.name.text {
      case "from": conditions += bound(argument, .greater, environment, &range)
      case "to": conditions += bound(argument, .lessOrEqual, environment, &range)
      case "types": conditions += types(argument, environment, &range)
      default:
        others.append(argument)
        continue
      }
      if !seen.insert(argument.name.text).inserted {
        binder.report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
      }
    }
    if !range.bounds.isEmpty { binder.query.changeRanges = (binder.query.changeRanges ?? []) + [range] }
    guard let first = conditions.first else { return others }
    if let place = others.firstIndex(where: { $0.name.text == "where" }) {
      if others[place].value.kind != .null { conditions.append(others[place].value) }
    } else {
      let range = first.range
      others.append(
        Argument(name: Name("where", at: range), value: Expression(.missing, at: range), range: range))
    }
    for place in others.indices where others[place].name.text == "where" {
      let whole = conditions.count == 1 ? conditions[0] : Expression(.chain(.and, conditions), at: first.range)
      others[place].value = whole
      break
    }
    return others
  }

  /// The condition that changes are after a version or a time, or not after it. Null is no condition.
  private func bound(
    _ argument: Argument, _ comparison: BinaryOperator, _ environment: Environment, _ bounds: inout BoundChangeRange
  ) -> [Expression] {
    let value = argument.value.unparenthesized
    let isVersion: Bool
    switch binder.bindOperand(value, environment.withoutElements) {
    case .literal(.null, _), .error: return []
    case .literal(.text, _): isVersion = false
    case .value(let value): isVersion = !(value.type.scalar.map { [.dateTime, .date, .string].contains($0) } ?? false)
    default: isVersion = true
    }
    guard let moment = MomentBinder(binder: binder).moment(value, isVersion: isVersion, environment) else { return [] }
    bounds.bounds.append(BoundChangeRange.Bound(moment, isStart: comparison == .greater))
    let field = isVersion ? "version" : "time"
    let range = value.range
    let test = Expression(
      .binary(comparison, Expression(.current(Name(field, at: range)), at: range), argument.value), at: range)
    return [unlessAbsent(value, test)]
  }

  /// A condition that a variable takes away by being null.
  private func unlessAbsent(_ value: Expression, _ condition: Expression) -> Expression {
    guard case .variable = value.kind else { return condition }
    let range = value.range
    let isAbsent = Expression(.isTest(value, negated: false, Name("null", at: range)), at: range)
    return Expression(.parenthesized(Expression(.chain(.or, [isAbsent, condition]), at: range)), at: range)
  }

  /// `types: [User, Chat]`, names of types or texts.
  private func types(
    _ argument: Argument, _ environment: Environment, _ bounds: inout BoundChangeRange
  ) -> [Expression] {
    let value = argument.value.unparenthesized
    let range = value.range
    var list = value
    switch value.kind {
    case .null: return []
    case .list(let elements): list = Expression(.list(elements.map(typeName)), at: range)
    case .name, .string: list = Expression(.list([typeName(value)]), at: range)
    default: break
    }
    guard let types = MomentBinder(binder: binder).constant(list, .list(.string), environment) else { return [] }
    bounds.types = types
    let test = Expression(.binary(.in, Expression(.current(Name("type", at: range)), at: range), list), at: range)
    return [unlessAbsent(value, test)]
  }

  private func typeName(_ expression: Expression) -> Expression {
    let text: String
    switch expression.unparenthesized.kind {
    case .name(let name): text = name.text
    case .string(let literal): text = literal.value
    default: return expression
    }
    let catalog = binder.catalog
    if let type = catalog.type(named: text) {
      if type.versions == nil {
        binder.report(
          .wrongType(found: "'\(text)', which has no history", expected: "a type with '@history'"), at: expression.range
        )
      }
    } else {
      let names = catalog.types.filter { $0.versions != nil }.map(\.name)
      binder.report(
        .unknownType(name: text, near: binder.suggest(Name(text, at: expression.range), names)), at: expression.range)
    }
    return Expression(
      .string(StringLiteral(value: text, isBlock: false, range: expression.range)), at: expression.range)
  }

  /// Returns advice for a type without versions; nil for one that has some.
  func remedy(_ type: EntityTypeID) -> Remedy? {
    let entity = binder.catalog[type]
    if entity.versions != nil { return nil }
    if entity.pastRole != nil { return Remedy(help: "a version has no versions: it is one of those of its entity") }
    if entity.kind != .entity {
      return Remedy(help: "interfaces, unions and objects without an id have no versions of their own")
    }
    return Remedy(help: "'type \(entity.name) @history' keeps the versions of its entities from then on")
  }

  /// Returns advice for a field that an entity has and its versions lack; nil for other fields.
  func remedy(forField name: Name, of type: EntityTypeID) -> Remedy? {
    if name.text == VersionCatalog.listName { return remedy(type) }
    guard case .version(let entity)? = binder.catalog[type].pastRole,
      binder.catalog[entity].property(named: name.text) != nil
    else { return nil }
    return Remedy(
      help: "versions have no lists of objects, no computed fields, and none with '@history(off: true)': "
        + "'@asOf(version: …)' reads the entity as it was")
  }

  /// Returns advice for `_changes` where no type has a history; nil for other names.
  func remedy(forRoot name: Name) -> Remedy? {
    if name.text != VersionCatalog.changesName { return nil }
    return Remedy(help: "'type T @history' keeps the changes of its entities from then on")
  }

  /// Returns advice for erasing a history that a type does not have; nil for other names.
  func remedy(forMutation name: Name) -> Remedy? {
    let verb = BoundMutation.Kind.erase.rawValue
    guard name.text.hasPrefix(verb),
      let type = binder.catalog.type(named: String(name.text.dropFirst(verb.utf8.count))), type.history == nil
    else { return nil }
    return Remedy(help: "'\(type.name)' has no history: '@history' keeps one")
  }
}
