import Foundation
import GQLBase
import GQLParser
import Testing

@Suite struct GrammarTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL

  private static func grammar() throws -> String {
    try String(contentsOf: repository.appending(path: "grammar/gqlite.ebnf"), encoding: .utf8)
  }

  /// The productions of a text, each on one line.
  private static func productions(_ text: String) -> [String] {
    var found: [String] = []
    var current = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if current.isEmpty, line.prefixMatch(of: #/[A-Z][A-Za-z]* = /#) == nil { continue }
      current += (current.isEmpty ? "" : " ") + line.trimmingPrefix(while: { $0 == " " })
      if line.hasSuffix(";") {
        found.append(current)
        current = ""
      }
    }
    return found
  }

  @Test func theFileAndTheFunctionsHaveTheSameProductions() throws {
    var inCode: [String] = []
    for folder in ["Sources/Lexer", "Sources/Parser"] {
      let path = Self.repository.appending(path: folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: path.path).sorted() {
        let text = try String(contentsOf: path.appending(path: name), encoding: .utf8)
        let comments = text.split(separator: "\n").map { $0.trimmingPrefix(while: { $0 == " " }) }
          .filter { $0.hasPrefix("///") }.map { $0.dropFirst(3).trimmingPrefix(" ") }
        inCode += Self.productions(comments.joined(separator: "\n"))
      }
    }
    let inFile = Self.productions(try Self.grammar())
    #expect(inFile.count > 60)
    #expect(Set(inFile).count == inFile.count)
    #expect(inCode.sorted() == inFile.sorted())
  }

  @Test func sentencesOfTheGrammarParse() throws {
    var generator = SentenceGenerator(try Self.grammar().replacing(#/\(\*[^*]*(?:\*(?!\))[^*]*)*\*\)/#, with: ""))
    for _ in 0..<6_000 {
      let sentence = generator.sentence("Definition")
      let source = SourceText(sentence)
      let parsed = parse(source)
      // The grammar does not say what is constant, nor that an extension adds something.
      let errors = parsed.diagnostics.filter {
        !["variable-in-constant", "empty-extension", "word-operator-in-list"].contains($0.code.rawValue)
      }
      if !errors.isEmpty { Issue.record("\(sentence)\n\(summary(errors, source))") }
      guard !parsed.hasErrors else { continue }
      let printed = SourceText(print(parsed.output))
      if !parse(printed).output.isSameTree(as: parsed.output) {
        Issue.record("\(sentence)\nprinted as\n\(printed.string(SourceRange(start: 0, end: .max)))")
      }
      checkFormat(source)
    }
    #expect(generator.unused.isEmpty, "\(generator.unused)")
  }

  /// Operators in random order between operands: the parser takes what the grammar derives, and refuses the rest.
  @Test func operatorsParseExactlyAsTheGrammarSays() throws {
    let generator = SentenceGenerator(try Self.grammar().replacing(#/\(\*[^*]*(?:\*(?!\))[^*]*)*\*\)/#, with: ""))
    var random = SeededGenerator(seed: 18)
    let infixes = [
      "or", "&&", "==", "<", "in", "not like", "is T", "is not T", "??", "as T", "..", "..<", "+", "-", "*", "%",
    ]
    var refused: Set<String> = []
    for _ in 0..<20_000 {
      var words: [String] = []
      var needsOperand = true
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        if needsOperand {
          while Int.random(in: 0..<6, using: &random) == 0 {
            words.append(["not", "-", "!"].randomElement(using: &random)!)
          }
          words.append("a")
        }
        let infix = infixes.randomElement(using: &random)!
        words += infix.split(separator: " ").map(String.init)
        needsOperand = !infix.hasSuffix("T")
      }
      if needsOperand { words.append("a") }
      let text = words.joined(separator: " ")
      let isDerived = generator.derives(words, from: "Or")
      let isParsed = !parse(SourceText("{ f(x: (\(text))) { id } }")).hasErrors
      if isDerived != isParsed { Issue.record("the grammar \(isDerived ? "derives" : "refuses") \(text)") }
      if !isDerived { refused.formUnion(infixes.filter { text.contains(" \($0) ") }) }
    }
    // Each of them stood in a text that is refused.
    #expect(refused.isSuperset(of: ["as T", "is T", "==", "..", "+", "*", "??"]))
  }
}

/// Makes sentences of an EBNF grammar.
private struct SentenceGenerator {
  indirect enum Node {
    case terminal(String)
    case reference(String)
    case sequence([Node])
    case choice([Node])
    case optional(Node)
    case repeated(Node)
  }

  private var rules: [String: Node] = [:]
  private(set) var unused: Set<String> = []
  private var random = SeededGenerator(seed: 4)
  private var depth = 0
  /// True for rules that start with themselves behind an operator, and end with what is tighter.
  private var isPrefix = false

  /// Written by hand below.
  private static let lexical: Set<String> = [
    "Name", "PlainName", "QuotedName", "Letter", "Digit", "Int", "Float", "String", "BlockString",
  ]

  init(_ grammar: String) {
    var reader = Reader(grammar)
    while let (name, node) = reader.production() {
      rules[name] = node
      if !Self.lexical.contains(name), name != "Document" { unused.insert(name) }
    }
  }

  /// Whether a production derives some words, where `a` is the only operand and `T` the only name of a type.
  func derives(_ words: [String], from rule: String) -> Bool {
    var known: [String: Set<Int>] = [:]
    return ends(.reference(rule), words, 0, &known).contains(words.count)
  }

  /// The places at which a node may end that begins at a place.
  private func ends(_ node: Node, _ words: [String], _ start: Int, _ known: inout [String: Set<Int>]) -> Set<Int> {
    switch node {
    case .terminal(let text): return start < words.count && words[start] == text ? [start + 1] : []
    case .reference("Name"): return start < words.count && words[start] == "T" ? [start + 1] : []
    // No word is reserved: `a * not - b` subtracts from a field called `not`.
    case .reference("Postfix"): return start < words.count && ["a", "not"].contains(words[start]) ? [start + 1] : []
    case .reference(let name):
      let key = "\(name) \(start)"
      if let found = known[key] { return found }
      let found = rules[name].map { ends($0, words, start, &known) } ?? []
      known[key] = found
      return found
    case .sequence(let nodes):
      return nodes.reduce([start]) { places, node in
        places.reduce(into: []) { $0.formUnion(ends(node, words, $1, &known)) }
      }
    case .choice(let nodes): return nodes.reduce(into: []) { $0.formUnion(ends($1, words, start, &known)) }
    case .optional(let inner): return ends(inner, words, start, &known).union([start])
    case .repeated(let inner):
      var all: Set<Int> = [start]
      var new = all
      while !new.isEmpty {
        new = new.reduce(into: Set<Int>()) { $0.formUnion(ends(inner, words, $1, &known)) }.subtracting(all)
        all.formUnion(new)
      }
      return all
    }
  }

  mutating func sentence(_ start: String) -> String {
    depth = 0
    return write(start)
  }

  private mutating func write(_ name: String) -> String {
    unused.remove(name)
    switch name {
    case "Name": return ["a", "bc", "_d", "E1", "`f g`", "type", "on1"].randomElement(using: &random) ?? "a"
    case "Int": return ["0", "7", "120"].randomElement(using: &random) ?? "0"
    case "Float": return ["1.5", "0.0e-1", "3E2"].randomElement(using: &random) ?? "0.5"
    case "String": return [#""""#, #""s""#, #""\n\u{e9}""#].randomElement(using: &random) ?? #""s""#
    case "BlockString": return #""""b\d""""#
    // The notation cannot say what touches, nor what a list leaves out.
    case "Number":
      return (Bool.random(using: &random) ? "-" : "") + write(Bool.random(using: &random) ? "Int" : "Float")
    case "Current": return "." + write("Name")
    case "Outer": return "^^"
    case "List":
      let items = (0..<Int.random(in: 0...2, using: &random)).map { _ in write("Postfix") }
      return "[ " + items.joined(separator: ", ") + " ]"
    default: break
    }
    guard let rule = rules[name] else { return "«\(name)»" }
    depth += 1
    defer { depth -= 1 }
    isPrefix = name == "Not" || name == "Unary"
    return write(rule, separator: name == "Splat" ? "" : " ")
  }

  private mutating func write(_ node: Node, separator: String) -> String {
    switch node {
    case .terminal(let text): return text
    case .reference(let name): return write(name)
    case .sequence(let nodes):
      return nodes.map { write($0, separator: separator) }.filter { !$0.isEmpty }.joined(separator: separator)
    case .choice(let nodes):
      // Why: short ways out when it is deep, or sentences would grow without end.
      let short = isPrefix ? nodes.count - 1 : 0
      let index = depth > 24 ? short : Int.random(in: 0..<nodes.count, using: &random)
      return write(nodes[index], separator: separator)
    case .optional(let inner):
      guard depth < 18, Int.random(in: 0..<3, using: &random) == 0 else { return "" }
      return write(inner, separator: separator)
    case .repeated(let inner):
      guard depth < 18 else { return "" }
      return (0..<[0, 0, 0, 1, 2][Int.random(in: 0..<5, using: &random)]).map { _ in write(inner, separator: separator)
      }
      .joined(separator: " ")
    }
  }

  /// Reads the notation.
  private struct Reader {
    var rest: Substring
    init(_ text: String) { rest = text[...] }

    mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\n" } }

    mutating func production() -> (String, Node)? {
      skipBlanks()
      guard !rest.isEmpty else { return nil }
      let name = word()
      // A grammar that cannot be read ends here, and its rules are missing.
      guard !name.isEmpty else { return nil }
      _ = take("=")
      let node = choice()
      _ = take(";")
      return (name, node)
    }

    mutating func word() -> String {
      skipBlanks()
      let word = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(word.count)
      return String(word)
    }

    mutating func take(_ character: Character) -> Bool {
      skipBlanks()
      guard rest.first == character else { return false }
      rest = rest.dropFirst()
      return true
    }

    mutating func choice() -> Node {
      var nodes = [sequence()]
      while take("|") { nodes.append(sequence()) }
      return nodes.count == 1 ? nodes[0] : .choice(nodes)
    }

    mutating func sequence() -> Node {
      var nodes = [factor()]
      while take(",") { nodes.append(factor()) }
      return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    mutating func factor() -> Node {
      let node = primary()
      // An exception leaves words out that the names below are not.
      if take("-"), rest.first == " " { _ = primary() }
      return node
    }

    mutating func primary() -> Node {
      skipBlanks()
      for (opening, closing) in [("(", ")"), ("[", "]"), ("{", "}")] as [(Character, Character)] where take(opening) {
        let node = choice()
        _ = take(closing)
        if rest.first == "-" { rest = rest.dropFirst() }
        return opening == "(" ? node : opening == "[" ? .optional(node) : .repeated(node)
      }
      for mark in ["\"", "'", "?"] as [Character] where take(mark) {
        let text = rest.prefix { $0 != mark }
        rest = rest.dropFirst(text.count + 1)
        return .terminal(String(text))
      }
      return .reference(word())
    }
  }
}
