import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  static let setArguments = [
    "where", "orderBy", "limit", "offset", "distinctOn", "after", "before", "deleted",
  ]

  /// The arguments of a selection of many, into a set. `where orderBy distinctOn` see the element, and the `let`s of
  /// the field's own selection; `limit` and `offset` what encloses the field.
  func bindArguments(
    _ arguments: [Argument], of name: Name, known others: [String] = [], lets sources: [SelectionSource] = [],
    environment: Environment, into set: inout BoundSet
  ) {
    guard !arguments.isEmpty else { return }
    withSiblings(sources) {
      bindArguments(arguments, of: name, known: others, among: sources, environment: environment, into: &set)
    }
  }

  private func bindArguments(
    _ arguments: [Argument], of name: Name, known others: [String], among sources: [SelectionSource],
    environment: Environment, into set: inout BoundSet
  ) {
    var inner = adding(lets: sources, to: environment.entering(set.type))
    var environment = environment
    if environment.pathBeginsElsewhere { inner.foreignSteps.insert(environment.scopes.count) }
    environment.pathBeginsElsewhere = false
    inner.note(searches: searches(of: set))
    var seen = SeenNames()
    var status: BoundExpression?
    // The order may be that of the condition's score.
    let isScored = arguments.contains { $0.name.text == "orderBy" || $0.name.text == "distinctOn" }
    let ordered =
      isScored ? arguments.filter { $0.name.text == "where" } + arguments.filter { $0.name.text != "where" } : arguments
    for argument in ordered {
      guard seen.insert(argument.name.text) else {
        report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
        continue
      }
      switch argument.name.text {
      case "where":
        set.predicate = bindWhere(argument.value, inner)
        inner.note(searches: searches(of: set))
      case "orderBy": set.order = bindOrder(argument.value, inner)
      case "distinctOn": set.distinctOn = bindDistinct(argument.value, inner)
      case "limit": set.limit = bindCount(argument, environment)
      case "offset": set.offset = bindCount(argument, environment)
      case "deleted": status = bindDeleted(argument, environment, into: &set)
      case "after", "before":
        let operand = bindOperand(argument.value, environment)
        if case .literal(.null, _) = operand { continue }
        let cursor = coerce(operand, to: .scalar(.cursor), environment, at: argument.value.range)
        var paging = set.paging ?? BoundPaging()
        if argument.name.text == "after" { paging.after = cursor } else { paging.before = cursor }
        set.paging = paging
      case "having": report(.outsideGroup("having"), at: argument.name.range)
      case "groupBy":
        if holdsKeys(argument.value, environment) { report(.misplacedGrouping, at: argument.name.range) }
      case let other:
        let near = nearestNames(to: other, in: Self.setArguments + others)
        let remedy = remedy(forListArgument: argument, of: name, set.type, among: arguments)
        report(.unknownArgument(name: other, of: name.text, near: near), remedy, at: argument.name.range)
      }
    }
    if let status { set.predicate = .conjunction([status, set.predicate].compactMap { $0 }) }
  }

  /// The names of a field's own selection, for the arguments that see its element.
  func adding(lets sources: [SelectionSource], to environment: Environment) -> Environment {
    var inner = environment
    for source in sources {
      guard let selections = source.set?.selections else { continue }
      for case .letBinding(let node) in selections {
        inner.lets.set(node.name.text, to: inner.binding(of: node), in: self.lets)
      }
    }
    return inner
  }

  /// Returns a condition over the current element; nil where it is absent or certainly true.
  ///
  /// A null literal is no condition, and neither is a variable, as the whole of it, that is null.
  func bindWhere(_ expression: Expression, _ environment: Environment) -> BoundExpression? {
    let whole = expression.unparenthesized
    if case .null = whole.kind { return nil }
    if let place = inputPlace(whole, environment), place.value == nil || place.value?.kind == .null { return nil }
    let operand = bindOperand(expression, environment)
    guard let bound = boolean(operand, environment, at: expression.range, written: expression) else { return nil }
    if case .constant(.boolean(true)) = bound.kind { return nil }
    guard case .variable = whole.kind else { return bound }
    if case .filter = operand, bound.constant?.isNull ?? false { return nil }
    if case .parameter(let number) = bound.kind, query.parameters[number].signature.isNonNull { return bound }
    switch operand {
    // What a filter says is bound in.
    case .filter, .object: return bound
    case .literal(.null, _): return nil
    default:
      let isAbsent = BoundExpression(.isNull(bound), .boolean, at: expression.range)
      return BoundExpression(.or([isAbsent, bound]), .boolean, at: expression.range)
    }
  }

  /// A Boolean expression; nil if it is wrong, which is reported.
  func condition(_ expression: Expression, _ environment: Environment) -> BoundExpression? {
    boolean(bindOperand(expression, environment), environment, at: expression.range, written: expression)
  }

  func bindCount(_ argument: Argument, _ environment: Environment) -> BoundExpression? {
    let operand = bindOperand(argument.value, environment)
    if case .literal(.null, _) = operand { return nil }
    if case .literal(.integer(let digits), let range) = operand, digits.hasPrefix("-"), digits != "-0" {
      report(.negativeLimit(argument: argument.name.text), at: range)
      return nil
    }
    return coerce(operand, to: .int, environment, at: argument.value.range)
  }

  private func bindDistinct(_ expression: Expression, _ environment: Environment) -> [BoundExpression] {
    namedElements(of: expression, environment).compactMap { element in
      if reportConstant(element, environment) { return nil }
      return key(bindOperand(element, environment), environment, at: element.range)
    }
  }

  /// A name, or the text that a variable of a generated enum holds: what is meant must be known when the document is
  /// bound. Nil for null; empty for everything else.
  func enumWord(_ expression: Expression, _ type: GeneratedType, _ environment: Environment) -> String? {
    if let place = inputPlace(expression, environment) {
      guard case .structure(type) = declaredInput(place.type) else { return "" }
    }
    switch written(expression, environment).expression?.kind {
    case nil, .null?, .missing?: return nil
    case .name(let name)?: return name.text
    case .variable(let name)?:
      usedVariables.insert(name.text)
      // Its value is reported.
      if case .broken? = variables[name.text]?.kind { return nil }
      guard case .structure(let declared)? = variables[name.text]?.kind, declared == type else { return "" }
      guard let value = structuralValue(name) else { return nil }
      switch value.expression.kind {
      case .name(let name): return name.text
      case .string(let literal): return literal.value
      default: return ""
      }
    default: return ""
    }
  }

  /// What order and `distinctOn` compare: a scalar or an entity, case-folded where its collation says so.
  @inline(never)
  func key(
    _ operand: Operand, _ environment: Environment, at range: SourceRange
  ) -> BoundExpression? {
    let operand = resolve(operand, environment)
    switch operand {
    case .error: return nil
    case .entity, .single:
      guard let id = identity(operand) else {
        report(.unordered(type: describe(operand)), at: range)
        return nil
      }
      return id.expression
    case let other:
      guard let value = value(other, environment, at: range) else { return nil }
      return value.key
    }
  }

  /// The items of a list, or the one item that stands without brackets.
  func elements(of expression: Expression) -> [Expression] {
    let expression = expression.unparenthesized
    if case .list(let elements) = expression.kind { return elements }
    if case .null = expression.kind { return [] }
    return [expression]
  }

  // MARK: Order

  func bindOrder(_ expression: Expression, _ environment: Environment) -> [BoundOrderTerm] {
    var terms: [BoundOrderTerm] = []
    var previous: Expression?
    if let place = inputPlace(expression.unparenthesized, environment), let type = environment.elementType,
      let element = environment.element()
    {
      if let value = place.value { writtenOrder(value, type, element, place.environment, into: &terms) }
      return terms
    }
    for element in elements(of: expression) {
      if case .name(let name) = element.kind, ["asc", "desc"].contains(name.text.lowercased()),
        !hasMeaning(name, environment)
      {
        let range = previous?.range
        let isShort = range.map { $0.count <= 60 } ?? false
        let term = isShort ? previous.map { "\(name.text.lowercased())(\(print($0)))" } : nil
        report(.directionBehind(word: name.text, term: term), at: name.range)
        continue
      }
      orderTerm(element, environment, false, into: &terms)
      previous = element
    }
    return terms
  }

  private func orderTerm(
    _ expression: Expression, _ environment: Environment, _ isDescending: Bool, into terms: inout [BoundOrderTerm]
  ) {
    switch expression.kind {
    case .parenthesized(let inner): orderTerm(inner, environment, isDescending, into: &terms)
    // A minus descends for any type, so `-name` is no arithmetic.
    case .unary(.minus, let inner):
      nested(at: expression.range, ()) { $0.orderTerm(inner, environment, !isDescending, into: &terms) }
    case .unary(.plus, let inner):
      nested(at: expression.range, ()) { $0.orderTerm(inner, environment, isDescending, into: &terms) }
    case .call(let name, let arguments) where name.text == "desc" || name.text == "asc":
      directedTerm(name, arguments, environment, isDescending != (name.text == "desc"), into: &terms)
    case .object(let fields):
      refuseRepeats(fields)
      objectOrder(fields, environment.element(), environment, expression.range, into: &terms)
    case .variable(let name):
      if let binding = environment.arguments[name.text] {
        guard case .structure(.order(let type))? = binding.variable?.declared else {
          return plainTerm(expression, environment, isDescending, into: &terms)
        }
        argumentOrder(expression, name, type, environment, into: &terms)
      } else if case .order(let type)? = variables[name.text]?.kind {
        usedVariables.insert(name.text)
        variableOrder(name, type, environment, into: &terms)
      } else {
        plainTerm(expression, environment, isDescending, into: &terms)
      }
    default: plainTerm(expression, environment, isDescending, into: &terms)
    }
  }

  private func plainTerm(
    _ expression: Expression, _ environment: Environment, _ isDescending: Bool, into terms: inout [BoundOrderTerm]
  ) {
    if reportConstant(expression, environment) { return }
    let operand = bindOperand(expression, environment)
    if case .object(let fields, let range) = operand {
      refuseRepeats(fields)
      objectOrder(fields, environment.element(), environment, range, into: &terms)
      return
    }
    guard let bound = key(operand, environment, at: expression.range) else { return }
    append(bound, isDescending, nullsFirst: false, to: &terms)
  }

  private func append(
    _ bound: BoundExpression, _ isDescending: Bool, nullsFirst: Bool, to terms: inout [BoundOrderTerm]
  ) {
    if case .list = bound.type {
      report(.unordered(type: words(bound.type)), at: bound.range)
      return
    }
    // The value of a variable orders nothing.
    if case .constant = bound.kind { return }
    terms.append(BoundOrderTerm(bound, isDescending: isDescending, nullsFirst: nullsFirst))
  }

  private func directedTerm(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ isDescending: Bool,
    into terms: inout [BoundOrderTerm]
  ) {
    guard arguments.positional.count == 1, let first = arguments.positional.first else {
      report(.wrongArgumentCount(function: name.text, expected: "one expression and 'nulls:'"), at: name.range)
      return
    }
    var nullsFirst = false
    for argument in arguments.named {
      guard argument.name.text == "nulls" else {
        report(
          .unknownArgument(
            name: argument.name.text, of: name.text, near: suggest(argument.name, ["nulls"])),
          at: argument.name.range)
        continue
      }
      switch argument.value.kind {
      case .name(let value) where value.text == "FIRST" || value.text == "LAST": nullsFirst = value.text == "FIRST"
      default: report(.wrongType(found: "this value", expected: "FIRST or LAST"), at: argument.value.range)
      }
    }
    if reportConstant(first, environment) { return }
    guard let bound = key(bindOperand(first, environment), environment, at: first.range) else { return }
    append(bound, isDescending, nullsFirst: nullsFirst, to: &terms)
  }

  /// `{age: DESC, author: {name: ASC}}`. Inlined into a loop it takes the optimizer seconds.
  @inline(never)
  private func objectOrder(
    _ fields: [ObjectField], _ element: EntityReference?, _ environment: Environment, _ range: SourceRange,
    into terms: inout [BoundOrderTerm]
  ) {
    guard let element else {
      report(.noElement, at: range)
      return
    }
    checkRepeats(fields)
    let group = environment.group()
    let type = type(of: element)
    let place = valuePath.depth
    for field in fields {
      defer { valuePath.leave(to: place) }
      valuePath.enter(member: field.name.text)
      if let group {
        directed(groupValue(field.name, group, field.name.range, environment), field.value, environment, into: &terms)
        continue
      }
      if let value = metaValue(field.name, of: element) {
        directed(.value(value), field.value, environment, into: &terms)
        continue
      }
      guard let property = catalog[type].property(named: field.name.text) else {
        if let remedy = remedy(forOrder: fields, at: range, environment) {
          return report(
            .unknownField(name: field.name.text, type: catalog[type].name, near: []), remedy, at: field.name.range)
        }
        reportUnknownField(field.name, of: catalog[type].name, among: catalog[type].properties.map(\.name))
        continue
      }
      let operand = member(property, of: element, at: field.name.range)
      switch (operand, field.value.kind) {
      case (.entity(let target, _, _), .object(let inner)):
        nested(at: field.range, ()) { $0.objectOrder(inner, target, environment, field.range, into: &terms) }
      case (.embedded(let value), .object(let inner)):
        embeddedOrder(inner, value, environment, field.range, into: &terms)
      default: directed(operand, field.value, environment, into: &terms)
      }
    }
  }

  private func embeddedOrder(
    _ fields: [ObjectField], _ value: EmbeddedValue, _ environment: Environment, _ range: SourceRange,
    into terms: inout [BoundOrderTerm]
  ) {
    checkRepeats(fields)
    let place = valuePath.depth
    for field in fields {
      defer { valuePath.leave(to: place) }
      valuePath.enter(member: field.name.text)
      let operand = member(field.name, of: value)
      switch (operand, field.value.kind) {
      case (.embedded(let inner), .object(let fields)):
        nested(at: field.range, ()) { $0.embeddedOrder(fields, inner, environment, range, into: &terms) }
      case (.entity(let target, _, _), .object(let fields)):
        nested(at: field.range, ()) { $0.objectOrder(fields, target, environment, range, into: &terms) }
      default: directed(operand, field.value, environment, into: &terms)
      }
    }
  }

  private func directed(
    _ operand: Operand, _ direction: Expression, _ environment: Environment, into terms: inout [BoundOrderTerm]
  ) {
    let word: String
    switch direction.kind {
    case .name(let name): word = name.text
    case .string(let literal): word = literal.value
    case .null: return
    case .variable(let name) where environment.arguments[name.text] != nil:
      let (written, inner) = written(direction, environment)
      if let written { directed(operand, written, inner, into: &terms) }
      return
    case .variable(let name):
      if case .broken? = variables[name.text]?.kind { return }
      guard case .structure(.direction)? = variables[name.text]?.kind else {
        word = ""
        break
      }
      usedVariables.insert(name.text)
      guard let value = structuralValue(name) else { return }
      let place = valuePath.depth
      defer { valuePath.leave(to: place) }
      if value.origin == .variable { valuePath.enter(variable: name.text) }
      if case .variable = value.expression.kind {
        word = ""
        break
      }
      directed(operand, value.expression, environment, into: &terms)
      return
    default: word = ""
    }
    guard word == "ASC" || word == "DESC" else {
      var remedy: Remedy?
      if case .int(let digits) = direction.kind, digits == "1" || digits == "-1" {
        remedy = .write(digits == "1" ? "ASC" : "DESC", over: direction.range)
      }
      let problem: BindingProblem = word.isEmpty ? .wrongOrder : .wrongDirection(word: String(word.prefix(60)))
      report(problem, remedy, at: direction.range)
      return
    }
    guard let bound = key(operand, environment, at: direction.range) else { return }
    append(bound, word == "DESC", nullsFirst: false, to: &terms)
  }

  /// A variable of a fragment, of the type `<Type>Order` or a list of it.
  private func argumentOrder(
    _ expression: Expression, _ name: Name, _ type: EntityTypeID, _ environment: Environment,
    into terms: inout [BoundOrderTerm]
  ) {
    guard environment.elementType == type, environment.group() == nil, let element = environment.element() else {
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(catalog[type].name)Order'",
          expected: environment.elementType.map { "'\(catalog[$0].name)Order'" } ?? "a value"), at: name.range)
      return
    }
    writtenOrder(expression, type, element, environment, into: &terms)
  }

  /// An order as an argument of a fragment writes it: objects, variables, lists of them.
  func writtenOrder(
    _ expression: Expression, _ type: EntityTypeID, _ element: EntityReference, _ environment: Environment,
    into terms: inout [BoundOrderTerm]
  ) {
    var (written, inner) = written(expression, environment)
    // The fields are the element's, whatever the spread stands in.
    inner.groups = [:]
    switch written?.kind {
    case nil, .null?, .missing?: break
    case .list(let elements)?:
      for item in elements {
        nested(at: item.range, ()) { $0.writtenOrder(item, type, element, inner, into: &terms) }
      }
    case .object(let fields)?:
      refuseRepeats(fields)
      objectOrder(fields, element, inner, expression.range, into: &terms)
    case .variable(let name)?:
      guard case .order(type)? = variables[name.text]?.kind else { return report(.wrongOrder, at: name.range) }
      usedVariables.insert(name.text)
      variableOrder(name, element, inner, into: &terms)
    default: report(.wrongOrder, at: written?.range ?? expression.range)
    }
  }

  private func variableOrder(
    _ name: Name, _ type: EntityTypeID, _ environment: Environment, into terms: inout [BoundOrderTerm]
  ) {
    guard environment.elementType == type else {
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(catalog[type].name)Order'",
          expected: environment.elementType.map { "'\(catalog[$0].name)Order'" } ?? "a value"), at: name.range)
      return
    }
    variableOrder(name, environment.element(), environment, into: &terms)
  }

  private func variableOrder(
    _ name: Name, _ element: EntityReference?, _ environment: Environment, into terms: inout [BoundOrderTerm]
  ) {
    guard let value = structuralValue(name) else { return }
    let place = valuePath.depth
    defer { valuePath.leave(to: place) }
    if value.origin == .variable { valuePath.enter(variable: name.text) }
    let isList = if case .list = value.expression.kind { true } else { false }
    for (index, item) in elements(of: value.expression).enumerated() {
      let outer = valuePath.depth
      defer { valuePath.leave(to: outer) }
      if isList { valuePath.enter(index: index) }
      if item.kind == .null { continue }
      guard case .object(let fields) = item.kind else {
        report(.wrongOrder, at: name.range)
        continue
      }
      objectOrder(fields, element, environment, name.range, into: &terms)
    }
  }
}
