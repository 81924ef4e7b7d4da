import GQLBase
import GQLLexer

/// How tightly operators bind; a higher level binds tighter.
enum OperatorLevel: UInt8, Comparable {
  case or = 1, and, not, comparison, coalesce, cast, range, addition, multiplication, prefix, postfix

  static func < (left: OperatorLevel, right: OperatorLevel) -> Bool { left.rawValue < right.rawValue }
}

struct Operand {
  var expression: Expression
  var height: Int
}

/// An operator whose right operand is not complete.
struct PendingOperator {
  enum Operation {
    case unary(UnaryOperator)
    case binary(BinaryOperator)
  }
  var operation: Operation
  var level: OperatorLevel
  /// Where the operator stands.
  var start: UInt32
}

/// An operator behind an operand.
struct InfixOperator {
  enum Operation {
    case binary(BinaryOperator)
    case cast
    case test
  }
  var operation: Operation
  var level: OperatorLevel
  /// The number of its tokens.
  var width = 1
  /// Tells whether it is a word of another language.
  var isForeign = false

  init(_ operation: BinaryOperator, _ level: OperatorLevel, width: Int = 1) {
    self.operation = .binary(operation)
    self.level = level
    self.width = width
  }

  init(_ operation: Operation, _ level: OperatorLevel) {
    self.operation = operation
    self.level = level
  }
}

/// An `as` or `is` with its type's name, complete.
struct TypeOperator {
  var level: OperatorLevel
  /// The number of operators that wait below it.
  var pending: Int
}

/// Operators by precedence, over two explicit stacks: chains and runs of prefixes cost no recursion.
extension Parser {
  /// ```
  /// Or = And , { ( "or" | "OR" | "||" ) , And } ;
  /// And = Not , { ( "and" | "AND" | "&&" ) , Not } ;
  /// Not = ( "not" | "NOT" ) , Not | Comparison ;
  /// Comparison = Coalesce , [ ComparisonOperator , Coalesce | ( "is" | "IS" ) , [ "not" | "NOT" ] , Name ] ;
  /// ComparisonOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "=~" | "!~" | [ "not" | "NOT" ] , WordOperator ;
  /// WordOperator = "in" | "IN" | "like" | "LIKE" | "ilike" | "ILIKE" | "contains" | "startsWith" | "endsWith"
  ///              | "matches" ;
  /// Coalesce = Cast , [ "??" , Coalesce ] ;
  /// Cast = Range , { "as" , Name } ;
  /// Range = Addition , [ ( ".." | "..<" ) , Addition ] ;
  /// Addition = Multiplication , { ( "+" | "-" ) , Multiplication } ;
  /// Multiplication = Unary , { ( "*" | "/" | "%" ) , Unary } ;
  /// Unary = ( "-" | "+" | "!" ) , Unary | Postfix ;
  /// ```
  @inline(never) mutating func parseOperators(after first: Expression?, _ context: ExpressionContext) -> Expression {
    let base = operators.count
    var last: TypeOperator?
    if let first {
      operands.append(Operand(expression: first, height: height))
    } else {
      parsePrefixedOperand(context, base: base, isFirst: true)
    }
    var progress = LoopProgress()
    while let infix = infixOperator(context), progress.advanced(position) {
      apply(infix, context, base: base, last: &last)
    }
    while operators.count > base { reduce(base: base) }
    guard let result = operands.popLast() else { return Expression(.missing, at: range) }
    height = result.height
    return result.expression
  }

