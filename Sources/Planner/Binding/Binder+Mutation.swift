import GQLBase
import GQLCatalog
import GQLParser

/// What the values of one mutation field are numbered by while it is bound.
struct MutationValues {
  var expressions: [BoundExpression] = []
  /// Sets whose members links name.
  var sets: [(set: SetID, range: SourceRange)] = []

  mutating func add(_ expression: BoundExpression) -> Int {
    expressions.append(expression)
    return expressions.count - 1
  }
}

/// The row that `new` stands for in an upsert's `set:`.
struct NewRow {
  var type: EntityTypeID
  var parameters: [BoundNewParameter] = []
}

extension Binder {
  // MARK: - Segments

  /// Binds the fields of a mutation, in order.
  mutating func bindMutationSelection(_ source: SelectionSource) {
    rootType = "Mutation"
    var segments: [BoundSegment] = []
    for merged in collect([source], of: .root) {
      guard !isExhausted else { break }
      let (condition, inner) = merge(merged)
      let entry = merged.first
      guard let name = entry.field, name.text != "__typename" else {
        segments.append(.query(readingSegment(merged, condition, inner)))
        continue
      }
      guard let field = MutationField.named(name.text, in: catalog, commands: options.commands) else {
        // A read between changes sees the earlier ones.
        if !isGraphQL, catalog.root(named: name.text) != nil {
          segments.append(.query(readingSegment(merged, condition, inner)))
          continue
        }
        let known = MutationField.all(of: catalog, commands: options.commands).map(\.name)
        if let type = MutationField.abstractType(of: name.text, in: catalog) {
          let types = catalog.possibleTypes(of: type).map { catalog[$0].name }
          report(.abstractMutation(name: name.text, type: catalog[type].name, types: types), at: name.range)
        } else {
          report(.unknownMutation(name: name.text, near: nearestNames(to: name.text, in: known)), at: name.range)
        }
        continue
      }
      switch field.kind {
      case .change(let kind, let type):
        if let mutation = bindMutation(kind, type, entry, name, field, condition, inner) {
          segments.append(.mutation(mutation))
        }
      case .command(let index):
        if let command = bindCommand(options.commands[index], entry, name, condition, inner) {
          segments.append(.command(command))
        }
      }
    }
    query.segments = segments.map { $0.completed(as: query) }
  }

  /// Binds a part of the operation with sets and selections of its own; parameters are shared.
  private mutating func part(_ body: (inout Binder) -> [BoundField]) -> BoundQuery {
    let (sets, selections) = (query.sets, query.selections)
    query.sets = []
    query.selections = []
    let fields = body(&self)
    finishPaging()
    var part = BoundQuery(name: query.name, catalogVersion: query.catalogVersion)
    part.sets = query.sets
    part.selections = query.selections
    part.fields = fields
    query.sets = sets
    query.selections = selections
    return part
  }

  private mutating func readingSegment(
    _ merged: MergedEntry, _ condition: BoundExpression?, _ inner: [SelectionSource]
  ) -> BoundQuery {
    part { binder in
      guard let content = binder.bindRoot(merged, inner) else { return [] }
      return [BoundField(key: merged.key, condition: condition, content: content, range: merged.first.range)]
    }
  }

  /// Binds expressions over parameters; `body` numbers them in ``values``.
  private mutating func constants(_ body: (inout Binder) -> Void) -> BoundQuery {
    let outer = values
    values = MutationValues()
    let part = part { binder in
      body(&binder)
      return binder.values.fields
    }
    values = outer
    return part
  }

  /// The values of the rows of a set: its only selection; `body` numbers them in ``values``.
  private mutating func rowValues(_ set: BoundSet, _ body: (inout Binder) -> Void) -> BoundQuery {
    let outer = values
    values = MutationValues()
    let part = part { binder in
      let id = binder.reserveSet(set.type, at: set.range)
      binder.query[id] = set
      let selection = binder.reserveSelection(of: id)
      body(&binder)
      var fields = binder.values.fields
      for (set, range) in binder.values.sets {
        let inner = binder.reserveSelection(of: set)
        let key = BoundExpression(.constant(.null), .null, at: range)
        binder.query.selections[inner.index].shape = .value(key)
        fields.append(BoundField(key: "\(fields.count)", content: .many(inner), range: range))
      }
      binder.query.selections[selection.index].shape = .object(fields)
      return [BoundField(key: "", content: .many(selection), range: set.range)]
    }
    values = outer
    return part
  }

