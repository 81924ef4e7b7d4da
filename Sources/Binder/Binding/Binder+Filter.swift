import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// The object form of conditions, as strict GraphQL clients send it.
extension Binder {
  private static let operators = [
    "eq", "ne", "gt", "gte", "lt", "lte", "in", "notIn", "contains", "startsWith", "endsWith", "like", "ilike",
    "regex", "matches", "isNull",
  ]

  private static let connectives: Set<String> = ["and", "or", "not"]

  /// A literal object where a condition stands.
  func filter(
    _ fields: [ObjectField], _ environment: Environment, _ range: SourceRange
  ) -> BoundExpression? {
    guard let element = environment.element(), environment.group() == nil else {
      report(environment.group() == nil ? .noElement : .filterOfGroup, at: range)
      return nil
    }
    refuseRepeats(fields)
    return filter(fields, element, environment, range, .document)
  }

  /// A key that stands twice in a literal object is an error, as GraphQL has it.
  func refuseRepeats(_ fields: [ObjectField]) {
    guard fields.count > 1 else { return }
    var seen: Set<String> = []
    for field in fields where !seen.insert(field.name.text).inserted {
      report(.duplicateField(name: field.name.text), at: field.name.range)
    }
  }

  /// A variable of type `<Type>Filter`: its value is part of the query. Null is unknown.
  func filter(
    _ type: EntityTypeID, _ name: Name, _ environment: Environment
  ) -> BoundExpression? {
    guard environment.group() == nil else {
      report(.filterOfGroup, at: name.range)
      return nil
    }
    guard let element = environment.element(), self.type(of: element) == type else {
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(catalog[type].name)Filter'",
          expected: environment.elementType.map { "'\(catalog[$0].name)Filter'" } ?? "a value"), at: name.range)
      return nil
    }
    if environment.arguments[name.text] != nil {
      return filter(argument: name, of: type, element, environment)
    }
    guard let value = structuralValue(name) else { return unknown(at: name.range) }
    let place = valuePath.depth
    defer { valuePath.leave(to: place) }
    if value.origin == .variable { valuePath.enter(variable: name.text) }
    guard case .object(let fields) = value.expression.kind else {
      report(.wrongFilter(expected: "an object"), at: value.expression.range)
      return nil
    }
    return filter(fields, element, environment, name.range, value.origin)
  }

  /// A variable of a fragment, of the type `<Type>Filter`.
  private func filter(
    argument name: Name, of type: EntityTypeID, _ element: EntityReference, _ environment: Environment
  ) -> BoundExpression? {
    let (written, inner) = written(Expression(.variable(name), at: name.range), environment)
    switch written?.kind {
    case nil, .null?: return unknown(at: name.range)
    case .missing?: return nil
    case .object(let fields)?: return filter(fields, element, inner, name.range, .document)
    case .variable(let variable)?:
      // Declared by the operation.
      var place = environment
      place.arguments = [:]
      return boolean(.filter(type, variable), place, at: name.range)
    default:
      report(.wrongFilter(expected: "an object"), at: written?.range ?? name.range)
      return nil
    }
  }

  /// What a variable of a filter or an order says: its value, or else its default; nil where that is null.
  func structuralValue(_ name: Name) -> (expression: Expression, origin: ValueCoercion.Origin)? {
    if let value = options.structuralValues[name.text] {
      return value.isNull ? nil : (Expression(structural: value, at: name.range, options.interruption), .variable)
    }
    guard var written = variables[name.text]?.structuralDefault else {
      absentInputs.insert(name.text)
      return nil
    }
    written = written.unparenthesized
    return written.kind == .null ? nil : (written, .document)
  }

  /// Returns what a filter is that is null; until the values of variables are known, what says nothing.
  private func unknown(at range: SourceRange) -> BoundExpression {
    options.knowsValues ? BoundExpression(.constant(.null), .boolean, at: range) : truth(true, range)
  }

  private func truth(_ value: Bool, _ range: SourceRange) -> BoundExpression {
    BoundExpression(.constant(.boolean(value)), .boolean, at: range)
  }

  private func conjunction(_ parts: [BoundExpression], _ range: SourceRange) -> BoundExpression {
    if parts.count == 1 { return parts[0] }
    return parts.isEmpty ? truth(true, range) : BoundExpression(.and(parts), .boolean, at: range)
  }

  func filter(
    _ fields: [ObjectField], _ element: EntityReference, _ environment: Environment, _ range: SourceRange,
    _ origin: ValueCoercion.Origin
  ) -> BoundExpression? {
    nested(at: range, nil) { binder in
      var parts: [BoundExpression] = []
      var isWrong = false
      binder.checkRepeats(fields)
      let place = binder.valuePath.depth
      for field in fields {
        guard binder.count(at: field.range) else { return nil }
        defer { binder.valuePath.leave(to: place) }
        if binder.isAbsent(field.value, environment) { continue }
        if Self.connectives.contains(field.name.text),
          binder.saysNothing(field.value, of: binder.type(of: element), environment)
        {
          continue
        }
        let part: BoundExpression?
        switch field.name.text {
        case "and", "or":
          binder.valuePath.enter(member: field.name.text)
          part = binder.connective(field, element, environment, origin)
        case "not":
          binder.valuePath.enter(member: field.name.text)
          part = binder.filterObject(field.value, environment, .filter(binder.type(of: element)), origin).flatMap {
            binder.filter($0.fields, element, $0.environment, field.range, $0.origin)
          }.map { binder.negation($0) }
        case "isNull" where binder.catalog[binder.type(of: element)].property(named: "isNull") == nil:
          let operand = Operand.entity(element, binder.type(of: element), field.name.range)
          part = binder.operatorsFilter([field], operand, environment, field.range, origin)
        default:
          binder.valuePath.enter(member: field.name.text)
          part = binder.fieldFilter(field, element, environment, origin)
        }
        if let part { parts.append(part) } else { isWrong = true }
      }
      return isWrong ? nil : binder.conjunction(parts, range)
    }
  }

  /// A variable that was not provided is an absent key.
  func isAbsent(_ value: Expression, _ environment: Environment) -> Bool {
    let (written, _) = written(value, environment)
    guard let written else { return true }
    guard case .variable(let name) = written.kind, let variable = variables[name.text], variable.mayBeAbsent else {
      return false
    }
    usedVariables.insert(name.text)
    if !query.structuralParameters.contains(name.text) { query.structuralParameters.append(name.text) }
    return options.structuralValues[name.text] == nil
  }

  /// Returns whether what stands under a connective is null: a literal, a variable, or a list of nothing else. An empty
  /// list is not: `or: []` is false.
  private func saysNothing(_ value: Expression, of type: EntityTypeID, _ environment: Environment) -> Bool {
    let (written, inner) = written(value, environment)
    switch written?.kind {
    case nil, .null?: return true
    case .list(let items)?: return !items.isEmpty && items.allSatisfy { saysNothing($0, of: type, inner) }
    case .variable(let name)?:
      guard let declared = structure(of: name) else { return isAbsent(value, environment) }
      // A wrong type is reported where its value is read.
      guard declared == .filter(type) else { return false }
      usedVariables.insert(name.text)
      guard let provided = structuralValue(name)?.expression else { return true }
      guard case .list = provided.kind else { return false }
      return saysNothing(provided, of: type, inner)
    default: return false
    }
  }

  /// The members of an object of the object form.
  private struct FilterObject {
    var fields: [ObjectField]
    /// Whether a document or a variable says them.
    var origin: ValueCoercion.Origin
    /// The names that their values are bound in.
    var environment: Environment
  }

  /// The members of an object that is written, or that a variable of the wanted type holds. The path goes on from that
  /// variable until the caller leaves it.
  private func filterObject(
    _ value: Expression, _ environment: Environment, _ wanted: GeneratedType?, _ origin: ValueCoercion.Origin
  ) -> FilterObject? {
    let (written, inner) = written(value, environment)
    switch written?.kind {
    case .missing?: return nil
    case .object(let fields)?:
      if origin == .document { refuseRepeats(fields) }
      return FilterObject(fields: fields, origin: origin, environment: inner)
    case .variable(let name)?:
      guard let declared = structure(of: name) else {
        // A function that is checked by itself knows no variables.
        if acceptsAnyVariable, variables[name.text] == nil {
          return FilterObject(fields: [], origin: origin, environment: inner)
        }
        break
      }
      usedVariables.insert(name.text)
      if let wanted, declared != wanted {
        let names = GeneratedNames(catalog)
        report(
          .wrongVariableType(
            name: name.text, declared: "'\(names[declared])'", expected: "'\(names[wanted])'"), at: name.range)
        return nil
      }
      guard let provided = structuralValue(name) else {
        return FilterObject(fields: [], origin: origin, environment: inner)
      }
      if provided.origin == .variable { valuePath.enter(variable: name.text) }
      if case .object(let fields) = provided.expression.kind {
        return FilterObject(fields: fields, origin: provided.origin, environment: inner)
      }
    default: break
    }
    report(.wrongFilter(expected: "an object"), remedy(forFilterValue: value), at: value.range)
    return nil
  }

  /// The generated type of a variable.
  func structure(of name: Name) -> GeneratedType? {
    switch variables[name.text]?.kind {
    case .filter(let type)?: .filter(type)
    case .order(let type)?: .order(type)
    case .structure(let type)?: type
    default: nil
    }
  }

  /// The type of variables that hold conditions on values of a type.
  func filterType(_ type: ValueType) -> GeneratedType? {
    switch type {
    case .scalar(let scalar): .scalarFilter(scalar)
    case .enumeration(let id): .enumFilter(id)
    case .embedded(let id): .embeddedFilter(id)
    case .entity(let id): .filter(id)
    case .list(.entity(let id)): .relationFilter(id)
    case .list(.scalar(let scalar)): .scalarListFilter(scalar)
    case .list(.enumeration(let id)): .enumListFilter(id)
    case .list, .null: nil
    }
  }

  private func connective(
    _ field: ObjectField, _ element: EntityReference, _ environment: Environment, _ origin: ValueCoercion.Origin
  ) -> BoundExpression? {
    var parts: [BoundExpression] = []
    var origin = origin
    let (whole, inner) = written(field.value, environment)
    var list = whole ?? field.value
    let start = valuePath.depth
    defer { valuePath.leave(to: start) }
    // A variable may hold the whole list.
    if case .variable(let name) = list.kind, structure(of: name) == .filter(type(of: element)),
      let provided = structuralValue(name), case .list = provided.expression.kind
    {
      usedVariables.insert(name.text)
      (list, origin) = (provided.expression, provided.origin)
      if origin == .variable { valuePath.enter(variable: name.text) }
    }
    let place = valuePath.depth
    for (index, item) in elements(of: list).enumerated()
    where !saysNothing(item, of: type(of: element), inner) {
      defer { valuePath.leave(to: place) }
      valuePath.enter(index: index)
      guard let found = filterObject(item, inner, .filter(type(of: element)), origin),
        let part = filter(found.fields, element, found.environment, item.range, found.origin)
      else { return nil }
      parts.append(part)
    }
    if field.name.text == "and" { return conjunction(parts, field.range) }
    if parts.count == 1 { return parts[0] }
    return parts.isEmpty ? truth(false, field.range) : BoundExpression(.or(parts), .boolean, at: field.range)
  }

  private func fieldFilter(
    _ field: ObjectField, _ element: EntityReference, _ environment: Environment, _ origin: ValueCoercion.Origin
  ) -> BoundExpression? {
    let type = catalog[type(of: element)]
    if let value = metaValue(field.name, of: element) {
      return filterObject(field.value, environment, filterType(value.type), origin).flatMap {
        operatorsFilter($0.fields, .value(value), $0.environment, field.range, $0.origin)
      }
    }
    guard let property = type.property(named: field.name.text) else {
      if let remedy = remedy(forFilter: field, type) {
        report(.unknownField(name: field.name.text, type: type.name, near: []), remedy, at: field.name.range)
      } else {
        reportUnknownField(field.name, of: type.name, among: type.properties.map(\.name) + ["and", "or", "not"])
      }
      return nil
    }
    let wanted = filterType(property.signature.type)
    guard let found = filterObject(field.value, environment, wanted, origin) else { return nil }
    let (fields, origin, environment) = (found.fields, found.origin, found.environment)
    let known = query.sets.count
    switch member(property, of: element, at: field.name.range) {
    case .error: return nil
    case .plural(let path):
      let set = query[path.set]
      if query.sets.count == known + 1 { query.sets.removeLast() }
      return relationFilter(fields, property.name, set, environment, field.range, origin)
    case .entity(let target, let type, let range):
      let only = fields.count == 1 ? fields.first?.name.text : nil
      if only == "isNull", catalog[type].property(named: "isNull") == nil {
        return operatorsFilter(fields, .entity(target, type, range), environment, field.range, origin)
      }
      return filter(fields, target, environment, field.range, origin)
    case .embedded(let value): return embeddedFilter(fields, value, environment, field.range, origin)
    case let operand: return operatorsFilter(fields, operand, environment, field.range, origin)
    }
  }

  private func embeddedFilter(
    _ fields: [ObjectField], _ value: EmbeddedValue, _ environment: Environment, _ range: SourceRange,
    _ origin: ValueCoercion.Origin
  ) -> BoundExpression? {
    var parts: [BoundExpression] = []
    let place = valuePath.depth
    for field in fields where !isAbsent(field.value, environment) {
      defer { valuePath.leave(to: place) }
      if field.name.text == "isNull", !catalog[value.type].fields.contains(where: { $0.name == "isNull" }) {
        guard let part = operatorsFilter([field], .embedded(value), environment, range, origin) else { return nil }
        parts.append(part)
        continue
      }
      valuePath.enter(member: field.name.text)
      let known = query.sets.count
      let operand = member(field.name, of: value)
      if case .error = operand { return nil }
      let signature = catalog[value.type].fields.first { $0.name == field.name.text }?.signature
      let wanted = signature.flatMap { filterType($0.type) }
      guard let found = filterObject(field.value, environment, wanted, origin) else { return nil }
      let (inner, origin, environment) = (found.fields, found.origin, found.environment)
      let part: BoundExpression?
      switch operand {
      case .embedded(let nested): part = embeddedFilter(inner, nested, environment, field.range, origin)
      case .entity(let target, _, _): part = filter(inner, target, environment, field.range, origin)
      case .plural(let path):
        let set = query[path.set]
        if query.sets.count == known + 1 { query.sets.removeLast() }
        part = relationFilter(inner, field.name.text, set, environment, field.range, origin)
      default: part = operatorsFilter(inner, operand, environment, field.range, origin)
      }
      guard let part else { return nil }
      parts.append(part)
    }
    return conjunction(parts, range)
  }

  private func relationFilter(
    _ fields: [ObjectField], _ name: String, _ template: BoundSet, _ environment: Environment, _ range: SourceRange,
    _ origin: ValueCoercion.Origin
  ) -> BoundExpression? {
    let target = template.type
    var parts: [BoundExpression] = []
    let place = valuePath.depth
    for field in fields where !isAbsent(field.value, environment) {
      defer { valuePath.leave(to: place) }
      valuePath.enter(member: field.name.text)
      let set = reserveSet(target, at: field.range)
      query[set] = template
      query[set].range = field.range
      let wanted = field.name.text == "count" ? GeneratedType.scalarFilter(.int) : .filter(target)
      guard let found = filterObject(field.value, environment, wanted, origin) else { return nil }
      let (inner, origin, environment) = (found.fields, found.origin, found.environment)
      switch field.name.text {
      case "some", "every", "none":
        // An argument of a fragment sees what is around the spread only.
        let scope =
          environment.isOfSpread ? environment.enteringUnseen(.entity(target)) : environment.entering(target)
        guard let quantifier = Quantifier(rawValue: field.name.text),
          let body = filter(inner, .scope(0, target), scope, field.range, origin)
        else { return nil }
        var predicate: BoundExpression? = body
        if quantifier == .every { hasEvery = true }
        if quantifier != .every, body.kind == .constant(.boolean(true)) { predicate = nil }
        parts.append(
          BoundExpression(
            .quantifier(predicate == nil && quantifier == .some ? .exists : quantifier, set, predicate), .boolean,
            at: field.range))
      case "count":
        let count = BoundExpression(.aggregate(.count, set, nil), .int, at: field.range)
        guard let part = operatorsFilter(inner, .value(count), environment, field.range, origin) else { return nil }
        parts.append(part)
      default:
        let known = ForeignName.quantifiers[field.name.text]
        let near = known == nil ? suggest(field.name, ["some", "every", "none", "count"]) : []
        report(
          .unknownOperator(name: field.name.text, type: "'\(name)'", near: near),
          known.map { .write($0, over: field.name.range) }, at: field.name.range)
        return nil
      }
    }
    return conjunction(parts, range)
  }

  private func operatorsFilter(
    _ fields: [ObjectField], _ operand: Operand, _ environment: Environment, _ range: SourceRange,
    _ origin: ValueCoercion.Origin
  ) -> BoundExpression? {
    checkRepeats(fields)
    if case .error = operand { return nil }
    var parts: [BoundExpression] = []
    let place = valuePath.depth
    for field in fields where !isAbsent(field.value, environment) {
      defer { valuePath.leave(to: place) }
      valuePath.enter(member: field.name.text)
      guard let part = operatorFilter(field, operand, environment, origin) else { return nil }
      parts.append(part)
    }
    return conjunction(parts, range)
  }

  private func operatorFilter(
    _ field: ObjectField, _ operand: Operand, _ environment: Environment, _ origin: ValueCoercion.Origin
  ) -> BoundExpression? {
    let range = field.range
    func compared(_ op: ComparisonOperator, _ binder: Binder) -> BoundExpression? {
      let other = binder.resolve(
        binder.bindOperand(field.value, environment), environment, wanting: binder.staticType(operand),
        isCompared: true)
      return binder.compare(op, operand, other, environment, range, origin: origin)
    }
    func tested(_ op: BinaryOperator, _ binder: Binder) -> BoundExpression? {
      let pattern = binder.bindOperand(field.value, environment)
      return binder.textTest(op, operand, pattern, environment, range, origin: origin)
    }
    switch field.name.text {
    case "eq": return compared(.equal, self)
    case "ne": return compared(.notEqual, self)
    case "gt": return compared(.greater, self)
    case "gte": return compared(.greaterOrEqual, self)
    case "lt": return compared(.less, self)
    case "lte": return compared(.lessOrEqual, self)
    case "contains": return tested(.contains, self)
    case "startsWith": return tested(.startsWith, self)
    case "endsWith": return tested(.endsWith, self)
    case "like": return tested(.like, self)
    case "ilike": return tested(.ilike, self)
    case "regex": return tested(.match, self)
    case "matches":
      let words = bindOperand(field.value, environment)
      return matches(operand, words, environment, range)
    case "in", "notIn":
      let result: BoundExpression?
      let list = bindOperand(field.value, environment)
      switch list {
      case .list(let elements, _): result = membership(operand, elements, environment, range, origin: origin)
      case .value(let value): result = membership(operand, inList: value, environment, range)
      // GraphQL coerces one value to a list of one.
      case .literal(let raw, _) where raw != .null:
        result = membership(operand, [field.value], environment, range, origin: origin)
      case .bare: result = membership(operand, [field.value], environment, range, origin: origin)
      case .error: result = nil
      default:
        report(.wrongType(found: describe(list), expected: "a list"), at: field.value.range)
        result = nil
      }
      return field.name.text == "in" ? result : result.map { negation($0) }
    case "isNull":
      guard let test = isNull(operand, at: range) else { return nil }
      let wanted = bindOperand(field.value, environment)
      if case .literal(.boolean(let value), _) = wanted { return value ? test : negation(test) }
      guard let bound = coerce(wanted, to: .boolean, environment, at: field.value.range) else { return nil }
      return BoundExpression(.compare(.equal, test, bound), .boolean, at: range)
    default:
      let known = ForeignName.operators[field.name.text]
      let near = known == nil ? suggest(field.name, Self.operators) : []
      report(
        .unknownOperator(name: field.name.text, type: describe(operand), near: near),
        known.map { .write($0, over: field.name.range) } ?? remedy(forOperator: field), at: field.name.range)
      return nil
    }
  }
}
