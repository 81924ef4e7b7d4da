import GQLite
import Testing

/// Runs after the first one of a prepared query take a shorter way; they must answer as the first does.
struct PreparedRunTests {
  private static let schema = """
    enum Mood { CALM LOUD }
    type Pet { id: ID! name: String! @unique tag: String @unique weight: Float mood: Mood owner: Person @relation(inverse: "pets") }
    type Person { id: ID! name: String! pets: [Pet!]! @relation(inverse: "owner") }
    """

  private func database() throws -> Database {
    let database = try Database(schema: Self.schema)
    try database.load([
      .ndjson(
        type: "Pet",
        bytes: Array(
          """
          {"id": 7, "name": "Rex", "tag": "a tag longer than twelve bytes", "weight": 2.5, "mood": "LOUD", "owner": 1}
          {"id": -7, "name": "Li \\"q\\"", "weight": 0}
          {"id": 123456789012, "name": "Twelve"}
          {"id": 1234567890123, "name": "Thirteen"}
          {"id": 9223372036854775807, "name": "Largest"}
          {"id": -9223372036854775808, "name": "Least"}
          {"id": 0, "name": "Zero"}
          {"id": "x1", "name": "Text"}

          """.utf8)),
      .ndjson(type: "Person", bytes: Array("{\"id\": 1, \"name\": \"Ann\"}\n".utf8)),
    ])
    return database
  }

  /// All answers of a query run several times with the same variables.
  private func answers(
    _ query: PreparedQuery, _ variables: [String: Value], times: Int = 4
  ) throws -> Set<String> {
    var found: Set<String> = []
    for _ in 0..<times { found.insert(try query.run(variables).jsonString) }
    var buffer: [UInt8] = Array("old".utf8)
    try query.run(variables, into: &buffer)
    found.insert(String(decoding: buffer, as: UTF8.self))
    try query.run(variables) { found.insert(String(decoding: $0, as: UTF8.self)) }
    return found
  }

  @Test(
    "Ids of any length are found by number and by text",
    arguments: [
      (Int64(7), "Rex"), (-7, "Li \\\"q\\\""), (123_456_789_012, "Twelve"), (1_234_567_890_123, "Thirteen"),
      (.max, "Largest"), (.min, "Least"), (0, "Zero"),
    ])
  func ids(_ id: Int64, _ name: String) throws {
    let database = try database()
    let query = try database.prepare("query($id: ID!) { pet(id: $id) { id name } }")
    let expected: Set = ["{\"pet\":{\"id\":\(id),\"name\":\"\(name)\"}}"]
    #expect(try answers(query, ["id": .int(id)]) == expected)
    #expect(try answers(query, ["id": .string("\(id)")]) == expected)
  }

  @Test("Texts, also long ones, and what is not there")
  func texts() throws {
    let database = try database()
    let byTag = try database.prepare("query($tag: String) { pet(tag: $tag) { id weight mood tag } }")
    #expect(
      try answers(byTag, ["tag": "a tag longer than twelve bytes"]) == [
        #"{"pet":{"id":7,"weight":2.5,"mood":"LOUD","tag":"a tag longer than twelve bytes"}}"#
      ])
    #expect(try answers(byTag, ["tag": "a tag longer than twelve byteX"]) == [#"{"pet":null}"#])
    #expect(try answers(byTag, ["tag": .null]) == [#"{"pet":null}"#])
    #expect(try answers(byTag, [:]) == [#"{"pet":null}"#])
    let byName = try database.prepare("query($name: String!) { pet(name: $name) { id tag } a: pet(id: 7) { name } }")
    #expect(try answers(byName, ["name": "Li \"q\""]) == [#"{"pet":{"id":-7,"tag":null},"a":{"name":"Rex"}}"#])
    let two = try database.prepare("query($a: ID!, $b: Float!, $c: Boolean!) { pet(id: $a) { id } x := $b y := $c }")
    #expect(
      try answers(two, ["a": "x1", "b": 2, "c": true]) == [#"{"pet":{"id":"x1"},"x":2,"y":true}"#])
  }

