import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// What a trigram index offers, against all texts; segments against sets.
@Suite struct TrigramIndexTests {
  private static let pieces = [
    "a", "b", "ab", "abc", "bca", "A", "ABC", "ß", "SS", "ſs", "İ", "i̇", "I", "K", "k", "K", "é", "É", "日本", "日本語",
    "😀", "😃", " ", "\n", "Σ", "ς",
  ]

  private static func text(_ random: inout SeededRandom) -> String? {
    switch random.below(14) {
    case 0: return nil
    case 1: return ""
    // More than one piece of a text, cut anywhere.
    case 2 where random.below(30) == 0:
      return String(repeating: pieces[random.below(pieces.count)] + "日b", count: 9_000)
    default: return (0..<random.below(9)).map { _ in pieces[random.below(pieces.count)] }.joined()
    }
  }

  private static func fold(_ text: String) -> [UInt8] {
    var folded: [UInt8] = []
    Array(text.utf8).withUnsafeBufferPointer { CaseFolding.fold($0, into: &folded) }
    return folded
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    text.withUnsafeBytes { text in part.withUnsafeBytes { ByteSearch.contains(text, $0) } }
  }

  /// The rows that the index offers, sorted, and how often one came twice within a part.
  private func offered(
    _ snapshot: Snapshot, _ id: IndexID, _ type: EntityTypeID, _ query: CandidateQuery
  ) throws -> Set<UInt32> {
    let column = try #require(snapshot.candidates(id, ColumnID(1)))
    var result: Set<UInt32> = []
    for part in 0..<column.partCount {
      let found = column.candidates(part, query, liveness: snapshot.liveness(type))
      let rows = (0..<found.count).map { found.rows[$0] }
      #expect(zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 })
      result.formUnion(rows)
    }
    return result
  }

  @Test(arguments: 0..<10) func offersWhatATextScanFinds(_ seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    var builder = CatalogBuilder()
    let type = builder.type("Text", [("id", .int64, .int), ("text", .text, .string)])
    builder.index(type, .hash, [0], unique: true, primary: true)
    let id = builder.index(type, .trigram, [1])
    var snapshot = Snapshot.empty(builder.catalog)
    var texts: [UInt32: String] = [:]
    var deleted: [UInt32: String] = [:]
    var next: Int64 = 0
    func value(_ text: String?) -> TestValue { text.map { .text($0) } ?? .null }
    for round in 0..<8 {
      let base = snapshot
      let digest = base.memoryDigest
      let before = (texts, deleted)
      let transaction = WriteTransaction(base)
      let isBulk = round == 0 && seed % 2 == 0
      if isBulk { transaction.beginBulk() }
      for _ in 0..<(isBulk ? 700 : 150) {
        let row = texts.isEmpty ? nil : texts.keys.sorted()[random.below(texts.count)]
        switch random.below(isBulk ? 1 : 8) {
        case 4, 5:
          guard let row else { continue }
          let text = Self.text(&random)
          try transaction.update(type, row, 1, value(text))
          texts[row] = text ?? "\0null"
        case 6:
          guard let row else { continue }
          _ = try transaction.delete(type, row)
          deleted[row] = texts.removeValue(forKey: row)
        case 7:
          guard !deleted.isEmpty else { continue }
          let row = deleted.keys.sorted()[random.below(deleted.count)]
          if random.below(4) == 0 {
            _ = try transaction.purge(type, row)
            deleted[row] = nil
          } else {
            _ = try transaction.restore(type, row)
            texts[row] = deleted.removeValue(forKey: row)
          }
        default:
          next += 1
          let text = Self.text(&random)
          texts[try transaction.insert(type, [.int(next), value(text)])] = text ?? "\0null"
        }
      }
      if isBulk { try transaction.endBulk() }
      let made = transaction.commit()
      #expect(base.memoryDigest == digest, "seed \(seed), round \(round)")
      #expect(made.check().isEmpty, "seed \(seed), round \(round)")
      // Some transactions are given up, and leave no trace.
      if random.below(4) == 0 { (texts, deleted) = before } else { snapshot = made }
      let folded = texts.filter { $0.value != "\0null" }.mapValues(Self.fold)
      for _ in 0..<20 {
        let literals = (0..<(1 + random.below(3))).map { _ in
          Self.fold((0..<(2 + random.below(3))).map { _ in Self.pieces[random.below(Self.pieces.count)] }.joined())
        }
        let queries = literals.compactMap { CandidateQuery(literal: $0) }
        guard queries.count == literals.count, var all = queries.first else { continue }
        for query in queries.dropFirst() { all.formIntersection(query) }
        let any = CandidateQuery(alternatives: [queries])
        for (query, holds) in [
          (all, { (text: [UInt8]) in literals.allSatisfy { Self.contains(text, $0) } }),
          (any, { (text: [UInt8]) in literals.contains { Self.contains(text, $0) } }),
        ] {
          let found = try offered(snapshot, id, type, query)
          let expected = Set(folded.filter { holds($0.value) }.keys)
          #expect(expected.isSubset(of: found), "seed \(seed), round \(round)")
          #expect(found.isSubset(of: texts.keys), "seed \(seed), round \(round)")
        }
      }
    }
  }

