import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery
import GQLRegex

extension Binder {
  /// Binds an expression as far as its place does not matter.
  @inline(never)
  func bindOperand(_ expression: Expression, _ environment: Environment) -> Operand {
    guard !isExhausted, count(at: expression.range) else { return .error }
    var inner = expression
    while case .parenthesized(let content) = inner.kind { inner = content }
    return nested(at: expression.range, .error) { $0.operand(inner, environment) }
  }

  /// Operators stand deepest in each other, so they have a way with small frames: without optimisation, each branch of
  /// a function has its own room on the stack.
  private func operand(_ expression: Expression, _ environment: Environment) -> Operand {
    guard case .binary(let op, let left, let right) = expression.kind else { return single(expression, environment) }
    let range = expression.range
    if let arithmetic = ArithmeticOperator(rawValue: op.rawValue) {
      return self.arithmetic(arithmetic, left, right, environment, range)
    }
    switch (left.kind, right.kind) {
    case (.string, _), (_, .string):
      if reportConstants(left, op, right, environment, at: range) { return .error }
    default: break
    }
    if let comparison = ComparisonOperator(rawValue: op.rawValue) {
      return self.comparison(comparison, left, right, environment, range)
    }
    return binary(op, left, right, environment, range)
  }

  private func single(_ expression: Expression, _ environment: Environment) -> Operand {
    let range = expression.range
    switch expression.kind {
    case .int, .float, .string, .boolean, .null:
      return RawValue(expression).map { .literal($0, range) } ?? .error
    case .list(let elements): return .list(elements, range)
    case .object(let fields):
      checkRepeats(fields)
      return .object(fields, range)
    case .parenthesized(let inner): return bindOperand(inner, environment)
    case .name(let name): return .bare(name)
    case .variable(let name): return variable(name, environment)
    case .current(let name):
      guard let scope = environment.scope() else {
        report(.noElement, at: range)
        return .error
      }
      if let number = environment.group() { return groupValue(name, number, range, environment) }
      guard let element = environment.element() else {
        let value = element(of: scope, at: range)
        return name.map { member($0, of: value, at: range) } ?? value
      }
      let type = type(of: element)
      guard let name else { return .entity(element, type, range) }
      if let value = metaValue(name, of: element) { return .value(value) }
      if name.text == "_score" { return score(environment, at: name.range) }
      guard let property = catalog[type].property(named: name.text) else {
        reportUnknownField(name, of: catalog[type].name, among: catalog[type].properties.map(\.name))
        return .error
      }
      return member(property, of: element, at: range)
    case .outer(let climb):
      guard let scope = environment.scope(climb) else {
        report(.noEnclosingElement(climbed: climb), at: range)
        return .error
      }
      if environment.leavesForeignStep(climb) { report(.elementOfPlace(climbed: climb), at: range, severity: .warning) }
      if let number = environment.group(climb) { return groupValue(nil, number, range, environment) }
      guard let element = environment.element(climb) else { return self.element(of: scope, at: range) }
      return .entity(element, type(of: element), range)
    case .member(let base, let name, let arguments):
      if let place = inputPlace(expression, environment) { return operand(of: place, at: range) }
      return bindMember(base, name, arguments, environment)
    case .index(let base, let index): return subscripted(base, index, environment, range)
    case .call(let name, let arguments): return bindCall(name, arguments, environment, range)
    case .unary(let op, let inner): return unary(op, inner, environment, range)
    case .binary: return operand(expression, environment)
    case .chain(let op, let terms): return connective(op, terms, environment, expression.range)
    case .isTest(let inner, let negated, let name):
      guard name.text == "null" else { return typeTest(inner, name, negated: negated, environment, range) }
      let operand = resolve(bindOperand(inner, environment), environment)
      guard let test = isNull(operand, at: range, written: inner) else { return .error }
      return .value(negated ? negation(test) : test)
    case .cast(let inner, let name): return cast(inner, name, environment, range)
    // The parser has reported it.
    case .missing: return .error
    }
  }

  func negation(_ expression: BoundExpression) -> BoundExpression {
    BoundExpression(.not(expression), .boolean, at: expression.range)
  }

