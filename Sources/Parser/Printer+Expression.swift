import GQLBase

extension Printer {
  /// - Parameter isOperand: true where the name `not` would be read as the operator.
  mutating func write(_ expression: Expression, isOperand: Bool = false) {
    if givesUp() { return }
    let startsLine = self.startsLine
    self.startsLine = false
    switch expression.kind {
    case .int(let digits), .float(let digits): write(digits)
    case .string(let literal): write(literal)
    case .boolean(let value): write(value ? "true" : "false")
    case .null, .missing: write("null")
    case .name(let name): write(name, quoting: isOperand ? Self.literals + ["not"] : Self.literals)
    case .variable(let name):
      write("$")
      write(name)
    case .list(let elements): writeList(elements, expression.range)
    case .object(let fields): writeObject(fields, expression.range)
    case .parenthesized(let inner): writeParenthesized(inner, expression.range)
    case .current(let name):
      write(".")
      if let name { write(name) }
    case .outer(let count): write(String(repeating: "^", count: count))
    case .member(let base, let name, let arguments): writeMember(base, name, arguments)
    case .index(let base, let index): writeIndex(base, index)
    case .call(let name, let arguments):
      write(name, quoting: Self.literals + ["not"])
      write(arguments)
    case .unary(let operation, let operand): write(operation, operand)
    case .binary(.add, _, _), .binary(.subtract, _, _): writeSum(expression, startsLine: startsLine)
    case .binary(let operation, let left, let right): write(operation, left, right)
    case .chain(let operation, let terms): write(operation, terms, startsLine: startsLine)
    case .isTest(let operand, let negated, let type):
      let operation = negated ? " is not " : " is "
      write(
        operand, asOperandOf: .coalesce, before: operation.utf8.count + columns(of: type, quoting: ["not"]) + reserved)
      write(operation)
      write(type, quoting: ["not"])
    case .cast(let operand, let type):
      write(operand, asOperandOf: .cast, before: 4 + columns(of: type) + reserved)
      write(" as ")
      write(type)
    }
    mark(expression.range.end)
  }

  /// Writes what brackets hold: what stands directly in a list knows no word operators.
  mutating func write(_ expression: Expression, inList: Bool) {
    let outer = isInList
    isInList = inList
    write(expression)
    isInList = outer
  }

  /// Writes what stands between brackets, commas or names, where no operator around it can take a part of it.
  mutating func writeWhole(_ expression: Expression, isOperand: Bool = false) {
    let outer = isInList
    isInList = false
    write(peeled(expression, level: .or), isOperand: isOperand)
    isInList = outer
    mark(expression.range.end)
  }

  /// Writes an operand of an operator that takes operands of a level and tighter ones.
  ///
  /// - Parameter columns: how many columns of the same line what stands behind it takes; as many as are reserved, if
  ///   nothing does.
  private mutating func write(
    _ operand: Expression, asOperandOf level: OperatorLevel, isAfterSign: Bool = false, before columns: Int? = nil
  ) {
    let peeled = peeled(operand, level: level, isAfterSign: isAfterSign)
    // What is tried on one line is measured when all of it stands there.
    write(reserving: isInline ? reserved : columns ?? reserved) { $0.write(peeled, isOperand: true) }
    mark(operand.range.end)
  }

  /// An expression without the parentheses around it that are not needed where an operand of some level may stand.
  private func peeled(
    _ expression: Expression, level: OperatorLevel, isAfterSign: Bool = false, isInList: Bool? = nil
  ) -> Expression {
    // Directly inside a list blanks part elements.
    guard dropsParentheses, !(isInList ?? self.isInList) else { return expression }
    var result = expression
    while case .parenthesized(let inner) = result.kind, inner.level >= level, !hasComment(in: result.range) {
      if level == .postfix, inner.isNumber || inner.isCurrent { break }
      if isAfterSign, inner.unparenthesized.startsWithSign || inner.unparenthesized.startsWithDigit { break }
      result = inner
    }
    return result
  }

  /// An element of a list without needless parentheses: only what no blank can divide stands without.
  private func peeled(element: Expression) -> Expression {
    guard dropsParentheses, !hasComment(in: element.range) else { return element }
    return element.unparenthesized.isPrimary ? element.unparenthesized : element
  }

  private static let literals = ["true", "false", "null"]

  private mutating func writeList(_ elements: [Expression], _ range: SourceRange) {
    if elements.isEmpty, !hasComment(in: range) { return write("[]") }
    writeItems(
      elements, "[", "]", commaInBroken: true, region: inside(range), startOf: { $0.range.start }
    ) { printer, element in
      printer.write(printer.peeled(element: element), inList: true)
      printer.mark(element.range.end)
    }
  }

