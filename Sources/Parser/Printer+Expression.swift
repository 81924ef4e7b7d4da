import GQLBase

extension Printer {
  /// - Parameter isOperand: true where the name `not` would be read as the operator.
  mutating func write(_ expression: Expression, isOperand: Bool = false) {
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
    case .index(let base, let index):
      write(base, isOperand: true)
      write("[")
      write(index, inList: false)
      write("]")
    case .call(let name, let arguments):
      write(name, quoting: Self.literals + ["not"])
      write(arguments)
    case .unary(let operation, let operand): write(operation, operand)
    case .binary(let operation, let left, let right): write(operation, left, right)
    case .chain(let operation, let terms): write(operation, terms)
    case .isTest(let operand, let negated, let type):
      write(operand, isOperand: true)
      write(negated ? " is not " : " is ")
      write(type, quoting: ["not"])
    case .cast(let operand, let type):
      write(operand, isOperand: true)
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

  private static let literals = ["true", "false", "null"]

  private mutating func writeList(_ elements: [Expression], _ range: SourceRange) {
    if elements.isEmpty, !hasComment(in: range) { return write("[]") }
    writeItems(
      elements, "[", "]", commaInBroken: true, region: inside(range), startOf: { $0.range.start }
    ) { $0.write($1, inList: true) }
  }

  private mutating func writeObject(_ fields: [ObjectField], _ range: SourceRange) {
    if fields.isEmpty, !hasComment(in: range) { return write("{}") }
    writeItems(
      fields, "{", "}", commaInBroken: false, region: inside(range), startOf: { $0.range.start }
    ) { printer, field in
      printer.write(field.name)
      printer.write(": ")
      printer.write(field.value, inList: false)
    }
  }

  private mutating func writeParenthesized(_ inner: Expression, _ range: SourceRange) {
    guard hasComment(in: range) else {
      write("(")
      write(inner, inList: false)
      return write(")")
    }
    writeItems(
      [inner], "(", ")", commaInBroken: false, region: inside(range), startOf: { $0.range.start }, mustBreak: true
    ) { $0.write($1, inList: false) }
  }

  /// A range without its closing bracket.
  private func inside(_ range: SourceRange) -> SourceRange {
    SourceRange(start: range.start, end: max(range.start, max(range.end, 1) - 1))
  }

  private mutating func writeMember(_ base: Expression, _ name: Name, _ arguments: CallArguments?) {
    if case .current(nil) = base.kind { mark(base.range.end) } else { write(base, isOperand: true) }
    // Why: a point that touches a number is part of it.
    write(base.isNumber ? " ." : ".")
    write(name)
    if let arguments { write(arguments) }
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
      case .positional(let expression): printer.write(expression, inList: false)
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
    write(operand, isOperand: true)
  }

  private mutating func write(_ operation: BinaryOperator, _ left: Expression, _ right: Expression) {
    write(left, isOperand: true)
    switch operation {
    case .closedRange, .halfOpenRange:
      let isTight = left.isSimpleBound && right.isSimpleBound
      write(isTight ? operation.rawValue : " \(operation.rawValue) ")
    default: write(" \(operation.rawValue) ")
    }
    write(right, isOperand: true)
  }

  private mutating func write(_ connective: BinaryOperator, _ terms: [Expression]) {
    let symbol = isInList ? (connective == .and ? " && " : " || ") : " \(connective.rawValue) "
    for (index, term) in terms.enumerated() {
      if index > 0 { write(symbol) }
      write(term, isOperand: true)
    }
  }
}

extension Expression {
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
