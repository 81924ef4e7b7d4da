import GQLBase
import GQLCatalog
import GQLParser

/// Objects that mutations save: literals with expressions inside, and variables of generated input types.
extension Binder {
  /// `data:`: an object, a list of objects, or variables that hold them.
  mutating func bindRows(
    _ expression: Expression, _ type: EntityTypeID, _ environment: Environment, isStrict: Bool
  ) -> [BoundInput] {
    var rows: [BoundInput] = []
    for element in elements(of: expression) {
      guard let row = bindInput(element, type, environment, isStrict: isStrict) else { continue }
      rows.append(row)
    }
    return rows
  }

  /// An object to save; `isStrict` where null cannot stand for what is not known.
  private mutating func bindInput(
    _ expression: Expression, _ type: EntityTypeID, _ environment: Environment, isStrict: Bool
  ) -> BoundInput? {
    if let variable = inputVariable(expression, type, environment) { return variable }
    var inner = expression
    while case .parenthesized(let content) = inner.kind { inner = content }
    guard case .object(let fields) = inner.kind else {
      let operand = bindOperand(expression, environment)
      if case .object(let fields, let range) = operand {
        return bindRecord(fields, type, environment, range, isStrict: isStrict).map { .record($0) }
      }
      if case .error = operand { return nil }
      report(.wrongType(found: describe(operand), expected: "an object of '\(catalog[type].name)'"), at: inner.range)
      return nil
    }
    return bindRecord(fields, type, environment, inner.range, isStrict: isStrict).map { .record($0) }
  }

  /// A variable of the type `<Type>Input`, or a list of them; nil if the expression is anything else.
  private mutating func inputVariable(
    _ expression: Expression, _ type: EntityTypeID, _ environment: Environment
  ) -> BoundInput? {
    guard case .variable(let name) = expression.kind, environment.arguments[name.text] == nil,
      case .input(let declared, let slot)? = variables[name.text]?.kind
    else { return nil }
    usedVariables.insert(name.text)
    if declared != type {
      report(
        .wrongVariableType(
          name: name.text, declared: "'\(catalog[declared].name)Input'", expected: "'\(catalog[type].name)Input'"),
        at: name.range)
    }
    return .variable(slot, name.range)
  }

  /// What an update, or an upsert's `set:`, writes.
  mutating func bindAssignment(
    _ expression: Expression, _ type: EntityTypeID, _ environment: Environment
  ) -> BoundRecord? {
    var inner = expression
    while case .parenthesized(let content) = inner.kind { inner = content }
    guard case .object(let fields) = inner.kind else {
      report(
        .wrongType(found: "this value", expected: "an object with fields of '\(catalog[type].name)'"), at: inner.range)
      return nil
    }
    return bindRecord(fields, type, environment, inner.range, isStrict: true)
  }

  mutating func bindRecord(
    _ fields: [ObjectField], _ type: EntityTypeID, _ environment: Environment, _ range: SourceRange, isStrict: Bool
  ) -> BoundRecord? {
    nested(at: range, nil) { binder in
      var record = BoundRecord(type: type, range: range)
      var seen: Set<String> = []
      for field in fields {
        guard binder.count(at: field.range) else { return nil }
        let entity = binder.catalog[type]
        guard let property = entity.property(named: field.name.text) else {
          binder.reportUnknownField(field.name, of: entity.name, among: entity.properties.map(\.name))
          continue
        }
        guard seen.insert(property.name).inserted else {
          binder.report(.duplicateArgument(name: property.name), at: field.name.range)
          continue
        }
        switch property.storage {
        case .relation(let relation) where binder.catalog[binder.catalog[relation].target].kind != .entity:
          binder.report(.notSupportedYet(.shapeInMutation), at: field.range)
        case .computed, .members:
          binder.report(
            .wrongType(found: "one", expected: "no value for the computed field '\(property.name)'"), at: field.range)
        case .relation(let relation):
          record.links += binder.bindLinks(field.value, relation, property, environment, isStrict: isStrict)
        case .column, .embedded:
          binder.bindField(
            field.value, property.storage, property.signature, property.id, environment, isStrict: isStrict,
            into: &record)
        }
      }
      return record
    }
  }