  private mutating func writeObject(_ fields: [ObjectField], _ range: SourceRange) {
    if fields.isEmpty, !hasComment(in: range) { return write("{}") }
    writeItems(
      fields, "{", "}", commaInBroken: false, region: inside(range), startOf: { $0.range.start }
    ) { printer, field in
      printer.write(field.name)
      printer.write(": ")
      printer.writeWhole(field.value)
    }
  }

  private mutating func writeParenthesized(_ inner: Expression, _ range: SourceRange) {
    writeItems(
      [inner], "(", ")", commaInBroken: false, region: inside(range), startOf: { $0.range.start },
      mustBreak: hasComment(in: range)
    ) { printer, inner in
      printer.startsLine = true
      printer.writeWhole(inner)
    }
  }

  /// A range without its closing bracket.
  private func inside(_ range: SourceRange) -> SourceRange {
    SourceRange(start: range.start, end: max(range.start, max(range.end, 1) - 1))
  }

  private mutating func writeMember(_ base: Expression, _ name: Name, _ arguments: CallArguments?) {
    // A point that touches a number is part of it.
    let point = base.isNumber ? " ." : "."
    if case .current(nil) = base.kind {
      mark(base.range.end)
    } else {
      let step = point.utf8.count + columns(of: name)
      write(base, asOperandOf: .postfix, before: step + (arguments.map { firstColumns(of: $0) } ?? reserved))
    }
    write(point)
    write(name)
    if let arguments { write(arguments) }
  }

  private mutating func writeIndex(_ base: Expression, _ index: Expression) {
    let first = firstColumns(of: peeled(index, level: .or, isInList: false), limit: Self.width)
    write(base, asOperandOf: .postfix, before: 1 + first.count + (first.isAll ? 1 + reserved : 0))
    write("[")
    write(reserving: reserved + 1) { $0.writeWhole(index) }
    write("]")
  }

  private enum CallItem {
    case positional(Expression)
    case named(Argument)

    var start: UInt32 {
      switch self {
      case .positional(let expression): expression.range.start
      case .named(let argument): argument.range.start
      }
    }
  }

  private mutating func write(_ arguments: CallArguments) {
    let items = arguments.positional.map { CallItem.positional($0) } + arguments.named.map { CallItem.named($0) }
    if items.isEmpty, !hasComment(in: arguments.range) { return write("()") }
    writeItems(
      items, "(", ")", commaInBroken: true, region: inside(arguments.range), startOf: { $0.start }
    ) { printer, item in
      switch item {
      case .positional(let expression): printer.writeWhole(expression)
      case .named(let argument): printer.write(argument)
      }
    }
    mark(arguments.range.end)
  }

  private mutating func write(_ operation: UnaryOperator, _ operand: Expression) {
    switch operation {
    case .not: write("not ")
    case .bang: write("!")
    case .plus: write("+")
    case .minus: write(operand.startsWithDigit ? "- " : "-")
    }
    write(operand, asOperandOf: operation == .not ? .not : .prefix, isAfterSign: operation != .not)
  }

  private mutating func write(_ operation: BinaryOperator, _ left: Expression, _ right: Expression) {
    let levels = operation.operandLevels
    let left = peeled(left, level: levels.left)
    let right = peeled(right, level: levels.right, isAfterSign: operation.isArithmetic)
    let isRange = operation == .closedRange || operation == .halfOpenRange
    let isTight = isRange && left.isSimpleBound && right.isSimpleBound
    let symbol = isTight ? operation.rawValue : " \(operation.rawValue) "
    if !isInline {
      if writeIfItFits({ $0.write(symbol, left, right) }) { return }
      // The left side leaves room for the operator and what cannot be broken behind it.
      let first = firstColumns(of: right, limit: Self.width)
      write(reserving: symbol.utf8.count + first.count + (first.isAll ? reserved : 0)) {
        $0.write(left, isOperand: true)
      }
      write(symbol)
      return write(right, isOperand: true)
    }
    write(symbol, left, right)
  }

  private mutating func write(_ symbol: String, _ left: Expression, _ right: Expression) {
    write(left, isOperand: true)
    write(symbol)
    write(right, isOperand: true)
  }

  // MARK: Terms

  /// A term behind the first one, with the operator before it.
  private struct Term {
    var symbol: String
    var expression: Expression
  }

  private mutating func write(_ connective: BinaryOperator, _ terms: [Expression], startsLine: Bool) {
    let symbol = isInList ? (connective == .and ? "&&" : "||") : connective.rawValue
    let level: OperatorLevel = connective == .and ? .not : .and
    let terms = terms.map { peeled($0, level: level) }
    guard let first = terms.first else { return }
    write(first, terms.dropFirst().map { Term(symbol: symbol, expression: $0) }, startsLine: startsLine)
  }