  // MARK: - Fields

  private mutating func bindMutation(
    _ kind: BoundMutation.Kind, _ type: EntityTypeID, _ entry: SelectionEntry, _ name: Name, _ field: MutationField,
    _ condition: BoundExpression?, _ inner: [SelectionSource]
  ) -> BoundMutation? {
    let hint = fieldDirectives(entry.directives, over: type)
    let given = arguments(entry, of: name, among: field.arguments.map(\.name))
    var mutation = BoundMutation(
      kind: kind, type: type, key: entry.key.text, range: name.range,
      constants: BoundQuery(name: nil, catalogVersion: query.catalogVersion))
    var rows: [BoundInput] = []
    var all: Int?
    mutation.constants = constants { binder in
      if let condition { mutation.condition = binder.values.add(condition) }
      if kind == .insert || kind == .upsert {
        guard let data = given["data"] else {
          binder.report(.missingFieldArgument(field: name.text, name: "data"), at: name.range)
          return
        }
        rows = binder.bindRows(data.value, type, entry.environment, isStrict: kind == .insert)
      }
      all = given["all"].flatMap { binder.bindSwitch($0, entry.environment) }
      mutation.isHard = given["hard"].flatMap { binder.bindSwitch($0, entry.environment) }
    }
    mutation.rows = rows
    switch kind {
    case .insert: break
    case .upsert: mutation.conflict = bindConflict(type, given, name, entry.environment)
    case .update, .delete, .restore:
      bindLocated(kind, type, given, name, hint, all, entry.environment, into: &mutation)
    }
    if !inner.isEmpty || isGraphQL {
      answersRows = kind == .insert || kind == .upsert
      mutation.answer = answer(type, merged: inner, name, entry)
      answersRows = false
    }
    return mutation
  }

  /// What is selected of given rows.
  private mutating func answer(
    _ type: EntityTypeID, merged inner: [SelectionSource], isList: Bool = true, _ name: Name, _ entry: SelectionEntry
  ) -> BoundQuery {
    part { binder in
      let set = binder.reserveSet(type, at: name.range)
      binder.query[set].source = .given
      guard let selection = binder.bindSelection(set, inner, name, entry.environment) else { return [] }
      return [
        BoundField(key: entry.key.text, content: isList ? .many(selection) : .one(selection), range: name.range)
      ]
    }
  }

  private mutating func arguments(_ entry: SelectionEntry, of name: Name, among known: [String]) -> [String: Argument] {
    var given: [String: Argument] = [:]
    for argument in entry.arguments {
      if !known.contains(argument.name.text) {
        let near = nearestNames(to: argument.name.text, in: known)
        report(.unknownArgument(name: argument.name.text, of: name.text, near: near), at: argument.name.range)
      } else if given.updateValue(argument, forKey: argument.name.text) != nil {
        report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
      }
    }
    return given
  }

  private mutating func bindSwitch(_ argument: Argument, _ environment: Environment) -> Int? {
    guard let bound = condition(argument.value, environment) else { return nil }
    return values.add(bound)
  }

