import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// `base.name`, and what a name is a member of.
extension Binder {
  func member(_ property: Property, of element: EntityReference, at range: SourceRange) -> Operand {
    switch property.storage {
    case .column(let column, let folded):
      let type = columnType(column, of: element, declared: property.signature.type)
      return .value(
        BoundExpression(.column(element, column), type, at: range),
        folded: folded.map { BoundExpression(.column(element, $0), type, at: range) })
    case .embedded(let id, let presence, let fields):
      return .embedded(
        EmbeddedValue(reference: element, type: id, presence: presence, fields: fields, range: range))
    case .relation(let id): return related(id, of: element, property.name, at: range)
    case .members(let fields): return member(property, fields, of: element, at: range)
    case .computed(let text): return computed(property, text, of: element, at: range)
    }
  }

  /// What a relation leads to.
  func related(_ id: RelationID, of element: EntityReference, _ name: String, at range: SourceRange) -> Operand {
    let relation = catalog[id]
    if !relation.isToMany { return .entity(.toOne(element, id), relation.target, range) }
    let set = reserveSet(relation.target, at: range)
    query[set].source = .relation(element, id)
    return .plural(PluralPath(set: set, type: relation.target, range: range, text: name))
  }

  func member(_ name: Name, of value: EmbeddedValue) -> Operand {
    let type = catalog[value.type]
    guard let index = type.fields.firstIndex(where: { $0.name == name.text }) else {
      reportUnknownField(name, of: type.name, among: type.fields.map(\.name))
      return .error
    }
    return member(index, of: value, at: name.range)
  }

  /// A field of an embedded object by its number.
  func member(_ index: Int, of value: EmbeddedValue, at range: SourceRange) -> Operand {
    let field = catalog[value.type].fields[index]
    var found: [Operand] = []
    for place in value.places where index < place.fields.count {
      switch place.fields[index] {
      case .column(let column, _):
        let type = columnType(column, of: place.reference, declared: field.signature.type)
        found.append(.value(BoundExpression(.column(place.reference, column), type, at: range)))
      case .embedded(let id, let presence, let fields):
        found.append(
          .embedded(
            EmbeddedValue(reference: place.reference, type: id, presence: presence, fields: fields, range: range)))
      case .relation(let id): found.append(related(id, of: place.reference, field.name, at: range))
      case .members, .computed: return .error
      }
    }
    return combined(found, as: field.signature.type, named: field.name, at: range)
  }

  /// Lists of lists are read as the JSON that they lie as.
  func columnType(_ column: ColumnID, of reference: EntityReference, declared: ValueType) -> ValueType {
    if case .list(.list) = declared { return .json }
    return declared
  }

  /// `base.name` and `base.name(args)`.
  /// Returns whether a path begins with another element than the one of the scope that it stands in.
  private func beginsElsewhere(_ path: Expression, _ environment: Environment) -> Bool {
    var head = path
    var environment = environment
    while true {
      switch head.kind {
      case .member(let base, _, _), .index(let base, _), .parenthesized(let base), .cast(let base, _): head = base
      case .outer, .binary(.coalesce, _, _): return true
      // A step with arguments, a function, or a type.
      case .call(let name, _), .name(let name):
        if let binding = environment.lets[name.text] {
          guard binding.letName != nil, let expression = binding.expression else { return false }
          if binding.chain != environment.chain { return true }
          environment = environment.inside(binding)
          head = expression
          continue
        }
        guard let type = environment.elementType, catalog.property(named: name.text, of: type) == nil else {
          return false
        }
        if case .call = head.kind { return true }
        return catalog.root(named: name.text) != nil
      default: return false
      }
    }
  }

  func bindMember(
    _ base: Expression, _ name: Name, _ arguments: CallArguments?, _ environment: Environment
  ) -> Operand {
    // `Status.ACTIVE`, unless something nearer is called Status.
    if arguments == nil, case .name(let owner) = base.kind, !hasMeaning(owner, environment),
      let enumeration = catalog.enums.first(where: { $0.name == owner.text })
    {
      guard let code = enumeration.values.firstIndex(of: name.text) else {
        let near = suggest(name, enumeration.values)
        report(
          .wrongValue(.unknownEnumValue(name: name.text, type: enumeration.name, near: near)), at: name.range)
        return .error
      }
      return .value(
        BoundExpression(
          .constant(.enumeration(enumeration.id, code: code)), .enumeration(enumeration.id), at: name.range))
    }
    if arguments == nil, let field = newField(base, name, environment) { return field }
    if reportElementName(base, name, environment) { return .error }
    // `^.genre` where a group stands around; a group itself is no value.
    if let number = groupAddressed(by: base, environment) {
      return groupMember(name, arguments, number, base.range.union(name.range), environment)
    }
    if case .outer(let climb) = base.kind, environment.scope(climb) == nil, let remedy = remedy(forKey: name) {
      report(.noEnclosingElement(climbed: climb), remedy, at: base.range)
      return .error
    }
    let owner = resolve(bindOperand(base, environment), environment)
    var environment = environment
    environment.pathBeginsElsewhere = arguments != nil && beginsElsewhere(base, environment)
    let range = base.range.union(name.range)
    if arguments?.positional.isEmpty == false || isUnknownMember(name, of: owner),
      reportMethod(base, name, arguments, of: owner, environment)
    {
      return .error
    }
    if let arguments, let extra = arguments.positional.first {
      report(.wrongArgumentCount(function: name.text, expected: "named arguments only"), at: extra.range)
      return .error
    }
    switch owner {
    case .error: return .error
    case .entity(let element, let type, _):
      return step(from: element, type, name, arguments, environment, range)
    case .embedded(let value):
      return taking(arguments, member(name, of: value), name, environment)
    case .plural(let path): return step(from: path, name, arguments, environment, range)
    case .single(let path): return step(fromSingle: path, name, arguments, environment, range)
    case .value:
      guard arguments == nil else { return noArguments(name) }
      return member(name, of: owner, at: range)
    case .object where arguments == nil:
      // What an object is without a place that types it.
      guard let json = value(owner, environment, at: base.range) else { return .error }
      return member(name, of: .value(json), at: range)
    case .literal, .list, .object, .bare, .interval, .filter:
      report(.fieldOfValue(name: name.text, type: describe(owner)), at: name.range)
      return .error
    }
  }

  /// A member of a JSON value.
  func member(_ name: Name, of operand: Operand, at range: SourceRange) -> Operand {
    guard case .value(let value) = operand, value.type == .json else {
      if case .error = operand { return .error }
      report(.fieldOfValue(name: name.text, type: staticType(operand).map(words) ?? "this"), at: name.range)
      return .error
    }
    let key = BoundExpression(.constant(.string(Text(name.text))), .string, at: name.range)
    return .value(BoundExpression(.jsonPath(value.expression, key), .json, at: name.range))
  }

  func noArguments(_ name: Name) -> Operand {
    report(.argumentsOnValue(field: name.text), at: name.range)
    return .error
  }
}
