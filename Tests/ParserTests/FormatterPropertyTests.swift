import Foundation
import GQLBase
import GQLParser
import Testing

/// Formatting keeps the tree up to needless parentheses, and what was formatted stays as it is.
func checkFormat(_ source: SourceText, _ dialect: Dialect = .extended) {
  let formatted = format(source, dialect: dialect)
  guard !formatted.hasErrors else { return }
  let text = SourceText(formatted.output)
  let again = parse(text, dialect: dialect)
  let shown = "\(source.string(SourceRange(start: 0, end: .max)))\nformatted as\n\(formatted.output)"
  guard !again.hasErrors, again.output.isSameTreeUpToParentheses(as: parse(source, dialect: dialect).output) else {
    Issue.record("\(shown)")
    return
  }
  let twice = format(text, dialect: dialect).output
  if twice != formatted.output { Issue.record("\(shown)\nand then\n\(twice)") }
}

@Suite struct FormatterPropertyTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL

  /// A condition as the formatter writes it on one line.
  private func condition(_ text: String) -> String {
    let output = format(SourceText("{ A(where: \(text)) { b } }")).output
    guard let start = output.range(of: "where: "), let end = output.range(of: ") {\n    b") else { return output }
    return String(output[start.upperBound..<end.lowerBound])
  }

  @Test(
    "parentheses that change nothing are left out",
    arguments: [
      ("(a)", "a"), ("((a))", "a"), ("(a == b) and (c)", "a == b and c"), ("(a or b) and c", "(a or b) and c"),
      ("(a and b) or c", "a and b or c"), ("a and (b and c)", "a and (b and c)"), ("not (a == b)", "not a == b"),
      ("not (a and b)", "not (a and b)"), ("not (not a)", "not not a"), ("(not a) and b", "not a and b"),
      ("(not a) == b", "(not a) == b"), ("(a + b) * c", "(a + b) * c"), ("(a * b) + c", "a * b + c"),
      ("(a + b) + c", "a + b + c"), ("a + (b + c)", "a + (b + c)"), ("a - (b - c)", "a - (b - c)"),
      ("a * (b / c)", "a * (b / c)"), ("(a ?? b) ?? c", "(a ?? b) ?? c"), ("a ?? (b ?? c)", "a ?? b ?? c"),
      ("(a ?? b) == c", "a ?? b == c"), ("(a == b) == c", "(a == b) == c"), ("(a is null) == b", "(a is null) == b"),
      ("(a is null) or (b is not null)", "a is null or b is not null"), ("(a == b) is T", "(a == b) is T"),
      ("(a as T) == b", "a as T == b"), ("(a as T) + b", "(a as T) + b"), ("(a + b) as T", "a + b as T"),
      ("(a as T) as U", "a as T as U"), ("a in (1..(n + 1))", "a in 1 .. n + 1"), ("(1..2)..3", "(1..2)..3"),
      ("-(a)", "-a"), ("-(5)", "-(5)"), ("-(-a)", "-(-a)"), ("-(a.b)", "-a.b"), ("-(a + b)", "-(a + b)"),
      ("a - (-b)", "a - (-b)"), ("(-a) - b", "-a - b"), ("!(a)", "!a"), ("(a).b", "a.b"), ("(a.b).c", "a.b.c"),
      ("(.).b", "(.).b"), ("(.a).b", ".a.b"), ("(1).b", "(1).b"), ("(a + b).c", "(a + b).c"), ("(a)[(0)]", "a[0]"),
      ("f((a), b: (c + d))", "f(a, b: c + d)"), ("{a: (b)}", "{a: b}"),
      ("[(a), (b + c), (-1), (f(x))]", "[a, (b + c), -1, f(x)]"),
      ("[(a)[0], (b).c]", "[(a)[0], (b).c]"), ("[((a or b))]", "[(a or b)]"), ("a like (b)", "a like b"),
      ("(not)", "not"), ("(not) == b", "`not` == b"), ("(a && b) || c", "a and b or c"),
    ])
  func parentheses(_ text: String, _ expected: String) {
    #expect(condition(text) == expected)
    checkFormat(SourceText("{ A(where: \(text)) { b } }"))
  }

  @Test("parentheses that the grammar asks for stay") func needed() {
    for text in [
      "query ($a: Int = (1 + 2)) {\n  a\n}\n", "func f(a: Int = (1 + 2)): Int = a\n", "{\n  n: (a + b)\n}\n",
      "{\n  a(b: c) {\n    d: (e)\n  }\n}\n",
    ] { #expect(format(SourceText(text)).output == text) }
  }

  @Test("parentheses with a comment stay, and so does the comment") func comments() {
    let text = """
      {
        A(
          where: a
            # of a
            and (
              # of b
              b
            )
        ) {
          x := a # of a
            + b
            + c
        }
      }

      """
    #expect(format(SourceText(text)).output == text)
  }

  @Test("terms that do not fit a line stand on lines of their own") func terms() {
    let text = """
      { Person(where: (age > 30 and age < 40 or lastName startsWith "A very long beginning") and (not (status == BLOCKED)) and tags contains "swift") {
        full := firstName + " " + lastName + " of " + address.city + " in the country of " + address.country { x }
        short := a and b
        n: count(messages(where: text matches "swift database" and likes > 3 and author.email == "bo@example.org"))
        m := max(messages, likes) == some(messages(where: likes > 3), text matches "quite a long text of many words")
      } }
      """
    let expected = """
      {
        Person(
          where: (age > 30 and age < 40 or lastName startsWith "A very long beginning")
            and not status == BLOCKED
            and tags contains "swift"
        ) {
          full := firstName
            + " "
            + lastName
            + " of "
            + address.city
            + " in the country of "
            + address.country {
            x
          }
          short := a and b
          n: count(
            messages(
              where: text matches "swift database" and likes > 3 and author.email == "bo@example.org"
            )
          )
          m := max(messages, likes) == some(
            messages(where: likes > 3),
            text matches "quite a long text of many words"
          )
        }
      }

      """
    #expect(format(SourceText(text)).output == expected)
    #expect(format(SourceText(expected)).output == expected)
  }

  /// Random expressions of every operator, with parentheses anywhere, short and long.
  @Test func randomExpressions() {
    var random = SeededGenerator(seed: 19)
    for round in 0..<6_000 {
      let width = round % 3 == 0 ? 24 : 2
      let text = expression(depth: Int.random(in: 1...5, using: &random), width, &random)
      let source = SourceText(
        round % 2 == 0 ? "{ x := \(text) { y } z := \(text) w }" : "{ f(a: \(text), b: [(\(text)), 1], c: 2) { y } }")
      #expect(!parse(source).hasErrors, "\(text)")
      checkFormat(source)
      // Nothing in it is longer than half a line, so nothing but depth makes long lines.
      for line in format(source).output.split(separator: "\n") where line.utf8.count > 100 {
        if line.prefix(while: { $0 == " " }).count < 40 { Issue.record("\(text)\n\(line)") }
      }
    }
  }

  private func expression(depth: Int, _ width: Int, _ random: inout SeededGenerator) -> String {
    func inner() -> String {
      // Each operand in parentheses, so that any operator may stand in any other.
      let text = expression(depth: depth - 1, width, &random)
      return Int.random(in: 0..<6, using: &random) == 0 ? "((\(text)))" : "(\(text))"
    }
    func one(_ choices: String...) -> String { choices[Int.random(in: choices.indices, using: &random)] }
    guard depth > 0 else {
      let name = String(repeating: "n", count: Int.random(in: 1...width, using: &random))
      return one(name, "\"\(name)\"", "$v", "12", "-3", ".\(name)", "^.a", "null", "not", "[1, (a)]")
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return one("not ", "-", "+", "!") + inner()
    case 1: return inner() + one(" is T", " is not null", " as T")
    case 2: return inner() + one(".b", ".b(c)", "[0]", "[\(inner())]")
    case 3: return "f(\(inner()), g: \(inner()))"
    case 4: return "[\(inner()), a]"
    case 5: return "{k: \(inner())}"
    case 6:
      let connective = one(" and ", " or ")
      return (0...3).map { _ in inner() }.joined(separator: connective)
    default:
      let operation = one(
        "and", "or", "+", "-", "*", "/", "??", "==", "<", "in", "not like", "matches", "..", "..<")
      return "\(inner()) \(operation) \(inner())"
    }
  }

  /// Documents of the golden corpus and of the examples.
  @Test func corpus() throws {
    var count = 0
    for folder in ["Tests/Corpus", "Examples"] {
      let files = FileManager.default.enumerator(
        at: Self.repository.appending(path: folder), includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard ["query", "graphql"].contains(file.pathExtension) else { continue }
        let source = SourceText(name: file.path, bytes: Array(try Data(contentsOf: file)))
        guard !parse(source).hasErrors else { continue }
        count += 1
        checkFormat(source)
        for line in format(source).output.split(separator: "\n") where line.utf8.count > 100 {
          let isDeep = line.prefix(while: { $0 == " " }).count > 60
          if !isDeep, !line.contains("#"), !line.contains("\"") { Issue.record("\(file.path): \(line)") }
        }
      }
    }
    #expect(count > 600)
  }
}
