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
      case .int, .float, .string, .blockString, .dollar: return false
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
    if case .member(_, let last, nil) = expression.kind { name = last.text }
    let text = repeated(expression, since: count).map { "\(name) := \($0)" }
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

  /// Reads what stands for a definition in SQL, MongoDB or jq, and reports it; false if it is none of these.
  @inline(never) mutating func parseForeignDefinition() -> Bool {
    if at(.dot) {
      report(.habit(.pipeline, write: nil))
      return true
    }
    guard at(.name), range.count <= 40 else { return false }
    let place = range
    switch text(at: position).lowercased() {
    case "select":
      let count = diagnostics.count
      let text = parseSelect()
      diagnostics.removeSubrange(min(count, diagnostics.count)...)
      let whole = range(from: place.start)
      let edits = at(.endOfFile) && !text.contains("…") ? [Diagnostic.FixIt.Edit(whole, text)] : []
      report(.habit(.statement, write: text, edits: edits), at: place)
    case "update" where isName(kind(ahead: 1)):
      report(.habit(.statement, write: mutation("update", 1, "where: …, set: {…}")))
    case "insert" where isName(kind(ahead: 2)): report(.habit(.statement, write: mutation("insert", 2, "data: {…}")))
    case "delete" where isName(kind(ahead: 2)): report(.habit(.statement, write: mutation("delete", 2, "where: …")))
    case "db" where kind(ahead: 1) == .dot && kind(ahead: 2) == .name:
      report(.habit(.pipeline, write: "{ \(text(at: position + 2))(where: …) { … } }"))
    default: return false
    }
    return true
  }

  private func mutation(_ verb: String, _ offset: Int, _ arguments: String) -> String {
    let range = tokens.range(at: position + offset)
    let name = range.count <= 40 ? text(at: position + offset) : "…"
    return "mutation { \(verb)\(name)(\(arguments)) { id } }"
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
    let table = text(at: position)
    advance()
    var arguments: [String] = []
    var isKnown = fields != nil
    var isConditional = false
    while isKnown, !at(.endOfFile) {
      let argument = parseSelectClause()
      isConditional = isConditional || argument?.hasPrefix("where") ?? false
      isKnown = argument != nil
      if let argument { arguments.append(argument) }
    }
    guard isKnown, let fields else { return "{ \(table)\(isConditional ? "(where: …)" : "") { … } }" }
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
