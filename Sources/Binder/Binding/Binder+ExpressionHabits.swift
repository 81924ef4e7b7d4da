import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Members, names, functions and operators of other languages in expressions.
extension Binder {
  // MARK: Members and methods

  /// Reports `name.length`, `name.contains("x")`, `reports.isEmpty`; false if this is no habit.
  func reportMethod(
    _ base: Expression, _ name: Name, _ arguments: CallArguments?, of owner: Operand, _ environment: Environment
  ) -> Bool {
    guard computedRange == nil, arguments?.named.isEmpty ?? true, let subject = repeated(base) else { return false }
    let values = arguments?.positional ?? []
    let isSet: Bool
    let isList: Bool
    switch owner {
    case .plural(let path):
      if case .none = path.tail {
        isSet = true
        if values.isEmpty, arguments == nil, catalog[path.type].property(named: name.text) != nil { return false }
      } else {
        isSet = false
      }
      isList = true
    case .value(let value):
      if value.type == .json { return false }
      isSet = false
      if case .list = value.type { isList = true } else { isList = false }
    default: return false
    }
    guard
      let text = call(
        name.text, on: subject, values.map(shown), isSet: isSet, isList: isList, isCalled: arguments != nil)
    else { return false }
    let range = SourceRange(start: base.range.start, end: arguments?.range.end ?? name.range.end)
    let problem: BindingProblem =
      isSet
      ? .unknownField(name: name.text, type: type(ofSet: owner), near: [])
      : .fieldOfValue(name: name.text, type: isList ? "a list" : describe(owner))
    report(problem, replacing(range, text), at: name.range)
    return true
  }

  private func type(ofSet owner: Operand) -> String {
    if case .plural(let path) = owner { return catalog[path.type].name }
    return describe(owner)
  }

  /// A method or a property as a function or an operator.
  private func call(
    _ name: String, on subject: String, _ values: [String], isSet: Bool, isList: Bool, isCalled: Bool
  ) -> String? {
    let list = ([subject] + values).joined(separator: ", ")
    if ForeignName.counts.contains(name), values.isEmpty { return isList ? "count(\(subject))" : "length(\(subject))" }
    if name == "desc" || name == "asc", values.isEmpty { return name == "desc" ? "-\(subject)" : subject }
    if name == "isEmpty" || name == "empty" { return isList ? "not exists(\(subject))" : "\(subject) == \"\"" }
    if isList {
      if name == "filter" || name == "where", let value = values.first { return "\(subject)(where: \(value))" }
      if let function = ForeignName.listMethods[name] {
        if function == "some", !isSet, let value = values.first { return "\(value) in \(subject)" }
        if ["some", "every", "none", "collect"].contains(function), values.count != 1 { return nil }
        return "\(function)(\(list))"
      }
    } else {
      if let sign = ForeignName.operatorFunctions[name], let value = values.first, values.count == 1 {
        return "\(subject) \(sign) \(value)"
      }
    }
    guard let function = ForeignName.methods[name], isCalled || values.isEmpty, !isList else { return nil }
    return "\(function)(\(list))"
  }

  /// Reports `self.age` and `person.age` where the current element is meant; false if this is neither.
  func reportElementName(_ base: Expression, _ name: Name, _ environment: Environment) -> Bool {
    guard case .name(let head) = base.kind, computedRange == nil, !hasMeaning(head, environment),
      let type = environment.elementType, environment.group() == nil
    else { return false }
    let entity = catalog[type]
    guard ForeignName.elements.contains(head.text) || head.text == entity.rootOne || head.text == entity.name,
      entity.property(named: name.text) != nil
    else { return false }
    report(
      .unknownName(name: head.text, near: []), .write(name.text, over: base.range.union(name.range)), at: head.range)
    return true
  }

  // MARK: Names in expressions