  /// Consumes an operator and what it needs on its right.
  ///
  /// `last` is the `as` or `is` that the last operand ends with: its right side is a name, so that nothing tighter can
  /// follow, and comparisons do not chain.
  @inline(never) private mutating func apply(
    _ infix: InfixOperator, _ context: ExpressionContext, base: Int, last: inout TypeOperator?
  ) {
    if let type = last, infix.level > type.level, type.pending == operators.count,
      let operand = operands.last?.expression.range
    {
      report(.operatorAfterTypeName(word: type.level == .cast ? "as" : "is", operand: operand))
    }
    while operators.count > base, let top = operators.last, top.level >= infix.level {
      if top.level == infix.level {
        // To the right; and a chain of a connective is completed as a whole.
        if infix.level == .coalesce || infix.level <= .and { break }
        if infix.level == .comparison { reportChain() }
        if infix.level == .range { report(.chainedRange) }
      }
      reduce(base: base)
    }
    if infix.level == .comparison, let test = last, test.level == .comparison, test.pending == operators.count {
      report(.chainedComparison(middle: "", insertAt: SourceRange(at: previousEnd)))
    }
    last = nil
    reportMistake(infix, context)
    switch infix.operation {
    case .cast:
      advance()
      let type = expectName()
      replaceOperand(from: type.range.end) { .cast($0, type) }
      last = TypeOperator(level: .cast, pending: operators.count)
    case .test:
      if let (operation, width) = comparisonOfTest {
        operators.append(PendingOperator(operation: .binary(operation), level: .comparison, start: start))
        reportTest(operation, width)
        for _ in 0..<width { advance() }
        return parsePrefixedOperand(context, base: base, isFirst: false)
      }
      let isSQL = at(word: "IS")
      advance()
      let negated = atTestNegation
      if negated { advance() }
      if !atName { reportUnexpected(.comparison) }
      let isNull = isSQL && at(word: "NULL")
      let name = expectName()
      let type = isNull ? Name("null", at: name.range) : name
      replaceOperand(from: type.range.end) { .isTest($0, negated: negated, type) }
      last = TypeOperator(level: .comparison, pending: operators.count)
    case .binary(let operation):
      if atBetween(infix) { return parseBetween(operation, infix, context, base: base) }
      if atClosure(infix) { return parseClosure(context, base: base) }
      operators.append(PendingOperator(operation: .binary(operation), level: infix.level, start: start))
      for _ in 0..<infix.width { advance() }
      parsePrefixedOperand(context, base: base, isFirst: false)
    }
  }

  /// True at the `not` of `is not T`.
  private var atTestNegation: Bool {
    at(word: "not", or: "NOT") && isName(kind(ahead: 1)) && kind(ahead: 2) != .colon && kind(ahead: 2) != .walrus
      && !tokens.commaBefore(at: position + 1)
  }

  @inline(never) private mutating func reportChain() {
    guard let middle = operands.last?.expression.range else { return }
    report(.chainedComparison(middle: text(middle), insertAt: SourceRange(at: middle.end)))
  }

  /// Wraps the last operand.
  @inline(never) private mutating func replaceOperand(from end: UInt32, _ wrap: (Expression) -> Expression.Kind) {
    guard let operand = operands.popLast() else { return }
    let range = SourceRange(start: operand.expression.range.start, end: max(end, operand.expression.range.end))
    push(Expression(wrap(operand.expression), at: range), height: operand.height + 1)
  }

  @inline(never) private mutating func push(_ expression: Expression, height: Int) {
    guard height <= limits.expressionHeight else {
      let missing = tooTall(expression.range)
      return operands.append(Operand(expression: missing, height: 1))
    }
    operands.append(Operand(expression: expression, height: height))
  }

  /// Completes the last pending operator, or the last chain of a connective; `base` is the number of operators outside
  /// this expression.
  @inline(never) private mutating func reduce(base: Int) {
    if let last = operators.last, last.level <= .and, case .binary(let operation) = last.operation {
      return reduceChain(operation, base: base)
    }
    guard let pending = operators.popLast(), let right = operands.popLast() else { return }
    switch pending.operation {
    case .unary(let operation):
      let range = SourceRange(start: pending.start, end: right.expression.range.end)
      push(Expression(.unary(operation, right.expression), at: range), height: right.height + 1)
    case .binary(let operation):
      guard let left = operands.popLast() else { return }
      let range = left.expression.range.union(right.expression.range)
      push(
        Expression(.binary(operation, left.expression, right.expression), at: range),
        height: max(left.height, right.height) + 1)
    }
  }

