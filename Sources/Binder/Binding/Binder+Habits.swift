import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// What to write in the place of a name of another language, in the user's own names.
package struct Remedy: Sendable {
  var help: String
  var edits: [Diagnostic.FixIt.Edit] = []

  /// `write 'text'`, with the edit that does it.
  static func write(_ text: String, over range: SourceRange) -> Remedy {
    Remedy(help: "write '\(text)'", edits: [.init(range, text)])
  }

  static func write(_ text: String, _ edits: [Diagnostic.FixIt.Edit] = []) -> Remedy {
    Remedy(help: "write '\(text)'", edits: edits)
  }
}

/// Names of other languages: each is looked up once where a name is unknown anyway.
extension Binder {
  /// The text of an expression; `…` where it is too long to repeat.
  func shown(_ expression: Expression) -> String { repeated(expression) ?? "…" }

  /// The text of an expression, nil where it is too long to repeat.
  func repeated(_ expression: Expression) -> String? {
    guard expression.range.count <= 120, computedRange == nil else { return nil }
    let text = print(expression)
    return text.utf8.contains(0x0A) || text.utf8.count > 240 ? nil : text
  }

  func replacing(_ range: SourceRange, _ text: String) -> Remedy {
    text.contains("…") ? .write(text) : .write(text, over: range)
  }

  // MARK: Arguments

  /// `first: 5`, `id: 3`, `age_gt: 30` as an argument of a list.
  func remedy(
    forListArgument argument: Argument, of name: Name, _ type: EntityTypeID, among others: [Argument]
  ) -> Remedy? {
    let entity = catalog[type]
    // A field's name is that field's.
    let isField = entity.property(named: argument.name.text) != nil
    if !isField, let known = ForeignName.listArguments[argument.name.text] {
      return replacing(argument.range, "\(known): \(shown(argument.value))")
    }
    if !isField, let remedy = remedy(forPaging: argument, type, among: others) { return remedy }
    if argument.name.text == "include" || argument.name.text == "select",
      case .object(let fields) = argument.value.kind, let first = fields.first
    {
      let isRelation = entity.property(named: first.name.text).map(self.isRelation) ?? false
      return Remedy(
        help: "leave it out, and write '\(first.name.text)\(isRelation ? " { … }" : "")' among the selected fields")
    }
    if isField {
      let isKey = entity.indexes.contains {
        catalog[$0].isUnique && catalog[$0].columns.count == 1
          && entity[entity[catalog[$0].columns[0]].foldedFrom ?? catalog[$0].columns[0]].name == argument.name.text
      }
      if isKey, name.text == entity.rootMany {
        let text = "\(entity.rootOne)(\(argument.name.text): \(shown(argument.value)))"
        return .write(text, others.count == 1 ? [.init(name.range, entity.rootOne)] : [])
      }
      return condition(argument, argument.name.text, ("eq", "=="), among: others)
    }
    guard let (field, comparison) = compared(argument.name.text, entity) else { return nil }
    return condition(argument, field, comparison, among: others)
  }

  /// `last: 3`, `page: 2` and `desc: true` of a list.
  private func remedy(forPaging argument: Argument, _ type: EntityTypeID, among others: [Argument]) -> Remedy? {
    let order = others.first { $0.name.text == "orderBy" }
    let id = catalog[type].idProperties.first.map { catalog[type][$0].name } ?? "id"
    var edits: [Diagnostic.FixIt.Edit] = []
    switch argument.name.text {
    case "last":
      var text = "limit: \(shown(argument.value))"
      if let order {
        if case .name = order.value.kind { edits = [.init(SourceRange(at: order.value.range.start), "-")] }
        return Remedy(
          help: "write '\(text)' and turn the order round: 'orderBy: \(turned(order.value))'",
          edits: edits.isEmpty ? [] : edits + [.init(argument.range, text)])
      }
      text = "orderBy: -\(id), \(text)"
      return replacing(argument.range, text)
    case "page":
      let names = ["limit", "pageSize", "perPage", "per_page", "size", "take", "first"]
      let size = others.first { names.contains($0.name.text) }
      guard case .int(let digits) = argument.value.kind, let page = Int(digits), 1...1_000_000 ~= page else {
        return Remedy(help: "write 'offset: …', the number of elements before the page")
      }
      guard let size else { return replacing(argument.range, "limit: 10, offset: \((page - 1) * 10)") }
      guard case .int(let digits) = size.value.kind, let count = Int(digits), 0...1_000_000 ~= count else {
        return Remedy(help: "write 'offset: …', the number of elements before the page")
      }
      return replacing(argument.range, "offset: \((page - 1) * count)")
    case "desc", "descending", "reverse", "direction":
      guard let order else { return Remedy(help: "write 'orderBy: -\(id)', or another field") }
      if case .name = order.value.kind, let last = others.last, last.range == argument.range, others.count == 2 {
        edits = [
          .init(SourceRange(at: order.value.range.start), "-"),
          .init(SourceRange(start: order.range.end, end: argument.range.end), ""),
        ]
      }
      return .write("orderBy: \(turned(order.value))", edits)
    default: return nil
    }
  }

