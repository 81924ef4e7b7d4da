import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// `==`, `!=`, `<`, `<=`, `>`, `>=`.
extension Binder {
  func comparison(
    _ op: ComparisonOperator, _ left: Expression, _ right: Expression, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    if case .call(let name, let arguments) = right.kind, name.text.lowercased() == "any", functions[name.text] == nil,
      let list = arguments.positional.first, arguments.positional.count == 1, op == .equal
    {
      let remedy = replacing(range, "\(shown(left)) in \(shown(list))")
      report(.unknownFunction(name: name.text, near: []), remedy, at: name.range)
      return .error
    }
    let (first, second) = decided(bindOperand(left, environment), bindOperand(right, environment), environment)
    for (operand, other, isLeft) in [(first, second, true), (second, first, false)] {
      guard case .plural(let path) = operand else { continue }
      let suggestion = suggestion(path, isLeft ? op : op.swapped, other, environment)
      report(.pluralPath(relation: path.text, suggestion: suggestion), at: range)
      return .error
    }
    if let (remedy, place) = ExpressionRemedies(binder: self).comparing(first, second, left, op, right) {
      report(.incomparable(left: describe(first), right: describe(second)), remedy, at: place)
      return .error
    }
    return compare(op, first, second, environment, range).map { .value($0) } ?? .error
  }

  /// `some(messages, text == "x")` where the other side is a plain literal.
  private func suggestion(
    _ path: PluralPath, _ op: ComparisonOperator, _ other: Operand, _ environment: Environment
  ) -> String? {
    guard !path.tailText.isEmpty, case .literal(let raw, _) = other else { return nil }
    var buffer = ByteBuffer()
    raw.json(into: &buffer)
    if let type = environment.elementType, type == path.type, path.text == catalog[type].rootMany {
      return "\(path.tailText) \(op.rawValue) \(buffer.string)"
    }
    return "some(\(path.text), \(path.tailText) \(op.rawValue) \(buffer.string))"
  }

  /// Decides bare names on either side by the type of the other (R15).
  func decided(_ left: Operand, _ right: Operand, _ environment: Environment) -> (Operand, Operand) {
    switch (left, right) {
    case (.bare(let first), .bare(let second)):
      if hasMeaning(first, environment) || !hasMeaning(second, environment) {
        let left = resolveBare(first, environment)
        return (left, resolve(right, environment, wanting: staticType(left), isCompared: true))
      }
      let right = resolveBare(second, environment)
      return (resolve(left, environment, wanting: staticType(right), isCompared: true), right)
    case (.bare, _): return (resolve(left, environment, wanting: staticType(right), isCompared: true), right)
    case (_, .bare): return (left, resolve(right, environment, wanting: staticType(left), isCompared: true))
    default: return (left, right)
    }
  }

  func compare(
    _ op: ComparisonOperator, _ left: Operand, _ right: Operand, _ environment: Environment, _ range: SourceRange,
    origin: ValueCoercion.Origin = .document
  ) -> BoundExpression? {
    let isEquality = op == .equal || op == .notEqual
    switch (left, right) {
    case (.error, _), (_, .error): return nil
    case (.literal(.null, _), let other), (let other, .literal(.null, _)):
      guard isEquality else { return BoundExpression(.constant(.null), .boolean, at: range) }
      guard let test = isNull(other, at: range) else { return nil }
      return op == .equal ? test : negation(test)
    case _ where isEquality && embeddedType(of: left).map({ $0 == embeddedType(of: right) }) == true:
      // As values: all that they hold.
      guard let first = value(left, environment, at: range), let second = value(right, environment, at: range) else {
        return nil
      }
      return BoundExpression(.compare(op, first.expression, second.expression), .boolean, at: range)
    case (.entity, _), (.single, _), (_, .entity), (_, .single):
      if let first = entity(left, at: range), let second = entity(right, at: range) {
        guard let (first, second) = unified(first, second) else { return incomparable(left, right, range) }
        guard isEquality else {
          report(.unordered(type: words(first.type)), at: range)
          return nil
        }
        return BoundExpression(.compare(op, first, second), .boolean, at: range)
      }
      let sides = [left, right].map { operand -> Operand? in
        switch operand {
        case .entity, .single: identity(operand).map { .value($0) }
        default: operand
        }
      }
      guard let first = sides[0], let second = sides[1] else { return incomparable(left, right, range) }
      return compare(op, first, second, environment, range, origin: origin)
    case (.embedded(let first), .embedded) where !isEquality:
      report(.unordered(type: "the embedded object \(words(.embedded(first.type)))"), at: range)
      return nil
    case (.embedded, _), (_, .embedded): return incomparable(left, right, range)
    default: break
    }
    guard let (first, second) = unified(left, right, environment, range, origin: origin) else { return nil }
    if !isEquality {
      for operand in [first, second] where !isOrdered(operand.type) {
        report(.unordered(type: words(operand.type)), at: range)
        return nil
      }
    }
    return BoundExpression(.compare(op, first, second), .boolean, at: range)
  }

