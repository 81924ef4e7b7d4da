import GQLBase
import GQLCatalog
import GQLParser

extension Binder {
  /// The scalar functions of the language that are not run yet.
  private static let laterFunctions: Set<String> = [
    "slice", "concat", "replace", "split", "padStart", "sort", "nfc", "abs", "round", "floor", "ceil", "sqrt", "pow",
    "div", "least", "greatest", "date", "duration", "year", "month", "day", "hour", "minute", "second", "weekday",
    "trunc", "dateDiff", "try", "extract", "highlight",
  ]
  private static let functions = [
    "lower", "upper", "trim", "length", "collate", "if", "coalesce", "nullif", "now", "int", "float", "decimal",
    "string", "boolean", "some", "every", "none", "one", "exists", "count", "sum", "avg", "min", "max",
  ]

  mutating func bindFunction(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let isKnown = Self.functions.contains(name.text)
    guard isKnown else {
      if declaredFunctions.contains(name.text) {
        // Reported where it is defined.
      } else if Self.laterFunctions.contains(name.text) {
        report(.notSupportedYet(.scalarFunction), at: range)
      } else if name.text == "asc" || name.text == "desc" {
        report(.wrongOrder, at: range)
      } else {
        let known = Self.functions + Self.laterFunctions.sorted()
        report(.unknownFunction(name: name.text, near: nearestNames(to: name.text, in: known)), at: name.range)
      }
      return .error
    }
    for argument in arguments.named {
      report(.unknownArgument(name: argument.name.text, of: name.text, near: []), at: argument.name.range)
    }
    let values = arguments.positional
    switch name.text {
    case "lower", "upper", "trim":
      guard let function = ScalarFunction(rawValue: name.text),
        let text = textArgument(name, values, environment, range)
      else { return .error }
      return .value(BoundExpression(.call(function, [text]), .string, at: range))
    case "length": return length(name, values, environment, range)
    case "collate": return collate(name, values, environment, range)
    case "now":
      guard values.isEmpty else { return wrongCount(name, "nothing", range) }
      return .value(BoundExpression(.parameter(nowParameter(at: range)), .scalar(.dateTime), at: range))
    case "int", "float", "decimal", "string", "boolean":
      guard values.count == 1,
        let target = ScalarType(rawValue: name.text.prefix(1).uppercased() + name.text.dropFirst())
      else { return wrongCount(name, "one value", range) }
      return casted(bindOperand(values[0], environment), to: .scalar(target), environment, at: range)
    case "coalesce":
      guard !values.isEmpty else { return wrongCount(name, "one or more values", range) }
      return bindCoalesce(values, environment, range)
    case "nullif":
      guard values.count == 2 else { return wrongCount(name, "two values", range) }
      return nullif(values, environment, range)
    case "if":
      guard values.count >= 2 else { return wrongCount(name, "a condition and values", range) }
      return conditional(values, environment, range)
    default: return wrongCount(name, "other arguments", range)
    }
  }

  /// One instant for an operation, filled in when it runs.
  mutating func nowParameter(at range: SourceRange) -> Int {
    if let index = query.parameters.firstIndex(where: { $0.source == .now }) { return index }
    query.parameters.append(.now(at: range))
    return query.parameters.count - 1
  }

  private mutating func wrongCount(_ name: Name, _ expected: String, _ range: SourceRange) -> Operand {
    report(.wrongArgumentCount(function: name.text, expected: expected), at: range)
    return .error
  }

