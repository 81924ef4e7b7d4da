import GQLBase
import GQLCatalog
import GQLExecutor
import GQLParser
import GQLPlanner
import GQLStore
import Testing

/// A full-text index equals a scan, whatever was written and however it is searched.
@Suite struct FullTextPropertyTests {
  private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }
  }

  private static let words = [
    "swift", "Swifts", "data", "database", "databases", "run", "running", "the", "of", "été", "東京", "don't", "x1",
    "words", "word", "sword",
  ]

  private static func text(_ random: inout Seeded) -> String? {
    switch random.below(12) {
    case 0: return nil
    case 1: return ""
    // Beyond what a posting's weight can say.
    case 2 where random.below(20) == 0: return String(repeating: "swift word ", count: 70 + random.below(700))
    default: return (0..<random.below(12)).map { _ in random.pick(words) }.joined(separator: random.pick([" ", ", "]))
    }
  }

  private static func query(_ random: inout Seeded) -> String {
    func atom(_ random: inout Seeded) -> String {
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
    var random = Seeded(state: UInt64(seed) &* 7919 &+ 1)
    let catalog = buildCatalog(parse(SourceText(name: "s", text: Self.schema)).output).output
    let type = EntityTypeID(0)
    let document = parse(SourceText(name: "q", text: Self.document)).output
    let operation = try #require(operations(of: document).first)
    let bound = bind(document, operation: operation, catalog: catalog)
    let query = try #require(bound.output, "\(bound.diagnostics)")
    var snapshot = Snapshot.empty(catalog)
    var next = 0
    for round in 0..<5 {
      let base = snapshot
      let digest = base.memoryDigest
      let transaction = WriteTransaction(base)
      let isBulk = round == 0 && seed % 2 == 0
      if isBulk { transaction.beginBulk() }
      for _ in 0..<(isBulk ? 60 : 40) {
        try change(transaction, type, &random, &next, onlyInserts: isBulk)
        if !isBulk, random.below(10) == 0 {
          let checkpoint = transaction.checkpoint()
          for _ in 0..<5 { try change(transaction, type, &random, &next, onlyInserts: false) }
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

  private func change(
    _ transaction: WriteTransaction, _ type: EntityTypeID, _ random: inout Seeded, _ next: inout Int,
    onlyInserts: Bool
  ) throws {
    let slots = transaction.slotCount(type)
    if onlyInserts || slots == 0 || random.below(3) == 0 {
      next += 1
      let values = [String(next), Self.text(&random), Self.text(&random), Self.text(&random)]
      var cells = values.map(Self.cell)
      var valid = values.map { $0 != nil }
      // What else the type has: the number, and times.
      let count = transaction.base.catalog[type].columns.count
      while cells.count < count {
        cells.append(Cell(Int64(random.below(6))))
        valid.append(true)
      }
      _ = try transaction.insert(type, cells: cells, valid: valid)
      return
    }
    let row = UInt32(random.below(slots))
    if transaction.isLive(type, row) {
      if random.below(3) == 0 {
        _ = try transaction.delete(type, row)
      } else {
        let text = Self.text(&random)
        try transaction.update(type, row, ColumnID(1 + random.below(3)), text == nil ? nil : Self.cell(text))
      }
    } else if transaction.isDeleted(type, row) {
      if random.below(4) == 0 { _ = try transaction.purge(type, row) } else { _ = try transaction.restore(type, row) }
    }
  }

  /// In memory that is never freed: tests are short.
  private static func cell(_ text: String?) -> Cell {
    guard let text else { return Cell(low: 0) }
    let bytes = Array(text.utf8)
    let start = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + 16, alignment: 8)
    start.copyMemory(from: bytes, byteCount: bytes.count)
    return TextView(start, count: bytes.count).cell
  }
}