  /// A scalar, a list or an embedded object, into the columns that hold it.
  private mutating func bindField(
    _ expression: Expression, _ storage: PropertyStorage, _ signature: TypeSignature, _ property: PropertyID,
    _ environment: Environment, isStrict: Bool, into record: inout BoundRecord
  ) {
    let range = expression.range
    switch storage {
    case .relation: report(.notSupportedYet(.shapeInMutation), at: range)
    case .members, .computed: break
    case .column(let column, _):
      let operand = bindOperand(expression, environment)
      // What is written of lists of lists is checked by their type; what is computed is JSON.
      var type = signature.type
      if case .list(.list) = type, case .value = operand { type = .json }
      guard let value = coerce(operand, to: type, environment, at: range) else { return }
      if isStrict, signature.isNonNull, value.constant?.isNull ?? false {
        report(.wrongValue(.null(expected: words(signature.type))), at: range)
      }
      if signature.isElementNonNull, case .list(let element) = signature.type,
        case .list(let elements)? = value.constant, elements.contains(where: \.isNull)
      {
        report(.wrongValue(.null(expected: words(element))), at: range)
      }
      record.cells.append(BoundCell(column: column, value: values.add(value), range: range))
    case .embedded(let id, let presence, let fields):
      var inner = expression
      while case .parenthesized(let content) = inner.kind { inner = content }
      if case .object(let members) = inner.kind {
        bindEmbedded(members, id, presence, fields, property, environment, inner.range, into: &record)
        return
      }
      let operand = resolve(bindOperand(expression, environment), environment)
      switch operand {
      case .error: break
      case .literal(.null, let range):
        if isStrict, signature.isNonNull { report(.wrongValue(.null(expected: words(signature.type))), at: range) }
        clear(storage, at: range, into: &record)
      case .object(let members, let range):
        bindEmbedded(members, id, presence, fields, property, environment, range, into: &record)
      case .embedded(let value) where value.type == id:
        copy(value, to: storage, at: range, into: &record)
      case .value(let value) where value.type == .embedded(id):
        if case .parameter(let index) = value.expression.kind {
          record.embedded.append(
            BoundEmbeddedInput(property: property, storage: storage, parameter: index, range: range))
        } else {
          fallthrough
        }
      default: report(.wrongType(found: describe(operand), expected: words(signature.type)), at: range)
      }
    }
  }

  private mutating func add(_ value: BoundExpression, to column: ColumnID, into record: inout BoundRecord) {
    record.cells.append(BoundCell(column: column, value: values.add(value), range: value.range))
  }

  private mutating func bindEmbedded(
    _ members: [ObjectField], _ id: EmbeddedTypeID, _ presence: ColumnID, _ storages: [PropertyStorage],
    _ property: PropertyID, _ environment: Environment, _ range: SourceRange, into record: inout BoundRecord
  ) {
    let type = catalog[id]
    add(BoundExpression(.constant(.boolean(true)), .boolean, at: range), to: presence, into: &record)
    var seen: Set<String> = []
    for member in members {
      if !type.fields.contains(where: { $0.name == member.name.text }) {
        reportUnknownField(member.name, of: type.name, among: type.fields.map(\.name))
      } else if !seen.insert(member.name.text).inserted {
        report(.duplicateArgument(name: member.name.text), at: member.name.range)
      }
    }
    for (field, storage) in zip(type.fields, storages) {
      if let member = members.first(where: { $0.name.text == field.name }) {
        nested(at: member.range, ()) { binder in
          // An embedded object is written as a whole, so what is null in it is null.
          binder.bindField(
            member.value, storage, field.signature, property, environment, isStrict: true, into: &record)
        }
      } else if case .value(let value)? = field.defaultValue, case .column(let column, _) = storage {
        add(BoundExpression(.constant(value), field.signature.type, at: range), to: column, into: &record)
      } else if field.defaultValue == .now, case .column(let column, _) = storage {
        let now = BoundExpression(.parameter(nowParameter(at: range)), .scalar(.dateTime), at: range)
        add(now, to: column, into: &record)
      } else if case .list(.entity) = field.signature.type {
        // Nothing is linked.
      } else if field.signature.isNonNull {
        report(.missingInputField(name: field.name, type: type.name), at: range)
      } else {
        clear(storage, at: range, into: &record)
      }
    }
  }

  /// Makes everything null.
  private mutating func clear(_ storage: PropertyStorage, at range: SourceRange, into record: inout BoundRecord) {
    switch storage {
    case .column(let column, _): add(BoundExpression(.constant(.null), .null, at: range), to: column, into: &record)
    case .embedded(_, let presence, let fields):
      add(BoundExpression(.constant(.null), .boolean, at: range), to: presence, into: &record)
      for field in fields { clear(field, at: range, into: &record) }
    case .relation, .members, .computed: break
    }
  }

