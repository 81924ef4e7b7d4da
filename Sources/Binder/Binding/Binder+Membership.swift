import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// `in`: lists, ranges, variables and paths.
extension Binder {
  func membership(
    _ left: Expression, _ right: Expression, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var list = bindOperand(right, environment)
    // `status in states`: the name behind `in` is no enum value.
    list = resolve(list, environment)
    switch list {
    case .error: return .error
    case .plural(let path), .single(let path): return membership(left, path, environment, range)
    case .list(let elements, _):
      let subject = subject(left, among: elements, environment)
      return membership(subject, elements, environment, range).map { .value($0) } ?? .error
    case .interval(let lower, let upper, let includesUpper, _):
      let subject = subject(left, among: [lower, upper], environment)
      return interval(subject, lower, upper, includesUpper, environment, range)
    case .value(let value):
      var element: ValueType?
      if case .list(let type) = value.type { element = type }
      if let element, let operand = foldedMembership(left, value, element, environment, range) { return operand }
      let subject = resolve(bindOperand(left, environment), environment, wanting: element)
      return membership(subject, inList: value, environment, range).map { .value($0) } ?? .error
    case .literal(.null, let range):
      return .value(BoundExpression(.constant(.boolean(false)), .boolean, at: range))
    default:
      report(.wrongType(found: describe(list), expected: "a list, a range or a path of many"), at: right.range)
      return .error
    }
  }

  /// The left side of `in`: a bare name that means nothing here may be a value of the type that the elements have.
  private func subject(
    _ left: Expression, among elements: [Expression], _ environment: Environment
  ) -> Operand {
    let operand = bindOperand(left, environment)
    guard case .bare(let name) = operand, !hasMeaning(name, environment) else {
      return resolve(operand, environment)
    }
    for element in elements {
      let other = bindOperand(element, environment)
      if case .bare(let name) = other, !hasMeaning(name, environment) { continue }
      if let type = staticType(resolve(other, environment)) { return resolve(operand, environment, wanting: type) }
    }
    return resolve(operand, environment)
  }

  /// `x in [a, b]`; nil if something is wrong.
  func membership(
    _ subject: Operand, _ elements: [Expression], _ environment: Environment, _ range: SourceRange,
    origin: ValueCoercion.Origin = .document
  ) -> BoundExpression? {
    var subject = subject
    if entity(subject, at: range) != nil {
      let areEntities = elements.contains { element in
        switch element.kind {
        case .current, .outer, .member, .name, .call: true
        default: false
        }
      }
      // Entities among entities compare one by one; among ids by id.
      if areEntities { return anyEqual(subject, elements, environment, range) }
      guard let id = identity(subject) else { return incomparable(subject, .list(elements, range), range) }
      subject = .value(id)
    }
    guard let value = value(subject, environment, at: range) else { return nil }
    if origin == .variable, let test = membership(value, inValues: elements, range) { return test }
    guard !isExhausted else { return nil }
    let known = query.sets.count
    // What is compared with each element, in the type that the two have together.
    var keys: [BoundExpression] = []
    var bound: [BoundExpression] = []
    var isWrong = false
    bound.reserveCapacity(elements.count)
    let place = valuePath.depth
    for (index, element) in elements.enumerated() {
      defer { valuePath.leave(to: place) }
      valuePath.enter(index: index)
      let operand: Operand
      if origin == .variable, freeValues > 0, let raw = literal(element) {
        freeValues -= 1
        if freeValues & 0xFFF == 0 { lookAtInterruption(at: element.range) }
        guard !isExhausted else { return nil }
        operand = .literal(raw, element.range)
      } else {
        guard !isExhausted else { return nil }
        operand = resolve(bindOperand(element, environment), environment, wanting: value.type, isCompared: true)
      }
      if case .literal(.null, let range) = operand {
        bound.append(BoundExpression(.constant(.null), value.type, at: range))
        continue
      }
      // Each is compared in its own collation.
      if value.folded == nil, case .value(let other) = operand, other.folded != nil {
        return anyEqual(.value(value), elements, environment, range)
      }
      guard let (key, right) = unified(.value(value), operand, environment, element.range, origin: origin) else {
        isWrong = true
        continue
      }
      if keys.last != key { keys.append(key) }
      bound.append(right)
    }
    if isWrong { return nil }
    if keys.count <= 1 { return BoundExpression(.inValues(keys.first ?? value.key, bound), .boolean, at: range) }
    if keys.allSatisfy({ $0.type.scalar?.isTextual ?? false }) {
      let texts = bound.map { converted($0, .string) }
      return BoundExpression(.inValues(converted(value.expression, .string), texts), .boolean, at: range)
    }
    // One by one, where not all are of a type with it: they are bound once more.
    query.sets.removeLast(query.sets.count - known)
    guard let test = anyEqual(.value(value), elements, environment, range) else { return nil }
    return BoundExpression(.isTrue(test), .boolean, at: range)
  }

