import GQLBase
import GQLLexer

/// Forms of other languages inside expressions and lists of arguments. They are read as what they mean, so that each is
/// one problem.
extension Parser {
  /// Texts of the user that are longer are not repeated in what is suggested.
  private static var longestRepeated: Int { 120 }

  /// The canonical text of an expression that was read when there were `count` problems; nil if it is long, or if a
  /// problem since then left something out of it.
  @inline(never) func repeated(_ expression: Expression, since count: Int) -> String? {
    guard expression.range.count <= Self.longestRepeated, diagnostics.count < limits.diagnostics else { return nil }
    let mended: Set<String> = ["assignment-for-equality", "single-connective", "sql-inequality"]
    guard diagnostics.dropFirst(count).allSatisfy({ mended.contains($0.code.rawValue) }) else { return nil }
    let text = print(expression)
    return text.utf8.contains(0x0A) ? nil : text
  }

  /// True if a token is this word in small letters or in capitals.
  func isWord(_ small: StaticString, _ capital: StaticString, at index: Int) -> Bool {
    guard index < tokens.count, tokens.kinds[index] == .name else { return false }
    return isText(small, at: index) || isText(capital, at: index)
  }

  func at(word small: StaticString, or capital: StaticString, ahead offset: Int = 0) -> Bool {
    isWord(small, capital, at: position + offset)
  }

  /// True if nothing stands between a token and the next one.
  func touchesNext(_ index: Int) -> Bool { !tokens.spaceAfter(at: index) }

  // MARK: Arguments

  /// The argument that a word begins which has no colon behind it, as it is to be written, and its number of words.
  private func clause(at index: Int) -> (name: String, width: Int)? {
    guard index < tokens.count, tokens.kinds[index] == .name, tokens.range(at: index).count <= 10 else { return nil }
    if isWord("by", "BY", at: index + 1) {
      if isWord("order", "ORDER", at: index) { return ("orderBy", 2) }
      if isWord("group", "GROUP", at: index) { return ("groupBy", 2) }
    }
    if isWord("distinct", "DISTINCT", at: index), isWord("on", "ON", at: index + 1) { return ("distinctOn", 2) }
    switch text(at: index).lowercased() {
    case "where": return ("where", 1)
    case "limit", "first", "take", "top": return ("limit", 1)
    case "offset", "skip": return ("offset", 1)
    case "having": return ("having", 1)
    case "orderby": return ("orderBy", 1)
    case "groupby": return ("groupBy", 1)
    case "distincton": return ("distinctOn", 1)
    default: return nil
    }
  }

  /// True at `where age > 30`, `ORDER BY age`, `limit 5`.
  func startsClause(at index: Int) -> Bool {
    guard let width = clause(at: index)?.width, index + width + 1 < tokens.count else { return false }
    let next = index + width
    if tokens.commaBefore(at: next) { return false }
    switch tokens.kinds[next] {
    case .int, .float, .string, .blockString, .dollar, .caret, .leftBracket: return true
    case .name, .quotedName: return wordOperator(at: next) == nil && tokens.kinds[next + 1] != .colon
    case .minus: return tokens.spaceBefore(at: next) && touchesNext(next)
    case .dot, .leftParenthesis: return tokens.spaceBefore(at: next)
    default: return false
    }
  }

  /// Reads an argument whose colon, or whose name, is missing; nil, and nothing is read, if this is none.
  @inline(never) mutating func parseMistakenArgument(_ context: ExpressionContext) -> Argument? {
    guard at(.name), kind(ahead: 1) != .colon, kind(ahead: 1) != .walrus else { return nil }
    let first = range
    let count = diagnostics.count
    let found = startsClause(at: position) ? clause(at: position) : nil
    let next = position + (found?.width ?? 1)
    let isCondition =
      found == nil && !tokens.commaBefore(at: min(next, tokens.count - 1))
      && (atPrefixOperator(context) || isSymbolicContinuation(kind(ahead: 1)) || kind(ahead: 1) == .leftParenthesis
        || wordOperator(at: next) != nil)
    if isCondition {
      let value = parseExpression(context)
      let text = repeated(value, since: count).map { "where: \($0)" }
      report(.habit(.conditionAlone, write: text, edits: edits(value.range, text)), at: value.range)
      return Argument(name: Name("where", at: SourceRange(at: first.start)), value: value, range: value.range)
    }
    guard found != nil || startsOperand(kind(ahead: 1)), !tokens.commaBefore(at: next) else { return nil }
    let name = found?.name ?? text(at: position)
    let words = first.union(tokens.range(at: next - 1))
    while position < next { advance() }
    var value = parseExpression(context)
    if name == "orderBy" { value = parseDirections(after: value, context) ?? value }
    let text = repeated(value, since: count).map { "\(name): \($0)" }
    let whole = range(from: first.start)
    report(.habit(.clause, write: text ?? "\(name): …", edits: edits(whole, text)), at: words)
    return Argument(name: Name(name, at: words), value: value, range: whole)
  }