  /// A bare name that means nothing, beside something of `type`.
  func remedy(forName name: Name, beside type: ValueType?, _ environment: Environment) -> Remedy? {
    if let literal = ForeignName.literals[name.text] ?? ForeignName.instants[name.text] {
      return .write(literal, over: name.range)
    }
    if let term = directedName(name.text, environment) { return .write(term, over: name.range) }
    if name.text.contains("${") { return template(name) }
    if variables[name.text] != nil || environment.arguments[name.text] != nil {
      return .write("$\(name.text)", over: name.range)
    }
    if let remedy = remedy(forKey: name) { return remedy }
    guard type == .scalar(.string) || type == .scalar(.id), name.text.utf8.count <= 60 else { return nil }
    return .write("\"\(name.text)\"", over: name.range)
  }

  /// A key of a group around the place, from where the group is not seen.
  func remedy(forKey name: Name) -> Remedy? {
    guard !groups.isEmpty, suggestions.mayLook(at: groups.count), groups.contains(where: { $0.hasKey(name.text) })
    else { return nil }
    let key = "\(name.text)Key"
    return Remedy(help: "put 'let \(key) := \(name.text)' before it in the group's selection, and write '\(key)'")
  }

  /// `age_DESC` as a term.
  private func directedName(_ name: String, _ environment: Environment) -> String? {
    guard name.utf8.count <= 128, let split = name.lastIndex(of: "_") else { return nil }
    let direction = name[name.index(after: split)...].lowercased()
    let field = String(name[..<split])
    guard direction == "asc" || direction == "desc", hasMeaning(Name(field, at: SourceRange(at: 0)), environment) else {
      return nil
    }
    return direction == "desc" ? "-\(field)" : field
  }

  /// A template of JavaScript, `Hi ${name}`, whose text is a name here.
  private func template(_ name: Name) -> Remedy {
    guard name.text.utf8.count <= 120 else { return .write("\"…\" + …") }
    var terms: [String] = []
    for (index, part) in name.text.split(separator: "${", omittingEmptySubsequences: false).enumerated() {
      var text = part
      if index > 0 {
        guard let end = part.firstIndex(of: "}") else { return .write("\"…\" + …") }
        terms.append(String(part[..<end]))
        text = part[part.index(after: end)...]
      }
      if !text.isEmpty { terms.append("\"\(text)\"") }
    }
    return .write(terms.joined(separator: " + "), over: name.range)
  }

  /// `{field: age, direction: DESC}` in an order.
  func remedy(forOrder fields: [ObjectField], at range: SourceRange, _ environment: Environment) -> Remedy? {
    let names = ["field", "column", "key", "by", "name", "sort"]
    guard fields.count <= 2, let field = fields.first(where: { names.contains($0.name.text) }) else { return nil }
    let text: String
    switch field.value.kind {
    case .name(let name): text = name.text
    case .string(let literal): text = literal.value
    default: return nil
    }
    guard GraphQLName.isValid(text), hasMeaning(Name(text, at: range), environment) else { return nil }
    let direction = fields.first { $0.range != field.range }.map { shown($0.value).uppercased() } ?? "ASC"
    return .write("{\(text): \(direction.contains("DESC") ? "DESC" : "ASC")}", over: range)
  }

  /// `name == "Red" or "Blue"`: one value of several.
  func remedy(forChoice terms: [Expression], at range: SourceRange) -> Remedy? {
    guard case .binary(.equal, let left, let first)? = terms.first?.kind, terms.count <= 16 else { return nil }
    var values = [first]
    for term in terms.dropFirst() {
      switch term.kind {
      case .string, .int, .float: values.append(term)
      case .name: if case .name = first.kind { values.append(term) } else { return nil }
      default: return nil
      }
    }
    return replacing(range, "\(shown(left)) in [\(values.map(shown).joined(separator: ", "))]")
  }

  /// `active is true`, `members is empty`.
  func remedy(forTest word: Name, of subject: Expression, negated: Bool, at range: SourceRange) -> Remedy? {
    switch word.text.lowercased() {
    case "true", "false":
      replacing(range, "\(shown(subject)) \(negated ? "!=" : "==") \(word.text.lowercased())")
    case "empty": replacing(range, "\(negated ? "" : "not ")exists(\(shown(subject)))")
    default: nil
    }
  }