  /// Sums and differences from left to right.
  private mutating func writeSum(_ sum: Expression, startsLine: Bool) {
    var first = sum
    var terms: [Term] = []
    while case .binary(let operation, let left, let right) = first.kind, operation == .add || operation == .subtract {
      let levels = operation.operandLevels
      terms.append(
        Term(
          symbol: operation.rawValue, expression: peeled(right, level: levels.right, isAfterSign: true)))
      first = peeled(left, level: levels.left)
    }
    write(first, terms.reversed(), startsLine: startsLine)
  }

  /// Writes terms on one line, or each on its own.
  private mutating func write(_ first: Expression, _ terms: [Term], startsLine: Bool) {
    guard !isInline else { return writeInline(first, terms) }
    let last = terms.last?.expression ?? first
    let hasComment = hasComment(
      in: SourceRange(start: first.range.start, end: max(first.range.start, last.range.start)))
    if !hasComment, writeIfItFits({ $0.writeInline(first, terms) }) { return }
    let outer = reserved
    let indent = startsLine ? 0 : 2
    reserved = 0
    indentation += indent
    write(first, isOperand: true)
    for (index, term) in terms.enumerated() {
      breakLine()
      flushComments(before: term.expression.range.start, keepsBlankLines: false)
      if index == terms.count - 1 { reserved = outer }
      write(term.symbol + " ")
      write(term.expression, isOperand: true)
    }
    reserved = outer
    indentation -= indent
  }

  private mutating func writeInline(_ first: Expression, _ terms: [Term]) {
    write(first, isOperand: true)
    for term in terms {
      if givesUp() { return }
      write(" " + term.symbol + " ")
      write(term.expression, isOperand: true)
    }
  }
}

// MARK: - First lines

extension Printer {
  /// How many columns an expression takes up to the first place where its line can be broken.
  private struct FirstColumns {
    var count: Int
    /// True if there is no such place.
    var isAll: Bool

    static func all(_ count: Int) -> FirstColumns { FirstColumns(count: count, isAll: true) }
    static func part(_ count: Int) -> FirstColumns { FirstColumns(count: count, isAll: false) }

    /// Columns that stand behind these on the same line.
    func followed(by next: FirstColumns) -> FirstColumns {
      isAll ? FirstColumns(count: count + next.count, isAll: next.isAll) : self
    }
  }

  /// - Parameter limit: the number of columns beyond which it makes no difference how many there are.
  ///
  /// Complexity: O(limit) nodes, and as many as are nested.
  private func firstColumns(of expression: Expression, limit: Int) -> FirstColumns {
    guard limit > 0 else { return .part(0) }
    func operand(_ operand: Expression, _ level: OperatorLevel, isAfterSign: Bool = false, behind columns: Int = 0)
      -> FirstColumns
    {
      let first = firstColumns(
        of: peeled(operand, level: level, isAfterSign: isAfterSign), limit: limit - columns)
      return FirstColumns.all(columns).followed(by: first)
    }
    switch expression.kind {
    case .int(let digits), .float(let digits): return .all(digits.utf8.count)
    case .string(let literal): return literal.isBlock ? .part(3) : .all(quoted(literal.value).utf8.count)
    case .boolean(let value): return .all(value ? 4 : 5)
    case .null, .missing: return .all(4)
    case .name(let name): return .all(columns(of: name, quoting: Self.literals + ["not"]))
    case .variable(let name): return .all(1 + columns(of: name))
    case .list(let elements): return elements.isEmpty ? .all(2) : .part(1)
    case .object(let fields): return fields.isEmpty ? .all(2) : .part(1)
    case .parenthesized: return .part(1)
    case .current(let name): return .all(1 + (name.map { columns(of: $0) } ?? 0))
    case .outer(let count): return .all(count)
    case .member(let base, let name, let arguments):
      let isElement = if case .current(nil) = base.kind { true } else { false }
      let first = isElement ? FirstColumns.all(0) : operand(base, .postfix)
      let point = base.isNumber ? 2 : 1
      return first.followed(by: .all(point + columns(of: name))).followed(
        by: arguments.map { columns(of: $0) } ?? .all(0))
    case .index(let base, let index):
      let first = operand(base, .postfix).followed(by: .all(1))
      guard first.isAll else { return first }
      return first.followed(
        by: firstColumns(of: peeled(index, level: .or, isInList: false), limit: limit - first.count)
      ).followed(by: .all(1))
    case .call(let name, let arguments):
      return FirstColumns.all(columns(of: name, quoting: Self.literals + ["not"])).followed(by: columns(of: arguments))
    case .unary(let operation, let inner):
      if operation == .not { return operand(inner, .not, behind: 4) }
      let blank = operation == .minus && inner.startsWithDigit ? 1 : 0
      return operand(inner, .prefix, isAfterSign: true, behind: 1 + blank)
    case .binary(let operation, let left, let right):
      let levels = operation.operandLevels
      let first = operand(left, levels.left)
      guard first.isAll, operation != .add, operation != .subtract else { return .part(first.count) }
      return operand(
        right, levels.right, isAfterSign: operation.isArithmetic,
        behind: first.count + operation.rawValue.utf8.count + 2)
    case .chain(let operation, let terms):
      guard let first = terms.first else { return .all(0) }
      return .part(operand(first, operation == .and ? .not : .and).count)
    case .isTest(let inner, let negated, let type):
      return operand(inner, .coalesce).followed(by: .all((negated ? 8 : 4) + columns(of: type, quoting: ["not"])))
    case .cast(let inner, let type):
      return operand(inner, .cast).followed(by: .all(4 + columns(of: type)))
    }
  }

