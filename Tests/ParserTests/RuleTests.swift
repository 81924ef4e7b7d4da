import GQLBase
import GQLParser
import Testing

/// The rules R1–R20 that let expressions live inside GraphQL.
@Suite struct RuleTests {
  /// The values of the arguments of the first field, each printed with its structure in brackets.
  private func arguments(_ text: String, _ dialect: Dialect = .extended) -> [String]? {
    let parsed = parse(SourceText(text), dialect: dialect)
    guard !parsed.hasErrors, case .operation(let operation)? = parsed.output.definitions.first,
      case .field(let field)? = operation.selectionSet.selections.first
    else { return nil }
    return field.arguments.map { "\($0.name.text)=\(shape($0.value))" }
  }

  private func selections(_ text: String, _ dialect: Dialect = .extended) -> [String]? {
    let parsed = parse(SourceText(text), dialect: dialect)
    guard !parsed.hasErrors, case .operation(let operation)? = parsed.output.definitions.first else { return nil }
    return operation.selectionSet.selections.map(shape)
  }

  private func expression(_ text: String) -> String? {
    let parsed = parseExpression(SourceText(text))
    return parsed.hasErrors ? nil : shape(parsed.output)
  }

  @Test(arguments: [
    ("{ f(a: [not]) }", ["a=[not]"]),
    ("{ f(a: or, b: and) }", ["a=or", "b=and"]),
    ("{ f(in: in is: is not: not as: as like: like) }", ["in=in", "is=is", "not=not", "as=as", "like=like"]),
    ("{ f(a: true b: null) }", ["a=true", "b=null"]),
  ])
  func r1NoWordIsReserved(text: String, expected: [String]) {
    for dialect in Dialect.allCases { #expect(arguments(text, dialect) == expected) }
  }

  @Test func r1KeywordsNameAnything() {
    for word in ["not", "and", "or", "in", "is", "as", "like", "func", "let", "on", "type", "query", "fragment"] {
      let text = """
        query \(word)($\(word): \(word) = \(word)) @\(word)(\(word): \(word)) { \(word): \(word)(\(word): $\(word)) }
        type \(word) implements \(word) { \(word)(\(word): \(word) = \(word)): \(word) }
        enum \(word) { \(word) }
        """
      for dialect in Dialect.allCases {
        #expect(parse(SourceText(text), dialect: dialect).diagnostics.isEmpty, "\(word)")
      }
    }
  }

  @Test func r2NamedArgumentsAreNoOperators() {
    #expect(arguments(#"{ f(a: "" as: b) }"#) == [#"a="""#, "as=b"])
    #expect(arguments("{ f(a: x and: y) }") == ["a=x", "and=y"])
    #expect(arguments("{ f(a: x not in: y) }") == nil)
    #expect(arguments("{ f(a: x and y) }") == ["a=(x and y)"])
    #expect(selections("{ x := a in: b }") == ["x:=a", "in:b"])
  }

  @Test func r3PrefixNotNeedsAnOperand() {
    #expect(arguments("{ f(a: not b: c) }") == ["a=not", "b=c"])
    #expect(arguments("{ f(a: not) }") == ["a=not"])
    #expect(arguments("{ f(a: not b) }") == ["a=not(b)"])
    #expect(arguments("{ f(a: not, b: c) }") == ["a=not", "b=c"])
    #expect(arguments("{ f(a: not not b) }") == ["a=not(not(b))"])
    #expect(arguments("{ f(a: not == 1) }") == ["a=(not == 1)"])
  }

  @Test(arguments: [
    ("like or", "[like, or]"), ("not n", "[not, n]"), ("a -23.5", "[a, -23.5]"), ("1-2", "[1, -2]"),
    ("b []", "[b, []]"), ("b[]", "[b, []]"), ("$v[1]", "[$v, [1]]"), ("a - b", "[(a - b)]"), ("a -b", "[a, -(b)]"),
    ("a.b .c", "[a.b, .c]"), ("(a and b)", "[((a and b))]"), ("a > 1 b", "[(a > 1), b]"),
    ("f(x)[0]", "[f(x)[0]]"), ("f(x) [0]", "[f(x), [0]]"), ("a {b: c}", "[a, {b: c}]"), ("a-1", "[a, -1]"),
    (#""x" "y""#, #"["x", "y"]"#), ("(a -1)", "[((a - 1))]"),
  ])
  func r4ListsAreJuxtaposed(text: String, expected: String) {
    #expect(arguments("{ f(x: [\(text)]) }") == ["x=\(expected)"])
  }

  @Test func r5SignsAreFoldedByTheParser() {
    #expect(arguments("{ f(a: -1.5e+3) }") == ["a=-1.5e+3"])
    #expect(arguments("{ f(a: -9223372036854775808) }") == ["a=-9223372036854775808"])
    #expect(arguments("{ f(a: b -1) }") == ["a=(b - 1)"])
    #expect(arguments("{ f(a: b - 1) }") == ["a=(b - 1)"])
    #expect(arguments("{ f(a: - 1) }") == ["a=-(1)"])
    #expect(arguments("{ f(a: - 1) }", .graphql) == nil)
    #expect(expression("--1") == "-(-1)")
  }

  @Test(arguments: Dialect.allCases)
  func r6BangBeforeADefault(dialect: Dialect) {
    #expect(parse(SourceText("query($a: Int!=3){f}"), dialect: dialect).diagnostics.isEmpty)
    #expect(parse(SourceText("input I{f:[Int!]!=[1]}"), dialect: dialect).diagnostics.isEmpty)
    #expect(arguments("{ f(a: b!=c) }") == ["a=(b != c)"])
    #expect(arguments("{ f(a: b = 5) }") == nil)
  }

  @Test func r7DefaultsAreConstants() {
    for text in ["query ($a: E = not $b: [T]) {f}", #"query ($a: E = not "doc" $b: T) {f}"#] {
      for dialect in Dialect.allCases { #expect(parse(SourceText(text), dialect: dialect).diagnostics.isEmpty) }
    }
    #expect(!parse(SourceText("query ($a: Int = (1 + 2)) {f}")).hasErrors)
    #expect(parse(SourceText("query ($a: Int = 1 + 2) {f}")).hasErrors)
    #expect(parse(SourceText("query ($a: Int = ($b)) {f}")).hasErrors)
    #expect(parse(SourceText("query ($a: Int = (1 + 2)) {f}"), dialect: .graphql).hasErrors)
    #expect(parse(SourceText("type T { a: [E] = [not b] @d }")).diagnostics.isEmpty)
  }

  @Test func r8ComputedSelections() {
    #expect(selections("{ a: b or }") == ["a:b", "or"])
    #expect(selections("{ let if }") == ["let", "if"])
    #expect(selections("{ n: not active }") == ["n:not", "active"])
    #expect(selections("{ n: count(chats) }") == ["n:count(chats)"])
    #expect(selections("{ n: count() }") == ["n:count()"])
    #expect(selections("{ n: chats(limit: 3) }") == ["n:chats(limit)"])
    #expect(selections("{ n: (a > 1) }") == ["n:((a > 1))"])
    #expect(selections("{ n := a > 1 and b c }") == ["n:=((a > 1) and b)", "c"])
    #expect(selections("{ let x := 1 y }") == ["let x=1", "y"])
    #expect(selections("{ let := 1 }") == ["let:=1"])
    #expect(selections("{ isAdult: age >= 18 }") == nil)
    #expect(selections("{ a: b(c: 1) or }") == ["a:b(c)", "or"])
  }

  @Test func r9CommasEndExpressions() {
    #expect(arguments("{ f(x: [lastName, -age]) }") == ["x=[lastName, -(age)]"])
    #expect(arguments("{ f(x: [lastName -age]) }") == ["x=[lastName, -(age)]"])
    #expect(arguments("{ f(x: [a, (b)]) }") == ["x=[a, (b)]"])
    #expect(selections("{ n: round(x, -2) }") == ["n:round(x, -2)"])
    #expect(selections("{ n: round(x -2) }") == ["n:round((x - 2))"])
    #expect(selections("{ n: round(x y) }") == nil)
    #expect(arguments("{ f(x: a, and b) }") == nil)
    #expect(selections("{ x := a, in }") == ["x:=a", "in"])
  }

  @Test func r10Dollar() {
    #expect(arguments("{ f(a: $b) }") == ["a=$b"])
    for text in ["{ f(a: $) }", "{ f(a: $$b) }", "{ f(a: $.b) }"] { #expect(arguments(text) == nil) }
  }

  @Test func r11SingleConnectives() {
    #expect(!parse(SourceText("type T implements & A & B { a: B }\nunion U = | A | B")).hasErrors)
    #expect(arguments("{ f(a: b && c || d) }") == ["a=((b and c) or d)"])
    #expect(arguments("{ f(a: b & c) }") == nil)
  }

  @Test func r12SpreadsSplatsAndRanges() {
    #expect(selections("{ ...F ... on T {x} ... @skip(if: $a) {x} }") == ["...F", "...on T", "..."])
    #expect(selections("{ ...* ...** }") == ["...*", "...**"])
    #expect(selections("{ * a }") == ["*", "a"])
    #expect(selections("{ a * }") == nil)
    #expect(arguments("{ f(a: b in 1..5) }") == ["a=(b in (1 .. 5))"])
    #expect(arguments("{ f(a: 1..<5) }") == ["a=(1 ..< 5)"])
    #expect(arguments("{ f(a: 1...5) }") == nil)
    #expect(selections("{ ...* }", .graphql) == nil)
    #expect(selections("{ x := a\n * }") == nil)
  }

  @Test func r13CurrentAndOuter() {
    #expect(expression(".status == ^.status") == "(.status == ^.status)")
    #expect(expression(". in ^^.films") == "(. in ^^.films)")
    #expect(expression(". is User") == "(. is User)")
    #expect(expression("a @ b") == nil)
  }

  @Test func r14NoShapesInExpressions() {
    #expect(arguments("{ f(x: [a {b: c}]) }") == ["x=[a, {b: c}]"])
    #expect(selections("{ x := a {b} }") == ["x:=a{b}"])
    #expect(selections("{ n: first(a) {b} }") == ["n:first(a){b}"])
  }

  @Test func r15NamesAreOneNode() {
    #expect(arguments("{ f(a: status == ACTIVE) }") == ["a=(status == ACTIVE)"])
  }

  @Test func r16BlockStrings() {
    func value(_ text: String) -> String? {
      guard case .string(let literal) = parseExpression(SourceText(text)).output.kind else { return nil }
      return literal.value
    }
    #expect(value(#""""^\d+$""""#) == #"^\d+$"#)
    #expect(value("\"\"\"\n    a\n      b\n\n    c\n  \"\"\"") == "a\n  b\n\nc")
    #expect(value(#""""a\"""b""""#) == #"a"""b"#)
    #expect(value("\"\"\"a\r\n  b\r c\"\"\"") == "a\n b\nc")
    #expect(value("\"\"\"  a\"\"\"") == "  a")
    #expect(value("\"\"\"\"\"\"") == "")
    #expect(expression(#""a" "b""#) == nil)
  }

  @Test func r17BackquotedNames() {
    #expect(selections("{ `first name` `a`: b }") == ["first name", "a:b"])
    #expect(selections("{ `first name` }", .graphql) == nil)
    #expect(arguments("{ f(a: b `and` c) }") == nil)
    #expect(arguments("{ f(a: `true`) }") == ["a=true"])
    #expect(!parse(SourceText("{ f(a: `true`) }")).output.isSameTree(as: parse(SourceText("{ f(a: true) }")).output))
  }

  @Test func r18TopLevel() {
    let described = """
      "an operation" query Q("a variable" $a: Int) { a }
      \"\"\"a fragment\"\"\" fragment F on T { a }
      """
    for dialect in Dialect.allCases { #expect(parse(SourceText(described), dialect: dialect).diagnostics.isEmpty) }
    #expect(parse(SourceText(#""no shorthand" { a }"#)).hasErrors)
    let function = "func vat(x: Decimal rate: Decimal = (1.0 / 4)): Decimal! = x * rate type T { a: Int }"
    #expect(parse(SourceText(function)).output.definitions.count == 2)
    #expect(!parse(SourceText(function)).hasErrors)
    #expect(parse(SourceText(function), dialect: .graphql).hasErrors)
  }

  @Test func r19FragmentArguments() {
    let text = "{ ...F(n: 5) }\nfragment F($n: Int = 1) on T { a(n: $n) }"
    #expect(!parse(SourceText(text)).hasErrors)
    #expect(parse(SourceText(text), dialect: .graphql).hasErrors)
  }

  @Test func r20Characters() {
    func value(_ text: String) -> String? {
      let parsed = parseExpression(SourceText(text))
      guard !parsed.hasErrors, case .string(let literal) = parsed.output.kind else { return nil }
      return literal.value
    }
    #expect(value("\"\u{7}\u{1F600}\"") == "\u{7}\u{1F600}")
    #expect(value(#""\u{1F600}\u{00000041}\uD83D\uDE00\u00e9\/\b""#) == "\u{1F600}A\u{1F600}\u{E9}/\u{8}")
    for bad in [#""\uD83D""#, #""\uDE00\uD83D""#, #""\u{D83D}\u{DE00}""#, #""\u{110000}""#, #""\u{}""#, #""\u{1""#] {
      #expect(value(bad) == nil, "\(bad)")
    }
    let spaced = "\u{FEFF}{\ta,\r\nb\r,c # \u{7} \u{1F600}\r d \u{FEFF} e}"
    #expect(selections(spaced, .graphql) == ["a", "b", "c", "d", "e"])
  }

  @Test(arguments: [
    ("a or b and c == d", "(a or (b and (c == d)))"),
    ("a or b or c and d and not e or f", "(a or b or (c and d and not(e)) or f)"),
    ("a or (b or c) or d", "(a or ((b or c)) or d)"),
    ("a ?? 0 + 1 > 3", "((a ?? (0 + 1)) > 3)"),
    ("a ?? b ?? c", "(a ?? (b ?? c))"),
    ("a - b - c", "((a - b) - c)"),
    ("a + b * c % d", "(a + ((b * c) % d))"),
    ("not a == b and c", "(not((a == b)) and c)"),
    ("a and not b or c", "((a and not(b)) or c)"),
    ("-a.b * +c", "(-(a.b) * +(c))"),
    ("!a && b", "(!(a) and b)"),
    ("a not in b", "(a not in b)"),
    ("a is not null", "(a is not null)"),
    ("a is null or b is T", "((a is null) or (b is T))"),
    ("a is null or b == c", "((a is null) or (b == c))"),
    ("a as T == b", "((a as T) == b)"),
    ("-a as T", "(-(a) as T)"),
    ("a as T as U", "((a as T) as U)"),
    ("a in 1..n + 1", "(a in (1 .. (n + 1)))"),
    ("a.b(c: 1, d: 2).e[0]", "a.b(c: 1, d: 2).e[0]"),
    ("f(x, y, z: 1 w: 2)", "f(x, y, z: 1, w: 2)"),
    ("{a: 1 b: [c d]}", "{a: 1, b: [c, d]}"),
    ("a =~ \"x\" || b !~ \"y\"", "((a =~ \"x\") or (b !~ \"y\"))"),
    ("a startsWith b and c not like d", "((a startsWith b) and (c not like d))"),
    ("count(friends(where: .status == ^.status)) > 1", "(count(friends(where: (.status == ^.status))) > 1)"),
  ])
  func precedence(text: String, expected: String) {
    #expect(expression(text) == expected)
  }

  @Test(arguments: [
    "a < b < c", "a == b != c", "a is null == b", "a == b is null", "1..2..3", "a and", "or b", "a b", "a +", "(a",
    "a)",
    "f(a: 1, 2)", "[a", "{a 1}", "a.", "a[0", "", "a ? b", "a in", "^ ^ ^.a.", "..a", "a === b",
  ])
  func expressionsThatAreRefused(text: String) {
    let parsed = parseExpression(SourceText(text))
    #expect(parsed.hasErrors)
    for diagnostic in parsed.diagnostics { #expect(Int(diagnostic.range.end) <= text.utf8.count) }
  }

  // MARK: Shapes

  private func shape(_ selection: Selection) -> String {
    func set(_ set: SelectionSet?) -> String {
      set.map { "{" + $0.selections.map(shape).joined(separator: " ") + "}" } ?? ""
    }
    switch selection {
    case .field(let node):
      let arguments = node.arguments.isEmpty ? "" : "(" + node.arguments.map(\.name.text).joined(separator: ", ") + ")"
      return (node.alias.map { $0.text + ":" } ?? "") + node.name.text + arguments + set(node.selectionSet)
    case .fragmentSpread(let node): return "...\(node.name.text)"
    case .inlineFragment(let node): return "..." + (node.typeCondition.map { "on \($0.text)" } ?? "")
    case .splat(let node): return node.isBare ? "*" : node.isDouble ? "...**" : "...*"
    case .computed(let node):
      return node.name.text + (node.usesWalrus ? ":=" : ":") + shape(node.expression) + set(node.selectionSet)
    case .letBinding(let node): return "let \(node.name.text)=\(shape(node.expression))"
    }
  }

  private func shape(_ expression: Expression) -> String {
    func list(_ arguments: CallArguments) -> String {
      let named = arguments.named.map { "\($0.name.text): \(shape($0.value))" }
      return "(" + (arguments.positional.map(shape) + named).joined(separator: ", ") + ")"
    }
    switch expression.kind {
    case .int(let digits), .float(let digits): return digits
    case .string(let literal): return "\"\(literal.value)\""
    case .boolean(let value): return "\(value)"
    case .null: return "null"
    case .name(let name): return name.text
    case .variable(let name): return "$\(name.text)"
    case .list(let elements): return "[" + elements.map(shape).joined(separator: ", ") + "]"
    case .object(let fields):
      return "{" + fields.map { "\($0.name.text): \(shape($0.value))" }.joined(separator: ", ") + "}"
    case .parenthesized(let inner): return "(\(shape(inner)))"
    case .current(let name): return "." + (name?.text ?? "")
    case .outer(let count): return String(repeating: "^", count: count)
    case .member(let base, let name, let arguments):
      return shape(base) + "." + name.text + (arguments.map(list) ?? "")
    case .index(let base, let index): return "\(shape(base))[\(shape(index))]"
    case .call(let name, let arguments): return name.text + list(arguments)
    case .unary(let operation, let operand): return "\(operation.rawValue)(\(shape(operand)))"
    case .binary(let operation, let left, let right): return "(\(shape(left)) \(operation.rawValue) \(shape(right)))"
    case .chain(let operation, let terms):
      return "(" + terms.map(shape).joined(separator: " \(operation.rawValue) ") + ")"
    case .isTest(let operand, let negated, let type):
      return "(\(shape(operand)) is \(negated ? "not " : "")\(type.text))"
    case .cast(let operand, let type): return "(\(shape(operand)) as \(type.text))"
    case .missing: return "?"
    }
  }
}
