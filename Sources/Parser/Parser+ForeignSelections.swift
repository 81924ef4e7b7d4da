import GQLBase
import GQLLexer

/// Selections and definitions as other languages have them, and calls without a name.
extension Parser {
  // MARK: Calls without names

  /// True at `count(reports)`, which is no field of GraphQL's: its arguments have names.
  var atUnnamedCall: Bool {
    guard kind(ahead: 1) == .leftParenthesis else { return false }
    if isName(kind(ahead: 2)), kind(ahead: 3) == .colon || kind(ahead: 3) == .walrus { return false }
    if kind(ahead: 2) == .name {
      switch kind(ahead: 3) {
      // `person(id 3)`: an argument without its colon.
      case .int, .float, .string, .blockString, .dollar: if !tokens.commaBefore(at: position + 3) { return false }
      // `person(id = 3)`: an argument with another sign.
      case .equals: if ForeignName.isArgument(text(at: position + 2)) { return false }
      default: break
      }
    }
    return !startsClause(at: position + 2)
  }

  /// Reads a call whose result has the function's name, or the one after `as`.
  @inline(never) mutating func parseUnnamedCall() -> ComputedSelection {
    let first = position
    let start = self.start
    let expression = parsePrimary([])
    if isSymbolicContinuation(kind), !commaBefore, !stuck, !atForeignComment { return parseUnnamed(from: first) }
    guard case .call(var name, _) = expression.kind else {
      return finishComputed(Name("value", at: SourceRange(at: start)), expression, from: start, usesWalrus: false)
    }
    if at(word: "as", or: "AS"), !commaBefore, isName(kind(ahead: 1)), !tokens.commaBefore(at: position + 1),
      kind(ahead: 2) != .colon, kind(ahead: 2) != .walrus
    {
      advance()
      name = expectName()
    }
    return finishComputed(name, expression, from: start, usesWalrus: false)
  }

  /// Reads an expression that stands where a selection does, and reports that it has no name.
  @inline(never) mutating func parseUnnamed(from first: Int) -> ComputedSelection {
    move(to: first)
    let start = self.start
    let count = diagnostics.count
    let expression = parseExpression()
    var name = "value"
    var text = repeated(expression, since: count)
    switch expression.kind {
    // `members.count`, `members.first`: functions of a list.
    case .member(let list, let last, nil) where ["count", "first", "last"].contains(last.text):
      name = last.text
      text = repeated(list, since: count).map { "\(last.text)(\($0))" }
    case .member(_, let last, nil):
      name = last.text
      fallthrough
    default: text = text.map { "\(name) := \($0)" }
    }
    report(.unnamedComputation(write: text), at: expression.range)
    return finishComputed(Name(name, at: SourceRange(at: start)), expression, from: start, usesWalrus: true)
  }

  // MARK: Selections

  /// Reads a field in quotation marks; nil if none stands here.
  @inline(never) mutating func parseForeignSelection() -> Selection? {
    guard isExtended, at(.string), range.count <= 60, range.count > 2 else { return nil }
    let start = self.start
    let place = range
    let text = text(SourceRange(start: place.start + 1, end: place.end - 1))
    let known = GraphQLName.isValid(text) ? text : nil
    advance()
    let name = Name(text, at: place)
    var set: SelectionSet?
    if consume(if: .colon), !at(.leftBrace), startsOperand(kind) { _ = parsePrimary([]) }
    let edits = known.map { [Diagnostic.FixIt.Edit(range(from: start), $0)] }
    report(.habit(.quotedSelection, write: known, edits: edits ?? []), at: place)
    if at(.leftBrace) { set = parseSelectionSet() }
    return .field(
      Field(alias: nil, name: name, arguments: [], directives: [], selectionSet: set, range: range(from: start)))
  }

  /// Reads `limit: 3` behind a field that has no parentheses, and reports it; nil if this is none.
  @inline(never) mutating func parseOutsideArgument() -> Selection? {
    guard position > 0, tokens.kinds[position - 1] == .name, !commaBefore,
      ["where", "limit", "offset", "first", "orderBy", "skip", "groupBy", "id"].contains(text(at: position)),
      let end = endOfOperand(at: position + 2), end < tokens.count, tokens.kinds[end] == .leftBrace
    else { return nil }
    let field = tokens.range(at: position - 1)
    let argument = SourceRange(start: start, end: tokens.ends[end - 1])
    let text = "\(self.text(field))(\(self.text(argument)))"
    let name = Name(self.text(at: position), at: range)
    report(
      .habit(.argumentsOutside, write: text, edits: [.init(field.union(argument), text)]), at: range)
    move(to: end)
    let set = parseSelectionSet()
    return .field(
      Field(
        alias: nil, name: name, arguments: [], directives: [], selectionSet: set, range: range(from: name.range.start)))
  }

