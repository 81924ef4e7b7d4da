import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// What mutations write to relations, and to lists of embedded objects, which are relations to hidden types.
extension Binder {
  /// What a record says of a relation: `"7"`, `[{id: "7"}]`, `{append: [$chat]}`, `null`.
  func bindLinks(
    _ expression: Expression, _ id: RelationID, _ signature: TypeSignature, _ environment: Environment, isStrict: Bool
  ) -> [BoundLink] {
    let relation = catalog[id]
    var inner = expression
    while case .parenthesized(let content) = inner.kind { inner = content }
    if case .object(let fields) = inner.kind, relation.isToMany, !fields.isEmpty,
      fields.allSatisfy({ isMode($0.name.text, relation.target) })
    {
      var links: [BoundLink] = []
      var seen: Set<String> = []
      for field in fields {
        guard let mode = LinkMode(rawValue: field.name.text), seen.insert(field.name.text).inserted else {
          report(.duplicateField(name: field.name.text), at: field.name.range)
          continue
        }
        if mode == .remove, catalog[relation.target].isElement {
          report(
            .wrongType(
              found: "'remove'",
              expected: "'set' or 'append': the elements of a list of '\(catalog[relation.target].name)' have no ids"),
            at: field.name.range)
          continue
        }
        if let link = bindLink(field.value, mode, relation, signature, environment) { links.append(link) }
      }
      return links
    }
    return bindLink(inner, .assign, relation, signature, environment, isStrict: isStrict).map { [$0] } ?? []
  }

  /// Whether a key of an object says what happens to links; an embedded object may have a field of that name.
  private func isMode(_ name: String, _ target: EntityTypeID) -> Bool {
    guard let mode = LinkMode(rawValue: name), mode != .assign else { return false }
    return !catalog[target].isElement || catalog[target].property(named: name) == nil
  }

  private func bindLink(
    _ expression: Expression, _ mode: LinkMode, _ relation: Relation, _ signature: TypeSignature,
    _ environment: Environment, isStrict: Bool = true
  ) -> BoundLink? {
    var link = BoundLink(relation: relation.id, mode: mode, targets: [], isNull: false, range: expression.range)
    var inner = expression
    while case .parenthesized(let content) = inner.kind { inner = content }
    if case .null = inner.kind {
      if mode != .assign || signature.isNonNull && isStrict {
        report(.wrongValue(.null(expected: words(signature.type))), at: inner.range)
      }
      link.isNull = true
      return link
    }
    if case .list(let elements) = inner.kind {
      guard relation.isToMany else {
        report(.wrongType(found: "a list", expected: words(.entity(relation.target))), at: inner.range)
        return nil
      }
      link.isList = true
      for element in elements {
        guard count(at: element.range) else { return nil }
        if let target = bindTarget(element, relation, environment, isElement: true) { link.targets.append(target) }
      }
      return link
    }
    guard let target = bindTarget(inner, relation, environment, isElement: false) else { return nil }
    link.targets.append(target)
    return link
  }

  private func bindTarget(
    _ expression: Expression, _ relation: Relation, _ environment: Environment, isElement: Bool
  ) -> BoundLinkTarget? {
    let type = relation.target
    let range = expression.range
    if let variable = inputVariable(expression, type, environment) { return .input(variable) }
    if case .object(let fields) = expression.kind { return bindObject(expression, fields, type, environment) }
    let operand = resolve(bindOperand(expression, environment), environment)
    switch operand {
    case .error: return nil
    case .literal(.null, _):
      report(.wrongValue(.null(expected: words(.entity(type)))), at: range)
      return nil
    case .object(let fields, _): return bindObject(expression, fields, type, environment)
    case let operand where isCopy(operand, of: type): return copyTarget(expression, operand, type, environment)
    case .entity(let reference, let found, let range):
      guard catalog.isSubtype(found, of: type), !catalog[type].isElement else {
        report(.wrongType(found: words(.entity(found)), expected: words(.entity(type))), at: range)
        return nil
      }
      let value = BoundExpression(.entity(reference), .entity(found), at: range)
      return .entity(values.add(value), found, range)
    case .plural(let path):
      guard case .none = path.tail, catalog.isSubtype(path.type, of: type), relation.isToMany else {
        report(.wrongType(found: describe(operand), expected: words(.entity(type))), at: path.range)
        return nil
      }
      guard !environment.scopes.isEmpty else {
        report(.noElement, at: path.range)
        return nil
      }
      values.sets.append((path.set, path.range))
      return .set(path.set, path.type, path.range)
    case .single(let path) where path.isEntity(of: type, catalog) && !environment.scopes.isEmpty:
      values.sets.append((path.set, path.range))
      return .member(path.set, path.type, path.range)
    default: break
    }
    let keyType: ValueType
    if catalog[type].isAbstract {
      // Looked up in all of its types.
      keyType = .scalar(.id)
    } else if let key = idColumn(of: type) {
      keyType = key.type
    } else {
      report(
        .wrongType(found: describe(operand), expected: "an object of '\(catalog[type].name)'"), at: range)
      return nil
    }
    if case .value(let value) = operand, case .list(let element) = value.type, relation.isToMany, !isElement {
      guard element == keyType else {
        report(.wrongType(found: words(value.type), expected: words(.list(keyType))), at: range)
        return nil
      }
      return .keys(values.add(value.expression), range)
    }
    guard let value = coerce(operand, to: keyType, environment, at: range) else { return nil }
    return .key(values.add(value), range)
  }

