import Foundation
import GQLBase
import GQLParser
import Synchronization
import Testing

/// A reproducible source of randomness (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Runs something on a thread with a stack of 512 KiB, the smallest that a platform gives; of more in debug builds,
/// whose frames are many times larger.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    done.signal()
  }
  #if DEBUG
    thread.stackSize = 4096 << 10
  #else
    thread.stackSize = 512 << 10
  #endif
  thread.start()
  done.wait()
}

@Suite struct RobustnessTests {
  private func check(_ source: SourceText) {
    for dialect in Dialect.allCases {
      let parsed = parse(source, dialect: dialect)
      for diagnostic in parsed.diagnostics {
        let ranges =
          [diagnostic.range] + diagnostic.notes.compactMap(\.range) + diagnostic.fixIts.flatMap(\.edits).map(\.range)
        for range in ranges where range.start > range.end || Int(range.end) > source.bytes.count {
          Issue.record("range \(range) outside \(source.string(SourceRange(start: 0, end: .max)).debugDescription)")
        }
      }
      guard !parsed.hasErrors else { continue }
      let printed = SourceText(print(parsed.output))
      let again = parse(printed, dialect: dialect)
      if again.hasErrors || !again.output.isSameTree(as: parsed.output) {
        Issue.record(
          "\(source.string(SourceRange(start: 0, end: .max)))\nprinted as\n\(printed.string(SourceRange(start: 0, end: .max)))"
        )
      }
      checkFormat(source, dialect)
    }
  }

  @Test func randomBytes() {
    var generator = SeededGenerator(seed: 1)
    let alphabet =
      Array(#"{}()[]:=!$&|@.,#"'`\<>+-*/%^~?;ab1 0e_"#.utf8) + [0x0A, 0x0D, 0xEF, 0xBB, 0xBF, 0xFF, 0xC3, 0xA9]
    for _ in 0..<4_000 {
      let count = Int.random(in: 0...60, using: &generator)
      check(SourceText(name: "random", bytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }))
      check(SourceText(name: "random", bytes: (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }))
    }
  }

  @Test func randomTokens() {
    var generator = SeededGenerator(seed: 2)
    let words = [
      "{", "}", "(", ")", "[", "]", ":", ":=", "=", "!", "$", "&", "|", "@", "...", "..", "..<", ",", "==", "!=", "<",
      ">", "+", "-", "*", "/", ".", "^", "??", "&&", "a", "b", "not", "and", "or", "in", "is", "as", "let", "on", "1",
      "2.5", "\"s\"", "\"\"\"b\"\"\"", "true", "null", "query", "type", "fragment", "func", "extend", "enum", "union",
      "directive", "implements", "`q`", "# c\n", "'s'",
    ]
    for _ in 0..<8_000 {
      let count = Int.random(in: 1...14, using: &generator)
      let body = (0..<count).map { _ in words.randomElement(using: &generator) ?? "" }
        .joined(separator: Bool.random(using: &generator) ? " " : "")
      check(SourceText(Bool.random(using: &generator) ? body : "{ f(a: \(body)) }"))
      check(SourceText(Bool.random(using: &generator) ? "{ x := \(body) y }" : "{ f(a: [\(body)]) }"))
    }
  }

  @Test(.enabled(if: SharedFixtures.graphQL != nil, SharedFixtures.missing))
  func truncatedAndMutatedDocuments() throws {
    var generator = SeededGenerator(seed: 3)
    let documents = try SharedFixtures.documents("realworld") + SharedFixtures.documents("valid")
    for document in documents where document.bytes.count < 4_000 {
      for _ in 0..<3 {
        let end = Int.random(in: 0...document.bytes.count, using: &generator)
        check(SourceText(name: document.name, bytes: Array(document.bytes[..<end])))
        guard !document.bytes.isEmpty else { continue }
        var bytes = document.bytes
        for _ in 0..<2 {
          let place = Int.random(in: 0..<bytes.count, using: &generator)
          bytes[place] = bytes.randomElement(using: &generator) ?? 0
        }
        check(SourceText(name: document.name, bytes: bytes))
      }
    }
  }

  @Test(arguments: [
    ("", "{a", "}"), ("{a(b:", "[", ""), ("{a(b:", "{c:", "}"), ("{a(b:", "(", ")"), ("query($a:", "[", ""),
    ("{a(b:", "f(", ")"), ("", "{...@a{", "}"), ("{a(b:", "c[", "]"), ("{a(b:", "a.b(", ")"), ("{a(b:", "not ", ""),
    ("{a(b:", "- ", ""), ("", "{x:=f(a or b and c==d??e..g+h*", ")}"), ("{a(b:", "a??", ""),
    ("", "{a{b{x:=f([{c:(", ")}])}}}"), ("", "{...on T@a(b:[{c:f(d.e[", "])}]){"), ("type T{a:", "[", "]"),
    ("type T{a:B=", "[{c:", "}]"),
  ])
  func deepNestingOnASmallStack(head: String, opening: String, closing: String) {
    onSmallStack {
      for count in [20, 60, 100, 199, 200, 2_000, 20_000] {
        let text = head + String(repeating: opening, count: count) + "z" + String(repeating: closing, count: count)
        for dialect in Dialect.allCases { _ = parse(SourceText(text), dialect: dialect) }
      }
    }
  }

  @Test(arguments: [
    ("+a", 40_000), (".a", 40_000), ("[0]", 20_000), (" as T", 30_000), ("??a", 30_000),
  ])
  func longChainsOnASmallStack(link: String, count: Int) {
    onSmallStack {
      for length in [498, count] {
        _ = parse(SourceText("{ x := a" + String(repeating: link, count: length) + " }"))
        _ = parse(SourceText("{ x := " + String(repeating: "!", count: length) + "a }"))
      }
    }
    let tall = parse(SourceText("{ x := a" + String(repeating: link, count: 498) + " }"))
    #expect(tall.diagnostics.isEmpty)
    #expect(parse(SourceText(print(tall.output))).output.isSameTree(as: tall.output))
    let tooTall = parse(SourceText("{ x := a" + String(repeating: link, count: 500) + " }"))
    #expect(tooTall.diagnostics.map(\.code.rawValue) == ["expression-too-tall"])
  }

  @Test(arguments: [" or a", " and not a", " or a and b"])
  func connectivesMayBeAsLongAsTheDocument(link: String) {
    onSmallStack {
      let parsed = parse(SourceText("{ x := a" + String(repeating: link, count: 24_000) + " }"))
      #expect(parsed.diagnostics.isEmpty)
      #expect(parse(SourceText(print(parsed.output))).output.isSameTree(as: parsed.output))
    }
  }

  @Test func theNestingLimitIsExact() {
    func nested(_ count: Int) -> SourceText {
      SourceText(String(repeating: "{a", count: count) + String(repeating: "}", count: count))
    }
    #expect(!parse(nested(200)).hasErrors)
    #expect(parse(nested(201)).diagnostics.map(\.code.rawValue) == ["nested-too-deeply"])
    func lists(_ count: Int) -> SourceText {
      SourceText("{a(b:" + String(repeating: "[", count: count) + String(repeating: "]", count: count) + ")}")
    }
    #expect(!parse(lists(198)).hasErrors)
    #expect(parse(lists(199)).diagnostics.map(\.code.rawValue) == ["nested-too-deeply"])
  }
}