  private mutating func copy(
    _ value: EmbeddedValue, to storage: PropertyStorage, at range: SourceRange, into record: inout BoundRecord
  ) {
    guard case .embedded(let id, let presence, let fields) = storage else { return }
    add(value.presenceExpression, to: presence, into: &record)
    for (index, target) in fields.enumerated() where index < catalog[id].fields.count {
      guard !elementType(of: catalog[id].fields[index].signature.type).isEntity else { continue }
      switch (target, member(index, of: value, at: range)) {
      case (.column(let column, _), .value(let from)): add(from.expression, to: column, into: &record)
      case (.embedded, .embedded(let inner)): copy(inner, to: target, at: range, into: &record)
      default: break
      }
    }
  }

  // MARK: - Links

  /// What a record says of a relation: `"7"`, `[{id: "7"}]`, `{append: [$chat]}`, `null`.
  private mutating func bindLinks(
    _ expression: Expression, _ id: RelationID, _ property: Property, _ environment: Environment, isStrict: Bool
  ) -> [BoundLink] {
    let relation = catalog[id]
    var inner = expression
    while case .parenthesized(let content) = inner.kind { inner = content }
    let modes: [String: BoundLink.Mode] = ["set": .set, "append": .append, "remove": .remove]
    if case .object(let fields) = inner.kind, relation.isToMany, !fields.isEmpty,
      fields.allSatisfy({ modes[$0.name.text] != nil })
    {
      var links: [BoundLink] = []
      var seen: Set<String> = []
      for field in fields {
        guard seen.insert(field.name.text).inserted, let mode = modes[field.name.text] else {
          report(.duplicateArgument(name: field.name.text), at: field.name.range)
          continue
        }
        if let link = bindLink(field.value, mode, relation, property, environment) { links.append(link) }
      }
      return links
    }
    return bindLink(inner, .assign, relation, property, environment, isStrict: isStrict).map { [$0] } ?? []
  }

  private mutating func bindLink(
    _ expression: Expression, _ mode: BoundLink.Mode, _ relation: Relation, _ property: Property,
    _ environment: Environment, isStrict: Bool = true
  ) -> BoundLink? {
    var link = BoundLink(relation: relation.id, mode: mode, targets: [], isNull: false, range: expression.range)
    var inner = expression
    while case .parenthesized(let content) = inner.kind { inner = content }
    if case .null = inner.kind {
      if property.signature.isNonNull, isStrict || relation.isToMany || mode != .assign {
        report(.wrongValue(.null(expected: words(property.signature.type))), at: inner.range)
      }
      link.isNull = true
      return link
    }
    if case .list(let elements) = inner.kind {
      guard relation.isToMany else {
        report(.wrongType(found: "a list", expected: words(.entity(relation.target))), at: inner.range)
        return nil
      }
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

  private mutating func bindTarget(
    _ expression: Expression, _ relation: Relation, _ environment: Environment, isElement: Bool
  ) -> BoundLinkTarget? {
    let type = relation.target
    let range = expression.range
    if let variable = inputVariable(expression, type, environment) { return .input(variable) }
    if case .object = expression.kind {
      return bindInput(expression, type, environment, isStrict: false).map { .input($0) }
    }
    let operand = resolve(bindOperand(expression, environment), environment)
    switch operand {
    case .error: return nil
    case .object:
      return bindInput(expression, type, environment, isStrict: false).map { .input($0) }
    case .entity(let reference, let found, let range):
      guard found == type else {
        report(.wrongType(found: words(.entity(found)), expected: words(.entity(type))), at: range)
        return nil
      }
      let value = BoundExpression(.entity(reference), .entity(type), at: range)
      return .entity(values.add(value), range)
    case .plural(let path):
      guard case .none = path.tail, path.type == type, relation.isToMany else {
        report(.wrongType(found: describe(operand), expected: words(.entity(type))), at: path.range)
        return nil
      }
      guard !environment.scopes.isEmpty else {
        report(.noElement, at: path.range)
        return nil
      }
      values.sets.append((path.set, path.range))
      return .set(path.set, path.range)
    default: break
    }
    guard let key = idColumn(of: type) else {
      report(
        .wrongType(found: describe(operand), expected: "an object of '\(catalog[type].name)'"), at: range)
      return nil
    }
    if case .value(let value) = operand, case .list(let element) = value.type, relation.isToMany, !isElement {
      guard element == key.type else {
        report(.wrongType(found: words(value.type), expected: words(.list(key.type))), at: range)
        return nil
      }
      return .keys(values.add(value.expression), range)
    }
    if case .literal(.null, _) = operand {
      report(.wrongValue(.null(expected: words(.entity(type)))), at: range)
      return nil
    }
    guard let value = coerce(operand, to: key.type, environment, at: range) else { return nil }
    return .key(values.add(value), range)
  }
}
