import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLParser
import GQLPlanner
import GQLStore
import Testing

/// Answers and errors are those of a scan, whatever the text, the pattern and the plan.
@Suite struct TrigramPropertyTests {
  private static let pieces = [
    "a", "b", "ab", "abc", "A", "ABC", "ß", "ss", "ſ", "İ", "i", "I", "K", "k", "é", "É", "日本", "日本語", "😀", " ", "%",
    "_", "\\", "x1",
  ]
  private static let operators = [
    ".", ".*", "?", "+", "*", "|", "(", ")", "(?i)", "[ab]", "[^b]", "^", "$", "{2}", "\\d", "\\b", "(?:", "(?=", "(?!",
  ]
  private static let schema = """
    type Doc @trigram(fields: ["a", "b"]) {
      id: ID! a: String b: String c: String @collate(CI) @trigram @index n: Int @index
    }
    """
  private static let conditions = [
    "a contains $p", "a startsWith $p", "a endsWith $p", "a like $p", "a ilike $p", "a =~ $p", "b =~ $p",
    "c contains $p", "c startsWith $p", "c like $p", "collate(a, CI) contains $p", "collate(b, CI) endsWith $p",
    "a contains $p and b contains $p", "a contains $p or b startsWith $p", "a =~ $p or b =~ $p", "n == 3 or a ilike $p",
    "n > 2 and a =~ $p", "a =~ $p and b =~ $p", "not (a contains $p)", "a contains $p and not (b =~ $p)",
    "some(Doc, a contains ^.b and n == ^.n)",
  ]

  private static func text(_ random: inout SeededRandom, _ pieces: [String], upTo count: Int) -> String? {
    if random.below(12) == 0 { return nil }
    return (0..<random.below(count)).map { _ in random.pick(pieces) }.joined()
  }

  @Test(arguments: 0..<12) func everyPlanAgrees(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed) &* 6151 &+ 3)
    let catalog = buildCatalog(parse(SourceText(name: "s", text: Self.schema)).output).output
    let type = EntityTypeID(0)
    var snapshot = Snapshot.empty(catalog)
    var texts = RandomTexts(type) { Self.text(&$0, Self.pieces, upTo: 7) }
    for round in 0..<4 {
      let transaction = WriteTransaction(snapshot, fold: Self.fold)
      let isBulk = round == 0 && seed % 2 == 0
      if isBulk { transaction.beginBulk() }
      for _ in 0..<50 {
        try texts.change(transaction, &random, onlyInserts: isBulk)
        if !isBulk, random.below(10) == 0 {
          let checkpoint = transaction.checkpoint()
          for _ in 0..<5 { try texts.change(transaction, &random) }
          transaction.rollback(to: checkpoint)
        }
      }
      if isBulk { try transaction.endBulk() }
      snapshot = transaction.commit()
      for _ in 0..<25 {
        let condition = random.pick(Self.conditions)
        let pieces = condition.contains("=~") ? Self.pieces.filter { $0 != "\\" } + Self.operators : Self.pieces
        let pattern = Self.text(&random, pieces, upTo: 6)
        let place = "seed \(seed), round \(round): \(condition) with \(pattern ?? "null")"
        let plain = try answer("{ Doc(where: \(condition)) { id } }", pattern, snapshot, .init(forcing: .scanOnly))
        for options in [PlannerOptions(), .init(forcing: .alternative(1)), .init(forcing: .perturbed(seed: 5))] {
          let other = try answer("{ Doc(where: \(condition)) { id } }", pattern, snapshot, options)
          #expect(other == plain, "\(place), \(options.forcing)")
        }
        let forced = try answer(
          "{ Doc(where: \(condition)) @using(access: TRIGRAM) { id } }", pattern, snapshot, PlannerOptions())
        if forced != "impossible" { #expect(forced == plain, "\(place), forced") }
      }
    }
  }

  @Sendable private static func fold(_ bytes: UnsafeRawBufferPointer, _ folded: inout ContiguousArray<UInt8>) {
    var result: [UInt8] = []
    CaseFolding.fold(bytes.bindMemory(to: UInt8.self), into: &result)
    folded.append(contentsOf: result)
  }

  /// The answer, the error, or that the access is impossible.
  private func answer(
    _ text: String, _ pattern: String?, _ snapshot: Snapshot, _ options: PlannerOptions
  ) throws -> String {
    let document = parse(SourceText(name: "q", text: "query($p: String) " + text)).output
    let operation = try #require(operations(of: document).first)
    let bound = bind(document, operation: operation, catalog: snapshot.catalog)
    let query = try #require(bound.output, "\(bound.diagnostics)")
    let parameters: [Value?] = [pattern.map { .string(Text($0)) } ?? .null]
    let plan = optimize(
      query, catalog: snapshot.catalog, statistics: snapshot, parameters: parameters, options: options)
    if !plan.diagnostics.isEmpty { return "impossible" }
    var output = ByteBuffer()
    do {
      try Executable(plan.output, catalog: snapshot.catalog)
        .run(snapshot, parameters: parameters, limits: .none, cancellation: nil, into: &output)
    } catch {
      // Where it stands moves with the hint.
      return "error \(error.diagnostic(catalog: snapshot.catalog, entityID: nil).message)"
    }
    return output.string
  }
}
