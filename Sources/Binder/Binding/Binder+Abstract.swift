import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Interfaces and unions: a row of one is read through the references to its members, of which one is there.
extension Binder {
  /// A reference to each member that a row may mirror; one only where the row was reached from its entity.
  func memberReferences(
    of reference: EntityReference, _ type: EntityTypeID
  ) -> [(type: EntityTypeID, reference: EntityReference)] {
    if case .toOne(let base, let relation) = reference, catalog[relation].isMirror,
      !catalog[catalog[relation].source].isAbstract
    {
      return [(catalog[relation].source, base)]
    }
    return catalog[type].members.map { ($0.type, .toOne(reference, $0.relation)) }
  }

  /// The entity as one of another type; missing where it is none. Nil where it never is.
  func cast(_ reference: EntityReference, from type: EntityTypeID, to target: EntityTypeID) -> EntityReference? {
    if type == target { return reference }
    // What was reached from its entity is of the entity's type; as another it is missing, as the paths below say.
    if catalog[type].isAbstract {
      let members = memberReferences(of: reference, type)
      if members.count == 1, let only = members.first, let own = cast(only.reference, from: only.type, to: target) {
        return own
      }
    }
    let paths = catalog.casts(from: type, to: target)
    let references = paths.map { path in path.reduce(reference) { .toOne($0, $1) } }
    guard let first = references.first else { return nil }
    return references.count == 1 ? first : .firstOf(references, target)
  }

  func isThere(_ reference: EntityReference, _ type: EntityTypeID, at range: SourceRange) -> BoundExpression {
    let entity = BoundExpression(.entity(reference), .entity(type), at: range)
    return negation(BoundExpression(.isNull(entity), .boolean, at: range))
  }

  // MARK: Fields

  func isRelation(_ property: Property) -> Bool { elementType(of: property.signature.type).isEntity }

  func elementType(of type: ValueType) -> ValueType {
    if case .list(let element) = type { return element }
    return type
  }

  /// A field of an interface.
  func member(
    _ property: Property, _ fields: [MemberField], of element: EntityReference, at range: SourceRange
  ) -> Operand {
    var found: [Operand] = []
    let members = memberReferences(of: element, type(of: element))
    guard count(members.count * element.alternativeCount, at: range) else { return .error }
    for member in members {
      guard let field = fields.first(where: { $0.member.type == member.type }) else { continue }
      found.append(self.member(catalog[member.type][field.property], of: member.reference, at: range))
    }
    let operand = combined(found, as: property.signature.type, named: property.name, at: range)
    // Where one member only is there, its values compare as those of all do.
    guard case .value(let value) = operand, value.folded == nil, fields.contains(where: isFolded) else {
      return operand
    }
    return .value(value.expression, folded: fold(value.expression))
  }

  private func isFolded(_ field: MemberField) -> Bool {
    if case .column(_, _?) = catalog[field.member.type][field.property].storage { true } else { false }
  }

  /// What is one of several operands, of which at most one is there.
  func combined(
    _ operands: [Operand], as type: ValueType, named name: String, at range: SourceRange
  ) -> Operand {
    var values: [TypedValue] = []
    var references: [EntityReference] = []
    var places: [EmbeddedValue.Place] = []
    var branches: [RelationBranch] = []
    for operand in operands {
      switch operand {
      case .value(let value): values.append(value)
      case .embedded(let value): places += value.places
      case .entity(let reference, let found, _):
        guard case .entity(let target) = type else { return .error }
        if let cast = cast(reference, from: found, to: target) { references.append(cast) }
      case .plural(let path):
        guard case .entity(let target) = elementType(of: type) else { return .error }
        let casts = path.type == target ? [] : catalog.casts(from: path.type, to: target)
        switch query[path.set].source {
        case .relation(let reference, let relation) where operands.count > 1 || !casts.isEmpty:
          branches.append(RelationBranch(reference: reference, relation: relation, casts: casts))
        case .relation: return operand
        case .branches(let inner) where casts.isEmpty: branches += inner
        default: return .error
        }
      default: return .error
      }
    }
    switch type {
    case .entity(let target):
      if references.count == 1, let only = references.first { return .entity(only, target, range) }
      return .entity(.firstOf(references, target), target, range)
    case .list(.entity(let target)):
      let set = reserveSet(target, at: range)
      query[set].source = .branches(branches)
      return .plural(PluralPath(set: set, type: target, range: range, text: name))
    case .embedded(let id): return .embedded(EmbeddedValue(places: places, type: id, range: range))
    default: break
    }
    guard let first = values.first else {
      return .value(BoundExpression(.constant(.null), type, at: range))
    }
    if values.count == 1 { return .value(first) }
    let value = BoundExpression(.coalesce(values.map(\.expression)), first.type, at: range)
    guard values.contains(where: { $0.folded != nil }) else { return .value(value) }
    let folded = values.map { $0.folded ?? fold($0.expression) }
    return .value(value, folded: BoundExpression(.coalesce(folded), .string, at: range))
  }