  @Test("A wrong variable is told after any number of good runs, and the next good run answers")
  func wrongVariables() throws {
    let query = try database().prepare("query($id: ID!) { pet(id: $id) { name } }")
    for _ in 0..<3 {
      #expect(try query.run(["id": 0]).jsonString == #"{"pet":{"name":"Zero"}}"#)
      #expect(throws: QueryError.self) { try query.run(["id": .bool(true)]) }
      #expect(throws: QueryError.self) { try query.run(["ID": 0]) }
      #expect(throws: QueryError.self) { try query.run(["id": 0, "more": 1]) }
      #expect(throws: QueryError.self) { try query.run() }
    }
  }

  @Test("Later runs see later data, and views keep theirs")
  func changes() throws {
    let database = try database()
    let query = try database.prepare("query($id: ID!) { pet(id: $id) { name owner { name } } }")
    let plain = try database.prepare("query($id: ID!) { pet(id: $id) { name } }")
    #expect(try answers(query, ["id": 7]) == [#"{"pet":{"name":"Rex","owner":{"name":"Ann"}}}"#])
    #expect(try answers(plain, ["id": 7]) == [#"{"pet":{"name":"Rex"}}"#])
    let before = database.view()
    for name in ["Max", "Bo", "a name that does not fit into a cell"] {
      _ = try database.prepare("mutation($n: String!) { updatePet(where: id == 7, set: {name: $n}) }").run(
        ["n": .string(name)])
      #expect(try answers(plain, ["id": 7]) == ["{\"pet\":{\"name\":\"\(name)\"}}"])
      #expect(try plain.run(["id": 7], on: before).jsonString == #"{"pet":{"name":"Rex"}}"#)
      #expect(try answers(plain, ["id": 7]) == ["{\"pet\":{\"name\":\"\(name)\"}}"])
    }
    _ = try database.prepare("mutation { deletePet(where: id == 7) }").run()
    #expect(try answers(plain, ["id": 7]) == [#"{"pet":null}"#])
    #expect(try answers(query, ["id": 7]) == [#"{"pet":null}"#])
  }

  @Test("Limits of a run hold on the short way too")
  func limits() throws {
    let database = try database()
    let query = try database.prepare("query($id: ID!) { pet(id: $id) { name } }")
    for _ in 0..<2 {
      #expect(try query.run(["id": 0]).jsonString == #"{"pet":{"name":"Zero"}}"#)
      #expect(throws: QueryError.self) { try query.run(["id": 0], options: RunOptions(maximumBytes: 5)) }
      #expect(throws: QueryError.self) { try query.run(["id": 0], options: RunOptions(maximumNodes: 0)) }
    }
    for limit in ["answer-nodes", "visited-rows", "answer-bytes"] {
      var limits = QueryLimits.standard
      switch limit {
      case "answer-nodes": limits.answerNodes = 0
      case "visited-rows": limits.visitedRows = 0
      default: limits.answerBytes = 5
      }
      database.limits = limits
      let limited = try database.prepare("query($id: ID!) { pet(id: $id) { name } }")
      for _ in 0..<3 {
        let error = #expect(throws: QueryError.self) { try limited.run(["id": 0]) }
        #expect(error?.problems.first?.message.contains(limit) == true)
      }
    }
  }

  @Test("Many threads run one query, and a run may start another of itself")
  func threads() async throws {
    let database = try database()
    let query = try database.prepare("query($id: ID!) { pet(id: $id) { id name } }")
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<200 {
            let (id, name) = (task + round).isMultiple(of: 2) ? (7, "Rex") : (0, "Zero")
            guard let answer = try? query.run(["id": .int(Int64(id))]).jsonString,
              answer == "{\"pet\":{\"id\":\(id),\"name\":\"\(name)\"}}"
            else { return false }
          }
          return true
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    var inner = ""
    try query.run(["id": 7]) { _ in
      inner = (try? query.run(["id": 0]).jsonString) ?? ""
      inner += (try? query.run(["id": 7]).jsonString) ?? ""
    }
    #expect(inner == #"{"pet":{"id":0,"name":"Zero"}}{"pet":{"id":7,"name":"Rex"}}"#)
  }

  @Test("Options keep what is set, each copy its own")
  func options() {
    var options = RunOptions()
    options.timeout = .seconds(1)
    let copy = options
    options.maximumBytes = 3
    options.now = 5
    #expect(copy.maximumBytes == nil && copy.timeout == .seconds(1) && copy.now == nil)
    #expect(options.maximumBytes == 3 && options.timeout == .seconds(1) && options.now == 5)
    #expect(RunOptions(maximumNodes: 9).maximumNodes == 9)
  }
}
