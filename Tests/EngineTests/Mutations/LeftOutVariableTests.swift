import GQLDifferential
import GQLite
import Testing

/// A mutation with variables that are left out does what the one does that does not name their fields.
@Suite struct LeftOutVariableTests {
  private static let schema = """
    type T @unique(fields: ["f", "g"]) {
      id: ID! a: Int = 3 b: String @index c: String! @unique d: Int @unique(onConflict: REPLACE)
      e: String @unique @collate(CI) f: Int g: Int! = 0 l: [Int!] o: O u: U ts: [U!]!
    }
    type O { x: Int y: String! = "k" }
    type U { id: ID! }
    """

  /// A field of the document, and the variable that is its value.
  private struct Field {
    var name: String
    var variable: String
    var type: String
    var values: [Value]
  }
  private static let fields = [
    Field(name: "a", variable: "a", type: "Int", values: [1, 2, .null]),
    Field(name: "b", variable: "b", type: "String", values: ["x", "a text of more than twelve bytes", .null]),
    Field(name: "c", variable: "c", type: "String", values: ["c1", "c2", "c3", "c4", "c5"]),
    Field(name: "d", variable: "d", type: "Int", values: [1, 2, 3, 4, .null]),
    Field(name: "e", variable: "e", type: "String", values: ["A", "a", "B", "é", .null]),
    Field(name: "f", variable: "f", type: "Int", values: [1, 2, .null]),
    Field(name: "g", variable: "g", type: "Int", values: [0, 1, 2]),
    Field(name: "l", variable: "l", type: "[Int!]", values: [[1, 2], [], .null]),
    Field(name: "u", variable: "u", type: "ID", values: [1, 2, .null]),
    Field(name: "ts", variable: "ts", type: "[ID!]", values: [[1, 2], [], [2]]),
  ]
  private static let inner = [
    Field(name: "x", variable: "ox", type: "Int", values: [5, .null]),
    Field(name: "y", variable: "oy", type: "String", values: ["z"]),
  ]

  private enum Kind: CaseIterable {
    case insert, update, patch, append, replace, keep

    func field(_ object: String, _ ids: String, _ id: Int) -> String {
      let answer = "{ id a b c d e f g l o { x y } u { id } ts { id } }"
      let row = "{id: \(id)\(object.isEmpty ? "" : ", " + object)}"
      return switch self {
      case .insert: "insertT(data: \(row)) \(answer)"
      case .update: "updateT(where: id in [\(ids)], set: {\(object)}) \(answer)"
      case .patch: "upsertT(data: \(row)) \(answer)"
      case .append: "upsertT(data: \(row), strategy: APPEND) \(answer)"
      case .replace: "upsertT(data: \(row), strategy: REPLACE) \(answer)"
      case .keep: "upsertT(data: \(row), strategy: KEEP) \(answer)"
      }
    }
  }

  /// The document that names the fields whose variables are in a list.
  private func document(_ named: Set<String>, _ kind: Kind, _ ids: String, _ id: Int, hasObject: Bool) -> String {
    func members(_ fields: [Field]) -> String {
      fields.filter { named.contains($0.variable) }.map { "\($0.name): $\($0.variable)" }.joined(separator: ", ")
    }
    var parts = [members(Self.fields)].filter { !$0.isEmpty }
    if hasObject { parts.append("o: {\(members(Self.inner))}") }
    let declared = (Self.fields + Self.inner).filter {
      named.contains($0.variable) && (hasObject || !$0.variable.hasPrefix("o"))
    }
    let head = declared.map { "$\($0.variable): \($0.type)" }.joined(separator: ", ")
    return "mutation\(head.isEmpty ? "" : "(\(head))") { \(kind.field(parts.joined(separator: ", "), ids, id)) }"
  }

  private func outcome(_ body: () throws -> Answer) -> String {
    do { return try body().jsonString } catch { return (error as? QueryError)?.problems.first?.code ?? "\(error)" }
  }

  @Test(arguments: 1...6) func sameAsWithoutTheirFields(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let (ours, twin) = (try Database(schema: Self.schema), try Database(schema: Self.schema))
    for database in [ours, twin] {
      try database.run(
        #"mutation { insertU(data: [{id: 1}, {id: 2}]) insertT(data: [{id: 1, c: "1"}, {id: 2, c: "2", e: "q"}]) }"#)
    }
    let all = Set((Self.fields + Self.inner).map(\.variable))
    let everything = "{ T(orderBy: id) { id a b c d e f g l o { x y } u { id } ts { id } } }"
    var prepared: [String: PreparedQuery] = [:]
    var successes = 0
    for _ in 0..<400 {
      let kind = Kind.allCases.randomElement(using: &random) ?? .update
      let id = Int.random(in: 1...6, using: &random)
      let ids = (0..<Int.random(in: 1...3, using: &random)).map { _ in "\(Int.random(in: 1...6, using: &random))" }
        .joined(separator: ", ")
      let hasObject = Bool.random(using: &random)
      let rate = Int.random(in: 0...3, using: &random)
      var variables: [String: Value] = [:]
      for field in Self.fields + Self.inner where hasObject || !field.variable.hasPrefix("o") {
        if Int.random(in: 0..<4, using: &random) <= rate, Bool.random(using: &random) {
          variables[field.variable] = field.values.randomElement(using: &random)
        }
      }
      let whole = document(all, kind, ids, id, hasObject: hasObject)
      let reduced = document(Set(variables.keys), kind, ids, id, hasObject: hasObject)
      let query: PreparedQuery
      if let known = prepared[whole] { query = known } else { query = try ours.prepare(whole) }
      prepared[whole] = query
      let (answer, expected) = (outcome { try query.run(variables) }, outcome { try twin.run(reduced, variables) })
      #expect(answer == expected, "\(reduced) \(variables)")
      if expected.hasPrefix("{") { successes += 1 }
      let (content, wanted) = (try ours.run(everything).jsonString, try twin.run(everything).jsonString)
      guard content == wanted else {
        Issue.record("\(reduced) \(variables): \(content) \(wanted)")
        return
      }
    }
    #expect(successes > 100)
    #expect(ours.check() == [])
  }
}