  /// Reads a clause behind a field that has no parentheses, `Person where age > 3 { … }` or `Person { … } limit 3`, and
  /// reports it; nil, and nothing is read, if this is none.
  ///
  /// - Parameter value: The index of what stands behind the clause's word.
  @inline(never) mutating func parseOutsideClause(valueAt value: Int) -> Selection? {
    guard value >= 2, tokens.kinds[value - 1] == .name, startsOperand(tokens.kinds[value]),
      !tokens.commaBefore(at: value), !tokens.commaBefore(at: value - 1),
      let argument = ForeignName.clause(text(at: value - 1)),
      argument == "where" || argument == "having" || [.int, .dollar].contains(tokens.kinds[value]),
      let owner = ownerOfClause(at: value - 1)
    else { return nil }
    let word = tokens.range(at: value - 1)
    let count = diagnostics.count
    move(to: value)
    lastErrorPosition = -1
    let expression = parseExpression()
    let end = previousEnd
    let text = repeated(expression, since: count).map { "\(argument): \($0)" }
    let name = tokens.range(at: owner.name)
    var edits: [Diagnostic.FixIt.Edit] = []
    if let text {
      let arguments = owner.hasArguments ? ", \(text)" : "(\(text))"
      let place = owner.hasArguments ? tokens.starts[owner.last] : tokens.ends[owner.last]
      let gap = SourceRange(start: tokens.ends[value - 2], end: end)
      edits =
        owner.last == value - 2 && !owner.hasArguments
        ? [.init(gap, arguments)] : [.init(SourceRange(at: place), arguments), .init(gap, "")]
    }
    let field = name.count <= 60 ? self.text(name) : "…"
    let written = "\(field)(\(owner.hasArguments ? "…, " : "")\(text ?? "\(argument): …"))"
    report(.habit(.argumentsOutside, write: written, edits: edits), at: word)
    let set = at(.leftBrace) ? parseSelectionSet() : nil
    return .field(
      Field(
        alias: nil, name: Name(argument, at: word), arguments: [], directives: [], selectionSet: set,
        range: range(from: word.start)))
  }

  /// The field before a clause: its name, and the last token before which or behind which its arguments go.
  private func ownerOfClause(at word: Int) -> (name: Int, last: Int, hasArguments: Bool)? {
    var index = word - 1
    func opening(_ closing: TokenKind, _ opening: TokenKind) -> Bool {
      guard tokens.kinds[index] == closing else { return true }
      var open = 0
      let last = max(0, index - 400)
      while index > last {
        if tokens.kinds[index] == closing { open += 1 }
        if tokens.kinds[index] == opening { open -= 1 }
        index -= 1
        if open == 0 { return true }
      }
      return false
    }
    guard opening(.rightBrace, .leftBrace) else { return nil }
    let last = index
    guard opening(.rightParenthesis, .leftParenthesis), isName(tokens.kinds[index]) else { return nil }
    return (index, last, last != index)
  }

  /// True at `[0]` that touches a field.
  var atIndexOfSelection: Bool {
    at(.leftBracket) && kind(ahead: 1) == .int && kind(ahead: 2) == .rightBracket && kind(ahead: 3) == .leftBrace
  }

  /// Reads the index and the selection behind a field, as a field with arguments.
  @inline(never) mutating func parseIndexed(_ field: Field) -> Field {
    let place = range.union(tokens.range(at: position + 2))
    let index = text(at: position + 1)
    let arguments = index == "0" ? "(limit: 1)" : "(offset: \(index), limit: 1)"
    let text = "\(field.name.text)\(arguments)"
    report(.habit(.indexedSelection, write: text, edits: [.init(place, arguments)]), at: place)
    for _ in 0..<3 { advance() }
    var field = field
    field.selectionSet = parseSelectionSet()
    field.range = range(from: field.range.start)
    return field
  }

  // MARK: Definitions