  /// An order the other way round.
  private func turned(_ order: Expression) -> String {
    switch order.kind {
    case .name, .member, .call: "-\(shown(order))"
    case .unary(.minus, let inner): shown(inner)
    default: "-…"
    }
  }

  /// An argument as a condition; `comparison` is the operator's name in the object form, and the operator.
  private func condition(
    _ argument: Argument, _ field: String, _ comparison: (filter: String, operator: String), among others: [Argument]
  ) -> Remedy {
    var comparison = comparison
    if case .list = argument.value.kind, comparison.filter == "eq" { comparison = ("in", "in") }
    let value = shown(argument.value)
    let text =
      isGraphQL ? "{\(field): {\(comparison.filter): \(value)}}" : "\(field) \(comparison.operator) \(value)"
    guard !others.contains(where: { $0.name.text == "where" }) else {
      return Remedy(help: isGraphQL ? "add '\(text)' to 'where'" : "add 'and \(text)' to 'where'")
    }
    return replacing(argument.range, "where: \(text)")
  }

  /// `age_gt` as a field and an operator.
  private func compared(
    _ name: String, _ type: EntityType
  ) -> (field: String, comparison: (filter: String, operator: String))? {
    guard name.utf8.count <= 128 else { return nil }
    for split in name.indices where name[split] == "_" {
      let field = String(name[..<split])
      if let found = ForeignName.comparisons[String(name[name.index(after: split)...])],
        type.property(named: field) != nil
      {
        return (field, found)
      }
    }
    return nil
  }

  /// An argument of one entity that is no key: of a list it could be one.
  func remedy(
    forKeyArgument argument: Argument, of field: Name, _ type: EntityTypeID, among others: [Argument]
  ) -> Remedy? {
    let entity = catalog[type]
    if Self.setArguments.contains(argument.name.text), others.count == 1 {
      return .write(
        "\(entity.rootMany)(\(argument.name.text): \(shown(argument.value)))", [.init(field.range, entity.rootMany)])
    }
    guard entity.property(named: argument.name.text) != nil else { return nil }
    let name = argument.name.text
    let value = shown(argument.value)
    let text = isGraphQL ? "where: {\(name): {eq: \(value)}}" : "where: \(name) == \(value)"
    return .write(
      "\(entity.rootMany)(\(text))",
      others.count == 1 && !text.contains("…")
        ? [.init(field.range, entity.rootMany), .init(argument.range, text)] : [])
  }

  /// An argument of a mutation by another name; nil if it is none.
  func remedy(
    forMutationArgument argument: Argument, _ kind: BoundMutation.Kind, _ type: EntityTypeID, among others: [Argument]
  ) -> Remedy? {
    let names = kind == .insert || kind == .upsert ? ForeignName.insertArguments : ForeignName.updateArguments
    if let known = names[argument.name.text] {
      return replacing(argument.range, "\(known): \(shown(argument.value))")
    }
    guard catalog[type].property(named: argument.name.text) != nil else { return nil }
    if kind == .insert || kind == .upsert {
      let fields = others.prefix(8).filter { catalog[type].property(named: $0.name.text) != nil }
      return .write("data: {\(fields.map { "\($0.name.text): \(shown($0.value))" }.joined(separator: ", "))}")
    }
    guard kind == .update, !others.contains(where: { $0.name.text == "set" }) else {
      return condition(argument, argument.name.text, ("eq", "=="), among: others)
    }
    // The id says which, other fields are new values.
    let ids = Set(catalog[type].idProperties.map { catalog[type][$0].name })
    let isCondition = ids.contains(argument.name.text) && !others.contains { $0.name.text == "where" }
    if isCondition { return condition(argument, argument.name.text, ("eq", "=="), among: others) }
    let values = others.prefix(8).filter {
      catalog[type].property(named: $0.name.text) != nil && !ids.contains($0.name.text)
    }
    guard !values.isEmpty else { return condition(argument, argument.name.text, ("eq", "=="), among: others) }
    let text = "set: {\(values.map { "\($0.name.text): \(shown($0.value))" }.joined(separator: ", "))}"
    return values.count == 1 ? replacing(argument.range, text) : .write(text)
  }

