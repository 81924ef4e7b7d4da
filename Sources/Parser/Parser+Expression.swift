import GQLBase
import GQLLexer

/// Where an expression stands.
struct ExpressionContext: OptionSet {
  let rawValue: UInt8
  /// Variables are errors.
  static let const = ExpressionContext(rawValue: 1)
  /// Directly inside a list (R4).
  static let list = ExpressionContext(rawValue: 2)
  /// GraphQL's `Value` and nothing else.
  static let pure = ExpressionContext(rawValue: 4)

  /// Where a name behind an operand begins no selection: in the parentheses of arguments, and in brackets.
  static let enclosed = ExpressionContext(rawValue: 8)

  /// Inside brackets other than a list's.
  var inBrackets: ExpressionContext { subtracting(.list).union(.enclosed) }
}

extension Parser {
  /// ```
  /// Expression = Or ;
  /// GraphQLValue = Number | String | BlockString | "true" | "false" | "null" | Name | Variable
  ///              | "[" , { GraphQLValue } , "]" | "{" , { Name , ":" , GraphQLValue } , "}" ;
  /// ```
  mutating func parseExpression(_ context: ExpressionContext = []) -> Expression {
    if !isExtended || context.contains(.pure) { return parsePrimary(context.union(.pure)) }
    let problems = diagnostics.count
    let expression = parseOperation(context)
    guard at(.question), !stuck, !commaBefore else { return expression }
    return parseTernary(after: expression, since: problems, context)
  }

  private mutating func parseOperation(_ context: ExpressionContext) -> Expression {
    if !atPrefixOperator(context) {
      let operand = parseOperand(context)
      return atInfixOperator(context) ? parseOperators(after: operand, context) : operand
    }
    return parseOperators(after: nil, context)
  }

  /// ```
  /// Postfix = Primary , { "." , Name , [ CallArguments ] | "[" , Expression , "]" } ;
  /// ```
  mutating func parseOperand(_ context: ExpressionContext) -> Expression {
    let operand = parsePrimary(context)
    guard at(.dot) || at(.leftBracket) || at(.question), !commaBefore else { return operand }
    return parsePostfix(of: operand, context)
  }

  @inline(never) private mutating func parsePostfix(of base: Expression, _ context: ExpressionContext) -> Expression {
    var operand = base
    var progress = LoopProgress()
    while continuesPostfix(operand, context), progress.advanced(position) {
      if at(.question) {
        report(.habit(.optionalChain, write: nil, edits: [.init(range, "")]), at: range)
        advance()
      } else if at(.dot) {
        operand = parseMember(of: operand, context)
      } else {
        operand = parseIndex(of: operand, context)
      }
      if height > limits.expressionHeight { operand = tooTall(operand.range) }
    }
    return operand
  }

  private func continuesPostfix(_ base: Expression, _ context: ExpressionContext) -> Bool {
    if commaBefore { return false }
    let isAdjacent = !tokens.spaceBefore(at: position)
    switch kind {
    case .dot:
      // Why: `..name` would be a range.
      if case .current(nil) = base.kind { return false }
      return isAdjacent || !context.contains(.list)
    case .question: return isAdjacent && touchesNext(position) && kind(ahead: 1) == .dot
    case .leftBracket:
      guard context.contains(.list) else { return true }
      switch base.kind {
      case .name, .int, .float, .string, .boolean, .null, .variable, .list, .object: return false
      default: return isAdjacent
      }
    default: return false
    }
  }

  @inline(never) private mutating func parseMember(of base: Expression, _ context: ExpressionContext) -> Expression {
    let tall = height
    advance()
    guard let name = parseName() else {
      reportUnexpected(.fieldName)
      return base
    }
    var arguments: CallArguments?
    height = 0
    if at(.leftParenthesis), !commaBefore { arguments = parseCallArguments(context.inBrackets) }
    height = max(tall, height) + 1
    return Expression(.member(base, name, arguments), at: range(from: base.range.start))
  }