  /// A function by another name, or an operator that is written as one.
  func remedy(
    forFunction name: Name, _ arguments: CallArguments, _ environment: Environment, at range: SourceRange
  ) -> Remedy? {
    let values = arguments.positional
    if name.text.lowercased() == "cast", values.count == 1, case .cast(let inner, let type) = values[0].kind {
      let target = ForeignName.type(type.text)
      let function = ForeignName.castFunctions[target].map { "\($0)(\(shown(inner)))" }
      return replacing(range, function ?? "(\(shown(inner)) as \(target))")
    }
    if ForeignName.functions[name.text] == "length", case .name(let relation)? = values.first?.kind,
      let type = environment.elementType, catalog[type].property(named: relation.text).map(isToMany) == true
    {
      return .write("count", over: name.range)
    }
    if ForeignName.nullFunctions.contains(name.text), values.count == 1 {
      return replacing(range, "\(shown(values[0])) is null")
    }
    if let sign = ForeignName.operatorFunctions[name.text], values.count == 2 {
      return replacing(range, "\(shown(values[0])) \(sign) \(shown(values[1]))")
    }
    let known = ForeignName.functions[name.text] ?? ForeignName.functions[name.text.lowercased()]
    let own = Self.isBuiltIn(name.text.lowercased()) ? name.text.lowercased() : nil
    return (known ?? own).map { .write($0, over: name.range) }
  }

  /// `avg(age)` where there is no group: of the list around it.
  func remedy(forAggregate name: Name, of value: Expression, _ environment: Environment) -> Remedy? {
    guard groups.isEmpty, let type = environment.elementType, case .name = value.kind, computedRange == nil,
      Aggregate(rawValue: name.text) != nil, !catalog[type].isElement
    else { return nil }
    let root = catalog[type].rootMany
    return Remedy(help: "write '\(name.text)(\(root).\(shown(value)))' beside '\(root)', or group with 'groupBy'")
  }

  /// `count()` where there is no group.
  func remedyForCount(_ environment: Environment, at range: SourceRange) -> Remedy? {
    guard groups.isEmpty else { return nil }
    guard let type = environment.elementType else {
      guard let first = catalog.types.first(where: { !$0.isElement }) else { return nil }
      return .write("count(\(first.rootMany))", over: range)
    }
    guard suggestions.mayLook(at: catalog[type].properties.count),
      let relation = catalog[type].properties.first(where: isToMany)
    else { return nil }
    return .write("count(\(relation.name))", over: range)
  }

  func isToMany(_ property: Property) -> Bool {
    if case .relation(let id) = property.storage { return catalog[id].isToMany }
    return false
  }

  // MARK: Constants

  /// Reports a literal that stands where something of the element is wanted, because it does nothing there, or answers
  /// what nobody asks; false if this is none.
  ///
  /// - Parameter ofTexts: Whether numbers are meant as what they are, as in `sum(1)`.
  @inline(never)
  func reportConstant(_ expression: Expression, _ environment: Environment, ofTexts: Bool = false) -> Bool {
    let literal = expression.unparenthesized
    switch literal.kind {
    case .string(let text):
      report(
        .constantTerm("a text"), term(in: text.value, environment).map { .write($0, over: expression.range) },
        at: expression.range)
    case .int(let digits) where !ofTexts:
      let field = field(atPosition: digits, environment)
      report(.constantTerm("a number"), field.map { .write($0, over: expression.range) }, at: expression.range)
    case .float where !ofTexts: report(.constantTerm("a number"), at: expression.range)
    case .boolean where !ofTexts: report(.constantTerm("a Boolean"), at: expression.range)
    default: return false
    }
    return true
  }