  // MARK: Conditions

  /// `{age_gt: 30}`, `{AND: […]}` in the object form.
  func remedy(forFilter field: ObjectField, _ type: EntityType) -> Remedy? {
    if let known = ForeignName.connectives[field.name.text] { return .write(known, over: field.name.range) }
    if let (name, comparison) = compared(field.name.text, type) {
      return replacing(field.range, "\(name): {\(comparison.filter): \(shown(field.value))}")
    }
    guard field.name.text.utf8.count <= 128, let split = field.name.text.lastIndex(of: "_") else { return nil }
    let ending = String(field.name.text[field.name.text.index(after: split)...])
    let name = String(field.name.text[..<split])
    guard let quantifier = ForeignName.quantifiers[ending] ?? (Quantifier(rawValue: ending)?.rawValue),
      let property = type.property(named: name), isRelation(property)
    else { return nil }
    return replacing(field.range, "\(name): {\(quantifier): \(shown(field.value))}")
  }

  /// A value where an object of operators is wanted.
  func remedy(forFilterValue value: Expression) -> Remedy? {
    switch value.kind {
    case .int, .float, .string, .boolean, .name: replacing(value.range, "{eq: \(shown(value))}")
    case .list: replacing(value.range, "{in: \(shown(value))}")
    default: nil
    }
  }

  /// `between: [20, 30]` among the operators of a value.
  func remedy(forOperator field: ObjectField) -> Remedy? {
    if field.name.text == "mode" {
      return Remedy(help: "leave it out, and write 'ilike', as in '{ilike: \"%a%\"}'")
    }
    guard field.name.text == "between" || field.name.text == "_between", case .list(let bounds) = field.value.kind,
      bounds.count == 2
    else { return nil }
    return replacing(field.range, "gte: \(shown(bounds[0])), lte: \(shown(bounds[1]))")
  }

  /// A condition in a text.
  func remedy(forCondition operand: Operand) -> Remedy? {
    if case .list(let elements, let range) = operand, !elements.isEmpty, elements.count <= 16,
      elements.allSatisfy({ if case .object = $0.kind { false } else { true } })
    {
      let terms = elements.map { element in
        if case .chain(.or, _) = element.kind { "(\(shown(element)))" } else { shown(element) }
      }
      return replacing(range, terms.joined(separator: " and "))
    }
    guard case .literal(.text(let text), let range) = operand, text.count <= 120 else { return nil }
    let parsed = GQLParser.parseExpression(SourceText(name: "", text: text.string))
    guard parsed.diagnostics.isEmpty else { return nil }
    switch parsed.output.kind {
    case .binary, .chain, .unary, .isTest: return .write(print(parsed.output), over: range)
    default: return nil
    }
  }

  // MARK: Roots

  /// `allPersons`, `Person_aggregate`, `Person_by_pk`.
  func remedy(forRoot name: Name, _ entry: SelectionEntry) -> Remedy? {
    let versions = VersionBinder(binder: self)
    if let remedy = versions.remedy(forRoot: name) ?? remedy(forClause: entry, name, of: nil) { return remedy }
    guard name.text.utf8.count <= 128, suggestions.mayLook(at: catalog.types.count) else { return nil }
    var text = name.text.lowercased()
    var isCount = false
    var isOne = false
    let arguments = Set(entry.arguments.map(\.name.text))
    for ending in ["_aggregate", "aggregate", "connection", "_by_pk", "bypk", "_list", "list"]
    where text.hasSuffix(ending) {
      text.removeLast(ending.count)
      isCount = ending.hasSuffix("aggregate")
      isOne = ending.hasSuffix("pk")
      break
    }
    for beginning in ["all", "list", "find", "get"] where text.hasPrefix(beginning) {
      text.removeFirst(beginning.count)
      break
    }
    while text.hasPrefix("_") { text.removeFirst() }
    guard text != name.text.lowercased() || text.hasSuffix("s") else { return nil }
    let singular = text.hasSuffix("s") ? String(text.dropLast()) : text
    for type in catalog.types where !type.isElement {
      let known = [type.name, type.rootMany, type.rootOne].map { $0.lowercased() }
      guard known.contains(text) || known.contains(singular) else { continue }
      if isCount { return .write("count(\(type.rootMany))") }
      let ids = Set(type.idProperties.map { type[$0].name })
      let root = isOne || !ids.isEmpty && arguments == ids ? type.rootOne : type.rootMany
      return .write(root, over: name.range)
    }
    return nil
  }