  /// Reads what stands for a definition in SQL, MongoDB, jq or Cypher, and reports it; false if it is none of these.
  @inline(never) mutating func parseForeignDefinition() -> Bool {
    if at(.dot) {
      parseFilter()
      return true
    }
    guard at(.name), range.count <= 40 else { return false }
    let place = range
    let isFollowed = isName(kind(ahead: 1))
    switch text(at: position).lowercased() {
    case "select":
      let count = diagnostics.count
      let text = parseSelect()
      diagnostics.removeSubrange(min(count, diagnostics.count)...)
      let whole = range(from: place.start)
      let edits = at(.endOfFile) && !text.contains("…") ? [Diagnostic.FixIt.Edit(whole, text)] : []
      report(.habit(.statement, write: text, edits: edits), at: place)
    case "with" where isFollowed: report(.habit(.statement, write: nil))
    case "update" where isFollowed: report(.habit(.statement, write: mutation("update", 1, "where: …, set: {…}")))
    case "insert" where isName(kind(ahead: 2)): report(.habit(.statement, write: mutation("insert", 2, "data: {…}")))
    case "delete" where isName(kind(ahead: 2)): report(.habit(.statement, write: mutation("delete", 2, "where: …")))
    case "explain" where kind(ahead: 1) == .leftBrace:
      report(.habit(.shellCommand, write: "query @explain", edits: [.init(place, "query @explain")]))
    case "create" where isName(kind(ahead: 2)):
      let name = tokens.range(at: position + 2).count <= 40 ? text(at: position + 2) : "…"
      report(.habit(.statement, write: "type \(name) { id: ID! … }"))
    case "explain" where isFollowed: report(.habit(.shellCommand, write: "query @explain { … }"))
    case "show" where isFollowed: reportCommand(1, nil)
    case "describe" where isFollowed, "desc" where isFollowed: reportCommand(1, text(at: position + 1))
    case "match" where kind(ahead: 1) == .leftParenthesis: reportPattern()
    default:
      guard kind(ahead: 1) == .dot, isName(kind(ahead: 2)) else { return false }
      reportMethod()
    }
    return true
  }

  /// Reports a command that shows the types, or the fields of one; that is all of the document.
  private mutating func reportCommand(_ count: Int, _ type: String?) {
    let text = type.map { "{ __type(name: \"\($0)\") { fields { name } } }" } ?? "{ __schema { types { name } } }"
    let first = range
    let place = range.union(tokens.range(at: position + count))
    for _ in 0...count { advance() }
    let whole = range(from: first.start)
    report(.habit(.shellCommand, write: text, edits: at(.endOfFile) ? [.init(whole, text)] : []), at: place)
  }

  /// Reads `.tables`, or jq's `.Team[] | select(.quota > 1) | .name`, and reports it.
  private mutating func parseFilter() {
    let place = range
    let name = kind(ahead: 1) == .name && tokens.range(at: position + 1).count <= 40 ? text(at: position + 1) : nil
    if let name, ["tables", "schema", "help", "databases", "indexes"].contains(name) { return reportCommand(1, nil) }
    guard let name, kind(ahead: 2) == .leftBracket, kind(ahead: 3) == .rightBracket else {
      return report(.habit(.pipeline, write: nil))
    }
    let count = diagnostics.count
    for _ in 0..<4 { advance() }
    var condition: String?
    if at(.pipe), at(word: "select", ahead: 1), kind(ahead: 2) == .leftParenthesis {
      for _ in 0..<3 { advance() }
      let expression = parseExpression(.enclosed)
      condition = consume(if: .rightParenthesis) ? repeated(expression, since: count) ?? "…" : "…"
    }
    var field: String?
    if at(.pipe), kind(ahead: 1) == .dot, kind(ahead: 2) == .name {
      field = text(at: position + 2)
      for _ in 0..<3 { advance() }
    }
    diagnostics.removeSubrange(min(count, diagnostics.count)...)
    lastErrorPosition = -1
    let whole = range(from: place.start)
    let isWhole = at(.endOfFile)
    let text = "{ \(name)\(condition.map { "(where: \($0))" } ?? "") { \(isWhole ? field ?? "*" : "…") } }"
    let edits = text.contains("…") ? [] : [Diagnostic.FixIt.Edit(whole, text)]
    report(.habit(.pipeline, write: text, edits: edits), at: place)
  }

  /// Reports Cypher's `MATCH (t:Team) RETURN t.name`.
  private mutating func reportPattern() {
    var type: String?
    var fields: [String] = []
    var isReturned = false
    for index in (position + 1)..<min(position + 60, tokens.count) where tokens.kinds[index] == .name {
      if tokens.kinds[index - 1] == .colon, type == nil { type = text(at: index) }
      if isReturned, tokens.kinds[index - 1] == .dot { fields.append(text(at: index)) }
      isReturned = isReturned || isWord("return", "RETURN", at: index)
    }
    let selection = fields.isEmpty ? "…" : fields.joined(separator: " ")
    report(.habit(.pipeline, write: type.map { "{ \($0) { \(selection) } }" }))
  }

  /// Reports `Team.find({})`, `db.Team.find(…)`, `prisma.team.findMany(…)`.
  private mutating func reportMethod() {
    var owner = position
    while owner + 4 < tokens.count, tokens.kinds[owner + 2] == .name, tokens.kinds[owner + 3] == .dot { owner += 2 }
    let name = tokens.range(at: owner).count <= 40 ? text(at: owner) : "…"
    let type = name.prefix(1).uppercased() + name.dropFirst()
    report(.habit(.pipeline, write: "{ \(type)(where: …) { … } }"))
  }

