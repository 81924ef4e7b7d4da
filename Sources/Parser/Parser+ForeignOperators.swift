import GQLBase
import GQLLexer

/// Operators that other languages have.
extension Parser {
  /// True if the next token is of this kind and touches the current one.
  func touches(_ next: TokenKind) -> Bool { kind(ahead: 1) == next && touchesNext(position) }

  /// Says what is wrong with an operator that other languages have.
  @inline(never) mutating func reportMistake(_ infix: InfixOperator, _ context: ExpressionContext) {
    switch kind {
    case .equal where infix.width == 2: reportOperator(.tripleEquals, "==")
    case .notEqual where infix.width == 2: reportOperator(.tripleEquals, "!=")
    case .equals where infix.width == 2:
      if !atClosure(infix) { reportOperator(.reversedComparison, kind(ahead: 1) == .greater ? ">=" : "<=") }
    case .star where infix.width == 2: reportFunction(.power, "pow")
    case .slash where infix.width == 2: reportFunction(.wholeDivision, "div")
    case .equals:
      report(.assignmentForEquality(comparesNull: at(word: "null", or: "NULL", ahead: 1)))
    case .ampersand: report(.singleConnective(replacement: "&&"))
    case .pipe: report(.singleConnective(replacement: "||"))
    case .less where infix.width == 2:
      report(.sqlInequality, at: range.union(tokens.range(at: position + 1)))
    case .name where infix.isForeign: reportWord(infix)
    case .minus where context.contains(.list) && !tokens.spaceBefore(at: position): report(.minusInList)
    default: break
    }
  }

  /// Reports an operator of two tokens.
  private mutating func reportOperator(_ habit: SyntaxHabit, _ text: String) {
    let place = range.union(tokens.range(at: position + 1))
    report(.habit(habit, write: text, edits: [.init(place, text)]), at: place)
  }

  /// Reports an operator of two tokens that is a function here, of the last operand and what follows.
  private mutating func reportFunction(_ habit: SyntaxHabit, _ name: String, width: Int = 2) {
    let place = range.union(tokens.range(at: position + width - 1))
    guard let left = operands.last?.expression, left.range.count <= 60, isPlain(left),
      let end = endOfOperand(at: position + width)
    else { return report(.habit(habit, write: nil), at: place) }
    let right = SourceRange(start: tokens.starts[position + width], end: tokens.ends[end - 1])
    let text = "\(name)(\(print(left)), \(self.text(right)))"
    report(.habit(habit, write: text, edits: [.init(left.range.union(right), text)]), at: place)
  }

  // MARK: Words

  /// The operator that a word of another language is behind an operand: `CONTAINS`, `eq`, `starts with`.
  @inline(never) func foreignOperator(at index: Int) -> InfixOperator? {
    guard index < tokens.count, tokens.kinds[index] == .name, tokens.range(at: index).count <= 11, !startsNamed(index)
    else { return nil }
    let word = text(at: index).lowercased()
    var infix: InfixOperator
    if word == "not" {
      guard index + 1 < tokens.count, !tokens.commaBefore(at: index + 1), text(at: index + 1).lowercased() != "not",
        let inner = foreignOperator(at: index + 1), case .binary(let operation) = inner.operation,
        let negated = BinaryOperator(rawValue: operation == .match ? "!~" : "not \(operation.rawValue)")
      else { return nil }
      infix = InfixOperator(negated, .comparison, width: inner.width + 1)
    } else if word == "starts" || word == "ends", isWord("with", "WITH", at: index + 1) {
      infix = InfixOperator(word == "starts" ? .startsWith : .endsWith, .comparison, width: 2)
    } else if word == "mod" || word == "div" {
      infix = InfixOperator(word == "mod" ? .remainder : .divide, .multiplication)
    } else if word == "to" {
      infix = InfixOperator(.closedRange, .range)
    } else if let operation = ForeignName.wordOperators[word].flatMap({ BinaryOperator(rawValue: $0) }) {
      infix = InfixOperator(operation, .comparison)
    } else {
      return nil
    }
    let next = index + infix.width
    guard next < tokens.count, startsOperand(tokens.kinds[next]), !tokens.commaBefore(at: next) else { return nil }
    infix.isForeign = true
    return infix
  }

  private mutating func reportWord(_ infix: InfixOperator) {
    guard case .binary(let operation) = infix.operation else { return }
    let words = range.union(tokens.range(at: position + infix.width - 1))
    if operation == .divide { return reportFunction(.wordOperator, "div", width: 1) }
    let symbol = operation.rawValue
    var edits: [Diagnostic.FixIt.Edit] = [.init(words, symbol)]
    if operation == .closedRange {
      edits = [.init(SourceRange(start: previousEnd, end: tokens.starts[position + infix.width]), symbol)]
    }
    guard text(at: position).lowercased() == "glob", kind(ahead: 1) == .string,
      tokens.range(at: position + 1).count < 60
    else { return report(.habit(.wordOperator, write: symbol, edits: edits), at: words) }
    // Its pattern has other signs.
    let pattern = text(at: position + 1).replacing("*", with: "%").replacing("?", with: "_")
    edits.append(.init(tokens.range(at: position + 1), pattern))
    report(.habit(.wordOperator, write: "\(symbol) \(pattern)", edits: edits), at: words)
  }