  @inline(never) private mutating func parseIndex(of base: Expression, _ context: ExpressionContext) -> Expression {
    let tall = height
    let opening = range
    guard enter() else {
      skipGroup()
      return base
    }
    advance()
    let index = parseExpression(context.inBrackets)
    leave()
    expectClosing(.rightBracket, of: .leftBracket, at: opening)
    height = max(tall, height) + 1
    return Expression(.index(base, index), at: range(from: base.range.start))
  }

  /// ```
  /// Primary = Number | String | BlockString | "true" | "false" | "null" | Name | Call | Variable | List | Object
  ///         | "(" , Expression , ")" | Current | Outer ;
  /// Variable = "$" , Name ;
  /// ```
  mutating func parsePrimary(_ context: ExpressionContext) -> Expression {
    height = 1
    switch kind {
    case .name: return parseLiteralWord() ?? parseNameOrCall(context)
    case .int, .float: return parseNumber(from: start)
    case .minus: return parseNegativeNumber()
    case .string, .blockString: return parseStringOperand()
    case .dollar: return parseVariable(context)
    case .leftBracket: return parseList(context)
    case .leftBrace: return parseObject(context)
    case .quotedName where isExtended: return parseNameOrCall(context)
    case .leftParenthesis where !context.contains(.pure): return parseParenthesized(context)
    case .dot where !context.contains(.pure): return parseCurrent(context)
    case .caret where !context.contains(.pure): return parseOuter()
    default: return missingOperand(context)
    }
  }

  @inline(never) private mutating func missingOperand(_ context: ExpressionContext) -> Expression {
    if isExtended, !stuck, let operand = parseForeignOperand() { return operand }
    reportUnexpected(context.contains(.pure) ? .value : .expression)
    return Expression(.missing, at: SourceRange(at: start))
  }

  @inline(never) private mutating func parseStringOperand() -> Expression {
    let literal = parseString()
    return Expression(.string(literal), at: literal.range)
  }

  @inline(never) private mutating func parseLiteralWord() -> Expression? {
    let range = self.range
    guard range.count == 4 || range.count == 5 else { return nil }
    let kind: Expression.Kind
    if at(word: "true") {
      kind = .boolean(true)
    } else if at(word: "false") {
      kind = .boolean(false)
    } else if at(word: "null") {
      kind = .null
    } else {
      return nil
    }
    advance()
    return Expression(kind, at: range)
  }

  /// ```
  /// Call = Name , CallArguments | "count" , "(" , "*" , ")" ;
  /// ```
  @inline(never) private mutating func parseNameOrCall(_ context: ExpressionContext) -> Expression {
    let isCase = isExtended && at(word: "case", or: "CASE") && at(word: "when", or: "WHEN", ahead: 1)
    let isCount = at(word: "count", or: "COUNT")
    let name = expectName()
    if isCase, !context.contains(.pure), !context.contains(.list), !commaBefore, startsOperand(kind(ahead: 1)) {
      return parseCase(name, context)
    }
    if isExtended, at(.string), !commaBefore, !context.contains(.pure), !context.contains(.list),
      let literal = parseTypedLiteral(name)
    {
      return literal
    }
    guard at(.leftParenthesis), !commaBefore, !context.contains(.pure) else {
      if context.contains(.enclosed), at(.name), !commaBefore, kind(ahead: 1) == .leftParenthesis, isExtended,
        let literal = parseConstructor(after: name)
      {
        return literal
      }
      return Expression(.name(name), at: name.range)
    }
    if name.range.count == 4 || name.range.count == 7, let expression = parseForeignCall(name, context) {
      return expression
    }
    let isStar = isCount && kind(ahead: 1) == .star && kind(ahead: 2) == .rightParenthesis
    let arguments = isStar ? parseStarArguments() : parseCallArguments(context.inBrackets)
    height += 1
    return Expression(.call(name, arguments), at: range(from: name.range.start))
  }

