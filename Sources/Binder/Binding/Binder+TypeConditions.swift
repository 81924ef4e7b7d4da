import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Selections of interfaces and unions whose fragments tell their types apart.
extension Binder {
  /// One group of fields for each type that a condition is about, and one for the others: each has its own fields in
  /// its own order, as GraphQL's collecting by the type of the object gives.
  func bindFields(
    _ sources: [SelectionSource], byTypeOf type: EntityTypeID, _ others: Collected
  ) -> [BoundField] {
    var groups: [BoundField] = []
    let range = sources.first.flatMap { $0.set?.range ?? $0.splat } ?? SourceRange(at: 0)
    var rest: [BoundExpression] = []
    var hasRest = false
    for member in catalog[type].members {
      guard others.mentioned.contains(member.type) else {
        hasRest = true
        continue
      }
      guard !isExhausted else { return groups }
      let isThere = isThere(.toOne(.scope(0, type), member.relation), member.type, at: range)
      let fields = bindFields(collect(sources, of: .entity(type), as: member.type), of: type)
      groups.append(group(fields, when: isThere, range))
      rest.append(negation(isThere))
    }
    if hasRest {
      let fields = bindFields(others, of: type)
      let condition = BoundExpression(.and(rest), .boolean, at: range)
      groups.append(group(fields, when: rest.count == 1 ? rest[0] : condition, range))
    } else {
      // What is selected of all is checked even if each type has its own group.
      let known = (query.sets.count, query.selections.count)
      _ = bindFields(others, of: type)
      query.sets.removeLast(query.sets.count - known.0)
      query.selections.removeLast(query.selections.count - known.1)
    }
    checkShapes(groups)
    return groups
  }

  private func group(_ fields: [BoundField], when condition: BoundExpression, _ range: SourceRange) -> BoundField {
    BoundField(key: "", content: .inlined(when: condition, fields.map { guarded($0, by: condition) }), range: range)
  }

  /// What is computed is computed for entities of the group only: for others it could fail.
  private func guarded(_ field: BoundField, by condition: BoundExpression) -> BoundField {
    var copy = field
    switch field.content {
    case .value(let expression):
      switch expression.kind {
      case .column, .constant, .parameter, .coalesce: break
      default:
        copy.content = .value(
          BoundExpression(.conditional([condition, expression]), expression.type, at: expression.range))
      }
    case .embedded(let presence, let fields):
      copy.content = .embedded(presence: presence, fields.map { guarded($0, by: condition) })
    case .typename, .one, .many, .inlined, .recursion, .depth, .cycle, .cursor, .introspection: break
    }
    return copy
  }

  /// The name of the entity's own type.
  func typename(
    of type: EntityTypeID, _ entry: SelectionEntry, at range: SourceRange
  ) -> BoundField.Content {
    guard catalog[type].isAbstract, let element = entry.environment.element() else {
      return .typename(catalog[type].name)
    }
    return .value(typename(of: element, at: range))
  }

  // MARK: Shapes

  /// GraphQL's SameResponseShape: a key that several types have is of one shape, whichever field it is.
  private func checkShapes(_ groups: [BoundField]) {
    var first: [String: BoundField] = [:]
    for case .inlined(_, let fields) in groups.map(\.content) {
      for field in fields {
        guard let other = first[field.key] else {
          first[field.key] = field
          continue
        }
        var budget = 10_000
        if !haveSameShape(other, field, &budget) {
          report(.conflictingFields(key: field.key, first: other.range, reason: .shapes), at: field.range)
        }
      }
    }
  }