  private mutating func bindLocated(
    _ kind: BoundMutation.Kind, _ type: EntityTypeID, _ given: [String: Argument], _ name: Name, _ hint: AccessHint?,
    _ all: Int?, _ environment: Environment, into mutation: inout BoundMutation
  ) {
    var set = BoundSet(type: type, source: .all, range: name.range)
    set.hint = hint
    let inner = environment.entering(type)
    let usedBefore = usedVariables
    usedVariables = []
    var assignment: BoundInput?
    var inWhere: Set<String> = []
    var isBroken = false
    let located = rowValues(set) { binder in
      if let filter = given["where"] {
        let problems = binder.diagnostics.count
        defer { isBroken = binder.diagnostics.count > problems }
        binder.query.sets[0].predicate = binder.bindWhere(filter.value, inner)
      }
      inWhere = binder.usedVariables
      guard kind == .update else { return }
      guard let written = given["set"] else {
        return binder.report(.missingFieldArgument(field: name.text, name: "set"), at: name.range)
      }
      assignment = binder.bindAssignment(written.value, type, inner)
    }
    usedVariables.formUnion(usedBefore)
    if kind == .restore || kind == .delete && given["hard"] != nil {
      var deleted = located
      deleted.sets[0].source = .given
      deleted.sets[0].hint = nil
      mutation.locateDeleted = deleted
    }
    guard kind != .restore else { return }
    mutation.locate = located
    mutation.assignment = assignment
    guard !isBroken else { return }
    var probe = located
    probe.parameters = query.parameters
    let predicate = Rewriter.rewrite(probe, disabled: []).sets[0].predicate
    let isTrivial = predicate == nil || predicate?.constant == .boolean(true)
    let absent = inWhere.filter { variables[$0]?.mayBeAbsent ?? false }.sorted()
    let isStructural = inWhere.contains { query.structuralParameters.contains($0) }
    if let all, case .value(let expression) = mutation.constants.fields[all].content,
      expression.constant == .boolean(true)
    {
      return
    }
    let range = given["where"]?.value.range ?? name.range
    if isTrivial, all == nil, !isStructural {
      report(.unconditionalChange(verb: kind.rawValue, type: catalog[type].name), at: range)
    } else if isTrivial || !absent.isEmpty {
      mutation.refusal = BoundRefusal(all: all, isTrivial: isTrivial, variables: absent, range: range)
    }
  }

  // MARK: - Upserts

