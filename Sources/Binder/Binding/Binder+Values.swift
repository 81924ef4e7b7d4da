import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  /// The type that an operand has by itself; nil for literals and names that wait for one.
  func staticType(_ operand: Operand) -> ValueType? {
    switch operand {
    case .value(let value): value.type == .null ? nil : value.type
    case .entity(_, let type, _): .entity(type)
    case .single(let path): if case .none = path.tail { .entity(path.type) } else { nil }
    default: nil
    }
  }

  /// An operand as a value of whatever type it has; literals take their usual types.
  @inline(never)
  func value(_ operand: Operand, _ environment: Environment, at range: SourceRange) -> TypedValue? {
    let operand = resolve(operand, environment)
    switch operand {
    case .error, .bare: return nil
    case .value(let value): return value
    case .literal(let raw, let range):
      let type: ValueType
      switch raw {
      case .null: return TypedValue(expression: BoundExpression(.constant(.null), .null, at: range))
      case .boolean: type = .boolean
      // Beyond Int, digits are a Decimal's.
      case .integer(let digits): type = Int64(digits) == nil ? .decimal : .int
      case .real: type = .float
      default: type = .string
      }
      return constant(raw, type, at: range).map { TypedValue(expression: $0) }
    case .list(let elements, let range):
      // A variable's value is as deep as JSON may be.
      let bound = nested(at: range, [BoundExpression]?.none) { binder in
        var parts: [BoundExpression] = []
        for element in elements {
          let operand = binder.bindOperand(element, environment)
          guard let part = binder.coerce(operand, to: .json, environment, at: element.range) else { return nil }
          parts.append(part)
        }
        return parts
      }
      guard let parts = bound else { return nil }
      if let folded = Self.json(list: parts, at: range) { return TypedValue(expression: folded) }
      return TypedValue(expression: BoundExpression(.jsonList(parts), .json, at: range))
    case .object(let fields, let range):
      let bound = nested(at: range, [BoundExpression]?.none) { binder in
        var parts: [BoundExpression] = []
        for field in fields {
          let operand = binder.bindOperand(field.value, environment)
          guard let part = binder.coerce(operand, to: .json, environment, at: field.value.range) else { return nil }
          parts.append(part)
        }
        return parts
      }
      guard let parts = bound else { return nil }
      return TypedValue(expression: BoundExpression(.jsonObject(fields.map(\.name.text), parts), .json, at: range))
    case .entity, .single:
      // An entity stands for its id beside values.
      if let id = identity(operand) { return id }
      let objects = EmbeddedObjectBinder(binder: self)
      switch operand {
      case .single(let path):
        if case .embedded(let value) = path.tail {
          return TypedValue(expression: first(objects.json(value), of: path.set))
        }
        guard case .none = path.tail, catalog[path.type].isElement else { break }
        let element = objects.json(ofElement: .scope(0, path.type), path.type, at: path.range)
        return TypedValue(expression: first(element, of: path.set))
      case .entity(let reference, let type, let range) where catalog[type].isElement:
        return TypedValue(expression: objects.json(ofElement: reference, type, at: range))
      default: break
      }
      report(.wrongType(found: describe(operand), expected: "a value"), at: range)
      return nil
    case .embedded(let value): return TypedValue(expression: EmbeddedObjectBinder(binder: self).json(value))
    case .plural(let path):
      report(.pluralPath(relation: path.text, suggestion: nil), at: path.range)
      return nil
    case .interval(_, _, _, let range):
      report(.misplacedRange, at: range)
      return nil
    case .filter:
      return boolean(operand, environment, at: range).map { TypedValue(expression: $0) }
    }
  }

  /// A JSON list of constants is a constant.
  private static func json(list parts: [BoundExpression], at range: SourceRange) -> BoundExpression? {
    var buffer = ByteBuffer()
    buffer.append(0x5B)
    for (index, part) in parts.enumerated() {
      guard case .constant(.json(let text)) = part.kind else { return nil }
      if index > 0 { buffer.append(0x2C) }
      buffer.append(utf8: text)
    }
    buffer.append(0x5D)
    return BoundExpression(.constant(.json(buffer.withUnsafeBytes { Text($0) })), .json, at: range)
  }

  /// A literal as a constant of a type; what does not fit is reported.
  func constant(
    _ raw: RawValue, _ type: ValueType, at range: SourceRange, origin: ValueCoercion.Origin = .document
  ) -> BoundExpression? {
    switch ValueCoercion(catalog: catalog, origin: origin, ints: options.ints).coerce(raw, to: type) {
    case .success(let value): return BoundExpression(.constant(value), type, at: range)
    case .failure(let failure):
      report(.wrongValue(failure.problem), at: range)
      return nil
    }
  }

  /// An operand where a type is wanted.
  @inline(never)
  func coerce(
    _ operand: Operand, to type: ValueType, _ environment: Environment, at range: SourceRange,
    origin: ValueCoercion.Origin = .document
  ) -> BoundExpression? {
    switch resolve(operand, environment, wanting: type) {
    case .error, .bare: return nil
    case .literal(let raw, let range): return constant(raw, type, at: range, origin: origin)
    case .list(let elements, let range):
      if case .list(let element) = type {
        guard let raw = RawValue(Expression(.list(elements), at: range)), isConstant(elements, of: element) else {
          return computedList(elements, of: element, environment, at: range)
        }
        return constant(raw, type, at: range, origin: origin)
      }
      if type == .json { return value(operand, environment, at: range)?.expression }
      report(.wrongType(found: "a list", expected: words(type)), at: range)
      return nil
    case .object(let fields, let range):
      if type == .json { return value(operand, environment, at: range)?.expression }
      if case .embedded = type, let raw = RawValue(Expression(.object(fields), at: range)) {
        return constant(raw, type, at: range, origin: origin)
      }
      report(.wrongType(found: "an object", expected: words(type)), at: range)
      return nil
    case .value(let value):
      if let result = conversion(value.expression, to: type) { return result }
      report(.wrongType(found: words(value.type), expected: words(type)), at: range)
      return nil
    case .plural(let path) where type == .json:
      // A set or a bag in JSON is the list of its ids or values.
      return collected(path).flatMap { conversion($0, to: .json) }
    case let other:
      if type == .boolean { return boolean(other, environment, at: range) }
      guard let bound = value(other, environment, at: range) else { return nil }
      if case .entity = type { return bound.expression }
      if let result = conversion(bound.expression, to: type) { return result }
      report(.wrongType(found: describe(other), expected: words(type)), at: range)
      return nil
    }
  }

  /// `[1 + 24, $n]`: elements that are computed now where they can be, else at run time.
  private func computedList(
    _ elements: [Expression], of type: ValueType, _ environment: Environment, at range: SourceRange
  ) -> BoundExpression? {
    var parts: [BoundExpression] = []
    for element in elements {
      let operand = bindOperand(element, environment)
      guard let bound = coerce(operand, to: type, environment, at: element.range) else { return nil }
      parts.append(bound)
    }
    guard case .list = type else { return list(of: parts, type, at: range) }
    // Lists of lists are kept as JSON, once each element is checked.
    let json = parts.compactMap { conversion($0, to: .json) }
    guard json.count == parts.count else { return nil }
    return BoundExpression(.jsonList(json), .json, at: range)
  }

  /// A list of values of one type.
  func list(of parts: [BoundExpression], _ type: ValueType, at range: SourceRange) -> BoundExpression? {
    let values = parts.compactMap { constantValue($0) }
    if values.count == parts.count { return BoundExpression(.constant(.list(values)), .list(type), at: range) }
    let json = parts.compactMap { conversion($0, to: .json) }
    guard json.count == parts.count else {
      report(.wrongType(found: words(type), expected: "a plain value"), at: range)
      return nil
    }
    return BoundExpression(.cast(BoundExpression(.jsonList(json), .json, at: range)), .list(type), at: range)
  }

  /// A list that is written out, where a collection of values is wanted: of the one type that all of them have.
  func valueList(
    _ elements: [Expression], _ environment: Environment, at range: SourceRange
  ) -> TypedValue? {
    var parts: [TypedValue] = []
    for element in elements {
      guard let part = value(bindOperand(element, environment), environment, at: element.range) else { return nil }
      parts.append(part)
    }
    let types = parts.map(\.type).filter { $0 != .null }
    var common = types.first ?? .string
    for type in types where type != common {
      if let a = common.scalar, let b = type.scalar, a.isTextual, b.isTextual {
        common = .string
      } else if common.isNumeric, type.isNumeric {
        common = common == .float || type == .float ? .float : .decimal
      } else {
        report(.wrongType(found: words(type), expected: "\(words(common)), as the list's first value is"), at: range)
        return nil
      }
    }
    guard case .scalar = common else {
      report(.wrongType(found: words(common), expected: "a plain value"), at: range)
      return nil
    }
    let converted = parts.compactMap { conversion($0.expression, to: common) }
    guard converted.count == parts.count else { return nil }
    return list(of: converted, common, at: range).map { TypedValue(expression: $0) }
  }

  /// Bare names are constants among enums only.
  private func isConstant(_ elements: [Expression], of type: ValueType) -> Bool {
    if case .enumeration = type { return true }
    return !elements.contains { if case .name = $0.kind { true } else { false } }
  }

  /// The value in another type, where every value of the one is a value of the other.
  func conversion(_ expression: BoundExpression, to type: ValueType) -> BoundExpression? {
    if expression.type == type { return expression }
    if expression.type == .null { return BoundExpression(expression.kind, type, at: expression.range) }
    switch (expression.type, type) {
    case (.scalar(.int), .scalar(.float)), (.scalar(.int), .scalar(.decimal)), (.scalar(.decimal), .scalar(.float)),
      (.scalar(.id), .scalar(.string)), (.scalar(.uuid), .scalar(.string)), (.scalar(.cursor), .scalar(.string)),
      (.scalar(.string), .scalar(.id)), (.scalar(.uuid), .scalar(.id)), (.scalar(.string), .scalar(.cursor)):
      return converted(expression, type)
    case (_, .scalar(.json)):
      if case .entity = expression.type { return nil }
      return converted(expression, type)
    default: return nil
    }
  }

  /// A constant converts now, everything else at run time.
  func converted(_ expression: BoundExpression, _ type: ValueType) -> BoundExpression {
    if expression.type == type { return expression }
    if case .constant(let value) = expression.kind {
      if value.isNull { return BoundExpression(.constant(.null), type, at: expression.range) }
      if case .enumeration(let id, let code) = value, type == .json, catalog[id].values.indices.contains(code) {
        var buffer = ByteBuffer()
        buffer.append(json: catalog[id].values[code])
        return BoundExpression(.constant(.json(buffer.withUnsafeBytes { Text($0) })), type, at: expression.range)
      }
      let coercion = ValueCoercion(catalog: catalog, origin: .variable)
      if case .success(let result) = coercion.coerce(RawValue(value), to: type) {
        return BoundExpression(.constant(result), type, at: expression.range)
      }
    }
    return BoundExpression(.convert(expression), type, at: expression.range)
  }

  /// The case-folded text; constants fold now.
  func fold(_ expression: BoundExpression) -> BoundExpression {
    if case .constant(.string(let text)) = expression.kind {
      return BoundExpression(.constant(.string(CaseFolding.fold(text))), .string, at: expression.range)
    }
    if case .constant(.null) = expression.kind { return expression }
    return BoundExpression(.fold(expression), .string, at: expression.range)
  }

  /// An operand where a condition stands.
  func boolean(
    _ operand: Operand, _ environment: Environment, at range: SourceRange, written: Expression? = nil
  ) -> BoundExpression? {
    switch resolve(operand, environment) {
    case .error, .bare: return nil
    case .literal(.boolean(let value), let range):
      return BoundExpression(.constant(.boolean(value)), .boolean, at: range)
    case .literal(.null, let range): return BoundExpression(.constant(.null), .boolean, at: range)
    case .object(let fields, let range): return filter(fields, environment, range)
    case .filter(let type, let name): return filter(type, name, environment)
    case .value(let value) where value.type == .boolean: return value.expression
    case .value(let value) where value.type == .null:
      return BoundExpression(.constant(.null), .boolean, at: range)
    case .value(let value) where value.type == .json:
      // A JSON member may be a Boolean; that is known at run time only.
      return BoundExpression(.cast(value.expression), .boolean, at: range)
    case .plural(let path):
      ExpressionRemedies(binder: self).reportMany(path, written)
      return nil
    case let other:
      report(.wrongType(found: describe(other), expected: "a condition"), remedy(forCondition: other), at: range)
      return nil
    }
  }

  /// True where the operand is null: an absent value, a missing link, an absent embedded object.
  func isNull(_ operand: Operand, at range: SourceRange, written: Expression? = nil) -> BoundExpression? {
    switch operand {
    case .error, .bare: return nil
    case .literal(let raw, _): return BoundExpression(.constant(.boolean(raw == .null)), .boolean, at: range)
    case .list, .object: return BoundExpression(.constant(.boolean(false)), .boolean, at: range)
    case .value(let value): return BoundExpression(.isNull(value.expression), .boolean, at: range)
    case .entity(let reference, let type, let inner):
      return BoundExpression(
        .isNull(BoundExpression(.entity(reference), .entity(type), at: inner)), .boolean, at: range)
    case .embedded(let value):
      return negation(BoundExpression(.isTrue(value.presenceExpression), .boolean, at: range))
    case .single(let path): return negation(exists(path, range))
    case .plural(let path):
      ExpressionRemedies(binder: self).reportMany(path, written, isAbsent: true)
      return nil
    case .interval, .filter:
      report(.misplacedRange, at: range)
      return nil
    }
  }
}