  /// Finds what `is 3` and `is not 3` mean, and their number of words; nil at a test for null or a type.
  var comparisonOfTest: (operation: BinaryOperator, width: Int)? {
    let isNegated = at(word: "not", or: "NOT", ahead: 1)
    let width = isNegated ? 2 : 1
    switch kind(ahead: width) {
    case .int, .float, .string, .blockString, .dollar:
      return tokens.commaBefore(at: position + width) ? nil : (isNegated ? .notEqual : .equal, width)
    default: return nil
    }
  }

  mutating func reportTest(_ operation: BinaryOperator, _ width: Int) {
    let words = range.union(tokens.range(at: position + width - 1))
    report(.habit(.wordOperator, write: operation.rawValue, edits: [.init(words, operation.rawValue)]), at: words)
  }

  /// True for operands that mean the same inside a call.
  private func isPlain(_ expression: Expression) -> Bool {
    switch expression.kind {
    case .unary, .missing: false
    default: true
    }
  }

  /// The index after a literal, a variable or a path that stands alone; nil if none begins here.
  func endOfOperand(at first: Int) -> Int? {
    var index = first
    guard index < tokens.count else { return nil }
    if tokens.kinds[index] == .minus, index + 1 < tokens.count, touchesNext(index) { index += 1 }
    switch tokens.kinds[index] {
    case .int, .float, .string: index += 1
    case .dollar where index + 1 < tokens.count && tokens.kinds[index + 1] == .name: index += 2
    case .name:
      index += 1
      while index + 1 < tokens.count, tokens.kinds[index] == .dot, tokens.kinds[index + 1] == .name { index += 2 }
    default: return nil
    }
    guard index < tokens.count, tokens.ends[index - 1] - tokens.starts[first] <= 60 else { return nil }
    switch tokens.kinds[index] {
    case .leftParenthesis, .leftBracket, .dot: return nil
    default: return index
    }
  }

  /// True at `//` between a whole quotient's operands, not at the beginning of a comment.
  var isWholeDivision: Bool {
    guard touches(.slash), position + 2 < tokens.count else { return false }
    var index = Int(tokens.ends[position + 1])
    while index < Int(tokens.starts[position + 2]) {
      if bytes[index] == 0x0A || bytes[index] == 0x0D { return false }
      index += 1
    }
    guard let end = endOfOperand(at: position + 2) else { return kind(ahead: 2) == .leftParenthesis }
    // Words after each other are a comment.
    return !(tokens.kinds[end - 1] == .name && tokens.kinds[end] == .name)
  }

  // MARK: BETWEEN

  /// True if a token is SQL's `between` before an operand.
  func startsBetween(at index: Int) -> Bool {
    guard isWord("between", "BETWEEN", at: index), index + 1 < tokens.count else { return false }
    return startsOperand(tokens.kinds[index + 1]) && !tokens.commaBefore(at: index + 1)
  }

  func atBetween(_ infix: InfixOperator) -> Bool {
    guard at(.name), infix.level == .comparison else { return false }
    return isWord("between", "BETWEEN", at: position + infix.width - 1)
  }

  /// `between low and high`, read as `in low..high`.
  @inline(never) mutating func parseBetween(
    _ operation: BinaryOperator, _ infix: InfixOperator, _ context: ExpressionContext, base: Int
  ) {
    let count = diagnostics.count
    let opening = range.union(tokens.range(at: position + infix.width - 1))
    let left = operands.last?.expression
    operators.append(PendingOperator(operation: .binary(operation), level: .comparison, start: start))
    for _ in 0..<infix.width { advance() }
    let first = start
    let low = parseOperand(context)
    var tall = height
    guard at(word: "and", or: "AND"), !commaBefore else {
      operands.append(Operand(expression: low, height: tall))
      return report(.habit(.between, write: nil), at: opening)
    }
    let connective = range
    advance()
    let high = parseOperand(context)
    tall = max(tall, height) + 1
    let interval = Expression(.binary(.closedRange, low, high), at: range(from: first))
    operands.append(Operand(expression: interval, height: tall))
    let word = operation == .in ? "in" : "not in"
    let text = left.flatMap { left in
      repeated(left, since: count).flatMap { left in repeated(interval, since: count).map { "\(left) \(word) \($0)" } }
    }
    let space = SourceRange(start: low.range.end, end: high.range.start)
    let edits: [Diagnostic.FixIt.Edit] = [.init(opening, word), .init(space.union(connective), "..")]
    report(.habit(.between, write: text, edits: edits), at: opening)
  }

  // MARK: Closures

  /// True at the arrow of `p => p.age > 30`.
  func atClosure(_ infix: InfixOperator) -> Bool {
    guard at(.equals), infix.width == 2, infix.operation.isGreaterOrEqual, position + 2 < tokens.count,
      case .name(let name)? = operands.last?.expression.kind, tokens.kinds[position + 2] == .name
    else { return false }
    return kind(ahead: 3) == .dot && text(at: position + 2) == name.text
  }

  /// Reads what stands behind the arrow, without the parameter.
  @inline(never) mutating func parseClosure(_ context: ExpressionContext, base: Int) {
    let parameter = operands.popLast()?.expression.range ?? range
    let arrow = parameter.union(tokens.range(at: position + 1))
    let name = tokens.range(at: position + 2)
    let edits: [Diagnostic.FixIt.Edit] = [.init(SourceRange(start: arrow.start, end: name.end), "")]
    report(.habit(.closure, write: nil, edits: edits), at: arrow)
    advance()
    advance()
    operands.append(Operand(expression: parseOperand(context), height: height))
  }
}

extension InfixOperator.Operation {
  fileprivate var isGreaterOrEqual: Bool {
    if case .binary(.greaterOrEqual) = self { return true }
    return false
  }
}