  private mutating func textArgument(
    _ name: Name, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> BoundExpression? {
    guard values.count == 1 else {
      report(.wrongArgumentCount(function: name.text, expected: "one text"), at: range)
      return nil
    }
    guard let value = value(bindOperand(values[0], environment), environment, at: values[0].range) else { return nil }
    guard value.type.scalar?.isTextual ?? false || value.type == .null else {
      report(.wrongType(found: words(value.type), expected: "text"), at: values[0].range)
      return nil
    }
    return converted(value.expression, .string)
  }

  private mutating func length(
    _ name: Name, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    if values.count == 1, let value = value(bindOperand(values[0], environment), environment, at: values[0].range) {
      if case .list = value.type {
        return .value(BoundExpression(.call(.length, [value.expression]), .int, at: range))
      }
      guard value.type.scalar?.isTextual ?? false || value.type == .null else {
        report(.wrongType(found: words(value.type), expected: "text or a list"), at: values[0].range)
        return .error
      }
      return .value(BoundExpression(.call(.length, [converted(value.expression, .string)]), .int, at: range))
    }
    return values.count == 1 ? .error : wrongCount(name, "one text or list", range)
  }

  private mutating func collate(
    _ name: Name, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    guard values.count == 2 else { return wrongCount(name, "a text and CI", range) }
    guard case .name(let collation) = values[1].kind, collation.text == "CI" else {
      report(.notSupportedYet(.languageCollation), at: values[1].range)
      return .error
    }
    let operand = resolve(bindOperand(values[0], environment), environment)
    guard let value = value(operand, environment, at: values[0].range) else { return .error }
    guard value.type.scalar?.isTextual ?? false || value.type == .null else {
      report(.wrongType(found: words(value.type), expected: "text"), at: values[0].range)
      return .error
    }
    let text = converted(value.expression, .string)
    return .value(text, folded: value.folded ?? fold(text))
  }

  // MARK: Several values of one type

  /// `a ?? b ?? c` and `coalesce(a, b, c)`.
  mutating func bindCoalesce(
    _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var operands: [(Operand, SourceRange)] = []
    for value in values {
      operands.append((bindOperand(value, environment), value.range))
    }
    guard let bound = alike(operands, environment, range) else { return .error }
    if bound.count == 1 { return .value(bound[0]) }
    return .value(BoundExpression(.coalesce(bound), bound[0].type, at: range))
  }

  private mutating func conditional(
    _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var conditions: [BoundExpression] = []
    var results: [(Operand, SourceRange)] = []
    var index = 0
    while index + 1 < values.count {
      guard let test = condition(values[index], environment) else { return .error }
      conditions.append(test)
      results.append((bindOperand(values[index + 1], environment), values[index + 1].range))
      index += 2
    }
    if index < values.count { results.append((bindOperand(values[index], environment), values[index].range)) }
    guard let bound = alike(results, environment, range) else { return .error }
    var parts: [BoundExpression] = []
    for (position, result) in bound.enumerated() {
      if position < conditions.count { parts.append(conditions[position]) }
      parts.append(result)
    }
    return .value(BoundExpression(.conditional(parts), bound[0].type, at: range))
  }

  private mutating func nullif(
    _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let (left, right) = decided(
      bindOperand(values[0], environment), bindOperand(values[1], environment), environment)
    guard let test = compare(.equal, left, right, environment, range),
      let value = value(left, environment, at: values[0].range)
    else { return .error }
    let null = BoundExpression(.constant(.null), value.type, at: range)
    return .value(BoundExpression(.conditional([test, null, value.expression]), value.type, at: range))
  }

  /// Operands in the one type that they all can have; literals and bare names follow the others.
  private mutating func alike(
    _ operands: [(Operand, SourceRange)], _ environment: Environment, _ range: SourceRange
  ) -> [BoundExpression]? {
    var type = ValueType.null
    var decided: [(Operand, SourceRange)] = []
    for (operand, range) in operands {
      var operand = operand
      if case .bare(let name) = operand, hasMeaning(name, environment) {
        operand = resolveBare(name, environment)
      }
      decided.append((operand, range))
      guard let own = staticType(operand) else { continue }
      if type == .null || type == own {
        type = own
      } else if type.isNumeric, own.isNumeric {
        type = Self.widest(type, own)
      } else if type.scalar?.isTextual ?? false, own.scalar?.isTextual ?? false {
        type = .string
      } else if type == .json || own == .json {
        type = .json
      } else {
        report(.incomparable(left: words(type), right: words(own)), at: range)
        return nil
      }
    }
    var bound: [BoundExpression] = []
    for (operand, range) in decided {
      if type == .null {
        guard let value = value(operand, environment, at: range) else { return nil }
        bound.append(value.expression)
      } else {
        var wanted = type
        // `age ?? 1.5`: the literal's own type is wider.
        if case .literal(.real, _) = operand, type == .int { wanted = .float }
        guard let value = coerce(operand, to: wanted, environment, at: range) else { return nil }
        bound.append(value)
      }
    }
    // What literals alone decided, or what a wider literal changed.
    var common = bound.reduce(ValueType.null) { common, part in
      if common == .null || common == part.type { return part.type }
      return common.isNumeric && part.type.isNumeric ? Self.widest(common, part.type) : common
    }
    if common == .null { common = type }
    for (index, part) in bound.enumerated() where part.type != common {
      guard let converted = conversion(part, to: common) else {
        report(.incomparable(left: words(common), right: words(part.type)), at: part.range)
        return nil
      }
      bound[index] = converted
    }
    return bound
  }
}