  /// `createPerson`, `insert_Person`.
  func remedy(forMutation name: Name) -> Remedy? {
    guard name.text.utf8.count <= 128, suggestions.mayLook(at: catalog.types.count) else { return nil }
    if let remedy = VersionBinder(binder: self).remedy(forMutation: name) { return remedy }
    let text = name.text.lowercased()
    for (written, verb) in ForeignName.verbs where text.hasPrefix(written) {
      var rest = text.dropFirst(written.count)
      for ending in ["_one", "one", "many"] where rest.hasSuffix(ending) { rest = rest.dropLast(ending.count) }
      for beginning in ["_", "one", "many"] where rest.hasPrefix(beginning) { rest = rest.dropFirst(beginning.count) }
      for type in catalog.types where !type.isElement && !type.isAbstract {
        let known = type.name.lowercased()
        if rest == known || rest == known + "s" { return .write(verb + type.name, over: name.range) }
      }
    }
    return nil
  }

  /// `insertTeam({…})`: a mutation whose argument has no name.
  private func reportCalledMutation(_ name: Name, _ arguments: CallArguments) -> Bool {
    guard let value = arguments.positional.first, arguments.positional.count == 1, computedRange == nil else {
      return false
    }
    let verbs = [("insert", "data"), ("upsert", "data"), ("update", "set"), ("delete", "where")]
    guard let (verb, argument) = verbs.first(where: { name.text.hasPrefix($0.0) }),
      suggestions.mayLook(at: catalog.types.count),
      catalog.types.contains(where: { !$0.isElement && !$0.isAbstract && name.text == verb + $0.name })
    else { return false }
    let text = "\(argument): \(shown(value))"
    report(
      .unknownFunction(name: name.text, near: []),
      .write("\(name.text)(\(text))", text.contains("…") ? [] : [.init(value.range, text)]), at: name.range)
    return true
  }

  /// A root or a relation that is called with a value: `person(3)`, `Person(age > 30)`.
  func reportCalledRoot(_ name: Name, _ arguments: CallArguments, _ environment: Environment) -> Bool {
    guard arguments.named.isEmpty else { return false }
    if reportCalledMutation(name, arguments) { return true }
    let isRelation = environment.elementType.flatMap { catalog[$0].property(named: name.text) }.map(self.isRelation)
    let root = isRelation == nil ? catalog.root(named: name.text) : nil
    guard isRelation == true || root != nil else { return false }
    let problem = BindingProblem.called(name.text, isEmpty: arguments.positional.isEmpty)
    guard let first = arguments.positional.first, arguments.positional.count == 1 else {
      report(
        problem, arguments.positional.isEmpty ? .write(name.text, over: name.range.union(arguments.range)) : nil,
        at: name.range)
      return true
    }
    let text: String
    switch first.kind {
    case .int, .string, .variable:
      if let root, !root.isList {
        let entity = catalog[root.type]
        text = "\(entity.idProperties.first.map { entity[$0].name } ?? "id"): \(shown(first))"
      } else {
        text = "limit: \(shown(first))"
      }
    default: text = "where: \(shown(first))"
    }
    let edits: [Diagnostic.FixIt.Edit] = text.contains("…") ? [] : [.init(arguments.range, "(\(text))")]
    let isKey = !text.hasPrefix("where")
    report(problem, .write("\(name.text)(\(text))", edits), at: isKey ? arguments.range : first.range)
    return true
  }

  // MARK: Fields

