import GQLite
import Testing

/// One pattern on one long text ends with the time of the run, wherever text and pattern come from.
@Suite struct RunawayPatternTests {
  private static let pattern = #"(?=(a+))a*b\\1"#
  private static let long = #"padStart("b", 200000, "a")"#

  @Test(
    "patterns on long texts end with the time",
    arguments: [
      "{ x := \(long) =~ \"\(pattern)\" }", "{ x := extract(\(long), \"\(pattern)\", 0) }",
      "{ x := try(extract(\(long), \"\(pattern)\", 1)) }", "query($p: String!) { x := \(long) =~ $p }",
      "{ T(where: text =~ \"\(pattern)\") { id } }", "query($p: String!) { T { id x := extract(text, $p, 0) } }",
      "{ n: count(T(where: concat(text, \"b\") =~ \"\(pattern)\")) }",
      "mutation { updateT(where: text =~ \"\(pattern)\", set: {text: \"\"}) { id } }",
    ])
  func ends(_ text: String) throws {
    let database = try Database(schema: "type T { id: ID! text: String! }")
    let stored = String(repeating: "a", count: 200_000) + "b"
    try database.load([.values(type: "T", [["id": "1", "text": .string(stored)]])])
    var limits = QueryLimits.serve
    limits.time = .milliseconds(50)
    let found = problem {
      _ = try database.query(text, ["p": "(?=(a+))a*b\\1"], options: RunOptions(limits: limits))
    }
    #expect(found?.code == "timeout", "\(text)")
  }
}
