import GQLBase
import GQLLexer

/// Arguments and orders as other languages have them.
extension Parser {
  // MARK: Arguments

  /// The argument that a word begins which has no colon behind it, as it is to be written, and its number of words.
  private func clause(at index: Int) -> (name: String, width: Int)? {
    guard index < tokens.count, tokens.kinds[index] == .name, tokens.range(at: index).count <= 10 else { return nil }
    if isWord("by", "BY", at: index + 1) {
      if isWord("order", "ORDER", at: index) { return ("orderBy", 2) }
      if isWord("group", "GROUP", at: index) { return ("groupBy", 2) }
    }
    if isWord("distinct", "DISTINCT", at: index), isWord("on", "ON", at: index + 1) { return ("distinctOn", 2) }
    return ForeignName.clause(text(at: index)).map { ($0, 1) }
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
  @inline(never) mutating func parseMistakenArgument(
    _ context: ExpressionContext, among others: [Argument] = []
  ) -> Argument? {
    guard at(.name), kind(ahead: 1) != .colon, kind(ahead: 1) != .walrus else { return nil }
    let context = context.union(.enclosed)
    if kind(ahead: 1) == .equals, ForeignName.isArgument(text(at: position)) {
      return parseArgumentAfterEquals(context)
    }
    let first = range
    let count = diagnostics.count
    let found = startsClause(at: position) ? clause(at: position) : nil
    let next = position + (found?.width ?? 1)
    let isCondition =
      found == nil && !tokens.commaBefore(at: min(next, tokens.count - 1))
      && (atPrefixOperator(context) || isSymbolicContinuation(kind(ahead: 1)) || kind(ahead: 1) == .leftParenthesis
        || wordOperator(at: next) != nil || foreignOperator(at: next) != nil)
    if isCondition {
      let value = parseExpression(context)
      let argument = Argument(name: Name("where", at: SourceRange(at: first.start)), value: value, range: value.range)
      if let last = others.last, let condition = others.first(where: { $0.name.text == "where" }) {
        reportSecondCondition(value, condition, after: last, since: count)
        return argument
      }
      let text = repeated(value, since: count).map { "where: \($0)" }
      report(.habit(.conditionAlone, write: text, edits: edits(value.range, text)), at: value.range)
      return argument
    }
    guard found != nil || startsOperand(kind(ahead: 1)), !tokens.commaBefore(at: next) else { return nil }
    // A word that is none, behind a value: its colon is not what is missing.
    if found == nil, !others.isEmpty, !commaBefore {
      reportUnexpected(.argument)
      return nil
    }
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

  /// Reports `quota > 0` behind `where: name == "Red",`: one condition is meant.
  private mutating func reportSecondCondition(
    _ value: Expression, _ condition: Argument, after last: Argument, since count: Int
  ) {
    var terms = [condition.value, value]
    for (index, term) in terms.enumerated() {
      if case .chain(.or, _) = term.kind { terms[index] = Expression(.parenthesized(term), at: term.range) }
    }
    let both = Expression(.chain(.and, terms), at: value.range)
    let text = repeated(both, since: count).map { "where: \($0)" }
    let rest = SourceRange(start: last.range.end, end: value.range.end)
    report(
      .habit(
        .conditionAlone, write: text ?? "where: … and …",
        edits: text.map { [.init(condition.range, $0), .init(rest, "")] } ?? []), at: value.range)
  }

  /// `limit = 2`, read as an argument.
  private mutating func parseArgumentAfterEquals(_ context: ExpressionContext) -> Argument {
    let start = self.start
    let name = expectName()
    report(.walrusForColon, at: range)
    advance()
    let value = parseExpression(context)
    return Argument(name: name, value: value, range: range(from: start))
  }

  /// `name = "x"` as the value of `set:` or `data:`, read as an object; nil if this is none.
  @inline(never) mutating func parseAssignments(to argument: Name, _ context: ExpressionContext) -> Expression? {
    guard argument.text == "set" || argument.text == "data", at(.name) else { return nil }
    let start = self.start
    let count = diagnostics.count
    var fields: [ObjectField] = []
    var tallest = 0
    var progress = LoopProgress()
    while at(.name), kind(ahead: 1) == .equals, progress.advanced(position) {
      let first = self.start
      let name = expectName()
      advance()
      let value = parseExpression(context.union(.enclosed))
      tallest = max(tallest, height)
      fields.append(ObjectField(name: name, value: value, range: range(from: first)))
    }
    height = tallest + 1
    let object = Expression(.object(fields), at: range(from: start))
    let text = repeated(object, since: count)
    report(.habit(.assignment, write: text ?? "{name: …}", edits: edits(object.range, text)), at: object.range)
    return object
  }

  /// `quota += 1` in an object, read as `quota: quota + 1` behind its first name; nil if this is none.
  @inline(never) mutating func parseCompoundAssignment(to name: Name, _ context: ExpressionContext) -> Expression? {
    let operation: BinaryOperator
    switch kind {
    case .plus: operation = .add
    case .minus: operation = .subtract
    case .star: operation = .multiply
    case .slash: operation = .divide
    default: return nil
    }
    let count = diagnostics.count
    advance()
    advance()
    let operand = parseExpression(context)
    height += 1
    let whole = range(from: name.range.start)
    let value = Expression(.binary(operation, Expression(.name(name), at: name.range), operand), at: whole)
    let text = repeated(operand, since: count).map { "\(name.text): \(name.text) \(operation.rawValue) \($0)" }
    report(.habit(.assignment, write: text ?? "\(name.text): …", edits: edits(whole, text)), at: whole)
    return value
  }

  func edits(_ range: SourceRange, _ text: String?) -> [Diagnostic.FixIt.Edit] {
    text.map { [.init(range, $0)] } ?? []
  }

  // MARK: Directions

  /// True at `desc` or `asc` behind a term.
  private var atDirection: Bool {
    guard at(.name), !commaBefore, !startsNamed(position) else { return false }
    return at(word: "desc", or: "DESC") || at(word: "asc", or: "ASC")
  }

  /// True at `NULLS FIRST` behind a term.
  private var atNulls: Bool {
    at(word: "nulls", or: "NULLS") && !commaBefore
      && (at(word: "first", or: "FIRST", ahead: 1) || at(word: "last", or: "LAST", ahead: 1))
  }

  /// Reads directions behind terms, and the terms after them; nil if no direction stands here.
  @inline(never) private mutating func parseDirections(
    after first: Expression, _ context: ExpressionContext
  ) -> Expression? {
    var terms: [Expression] = []
    var term = first
    var isDirected = false
    var progress = LoopProgress()
    while progress.advanced(position) {
      let isDescending = at(word: "desc", or: "DESC")
      let hasDirection = atDirection
      if hasDirection { advance() }
      var areNullsFirst = false
      let hasNulls = atNulls
      if hasNulls {
        areNullsFirst = at(word: "first", or: "FIRST", ahead: 1)
        advance()
        advance()
      }
      isDirected = isDirected || hasDirection || hasNulls
      terms.append(directed(term, isDescending: hasDirection && isDescending, areNullsFirst: areNullsFirst))
      guard commaBefore, at(.name), !startsNamed(position), isDirected || directionFollows else { break }
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

  private func directed(_ term: Expression, isDescending: Bool, areNullsFirst: Bool) -> Expression {
    guard isDescending || areNullsFirst else { return term }
    var named: [Argument] = []
    if areNullsFirst {
      let place = SourceRange(at: term.range.end)
      let value = Expression(.name(Name("FIRST", at: place)), at: place)
      named = [Argument(name: Name("nulls", at: place), value: value, range: place)]
    }
    let arguments = CallArguments(positional: [term], named: named, range: term.range)
    let name = Name(isDescending ? "desc" : "asc", at: SourceRange(at: term.range.start))
    return Expression(.call(name, arguments), at: term.range)
  }

  /// Reads and reports what stands behind the value of an argument in other languages: a direction, a collation, or the
  /// term of a direction. Nil if this is none of these.
  @inline(never) mutating func parseMistakenRest(
    after value: Expression, since count: Int, _ context: ExpressionContext
  ) -> Expression? {
    let context = context.union(.enclosed)
    let place = range
    var habit = SyntaxHabit.directionAfterTerm
    let result: Expression
    if case .name(let word) = value.kind, ["asc", "desc"].contains(word.text.lowercased()) {
      let term = parseExpression(context)
      height += 1
      result = directed(term, isDescending: word.text.lowercased() == "desc", areNullsFirst: false)
    } else if at(word: "collate", or: "COLLATE"), isName(kind(ahead: 1)) {
      advance()
      advance()
      habit = .collation
      result = collated(value)
      height += 1
    } else if let terms = parseDirections(after: value, context) {
      result = terms
    } else {
      return nil
    }
    let whole = range(from: value.range.start)
    let text = repeated(result, since: count)
    report(.habit(habit, write: text, edits: edits(whole, text)), at: place)
    if !startsNamed(position), !at(.rightParenthesis) { recoverToArgument() }
    return result
  }

  /// A term, or the left side of a comparison or of another test, without regard to case.
  private func collated(_ value: Expression) -> Expression {
    if case .binary(let operation, let left, let right) = value.kind, operation.isTest {
      return Expression(.binary(operation, collated(left), right), at: value.range)
    }
    let name = Expression(.name(Name("CI", at: value.range)), at: value.range)
    return call("collate", [value, name], at: value.range)
  }
}