  @inline(never) private mutating func reduceChain(_ operation: BinaryOperator, base: Int) {
    var first = operators.count
    while first > base, case .binary(operation) = operators[first - 1].operation { first -= 1 }
    let count = operators.count - first + 1
    guard operands.count >= count, let last = operands.last else { return }
    operators.removeSubrange(first...)
    let terms = operands.suffix(count)
    let height = terms.reduce(0) { max($0, $1.height) } + 1
    let range = terms.reduce(last.expression.range) { $0.union($1.expression.range) }
    let chain = Expression(.chain(operation, terms.map(\.expression)), at: range)
    operands.removeLast(count)
    push(chain, height: height)
  }

  @inline(never) private mutating func parsePrefixedOperand(_ context: ExpressionContext, base: Int, isFirst: Bool) {
    var isFirst = isFirst
    var progress = LoopProgress()
    while isFirst || !commaBefore, let prefix = prefixOperator(context, base: base), progress.advanced(position) {
      operators.append(prefix)
      advance()
      isFirst = false
    }
    guard isFirst || !commaBefore else {
      reportUnexpected(.expression)
      return operands.append(Operand(expression: Expression(.missing, at: SourceRange(at: start)), height: 1))
    }
    let operand = parseOperand(context)
    operands.append(Operand(expression: operand, height: height))
  }

  @inline(never) func atPrefixOperator(_ context: ExpressionContext) -> Bool {
    switch kind {
    case .minus, .plus, .bang, .name: prefixOperator(context, base: operators.count) != nil
    default: false
    }
  }

  @inline(never) func atInfixOperator(_ context: ExpressionContext) -> Bool { infixOperator(context) != nil }

  /// The prefix operator at the current token; `base` is the number of operators outside this expression.
  func prefixOperator(_ context: ExpressionContext, base: Int) -> PendingOperator? {
    switch kind {
    case .minus:
      return isSignOfNumber ? nil : PendingOperator(operation: .unary(.minus), level: .prefix, start: start)
    case .plus: return PendingOperator(operation: .unary(.plus), level: .prefix, start: start)
    case .bang: return PendingOperator(operation: .unary(.bang), level: .prefix, start: start)
    case .name:
      guard at(word: "not", or: "NOT"), !context.contains(.list) else { return nil }
      if operators.count > base, let top = operators.last, top.level > .not { return nil }
      // `not` alone, or before the next argument, is a name (R3).
      let next = kind(ahead: 1)
      guard startsOperand(next), !tokens.commaBefore(at: position + 1) else { return nil }
      if isName(next), kind(ahead: 2) == .colon || kind(ahead: 2) == .walrus { return nil }
      return PendingOperator(operation: .unary(.not), level: .not, start: start)
    default: return nil
    }
  }

  func startsOperand(_ kind: TokenKind) -> Bool {
    switch kind {
    case .int, .float, .string, .blockString, .name, .quotedName, .dollar, .leftBracket, .leftBrace, .leftParenthesis,
      .dot, .caret, .minus, .plus, .bang:
      true
    default: false
    }
  }

  /// The operator that continues the expression at the current token (R2, R4, R9).
  func infixOperator(_ context: ExpressionContext) -> InfixOperator? {
    switch kind {
    case .rightParenthesis, .rightBrace, .rightBracket, .endOfFile: return nil
    case .name:
      if context.contains(.list) || commaBefore { return nil }
      return wordOperator(at: position) ?? (context.contains(.enclosed) ? foreignOperator(at: position) : nil)
    default: return commaBefore ? nil : symbolicOperator(context)
    }
  }

