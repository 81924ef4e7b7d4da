import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Steps of a path: from an entity, from the only member of a set, from all members of one.
extension Binder {
  /// How many ways, over the types of interfaces, a path to one entity may have. One that has more is a set of at most
  /// one entity, which each step passes once.
  private static let mostWays = 64

  func step(
    from element: EntityReference, _ type: EntityTypeID, _ name: Name, _ arguments: CallArguments?,
    _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let ways = element.alternativeCount
    if ways > 1, ways * max(1, catalog[type].members.count) > Self.mostWays {
      let set = reserveSet(type, at: range)
      query[set].source = source(of: element)
      let path = PluralPath(set: set, type: type, range: range, text: "this")
      return step(fromSingle: path, name, arguments, environment, range)
    }
    if let value = metaValue(name, of: element) { return arguments == nil ? .value(value) : noArguments(name) }
    guard let property = catalog[type].property(named: name.text) else {
      reportUnknownField(name, of: catalog[type].name, among: catalog[type].properties.map(\.name))
      return .error
    }
    return taking(arguments, member(property, of: element, at: range), name, environment)
  }

  /// A step with its arguments, which one to entities has only.
  func taking(_ arguments: CallArguments?, _ operand: Operand, _ name: Name, _ environment: Environment) -> Operand {
    guard let arguments else { return operand }
    switch operand {
    case .error: return .error
    case .plural(let path) where path.isEntity:
      var bound = query[path.set]
      bindArguments(arguments.named, of: name, environment: environment, into: &bound)
      query[path.set] = bound
      return operand
    case .entity: return filtered(operand, arguments, name, environment)
    default: return noArguments(name)
    }
  }

  /// A to-one step with arguments: the target, if it meets them.
  func filtered(
    _ operand: Operand, _ arguments: CallArguments, _ name: Name, _ environment: Environment
  ) -> Operand {
    guard case .entity(let reference, let type, let range) = operand, !reference.isScope, !arguments.named.isEmpty
    else { return operand }
    let set = reserveSet(type, at: range)
    var bound = BoundSet(type: type, source: source(of: reference), range: range)
    bindArguments(arguments.named, of: name, environment: environment, into: &bound)
    query[set] = bound
    return .single(PluralPath(set: set, type: type, range: range, text: name.text))
  }

  /// A step from the only member of a set.
  func step(
    fromSingle path: PluralPath, _ name: Name, _ arguments: CallArguments?, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    var path = path
    path.range = range
    let inner: Operand
    switch path.tail {
    case .value: return .error
    case .embedded(let value):
      inner = member(name, of: value)
    case .none:
      if let value = metaValue(name, of: .scope(0, path.type)) {
        return arguments == nil ? .value(first(value, of: path.set)) : noArguments(name)
      }
      guard let property = catalog[path.type].property(named: name.text) else {
        reportUnknownField(name, of: catalog[path.type].name, among: catalog[path.type].properties.map(\.name))
        return .error
      }
      if case .relation(let id) = property.storage {
        let relation = catalog[id]
        let set = reserveSet(relation.target, at: name.range)
        var bound = BoundSet(
          type: relation.target, source: relation.isToMany ? .linked(path.set, id) : .step(path.set, id),
          range: name.range)
        bindArguments(arguments?.named ?? [], of: name, environment: environment, into: &bound)
        query[set] = bound
        let next = PluralPath(set: set, type: relation.target, range: range, text: "\(path.text).\(name.text)")
        return relation.isToMany ? .plural(next) : .single(next)
      }
      if case .members(let fields) = property.storage, isRelation(property) {
        let next = step(from: path, property, fields, arguments, environment, name, isSingle: true, range)
        guard case .plural(let many) = next, case .entity = property.signature.type else { return next }
        return .single(many)
      }
      guard arguments == nil else { return noArguments(name) }
      inner = member(property, of: .scope(0, path.type), at: name.range)
    }
    switch inner {
    case .entity(let reference, let type, _):
      let next = taking(arguments, stepped(path, along: reference, to: type, name), name, environment)
      guard case .plural(let one) = next else { return .error }
      return .single(one)
    case .plural(let many):
      guard case .relation(let reference, let relation) = query[many.set].source else { return .error }
      let next = stepped(path, along: .toOne(reference, relation), to: many.type, inLinkOrder: true, name)
      return taking(arguments, next, name, environment)
    case .error: return .error
    case _ where arguments != nil: return noArguments(name)
    case .value(let value):
      return .value(
        first(value.expression, of: path.set), folded: value.folded.map { first($0, of: path.set) })
    case .embedded(let value):
      path.tail = .embedded(value)
      return .single(path)
    default: return .error
    }
  }