  /// Returns what a text says that holds fields, with their directions: `age`, `-age`, `team.name desc, age`. Nil if it holds
  /// something else.
  private func term(in text: String, _ environment: Environment) -> String? {
    guard text.utf8.count <= 120 else { return nil }
    var terms: [String] = []
    for part in text.split(separator: ",") {
      var words = part.split { $0 == " " || $0 == ":" }
      var isDescending = false
      if words.count == 2, ["asc", "desc"].contains(words[1].lowercased()) {
        isDescending = words.removeLast().lowercased() == "desc"
      }
      guard words.count == 1, var path = words.first else { return nil }
      if path.hasPrefix("-") || path.hasPrefix("+") { isDescending = path.removeFirst() == "-" }
      let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard let head = names.first, names.allSatisfy({ GraphQLName.isValid($0) }),
        hasMeaning(Name(head, at: SourceRange(at: 0)), environment)
      else { return nil }
      terms.append(isDescending ? "-\(path)" : "\(path)")
    }
    return terms.count > 1 ? "[\(terms.joined(separator: ", "))]" : terms.first
  }

  /// The selected field that a number stands for in SQL's `ORDER BY 2`.
  private func field(atPosition digits: String, _ environment: Environment) -> String? {
    guard let position = Int(digits), let selections = siblings.last?.first?.set?.selections,
      position >= 1, position <= selections.count, case .field(let field) = selections[position - 1],
      field.alias == nil, field.selectionSet == nil, hasMeaning(field.name, environment)
    else { return nil }
    return field.name.text
  }

  /// Reports `"name" == "Ann"`, where a text is what a field is called; false if neither side is such a text, or one is
  /// no literal.
  @inline(never)
  func reportConstants(
    _ left: Expression, _ op: BinaryOperator, _ right: Expression, _ environment: Environment, at range: SourceRange
  ) -> Bool {
    guard left.isLiteral, right.isLiteral, ![.coalesce, .closedRange, .halfOpenRange].contains(op) else { return false }
    for (side, other, isLeft) in [(left, right, true), (right, left, false)] {
      guard case .string(let text) = side.kind, term(in: text.value, environment) == text.value else { continue }
      let sides = isLeft ? [text.value, shown(other)] : [shown(other), text.value]
      report(
        .constantTerm("a comparison of constants"), replacing(range, "\(sides[0]) \(op.rawValue) \(sides[1])"),
        at: range)
      return true
    }
    return false
  }

  // MARK: Comparisons and operators

  /// Whether an expression that is no condition is a text: a literal, a name or a path.
  func isText(_ expression: Expression, _ environment: Environment) -> Bool {
    var head = expression
    while case .member(let base, _, nil) = head.kind { head = base }
    switch head.kind {
    case .string: return true
    case .name, .current:
      let problems = diagnostics.count
      let type = staticType(resolve(bindOperand(expression, environment), environment))
      return diagnostics.count == problems && type == .scalar(.string)
    default: return false
    }
  }

  /// Reports `name || "x"`, which joins texts in SQL.
  func reportJoin(_ terms: [Expression], at range: SourceRange) {
    let isShort = terms.count <= 16 && range.count <= 240
    report(
      .wrongType(found: words(.scalar(.string)), expected: "a condition"),
      isShort ? replacing(range, terms.map(shown).joined(separator: " + ")) : .write("… + …"), at: range)
  }

  /// Whether a value or a set has no such member, so that it may be one of another language.
  func isUnknownMember(_ name: Name, of owner: Operand) -> Bool {
    switch owner {
    case .value(let value): return value.type != .json
    case .plural(let path):
      if case .none = path.tail {
        return catalog[path.type].property(named: name.text) == nil && !Self.metaFields.contains(name.text)
      }
      if case .value(let value) = path.tail { return value.type != .json }
      return false
    default: return false
    }
  }

  /// Where a field that is another type's list begins: at its alias.
  func fieldPlace(_ entry: SelectionEntry, _ name: Name) -> SourceRange {
    catalog.root(named: name.text)?.isList == true ? entry.key.range.union(name.range) : name.range
  }
}

extension Expression {
  /// Tells whether this is a number, a text, a Boolean, null or a list of them.
  fileprivate var isLiteral: Bool {
    switch kind {
    case .int, .float, .string, .boolean, .null: true
    case .list(let elements): elements.count <= 16 && elements.allSatisfy(\.isLiteral)
    default: false
    }
  }
}
