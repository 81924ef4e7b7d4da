import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery
import GQLRewriter

extension Binder {
  // MARK: - Segments

  /// Binds the fields of a mutation, in order.
  func bindMutationSelection(_ source: SelectionSource) {
    rootType = "Mutation"
    var segments: [BoundSegment] = []
    for merged in collect([source], of: .root).map(MomentBinder(binder: self).refusing) {
      guard !isExhausted else { break }
      let (condition, inner) = merge(merged, of: .root)
      let entry = merged.first
      guard let name = entry.field, name.text != "__typename" else {
        segments.append(.query(readingSegment(merged, condition, inner)))
        continue
      }
      if name.text == BoundUndo.field {
        if let undo = UndoBinder(binder: self).bind(entry, name, condition) { segments.append(.undo(undo)) }
        continue
      }
      guard let field = MutationField.named(name.text, in: catalog, commands: options.commands) else {
        // A read between changes sees the earlier ones.
        if !isGraphQL, catalog.root(named: name.text) != nil {
          segments.append(.query(readingSegment(merged, condition, inner)))
          continue
        }
        lazy var known = MutationField.all(of: catalog, commands: options.commands).map(\.name)
        if let type = MutationField.abstractType(of: name.text, in: catalog) {
          let types = catalog.possibleTypes(of: type).map { catalog[$0].name }
          report(.abstractMutation(name: name.text, type: catalog[type].name, types: types), at: name.range)
        } else {
          let remedy = remedy(forMutation: name)
          let near = remedy == nil ? suggest(name, known) : []
          report(.unknownMutation(name: name.text, near: near), remedy, at: name.range)
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
  func part(_ body: (Binder) -> [BoundField]) -> BoundQuery {
    let (sets, selections) = (query.sets, query.selections)
    query.sets = []
    query.selections = []
    let fields = body(self)
    finishPaging()
    var part = BoundQuery(name: query.name, catalogVersion: query.catalogVersion)
    part.writesIDsAsText = query.writesIDsAsText
    part.sets = query.sets
    part.selections = query.selections
    part.fields = fields
    query.sets = sets
    query.selections = selections
    return part
  }

  private func readingSegment(
    _ merged: MergedEntry, _ condition: BoundExpression?, _ inner: [SelectionSource]
  ) -> BoundQuery {
    part { binder in
      guard let content = binder.bindRoot(merged, inner) else { return [] }
      return [BoundField(key: merged.key, condition: condition, content: content, range: merged.first.range)]
    }
  }

  /// Binds expressions over parameters; `body` numbers them in ``values``.
  func constants(_ body: (Binder) -> Void) -> BoundQuery {
    let outer = values
    values = MutationValues()
    let part = part { binder in
      body(binder)
      return binder.values.fields
    }
    values = outer
    return part
  }

  /// The values of the rows of a set: its only selection; `body` numbers them in ``values``.
  func rowValues(_ set: BoundSet, _ body: (Binder) -> Void) -> BoundQuery {
    let outer = values
    values = MutationValues()
    let part = part { binder in
      let id = binder.reserveSet(set.type, at: set.range)
      binder.query[id] = set
      let selection = binder.reserveSelection(of: id)
      body(binder)
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

  private func bindMutation(
    _ kind: BoundMutation.Kind, _ type: EntityTypeID, _ entry: SelectionEntry, _ name: Name, _ field: MutationField,
    _ condition: BoundExpression?, _ inner: [SelectionSource]
  ) -> BoundMutation? {
    let hint = fieldDirectives(entry.directives, over: type)
    let given = arguments(entry, of: name, among: field.arguments.map(\.name), kind, type)
    // What an argument of another name was to say is not known, a condition perhaps.
    let isKnown = entry.arguments.allSatisfy { given[$0.name.text] != nil }
    var mutation = BoundMutation(
      kind: kind, type: type, key: entry.key.text, range: name.range,
      constants: BoundQuery(name: nil, catalogVersion: query.catalogVersion))
    var rows: [BoundInput] = []
    var all: Int?
    mutation.constants = constants { binder in
      if let condition { mutation.condition = binder.values.add(condition) }
      if kind == .insert || kind == .upsert {
        guard let data = given["data"] else {
          if isKnown { binder.report(.missingFieldArgument(field: name.text, name: "data"), at: name.range) }
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
    case .update, .delete, .restore, .erase:
      bindLocated(kind, type, given, name, hint, all, entry.environment, isKnown: isKnown, into: &mutation)
    }
    if !inner.isEmpty || isGraphQL {
      answersRows = kind == .insert || kind == .upsert
      mutation.answer = answer(type, merged: inner, name, entry)
      answersRows = false
    }
    return mutation
  }

  /// What is selected of given rows.
  private func answer(
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

  func arguments(
    _ entry: SelectionEntry, of name: Name, among known: [String], _ kind: BoundMutation.Kind? = nil,
    _ type: EntityTypeID? = nil
  ) -> [String: Argument] {
    var given: [String: Argument] = [:]
    for argument in entry.arguments {
      if !known.contains(argument.name.text) {
        let near = suggest(argument.name, known)
        var remedy: Remedy?
        if let kind, let type {
          remedy = self.remedy(forMutationArgument: argument, kind, type, among: entry.arguments)
        }
        report(.unknownArgument(name: argument.name.text, of: name.text, near: near), remedy, at: argument.name.range)
      } else if given.updateValue(argument, forKey: argument.name.text) != nil {
        report(.duplicateArgument(name: argument.name.text), at: argument.name.range)
      }
    }
    return given
  }

  private func bindSwitch(_ argument: Argument, _ environment: Environment) -> Int? {
    guard let bound = condition(argument.value, environment) else { return nil }
    return values.add(bound)
  }

  private func bindLocated(
    _ kind: BoundMutation.Kind, _ type: EntityTypeID, _ given: [String: Argument], _ name: Name, _ hint: AccessHint?,
    _ all: Int?, _ environment: Environment, isKnown: Bool, into mutation: inout BoundMutation
  ) {
    var set = BoundSet(type: type, source: .all, range: name.range)
    set.hint = hint
    let inner = environment.entering(type)
    let usedBefore = usedVariables
    usedVariables = []
    absentInputs = []
    var assignment: BoundInput?
    var inWhere: Set<String> = []
    var absentInWhere: Set<String> = []
    var isBroken = false
    let located = rowValues(set) { binder in
      if let filter = given["where"] {
        let problems = binder.diagnostics.count
        defer { isBroken = binder.diagnostics.count > problems }
        binder.query.sets[0].predicate = binder.bindWhere(filter.value, inner)
      }
      inWhere = binder.usedVariables
      absentInWhere = binder.absentInputs
      guard kind == .update else { return }
      guard let written = given["set"] else {
        // It may be there by a name that is reported.
        if isKnown { binder.report(.missingFieldArgument(field: name.text, name: "set"), at: name.range) }
        return
      }
      assignment = binder.bindAssignment(written.value, type, inner)
    }
    usedVariables.formUnion(usedBefore)
    if kind == .restore || kind == .erase || kind == .delete && given["hard"] != nil {
      var deleted = located
      deleted.sets[0].source = .given
      deleted.sets[0].hint = nil
      mutation.locateDeleted = deleted
    }
    if kind != .restore { mutation.locate = located }
    mutation.assignment = assignment
    guard !isBroken, isKnown || given["where"] != nil else { return }
    var probe = located
    probe.parameters = query.parameters
    probe = Rewriter.rewrite(probe, disabled: [], options.interruption)
    let truth = CertainTruth(query: probe, catalog: catalog, interruption: options.interruption)
    let premise = probe.sets[0].predicate.map { truth.premise(of: $0) } ?? CertainTruth.certain
    // What was not found out in time is not to be taken for a condition.
    lookAtInterruption(at: name.range)
    let isTrivial = premise?.constant == .boolean(true)
    let absent = inWhere.filter { variables[$0]?.mayBeAbsent ?? false }.union(absentInWhere).sorted()
    let isStructural = inWhere.contains { query.structuralParameters.contains($0) }
    if let all, case .value(let expression) = mutation.constants.fields[all].content,
      expression.constant == .boolean(true)
    {
      return
    }
    let range = given["where"]?.value.range ?? name.range
    if isTrivial, all == nil, !isStructural {
      report(.unconditionalChange(verb: kind.rawValue, type: catalog[type].name), at: range)
    } else if let premise {
      let number = mutation.constants.fields.count
      mutation.constants.fields.append(BoundField(key: "\(number)", content: .value(premise), range: range))
      mutation.refusal = BoundRefusal(all: all, premise: number, variables: absent, range: range)
    } else if !absent.isEmpty {
      mutation.refusal = BoundRefusal(all: all, premise: nil, variables: absent, range: range)
    }
  }

  // MARK: - Commands

  private func bindCommand(
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

extension BoundSegment {
  /// Parameters, and how many list calls there are, are known when all segments are bound.
  func completed(as operation: BoundQuery) -> BoundSegment {
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
    case .past(var moment, var query):
      complete(&moment.constants)
      complete(&query)
      return .past(moment, query)
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
    case .undo(var undo):
      complete(&undo.constants)
      return .undo(undo)
    case .command(var command):
      complete(&command.constants)
      complete(&command.answer)
      return .command(command)
    }
  }
}