  @Test("Rows that parts of a transaction have written are taken up when it ends") func checkpoints() throws {
    var builder = CatalogBuilder()
    let type = builder.type("Text", [("id", .int64, .int), ("text", .text, .string)])
    builder.index(type, .hash, [0], unique: true, primary: true)
    let id = builder.index(type, .trigram, [1])
    let transaction = WriteTransaction(Snapshot.empty(builder.catalog))
    let count = CandidateSegment.firstTier * 3
    for number in 0..<count {
      _ = try transaction.insert(type, [.int(Int64(number)), .text("abc \(number)")])
      _ = transaction.checkpoint()
    }
    // Not in the order of rows.
    for number in 0..<count { try transaction.update(type, UInt32(number * 7 % count), 1, .text("abcd \(number)")) }
    let checkpoint = transaction.checkpoint()
    _ = try transaction.insert(type, [.int(Int64(count)), .text("abcde")])
    transaction.rollback(to: checkpoint)
    let made = transaction.commit()
    let column = try #require(made.candidates(id, ColumnID(1)))
    #expect(column.pending.count < CandidateSegment.firstTier)
    #expect(zip(column.pending, column.pending.dropFirst()).allSatisfy { $0 < $1 })
    #expect(made.check().isEmpty)
    let query = try #require(CandidateQuery(literal: Array("abcd".utf8)))
    #expect(try offered(made, id, type, query) == Set(0..<UInt32(count)))
    // What asks for nothing is met by all, and what nothing can meet by none.
    for query in [
      CandidateQuery(), CandidateQuery(alternatives: [[]]), CandidateQuery(alternatives: [[CandidateQuery()]]),
    ] {
      #expect((0...(2 * count)).contains(column.estimate(query)))
    }
  }

  /// Alternatives of alternatives, and lists of every density, against sets.
  @Test(arguments: 0..<20) func segmentsEqualSets(_ seed: Int) {
    var random = SeededRandom(UInt64(seed))
    var builder = CandidateSegmentBuilder()
    var sets: [UInt32: Set<UInt16>] = [:]
    let count = 1 + random.below(CandidateSegment.maximumRows)
    let letters = Array("abcd".prefix(1 + random.below(4)).utf8)
    for place in 0..<count {
      let text = (0..<random.below(random.chance(50) ? 5 : 40)).map { _ in letters[random.below(letters.count)] }
      builder.add(UInt32(place * 3), text)
      guard text.count > 2 else { continue }
      for start in 0...(text.count - 3) {
        let key = UInt32(text[start]) << 14 | UInt32(text[start + 1]) << 7 | UInt32(text[start + 2])
        sets[key, default: []].insert(UInt16(place))
      }
    }
    let segments = builder.segments()
    #expect(segments.count == 1)
    guard let segment = segments.first else { return }
    #expect(segment.checkStructure() && segment.keyCount == sets.count && segment.rowCount == count)
    #expect((0..<count).allSatisfy { segment.row($0) == UInt32($0 * 3) })
    let keys = sets.keys.sorted() + [5]
    func make(_ depth: Int) -> CandidateQuery {
      var query = CandidateQuery(keys: Set((0..<random.below(4)).map { _ in keys[random.below(keys.count)] }).sorted())
      if depth > 0, random.chance(60) || query.keys.isEmpty {
        query.alternatives = (0...random.below(2)).map { _ in (0...random.below(3)).map { _ in make(depth - 1) } }
      }
      if query.keys.isEmpty, query.alternatives.isEmpty { query.keys = [keys[0]] }
      return query
    }
    func holds(_ query: CandidateQuery, _ place: UInt16) -> Bool {
      query.keys.allSatisfy { sets[$0]?.contains(place) ?? false }
        && query.alternatives.allSatisfy { $0.contains { holds($0, place) } }
    }
    func size(_ query: CandidateQuery) -> Int {
      query.alternatives.reduce(1) { $0 + $1.reduce(0) { $0 + size($1) } }
    }
    for _ in 0..<60 {
      let query = make(2)
      let found = segment.find(query)
      let list = (0..<found.count).map { found.places[$0] }
      let expected = (0..<count).map { UInt16($0) }.filter { holds(query, $0) }
      #expect(zip(list, list.dropFirst()).allSatisfy { $0 < $1 })
      #expect(Set(expected).isSubset(of: list), "seed \(seed)")
      // Few are not sorted out any further: others look at them.
      #expect(list.count <= expected.count + 4 * size(query), "seed \(seed): \(query)")
    }
  }