  private func edits(_ range: SourceRange, _ text: String?) -> [Diagnostic.FixIt.Edit] {
    text.map { [.init(range, $0)] } ?? []
  }

  // MARK: Directions

  /// True at `desc` or `asc` behind a term.
  var atDirection: Bool {
    guard at(.name), !commaBefore, kind(ahead: 1) != .colon, kind(ahead: 1) != .walrus else { return false }
    return at(word: "desc", or: "DESC") || at(word: "asc", or: "ASC")
  }

  /// Reads directions behind terms, and the terms after them; nil if no direction stands here.
  @inline(never) mutating func parseDirections(after first: Expression, _ context: ExpressionContext) -> Expression? {
    var terms: [Expression] = []
    var term = first
    var isDirected = false
    var progress = LoopProgress()
    while progress.advanced(position) {
      let isDescending = at(word: "desc", or: "DESC")
      let directed = atDirection
      if directed {
        isDirected = true
        advance()
        if at(word: "nulls", or: "NULLS"), kind(ahead: 1) == .name, !commaBefore {
          advance()
          advance()
        }
      }
      terms.append(directed && isDescending ? descending(term) : term)
      guard commaBefore, at(.name), kind(ahead: 1) != .colon, kind(ahead: 1) != .walrus, isDirected || directionFollows
      else { break }
      term = parseExpression(context)
      guard !stuck else { break }
    }
    guard isDirected else { return nil }
    if terms.count == 1 { return terms[0] }
    return Expression(.list(terms), at: range(from: first.range.start))
  }

  /// True if a direction stands after the name at the current token.
  private var directionFollows: Bool {
    at(word: "desc", or: "DESC", ahead: 1) || at(word: "asc", or: "ASC", ahead: 1)
  }

  private func descending(_ term: Expression) -> Expression {
    let arguments = CallArguments(positional: [term], named: [], range: term.range)
    return Expression(.call(Name("desc", at: SourceRange(at: term.range.start)), arguments), at: term.range)
  }

  /// Reports directions behind the terms of an argument and reads them.
  @inline(never) mutating func parseMistakenDirections(
    after value: Expression, since count: Int, _ context: ExpressionContext
  ) -> Expression {
    let place = range
    let terms = parseDirections(after: value, context) ?? value
    let text = repeated(terms, since: count)
    report(
      .habit(.directionAfterTerm, write: text, edits: edits(range(from: value.range.start), text)), at: place)
    return terms
  }

  // MARK: Comments

  /// True at `--`, `//` and `/*`.
  var atForeignComment: Bool {
    guard isExtended, at(.minus) || at(.slash), touchesNext(position) else { return false }
    return kind(ahead: 1) == kind || at(.slash) && kind(ahead: 1) == .star
  }

  /// Reports a comment of another language and skips it.
  @inline(never) mutating func skipForeignComment() {
    let opening = range.union(tokens.range(at: position + 1))
    let isBlock = kind(ahead: 1) == .star
    var end = Int(opening.end)
    if isBlock {
      while end < bytes.count,
        !(bytes[end - 1] == UInt8(ascii: "*") && bytes[end] == UInt8(ascii: "/"))
          || end == Int(opening.end)
      {
        end += 1
      }
      end += 1
    } else {
      while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    }
    report(.habit(.comment, write: "#", edits: isBlock ? [] : [.init(opening, "#")]), at: opening)
    repeat { advance() } while !at(.endOfFile) && Int(start) < end
  }

  // MARK: Expressions

