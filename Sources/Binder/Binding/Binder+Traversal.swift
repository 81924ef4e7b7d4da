import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  /// The last step of a path, ready to be repeated.
  private struct RepeatedStep {
    var start: TraversalEnd
    var set: SetID
    var type: EntityTypeID
    /// What the step's own conditions see.
    var environment: Environment
  }

  /// `closure(chats.messages.replies, depth: 1..20, where: …, orderBy: …)`: a set.
  func bindClosure(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    guard let step = repeatedStep(name, arguments, environment, range) else { return .error }
    var closure = BoundClosure(start: step.start, step: step.set)
    var others: [Argument] = []
    var seen: Set<String> = []
    for argument in arguments.named {
      switch argument.name.text {
      case "depth", "where", "deleted":
        guard seen.insert(argument.name.text).inserted else {
          report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
          continue
        }
        if argument.name.text == "depth" {
          bindDepths(argument.value, environment, into: &closure)
        } else if argument.name.text == "deleted" {
          // As `where`, about what is walked through.
          follow(argument, of: step.set, environment)
        } else if let walked = bindWhere(argument.value, step.environment) {
          let own = query[step.set].predicate
          query[step.set].predicate = .conjunction([own, walked].compactMap { $0 })
        }
      case "after", "before": report(.noCursor(of: "a closure"), at: argument.range)
      default: others.append(argument)
      }
    }
    let set = reserveSet(step.type, at: range)
    var bound = BoundSet(type: step.type, source: .closure(closure), range: range)
    bindArguments(others, of: name, known: ["depth"], environment: environment, into: &bound)
    query[set] = bound
    return .plural(PluralPath(set: set, type: step.type, range: range, text: "closure(…)"))
  }

  /// `deleted:` of a closure, where its step has none.
  private func follow(_ argument: Argument, of step: SetID, _ environment: Environment) {
    var bound = query[step]
    if bound.linkStatus != .live { report(.duplicateArgument(name: argument.name.text), at: argument.name.range) }
    if let status = bindDeleted(argument, environment, into: &bound) {
      bound.predicate = .conjunction([status, bound.predicate].compactMap { $0 })
    }
    query[step] = bound
  }

  /// `shortestPath(friends(where: …), to: $b, maxDepth: 6)`: a list of entities.
  func bindShortestPath(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    guard let step = repeatedStep(name, arguments, environment, range) else { return .error }
    var target: TraversalEnd?
    var maximum: BoundExpression?
    var seen: Set<String> = []
    var isWrong = false
    for argument in arguments.named {
      guard seen.insert(argument.name.text).inserted else {
        report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
        continue
      }
      switch argument.name.text {
      case "to":
        target = bindTarget(argument.value, step.type, environment)
        if target == nil { isWrong = true }
      case "maxDepth":
        maximum = bindDepth(bindOperand(argument.value, environment), environment, minimum: 0, at: argument.value.range)
      default:
        let near = suggest(argument.name, ["to", "maxDepth"])
        report(.unknownArgument(name: argument.name.text, of: name.text, near: near), at: argument.name.range)
      }
    }
    guard let target else {
      if !isWrong { report(.wrongArgumentCount(function: name.text, expected: "'to:', an id or an entity"), at: range) }
      return .error
    }
    let set = reserveSet(step.type, at: range)
    let path = BoundShortestPath(start: step.start, step: step.set, target: target, maximumDepth: maximum)
    query[set] = BoundSet(type: step.type, source: .shortestPath(path), range: range)
    return .plural(PluralPath(set: set, type: step.type, range: range, text: "shortestPath(…)"))
  }

  /// `hasMore(messages(limit: 3))`: whether the limit leaves something out.
  func bindHasMore(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    for argument in arguments.named {
      report(.unknownArgument(name: argument.name.text, of: name.text, near: []), at: argument.name.range)
    }
    guard arguments.named.isEmpty else { return .error }
    guard let first = arguments.positional.first, arguments.positional.count == 1 else {
      report(.wrongArgumentCount(function: name.text, expected: "a set with a limit"), at: range)
      return .error
    }
    switch resolve(bindOperand(first, environment), environment) {
    case .error: return .error
    case .plural(let path):
      guard case .none = path.tail, query[path.set].limit != nil else {
        report(.wrongArgumentCount(function: name.text, expected: "a set with a limit"), at: first.range)
        return .error
      }
      query[path.set].isProbe = true
      return .value(BoundExpression(.quantifier(.exists, path.set, nil), .boolean, at: range))
    default:
      report(.notASet(function: name.text), at: first.range)
      return .error
    }
  }

  // MARK: Depths

  private func bindDepths(
    _ expression: Expression, _ environment: Environment, into closure: inout BoundClosure
  ) {
    guard case .interval(let lower, let upper, let includesUpper, _) = bindOperand(expression, environment) else {
      report(.wrongType(found: "this value", expected: "a range of depths, such as 1..3"), at: expression.range)
      return
    }
    closure.lower = bindDepth(bindOperand(lower, environment), environment, minimum: 0, at: lower.range)
    closure.upper = bindDepth(bindOperand(upper, environment), environment, minimum: 0, at: upper.range)
    closure.includesUpper = includesUpper
  }

  /// A depth, nil for null. Constants below the minimum are reported here, others when they are known.
  func bindDepth(
    _ operand: Operand, _ environment: Environment, minimum: Int, at range: SourceRange
  ) -> BoundExpression? {
    if case .literal(.null, _) = operand { return nil }
    guard let bound = coerce(operand, to: .int, environment, at: range) else { return nil }
    if case .int(let number)? = bound.constant, number < minimum {
      report(.wrongDepth(minimum: minimum), at: range)
      return nil
    }
    return bound
  }

  // MARK: Steps

  private func repeatedStep(
    _ function: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> RepeatedStep? {
    guard let first = arguments.positional.first, arguments.positional.count == 1 else {
      report(.wrongArgumentCount(function: function.text, expected: "one relation to repeat"), at: range)
      return nil
    }
    return repeatedStep(first, of: function, environment)
  }

  private func repeatedStep(
    _ expression: Expression, of function: Name, _ environment: Environment
  ) -> RepeatedStep? {
    switch expression.kind {
    case .parenthesized(let inner):
      return nested(at: expression.range, nil) { $0.repeatedStep(inner, of: function, environment) }
    case .name(let name):
      if let binding = environment.lets[name.text], let inner = binding.expression {
        let outer = environment.inside(binding)
        return nested(at: name.range, nil) { $0.repeatedStep(inner, of: function, outer) }
      }
      return repeatedStep(name, nil, of: function, environment)
    case .current(let name?): return repeatedStep(name, nil, of: function, environment)
    case .call(let name, let arguments): return repeatedStep(name, arguments, of: function, environment)
    case .member(let base, let name, let arguments):
      switch resolve(bindOperand(base, environment), environment) {
      case .error: return nil
      case .entity(let reference, let type, _):
        return repeatedStep(name, arguments, from: .entity(reference), type, of: function, environment)
      case .plural(let path), .single(let path):
        guard case .none = path.tail else { break }
        return repeatedStep(name, arguments, from: .set(path.set), path.type, of: function, environment)
      default: break
      }
      report(.needsRelation(function: function.text), at: expression.range)
      return nil
    default:
      report(.needsRelation(function: function.text), at: expression.range)
      return nil
    }
  }

  /// A step from the current element.
  private func repeatedStep(
    _ name: Name, _ arguments: CallArguments?, of function: Name, _ environment: Environment
  ) -> RepeatedStep? {
    guard let element = environment.element(), catalog[type(of: element)].property(named: name.text) != nil else {
      if arguments != nil || hasMeaning(name, environment) {
        report(.needsRelation(function: function.text), at: name.range)
      } else {
        _ = resolveBare(name, environment)
      }
      return nil
    }
    return repeatedStep(name, arguments, from: .entity(element), type(of: element), of: function, environment)
  }

  private func repeatedStep(
    _ name: Name, _ arguments: CallArguments?, from start: TraversalEnd, _ type: EntityTypeID, of function: Name,
    _ environment: Environment
  ) -> RepeatedStep? {
    guard let property = catalog[type].property(named: name.text) else {
      reportUnknownField(name, of: catalog[type].name, among: catalog[type].properties.map(\.name))
      return nil
    }
    guard case .entity(let target) = elementType(of: property.signature.type), !isComputed(property) else {
      report(.needsRelation(function: function.text), at: name.range)
      return nil
    }
    guard let start = self.start(start, from: type, as: target, at: name.range),
      let operand = repeated(property, of: type, from: .scope(0, target), at: name.range)
    else {
      report(
        .notRecursive(field: name.text, source: catalog[type].name, target: catalog[target].name), at: name.range)
      return nil
    }
    if let extra = arguments?.positional.first {
      report(.wrongArgumentCount(function: name.text, expected: "named arguments only"), at: extra.range)
      return nil
    }
    // The entity that a step is taken from is no element that `^` knows.
    let inner = environment.enteringUnseen(.entity(target))
    let set: SetID
    switch operand {
    case .plural(let path): set = path.set
    case .entity(let reference, _, _):
      set = reserveSet(target, at: name.range)
      query[set].source = source(of: reference)
    default: return nil
    }
    var bound = query[set]
    bindArguments(arguments?.named ?? [], of: name, environment: inner, into: &bound)
    if let cursor = bound.paging?.after ?? bound.paging?.before {
      report(.noCursor(of: "a step that is repeated"), at: cursor.range)
      bound.paging = nil
    }
    query[set] = bound
    return RepeatedStep(start: start, set: set, type: target, environment: inner.entering(target))
  }

  /// Where a walk begins, as entities of the type that is walked.
  private func start(
    _ start: TraversalEnd, from type: EntityTypeID, as target: EntityTypeID, at range: SourceRange
  ) -> TraversalEnd? {
    switch start {
    case .entity(let reference):
      guard let cast = cast(reference, from: type, to: target) else { return nil }
      if cast.isPath { return .entity(cast) }
      let set = reserveSet(target, at: range)
      query[set].source = source(of: cast)
      return .set(set)
    case .set(let set):
      if type == target { return start }
      let routes = catalog.casts(from: type, to: target)
      return routes.isEmpty ? nil : .set(steps(from: set, routes, to: target, at: range))
    }
  }

  /// What a path leads to: an entity, one of a set, or the one with an id.
  private func bindTarget(
    _ expression: Expression, _ type: EntityTypeID, _ environment: Environment
  ) -> TraversalEnd? {
    let operand = resolve(bindOperand(expression, environment), environment)
    switch operand {
    case .error: return nil
    case .entity(let reference, let found, _):
      if let end = start(.entity(reference), from: found, as: type, at: expression.range) { return end }
    case .plural(let path), .single(let path):
      guard case .none = path.tail else { break }
      if let end = start(.set(path.set), from: path.type, as: type, at: expression.range) { return end }
    case .embedded: break
    default:
      if catalog[type].isAbstract { return abstractTarget(operand, expression, type, environment) }
      guard let column = idColumn(of: type),
        let index = catalog[type].indexes.first(where: { catalog[$0].isPrimary && catalog[$0].columns == [column.id] })
      else { break }
      guard let id = coerce(operand, to: column.type, environment, at: expression.range) else { return nil }
      let set = reserveSet(type, at: expression.range)
      query[set].source = .key(index, [id])
      return .set(set)
    }
    report(
      .wrongType(found: describe(operand), expected: "an id or an entity of '\(catalog[type].name)'"),
      at: expression.range)
    return nil
  }

  /// The first of the entities of an interface or union with an id.
  private func abstractTarget(
    _ operand: Operand, _ expression: Expression, _ type: EntityTypeID, _ environment: Environment
  ) -> TraversalEnd? {
    let set = reserveSet(type, at: expression.range)
    let inner = environment.enteringUnseen(.entity(type))
    let isWanted = hasIdentity(expression.range, type) { binder, id in
      binder.coerce(binder.bindOperand(expression, inner), to: id, inner, at: expression.range)
    }
    guard let isWanted else { return nil }
    query[set].predicate = isWanted
    query[set].limit = BoundExpression(.constant(.int(1)), .int, at: expression.range)
    return .set(set)
  }
}