  private func variable(_ name: Name, _ environment: Environment) -> Operand {
    if let binding = environment.arguments[name.text] { return operand(binding, name, environment) }
    usedVariables.insert(name.text)
    if acceptsAnyVariable { return .error }
    if let place = inputPlace(Expression(.variable(name), at: name.range), environment) {
      return operand(of: place, at: name.range)
    }
    guard let variable = variables[name.text] else {
      lazy var known = variableNames + environment.arguments.keys.sorted()
      let near = suggest(name, known)
      let declaration = Remedy(help: "declare it: 'query($\(name.text): Int)', or another type")
      report(
        .unknownVariable(name: name.text, near: near),
        near.isEmpty && computedRange == nil && !siblings.isEmpty ? declaration : nil,
        at: name.range)
      return .error
    }
    switch variable.kind {
    case .slot(let index):
      var type = query.parameters[index].signature.type
      if case .list(.list) = type { type = .json }
      return .value(BoundExpression(.parameter(index), type, at: name.range))
    case .filter(let type): return .filter(type, name)
    case .order(let type):
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(catalog[type].name)Order'", expected: "a value"), at: name.range)
      return .error
    case .structure(let type):
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(GeneratedNames(catalog)[type])'", expected: "a value"), at: name.range)
      return .error
    case .input(let type, _):
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(catalog[type].name)Input'", expected: "a value"), at: name.range)
      return .error
    case .declared, .broken: return .error
    }
  }

  private func subscripted(
    _ base: Expression, _ index: Expression, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let owner = resolve(bindOperand(base, environment), environment)
    if case .plural(let path) = owner, case .none = path.tail {
      return subscripted(path, bindOperand(index, environment), environment, range, at: index.range)
    }
    guard let list = value(owner, environment, at: base.range) else { return .error }
    let position = bindOperand(index, environment)
    if list.type == .json {
      if case .literal(.text(let text), let range) = position {
        let key = BoundExpression(.constant(.string(text)), .string, at: range)
        return .value(BoundExpression(.jsonPath(list.expression, key), .json, at: range))
      }
      guard let key = coerce(position, to: .int, environment, at: index.range) else { return .error }
      return .value(BoundExpression(.jsonPath(list.expression, key), .json, at: range))
    }
    guard case .list(let element) = list.type else {
      report(.wrongType(found: words(list.type), expected: "a list"), at: base.range)
      return .error
    }
    guard let key = coerce(position, to: .int, environment, at: index.range) else { return .error }
    return .value(BoundExpression(.element(list.expression, key), element, at: range))
  }

  private func unary(
    _ op: UnaryOperator, _ inner: Expression, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    switch op {
    case .not, .bang:
      guard let bound = condition(inner, environment) else { return .error }
      return .value(BoundExpression(.not(bound), .boolean, at: range))
    case .minus, .plus:
      let operand = resolve(bindOperand(inner, environment), environment)
      if op == .minus {
        switch operand {
        // Negating the least Int overflows, as it does for every value that is not written as a literal.
        case .literal(.integer(let digits), _) where Int64(digits) != .min:
          return .literal(.integer(Self.negated(digits)), range)
        case .literal(.real(let digits), _): return .literal(.real(Self.negated(digits)), range)
        default: break
        }
      }
      guard let bound = value(operand, environment, at: inner.range) else { return .error }
      guard bound.type.isNumeric || bound.type == .scalar(.duration) || bound.type == .null else {
        report(.wrongType(found: words(bound.type), expected: "a number"), at: inner.range)
        return .error
      }
      if op == .plus { return .value(bound.expression) }
      return .value(BoundExpression(.negate(bound.expression), bound.type, at: range))
    }
  }

  private static func negated(_ digits: String) -> String {
    digits.hasPrefix("-") ? String(digits.dropFirst()) : "-\(digits)"
  }

