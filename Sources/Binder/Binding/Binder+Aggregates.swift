import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  func bindAggregate(
    _ aggregate: Aggregate, _ name: Name, _ arguments: CallArguments, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    guard let collection = collection(name, arguments, environment, range) else { return .error }
    let body = arguments.positional.count == 2 ? arguments.positional[1] : nil
    switch collection {
    case .list(let list): return aggregated(aggregate, list, body, environment, range)
    case .path(let path):
      guard let body else {
        let values = values(of: path, for: aggregate)
        if aggregate == .last, values == nil { return lastMember(of: path, arguments, name, environment, range) }
        return aggregated(aggregate, path, values, name, range)
      }
      guard let inner = entering(membersOf: path, environment, name) else { return .error }
      if aggregate == .count { return CountBinder(binder: self).count(path, body, inner, range) }
      guard !reportConstant(body, inner, ofTexts: true),
        let value = value(bindOperand(body, inner), inner, at: body.range)
      else { return .error }
      return aggregated(aggregate, path, value, name, range)
    }
  }

  /// What the path ends with, of each member; nil for the members themselves.
  private func values(of path: PluralPath, for aggregate: Aggregate? = nil) -> TypedValue? {
    switch path.tail {
    case .none: nil
    case .value(let value): value
    // Whether there is one is enough here.
    case .embedded(let value) where aggregate == .count || aggregate == .first:
      TypedValue(expression: value.presenceExpression.orNull)
    case .embedded(let value): TypedValue(expression: EmbeddedObjectBinder(binder: self).json(value))
    }
  }

  private func aggregated(
    _ aggregate: Aggregate, _ path: PluralPath, _ element: TypedValue?, _ name: Name, _ range: SourceRange
  ) -> Operand {
    if aggregate == .count { return CountBinder(binder: self).count(path, element?.expression, range) }
    guard let element else {
      // Of entities: the first one, and all of them, each once as they are.
      switch aggregate {
      case .first:
        let first = wholePage(path, .all)
        query.limitToFirst(first.set, at: range)
        return .single(first)
      case .collect, .distinct: return .plural(path)
      default:
        report(
          .wrongArgumentCount(function: name.text, expected: "values, as in \(name.text)(orders.amount)"), at: range)
        return .error
      }
    }
    switch aggregate {
    case .first:
      guard element.type != .null else { return .literal(.null, range) }
      // Only where nothing is cut off before, as nulls do not count.
      let set = query[path.set]
      if set.limit == nil, set.offset == nil, set.distinctOn.isEmpty, set.paging?.before == nil,
        !query.canFail(element.expression)
      {
        let kept = CountBinder(binder: self)
        if case .embedded(let value) = path.tail {
          let presence = BoundExpression(.isTrue(value.presenceExpression), .boolean, at: value.range)
          kept.require(presence, isTest: true, in: path.set)
        } else if query.mayBeNull(element.expression, catalog: catalog) {
          kept.require(element.expression, in: path.set)
        }
        query.limitToFirst(path.set, at: range)
      }
      if case .embedded(let value) = path.tail {
        if query[path.set].limit != nil { return .single(path) }
        return .value(first(EmbeddedObjectBinder(binder: self).json(value), of: path.set))
      }
      return .value(
        first(element.expression, of: path.set), folded: element.folded.map { first($0, of: path.set) })
    case .last:
      guard element.type != .null else { return .literal(.null, range) }
      func last(_ value: BoundExpression) -> BoundExpression {
        BoundExpression(.aggregate(.last, path.set, value), value.type, at: range)
      }
      return .value(last(element.expression), folded: element.folded.map(last))
    case .collect: return .value(collected(element.expression, of: path.set, at: range))
    case .distinct where element.folded != nil, .min where element.folded != nil, .max where element.folded != nil:
      if aggregate.isExtreme, query.lead(path.set, by: element.key, isDescending: aggregate == .max) {
        return aggregated(.first, path, element, name, range)
      }
      return compared(aggregate, collected(element.expression, of: path.set, at: range), isFolded: true, range)
    case .distinct:
      let value = collectable(element.expression)
      return .value(BoundExpression(.aggregate(.distinct, path.set, value), .list(value.type), at: range))
    default:
      guard let type = resultType(aggregate, of: element.expression) else { return .error }
      return .value(BoundExpression(.aggregate(aggregate, path.set, element.expression), type, at: range))
    }
  }

  /// A page before a cursor is cut off at its start, so that a limit of its own gives no first member.
  private func wholePage(_ path: PluralPath, _ rule: BoundSet.MemberRule) -> PluralPath {
    guard query[path.set].paging?.before != nil else { return path }
    var page = path
    page.set = reserveSet(path.type, at: path.range)
    query[page.set].source = .members(rule, [path.set])
    return page
  }

  /// Returns the last entity of a set: its only member past an offset, which the number of members tells.
  ///
  /// A second binding of the argument counts, so that each of the two sets has the plan that serves it best.
  private func lastMember(
    of path: PluralPath, _ arguments: CallArguments, _ name: Name, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let set = query[path.set]
    if set.paging?.before != nil { return .single(wholePage(path, .last)) }
    guard case .path(let counted) = collection(name, arguments, environment, range) else { return .error }
    query[counted.set].limit = nil
    query[counted.set].offset = nil
    query.forgetOrder(of: counted.set)
    func number(_ value: Int64) -> BoundExpression { BoundExpression(.constant(.int(value)), .int, at: range) }
    func least(_ function: ScalarFunction, _ values: BoundExpression...) -> BoundExpression {
      BoundExpression(.call(function, values), .int, at: range)
    }
    func difference(_ left: BoundExpression, _ right: BoundExpression) -> BoundExpression {
      BoundExpression(.arithmetic(.subtract, left, right), .int, at: range)
    }
    // Of `n` members from `offset` on, `limit` at most.
    // A null is no offset and no limit.
    let offset = set.offset.map { BoundExpression(.coalesce([$0, number(0)]), .int, at: range) } ?? number(0)
    var count = BoundExpression(.aggregate(.count, counted.set, nil), .int, at: range)
    if set.offset != nil { count = difference(count, offset) }
    if let limit = set.limit {
      count = least(.least, count, BoundExpression(.coalesce([limit, count]), .int, at: range))
    }
    // Before the first member there is none; a limit of 0 leaves none either.
    let skipped = least(.greatest, difference(count, number(1)), number(0))
    query[path.set].offset =
      set.offset == nil ? skipped : BoundExpression(.arithmetic(.add, offset, skipped), .int, at: range)
    query.limitToFirst(path.set, at: range)
    return .single(path)
  }

  /// The type that an aggregate of numbers or of what has an order gives; nil where there is none, which is reported.
  private func resultType(_ aggregate: Aggregate, of element: BoundExpression) -> ValueType? {
    switch aggregate {
    case .count: return .int
    case .first, .last: return element.type
    case .collect, .distinct: return .list(element.type)
    case .min, .max:
      guard isOrdered(element.type), element.type != .json, element.type != .null else {
        report(.unordered(type: words(element.type)), at: element.range)
        return nil
      }
      return element.type
    case .sum, .avg:
      guard isSummable(element) else { return nil }
      return aggregate == .avg && element.type == .int ? .float : element.type
    }
  }

  /// Tells whether values add up, as numbers and Durations do; else that is reported.
  func isSummable(_ element: BoundExpression) -> Bool {
    if element.type.isNumeric || element.type == .scalar(.duration) { return true }
    report(.wrongType(found: words(element.type), expected: "numbers"), at: element.range)
    return false
  }

  // MARK: Lists

  private func aggregated(
    _ aggregate: Aggregate, _ list: TypedValue, _ body: Expression?, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    guard case .list(let elementType) = list.type, let (number, inner) = entering(elementsOf: list, environment) else {
      return .error
    }
    var element = BoundExpression(.item(.scope(0, EntityTypeID(0)), number), elementType, at: list.expression.range)
    var isFolded = false
    if let body {
      guard let value = value(bindOperand(body, inner), inner, at: body.range) else { return .error }
      element = aggregate == .count ? CountBinder(binder: self).counted(value.expression) : value.expression
      isFolded = value.folded != nil
    }
    if aggregate == .collect || aggregate == .distinct { element = collectable(element) }
    guard let type = resultType(aggregate, of: element) else { return .error }
    var result = list.expression
    if aggregate == .distinct || aggregate.isExtreme && isFolded {
      if body != nil {
        result = BoundExpression(
          .listCall(.aggregate(.collect), result, item: number, element), .list(element.type), at: range)
      }
      return compared(aggregate, result, isFolded: isFolded, range)
    }
    let isItem = body == nil && element.type == elementType
    return .value(
      BoundExpression(
        .listCall(.aggregate(aggregate), result, item: number, isItem ? nil : element), type, at: range))
  }

  /// Returns each element once, or the least or the greatest one, in the collation of the elements.
  private func compared(
    _ aggregate: Aggregate, _ list: BoundExpression, isFolded: Bool, _ range: SourceRange
  ) -> Operand {
    guard case .list(let element) = list.type,
      let (number, _) = entering(elementsOf: TypedValue(expression: list), Environment())
    else { return .error }
    let item = BoundExpression(.item(.scope(0, EntityTypeID(0)), number), element, at: range)
    let call = BoundExpression.Kind.listCall(
      isFolded ? .byKey(aggregate) : .aggregate(aggregate), list, item: number,
      isFolded ? fold(converted(item, .string)) : nil)
    if aggregate == .distinct { return .value(BoundExpression(call, list.type, at: range)) }
    let value = BoundExpression(call, element, at: range)
    return .value(value, folded: fold(converted(value, .string)))
  }

  /// `join(values, separator)`, `join(set, expression, separator)`.
  func bindJoin(
    _ name: Name, _ arguments: CallArguments, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let expected = "values and a separator, or a set, an expression and a separator"
    guard let collection = collection(name, arguments, environment, range, expected: expected, most: 3) else {
      return .error
    }
    let positional = arguments.positional
    guard positional.count > 1, let last = positional.last else {
      report(.wrongArgumentCount(function: name.text, expected: expected), at: range)
      return .error
    }
    let separator = coerce(bindOperand(last, environment), to: .string, environment, at: last.range)
    var list: BoundExpression?
    switch collection {
    case .path(let path):
      var element = values(of: path)
      if positional.count == 3 {
        guard let inner = entering(membersOf: path, environment, name),
          !reportConstant(positional[1], inner, ofTexts: true)
        else { return .error }
        element = value(bindOperand(positional[1], inner), inner, at: positional[1].range)
        if element == nil { return .error }
      }
      guard let element else {
        report(.wrongArgumentCount(function: name.text, expected: expected), at: range)
        return .error
      }
      guard let text = joinable(element.expression) else { return .error }
      list = BoundExpression(.aggregate(.collect, path.set, text), .list(.string), at: range)
    case .list(let values):
      guard case .list(let type) = values.type, let (number, inner) = entering(elementsOf: values, environment) else {
        return .error
      }
      var element = BoundExpression(.item(.scope(0, EntityTypeID(0)), number), type, at: values.expression.range)
      if positional.count == 3 {
        guard let value = value(bindOperand(positional[1], inner), inner, at: positional[1].range) else {
          return .error
        }
        element = value.expression
      }
      guard let text = joinable(element) else { return .error }
      list = values.expression
      if positional.count == 3 || type != .string {
        list = BoundExpression(
          .listCall(.aggregate(.collect), values.expression, item: number, text), .list(.string), at: range)
      }
    }
    guard let list, let separator else { return .error }
    return .value(BoundExpression(.join(list, separator: separator), .string, at: range))
  }

  private func joinable(_ element: BoundExpression) -> BoundExpression? {
    guard element.type.scalar?.isTextual ?? false || element.type == .null else {
      report(.wrongType(found: words(element.type), expected: "texts"), at: element.range)
      return nil
    }
    return converted(element, .string)
  }

  // MARK: Entities and sets as values

  /// The entity of an operand as an expression: for identity.
  func entity(_ operand: Operand, at range: SourceRange) -> BoundExpression? {
    switch operand {
    case .entity(let reference, let type, _): return BoundExpression(.entity(reference), .entity(type), at: range)
    case .single(let path):
      guard case .none = path.tail else { return nil }
      return BoundExpression(.aggregate(.first, path.set, nil), .entity(path.type), at: range)
    default: return nil
    }
  }

  /// The id of an entity, which stands for it beside values; nil for what is none, or has a compound key.
  func identity(_ operand: Operand) -> TypedValue? {
    switch operand {
    case .entity(let reference, let type, let range):
      return identity(of: reference, type, at: range).map { TypedValue(expression: $0) }
    case .single(let path):
      guard case .none = path.tail, let id = identity(of: .scope(0, path.type), path.type, at: path.range) else {
        return nil
      }
      return TypedValue(expression: first(id, of: path.set))
    default: return nil
    }
  }

  /// The value of the set's first member that has one.
  func first(_ expression: BoundExpression, of set: SetID) -> BoundExpression {
    BoundExpression(.aggregate(.first, set, expression), expression.type, at: expression.range)
  }

  /// The ids of the members, elements whole, or what the path ends with, as a list.
  func collected(_ path: PluralPath) -> BoundExpression? {
    if let value = values(of: path) { return collected(value.expression, of: path.set, at: path.range) }
    if catalog[path.type].isElement {
      let element = EmbeddedObjectBinder(binder: self).json(ofElement: .scope(0, path.type), path.type, at: path.range)
      return collected(element, of: path.set, at: path.range)
    }
    guard let id = identity(of: .scope(0, path.type), path.type, at: path.range) else {
      report(.wrongType(found: "many '\(catalog[path.type].name)'", expected: "a value"), at: path.range)
      return nil
    }
    return collected(id, of: path.set, at: path.range)
  }

  private func collected(_ element: BoundExpression, of set: SetID, at range: SourceRange) -> BoundExpression {
    let element = collectable(element)
    return BoundExpression(.aggregate(.collect, set, element), .list(element.type), at: range)
  }

  /// Lists and objects stand in lists as JSON.
  private func collectable(_ element: BoundExpression) -> BoundExpression {
    switch element.type {
    case .scalar, .enumeration: element
    default: conversion(element, to: .json) ?? element
    }
  }
}

