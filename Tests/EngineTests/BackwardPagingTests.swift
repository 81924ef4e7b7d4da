import Foundation
import Testing

@testable import GQLEngine

/// Pages before a cursor in canonical order, of types whose rows fill several pages of the store.
@Suite struct BackwardPagingTests {
  static let count = 3_600

  struct Row: Decodable {
    var n: Int
    var _cursor: String?
  }

  /// Conditions on `n`, and their meaning. The sparse one leaves pages of the store without a match.
  static let filters: [(text: String, holds: @Sendable (Int) -> Bool)] = [
    ("", { _ in true }), ("n % 3 == 1", { $0 % 3 == 1 }), ("n % 700 == 5", { $0 % 700 == 5 }),
    ("n < 900 or n > 3200", { $0 < 900 || $0 > 3_200 }),
  ]

  /// Deletions, and the rows that they leave. The second empties the store's page of the rows 1,024 to 2,047.
  static let deletions: [(text: String, keeps: @Sendable (Int) -> Bool)] = [
    ("", { _ in true }), ("n >= 1000 and n < 2100", { $0 < 1_000 || $0 >= 2_100 }),
    ("n % 7 == 2", { $0 % 7 != 2 }), ("n >= 3072 or n == 1024", { $0 < 3_072 && $0 != 1_024 }),
  ]

  /// A database with rows 0 to 3,599 in this order, and the cursor of each.
  static func paged() throws -> (database: Database, cursors: [String]) {
    let database = try Database(
      schema: "type Entry { id: ID! n: Int! } type Owner { id: ID! parity: Int! }")
    var lines = ""
    for n in 0..<count { lines += #"{"__typename":"Entry","id":"e\#(n)","n":\#(n)}"# + "\n" }
    for n in 0..<2 { lines += #"{"__typename":"Owner","id":"o\#(n)","parity":\#(n)}"# + "\n" }
    try database.load([.lines(nil, lines)])
    let rows = try rows(database.query("{ Entry { n _cursor } }"))
    #expect(rows.map(\.n) == Array(0..<count))
    return (database, rows.compactMap(\._cursor))
  }

  static func rows(_ answer: Answer) throws -> [Row] {
    let roots = try JSONDecoder().decode([String: [Row]].self, from: Data(answer.jsonString.utf8))
    return roots.first?.value ?? []
  }

  @Test(arguments: deletions.indices) func pagesBackwardAreTheList(_ place: Int) throws {
    let deletion = Self.deletions[place]
    let (database, cursors) = try Self.paged()
    if !deletion.text.isEmpty {
      _ = try database.query("mutation { deleteEntry(where: \(deletion.text)) }")
    }
    var random = SeededRandom(seed: UInt64(place) + 5)
    for filter in Self.filters {
      let list = (0..<Self.count).filter { deletion.keeps($0) && filter.holds($0) }
      let condition = filter.text.isEmpty ? "" : "where: \(filter.text), "
      let page = try database.prepare(
        "query($c: Cursor, $l: Int, $o: Int) { Entry(\(condition)before: $c, limit: $l, offset: $o) { n } }")
      func found(_ cursor: Int, _ limit: Int?, _ offset: Int) throws -> [Int] {
        let values: [String: Value] = [
          "c": .string(cursors[cursor]), "l": limit.map { .int(Int64($0)) } ?? .null, "o": .int(Int64(offset)),
        ]
        return try Self.rows(try page.run(values)).map(\.n)
      }
      // From the last element to the first.
      for size in [1_024, 1_500, 2, 333] where list.count / size < 12 {
        var back: [Int] = []
        var cursor = Self.count - 1
        let whole = list.filter { $0 < cursor }
        while back.count <= whole.count {
          let part = try found(cursor, size, 0)
          back = part + back
          guard let first = part.first else { break }
          cursor = first
        }
        #expect(back == whole, "\(filter.text), without \(deletion.text), by \(size)")
      }
      // Before any element, deleted ones too.
      for _ in 0..<25 {
        let cursor = random.below(Self.count)
        let limit = random.chance(20) ? nil : random.pick([1, 5, 400, 1_100, 2_500])
        let offset = random.pick([0, 0, 1, 60, 1_030])
        let front = list.filter { $0 < cursor }
        let expected: [Int] = limit.map { front.dropLast(offset).suffix($0) } ?? front.dropLast(offset)
        let page = try found(cursor, limit, offset)
        #expect(
          page == expected,
          "\(filter.text), without \(deletion.text), before \(cursor), limit \(limit ?? -1), offset \(offset)")
      }
      // On the first and the last rows of the store's pages.
      for cursor in [0, 1, 1_023, 1_024, 1_025, 2_047, 2_048, 3_071, 3_072, 3_073] {
        let front = list.filter { $0 < cursor }
        let page = try found(cursor, 1_030, 0)
        #expect(page == front.suffix(1_030), "\(filter.text), without \(deletion.text), before \(cursor)")
      }
    }
  }

  /// A list of a type inside another type's selection: one page for each outer element, by one state of the scan.
  @Test(arguments: deletions.indices) func nestedPagesBackwardAreTheList(_ place: Int) throws {
    struct Owner: Decodable {
      var parity: Int
      var whole: [Row]
      var own: [Row]
      var number: Int
    }
    struct Owners: Decodable {
      var Owner: [Owner]
    }
    let deletion = Self.deletions[place]
    let (database, cursors) = try Self.paged()
    if !deletion.text.isEmpty {
      _ = try database.query("mutation { deleteEntry(where: \(deletion.text)) }")
    }
    let list = (0..<Self.count).filter(deletion.keeps)
    let query = try database.prepare(
      """
      query($c: Cursor, $l: Int) {
        Owner {
          parity
          whole := Entry(before: $c, limit: $l) { n }
          own := Entry(where: n % 2 == ^.parity, before: $c, limit: $l) { n }
          number := count(Entry(where: n % 2 == ^.parity, before: $c, limit: $l))
        }
      }
      """)
    for (cursor, limit) in [(3_599, 2_600), (3_599, 3), (3_100, 1_100), (1_024, 700), (2_048, 1_025), (5, 10)] {
      let answer = try query.run(["c": .string(cursors[cursor]), "l": .int(Int64(limit))])
      let owners = try JSONDecoder().decode(Owners.self, from: Data(answer.jsonString.utf8)).Owner
      #expect(owners.map(\.parity) == [0, 1])
      let front = list.filter { $0 < cursor }
      for owner in owners {
        let own = Array(front.filter { $0 % 2 == owner.parity }.suffix(limit))
        #expect(owner.whole.map(\.n) == front.suffix(limit), "before \(cursor), limit \(limit)")
        #expect(owner.own.map(\.n) == own, "before \(cursor), limit \(limit), parity \(owner.parity)")
        #expect(owner.number == own.count)
      }
    }
  }
}