  /// True at what is no operand, but stands for one elsewhere: `:min`, `@min`, `?`.
  @inline(never) mutating func parseForeignOperand() -> Expression? {
    switch kind {
    case .question:
      report(.habit(.parameter, write: nil))
      let place = range
      advance()
      return Expression(.variable(Name("name", at: place)), at: place)
    case .colon, .at:
      guard kind(ahead: 1) == .name, touchesNext(position), kind(ahead: 2) != .leftParenthesis else { return nil }
      let place = range.union(tokens.range(at: position + 1))
      let name = text(at: position + 1)
      report(.habit(.parameter, write: "$\(name)", edits: [.init(place, "$\(name)")]), at: place)
      advance()
      advance()
      return Expression(.variable(Name(name, at: place)), at: place)
    default: return nil
    }
  }

  /// `condition ? value : other`, read after the condition.
  @inline(never) mutating func parseTernary(
    after condition: Expression, since count: Int, _ context: ExpressionContext
  ) -> Expression {
    let question = range
    let tall = height
    guard enter() else {
      skipGroup()
      return Expression(.missing, at: question)
    }
    defer { leave() }
    advance()
    let value = parseExpression(context)
    var operands = [condition, value]
    if consume(if: .colon) { operands.append(parseExpression(context)) }
    height = max(tall, height) + 1
    let result = call("if", operands, at: range(from: condition.range.start))
    let text = operands.count == 3 ? repeated(result, since: count) : nil
    report(.habit(.ternary, write: text, edits: edits(result.range, text)), at: question)
    return result
  }

  private func call(_ name: String, _ operands: [Expression], at range: SourceRange) -> Expression {
    let arguments = CallArguments(positional: operands, named: [], range: range)
    return Expression(.call(Name(name, at: SourceRange(at: range.start)), arguments), at: range)
  }

  /// `DATE '1990-01-01'`, read after its first word; nil if that is no type of SQL.
  @inline(never) mutating func parseTypedLiteral(_ type: Name) -> Expression? {
    guard ["date", "timestamp", "interval", "time"].contains(type.text.lowercased()) else { return nil }
    let literal = parseString()
    let text = print(Expression(.string(literal), at: literal.range))
    let isShort = text.utf8.count <= Self.longestRepeated
    let whole = range(from: type.range.start)
    report(
      .habit(.typedLiteral, write: isShort ? text : nil, edits: isShort ? [.init(whole, text)] : []), at: type.range)
    return Expression(.string(literal), at: literal.range)
  }

  /// `CASE WHEN condition THEN value … ELSE other END`, read after its first word.
  @inline(never) mutating func parseCase(_ word: Name, _ context: ExpressionContext) -> Expression {
    let count = diagnostics.count
    guard enter() else {
      skipGroup()
      return Expression(.missing, at: word.range)
    }
    defer { leave() }
    var operands: [Expression] = []
    var tallest = 0
    var isWhole = true
    var progress = LoopProgress()
    while at(word: "when", or: "WHEN"), isWhole, progress.advanced(position) {
      advance()
      operands.append(parseExpression(context.inBrackets))
      tallest = max(tallest, height)
      isWhole = at(word: "then", or: "THEN")
      guard isWhole else { break }
      advance()
      operands.append(parseExpression(context.inBrackets))
      tallest = max(tallest, height)
    }
    if isWhole, at(word: "else", or: "ELSE") {
      advance()
      operands.append(parseExpression(context.inBrackets))
      tallest = max(tallest, height)
    } else {
      operands.append(Expression(.null, at: SourceRange(at: previousEnd)))
    }
    if at(word: "end", or: "END") { advance() } else { isWhole = false }
    height = tallest + 1
    let result = call("if", operands, at: range(from: word.range.start))
    let text = isWhole ? repeated(result, since: count) : nil
    report(.habit(.caseExpression, write: text, edits: edits(result.range, text)), at: word.range)
    return result
  }

  /// The rest of `(1, 2)`, after its first element.
  @inline(never) mutating func parseListInParentheses(
    after first: Expression, from start: UInt32, since count: Int, _ context: ExpressionContext
  ) -> Expression {
    var elements = [first]
    var tallest = height
    var progress = LoopProgress()
    while commaBefore, startsOperand(kind), progress.advanced(position) {
      elements.append(parseExpression(context.inBrackets))
      tallest = max(tallest, height)
      if stuck { recoverToElement() }
    }
    _ = consume(if: .rightParenthesis)
    height = tallest + 1
    let list = Expression(.list(elements), at: range(from: start))
    let text = repeated(list, since: count)
    report(.habit(.listInParentheses, write: text, edits: edits(list.range, text)), at: list.range)
    return list
  }

