import GQLBase
import GQLCatalog
import GQLParser

extension Binder {
  func type(of reference: EntityReference) -> EntityTypeID {
    switch reference {
    case .scope(_, let type): type
    case .toOne(_, let relation): catalog[relation].target
    case .firstOf(_, let type): type
    }
  }

  /// A bare name as anything but an enum value: a `let`, a field of the current element, a root.
  ///
  /// Nil if it is none of these; nothing is reported then.
  mutating func meaning(of name: Name, _ environment: Environment) -> Operand? {
    if let binding = environment.lets[name.text] ?? capture(named: name.text) {
      if binding.parameter != nil { return argument(binding, name, environment) }
      guard let expression = binding.expression else { return .literal(.null, name.range) }
      let inner = environment.inside(binding)
      return nested(at: name.range, .error) { binder in
        let operand = binder.bindOperand(expression, inner)
        return binder.settled(operand, inner)
      }
    }
    if let number = environment.group() {
      if let operand = groupMember(name, number, environment) { return operand }
    } else if let element = environment.element() {
      let entity = catalog[type(of: element)]
      if let property = entity.property(named: name.text) { return member(property, of: element, at: name.range) }
      if let value = metaValue(name, of: element) { return .value(value) }
      if name.text == "_score" { return score(environment, at: name.range) }
      if ["_depth", "_cycle", "_cursor"].contains(name.text) {
        report(.misplacedMeta(name: name.text), at: name.range)
        return .error
      }
    } else if name.text == "_score", environment.called != nil || isCheckingFunction {
      return score(environment, at: name.range)
    }
    if let root = catalog.root(named: name.text), root.isList {
      return rootSet(root.type, [], name, environment)
    }
    return nil
  }

  /// `.` or `^` where it is no entity: the element of a list or a bag, `depth` scopes out.
  func element(of scope: (depth: Int, element: ScopeElement), at range: SourceRange) -> Operand {
    switch scope.element {
    case .entity(let type): return .entity(.scope(scope.depth, type), type, range)
    case .item(let number, let type):
      return .value(BoundExpression(.item(.scope(scope.depth, EntityTypeID(0)), number), type, at: range))
    case .value(_, let value):
      // Values of bags are columns and what lies in them: nothing in them stands in a scope of its own.
      let moved = value.expression.mapReferences { $0.shifted(by: scope.depth) }
      return .value(moved, folded: value.folded?.mapReferences { $0.shifted(by: scope.depth) })
    }
  }

  /// Whether a bare name means something besides an enum value, without binding it.
  func hasMeaning(_ name: Name, _ environment: Environment) -> Bool {
    if environment.lets[name.text] != nil || capture(named: name.text) != nil { return true }
    if let number = environment.group() {
      return groups[number].hasKey(name.text) || catalog.root(named: name.text)?.isList ?? false
    }
    if let type = environment.elementType {
      if catalog[type].property(named: name.text) != nil || Self.metaFields.contains(name.text) { return true }
    }
    return catalog.root(named: name.text)?.isList ?? false
  }

  /// A bare name where no enum is wanted.
  mutating func resolveBare(_ name: Name, _ environment: Environment) -> Operand {
    if let operand = meaning(of: name, environment) { return operand }
    var known: [String] = []
    if let number = environment.group() {
      known = groups[number].keys.map(\.name)
    } else if let type = environment.elementType {
      known = catalog[type].properties.map(\.name)
    }
    known += environment.lets.keys.sorted()
    known += catalog.types.filter { !$0.isElement }.map(\.rootMany)
    report(.unknownName(name: name.text, near: nearestNames(to: name.text, in: known)), at: name.range)
    return .error
  }

  /// Decides a bare name that stands where nothing wants an enum.
  mutating func resolve(_ operand: Operand, _ environment: Environment) -> Operand {
    if case .bare(let name) = operand { return resolveBare(name, environment) }
    return operand
  }

  /// Decides a bare name where a value of an enum may stand.
  mutating func resolve(_ operand: Operand, _ environment: Environment, wanting type: ValueType?) -> Operand {
    guard case .bare(let name) = operand else { return operand }
    guard case .enumeration(let id)? = type, let code = catalog[id].values.firstIndex(of: name.text) else {
      if case .enumeration(let id)? = type, !hasMeaning(name, environment) {
        let enumeration = catalog[id]
        var known = enumeration.values
        if let element = environment.elementType { known += catalog[element].properties.map(\.name) }
        report(
          .wrongValue(
            .unknownEnumValue(
              name: name.text, type: enumeration.name, near: nearestNames(to: name.text, in: known))),
          at: name.range)
        return .error
      }
      return resolveBare(name, environment)
    }
    if hasMeaning(name, environment) {
      report(.ambiguousName(name: name.text, type: catalog[id].name), at: name.range)
      return .error
    }
    return .value(BoundExpression(.constant(.enumeration(id, code: code)), .enumeration(id), at: name.range))
  }

