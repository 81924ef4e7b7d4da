import GQLite
import TestClocks
import Testing

/// Texts to look for that have megabytes: a time-out and a cancellation are honoured while they are read, and what they
/// find is the same as what short ones find.
@Suite struct LongPatternTests {
  private static let database: Database? = try? {
    let database = try Database(
      schema: """
        type N @fulltext(fields: ["text"]) { id: ID! text: String! plain: String! folded: String! @collate(CI) other: String! @trigram }
        """)
    var lines = ""
    for id in 0..<2000 {
      let text = "text number \(id) of some words w\(id) and z\(id % 7)"
      lines +=
        "{\"id\":\(id),\"text\":\"\(text)\",\"plain\":\"\(text)\",\"folded\":\"\(text)\",\"other\":\"\(text)\"}\n"
    }
    try database.load([.lines("N", lines)])
    return database
  }()

  private static let words = (0..<160_000).map { "word\($0)" }.joined(separator: " ")
  private static let longWords = (0..<1000).map { "w\($0)" }.joined(separator: " OR ") + " " + words
  private static let stopWords = String(repeating: "the ", count: 250_000)
  private static let phrase = "\"" + words + "\""
  private static let fuzzy = (0..<100_000).map { "wurt\($0)~2" }.joined(separator: " ")
  private static let prefixes = String(repeating: "w* ", count: 300_000)
  private static let oneWord = String(repeating: "a", count: 1_000_000) + "~2"
  private static let marks = String(repeating: "? -( ", count: 200_000)
  private static let letters = String(repeating: "éß東", count: 150_000)
  private static let wildcards = String(repeating: "_a%", count: 330_000)

  private static let cases: [(condition: String, pattern: String)] = {
    var cases: [(String, String)] = []
    for pattern in [words, longWords, stopWords, phrase, fuzzy, prefixes, oneWord, marks, letters] {
      cases += [("plain matches $w", pattern), ("text matches $w", pattern)]
    }
    for field in ["plain", "folded", "other"] {
      for op in ["like", "ilike", "contains", "startsWith", "endsWith"] {
        for pattern in [words, letters, wildcards] { cases.append(("\(field) \(op) $w", pattern)) }
      }
    }
    for other in ["lower($w)", "upper($w)", "concat($w, $w)", "replace($w, \"a\", \"bb\")", "padStart($w, 2000000)"] {
      cases += [
        ("plain contains \(other)", letters), ("plain like \(other)", wildcards), ("plain matches \(other)", words),
      ]
    }
    cases += [
      ("concat(plain, $w) contains \"zz\"", letters), ("concat(plain, $w) matches \"zz\"", words),
      ("concat(plain, $w) like \"%zz\"", letters), ("plain matches concat(plain, $w)", words),
      ("plain like concat(plain, $w)", wildcards),
    ]
    return cases
  }()

  /// What reading a megabyte takes, with all the looks that are in it.
  private static let unit = Result<Duration, any Error> {
    let database = try #require(Self.database)
    let looks = LookRecorder()
    try looks.record {
      _ = try database.query(
        "query($w: String!) { n: count(N(where: plain matches $w)) }", ["w": .string(stopWords)],
        options: RunOptions(cancellation: QueryCancellation { looks.look() }))
    }
    return looks.total
  }

  @Test("the limits are looked at while a long pattern is made ready, and tried", arguments: cases.indices)
  func looks(_ number: Int) throws {
    let database = try #require(Self.database)
    let test = Self.cases[number]
    let query = try database.prepare("query($w: String!) { n: count(N(where: \(test.condition))) }")
    func code(_ options: RunOptions) -> String? {
      do {
        _ = try query.run(["w": .string(test.pattern)], options: options)
        return nil
      } catch { return error.problems.first?.code }
    }
    let unit = try Self.unit.get()
    let name = "\(test.condition) \(test.pattern.prefix(20))"
    #expect(code(RunOptions(timeout: .zero)) == "timeout", "\(name)")
    let looks = LookRecorder(most: 30)
    let found = looks.record { code(RunOptions(cancellation: QueryCancellation { looks.look() })) }
    // Some are ready before.
    #expect(found == (looks.count < 30 ? nil : "cancelled"), "\(name)")
    // Between two looks lies a part of the pattern, or of a batch's texts, and never all of it.
    #expect(looks.longest < unit / 4, "\(name): \(looks.longest) of \(looks.total)")
  }