  func incomparable(_ left: Operand, _ right: Operand, _ range: SourceRange) -> BoundExpression? {
    report(.incomparable(left: describe(left), right: describe(right)), at: range)
    return nil
  }

  func isOrdered(_ type: ValueType) -> Bool {
    switch type {
    case .scalar, .enumeration, .null: true
    case .list, .embedded, .entity: false
    }
  }

  /// Both sides in one type, or both numeric; folded where either is case-insensitive.
  func unified(
    _ left: Operand, _ right: Operand, _ environment: Environment, _ range: SourceRange,
    origin: ValueCoercion.Origin = .document
  ) -> (BoundExpression, BoundExpression)? {
    guard
      let first = beside(left, staticType(right), environment, range, origin: origin),
      let second = beside(right, staticType(left), environment, range, origin: origin)
    else { return nil }
    if first.folded != nil || second.folded != nil {
      guard let a = conversion(first.expression, to: .string), let b = conversion(second.expression, to: .string) else {
        return incomparablePair(first, second, range)
      }
      return (first.folded ?? fold(a), second.folded ?? fold(b))
    }
    let (one, two) = (first.expression, second.expression)
    if one.type == two.type || one.type.isNumeric && two.type.isNumeric { return (one, two) }
    if one.type == .null || two.type == .null {
      return (
        conversion(one, to: two.type) ?? one, conversion(two, to: one.type) ?? two
      )
    }
    if let a = one.type.scalar, let b = two.type.scalar, a.isTextual, b.isTextual {
      return (converted(one, .string), converted(two, .string))
    }
    // A number is the id that prints so.
    if one.type == .scalar(.id), two.type == .scalar(.int) { return (one, converted(two, .scalar(.id))) }
    if one.type == .scalar(.int), two.type == .scalar(.id) { return (converted(one, .scalar(.id)), two) }
    if one.type == .json, let other = conversion(two, to: .json) { return (one, other) }
    if two.type == .json, let other = conversion(one, to: .json) { return (other, two) }
    return incomparablePair(first, second, range)
  }

  private func incomparablePair(
    _ left: TypedValue, _ right: TypedValue, _ range: SourceRange
  ) -> (BoundExpression, BoundExpression)? {
    report(.incomparable(left: words(left.type), right: words(right.type)), at: range)
    return nil
  }

  /// A side of a comparison; a literal takes the type of the other side, a number exactly.
  private func beside(
    _ operand: Operand, _ other: ValueType?, _ environment: Environment, _ range: SourceRange,
    origin: ValueCoercion.Origin
  ) -> TypedValue? {
    switch operand {
    case .literal(let raw, let range):
      guard let other else { return value(operand, environment, at: range) }
      let type: ValueType
      switch (raw, other) {
      // 18.5 beside an Int is compared exactly.
      case (.real, .scalar(.int)): type = .decimal
      // Beyond 2^53 a Float would not hold the digits.
      case (.integer(let digits), .scalar(.float)):
        type = (Int64(digits).map { $0.magnitude <= 1 << 53 } ?? false) ? .float : .decimal
      default: type = other
      }
      if let beyond = Self.beyond(raw, type, at: range) { return TypedValue(expression: beyond) }
      return constant(raw, type, at: range, origin: origin).map { TypedValue(expression: $0) }
    case .list, .object:
      guard let other else { return value(operand, environment, at: range) }
      return coerce(operand, to: other, environment, at: range, origin: origin).map { TypedValue(expression: $0) }
    default: return value(operand, environment, at: range)
    }
  }

  /// A number that is too large or too small for the type that it stands beside, `age < 1e300`, as a Float that
  /// compares with every value of that type as the number itself does: infinite beyond the largest Float, and never
  /// zero.
  private static func beyond(_ raw: RawValue, _ type: ValueType, at range: SourceRange) -> BoundExpression? {
    let digits: String
    switch raw {
    case .real(let written), .integer(let written): digits = written
    default: return nil
    }
    func float(_ value: Double) -> BoundExpression {
      BoundExpression(.constant(.float(value)), .scalar(.float), at: range)
    }
    let isNegative = digits.hasPrefix("-")
    let significand = digits.prefix { $0 != "e" && $0 != "E" }
    let isZero = !significand.contains { $0 >= "1" && $0 <= "9" }
    let value = Array(digits.utf8).withUnsafeBufferPointer { FloatParsing.parse($0) }
    switch type {
    case .scalar(.decimal):
      guard !isZero, Decimal(parsing: digits) == nil else { return nil }
      guard let value else { return float(isNegative ? -.infinity : .infinity) }
      if value == 0 { return float(isNegative ? -.leastNonzeroMagnitude : .leastNonzeroMagnitude) }
      // Between these bounds a number of more than 36 digits is too fine to be compared.
      return value.magnitude >= 1e36 || value.magnitude < 1e-36 ? float(value) : nil
    case .scalar(.float): return value == nil ? float(isNegative ? -.infinity : .infinity) : nil
    default: return nil
    }
  }
}
