import GQLBase
import GQLLexer

/// Forms of other languages inside expressions. They are read as what they mean, so that each is one problem.
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

  /// Reads what is no operand, but stands for one elsewhere: `:min`, `@min`, `?`, `/b/i`, nothing before `<= 30`.
  @inline(never) mutating func parseForeignOperand() -> Expression? {
    switch kind {
    case .slash: return parseRegularExpression()
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .equal, .notEqual: return leftOfComparison()
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

  /// `/b/i`, read as a text; nil if nothing ends it on its line.
  private mutating func parseRegularExpression() -> Expression? {
    let opening = start
    var end = Int(opening) + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "/") {
      if bytes[end] == 0x0A || bytes[end] == 0x0D { return nil }
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard end < bytes.count, end > Int(opening) + 1, end - Int(opening) <= Self.longestRepeated else { return nil }
    let pattern = text(SourceRange(start: opening + 1, end: UInt32(end)))
    let afterPattern = end + 1
    end = afterPattern
    while end < bytes.count, bytes[end] >= UInt8(ascii: "a"), bytes[end] <= UInt8(ascii: "z") { end += 1 }
    let isCaseless = bytes[afterPattern..<end].contains(UInt8(ascii: "i"))
    let place = SourceRange(start: opening, end: UInt32(end))
    let literal = StringLiteral(value: (isCaseless ? "(?i)" : "") + pattern, isBlock: false, range: place)
    let result = Expression(.string(literal), at: place)
    let text = print(result)
    report(.habit(.regularExpression, write: text, edits: [.init(place, text)]), at: place)
    repeat { advance() } while !at(.endOfFile) && Int(start) < end
    return result
  }

  /// Finds what `age >= 20 and <= 30` compares a second time; nil, and nothing is reported, where nothing was compared.
  private mutating func leftOfComparison() -> Expression? {
    // Why: the comparison goes on from here, so that something is read.
    guard !commaBefore, position > 0,
      isWord("and", "AND", at: position - 1) || isWord("or", "OR", at: position - 1)
        || [.and, .or].contains(tokens.kinds[position - 1]),
      case .binary(let connective)? = operators.last?.operation, connective == .and || connective == .or,
      case .binary(let operation, let left, _)? = operands.last?.expression.kind, operation.isComparison,
      let text = repeated(left, since: diagnostics.count)
    else { return nil }
    var comparison = "\(text) \(self.text(at: position))"
    if let end = endOfOperand(at: position + 1) {
      comparison += " \(self.text(SourceRange(start: tokens.starts[position + 1], end: tokens.ends[end - 1])))"
    }
    report(
      .habit(.halfComparison, write: comparison, edits: [.init(SourceRange(at: start), "\(text) ")]), at: range)
    return left
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

  func call(_ name: String, _ operands: [Expression], at range: SourceRange) -> Expression {
    let arguments = CallArguments(positional: operands, named: [], range: range)
    return Expression(.call(Name(name, at: SourceRange(at: range.start)), arguments), at: range)
  }

  /// `DATE '1990-01-01'`, read after its first word; nil if that is no type of SQL.
  @inline(never) mutating func parseTypedLiteral(_ type: Name) -> Expression? {
    guard ["date", "timestamp", "interval", "time"].contains(type.text.lowercased()) else { return nil }
    let isInterval = type.text.lowercased() == "interval"
    let literal = isInterval ? parseInterval() : parseString()
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

  /// Reads `$gt` as the key of an object.
  @inline(never) mutating func parseDollarKey() -> Name {
    let place = range.union(tokens.range(at: position + 1))
    let written = text(at: position + 1)
    let known = ForeignName.dollarOperators[written] ?? written
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
