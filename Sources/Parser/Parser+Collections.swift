import GQLBase
import GQLLexer

/// Lists, objects and the arguments of calls.
extension Parser {
  /// ```
  /// List = "[" , { Expression } , "]" ;
  /// ```
  @inline(never) mutating func parseList(_ context: ExpressionContext) -> Expression {
    let opening = range
    guard enter() else {
      skipGroup()
      return Expression(.missing, at: opening)
    }
    advance()
    let inner = context.union(.list)
    var elements: [Expression] = []
    /// Indices of elements that read like operators between their neighbors.
    var words: [Int] = []
    var tallest = 0
    var failed = false
    var progress = LoopProgress()
    while !atClosingOrEnd, progress.advanced(position) {
      if at(.name), looksLikeOperator(elements, context) { words.append(elements.count) }
      elements.append(parseExpression(inner))
      tallest = max(tallest, height)
      if stuck {
        failed = true
        recoverToElement()
      }
    }
    leave()
    if !failed || at(.endOfFile) {
      expectClosing(.rightBracket, of: .leftBracket, at: opening)
    } else {
      _ = consume(if: .rightBracket)
    }
    if !words.isEmpty, !failed { reportWordOperators(words, in: elements) }
    height = tallest + 1
    return Expression(.list(elements), at: range(from: opening.start))
  }

  var atClosingOrEnd: Bool {
    switch kind {
    case .rightBracket, .rightParenthesis, .rightBrace, .endOfFile: true
    default: false
    }
  }

  @inline(never) private func looksLikeOperator(_ elements: [Expression], _ context: ExpressionContext) -> Bool {
    guard isExtended, !context.contains(.pure), !elements.isEmpty, !commaBefore else { return false }
    let next = kind(ahead: 1)
    return startsOperand(next) && next != .leftParenthesis && !tokens.commaBefore(at: position + 1)
      && wordOperator(at: position) != nil
  }

  @inline(never) private mutating func reportWordOperators(_ words: [Int], in elements: [Expression]) {
    guard let first = words.first else { return }
    var last = first
    for index in words where index == last + 2 { last = index }
    guard first > 0, last + 1 < elements.count else { return }
    let members = elements[first - 1...last + 1]
    // Why: `[a and and b]` has no reading as operators.
    guard !words.contains(first + 1) else { return }
    let range = elements[first].range
    let span = elements[first - 1].range.union(elements[last + 1].range)
    report(
      .wordOperatorInList(word: text(range), element: span, isGraphQL: members.allSatisfy(\.isGraphQLValue)), at: range)
  }

  /// ```
  /// Object = "{" , { Name , ":" , Expression } , "}" ;
  /// ```
  @inline(never) mutating func parseObject(_ context: ExpressionContext) -> Expression {
    let opening = range
    guard enter() else {
      skipGroup()
      return Expression(.missing, at: opening)
    }
    advance()
    var fields: [ObjectField] = []
    var tallest = 0
    var failed = false
    var progress = LoopProgress()
    while !atClosingOrEnd, progress.advanced(position) {
      if let field = parseObjectField(context.inBrackets) { fields.append(field) }
      tallest = max(tallest, height)
      if stuck {
        failed = true
        recoverToObjectField()
      }
    }
    leave()
    if !failed || at(.endOfFile) {
      expectClosing(.rightBrace, of: .leftBrace, at: opening)
    } else {
      _ = consume(if: .rightBrace)
    }
    height = tallest + 1
    return Expression(.object(fields), at: range(from: opening.start))
  }

  @inline(never) private mutating func recoverToObjectField() {
    var progress = LoopProgress()
    while !atClosingOrEnd, !atArgumentStart, progress.advanced(position) { skipGroup() }
  }

  @inline(never) private mutating func parseObjectField(_ context: ExpressionContext) -> ObjectField? {
    let start = self.start
    height = 0
    let name: Name
    if isExtended, at(.string), kind(ahead: 1) == .colon {
      if let field = parsePathAsKey(context) { return field }
      name = parseQuotedKey()
    } else if isExtended, at(.dollar), kind(ahead: 1) == .name, kind(ahead: 2) == .colon {
      name = parseDollarKey()
    } else {
      name = expectName()
    }
    guard !stuck else { return nil }
    if isExtended, at(.walrus) {
      report(.walrusForColon)
      advance()
    } else if isExtended, touches(.equals), let value = parseCompoundAssignment(to: name, context) {
      return ObjectField(name: name, value: value, range: range(from: start))
    } else {
      guard expect(.colon) else { return nil }
    }
    let foreign = isExtended ? parseComparisonInObject(context) : nil
    let value = foreign ?? parseExpression(context)
    return ObjectField(name: name, value: value, range: range(from: start))
  }

  @inline(never) private mutating func parseQuotedKey() -> Name {
    let inner = SourceRange(start: range.start + 1, end: max(range.start + 1, range.end - 1))
    let text = text(inner)
    report(.quotedKey(name: GraphQLName.isValid(text) ? text : nil))
    let name = Name(text, at: range)
    advance()
    return name
  }

  /// ```
  /// CallArguments = "(" , [ Expression , { "," , Expression } ] , { [ "," ] , Name , ":" , Expression } , ")" ;
  /// ```
  @inline(never) mutating func parseCallArguments(_ context: ExpressionContext) -> CallArguments {
    let opening = range
    guard enter() else {
      skipGroup()
      return CallArguments(positional: [], named: [], range: opening)
    }
    advance()
    var result = CallArguments(positional: [], named: [], range: opening)
    var tallest = 0
    var failed = false
    var progress = LoopProgress()
    while !atClosingOrEnd, progress.advanced(position) {
      parseCallArgument(into: &result, context)
      tallest = max(tallest, height)
      if stuck {
        failed = true
        recoverToCallArgument()
      }
    }
    leave()
    if !failed || at(.endOfFile) {
      expectClosing(.rightParenthesis, of: .leftParenthesis, at: opening)
    } else {
      _ = consume(if: .rightParenthesis)
    }
    result.range = range(from: opening.start)
    height = tallest
    return result
  }

  @inline(never) private mutating func recoverToCallArgument() {
    var progress = LoopProgress()
    while !atClosingOrEnd, !atArgumentStart, progress.advanced(position) {
      skipGroup()
      if !at(.endOfFile), commaBefore { return }
    }
  }

  @inline(never) private mutating func parseCallArgument(into result: inout CallArguments, _ context: ExpressionContext)
  {
    height = 0
    if atArgumentStart {
      if let argument = parseArgument(context) { result.named.append(argument) }
      return
    }
    if !result.named.isEmpty {
      report(.positionalAfterNamed)
    } else if !result.positional.isEmpty, !commaBefore {
      if parseConditionInCall(after: &result.positional, context) { return }
      // Why: a token that starts nothing is no second argument.
      guard startsOperand(kind) else { return reportUnexpected(.token(.rightParenthesis)) }
      report(.missingComma)
    }
    let isMistake = stuck
    if isMistake { lastErrorPosition = -1 }
    if atSubquery { return result.positional.append(parseSubquery(context)) }
    result.positional.append(parseDistinctArgument(context) ?? parseExpression(context))
  }
}

extension Expression {
  /// True for what GraphQL's grammar calls a `Value`.
  var isGraphQLValue: Bool {
    switch kind {
    case .int, .float, .string, .boolean, .null, .name, .variable: true
    case .list(let elements): elements.allSatisfy(\.isGraphQLValue)
    case .object(let fields): fields.allSatisfy(\.value.isGraphQLValue)
    default: false
    }
  }
}