  // MARK: Steps

  /// The set of what the routes, each a path of relations, lead to from the members of a set; in the order of the links
  /// where the set has one member only, which has links along one of the routes.
  func steps(
    from set: SetID, _ routes: [[RelationID]], to target: EntityTypeID, inLinkOrder: Bool = false,
    at range: SourceRange
  ) -> SetID {
    func source(_ base: SetID, _ relation: RelationID) -> BoundSet.Source {
      inLinkOrder ? .linked(base, relation) : .step(base, relation)
    }
    // Parents stand before children, so that the set that gathers them comes first.
    let result = reserveSet(target, at: range)
    guard routes.count == 1, let route = routes.first, let relation = route.last else {
      query[result].source = .routes(set, routes, inLinkOrder: inLinkOrder)
      return result
    }
    var last = set
    for relation in route.dropLast() {
      let next = reserveSet(catalog[relation].target, at: range)
      query[next].source = source(last, relation)
      last = next
    }
    query[result].source = source(last, relation)
    return result
  }

  /// A path that goes on from its members along a reference.
  func stepped(
    _ path: PluralPath, along reference: EntityReference, to target: EntityTypeID, inLinkOrder: Bool = false,
    _ name: Name
  ) -> Operand {
    let set = steps(
      from: path.set, reference.alternatives.map(\.path), to: target, inLinkOrder: inLinkOrder, at: name.range)
    return .plural(
      PluralPath(
        set: set, type: target, range: path.range.union(name.range),
        text: path.tailText.isEmpty ? "\(path.text).\(name.text)" : "\(path.text).\(path.tailText).\(name.text)"))
  }

  /// `ps[0]`: a set of at most one, from which fields are read as from an entity.
  func subscripted(
    _ path: PluralPath, _ position: Operand, _ environment: Environment, _ range: SourceRange,
    at indexRange: SourceRange
  ) -> Operand {
    guard query[path.set].limit == nil, query[path.set].offset == nil,
      let offset = coerce(position, to: .int, environment, at: indexRange)
    else {
      if query[path.set].limit != nil || query[path.set].offset != nil {
        report(.wrongType(found: "a set with a limit", expected: "a list"), at: path.range)
      }
      return .error
    }
    guard case .constant(.int(let number)) = offset.kind, number >= 0 else {
      report(.wrongType(found: "this index", expected: "a whole number from 0, as in [0]"), at: indexRange)
      return .error
    }
    query[path.set].offset = offset
    query[path.set].limit = BoundExpression(.constant(.int(1)), .int, at: range)
    var path = path
    path.range = range
    return .single(path)
  }

  // MARK: is, as

  /// `. is T`.
  func typeTest(
    _ inner: Expression, _ name: Name, negated: Bool, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let operand = resolve(bindOperand(inner, environment), environment)
    guard let target = catalog.type(named: name.text) else {
      lazy var known = catalog.types.filter { !$0.isElement }.map(\.name) + ["null"]
      let isNull = ForeignName.literals[name.text] == "null"
      report(
        .unknownType(name: name.text, near: isNull ? [] : suggest(name, known)),
        isNull
          ? .write("null", over: name.range) : remedy(forTest: name, of: inner, negated: negated, at: range),
        at: name.range)
      return .error
    }
    switch operand {
    case .error: return .error
    case .single(let path) where path.isEntity:
      guard let test = isMember(path, of: target.id, at: name.range) else { return .error }
      return .value(negated ? negation(test) : test)
    case .entity(let reference, let type, _):
      guard catalog.overlap(type, target.id) else {
        report(.impossibleFragment(condition: target.name, type: catalog[type].name), at: name.range)
        return .error
      }
      let isAlways = catalog.possibleTypes(of: type).allSatisfy(catalog.possibleTypes(of: target.id).contains)
      let seen = isAlways ? reference : cast(reference, from: type, to: target.id) ?? reference
      let test = isThere(seen, isAlways ? type : target.id, at: range)
      return .value(negated ? negation(test) : test)
    case .plural(let path):
      report(.pluralPath(relation: path.text, suggestion: "some(\(path.text), . is \(name.text))"), at: range)
      return .error
    default:
      report(.wrongType(found: describe(operand), expected: "an entity"), at: inner.range)
      return .error
    }
  }