  /// Whether an operand is an embedded object that becomes an element of a list of its type.
  private func isCopy(_ operand: Operand, of type: EntityTypeID) -> Bool {
    guard case .element(let id) = catalog[type].kind else { return false }
    return embeddedType(of: operand) == id
  }

  /// An element of a list of embedded objects that has what another embedded object has; null where that is null, which
  /// a list refuses.
  private func copyTarget(
    _ expression: Expression, _ operand: Operand, _ type: EntityTypeID, _ environment: Environment
  ) -> BoundLinkTarget? {
    let range = expression.range
    guard let isAbsent = isNull(operand, at: range) else { return nil }
    var record = BoundRecord(type: type, range: range)
    record.presence = values.add(negation(isAbsent))
    for property in catalog[type].properties {
      let member = Expression(.member(expression, Name(property.name, at: range), nil), at: range)
      nested(at: range, ()) { binder in
        binder.bindField(
          member, property.storage, property.signature, property.id, environment, isStrict: false, into: &record)
      }
    }
    return .input(.record(record))
  }

  /// An object to save and to link; where the relation leads to an interface or union, it says its type.
  private func bindObject(
    _ expression: Expression, _ fields: [ObjectField], _ type: EntityTypeID, _ environment: Environment
  ) -> BoundLinkTarget? {
    var saved = type
    if catalog[type].isAbstract {
      guard let member = typename(in: fields, of: type, at: expression.range) else { return nil }
      saved = member
    }
    return bindInput(expression, saved, environment, isStrict: catalog[saved].isElement).map { .input($0) }
  }

  /// The type that an object says with `__typename`: the type itself, or one of an interface or union. Else it is
  /// reported.
  func typename(in fields: [ObjectField], of type: EntityTypeID, at range: SourceRange) -> EntityTypeID? {
    let possible = catalog.possibleTypes(of: type).map { catalog[$0].name }
    guard let field = fields.first(where: { $0.name.text == "__typename" }) else {
      report(.missingTypename(type: catalog[type].name, members: possible), at: range)
      return nil
    }
    guard case .string(let literal) = field.value.kind else {
      report(.wrongType(found: "this value", expected: "the name of a type as a text"), at: field.value.range)
      return nil
    }
    guard let found = catalog.type(named: literal.value), possible.contains(found.name) else {
      let expected = possible.map { "'\($0)'" }.joined(separator: " or ")
      report(.wrongType(found: "'\(literal.value)'", expected: expected), at: field.value.range)
      return nil
    }
    return found.id
  }
}

extension Binder {
  /// Reports the keys that stand twice in an object: GraphQL refuses them, and which one was meant nobody knows.
  func checkRepeats(_ fields: [ObjectField]) {
    guard fields.count > 1 else { return }
    var seen: Set<String> = []
    for field in fields where !seen.insert(field.name.text).inserted {
      report(.duplicateField(name: field.name.text), at: field.name.range)
    }
  }
}

extension PluralPath {
  /// Returns whether it leads to entities of a type. By its key alone one might be of several types.
  fileprivate func isEntity(of type: EntityTypeID, _ catalog: Catalog) -> Bool {
    guard case .none = tail else { return false }
    return catalog.isSubtype(self.type, of: type) && !catalog[type].isElement
  }
}