  /// `DISTINCT level` as an argument of a call, read as the call that is meant.
  @inline(never) mutating func parseDistinctArgument(_ context: ExpressionContext) -> Expression? {
    guard at(word: "distinct", or: "DISTINCT"), isName(kind(ahead: 1)), !tokens.commaBefore(at: position + 1),
      wordOperator(at: position + 1) == nil, kind(ahead: 2) != .colon
    else { return nil }
    let word = range
    let count = diagnostics.count
    advance()
    let value = parseExpression(context)
    height += 1
    let result = call("distinct", [value], at: range(from: word.start))
    let text = repeated(result, since: count)
    report(.habit(.distinctInCall, write: text, edits: edits(result.range, text)), at: word)
    return result
  }

  // MARK: Objects

  /// What MongoDB's operators are called here.
  private static let operators: [String: String] = [
    "eq": "eq", "ne": "ne", "gt": "gt", "gte": "gte", "lt": "lt", "lte": "lte", "in": "in", "nin": "notIn",
    "and": "and", "or": "or", "not": "not", "regex": "regex", "exists": "isNull", "elemMatch": "some",
  ]

  /// Reads `$gt` as the key of an object.
  @inline(never) mutating func parseDollarKey() -> Name {
    let place = range.union(tokens.range(at: position + 1))
    let written = text(at: position + 1)
    let known = Self.operators[written] ?? written
    var edits: [Diagnostic.FixIt.Edit] = [.init(place, known)]
    var suggestion = known
    if written == "exists", at(word: "true", ahead: 3) || at(word: "false", ahead: 3) {
      let value = at(word: "true", ahead: 3) ? "false" : "true"
      suggestion += ": \(value)"
      edits.append(.init(tokens.range(at: position + 3), value))
    }
    report(.habit(.dollarKey, write: suggestion, edits: edits), at: place)
    advance()
    advance()
    return Name(known, at: place)
  }

  /// Reads `> 30` as the value of a field of an object; nil if this is none.
  @inline(never) mutating func parseComparisonInObject(_ context: ExpressionContext) -> Expression? {
    let name: String
    switch kind {
    case .greater: name = "gt"
    case .greaterOrEqual: name = "gte"
    case .less: name = "lt"
    case .lessOrEqual: name = "lte"
    case .equal: name = "eq"
    case .notEqual: name = "ne"
    case .match: name = "regex"
    default: return nil
    }
    let count = diagnostics.count
    let opening = start
    advance()
    let value = parseExpression(context)
    height += 1
    let place = range(from: opening)
    let field = ObjectField(name: Name(name, at: SourceRange(at: opening)), value: value, range: place)
    let text = repeated(value, since: count).map { "{\(name): \($0)}" }
    report(.habit(.comparisonInObject, write: text ?? "{\(name): …}", edits: edits(place, text)), at: place)
    return Expression(.object([field]), at: place)
  }

  /// `"address.city"` as a key, and its value, as objects in each other; the keys stand at the current token.
  @inline(never) mutating func parsePathAsKey(_ context: ExpressionContext) -> ObjectField? {
    let key = range
    let names = text(SourceRange(start: key.start + 1, end: key.end - 1)).split(
      separator: ".", omittingEmptySubsequences: false
    ).map(String.init)
    guard 2...8 ~= names.count, names.allSatisfy({ GraphQLName.isValid($0) }) else { return nil }
    let count = diagnostics.count
    advance()
    advance()
    var value = parseExpression(context)
    if case .object = value.kind {
    } else {
      let field = ObjectField(name: Name("eq", at: value.range), value: value, range: value.range)
      value = Expression(.object([field]), at: value.range)
    }
    height += names.count + 1
    for name in names.dropFirst().reversed() {
      let field = ObjectField(name: Name(name, at: key), value: value, range: value.range)
      value = Expression(.object([field]), at: value.range)
    }
    let whole = range(from: key.start)
    let text = repeated(value, since: count).map { "\(names[0]): \($0)" }
    report(.habit(.pathAsKey, write: text, edits: edits(whole, text)), at: key)
    return ObjectField(name: Name(names[0], at: key), value: value, range: whole)
  }
}
