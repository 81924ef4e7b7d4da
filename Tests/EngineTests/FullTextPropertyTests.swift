import GQLBase
import GQLBinder
import GQLCatalog
import GQLDifferential
import GQLExecutor
import GQLParser
import GQLPlanner
import GQLStore
import Testing

/// A full-text index equals a scan, whatever was written and however it is searched.
@Suite struct FullTextPropertyTests {
  private static let words = [
    "swift", "Swifts", "data", "database", "databases", "run", "running", "the", "of", "été", "東京", "don't", "x1",
    "words", "word", "sword",
  ]

  private static func text(_ random: inout SeededRandom) -> String? {
    switch random.below(12) {
    case 0: return nil
    case 1: return ""
    // Beyond what a posting's weight can say.
    case 2 where random.below(20) == 0: return String(repeating: "swift word ", count: 70 + random.below(700))
    default: return (0..<random.below(12)).map { _ in random.pick(words) }.joined(separator: random.pick([" ", ", "]))
    }
  }

  private static func query(_ random: inout SeededRandom) -> String {
    func atom(_ random: inout SeededRandom) -> String {
      let word = random.pick(words)
      switch random.below(9) {
      case 0: return "\(word.prefix(2 + random.below(3)))*"
      case 1: return "\(word.dropFirst())~"
      case 2: return "\(word)~2"
      case 3: return "\"\(word) \(random.pick(words))\""
      case 4: return "-\(word)"
      case 5: return "(\(word) OR \(random.pick(words)))"
      default: return word
      }
    }
    return (0...random.below(3)).map { _ in atom(&random) }.joined(separator: random.pick([" ", " ", " OR "]))
  }

  private static let document = """
    query($q: String, $k: Int!) {
      a: Doc(where: a matches $q) { id _score }
      all: Doc(where: . matches $q, orderBy: -_score, limit: $k) { id _score }
      skipped: Doc(where: a matches $q, orderBy: -_score, limit: 3, offset: 2) { id }
      whole: Doc(where: b matches $q, orderBy: -_score) { id _score }
      filtered: Doc(where: b matches $q and n > 2, orderBy: -_score, limit: $k) { id mark := highlight(b) }
      two: Doc(where: a matches $q or b matches $q, orderBy: [-_score, -id], limit: 7) { id _score }
      tied: Doc(where: . matches $q, orderBy: [-_score, -id], limit: $k) { id _score }
      tiedSkipped: Doc(where: a matches $q, orderBy: [-_score, n, -id], limit: 3, offset: 2) { id }
      tiedFiltered: Doc(where: b matches $q and n > 2, orderBy: [-_score, n], limit: $k) { id }
      none: count(Doc(where: not (a matches $q)))
      unknown: count(Doc(where: (. matches $q) is null))
      other: Doc(where: c matches $q, orderBy: -_score, limit: $k) { id _score }
    }
    """

  private static let schema = """
    type Doc @fulltext(fields: ["a", "b"]) {
      id: ID! a: String b: String c: String n: Int
    }
    """

  @Test(arguments: 0..<12) func indexEqualsScan(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed) &* 7919 &+ 1)
    let catalog = buildCatalog(parse(SourceText(name: "s", text: Self.schema)).output).output
    let type = EntityTypeID(0)
    let document = parse(SourceText(name: "q", text: Self.document)).output
    let operation = try #require(operations(of: document).first)
    let bound = bind(document, operation: operation, catalog: catalog)
    let query = try #require(bound.output, "\(bound.diagnostics)")
    var snapshot = Snapshot.empty(catalog)
    var texts = RandomTexts(type) { Self.text(&$0) }
    for round in 0..<5 {
      let base = snapshot
      let digest = base.memoryDigest
      let transaction = WriteTransaction(base)
      let isBulk = round == 0 && seed % 2 == 0
      if isBulk { transaction.beginBulk() }
      for _ in 0..<(isBulk ? 60 : 40) {
        try texts.change(transaction, &random, onlyInserts: isBulk)
        if !isBulk, random.below(10) == 0 {
          let checkpoint = transaction.checkpoint()
          for _ in 0..<5 { try texts.change(transaction, &random) }
          transaction.rollback(to: checkpoint)
        }
      }
      if isBulk { try transaction.endBulk() }
      let made = transaction.commit()
      #expect(base.memoryDigest == digest, "seed \(seed), round \(round)")
      #expect(made.check().isEmpty, "seed \(seed), round \(round)")
      // Some transactions are given up; what they wrote must leave no trace.
      if random.below(4) > 0 { snapshot = made }
      for _ in 0..<6 {
        let words = Self.query(&random)
        let parameters: [Value?] = [.string(Text(words)), .int(Int64(random.below(6)))]
        var expected: String?
        for forcing in [PlannerOptions(forcing: .scanOnly), .init(), .init(forcing: .alternative(1))] {
          let plan = optimize(
            query, catalog: catalog, statistics: snapshot, parameters: parameters, options: forcing)
          var output = ByteBuffer()
          try Executable(plan.output, catalog: catalog)
            .run(snapshot, parameters: parameters, limits: .none, cancellation: nil, into: &output)
          let answer = output.string
          if let expected {
            #expect(answer == expected, "seed \(seed), round \(round), query \(words), \(forcing)")
          }
          expected = answer
        }
      }
    }
  }
}