  private func columns(of arguments: CallArguments) -> FirstColumns {
    let isEmpty = arguments.positional.isEmpty && arguments.named.isEmpty && !hasComment(in: arguments.range)
    return isEmpty ? .all(2) : .part(1)
  }

  /// The columns up to the first break of arguments, and what is reserved behind them if there is none.
  private func firstColumns(of arguments: CallArguments) -> Int {
    let first = columns(of: arguments)
    return first.count + (first.isAll ? reserved : 0)
  }
}

extension BinaryOperator {
  /// The levels of operands that need no parentheses, on either side.
  fileprivate var operandLevels: (left: OperatorLevel, right: OperatorLevel) {
    switch self {
    case .or: (.and, .and)
    case .and: (.not, .not)
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .match, .notMatch, .in, .notIn, .like,
      .notLike, .ilike, .notIlike, .contains, .notContains, .startsWith, .notStartsWith, .endsWith, .notEndsWith,
      .matches, .notMatches:
      (.coalesce, .coalesce)
    case .coalesce: (.cast, .coalesce)
    case .closedRange, .halfOpenRange: (.addition, .addition)
    case .add, .subtract: (.addition, .multiplication)
    case .multiply, .divide, .remainder: (.multiplication, .prefix)
    }
  }

  fileprivate var level: OperatorLevel {
    switch self {
    case .or: .or
    case .and: .and
    case .coalesce: .coalesce
    case .closedRange, .halfOpenRange: .range
    case .add, .subtract: .addition
    case .multiply, .divide, .remainder: .multiplication
    default: .comparison
    }
  }

  /// True where a sign behind the operator is hard to read.
  fileprivate var isArithmetic: Bool { level >= .range }
}

extension Expression {
  /// How tightly the outermost operator binds.
  fileprivate var level: OperatorLevel {
    switch kind {
    case .chain(let operation, _), .binary(let operation, _, _): operation.level
    case .unary(.not, _): .not
    case .unary: .prefix
    case .isTest: .comparison
    case .cast: .cast
    default: .postfix
    }
  }

  fileprivate var isCurrent: Bool { if case .current(nil) = kind { true } else { false } }

  /// True for what has no parts that blanks could divide.
  fileprivate var isPrimary: Bool {
    switch kind {
    case .int, .float, .string, .boolean, .null, .name, .variable, .list, .object, .call: true
    default: false
    }
  }

  /// True if the text begins with a plus, a minus or a `!`.
  fileprivate var startsWithSign: Bool {
    switch kind {
    case .int(let digits), .float(let digits): digits.utf8.first == UInt8(ascii: "-")
    case .unary(let operation, _): operation != .not
    case .binary(_, let left, _): left.startsWithSign
    case .member(let base, _, _), .index(let base, _), .cast(let base, _), .isTest(let base, _, _):
      base.startsWithSign
    default: false
    }
  }

  /// True if a minus before the text would become part of a number.
  fileprivate var startsWithDigit: Bool {
    switch kind {
    case .int(let digits), .float(let digits): digits.utf8.first != UInt8(ascii: "-")
    case .member(let base, _, _), .index(let base, _): base.startsWithDigit
    default: false
    }
  }

  fileprivate var isNumber: Bool {
    switch kind {
    case .int, .float: true
    default: false
    }
  }

  /// True for bounds of a range that need no spaces.
  fileprivate var isSimpleBound: Bool {
    switch kind {
    case .int, .variable, .name, .parenthesized: true
    default: false
    }
  }
}
