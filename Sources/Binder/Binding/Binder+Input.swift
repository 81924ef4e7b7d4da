import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Objects that mutations save: literals with expressions inside, and variables of generated input types.
extension Binder {
  /// `data:`: an object, a list of objects, or variables that hold them.
  func bindRows(
    _ expression: Expression, _ type: EntityTypeID, _ environment: Environment, isStrict: Bool
  ) -> [BoundInput] {
    var rows: [BoundInput] = []
    let (list, inner) = written(expression, environment)
    for element in list.map(elements) ?? [] {
      guard let row = bindInput(element, type, inner, isStrict: isStrict) else { continue }
      rows.append(row)
    }
    return rows
  }

  /// An object to save; `isStrict` where null cannot stand for what is not known.
  func bindInput(
    _ expression: Expression, _ type: EntityTypeID, _ environment: Environment, isStrict: Bool
  ) -> BoundInput? {
    if let variable = inputVariable(expression, type, environment) { return variable }
    let (written, environment) = written(expression, environment)
    let inner = written ?? Expression(.null, at: expression.range)
    guard case .object(let fields) = inner.kind else {
      let operand = bindOperand(inner, environment)
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
  func inputVariable(
    _ expression: Expression, _ type: EntityTypeID, _ environment: Environment
  ) -> BoundInput? {
    guard case .variable(let name)? = written(expression, environment).expression?.kind else { return nil }
    if case .element(let embedded) = catalog[type].kind { return elementVariable(name, embedded, type) }
    guard case .input(let declared, let slot)? = variables[name.text]?.kind else { return nil }
    usedVariables.insert(name.text)
    if !catalog.isSubtype(declared, of: type) {
      let expected = catalog.possibleTypes(of: type).map { "'\(catalog[$0].name)Input'" }.joined(separator: " or ")
      report(
        .wrongVariableType(name: name.text, declared: "'\(catalog[declared].name)Input'", expected: expected),
        at: name.range)
    }
    return .variable(slot, declared, name.range)
  }

  /// A variable of an embedded type, or a list of them.
  private func elementVariable(
    _ name: Name, _ embedded: EmbeddedTypeID, _ type: EntityTypeID
  ) -> BoundInput? {
    guard case .slot(let slot)? = variables[name.text]?.kind else { return nil }
    switch query.parameters[slot].signature.type {
    case .embedded(embedded), .list(.embedded(embedded)):
      usedVariables.insert(name.text)
      return .variable(slot, type, name.range)
    default: return nil
    }
  }

  /// What an update, or an upsert's `set:`, writes.
  func bindAssignment(
    _ expression: Expression, _ type: EntityTypeID, _ environment: Environment
  ) -> BoundInput? {
    let (written, environment) = written(expression, environment)
    let inner = written ?? Expression(.null, at: expression.range)
    if let variable = inputVariable(inner, type, environment), case .variable(let slot, _, let range) = variable {
      let parameter = query.parameters[slot]
      // What is written must be known, so neither a list nor null will do.
      if case .entity = parameter.signature.type, parameter.signature.isNonNull || parameter.defaultValue != nil {
        return variable
      }
      let name = "\(catalog[type].name)Input"
      let declared = if case .list = parameter.signature.type { "[\(name)]" } else { name }
      report(
        .wrongVariableType(name: parameter.name, declared: "'\(declared)'", expected: "'\(name)!'"), at: range)
      return nil
    }
    guard case .object(let fields) = inner.kind else {
      if case .variable(let name) = inner.kind,
        case .slot(let slot)? = variables[name.text]?.kind
      {
        usedVariables.insert(name.text)
        let declared = catalog.text(of: query.parameters[slot].signature)
        report(
          .wrongVariableType(
            name: name.text, declared: "'\(declared)'", expected: "'\(catalog[type].name)Input!'"), at: inner.range)
        return nil
      }
      if case .variable(let name) = inner.kind { usedVariables.insert(name.text) }
      report(
        .wrongType(found: "this value", expected: "an object with fields of '\(catalog[type].name)'"), at: inner.range)
      return nil
    }
    return bindRecord(fields, type, environment, inner.range, isStrict: true).map { .record($0) }
  }

  func bindRecord(
    _ fields: [ObjectField], _ type: EntityTypeID, _ environment: Environment, _ range: SourceRange, isStrict: Bool
  ) -> BoundRecord? {
    nested(at: range, nil) { binder in
      var record = BoundRecord(type: type, range: range)
      var seen: Set<String> = []
      for field in fields {
        guard binder.count(at: field.range) else { return nil }
        let entity = binder.catalog[type]
        if field.name.text == "__typename", !entity.isElement {
          _ = binder.typename(in: [field], of: type, at: field.range)
          continue
        }
        guard let property = entity.property(named: field.name.text) else {
          binder.reportUnknownField(field.name, of: entity.name, among: entity.properties.map(\.name))
          continue
        }
        guard seen.insert(property.name).inserted else {
          binder.report(.duplicateField(name: property.name), at: field.name.range)
          continue
        }
        let before = record
        switch property.storage {
        case .computed, .members:
          binder.report(
            .wrongType(found: "one", expected: "no value for the computed field '\(property.name)'"), at: field.range)
        case .relation(let relation):
          record.links += binder.bindLinks(
            field.value, relation, property.signature, environment, isStrict: isStrict)
        case .column, .embedded:
          binder.bindField(
            field.value, property.storage, property.signature, property.id, environment, isStrict: isStrict,
            into: &record)
        }
        if let parameter = binder.absentParameter(field.value, environment) {
          record.leaveOut(since: before, without: parameter)
        }
      }
      if case .element = binder.catalog[type].kind { binder.checkElement(type, seen, at: range) }
      return record
    }
  }

  /// An element of a list is complete, as every embedded object is.
  private func checkElement(_ type: EntityTypeID, _ named: Set<String>, at range: SourceRange) {
    for property in catalog[type].properties
    where property.signature.isNonNull && property.defaultValue == nil && !named.contains(property.name) {
      if case .list(.entity) = property.signature.type { continue }
      report(.missingInputField(name: property.name, type: catalog[type].name), at: range)
    }
  }

  /// The parameter that a field is, where it may not be provided: then the field is not there either, as GraphQL has
  /// it for the fields of input objects.
  func absentParameter(_ expression: Expression, _ environment: Environment) -> Int? {
    guard case .variable(let name)? = written(expression, environment).expression?.kind,
      let variable = variables[name.text], variable.mayBeAbsent
    else { return nil }
    switch variable.kind {
    case .slot(let slot), .input(_, let slot): return slot
    case .filter, .order, .structure, .declared, .broken: return nil
    }
  }

  /// The type of the embedded object that an operand is; nil if it is none.
  func embeddedType(of operand: Operand) -> EmbeddedTypeID? {
    func element(_ type: EntityTypeID) -> EmbeddedTypeID? {
      if case .element(let id) = catalog[type].kind { id } else { nil }
    }
    switch operand {
    case .embedded(let value): return value.type
    case .entity(_, let type, _): return element(type)
    case .single(let path):
      switch path.tail {
      case .none: return element(path.type)
      case .embedded(let value): return value.type
      case .value: return nil
      }
    default: return nil
    }
  }

  /// Writes to an embedded object what another one has, field by field.
  private func copyFields(
    _ expression: Expression, _ operand: Operand, to storage: PropertyStorage, _ property: PropertyID,
    _ environment: Environment, into record: inout BoundRecord
  ) {
    guard case .embedded(let id, let presence, let storages) = storage,
      let isAbsent = isNull(operand, at: expression.range)
    else { return }
    add(negation(isAbsent).orNull, to: presence, into: &record)
    for (field, storage) in zip(catalog[id].fields, storages) {
      let member = Expression(.member(expression, Name(field.name, at: expression.range), nil), at: expression.range)
      nested(at: expression.range, ()) { binder in
        binder.bindField(member, storage, field.signature, property, environment, isStrict: false, into: &record)
      }
    }
  }

  /// A scalar, a list or an embedded object, into the columns that hold it. Inlined into a loop it takes the optimizer
  /// seconds.
  @inline(never)
  func bindField(
    _ expression: Expression, _ storage: PropertyStorage, _ signature: TypeSignature, _ property: PropertyID,
    _ environment: Environment, isStrict: Bool, into record: inout BoundRecord
  ) {
    let range = expression.range
    switch storage {
    case .relation(let relation):
      record.links += bindLinks(expression, relation, signature, environment, isStrict: true).map { link in
        var link = link
        link.isWithin = true
        return link
      }
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
      default:
        guard embeddedType(of: operand) == id else {
          return report(.wrongType(found: describe(operand), expected: words(signature.type)), at: range)
        }
        copyFields(expression, operand, to: storage, property, environment, into: &record)
      }
    }
  }

  private func add(_ value: BoundExpression, to column: ColumnID, into record: inout BoundRecord) {
    record.cells.append(BoundCell(column: column, value: values.add(value), range: value.range))
  }

  private func bindEmbedded(
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
        report(.duplicateField(name: member.name.text), at: member.name.range)
      }
    }
    // As they are written, because of two objects with one id the later decides; then what is not named.
    func place(_ field: EmbeddedType.Field) -> Int {
      members.firstIndex { $0.name.text == field.name } ?? members.count
    }
    for (field, storage) in zip(type.fields, storages).sorted(by: { place($0.0) < place($1.0) }) {
      if let member = members.first(where: { $0.name.text == field.name }) {
        let cells = record.cells.count
        nested(at: member.range, ()) { binder in
          // An embedded object is written as a whole, so what is null in it is null.
          binder.bindField(
            member.value, storage, field.signature, property, environment, isStrict: true, into: &record)
        }
        if let parameter = absentParameter(member.value, environment), let value = absentValue(of: field, at: range),
          record.cells.count == cells + 1
        {
          record.cells[cells].unless = parameter
          record.cells[cells].otherwise = values.add(value)
        }
      } else if let value = absentValue(of: field, at: range), case .column(let column, _) = storage {
        add(value, to: column, into: &record)
      } else if case .list(.entity) = field.signature.type {
        clear(storage, at: range, into: &record)
      } else if field.signature.isNonNull {
        report(.missingInputField(name: field.name, type: type.name), at: range)
      } else {
        clear(storage, at: range, into: &record)
      }
    }
  }

  /// What a field of an embedded object is where it is not named.
  private func absentValue(of field: EmbeddedType.Field, at range: SourceRange) -> BoundExpression? {
    switch field.defaultValue {
    case .value(let value)?: BoundExpression(.constant(value), field.signature.type, at: range)
    case .now?: BoundExpression(.parameter(nowParameter(at: range)), .scalar(.dateTime), at: range)
    case nil: nil
    }
  }

  /// Makes everything null.
  private func clear(_ storage: PropertyStorage, at range: SourceRange, into record: inout BoundRecord) {
    switch storage {
    case .column(let column, _): add(BoundExpression(.constant(.null), .null, at: range), to: column, into: &record)
    case .embedded(_, let presence, let fields):
      add(BoundExpression(.constant(.null), .boolean, at: range), to: presence, into: &record)
      for field in fields { clear(field, at: range, into: &record) }
    case .relation(let relation):
      record.links.append(
        BoundLink(relation: relation, mode: .set, targets: [], isNull: true, isWithin: true, range: range))
    case .members, .computed: break
    }
  }

  private func copy(
    _ value: EmbeddedValue, to storage: PropertyStorage, at range: SourceRange, into record: inout BoundRecord
  ) {
    guard case .embedded(let id, let presence, let fields) = storage else { return }
    add(value.presenceExpression.orNull, to: presence, into: &record)
    for (index, target) in fields.enumerated() where index < catalog[id].fields.count {
      switch (target, member(index, of: value, at: range)) {
      case (.column(let column, _), .value(let from)): add(from.expression, to: column, into: &record)
      case (.relation(let relation), .entity(let reference, let type, _)):
        let value = BoundExpression(.entity(reference), .entity(type), at: range)
        let target = BoundLinkTarget.entity(values.add(value), type, range)
        record.links.append(
          BoundLink(relation: relation, mode: .set, targets: [target], isNull: false, isWithin: true, range: range))
      case (.relation(let relation), .plural(let path)):
        values.sets.append((path.set, range))
        let target = BoundLinkTarget.set(path.set, path.type, range)
        record.links.append(
          BoundLink(relation: relation, mode: .set, targets: [target], isNull: false, isWithin: true, range: range))
      case (.embedded, .embedded(let inner)): copy(inner, to: target, at: range, into: &record)
      default: break
      }
    }
  }
}

extension BoundExpression {
  /// A test that is null where it is not true: an object that is not there is null, as where it must be there.
  var orNull: BoundExpression {
    BoundExpression(
      .conditional([self, BoundExpression(.constant(.boolean(true)), .boolean, at: range)]), type, at: range)
  }
}