  @Test func rowsGatherAndSegmentsMerge() throws {
    var builder = CatalogBuilder()
    let type = builder.type("Text", [("id", .int64, .int), ("text", .text, .string)])
    builder.index(type, .hash, [0], unique: true, primary: true)
    let id = builder.index(type, .trigram, [1])
    var snapshot = Snapshot.empty(builder.catalog)
    let total = CandidateSegment.firstTier * 30
    for number in 0..<total {
      let transaction = WriteTransaction(snapshot)
      _ = try transaction.insert(type, [.int(Int64(number)), .text("number \(number)")])
      snapshot = transaction.commit()
    }
    let column = try #require(snapshot.candidates(id, ColumnID(1)))
    #expect(column.pending.count < CandidateSegment.firstTier)
    #expect(column.segments.count <= 3 * 3)
    #expect(column.segments.reduce(0) { $0 + $1.rowCount } + column.pending.count == total)
    #expect(snapshot.check().isEmpty)
    // Changes of all rows leave no more behind than a quarter.
    let transaction = WriteTransaction(snapshot)
    for row in 0..<UInt32(total) { try transaction.update(type, row, 1, .text("other \(row)")) }
    snapshot = transaction.commit()
    let changed = try #require(snapshot.candidates(id, ColumnID(1)))
    #expect(changed.segments.reduce(0) { $0 + $1.rowCount } + changed.pending.count == total)
    #expect(snapshot.check().isEmpty)
    let query = try #require(CandidateQuery(literal: Array("number".utf8)))
    #expect(try offered(snapshot, id, type, query).isEmpty)
    #expect(snapshot.trigramCount(id, ColumnID(1), query) == 0)
  }

  @Test func checkFindsWhatIsMissed() throws {
    var builder = CatalogBuilder()
    let type = builder.type("Text", [("id", .int64, .int), ("text", .text, .string)])
    builder.index(type, .hash, [0], unique: true, primary: true)
    let id = builder.index(type, .trigram, [1])
    let transaction = WriteTransaction(Snapshot.empty(builder.catalog))
    transaction.beginBulk()
    for number in 0..<9 { _ = try transaction.insert(type, [.int(Int64(number)), .text("text \(number)")]) }
    try transaction.endBulk()
    let snapshot = transaction.commit()
    #expect(snapshot.check().isEmpty)
    let column = try #require(snapshot.candidates(id, ColumnID(1)))
    // One posting points at another text.
    let segment = try #require(column.segments.first)
    segment.data[Int(segment.starts[0])] ^= 1
    #expect(!snapshot.check().isEmpty)
  }

  @Test(
    "bytes without a border between characters, which are no text, are cut all the same",
    arguments: [
      0, 1, 16_383, 16_384, 16_385, 100_000,
    ])
  func bytesWithoutABorder(_ count: Int) {
    var builder = CandidateSegmentBuilder()
    let bytes = Array("abc".utf8) + [UInt8](repeating: 0x80, count: count) + Array("xyz".utf8)
    builder.add(7, bytes)
    builder.add(8, Array("abc".utf8))
    #expect(builder.segments().count == 1)
  }
}

extension CandidateSegmentBuilder {
  /// Adds the trigrams of a text.
  fileprivate mutating func add(_ row: UInt32, _ text: [UInt8]) {
    begin(row)
    text.withUnsafeBufferPointer { TrigramKeys.enter($0, into: &self) }
    end()
  }
}
