import GQLBase
import GQLLexer

/// Calls and queries inside expressions as other languages have them.
extension Parser {
  // MARK: Calls

  /// Reads `CAST(age AS TEXT)` or `EXTRACT(YEAR FROM born)` behind its name; nil, and nothing is read, for other calls.
  @inline(never) mutating func parseForeignCall(_ name: Name, _ context: ExpressionContext) -> Expression? {
    switch name.text {
    case "CAST", "cast": parseCast(name, context)
    case "EXTRACT", "extract": parseExtract(name, context)
    default: nil
    }
  }

  private mutating func parseCast(_ name: Name, _ context: ExpressionContext) -> Expression? {
    guard let word = castWord, enter() else { return nil }
    defer { leave() }
    let count = diagnostics.count
    advance()
    let value = parseExpression(context.inBrackets)
    let type = ForeignName.type(text(at: word + 1))
    let isWhole = position == word
    while position < word + 2 { advance() }
    if at(.leftParenthesis) { skipGroup() }
    _ = consume(if: .rightParenthesis)
    height += 1
    let whole = range(from: name.range.start)
    let result: Expression
    if let function = ForeignName.castFunctions[type] {
      result = call(function, [value], at: whole)
    } else {
      result = Expression(.parenthesized(Expression(.cast(value, Name(type, at: whole)), at: whole)), at: whole)
    }
    let text = isWhole ? repeated(result, since: count) : nil
    report(.habit(.typeCast, write: text, edits: edits(whole, text)), at: name.range)
    return result
  }

  /// The `AS` of `(age AS TEXT)`, whose parenthesis is the current token.
  private var castWord: Int? {
    var open = 0
    for index in position..<min(position + 40, tokens.count - 2) {
      switch tokens.kinds[index] {
      case .leftParenthesis, .leftBracket, .leftBrace: open += 1
      case .rightParenthesis, .rightBracket, .rightBrace: open -= 1
      case .name where open == 1 && isText("AS", at: index) && tokens.kinds[index + 1] == .name:
        let next = tokens.kinds[index + 2]
        return next == .rightParenthesis || next == .leftParenthesis ? index : nil
      default: break
      }
      if open == 0 { return nil }
    }
    return nil
  }

  private mutating func parseExtract(_ name: Name, _ context: ExpressionContext) -> Expression? {
    guard kind(ahead: 1) == .name, at(word: "from", or: "FROM", ahead: 2), startsOperand(kind(ahead: 3)), enter() else {
      return nil
    }
    defer { leave() }
    let count = diagnostics.count
    let unit = text(at: position + 1).lowercased()
    for _ in 0..<3 { advance() }
    let value = parseExpression(context.inBrackets)
    _ = consume(if: .rightParenthesis)
    height += 1
    let result = call(ForeignName.methods[unit] ?? unit, [value], at: range(from: name.range.start))
    let text = repeated(result, since: count)
    report(
      .habit(.timePart, write: text, edits: edits(result.range, text)), at: name.range)
    return result
  }

  /// Reads `Date("1990-01-01")` behind `new`; nil, and nothing is read, if this is none.
  @inline(never) mutating func parseConstructor(after word: Name) -> Expression? {
    guard word.text == "new", kind(ahead: 2) == .string, kind(ahead: 3) == .rightParenthesis else { return nil }
    advance()
    advance()
    let literal = parseString()
    advance()
    let whole = range(from: word.range.start)
    let value = Expression(.string(literal), at: literal.range)
    let text = literal.range.count <= 60 ? print(value) : nil
    report(
      .habit(.typedLiteral, write: text, edits: edits(whole, text)), at: whole)
    return value
  }

  /// Reads `'1 day'` as the duration that it is.
  mutating func parseInterval() -> StringLiteral {
    var literal = parseString()
    let parts = literal.value.split(separator: " ")
    guard parts.count == 2, let number = UInt(parts[0]) else { return literal }
    let word = parts[1].lowercased()
    guard let unit = ForeignName.durations[word.hasSuffix("s") ? String(word.dropLast()) : word] else { return literal }
    literal.value = unit.hasPrefix("T") ? "PT\(number)\(unit.dropFirst())" : "P\(number)\(unit)"
    return literal
  }

  // MARK: Queries in expressions

  /// True at `SELECT id FROM Team` where an expression stands.
  var atSubquery: Bool {
    guard at(.name), range.count == 6, at(word: "select", or: "SELECT"), !tokens.commaBefore(at: position + 1) else {
      return false
    }
    switch kind(ahead: 1) {
    case .int, .name: return wordOperator(at: position + 1) == nil && !startsNamed(position + 1)
    case .star: return at(word: "from", or: "FROM", ahead: 2)
    default: return false
    }
  }

  /// Reads a `SELECT` inside an expression as the list that it is of.
  @inline(never) mutating func parseSubquery(_ context: ExpressionContext) -> Expression {
    let place = range
    let count = diagnostics.count
    advance()
    if at(word: "distinct", or: "DISTINCT") { advance() }
    let column = at(.name) && at(word: "from", or: "FROM", ahead: 1) ? text(at: position) : nil
    while !atClosingOrEnd, !at(word: "from", or: "FROM") { skipGroup() }
    var text: String?
    if !atClosingOrEnd, kind(ahead: 1) == .name, tokens.range(at: position + 1).count <= 40 {
      advance()
      let table = self.text(at: position)
      advance()
      let clauses = parseClauses()
      let arguments = clauses.isEmpty ? "" : "(\(clauses.joined(separator: ", ")))"
      if atClosingOrEnd { text = "\(table)\(arguments)\(column.map { ".\($0)" } ?? "")" }
    }
    while !atClosingOrEnd { skipGroup() }
    diagnostics.removeSubrange(min(count, diagnostics.count)...)
    lastErrorPosition = -1
    height = 1
    let whole = range(from: place.start)
    report(.habit(.subquery, write: text, edits: edits(whole, text)), at: place)
    return Expression(.missing, at: whole)
  }

  /// Reads `where age > 3` behind the first argument of a call, which is a list; false, and nothing is read, if this is
  /// none.
  @inline(never) mutating func parseConditionInCall(after arguments: inout [Expression], _ context: ExpressionContext)
    -> Bool
  {
    guard at(word: "where", or: "WHERE"), startsOperand(kind(ahead: 1)), let list = arguments.last else { return false }
    let count = diagnostics.count
    let place = range
    advance()
    let condition = parseExpression(context)
    let whole = range(from: list.range.start)
    let argument = Argument(name: Name("where", at: place), value: condition, range: place.union(condition.range))
    let named = CallArguments(positional: [], named: [argument], range: argument.range)
    let result: Expression
    switch list.kind {
    case .name(let name): result = Expression(.call(name, named), at: whole)
    case .member(let base, let name, nil): result = Expression(.member(base, name, named), at: whole)
    default: result = list
    }
    height += 1
    arguments[arguments.count - 1] = result
    let text = repeated(result, since: count)
    report(.habit(.clause, write: text, edits: edits(whole, text)), at: place)
    return true
  }
}
