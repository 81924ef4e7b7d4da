import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  /// What `@skip` and `@include` leave of a selection.
  struct Condition {
    /// Nil: always there.
    var expression: BoundExpression?
  }

  static let knownDirectives = [
    "skip", "include", "using", "recurse", "expand", "live", "asOf", "explain", "transaction",
  ]

  /// The condition of a selection together with what encloses it; nil where it is certainly left out.
  func condition(
    _ directives: [Directive], and outer: BoundExpression?, _ environment: Environment
  ) -> Condition? {
    guard !directives.isEmpty else { return Condition(expression: outer) }
    let environment = environment.withoutElements
    var parts: [BoundExpression] = outer.map { [$0] } ?? []
    var isLeftOut = false
    if directives.count > 1 { refuseRepeats(directives) }
    for directive in directives {
      let isSkip = directive.name.text == "skip"
      guard isSkip || directive.name.text == "include" else { continue }
      guard let argument = only("if", of: directive) else { continue }
      let written = bindOperand(argument.value, environment)
      guard let bound = boolean(written, environment, at: argument.value.range) else { continue }
      guard query.freeScopes(of: bound).isEmpty else {
        report(.conditionOfElement(directive: directive.name.text), at: argument.value.range)
        continue
      }
      if isGraphQL, case .parameter(let index) = bound.kind, !query.parameters[index].signature.isNonNull,
        query.parameters[index].defaultValue?.isNull ?? true
      {
        report(
          .wrongVariableType(
            name: query.parameters[index].name, declared: "a Boolean that may be null", expected: "'Boolean!'"),
          at: bound.range)
      }
      if case .constant(let value) = bound.kind {
        if (value == .boolean(true)) == isSkip { isLeftOut = true }
      } else if isSkip {
        parts.append(
          BoundExpression(
            .not(BoundExpression(.isTrue(bound), .boolean, at: bound.range)), .boolean, at: bound.range))
      } else {
        parts.append(bound)
      }
    }
    if isLeftOut { return nil }
    if parts.count > 1 {
      return Condition(expression: BoundExpression(.and(parts), .boolean, at: parts[1].range))
    }
    return Condition(expression: parts.first)
  }

  /// Reports a directive that stands twice, but may not.
  private func refuseRepeats(_ directives: [Directive]) {
    var seen: Set<String> = []
    for directive in directives
    where !seen.insert(directive.name.text).inserted
      && declaredDirective(directive.name.text)?.isRepeatable != true
    {
      report(.repeatedDirective(name: directive.name.text), at: directive.name.range)
    }
  }

  private func only(_ name: String, of directive: Directive) -> Argument? {
    for argument in directive.arguments where argument.name.text != name {
      report(
        .unknownArgument(
          name: argument.name.text, of: "@\(directive.name.text)",
          near: suggest(argument.name, [name])),
        at: argument.name.range)
    }
    guard let argument = directive.arguments.first(where: { $0.name.text == name }) else {
      report(.missingDirectiveArgument(directive: directive.name.text, name: name), at: directive.range)
      return nil
    }
    return argument
  }

  /// Checks the directives of a field but `@skip` and `@include`; the hint of `@using`.
  ///
  /// `walks`: the directives among `@recurse` and `@expand` that the caller looks at itself.
  @inline(never)
  func fieldDirectives(
    _ directives: [Directive], over type: EntityTypeID?, walks: [String] = []
  ) -> AccessHint? {
    var hint: AccessHint?
    for directive in directives {
      switch directive.name.text {
      case "skip", "include": break
      case "using":
        guard let type else {
          report(.misplacedDirective(name: "using"), at: directive.name.range)
          continue
        }
        let other = accessHint(directive, over: type)
        if let hint, let other, (hint.access, hint.index) != (other.access, other.index) {
          report(.repeatedDirective(name: "using"), at: directive.name.range)
        }
        hint = other
      case let name where walks.contains(name): break
      default: unknown(directive, at: .field)
      }
    }
    return hint
  }

  /// Checks the directives of a spread, an inline fragment or a splat but `@skip` and `@include`.
  func checkFragmentDirectives(_ directives: [Directive], at place: DirectivePlace) {
    for directive in directives where !["skip", "include"].contains(directive.name.text) {
      unknown(directive, at: place)
    }
  }

  func checkOperationDirectives(_ operation: OperationDefinition) {
    let place: DirectivePlace =
      switch operation.operation {
      case .query: .query
      case .mutation: .mutation
      case .subscription: .subscription
      }
    refuseRepeats(operation.directives)
    for directive in operation.directives {
      switch directive.name.text {
      case "live":
        for (problem, range) in LiveDirective.problems(of: directive, on: operation) { report(problem, at: range) }
      case "asOf": if place != .query { report(.past(of: operation.operation), at: directive.range) }
      case "explain": checkExplain(directive)
      case "transaction":
        // Says what holds for every operation.
        for argument in directive.arguments {
          report(.unknownArgument(name: argument.name.text, of: "@transaction", near: []), at: argument.name.range)
        }
      default: unknown(directive, at: place)
      }
    }
  }

  /// Its arguments decide what the operation is, so they are no variables.
  private func checkExplain(_ directive: Directive) {
    let names = ["analyze", "costs"]
    for argument in directive.arguments {
      guard names.contains(argument.name.text) else {
        let near = suggest(argument.name, names)
        report(.unknownArgument(name: argument.name.text, of: "@explain", near: near), at: argument.name.range)
        continue
      }
      if case .boolean = argument.value.kind { continue }
      report(.wrongType(found: "this value", expected: "'true' or 'false'"), at: argument.value.range)
    }
  }

  /// Checks a directive that the language has not, or not here.
  func unknown(_ directive: Directive, at place: DirectivePlace) {
    let name = directive.name.text
    if let definition = declaredDirective(name) { return check(directive, definition, at: place) }
    if Self.knownDirectives.contains(name) {
      report(.misplacedDirective(name: name), at: directive.name.range)
    } else {
      let names = Self.knownDirectives + declarations.directives.keys.sorted()
      report(.unknownDirective(name: name, near: nearestNames(to: name, in: names)), at: directive.name.range)
    }
  }

  private func accessHint(_ directive: Directive, over type: EntityTypeID) -> AccessHint? {
    var access: AccessHint.Access?
    var index: String?
    for argument in directive.arguments {
      switch (argument.name.text, argument.value.kind) {
      case ("access", .name(let name)):
        access = AccessHint.Access(rawValue: name.text)
        if access == nil {
          let known = AccessHint.Access.allCases.map(\.rawValue)
          let problem = CoercionProblem.unknownEnumValue(
            name: name.text, type: "Access", near: suggest(name, known))
          report(.wrongValue(problem), at: name.range)
          return nil
        }
      case ("index", .string(let literal)):
        let entity = catalog[type]
        let names = entity.indexes.map { catalog[$0].name }
        let prefix = "\(entity.name)."
        let written = literal.value.hasPrefix(prefix) ? String(literal.value.dropFirst(prefix.count)) : literal.value
        if !names.contains(written) {
          report(
            .unknownIndex(name: literal.value, type: entity.name, near: nearestNames(to: written, in: names)),
            at: literal.range)
          return nil
        }
        index = written
      case ("index", .null): break
      case ("access", _), ("index", _):
        report(
          .wrongType(
            found: "this value", expected: argument.name.text == "index" ? "a String" : "an access path's name"),
          at: argument.value.range)
        return nil
      default:
        let near = suggest(argument.name, ["access", "index"])
        report(.unknownArgument(name: argument.name.text, of: "@using", near: near), at: argument.name.range)
      }
    }
    guard let access else {
      report(.missingDirectiveArgument(directive: "using", name: "access"), at: directive.range)
      return nil
    }
    return AccessHint(access: access, index: index, range: directive.range)
  }
}
