import Testing

@testable import GQLEngine

/// What outlives a batch lies where no later batch writes.
@Suite struct BatchMemoryTests {
  /// Lists that aggregates over each member's own set keep, beside keys that are computed anew in each batch.
  @Test func listsOfAggregates() throws {
    let database = try Database(
      schema: """
        type Shop { id: Int! name: String! orders: [Order!]! @relation(inverse: "shop") }
        type Order { id: Int! code: String! shop: Shop! @relation(inverse: "orders") }
        """)
    var lines = ""
    for id in 0..<5_000 {
      lines += #"{"__typename":"Shop","id":\#(id),"name":"A Name Of Some Length \#(id % 5)"}"# + "\n"
      lines +=
        #"{"__typename":"Order","id":\#(id),"shop":\#(id),"code":"a first part of \#(id % 7),a second part of \#(id % 7)"}"#
        + "\n"
    }
    try database.load([.lines(nil, lines)])
    let answer = try database.query(
      """
      { Shop(groupBy: {key: lower(name)}, orderBy: key) {
          key
          first: first(orders, split(code, ","))
          kinds: count(distinct(orders, split(code, ",")))
          many: count(distinct(orders, code + "x"))
      } }
      """
    ).jsonString
    let groups = (0..<5).map { group in
      #"{"key":"a name of some length \#(group)","first":["a first part of \#(group)","a second part of \#(group)"],"#
        + #""kinds":7,"many":7}"#
    }
    #expect(answer == #"{"Shop":[\#(groups.joined(separator: ","))]}"#)
  }

  /// A page without nulls behind one that has some.
  @Test(arguments: [0, 1_023, 1_024, 2_047]) func countsOfPages(_ null: Int) throws {
    let database = try Database(schema: "type Row { id: Int! age: Int }")
    let lines = (0..<5_000).map { id in
      #"{"__typename":"Row","id":\#(id),"age":\#(id == null ? "null" : "\(id % 100)")}"#
    }
    try database.load([.lines(nil, lines.joined(separator: "\n"))])
    let expected = (0..<5_000).count { $0 != null && $0 % 100 > 30 }
    #expect(try database.query("{ n: count(Row(where: age > 30)) }").jsonString == #"{"n":\#(expected)}"#)
    let variable = try database.query("query ($a: Int!) { n: count(Row(where: age > $a)) }", ["a": 30])
    #expect(variable.jsonString == #"{"n":\#(expected)}"#)
  }
}
