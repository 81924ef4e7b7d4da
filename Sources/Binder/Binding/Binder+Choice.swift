import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  // MARK: Several values of one type

  /// `a ?? b ?? c` and `coalesce(a, b, c)`.
  func bindCoalesce(
    _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var operands: [(Operand, SourceRange)] = []
    for value in values {
      operands.append((bindOperand(value, environment), value.range))
    }
    if let entity = firstEntity(operands, environment, range) { return entity }
    guard let bound = alike(operands, environment, range) else { return .error }
    if bound.count == 1 { return .value(bound[0]) }
    return .value(BoundExpression(.coalesce(bound), bound[0].type, at: range))
  }

  func conditional(
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
    if let entity = chosenEntity(conditions, results, environment, range) { return entity }
    guard let bound = alike(results, environment, range) else { return .error }
    var parts: [BoundExpression] = []
    for (position, result) in bound.enumerated() {
      if position < conditions.count { parts.append(conditions[position]) }
      parts.append(result)
    }
    return .value(BoundExpression(.conditional(parts), bound[0].type, at: range))
  }

  func nullif(
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
  func alike(
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
        report(.unlikeTypes(first: words(type), other: words(own)), at: range)
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
        if let own = literalType(operand), !canBe(own, type) {
          report(.unlikeTypes(first: words(type), other: words(own)), at: range)
          return nil
        }
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
        report(.unlikeTypes(first: words(common), other: words(part.type)), at: part.range)
        return nil
      }
      bound[index] = converted
    }
    return bound
  }
  /// The type that a literal would have alone; nil for what is none, and for texts, which stand for many types.
  private func literalType(_ operand: Operand) -> ValueType? {
    guard case .literal(let raw, _) = operand else { return nil }
    switch raw {
    case .boolean: return .boolean
    case .integer: return .int
    case .real: return .float
    case .text: return .string
    default: return nil
    }
  }

  /// Whether a literal of a type may be a value of another; what it says may still be none.
  private func canBe(_ literal: ValueType, _ type: ValueType) -> Bool {
    if literal == type || type == .json || literal.isNumeric && type.isNumeric { return true }
    switch (literal, type) {
    case (.string, .scalar(let scalar)): return !scalar.isNumeric && scalar != .boolean
    // `if(c, id, 7)`; an enum value in quotes has its own message.
    case (.int, .scalar(.id)), (.string, .enumeration), (_, .list), (_, .entity): return true
    default: return false
    }
  }
}
