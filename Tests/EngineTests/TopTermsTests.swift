import GQLite
import Testing

/// The first few of a list in the order of several terms, found by an index that gives all rows at once.
@Suite struct TopTermsTests {
  private struct Row {
    var id: Int
    var group: String
    /// Few values, so that many rows tie.
    var rank: Int
    var name: String
  }

  private static let rows = (0..<3_000).map { id in
    Row(id: id, group: id % 3 == 0 ? "x" : "y", rank: id * 7 % 11, name: "n\(id * 31 % 97)")
  }

  @Test func tiesGoByTheOtherTerms() throws {
    let database = try Database(
      schema: "type T { id: ID! group: String! @index(kind: HASH) rank: Int! name: String! }")
    let lines = Self.rows.map { row in
      #"{"id":\#(row.id),"group":"\#(row.group)","rank":\#(row.rank),"name":"\#(row.name)"}"#
    }
    try database.load([.ndjson(type: "T", bytes: Array(lines.joined(separator: "\n").utf8), name: "t.ndjson")])
    let orders: [(String, (Row, Row) -> Bool)] = [
      ("[rank, name, id]", { ($0.rank, $0.name, $0.id) < ($1.rank, $1.name, $1.id) }),
      ("[-rank, name, -id]", { (-$0.rank, $0.name, -$0.id) < (-$1.rank, $1.name, -$1.id) }),
      ("[rank, name]", { ($0.rank, $0.name, $0.id) < ($1.rank, $1.name, $1.id) }),
    ]
    for (order, precedes) in orders {
      let sorted = Self.rows.filter { $0.group == "x" }.sorted(by: precedes)
      // From none to more than there are, and slices behind an offset.
      for (limit, offset) in [(0, 0), (1, 0), (7, 0), (100, 50), (249, 1), (250, 0), (251, 0), (999, 0), (2_000, 990)] {
        let expected = sorted.dropFirst(offset).prefix(limit).map { "{\"id\":\($0.id)}" }.joined(separator: ",")
        let text = "{ T(where: group == \"x\", orderBy: \(order), limit: \(limit), offset: \(offset)) { id } }"
        #expect(try database.query(text).jsonString == "{\"T\":[\(expected)]}", "\(text)")
      }
    }
  }
}
