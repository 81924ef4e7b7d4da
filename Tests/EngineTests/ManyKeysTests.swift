import GQLite
import Testing

/// Orders by any number of keys, of any number of rows: where the values of each key lie depends on both.
@Suite struct ManyKeysTests {
  @Test(arguments: [2, 4, 5, 9, 16]) func orders(_ keys: Int) throws {
    let names = (0..<keys).map { "k\($0)" }
    let database = try Database(
      schema: "type Row { id: Int! \(names.map { "\($0): Int! t\($0): String" }.joined(separator: " ")) }")
    var rows: [(id: Int, keys: [Int])] = []
    var state: UInt64 = 7
    func next(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    for id in 0..<49 {
      rows.append((id, names.map { _ in next(2) }))
      let fields = zip(names, rows[id].keys).map { "\($0): \($1), t\($0): \"long enough to lie elsewhere \($1)\"" }
      _ = try database.query("mutation { insertRow(data: [{id: \(id), \(fields.joined(separator: ", "))}]) { id } }")
      // By turns up and down.
      let expected = rows.sorted { left, right in
        for (number, (a, b)) in zip(left.keys, right.keys).enumerated() where a != b {
          return number % 2 == 0 ? a < b : a > b
        }
        return left.id < right.id
      }
      for prefix in ["", "t"] {
        let order = names.enumerated().map { ($0 % 2 == 0 ? "" : "-") + prefix + $1 }.joined(separator: ", ")
        for limit in [50, 3] {
          let answer = try database.query("{ Row(orderBy: [\(order)], limit: \(limit)) { id } }").jsonString
          let ids = expected.prefix(limit).map { #"{"id":\#($0.id)}"# }.joined(separator: ",")
          #expect(answer == #"{"Row":[\#(ids)]}"#)
        }
      }
    }
  }
}