extension BoundQuery {
  /// A number of members does not depend on their order, so that no plan computes it, nor fails in it.
  mutating func forgetOrder(of id: SetID) {
    if self[id].paging?.hasCursor != true { self[id].order = [] }
  }

  /// The set ends with its first member.
  fileprivate mutating func limitToFirst(_ set: SetID, at range: SourceRange) {
    let one = BoundExpression(.constant(.int(1)), .int, at: range)
    switch self[set].limit {
    case nil: self[set].limit = one
    case let limit?:
      if case .int(let number)? = limit.constant {
        if number > 1 { self[set].limit = one }
        return
      }
      let isLess = BoundExpression(.compare(.less, limit, one), .boolean, at: limit.range)
      self[set].limit = BoundExpression(.conditional([isLess, limit, one]), .int, at: limit.range)
    }
  }

  /// Puts a key before the order of a set, so that its first member has the least one, or the greatest.
  ///
  /// - Returns: Whether no limit comes first, which needs the order as it is.
  fileprivate mutating func lead(_ id: SetID, by key: BoundExpression, isDescending: Bool) -> Bool {
    let set = self[id]
    guard set.limit == nil, set.offset == nil, set.distinctOn.isEmpty, set.paging?.hasCursor != true else {
      return false
    }
    self[id].order.insert(BoundOrderTerm(key, isDescending: isDescending), at: 0)
    return true
  }
}