  func step(
    from path: PluralPath, _ name: Name, _ arguments: CallArguments?, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    var path = path
    path.range = range
    switch path.tail {
    case .value(let value):
      guard value.type == .json, arguments == nil else {
        report(.fieldOfValue(name: name.text, type: words(value.type)), at: name.range)
        return .error
      }
      let key = BoundExpression(.constant(.string(Text(name.text))), .string, at: name.range)
      path.tail = .value(
        TypedValue(expression: BoundExpression(.jsonPath(value.expression, key), .json, at: name.range)))
    case .embedded(let value):
      switch member(name, of: value) {
      case .error: return .error
      case .entity(let reference, let type, _):
        return taking(arguments, stepped(path, along: reference, to: type, name), name, environment)
      case .plural(let inner):
        guard case .relation(let reference, let relation) = query[inner.set].source else { return .error }
        let next = stepped(path, along: .toOne(reference, relation), to: inner.type, name)
        return taking(arguments, next, name, environment)
      case _ where arguments != nil: return noArguments(name)
      case .value(let inner): path.tail = .value(inner)
      case .embedded(let inner): path.tail = .embedded(inner)
      default: return .error
      }
    case .none:
      let element = EntityReference.scope(0, path.type)
      if let value = metaValue(name, of: element) {
        guard arguments == nil else { return noArguments(name) }
        path.tail = .value(TypedValue(expression: value))
        break
      }
      guard let property = catalog[path.type].property(named: name.text) else {
        reportUnknownField(
          name, of: catalog[path.type].name, among: catalog[path.type].properties.map(\.name))
        return .error
      }
      switch property.storage {
      case .relation(let id):
        let target = catalog[id].target
        let set = reserveSet(target, at: name.range)
        var bound = BoundSet(type: target, source: .step(path.set, id), range: name.range)
        bindArguments(arguments?.named ?? [], of: name, environment: environment, into: &bound)
        query[set] = bound
        return .plural(PluralPath(set: set, type: target, range: range, text: "\(path.text).\(name.text)"))
      case .members(let fields) where isRelation(property):
        return step(from: path, property, fields, arguments, environment, name, range)
      case .computed where isRelation(property):
        report(.pluralPath(relation: "\(path.text).\(name.text)", suggestion: nil), at: range)
        return .error
      case .column, .embedded, .members, .computed:
        guard arguments == nil else { return noArguments(name) }
        switch member(property, of: element, at: name.range) {
        case .value(let inner): path.tail = .value(inner)
        case .embedded(let inner): path.tail = .embedded(inner)
        default: return .error
        }
      }
    }
    path.tailText += path.tailText.isEmpty ? name.text : ".\(name.text)"
    return .plural(path)
  }

  /// A step along a relation field of an interface.
  private func step(
    from path: PluralPath, _ property: Property, _ fields: [MemberField], _ arguments: CallArguments?,
    _ environment: Environment, _ name: Name, isSingle: Bool = false, _ range: SourceRange
  ) -> Operand {
    guard case .entity(let target) = elementType(of: property.signature.type) else { return .error }
    var routes: [[RelationID]] = []
    // What is linked by one relation and seen in several ways has no order that these would show.
    var isLinked = isSingle
    for field in fields {
      guard case .relation(let id) = catalog[field.member.type][field.property].storage else { continue }
      let casts = catalog.casts(from: catalog[id].target, to: target)
      isLinked = isLinked && casts.count < 2
      for cast in casts { routes.append([field.member.relation, id] + cast) }
    }
    let set = steps(from: path.set, routes, to: target, inLinkOrder: isLinked, at: name.range)
    var bound = query[set]
    bindArguments(arguments?.named ?? [], of: name, environment: environment, into: &bound)
    query[set] = bound
    return .plural(PluralPath(set: set, type: target, range: range, text: "\(path.text).\(name.text)"))
  }
}