  private func haveSameShape(_ left: BoundField, _ right: BoundField, _ budget: inout Int) -> Bool {
    budget -= 1
    // What stands in one place once is of one shape, or of the shapes that `@expand` finds.
    guard budget > 0, left.range != right.range else { return true }
    func isString(_ type: ValueType) -> Bool { type == .string }
    switch (left.content, right.content) {
    case (.typename, .typename), (.cursor, .cursor), (.depth, .depth), (.cycle, .cycle), (.recursion, .recursion):
      return true
    case (.typename, .value(let value)), (.value(let value), .typename): return isString(value.type)
    case (.value(let first), .value(let second)):
      return first.type == second.type || first.type == .null || second.type == .null
    case (.embedded(_, let first), .embedded(_, let second)): return haveSameShape(first, second, &budget)
    case (.one(let first), .one(let second)), (.many(let first), .many(let second)):
      switch (query[first].shape, query[second].shape) {
      case (.object(let one), .object(let other)): return haveSameShape(one, other, &budget)
      case (.value(let one), .value(let other)): return one.type == other.type
      default: return false
      }
    case (.one(let id), .embedded(_, let fields)), (.embedded(_, let fields), .one(let id)):
      guard case .object(let own) = query[id].shape else { return false }
      return haveSameShape(own, fields, &budget)
    default: return false
    }
  }

  private func haveSameShape(_ left: [BoundField], _ right: [BoundField], _ budget: inout Int) -> Bool {
    let first = Dictionary(flattened(left).map { ($0.key, $0) }, uniquingKeysWith: { known, _ in known })
    for field in flattened(right) {
      guard let other = first[field.key] else { continue }
      if !haveSameShape(other, field, &budget) { return false }
    }
    return true
  }

  private func flattened(_ fields: [BoundField]) -> [BoundField] {
    fields.flatMap { field in
      if case .inlined(_, let inner) = field.content { flattened(inner) } else { [field] }
    }
  }

  // MARK: Keys

  /// `named(id: "7")`: the entity with the id, whichever its type; two of them are an error of the run.
  func bindKey(
    _ arguments: [Argument], of name: Name, abstract type: EntityTypeID, into set: SetID, _ environment: Environment
  ) {
    let names = catalog[type].members.compactMap { member -> String? in
      let ids = catalog[member.type].idProperties
      return ids.count == 1 ? ids.first.map { catalog[member.type][$0].name } : nil
    }
    let wanted = names.first ?? "id"
    guard names.count == catalog[type].members.count, names.allSatisfy({ $0 == wanted }) else {
      reportMissingKey(of: name, type, [])
      return
    }
    guard let argument = arguments.first(where: { $0.name.text == wanted }) else {
      for other in arguments {
        let near = suggest(other.name, [wanted])
        report(.unknownArgument(name: other.name.text, of: name.text, near: near), at: other.name.range)
      }
      if arguments.isEmpty { reportMissingKey(of: name, type, [[wanted]]) }
      return
    }
    for other in arguments where other.name.range != argument.name.range {
      if other.name.text == wanted {
        report(.duplicateArgument(name: wanted), at: other.name.range)
      } else {
        report(.unknownArgument(name: other.name.text, of: name.text, near: []), at: other.name.range)
      }
    }
    let inner = environment.enteringUnseen(.entity(type))
    let isWanted = hasIdentity(argument.range, type) { binder, id in
      binder.coerce(binder.bindOperand(argument.value, inner), to: id, inner, at: argument.value.range)
    }
    guard let isWanted else { return }
    query[set].predicate = isWanted
    // Two tell one from several.
    query[set].limit = BoundExpression(.constant(.int(2)), .int, at: name.range)
    query[set].isOneByKey = true
  }

  /// Whether an element of an interface or union has an id, which is bound as that of each of its types; nil if it
  /// cannot be.
  func hasIdentity(
    _ range: SourceRange, _ type: EntityTypeID,
    _ value: (Binder, ValueType) -> BoundExpression?
  ) -> BoundExpression? {
    var branches: [BoundExpression] = []
    for member in catalog[type].members {
      let reference = EntityReference.toOne(.scope(0, type), member.relation)
      guard let id = identity(of: reference, member.type, at: range) else { continue }
      guard let value = value(self, id.type) else { return nil }
      let equal = BoundExpression(.compare(.equal, id, value), .boolean, at: range)
      branches.append(BoundExpression(.and([isThere(reference, member.type, at: range), equal]), .boolean, at: range))
    }
    return branches.count > 1 ? BoundExpression(.or(branches), .boolean, at: range) : branches.first
  }
}