  /// Those that are neither arithmetic nor comparisons.
  private func binary(
    _ op: BinaryOperator, _ left: Expression, _ right: Expression, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    switch op {
    case .or, .and: return connective(op, [left, right], environment, range)
    case .match, .like, .ilike, .contains, .startsWith, .endsWith:
      return bindTextOperator(op, left, right, environment, range)
    case .notMatch: return negate(bindTextOperator(.match, left, right, environment, range))
    case .notLike: return negate(bindTextOperator(.like, left, right, environment, range))
    case .notIlike: return negate(bindTextOperator(.ilike, left, right, environment, range))
    case .notContains: return negate(bindTextOperator(.contains, left, right, environment, range))
    case .notStartsWith: return negate(bindTextOperator(.startsWith, left, right, environment, range))
    case .notEndsWith: return negate(bindTextOperator(.endsWith, left, right, environment, range))
    case .in: return membership(left, right, environment, range)
    case .notIn: return negate(membership(left, right, environment, range))
    case .matches: return bindMatches(left, right, environment, range)
    case .notMatches: return negate(bindMatches(left, right, environment, range))
    case .coalesce: return bindCoalesce([left, right], environment, range)
    case .closedRange: return .interval(lower: left, upper: right, includesUpper: true, range)
    case .halfOpenRange: return .interval(lower: left, upper: right, includesUpper: false, range)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .add, .subtract, .multiply, .divide,
      .remainder:
      // Not here.
      return .error
    }
  }

  private func negate(_ operand: Operand) -> Operand {
    guard case .value(let value) = operand else { return operand }
    return .value(negation(value.expression))
  }

  /// A chain of one connective is one node, whatever its length: generated conditions have thousands of terms.
  private func connective(
    _ op: BinaryOperator, _ terms: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var bound: [BoundExpression] = []
    var isWrong = false
    let problems = diagnostics.count
    for term in terms {
      guard let part = condition(term, environment) else {
        if op == .or, !bound.isEmpty, !isWrong, let remedy = remedy(forChoice: terms, at: range) {
          diagnostics.removeSubrange(min(problems, diagnostics.count)...)
          report(.wrongType(found: "a value", expected: "a condition"), remedy, at: term.range)
          return .error
        }
        if op == .or, !isWrong, bound.isEmpty, isText(term, environment) {
          diagnostics.removeSubrange(min(problems, diagnostics.count)...)
          reportJoin(terms, at: range)
          return .error
        }
        isWrong = true
        continue
      }
      // `a or (b or c)` is flat too.
      switch (op, part.kind) {
      case (.or, .or(let inner)), (.and, .and(let inner)): bound += inner
      default: bound.append(part)
      }
    }
    if isWrong { return .error }
    return .value(BoundExpression(op == .or ? .or(bound) : .and(bound), .boolean, at: range))
  }

  private func cast(
    _ inner: Expression, _ name: Name, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let operand = bindOperand(inner, environment)
    let target: ValueType
    if let scalar = ScalarType(rawValue: name.text) {
      target = .scalar(scalar)
    } else if let enumeration = catalog.enums.first(where: { $0.name == name.text }) {
      target = .enumeration(enumeration.id)
    } else {
      if let type = catalog.type(named: name.text) {
        return cast(operand, to: type.id, environment, range)
      } else {
        lazy var known =
          ScalarType.allCases.map(\.rawValue) + catalog.enums.map(\.name) + catalog.types.map(\.name)
        report(.unknownType(name: name.text, near: suggest(name, known)), at: name.range)
      }
      return .error
    }
    return casted(operand, to: target, environment, at: range)
  }

  func casted(
    _ operand: Operand, to target: ValueType, _ environment: Environment, at range: SourceRange
  ) -> Operand {
    let decided = resolve(operand, environment, wanting: target)
    // A literal that fits needs no conversion at run time.
    if case .literal(let raw, _) = decided,
      case .success(let value) = ValueCoercion(catalog: catalog, origin: .document).coerce(raw, to: target)
    {
      return .value(BoundExpression(.constant(value), target, at: range))
    }
    if case .literal(.text(let text), let place) = decided {
      switch target {
      case .scalar(.dateTime), .scalar(.date), .scalar(.duration):
        // As wrong as where such a literal stands beside a time.
        return constant(.text(text), target, at: place).map { .value($0) } ?? .error
      default: break
      }
    }
    guard let bound = value(decided, environment, at: range) else { return .error }
    if bound.type == target { return .value(bound) }
    if case .list = bound.type {
      report(.impossibleCast(from: words(bound.type), to: words(target)), at: range)
      return .error
    }
    return .value(BoundExpression(.cast(bound.expression), target, at: range))
  }
}