  /// The text is gone through twice, and the time may be up in either.
  @Test("a phrase is highlighted whole or not at all, whenever the time is up") func highlightedPhrases() throws {
    let database = try Database(schema: "type T { id: ID! text: String! }")
    let words = String(repeating: "alpha beta gamma ", count: 4000)
    try database.load([.lines("T", "{\"id\":1,\"text\":\"\(words)\"}")])
    let query = try database.prepare(
      #"{ T(where: text matches "\"alpha beta\"") { h := highlight(text) } }"#)
    let whole = try query.run().jsonString
    var codes: Set<String> = []
    for microseconds in stride(from: 500, through: 60_000, by: 500) {
      switch Result(catching: { try query.run(options: RunOptions(timeout: .microseconds(microseconds))) }) {
      case .success(let answer): #expect(answer.jsonString == whole)
      case .failure(let error): codes.formUnion((error as? QueryError)?.problems.map(\.code) ?? ["\(error)"])
      }
    }
    #expect(codes.isSubset(of: ["timeout"]))
  }

  @Test("long patterns find what short ones find") func answers() throws {
    let database = try #require(Self.database)
    func count(_ condition: String, _ pattern: String) throws -> String {
      try database.query("query($w: String!) { n: count(N(where: \(condition))) }", ["w": .string(pattern)]).jsonString
    }
    // A thousand words count: w0 to w999.
    let thousand = (0..<1000).map { "w\($0)" }.joined(separator: " OR ")
    for field in ["plain", "text"] {
      #expect(try count("\(field) matches $w", thousand + " OR w1500") == #"{"n":1000}"#)
      #expect(try count("\(field) matches $w", Self.stopWords + "w7") == #"{"n":1}"#)
      #expect(try count("\(field) matches $w", String(repeating: "? ! ", count: 200_000) + "w7") == #"{"n":1}"#)
      #expect(try count("\(field) matches $w", Self.oneWord) == #"{"n":0}"#)
      #expect(try count("\(field) matches $w", Self.phrase) == #"{"n":0}"#)
    }
    // w7, w70 to w79, w700 to w799.
    for field in ["plain", "folded", "other"] {
      #expect(try count("\(field) like $w", String(repeating: "%", count: 100_000) + "w7%") == #"{"n":111}"#)
      #expect(try count("\(field) ilike $w", String(repeating: "%", count: 100_000) + "W7%") == #"{"n":111}"#)
      #expect(try count("\(field) contains $w", Self.letters) == #"{"n":0}"#)
    }
    // Refused for its length, whatever index there is.
    for field in ["plain", "other"] {
      let error = #expect(throws: QueryError.self) { try count("\(field) =~ $w", Self.words) }
      #expect(error?.problems.map(\.code) == ["invalid-pattern"])
      let ended = #expect(throws: QueryError.self) { try count("\(field) like $w", Self.words + "\\") }
      #expect(ended?.problems.map(\.code) == ["invalid-pattern"])
    }
  }

  /// A text of which the first 16 KiB end within a word, a phrase and a code point.
  @Test("long texts are searched in parts") func longTexts() throws {
    let database = try Database(schema: "type T { id: ID! text: String! }")
    let filler = (0..<4000).map { "tok\($0) é" }.joined(separator: " ")
    let dense = String(repeating: "漢", count: 30_000)
    try database.load([
      .lines(
        "T",
        "{\"id\":1,\"text\":\"\(filler) full text search\"}\n{\"id\":2,\"text\":\"\(dense) full-text\"}\n{\"id\":3,\"text\":\"\(String(repeating: "x", count: 40_000)) full\"}"
      )
    ])
    let queries: [(String, String)] = [
      ("\\\"full text\\\"", "1 2"), ("\\\"tok1499 é tok1500\\\"", "1"), ("\\\"tok2500 é tok2501 é\\\"", "1"),
      ("tok3999 -search", ""), ("full", "1 2 3"), ("\\\"漢漢漢 full\\\"", "2"), ("tok15*", "1"), ("serch~", "1"),
      ("\\\"漢 search\\\"", ""),
    ]
    for (query, expected) in queries {
      let answer = try database.query("{ T(where: text matches \"\(query)\") { id } }").value["T"]?.list ?? []
      #expect(answer.compactMap { $0["id"]?.int.map { "\($0)" } }.joined(separator: " ") == expected, "\(query)")
    }
    let marked = try database.query("{ T(where: text matches \"\\\"tok2500 é tok2501\\\"\") { h := highlight(text) } }")
    #expect(marked.jsonString.contains("é <b>tok2500 é tok2501</b> é") && !marked.jsonString.contains("<b>tok2501"))
  }
}