  // MARK: Members

  mutating func member(_ property: Property, of element: EntityReference, at range: SourceRange) -> Operand {
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
  mutating func related(_ id: RelationID, of element: EntityReference, _ name: String, at range: SourceRange) -> Operand
  {
    let relation = catalog[id]
    if !relation.isToMany { return .entity(.toOne(element, id), relation.target, range) }
    let set = reserveSet(relation.target, at: range)
    query[set].source = .relation(element, id)
    return .plural(PluralPath(set: set, type: relation.target, range: range, text: name))
  }

  mutating func member(_ name: Name, of value: EmbeddedValue) -> Operand {
    let type = catalog[value.type]
    guard let index = type.fields.firstIndex(where: { $0.name == name.text }) else {
      reportUnknownField(name, of: type.name, among: type.fields.map(\.name))
      return .error
    }
    return member(index, of: value, at: name.range)
  }

  /// A field of an embedded object by its number.
  mutating func member(_ index: Int, of value: EmbeddedValue, at range: SourceRange) -> Operand {
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

  /// All entities of a type, with the arguments of a selection.
  mutating func rootSet(
    _ type: EntityTypeID, _ arguments: [Argument], _ name: Name, _ environment: Environment
  ) -> Operand {
    let set = reserveSet(type, at: name.range)
    var bound = BoundSet(type: type, source: .all, range: name.range)
    bindArguments(arguments, of: name, environment: environment, into: &bound)
    query[set] = bound
    return .plural(PluralPath(set: set, type: type, range: name.range, text: name.text))
  }

  /// `base.name` and `base.name(args)`.
  mutating func bindMember(
    _ base: Expression, _ name: Name, _ arguments: CallArguments?, _ environment: Environment
  ) -> Operand {
    // `Status.ACTIVE`, unless something nearer is called Status.
    if arguments == nil, case .name(let owner) = base.kind, !hasMeaning(owner, environment),
      let enumeration = catalog.enums.first(where: { $0.name == owner.text })
    {
      guard let code = enumeration.values.firstIndex(of: name.text) else {
        let near = nearestNames(to: name.text, in: enumeration.values)
        report(
          .wrongValue(.unknownEnumValue(name: name.text, type: enumeration.name, near: near)), at: name.range)
        return .error
      }
      return .value(
        BoundExpression(
          .constant(.enumeration(enumeration.id, code: code)), .enumeration(enumeration.id), at: name.range))
    }
    if arguments == nil, let field = newField(base, name, environment) { return field }
    // `^.genre` where a group stands around; a group itself is no value.
    if let number = groupAddressed(by: base, environment) {
      return groupMember(name, arguments, number, base.range.union(name.range), environment)
    }
    let owner = resolve(bindOperand(base, environment), environment)
    let range = base.range.union(name.range)
    if let arguments, let extra = arguments.positional.first {
      report(.wrongArgumentCount(function: name.text, expected: "named arguments only"), at: extra.range)
      return .error
    }
    switch owner {
    case .error: return .error
    case .entity(let element, let type, _):
      return step(from: element, type, name, arguments, environment, range)
    case .embedded(let value):
      let operand = member(name, of: value)
      switch operand {
      case .plural(let path):
        guard let arguments else { return operand }
        var bound = query[path.set]
        bindArguments(arguments.named, of: name, environment: environment, into: &bound)
        query[path.set] = bound
        return operand
      default: return arguments == nil ? operand : noArguments(name)
      }
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
      report(.unknownField(name: name.text, type: describe(owner), near: []), at: name.range)
      return .error
    }
  }

  /// A member of a JSON value.
  mutating func member(_ name: Name, of operand: Operand, at range: SourceRange) -> Operand {
    guard case .value(let value) = operand, value.type == .json else {
      if case .error = operand { return .error }
      report(.unknownField(name: name.text, type: staticType(operand).map(words) ?? "this", near: []), at: name.range)
      return .error
    }
    let key = BoundExpression(.constant(.string(Text(name.text))), .string, at: name.range)
    return .value(BoundExpression(.jsonPath(value.expression, key), .json, at: name.range))
  }

  private mutating func noArguments(_ name: Name) -> Operand {
    report(.argumentsOnValue(field: name.text), at: name.range)
    return .error
  }

  private mutating func step(
    from element: EntityReference, _ type: EntityTypeID, _ name: Name, _ arguments: CallArguments?,
    _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    if let value = metaValue(name, of: element) { return arguments == nil ? .value(value) : noArguments(name) }
    guard let property = catalog[type].property(named: name.text) else {
      reportUnknownField(name, of: catalog[type].name, among: catalog[type].properties.map(\.name))
      return .error
    }
    let operand = member(property, of: element, at: range)
    guard let arguments else { return operand }
    switch operand {
    case .plural(let path):
      var bound = query[path.set]
      bindArguments(arguments.named, of: name, environment: environment, into: &bound)
      query[path.set] = bound
      return operand
    case .entity: return filtered(operand, arguments, name, environment)
    default: return noArguments(name)
    }
  }

  /// A to-one step with arguments: the target, if it meets them.
  mutating func filtered(
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
  private mutating func step(
    fromSingle path: PluralPath, _ name: Name, _ arguments: CallArguments?, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    var path = path
    path.range = range
    let inner: Operand
    switch path.tail {
    case .value: return .error
    case .embedded(let value):
      guard arguments == nil else { return noArguments(name) }
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
        let next = step(from: path, property, fields, arguments, environment, name, range)
        guard case .plural(let many) = next, case .entity = property.signature.type else { return next }
        return .single(many)
      }
      guard arguments == nil else { return noArguments(name) }
      inner = member(property, of: .scope(0, path.type), at: name.range)
    }
    switch inner {
    case .entity(let reference, let type, _):
      guard case .plural(let next) = stepped(path, along: reference, to: type, name) else { return .error }
      return .single(next)
    case .plural(let many):
      guard case .relation(let reference, let relation) = query[many.set].source else { return .error }
      return stepped(path, along: .toOne(reference, relation), to: many.type, name)
    case .value(let value):
      return .value(
        first(value.expression, of: path.set), folded: value.folded.map { first($0, of: path.set) })
    case .embedded(let value):
      path.tail = .embedded(value)
      return .single(path)
    default: return .error
    }
  }

  private mutating func step(
    from path: PluralPath, _ name: Name, _ arguments: CallArguments?, _ environment: Environment,
    _ range: SourceRange
  ) -> Operand {
    var path = path
    path.range = range
    switch path.tail {
    case .value(let value):
      guard value.type == .json, arguments == nil else {
        report(.unknownField(name: name.text, type: words(value.type), near: []), at: name.range)
        return .error
      }
      let key = BoundExpression(.constant(.string(Text(name.text))), .string, at: name.range)
      path.tail = .value(
        TypedValue(expression: BoundExpression(.jsonPath(value.expression, key), .json, at: name.range)))
    case .embedded(let value):
      guard arguments == nil else { return noArguments(name) }
      switch member(name, of: value) {
      case .value(let inner): path.tail = .value(inner)
      case .embedded(let inner): path.tail = .embedded(inner)
      case .entity(let reference, let type, _): return stepped(path, along: reference, to: type, name)
      case .plural(let inner):
        guard case .relation(let reference, let relation) = query[inner.set].source else { return .error }
        return stepped(path, along: .toOne(reference, relation), to: inner.type, name)
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
  private mutating func step(
    from path: PluralPath, _ property: Property, _ fields: [MemberField], _ arguments: CallArguments?,
    _ environment: Environment, _ name: Name, _ range: SourceRange
  ) -> Operand {
    guard case .entity(let target) = elementType(of: property.signature.type) else { return .error }
    var routes: [[RelationID]] = []
    for field in fields {
      guard case .relation(let id) = catalog[field.member.type][field.property].storage else { continue }
      for cast in catalog.casts(from: catalog[id].target, to: target) {
        routes.append([field.member.relation, id] + cast)
      }
    }
    let set = steps(from: path.set, routes, to: target, at: name.range)
    var bound = query[set]
    bindArguments(arguments?.named ?? [], of: name, environment: environment, into: &bound)
    query[set] = bound
    return .plural(PluralPath(set: set, type: target, range: range, text: "\(path.text).\(name.text)"))
  }

  /// For "found …" in messages.
  func describe(_ operand: Operand) -> String {
    switch operand {
    case .error: "an error"
    case .literal(let raw, _): raw.words
    case .list: "a list"
    case .object: "an object"
    case .bare(let name): "'\(name.text)'"
    case .value(let value): words(value.type)
    case .entity(_, let type, _): words(.entity(type))
    case .embedded(let value): words(.embedded(value.type))
    case .plural(let path): "many '\(catalog[path.type].name)'"
    case .single(let path): words(.entity(path.type))
    case .interval: "a range"
    case .filter(let type, _): "'\(catalog[type].name)Filter'"
    }
  }
}
