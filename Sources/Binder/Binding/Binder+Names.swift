import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

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
  func meaning(of name: Name, _ environment: Environment) -> Operand? {
    if let binding = environment.lets[name.text] ?? capture(named: name.text) {
      if binding.parameter != nil { return argument(binding, name, environment) }
      if let range = binding.letName, let type = environment.elementType {
        warn(ofLet: Name(name.text, at: range), hiding: name, of: .entity(type))
      }
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
      if let property = catalog.property(named: name.text, of: type(of: element)) {
        return member(property, of: element, at: name.range)
      }
      if let value = metaValue(name, of: element) { return .value(value) }
      if name.text == "_score" { return score(environment, at: name.range) }
      if name.text == "_depth" || name.text == "_cycle" || name.text == "_cursor" {
        report(.misplacedMeta(name: name.text), at: name.range)
        return .error
      }
    } else if name.text == "_score", environment.called != nil || isCheckingFunction {
      return score(environment, at: name.range)
    }
    if let root = catalog.root(named: name.text), root.isList {
      return rootSet(root, [], name, environment)
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
      if groups[number].hasKey(name.text) || alias(name, number, environment) != nil { return true }
      return catalog.root(named: name.text)?.isList ?? false
    }
    if let type = environment.elementType {
      if catalog.property(named: name.text, of: type) != nil || Self.metaFields.contains(name.text) { return true }
    }
    return catalog.root(named: name.text)?.isList ?? false
  }

  /// A bare name where no enum is wanted.
  func resolveBare(_ name: Name, _ environment: Environment, beside type: ValueType? = nil) -> Operand {
    if let operand = meaning(of: name, environment) { return operand }
    if let problem = selectionName(name) {
      report(problem, at: name.range)
      return .error
    }
    let near = suggest(name, names(in: environment))
    let isClear = near.isEmpty || ForeignName.literals[name.text] != nil || variables[name.text] != nil
    report(
      .unknownName(name: name.text, near: near), isClear ? remedy(forName: name, beside: type, environment) : nil,
      at: name.range)
    return .error
  }

  /// What a bare name may be.
  private func names(in environment: Environment) -> [String] {
    var known: [String] = []
    if let number = environment.group() {
      known = groupNames(number, environment)
    } else if let type = environment.elementType {
      known = catalog[type].properties.map(\.name)
    }
    known += environment.lets.names
    return known + catalog.types.filter { !$0.isElement }.map(\.rootMany)
  }

  /// Decides a bare name that stands where nothing wants an enum.
  @inline(never)
  func resolve(_ operand: Operand, _ environment: Environment) -> Operand {
    if case .bare(let name) = operand { return resolveBare(name, environment) }
    return operand
  }

  /// Decides a bare name where a value of an enum may stand.
  @inline(never)
  func resolve(
    _ operand: Operand, _ environment: Environment, wanting type: ValueType?, isCompared: Bool = false
  ) -> Operand {
    guard case .bare(let name) = operand else { return operand }
    guard case .enumeration(let id)? = type, let code = catalog[id].values.firstIndex(of: name.text) else {
      if case .enumeration(let id)? = type, !hasMeaning(name, environment) {
        let enumeration = catalog[id]
        var known = enumeration.values
        if let element = environment.elementType { known += catalog[element].properties.map(\.name) }
        let near = suggest(name, known)
        report(
          .wrongValue(.unknownEnumValue(name: name.text, type: enumeration.name, near: near)),
          near.isEmpty ? remedy(forName: name, beside: type, environment) : nil, at: name.range)
        return .error
      }
      return resolveBare(name, environment, beside: isCompared ? type : nil)
    }
    if hasMeaning(name, environment) {
      report(.ambiguousName(name: name.text, type: catalog[id].name), at: name.range)
      return .error
    }
    return .value(BoundExpression(.constant(.enumeration(id, code: code)), .enumeration(id), at: name.range))
  }

  /// For "found …" in messages.
  @inline(never)
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