  /// A selected field that is none.
  func remedy(forField name: Name, _ entry: SelectionEntry, of type: EntityTypeID) -> Remedy? {
    let entity = catalog[type]
    if let remedy = VersionBinder(binder: self).remedy(forField: name, of: type) { return remedy }
    let outer = siblings.last?.first?.field
    let set = siblings.count > 2 || outer.flatMap { catalog.root(named: $0)?.isList } == true ? outer : nil
    if ForeignName.wrappers.contains(name.text), let inner = entry.set {
      var inner = inner
      while inner.selections.count == 1, case .field(let field) = inner.selections[0],
        ForeignName.wrappers.contains(field.name.text), let next = field.selectionSet
      {
        inner = next
      }
      guard case .field(let first)? = inner.selections.first, first.alias == nil else {
        return Remedy(help: "leave it out, and select the fields directly")
      }
      let names = inner.selections.prefix(8).compactMap { selection -> String? in
        guard case .field(let field) = selection, field.alias == nil, field.selectionSet == nil,
          field.arguments.isEmpty, field.directives.isEmpty
        else { return nil }
        return field.name.text
      }
      guard names.count == inner.selections.count else { return .write("{ \(first.name.text) … }") }
      return .write(names.joined(separator: " "), over: entry.range)
    }
    // What follows is written with what GraphQL has not.
    if isGraphQL { return nil }
    if let remedy = remedy(forClause: entry, name, of: type) { return remedy }
    if name.text == "pageInfo" {
      return Remedy(
        help:
          "leave it out, write 'more: hasMore(\(set ?? entity.rootMany)(limit: 10))' beside the list, and '_cursor' in it"
      )
    }
    if name.text == "_count" {
      var relation: String?
      if case .field(let field)? = entry.set?.selections.first { relation = field.name.text }
      guard let relation, relation.utf8.count <= 60 else { return .write("count(…)") }
      return .write(
        "count(\(relation))", entry.set?.selections.count == 1 ? [.init(entry.range, "count(\(relation))")] : [])
    }
    if ForeignName.totals.contains(name.text) {
      return Remedy(
        help: "leave it out, and write 'count(\(set ?? entity.rootMany))' beside '\(set ?? entity.rootMany)'")
    }
    if name.text == "as" || name.text == "AS" { return remedy(forAlias: entry) }
    guard catalog.root(named: name.text)?.isList == true, computedRange == nil else { return nil }
    // A type of its own below a field.
    let hasAlias = entry.key.range != name.range
    let key = hasAlias ? entry.key.text : "others"
    let list = entry.arguments.isEmpty ? "" : "(…)"
    let edit =
      hasAlias
      ? Diagnostic.FixIt.Edit(SourceRange(start: entry.key.range.end, end: name.range.start), " := ")
      : Diagnostic.FixIt.Edit(SourceRange(at: name.range.start), "\(key) := ")
    return .write("\(key) := \(name.text)\(list)", [edit])
  }

  /// `Person order by age { … }`, `Person where active { … }`: fields, of which the words of the clause are none.
  private func remedy(forClause entry: SelectionEntry, _ name: Name, of type: EntityTypeID?) -> Remedy? {
    let word = name.text.lowercased()
    let isPair = word == "order" || word == "group"
    guard isPair || word == "where", !isGraphQL, entry.arguments.isEmpty else { return nil }
    let argument = isPair ? "\(word)By" : word
    for source in siblings.last ?? [] {
      guard let selections = source.set?.selections, suggestions.mayLook(at: selections.count),
        let index = selections.firstIndex(where: { $0.range == entry.range }), index > 0,
        case .field(let owner) = selections[index - 1]
      else { continue }
      var next = index + 1
      if isPair {
        guard next < selections.count, case .field(let by) = selections[next], by.name.text.lowercased() == "by" else {
          return nil
        }
        next += 1
      }
      guard next < selections.count, case .field(let term) = selections[next], term.alias == nil,
        term.arguments.isEmpty, owner.selectionSet == nil, owner.arguments.isEmpty,
        type.map({ catalog[$0].property(named: owner.name.text).map(isToMany) == true })
          ?? (catalog.root(named: owner.name.text)?.isList == true)
      else { return nil }
      let text = "(\(argument): \(term.name.text))"
      let place = SourceRange(start: owner.range.end, end: term.name.range.end)
      return .write("\(owner.name.text)\(text)", [.init(place, text)])
    }
    return nil
  }

  /// `name AS who`: three fields, of which the middle one is none.
  private func remedy(forAlias entry: SelectionEntry) -> Remedy? {
    for source in siblings.last ?? [] {
      guard let selections = source.set?.selections, suggestions.mayLook(at: selections.count),
        let index = selections.firstIndex(where: { $0.range == entry.range }), index > 0, index + 1 < selections.count,
        case .field(let before) = selections[index - 1], case .field(let after) = selections[index + 1],
        before.alias == nil, before.arguments.isEmpty, before.selectionSet == nil, after.alias == nil,
        after.arguments.isEmpty, after.selectionSet == nil
      else { continue }
      let text = "\(after.name.text): \(before.name.text)"
      return .write(text, over: before.range.union(after.range))
    }
    return nil
  }

  /// The second of two fields, or calls, that have no names of their own.
  func remedy(forConflict entry: SelectionEntry) -> Remedy? {
    let key = entry.key
    if let field = entry.field, field.range == key.range {
      return .write("\(key.text)2: \(key.text)", over: key.range)
    }
    guard let expression = entry.expression, case .call(let name, let arguments) = expression.kind,
      name.range == key.range
    else { return Remedy(help: "give one of them another name") }
    var other = "\(key.text)2"
    switch arguments.positional.first?.kind {
    case .name(let name)?, .member(_, let name, nil)?: other = name.text
    default: break
    }
    return .write("\(other): \(shown(expression))", [.init(SourceRange(at: key.range.start), "\(other): ")])
  }
}