  private func mutation(_ verb: String, _ offset: Int, _ arguments: String) -> String {
    let range = tokens.range(at: position + offset)
    let name = range.count <= 40 ? Self.typeName(ofTable: text(at: position + offset)) : "…"
    return "mutation { \(verb)\(name)(\(arguments)) { id } }"
  }

  /// Returns the name of the type that a table is when its file is read: `order_items` is `OrderItems`.
  private static func typeName(ofTable name: String) -> String {
    guard let first = name.unicodeScalars.first, first.properties.isLowercase else { return name }
    return name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The document that a `SELECT` means, with `…` for what is not understood. Reads as far as it understands.
  private mutating func parseSelect() -> String {
    advance()
    let isDistinct = at(word: "distinct", or: "DISTINCT")
    if isDistinct { advance() }
    let fields = parseColumns()
    if fields == nil { skipToTable() }
    guard at(word: "from", or: "FROM"), isName(kind(ahead: 1)), tokens.range(at: position + 1).count <= 40 else {
      return "{ Person(where: …) { … } }"
    }
    advance()
    let table = Self.typeName(ofTable: text(at: position))
    advance()
    var arguments = fields == nil ? [] : parseClauses()
    let isConditional = arguments.contains { $0.hasPrefix("where") }
    guard at(.endOfFile), let fields else { return "{ \(table)\(isConditional ? "(where: …)" : "") { … } }" }
    if isDistinct { arguments.append("distinctOn: [\(fields.joined(separator: ", "))]") }
    let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
    if !isDistinct, !list.contains("groupBy"), let totals = Self.totals(fields, of: "\(table)\(list)") { return totals }
    return "{ \(table)\(list) { \(fields.joined(separator: " ")) } }"
  }

  /// The document for columns that are all aggregates; nil if they are not.
  private static func totals(_ fields: [String], of set: String) -> String? {
    var totals: [String] = []
    for field in fields {
      let parts = field.split(separator: ": ", maxSplits: 1).map(String.init)
      let (alias, call) = parts.count == 2 ? ("\(parts[0]): ", parts[1]) : ("", field)
      guard let open = call.firstIndex(of: "("), call.hasSuffix(")") else { return nil }
      let function = call[..<open].lowercased()
      let argument = String(call[call.index(after: open)...].dropLast())
      guard ["count", "sum", "avg", "min", "max"].contains(function) else { return nil }
      if function == "count", argument.isEmpty {
        totals.append("\(alias)count(\(set))")
      } else if GraphQLName.isValid(argument) {
        totals.append("\(alias)\(function)(\(set).\(argument))")
      } else {
        return nil
      }
    }
    return "{ \(totals.joined(separator: " ")) }"
  }

  /// Goes to the `FROM` of a statement.
  private mutating func skipToTable() {
    while !at(.endOfFile), !at(word: "from", or: "FROM") { advance() }
  }

  /// The columns of a `SELECT` as selections; nil if one is not understood.
  private mutating func parseColumns() -> [String]? {
    if consume(if: .star) { return ["*"] }
    var fields: [String] = []
    var isFirst = true
    while fields.count < 32, isFirst || commaBefore, atName {
      isFirst = false
      let count = diagnostics.count
      var expression = parseExpression()
      var alias: String?
      if case .cast(let inner, let name) = expression.kind {
        alias = name.text
        expression = inner
      } else if at(word: "AS"), isName(kind(ahead: 1)) {
        advance()
        alias = text(at: position)
        advance()
      }
      guard let text = repeated(expression, since: count) else { return nil }
      switch expression.kind {
      case .name, .call: fields.append(alias.map { "\($0): \(text)" } ?? text)
      default:
        guard let alias else { return nil }
        fields.append("\(alias) := \(text)")
      }
    }
    return at(word: "from", or: "FROM") ? fields : nil
  }

  /// The arguments that the clauses of a `SELECT` mean, as far as they are understood.
  mutating func parseClauses() -> [String] {
    var arguments: [String] = []
    while let argument = parseSelectClause() { arguments.append(argument) }
    return arguments
  }

  /// An argument that a clause of `SELECT` means; nil if it is not understood.
  private mutating func parseSelectClause() -> String? {
    guard startsClause(at: position) else { return nil }
    let count = diagnostics.count
    guard parseMistakenArgument([]) != nil, !stuck else { return nil }
    // Why: the clause's own problem holds what to write.
    guard diagnostics.count > count else { return nil }
    return diagnostics.last?.fixIts.first?.edits.first?.replacement
  }
}