  private func symbolicOperator(_ context: ExpressionContext) -> InfixOperator? {
    switch kind {
    case .or, .pipe: return InfixOperator(.or, .or)
    case .and, .ampersand: return InfixOperator(.and, .and)
    case .equal: return InfixOperator(.equal, .comparison, width: touches(.equals) ? 2 : 1)
    case .equals:
      if touches(.greater) { return InfixOperator(.greaterOrEqual, .comparison, width: 2) }
      if touches(.less) { return InfixOperator(.lessOrEqual, .comparison, width: 2) }
      return InfixOperator(.equal, .comparison)
    case .notEqual: return InfixOperator(.notEqual, .comparison, width: touches(.equals) ? 2 : 1)
    case .less:
      if kind(ahead: 1) == .greater, !tokens.spaceAfter(at: position) {
        return InfixOperator(.notEqual, .comparison, width: 2)
      }
      return InfixOperator(.less, .comparison)
    case .lessOrEqual: return InfixOperator(.lessOrEqual, .comparison)
    case .greater: return InfixOperator(.greater, .comparison)
    case .greaterOrEqual: return InfixOperator(.greaterOrEqual, .comparison)
    case .match: return InfixOperator(.match, .comparison)
    case .notMatch: return InfixOperator(.notMatch, .comparison)
    case .coalesce: return InfixOperator(.coalesce, .coalesce)
    case .closedRange: return InfixOperator(.closedRange, .range)
    case .halfOpenRange: return InfixOperator(.halfOpenRange, .range)
    case .plus: return isInfixSign(context) ? InfixOperator(.add, .addition) : nil
    case .minus: return isInfixSign(context) ? InfixOperator(.subtract, .addition) : nil
    case .star:
      return touches(.star)
        ? InfixOperator(.multiply, .prefix, width: 2) : InfixOperator(.multiply, .multiplication)
    case .slash:
      guard touches(.slash) || touches(.star) else { return InfixOperator(.divide, .multiplication) }
      return isWholeDivision ? InfixOperator(.divide, .multiplication, width: 2) : nil
    case .percent: return InfixOperator(.remainder, .multiplication)
    default: return nil
    }
  }

  /// In a list a sign that touches what follows it, and not what precedes it, starts an element; and so does one that
  /// touches a number, because GraphQL says so (R4).
  private func isInfixSign(_ context: ExpressionContext) -> Bool {
    guard context.contains(.list) else { return true }
    if tokens.spaceBefore(at: position) { return tokens.spaceAfter(at: position) }
    return !isSignOfNumber
  }

  /// The operator that a word is behind an operand: never before `:` or `:=`, where an argument starts (R2).
  @inline(never) func wordOperator(at index: Int) -> InfixOperator? {
    guard tokens.kinds[index] == .name, !startsNamed(index) else { return nil }
    switch tokens.range(at: index).count {
    case 2:
      if isWord("or", "OR", at: index) { return InfixOperator(.or, .or) }
      if isWord("is", "IS", at: index) { return InfixOperator(.test, .comparison) }
      if isText("as", at: index) { return InfixOperator(.cast, .cast) }
    case 3:
      if isWord("and", "AND", at: index) { return InfixOperator(.and, .and) }
      if isWord("not", "NOT", at: index), index + 1 < tokens.count, !startsNamed(index + 1) {
        guard !tokens.commaBefore(at: index + 1) else { return nil }
        if startsBetween(at: index + 1) { return InfixOperator(.notIn, .comparison, width: 2) }
        return comparisonWord(at: index + 1).map { InfixOperator($0.negated, .comparison, width: 2) }
      }
      return nil
    case 7 where startsBetween(at: index): return InfixOperator(.in, .comparison)
    default: break
    }
    return comparisonWord(at: index).map { InfixOperator($0.plain, .comparison) }
  }

  func startsNamed(_ index: Int) -> Bool {
    guard index + 1 < tokens.count else { return false }
    return tokens.kinds[index + 1] == .colon || tokens.kinds[index + 1] == .walrus
  }

  private func comparisonWord(at index: Int) -> (plain: BinaryOperator, negated: BinaryOperator)? {
    guard tokens.kinds[index] == .name else { return nil }
    switch tokens.range(at: index).count {
    case 2 where isWord("in", "IN", at: index): return (.in, .notIn)
    case 4 where isWord("like", "LIKE", at: index): return (.like, .notLike)
    case 5 where isWord("ilike", "ILIKE", at: index): return (.ilike, .notIlike)
    case 7 where isText("matches", at: index): return (.matches, .notMatches)
    case 8 where isText("contains", at: index): return (.contains, .notContains)
    case 8 where isText("endsWith", at: index): return (.endsWith, .notEndsWith)
    case 10 where isText("startsWith", at: index): return (.startsWith, .notStartsWith)
    default: return nil
    }
  }
}