  /// `(*)`, SQL's way to count, which is `()`.
  @inline(never) private mutating func parseStarArguments() -> CallArguments {
    let opening = start
    for _ in 0..<3 { advance() }
    return CallArguments(positional: [], named: [], range: range(from: opening))
  }

  @inline(never) private mutating func parseNumber(from start: UInt32) -> Expression {
    let text = text(SourceRange(start: start, end: range.end))
    // A date without quotation marks, which is reported.
    let isDate = at(.int) && range.count >= 10 && text.dropFirst().contains("-")
    let kind: Expression.Kind =
      isDate
      ? .string(StringLiteral(value: text, isBlock: false, range: range)) : at(.int) ? .int(text) : .float(text)
    advance()
    return Expression(kind, at: range(from: start))
  }

  /// ```
  /// Number = [ "-" ] , ( Int | Float ) ;
  /// ```
  /// A sign that touches a number is part of it (R5).
  @inline(never) private mutating func parseNegativeNumber() -> Expression {
    guard isSignOfNumber else { return missingOperand(.pure) }
    let start = self.start
    advance()
    return parseNumber(from: start)
  }

  /// True at a minus that touches a number.
  var isSignOfNumber: Bool {
    let next = kind(ahead: 1)
    return at(.minus) && (next == .int || next == .float) && tokens.starts[position + 1] == tokens.ends[position]
  }

  @inline(never) private mutating func parseVariable(_ context: ExpressionContext) -> Expression {
    let start = self.start
    if context.contains(.const) { report(.variableInConstant) }
    advance()
    let name = expectName()
    return Expression(.variable(name), at: range(from: start))
  }

  @inline(never) private mutating func parseParenthesized(_ context: ExpressionContext) -> Expression {
    let opening = range
    guard enter() else {
      skipGroup()
      return Expression(.missing, at: opening)
    }
    let problems = diagnostics.count
    advance()
    let expression = atSubquery ? parseSubquery(context) : parseExpression(context.inBrackets)
    leave()
    if commaBefore, startsOperand(kind), !stuck {
      return parseListInParentheses(after: expression, from: opening.start, since: problems, context)
    }
    if stuck, !at(.rightParenthesis) { recoverToElement() }
    expectClosing(.rightParenthesis, of: .leftParenthesis, at: opening)
    height += 1
    return Expression(.parenthesized(expression), at: range(from: opening.start))
  }

  /// ```
  /// Current = "." , [ Name ] ;
  /// ```
  @inline(never) private mutating func parseCurrent(_ context: ExpressionContext) -> Expression {
    let start = self.start
    advance()
    guard atName, !tokens.spaceBefore(at: position) else {
      return Expression(.current(nil), at: range(from: start))
    }
    let name = expectName()
    guard at(.leftParenthesis), !commaBefore else {
      return Expression(.current(name), at: range(from: start))
    }
    // `.name(args)` is a step from the current element, as `a.name(args)` is from `a`.
    let base = Expression(.current(nil), at: SourceRange(start: start, end: start + 1))
    let arguments = parseCallArguments(context.inBrackets)
    height += 1
    return Expression(.member(base, name, arguments), at: range(from: start))
  }

  /// ```
  /// Outer = "^" , { "^" } ;
  /// ```
  @inline(never) private mutating func parseOuter() -> Expression {
    let start = self.start
    var count = 0
    var progress = LoopProgress()
    while at(.caret), count == 0 || !tokens.spaceBefore(at: position), progress.advanced(position) {
      count += 1
      advance()
    }
    return Expression(.outer(count), at: range(from: start))
  }

  @inline(never) mutating func tooTall(_ range: SourceRange) -> Expression {
    report(.expressionTooTall(limit: limits.expressionHeight), at: range)
    height = 1
    return Expression(.missing, at: range)
  }
}