  /// `. as T`, null for what is none; of a path of many those that are.
  func cast(
    _ operand: Operand, to target: EntityTypeID, _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let operand = resolve(operand, environment)
    switch operand {
    case .error: return .error
    case .entity(let reference, let type, _):
      guard let cast = cast(reference, from: type, to: target) else { break }
      return .entity(cast, target, range)
    case .plural(let path) where path.isEntity: return cast(path, to: target, range).map { .plural($0) } ?? .error
    case .single(let path) where path.isEntity: return cast(path, to: target, range).map { .single($0) } ?? .error
    default: break
    }
    if case .entity(_, let type, _) = operand {
      report(.impossibleFragment(condition: catalog[target].name, type: catalog[type].name), at: range)
    } else {
      report(.impossibleCast(from: describe(operand), to: words(.entity(target))), at: range)
    }
    return .error
  }

  /// The members of a set that are of another type, as such; nil where none ever is, which is reported.
  private func cast(_ path: PluralPath, to target: EntityTypeID, _ range: SourceRange) -> PluralPath? {
    guard path.type != target else { return path }
    let routes = catalog.casts(from: path.type, to: target)
    guard !routes.isEmpty else {
      report(.impossibleFragment(condition: catalog[target].name, type: catalog[path.type].name), at: range)
      return nil
    }
    var path = path
    path.set = steps(from: path.set, routes, to: target, at: range)
    path.type = target
    return path
  }

  /// Whether the only member of a set is there and of another type; nil where it never is, which is reported.
  private func isMember(_ path: PluralPath, of target: EntityTypeID, at range: SourceRange) -> BoundExpression? {
    guard catalog.overlap(path.type, target) else {
      report(.impossibleFragment(condition: catalog[target].name, type: catalog[path.type].name), at: range)
      return nil
    }
    let isAlways = catalog.possibleTypes(of: path.type).allSatisfy(catalog.possibleTypes(of: target).contains)
    guard let seen = isAlways ? path : cast(path, to: target, range) else { return nil }
    return exists(seen, range)
  }

  /// Two entities as rows of one type, so that they compare by identity; nil where they are never the same.
  func unified(_ left: BoundExpression, _ right: BoundExpression) -> (BoundExpression, BoundExpression)? {
    guard left.type != right.type else { return (left, right) }
    guard case .entity(let first) = left.type, case .entity(let second) = right.type else { return nil }
    func widened(_ side: BoundExpression, _ type: EntityTypeID, to wider: EntityTypeID) -> BoundExpression? {
      if case .aggregate(.first, let set, nil) = side.kind {
        let routes = catalog.casts(from: type, to: wider)
        guard !routes.isEmpty else { return nil }
        let seen = steps(from: set, routes, to: wider, at: side.range)
        return BoundExpression(.aggregate(.first, seen, nil), .entity(wider), at: side.range)
      }
      guard case .entity(let reference) = side.kind, let cast = cast(reference, from: type, to: wider) else {
        return nil
      }
      return BoundExpression(.entity(cast), .entity(wider), at: side.range)
    }
    // Towards the wider type nothing gets lost.
    if catalog.isSubtype(first, of: second) { return widened(left, first, to: second).map { ($0, right) } }
    if catalog.isSubtype(second, of: first) { return widened(right, second, to: first).map { (left, $0) } }
    return nil
  }
}

extension ValueType {
  var isList: Bool {
    if case .list = self { true } else { false }
  }

  var isEntity: Bool {
    if case .entity = self { true } else { false }
  }
}