  /// Many values of a variable, all of which are of the type they are compared with, as one constant list: no part of
  /// the planner then looks at each of them. Nil for others, which are looked at one by one.
  private func membership(
    _ subject: TypedValue, inValues elements: [Expression], _ range: SourceRange
  ) -> BoundExpression? {
    guard elements.count > BoundExpression.manyValues, elements.count <= freeValues else { return nil }
    let type = subject.key.type
    switch type {
    case .enumeration: break
    case .scalar(let scalar) where scalar != .json: break
    default: return nil
    }
    let coercion = ValueCoercion(catalog: catalog, origin: .variable, ints: options.ints)
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      if index & 0xFFF == 0 { lookAtInterruption(at: element.range) }
      guard !isExhausted, let raw = literal(element) else { return nil }
      // Beyond 2^53 a Float would not hold the digits.
      if type == .float, case .integer(let digits) = raw, Int64(digits).map({ $0.magnitude > 1 << 53 }) ?? true {
        return nil
      }
      guard case .success(let value) = coercion.coerce(raw, to: type) else { return nil }
      if subject.folded != nil, case .string(let text) = value {
        values.append(.string(CaseFolding.fold(text)))
      } else {
        values.append(value)
      }
    }
    freeValues -= elements.count
    let list = BoundExpression(.constant(.list(values)), .list(type), at: range)
    return BoundExpression(.inList(subject.key, list), .boolean, at: range)
  }

  /// A single value that is written out.
  private func literal(_ expression: Expression) -> RawValue? {
    switch expression.kind {
    case .int, .float, .string, .boolean, .null: RawValue(expression)
    default: nil
    }
  }

  private func anyEqual(
    _ subject: Operand, _ elements: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> BoundExpression? {
    var parts: [BoundExpression] = []
    for element in elements {
      let operand = resolve(
        bindOperand(element, environment), environment, wanting: staticType(subject), isCompared: true)
      guard let part = compare(.equal, subject, operand, environment, element.range) else { return nil }
      parts.append(part)
    }
    if parts.count == 1 { return parts[0] }
    if parts.isEmpty { return BoundExpression(.constant(.boolean(false)), .boolean, at: range) }
    return BoundExpression(.or(parts), .boolean, at: range)
  }

  private func interval(
    _ subject: Operand, _ lower: Expression, _ upper: Expression, _ includesUpper: Bool, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    guard let value = value(subject, environment, at: range) else { return .error }
    guard isOrdered(value.type) else {
      report(.unordered(type: words(value.type)), at: range)
      return .error
    }
    var sides: [(key: BoundExpression, bound: BoundExpression)] = []
    for bound in [lower, upper] {
      let operand = resolve(bindOperand(bound, environment), environment, wanting: value.type)
      guard let side = unified(.value(value), operand, environment, bound.range) else { return .error }
      sides.append(side)
    }
    let (first, last) = (sides[0], sides[1])
    var kind = BoundExpression.Kind.inRange(
      first.key, lower: first.bound, upper: last.bound, includesUpper: includesUpper)
    if first.key != last.key {
      // With each bound it is compared in the type that the two have together.
      let atLeast = BoundExpression.Kind.compare(.greaterOrEqual, first.key, first.bound)
      let atMost = BoundExpression.Kind.compare(includesUpper ? .lessOrEqual : .less, last.key, last.bound)
      kind = .and([atLeast, atMost].map { BoundExpression($0, .boolean, at: range) })
    }
    // `in` is true or false, as for lists: a null is in no range.
    let test = BoundExpression(kind, .boolean, at: range)
    return .value(BoundExpression(.isTrue(test), .boolean, at: range))
  }

  func membership(
    _ subject: Operand, inList list: TypedValue, _ environment: Environment, _ range: SourceRange
  ) -> BoundExpression? {
    guard case .list(let element) = list.type, element != .json else {
      if list.type == .json || list.type == .list(.json) {
        // As `==` has it: JSON has no collation.
        if case .value(let value) = subject, value.folded != nil {
          report(.incomparable(left: words(value.type), right: words(list.type)), at: range)
          return nil
        }
        guard let left = coerce(subject, to: .json, environment, at: range) else { return nil }
        return BoundExpression(.inList(left, converted(list.expression, .json)), .boolean, at: range)
      }
      report(
        .wrongType(found: words(list.type), expected: "a list, a range or a path of many"), at: list.expression.range)
      return nil
    }
    var subject = subject
    if let id = identity(subject) { subject = .value(id) }
    if case .literal(let raw, let range) = subject {
      guard let left = constant(raw, element, at: range) else { return nil }
      return BoundExpression(.inList(left, list.expression), .boolean, at: range)
    }
    guard let left = value(subject, environment, at: range) else { return nil }
    if let folded = left.folded {
      guard element.scalar?.isTextual ?? false else {
        report(.incomparable(left: words(left.type), right: words(element)), at: range)
        return nil
      }
      guard case .parameter(let index) = list.expression.kind else {
        // Bound before, unless its elements are known: then they are folded here.
        guard case .constant(.list(let values)) = list.expression.kind else { return nil }
        let folded = values.map { value in
          if case .string(let text) = value { Value.string(CaseFolding.fold(text)) } else { value }
        }
        let constant = BoundExpression(.constant(.list(folded)), .list(.string), at: list.expression.range)
        return BoundExpression(.inList(left.key, constant), .boolean, at: range)
      }
      let elements = BoundExpression(
        .parameter(foldedParameter(of: index)), .list(.string), at: list.expression.range)
      return BoundExpression(.inList(folded, elements), .boolean, at: range)
    }
    guard let sides = MemberBinder(binder: self).sides(left.expression, list.expression) else {
      report(.incomparable(left: words(left.type), right: words(element)), at: range)
      return nil
    }
    return BoundExpression(.inList(sides.value, sides.list), .boolean, at: range)
  }

  /// The parameter that holds another's elements case-folded.
  private func foldedParameter(of index: Int) -> Int {
    if let found = query.parameters.firstIndex(where: { $0.source == .folded(of: index) }) { return found }
    var parameter = query.parameters[index]
    parameter.source = .folded(of: index)
    parameter.signature = TypeSignature(.list(.string))
    parameter.defaultValue = nil
    query.parameters.append(parameter)
    return query.parameters.count - 1
  }

  /// `x in path` is `some(path, . == x)`, with x seen from where it stands.
  private func membership(
    _ left: Expression, _ path: PluralPath, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let inner = environment.enteringUnseen(.entity(path.type))
    var subject = bindOperand(left, inner)
    let member: Operand
    switch path.tail {
    case .none: member = .entity(.scope(0, path.type), path.type, path.range)
    case .value(let value): member = .value(value)
    case .embedded(let value): member = .embedded(value)
    }
    if case .plural(let other) = subject {
      report(.pluralPath(relation: other.text, suggestion: nil), at: other.range)
      return .error
    }
    subject = resolve(subject, inner, wanting: staticType(member))
    guard let test = compare(.equal, member, subject, inner, range) else { return .error }
    return .value(BoundExpression(.quantifier(.some, path.set, test), .boolean, at: range))
  }

  /// `x in list` for a case-insensitive x and a list that is no parameter: its elements are folded one by one.
  private func foldedMembership(
    _ left: Expression, _ list: TypedValue, _ element: ValueType, _ environment: Environment, _ range: SourceRange
  ) -> Operand? {
    switch list.expression.kind {
    case .parameter, .constant: return nil
    default: break
    }
    guard element.scalar?.isTextual ?? false else { return nil }
    // Whether it is case-insensitive is known when it is bound.
    let known = query.sets.count
    let plain = resolve(bindOperand(left, environment), environment, wanting: element)
    query.sets.removeLast(query.sets.count - known)
    guard case .value(let value) = plain, value.folded != nil else { return nil }
    let number = query.itemCount
    query.itemCount += 1
    let inner = environment.enteringUnseen(.item(number, element))
    let subject = resolve(bindOperand(left, inner), inner, wanting: element)
    let item = Operand.value(BoundExpression(.item(.scope(0, EntityTypeID(0)), number), element, at: range))
    guard let test = compare(.equal, item, subject, inner, range) else { return .error }
    return .value(
      BoundExpression(.listCall(.quantifier(.some), list.expression, item: number, test), .boolean, at: range))
  }
}
