import Testing

@testable import GQLBase

@Suite struct DiagnosticRendererTests {
  private let code = DiagnosticCode("unknown-field")

  private func range(_ source: SourceText, _ part: String) -> SourceRange {
    let bytes = Array(part.utf8)
    let start =
      (0...source.bytes.count - bytes.count).first { source.bytes[$0..<$0 + bytes.count].elementsEqual(bytes) } ?? 0
    return SourceRange(start: UInt32(start), end: UInt32(start + bytes.count))
  }

  @Test func likeTheReference() {
    let source = SourceText(name: "people.query", text: "query {\n\n  User(where: agee >= $min) {\n    id\n  }\n}\n")
    let diagnostic = Diagnostic(
      code, "'User' has no field 'agee'", at: range(source, "agee"), help: "did you mean 'age'?")
    #expect(
      DiagnosticRenderer(source).text(diagnostic) == """
        error[unknown-field]: 'User' has no field 'agee'
          --> people.query:3:15
           |
         3 |   User(where: agee >= $min) {
           |               ^^^^ did you mean 'age'?

        """)
  }

  @Test func notesAndWideLineNumbers() {
    let source = SourceText(name: "a", text: "first\n" + String(repeating: "\n", count: 10) + "second\n")
    let diagnostic = Diagnostic(
      DiagnosticCode("duplicate"), severity: .warning, "again", at: range(source, "second"),
      notes: [.init("first here", range: range(source, "first"))])
    #expect(
      DiagnosticRenderer(source).text([diagnostic, diagnostic])
        == String(
          repeating: """
            warning[duplicate]: again
               --> a:12:1
                |
             12 | second
                | ^^^^^^
            note: first here
               --> a:1:1
                |
              1 | first
                | ^^^^^

            """ + "\n", count: 2
        ).dropLast())
  }

  private func place(_ text: String, _ part: String) -> (line: String, marks: String) {
    let source = SourceText(name: "q", text: text)
    let lines = DiagnosticRenderer(source).text(Diagnostic(code, "m", at: range(source, part))).split(
      separator: "\n", omittingEmptySubsequences: false)
    return (String(lines[3].dropFirst(5)), String(lines[4].dropFirst(5)))
  }

  @Test(arguments: [
    ("\tabc", "b", "    abc", "     ^"), ("a\tb\tc", "c", "a   b   c", "        ^"), ("日本 x", "x", "日本 x", "     ^"),
    ("日本", "本", "日本", "  ^^"), ("e\u{301}x", "x", "e\u{301}x", " ^"), ("😀x", "x", "😀x", "  ^"),
    ("a\u{1B}[31mb", "b", "a\u{FFFD}[31mb", "      ^"), ("a\u{202E}b", "b", "a\u{FFFD}b", "  ^"), ("ab", "", "ab", "^"),
    ("a\tb", "\t", "a   b", " ^^^"), ("x \"a\nb\" y", "\"a\nb\"", "x \"a", "  ^^"),
  ])
  func columns(_ text: String, _ part: String, _ line: String, _ marks: String) {
    let result = place(text, part)
    #expect(result.line == line)
    #expect(result.marks == marks)
  }

  @Test func endOfText() {
    for text in ["", "ab", "ab\n"] {
      let source = SourceText(name: "q", text: text)
      for offset in [UInt32(text.utf8.count), 1000, .max] {
        let printed = DiagnosticRenderer(source).text(Diagnostic(code, "m", at: SourceRange(at: offset)))
        #expect(printed.split(separator: "\n").last?.hasSuffix("^") == true)
      }
    }
  }

  @Test func longLinesAreCut() {
    let filler = String(repeating: "abcdefghi ", count: 3000)
    for (text, hasBefore, hasAfter) in [
      (filler + "HERE " + filler, true, true), ("HERE " + filler, false, true), (filler + "HERE", true, false),
    ] {
      let (line, marks) = place(text, "HERE")
      #expect(line.count <= 100 && line.count >= 80)
      #expect(line.hasPrefix("…") == hasBefore)
      #expect(line.hasSuffix("…") == hasAfter)
      let column = marks.count - 4
      #expect(marks.hasSuffix("^^^^"))
      #expect(line.dropFirst(column).hasPrefix("HERE"))
    }
    let everything = place(filler, filler)
    #expect(everything.marks.allSatisfy { $0 == "^" } && everything.marks.count < 100)
  }

  @Test func illFormedBytes() {
    let source = SourceText(name: "q", bytes: [0x61, 0xFF, 0xC3, 0x62, 0xCC, 0x81])
    for start in UInt32(0)...6 {
      for end in start...6 {
        let text = DiagnosticRenderer(source, usesColor: true).text(
          Diagnostic(code, "m", at: SourceRange(start: start, end: end)))
        #expect(text.contains("^"))
      }
    }
  }

  @Test func colours() {
    let source = SourceText(name: "q", text: "abc")
    let diagnostic = Diagnostic(code, "m", at: range(source, "b"), help: "h")
    let text = DiagnosticRenderer(source, usesColor: true).text(diagnostic)
    #expect(text.hasPrefix("\u{1B}[1;31merror[unknown-field]\u{1B}[0m"))
    #expect(!DiagnosticRenderer(source).text(diagnostic).contains("\u{1B}"))
  }

  @Test func json() throws {
    let source = SourceText(name: "a\"b.query", text: "é = 1\nx")
    let diagnostic = Diagnostic(
      code, severity: .error, "use \"==\"", at: range(source, "="), help: "h",
      notes: [.init("n", range: range(source, "x"))],
      fixIts: [.init("f", [.init(range(source, "="), "==")])])
    let expected = """
      {"code":"unknown-field","severity":"error","message":"use \\"==\\"","file":"a\\"b.query",\
      "range":{"start":{"line":1,"column":3,"offset":3},"end":{"line":1,"column":4,"offset":4}},"help":"h",\
      "notes":[{"message":"n","range":{"start":{"line":2,"column":1,"offset":7},"end":{"line":2,"column":2,"offset":8}}}],\
      "fixIts":[{"message":"f","edits":[{"range":{"start":{"line":1,"column":3,"offset":3},\
      "end":{"line":1,"column":4,"offset":4}},"replacement":"=="}]}]}
      """
    #expect(DiagnosticRenderer(source).json(diagnostic) == expected)
    #expect(DiagnosticRenderer(source).json([]) == "[]")
    let plain = Diagnostic(code, "m", at: SourceRange(at: 0))
    #expect(
      DiagnosticRenderer(source).json([plain]) == """
        [{"code":"unknown-field","severity":"error","message":"m","file":"a\\"b.query",\
        "range":{"start":{"line":1,"column":1,"offset":0},"end":{"line":1,"column":1,"offset":0}}}]
        """)
  }

  @Test func nearNames() {
    let fields = ["id", "age", "name", "firstName", "lastName", "status", "Age"]
    #expect(nearestNames(to: "agee", in: fields) == ["age"])
    #expect(nearestNames(to: "AGE", in: fields) == ["Age", "age"])
    #expect(nearestNames(to: "nmae", in: fields) == ["name"])
    #expect(nearestNames(to: "fristname", in: fields) == ["firstName"])
    #expect(nearestNames(to: "xyz", in: fields).isEmpty)
    #expect(nearestNames(to: "", in: fields).isEmpty)
    #expect(nearestNames(to: "x", in: ["y", "z"]).isEmpty)
    #expect(nearestNames(to: "cat", in: ["bat", "cut", "car", "dog", "bat"]) == ["bat", "car", "cut"])
    #expect(nearestNames(to: String(repeating: "a", count: 5000), in: fields).isEmpty)
  }

  @Test(
    arguments: [
      ("", "", 0), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "ab", 1), ("abc", "abcd", 1), ("abc", "xbc", 1),
      ("abcd", "badc", 2), ("ab", "ba", 1), ("kitten", "kittne", 1), ("abc", "xyz", nil), ("a", "abcd", nil),
      ("abcdef", "abdcfe", 2), ("ca", "abc", nil), ("", "ab", 2),
    ] as [(String, String, Int?)])
  func distances(_ left: String, _ right: String, _ expected: Int?) {
    #expect(editDistance(Array(left.unicodeScalars), Array(right.unicodeScalars), limit: 2) == expected)
    #expect(editDistance(Array(right.unicodeScalars), Array(left.unicodeScalars), limit: 2) == expected)
  }
}