  private mutating func bindConflict(
    _ type: EntityTypeID, _ given: [String: Argument], _ name: Name, _ environment: Environment
  ) -> BoundConflict? {
    let entity = catalog[type]
    var conflict = BoundConflict(strategy: .patch, index: entity.primaryIndex)
    let (on, by) = (known(given["on"], environment), known(given["by"], environment))
    if let on { conflict.index = uniqueIndex(on, entity) ?? entity.primaryIndex }
    if let strategy = given["strategy"] {
      let known = BoundConflict.Strategy.allCases.map(\.rawValue)
      if let word = strategyWord(strategy.value, environment), let found = BoundConflict.Strategy(rawValue: word) {
        conflict.strategy = found
      } else if case .variable = strategy.value.kind, strategyWord(strategy.value, environment) == nil {
        // Null, or not known yet: as if it were left out.
      } else if let word = strategyWord(strategy.value, environment), !word.isEmpty {
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
    } else if conflict.strategy == .lastWriteWins, !isOpen(given["by"]) {
      report(.missingFieldArgument(field: name.text, name: "by"), at: given["strategy"]?.range ?? name.range)
    }
    if let written = given["set"] { bindDecisions(written.value, type, name, environment, into: &conflict) }
    return conflict
  }

  /// An argument without which the operation cannot be bound: a variable's value in its place; nil for none.
  private mutating func known(_ argument: Argument?, _ environment: Environment) -> Expression? {
    guard let argument else { return nil }
    var expression = argument.value
    while case .parenthesized(let inner) = expression.kind { expression = inner }
    guard case .variable(let name) = expression.kind, environment.arguments[name.text] == nil else {
      return expression.kind == .null ? nil : expression
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
  private func isOpen(_ argument: Argument?) -> Bool {
    guard case .variable(let name)? = argument?.value.kind, let variable = variables[name.text] else { return false }
    // One that may be absent would leave it open for good.
    return options.structuralValues[name.text] == nil && !variable.mayBeAbsent
  }

  /// What stands where a word of a generated enum is wanted: a variable by its type, everything else as it is.
  mutating func reportWord(
    _ expression: Expression, _ wanted: GeneratedType, expected: String, _ environment: Environment
  ) {
    var inner = expression
    while case .parenthesized(let content) = inner.kind { inner = content }
    guard case .variable(let name) = inner.kind, environment.arguments[name.text] == nil else {
      let operand = bindOperand(inner, environment)
      if case .error = operand { return }
      return report(.wrongType(found: describe(operand), expected: expected), at: expression.range)
    }
    guard let variable = variables[name.text] else {
      return report(
        .unknownVariable(name: name.text, near: nearestNames(to: name.text, in: variableNames)), at: name.range)
    }
    let names = GeneratedNames(catalog)
    let declared: String
    switch variable.kind {
    case .slot(let slot): declared = catalog.text(of: query.parameters[slot].signature)
    case .filter(let type): declared = names[.filter(type)]
    case .order(let type): declared = names[.order(type)]
    case .structure(let type): declared = names[type]
    case .input(let type, _): declared = names[.input(type)]
    case .broken: return
    }
    report(
      .wrongVariableType(name: name.text, declared: "'\(declared)'", expected: "'\(names[wanted])'"), at: name.range)
  }

  private mutating func strategyWord(_ expression: Expression, _ environment: Environment) -> String? {
    word(expression) ?? enumWord(expression, .strategy, environment)
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

  private mutating func uniqueIndex(_ expression: Expression, _ entity: EntityType) -> IndexID? {
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

  private mutating func bindDecisions(
    _ expression: Expression, _ type: EntityTypeID, _ name: Name, _ environment: Environment,
    into conflict: inout BoundConflict
  ) {
    var set = BoundSet(type: type, source: .all, range: name.range)
    set.source = .given
    var inner = environment.entering(type)
    inner.lets["old"] = inner.binding(Expression(.current(nil), at: name.range))
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
  mutating func newField(_ base: Expression, _ name: Name, _ environment: Environment) -> Operand? {
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

  // MARK: - Commands

  private mutating func bindCommand(
    _ command: CommandDescriptor, _ entry: SelectionEntry, _ name: Name, _ condition: BoundExpression?,
    _ inner: [SelectionSource]
  ) -> BoundCommand? {
    _ = fieldDirectives(entry.directives, over: nil)
    let given = arguments(entry, of: name, among: command.arguments.map(\.name))
    var bound = BoundCommand(
      name: command.name, key: entry.key.text, range: name.range,
      constants: BoundQuery(name: nil, catalogVersion: query.catalogVersion), condition: nil,
      arguments: command.arguments.map(\.signature.type), entities: nil, isList: false, answer: nil)
    bound.constants = constants { binder in
      for argument in command.arguments {
        let type = argument.signature.type
        var value = BoundExpression(.constant(argument.defaultValue ?? .null), type, at: name.range)
        if let written = given[argument.name] {
          let operand = binder.bindOperand(written.value, entry.environment)
          if let bound = binder.coerce(operand, to: type, entry.environment, at: written.value.range) { value = bound }
        }
        if value.constant?.isNull ?? false, argument.signature.isNonNull {
          if given[argument.name] == nil {
            binder.report(.missingFieldArgument(field: name.text, name: argument.name), at: name.range)
          } else {
            binder.report(.wrongValue(.null(expected: binder.words(type))), at: value.range)
          }
        }
        _ = binder.values.add(value)
      }
      if let condition { bound.condition = binder.values.add(condition) }
    }
    switch command.result.type {
    case .entity(let type): bound.entities = type
    case .list(.entity(let type)):
      bound.entities = type
      bound.isList = true
    default:
      if let set = entry.set { report(.selectionOnValue(field: name.text), at: set.range) }
    }
    if let type = bound.entities {
      bound.answer = answer(type, merged: inner, isList: bound.isList, name, entry)
    }
    return bound
  }
}

extension MutationValues {
  /// Values as fields without names.
  fileprivate var fields: [BoundField] {
    expressions.enumerated().map { BoundField(key: "\($0)", content: .value($1), range: $1.range) }
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

extension BoundSegment {
  /// Parameters, and how many list calls there are, are known when all segments are bound.
  fileprivate func completed(as operation: BoundQuery) -> BoundSegment {
    func complete(_ query: inout BoundQuery) {
      query.parameters = operation.parameters
      query.itemCount = operation.itemCount
    }
    func complete(_ query: inout BoundQuery?) {
      guard var known = query else { return }
      complete(&known)
      query = known
    }
    switch self {
    case .query(var query):
      complete(&query)
      return .query(query)
    case .mutation(var mutation):
      complete(&mutation.constants)
      complete(&mutation.locate)
      complete(&mutation.locateDeleted)
      complete(&mutation.answer)
      if var conflict = mutation.conflict {
        complete(&conflict.decisions)
        mutation.conflict = conflict
      }
      return .mutation(mutation)
    case .command(var command):
      complete(&command.constants)
      complete(&command.answer)
      return .command(command)
    }
  }
}
