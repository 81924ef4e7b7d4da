import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// What an upsert does with rows that are there already.
extension Binder {
  func bindConflict(
    _ type: EntityTypeID, _ given: [String: Argument], _ name: Name, _ environment: Environment
  ) -> BoundConflict? {
    let entity = catalog[type]
    var conflict = BoundConflict(strategy: .patch, index: entity.primaryIndex)
    let (on, by) = (known(given["on"], environment), known(given["by"], environment))
    if let on { conflict.index = uniqueIndex(on, entity) ?? entity.primaryIndex }
    if let strategy = given["strategy"] {
      let known = BoundConflict.Strategy.allCases.map(\.rawValue)
      if let word = namedWord(strategy.value, environment), let found = BoundConflict.Strategy(rawValue: word) {
        conflict.strategy = found
      } else if namedWord(strategy.value, environment) == nil {
        // Null, or not known yet: as if it were left out.
      } else if let word = namedWord(strategy.value, environment), !word.isEmpty {
        let problem = CoercionProblem.unknownEnumValue(
          name: word, type: MutationField.strategyType, near: nearestNames(to: word, in: known))
        report(.wrongValue(problem), at: strategy.value.range)
      } else {
        reportWord(
          strategy.value, .strategy, expected: "one of \(known.joined(separator: ", "))", environment)
      }
    }
    if let by {
      guard let word = word(by) else {
        reportWord(by, .fields(type), expected: "a field of '\(entity.name)'", environment)
        return nil
      }
      guard let property = entity.property(named: word) else {
        reportUnknownField(Name(word, at: by.range), of: entity.name, among: entity.properties.map(\.name))
        return nil
      }
      if case .column(let column, _) = property.storage, ColumnKind(property.signature.type) != .wordList,
        ColumnKind(property.signature.type) != .wideList
      {
        conflict.by = column
      } else {
        report(.unordered(type: words(property.signature.type)), at: by.range)
      }
    } else if conflict.strategy == .lastWriteWins, !isOpen(given["by"], environment) {
      report(.missingFieldArgument(field: name.text, name: "by"), at: given["strategy"]?.range ?? name.range)
    }
    if let written = given["set"] { bindDecisions(written.value, type, name, environment, into: &conflict) }
    return conflict
  }

  /// An argument without which the operation cannot be bound: a variable's value in its place; nil for none.
  private func known(_ argument: Argument?, _ environment: Environment) -> Expression? {
    guard let argument else { return nil }
    guard let expression = written(argument.value, environment).expression else { return nil }
    guard case .variable(let name) = expression.kind else {
      return [.null, .missing].contains(expression.kind) ? nil : expression
    }
    usedVariables.insert(name.text)
    if case .structure(.fields)? = variables[name.text]?.kind { return structuralValue(name)?.expression }
    guard case .slot(let slot)? = variables[name.text]?.kind else { return expression }
    if !query.structuralParameters.contains(name.text) { query.structuralParameters.append(name.text) }
    if let value = structuralValue(name) { return value.expression }
    guard options.structuralValues[name.text] == nil, let value = query.parameters[slot].defaultValue, !value.isNull
    else { return nil }
    return Expression(structural: value, at: name.range)
  }

  /// Whether an argument is a variable whose value is not known yet.
  private func isOpen(_ argument: Argument?, _ environment: Environment) -> Bool {
    guard let argument, let value = written(argument.value, environment).expression else { return false }
    if case .missing = value.kind { return !options.knowsValues }
    guard case .variable(let name) = value.kind, let variable = variables[name.text] else { return false }
    // One that may be absent would leave it open for good.
    return options.structuralValues[name.text] == nil && !variable.mayBeAbsent
  }

  /// What stands where a word of a generated enum is wanted: a variable by its type, everything else as it is.
  func reportWord(
    _ expression: Expression, _ wanted: GeneratedType, expected: String, _ environment: Environment
  ) {
    if let place = inputPlace(expression, environment) {
      return report(
        .wrongVariableType(
          name: place.path, declared: "'\(place.type.text)'", expected: "'\(GeneratedNames(catalog)[wanted])'"),
        at: expression.range)
    }
    let (written, environment) = written(expression, environment)
    guard let inner = written else {
      return report(.wrongType(found: "null", expected: expected), at: expression.range)
    }
    guard case .variable(let name) = inner.kind else {
      let operand = bindOperand(inner, environment)
      if case .error = operand { return }
      return report(.wrongType(found: describe(operand), expected: expected), at: expression.range)
    }
    guard let variable = variables[name.text] else {
      return report(
        .unknownVariable(name: name.text, near: suggest(name, variableNames)), at: name.range)
    }
    guard let declared = declaredType(of: variable) else { return }
    report(
      .wrongVariableType(
        name: name.text, declared: declared, expected: "'\(GeneratedNames(catalog)[wanted])'"), at: name.range)
  }

  /// Returns the type of a variable for messages; nil where it is unknown, which is reported.
  func declaredType(of variable: Variable) -> String? {
    let names = GeneratedNames(catalog)
    switch variable.kind {
    case .slot(let slot): return "'\(catalog.text(of: query.parameters[slot].signature))'"
    case .filter(let type): return "'\(names[.filter(type)])'"
    case .order(let type): return "'\(names[.order(type)])'"
    case .structure(let type): return "'\(names[type])'"
    case .input(let type, _): return "'\(names[.input(type)])'"
    case .declared(let type): return "'\(type.text)'"
    case .broken: return nil
    }
  }

  func namedWord(_ expression: Expression, _ environment: Environment, _ type: GeneratedType = .strategy) -> String? {
    word(expression) ?? enumWord(expression, type, environment)
  }

  /// `PATCH`, or `"PATCH"` as JSON would have it.
  private func word(_ expression: Expression) -> String? {
    switch expression.kind {
    case .name(let name): name.text
    case .string(let literal): literal.value
    case .parenthesized(let inner): word(inner)
    default: nil
    }
  }

  private func uniqueIndex(_ expression: Expression, _ entity: EntityType) -> IndexID? {
    var names: [String] = []
    for element in elements(of: expression) {
      guard let word = word(element) else {
        reportWord(element, .fields(entity.id), expected: "a field of '\(entity.name)'", Environment())
        return nil
      }
      guard entity.property(named: word) != nil else {
        reportUnknownField(Name(word, at: element.range), of: entity.name, among: entity.properties.map(\.name))
        return nil
      }
      names.append(word)
    }
    let unique = entity.indexes.filter { catalog[$0].isUnique || catalog[$0].isPrimary }
    let keys = unique.map { index in
      catalog[index].columns.map { entity[entity[$0].foldedFrom ?? $0].name }
    }
    if let place = keys.firstIndex(where: { Set($0) == Set(names) }) { return unique[place] }
    report(.notUnique(fields: names, type: entity.name, keys: keys), at: expression.range)
    return nil
  }

  private func bindDecisions(
    _ expression: Expression, _ type: EntityTypeID, _ name: Name, _ environment: Environment,
    into conflict: inout BoundConflict
  ) {
    var set = BoundSet(type: type, source: .all, range: name.range)
    set.source = .given
    var inner = environment.entering(type)
    inner.lets.set("old", to: inner.binding(Expression(.current(nil), at: name.range)), in: lets)
    newRow = NewRow(type: type)
    let decisions = rowValues(set) { binder in
      conflict.record = binder.bindAssignment(expression, type, inner)
    }
    conflict.newParameters = newRow?.parameters ?? []
    newRow = nil
    conflict.decisions = decisions
    conflict.looksAround = decisions.sets.count > 1 || decisions.readsOtherEntities
  }

  /// A field of the row that an upsert saves: `new.balance`, `new.address.city`; nil if the path is none of these.
  func newField(_ base: Expression, _ name: Name, _ environment: Environment) -> Operand? {
    guard let row = newRow, let fields = newFields(base, row, environment) else { return nil }
    guard let field = fields.first(where: { $0.name.utf8.elementsEqual(name.text.utf8) }) else {
      reportUnknownField(name, of: catalog[row.type].name, among: fields.map(\.name))
      return .error
    }
    guard case .column(let column, let folded) = field.storage else {
      report(.wrongType(found: "more than a value in 'new'", expected: "a field that holds one"), at: name.range)
      return .error
    }
    let parameter: Int
    if let known = row.parameters.first(where: { $0.column == column }) {
      parameter = known.parameter
    } else {
      parameter = query.parameters.count
      var slot = BoundParameter(
        name: "new.\(catalog[row.type][column].name)", signature: TypeSignature(field.signature.type),
        defaultValue: nil, range: name.range)
      slot.source = .newRow
      query.parameters.append(slot)
      newRow?.parameters.append(BoundNewParameter(parameter: parameter, column: column))
    }
    let value = BoundExpression(.parameter(parameter), field.signature.type, at: name.range)
    return .value(value, folded: folded == nil ? nil : fold(value))
  }

  private typealias InputField = (name: String, signature: TypeSignature, storage: PropertyStorage)

  private func newFields(_ base: Expression, _ row: NewRow, _ environment: Environment) -> [InputField]? {
    switch base.kind {
    case .parenthesized(let inner): return newFields(inner, row, environment)
    case .name(let name) where name.text == "new" && environment.lets["new"] == nil:
      return catalog[row.type].properties.map { ($0.name, $0.signature, $0.storage) }
    case .member(let outer, let name, nil):
      guard let fields = newFields(outer, row, environment),
        case .embedded(let id, _, let storages)? = fields.first(where: { $0.name == name.text })?.storage
      else { return nil }
      return zip(catalog[id].fields, storages).map { ($0.name, $0.signature, $1) }
    default: return nil
    }
  }
}

extension BoundQuery {
  /// Whether a value of the first selection reads more than columns of its entity.
  fileprivate var readsOtherEntities: Bool {
    guard case .object(let fields)? = selections.first?.shape else { return false }
    var found = false
    for field in fields {
      guard case .value(let expression) = field.content else { return true }
      expression.forEachNode { node in
        switch node.kind {
        case .column(.toOne, _), .entity, .quantifier, .aggregate: found = true
        default: break
        }
      }
    }
    return found
  }
}
