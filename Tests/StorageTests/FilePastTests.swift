import Foundation
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Earlier versions of databases in files: those in memory, and those that the log leads to.
@Suite struct FilePastTests {
  private static let schema = "type Item { id: ID! value: Int! @index note: String }"
  private static let question = "{ Item { id value note } n: count(Item(where: value > 3)) }"

  /// The answer of each version, from 0.
  private func answers(_ database: Database, changes: Int) throws -> [String] {
    var answers = [try database.run(Self.question).jsonString]
    for number in 1...changes {
      switch number == 1 ? 5 : number % 4 {
      case 5: try database.run("mutation { insertItem(data: {id: 0, value: 0}) }")
      case 1: try database.run("mutation { insertItem(data: {id: \(number), value: \(number)}) }")
      case 2: try database.run("mutation { updateItem(all: true, set: {value: value + 1}) }")
      case 3: try database.run("mutation { updateItem(where: id == 0, set: {note: \"n\(number)\"}) }")
      default: try database.run("mutation { insertItem(data: {id: \(number), value: 9}) }")
      }
      answers.append(try database.run(Self.question).jsonString)
    }
    #expect(database.version == Int64(changes))
    return answers
  }

  private func compare(_ database: Database, _ answers: [String], from first: Int = 0) throws {
    let prepared = try database.prepare(Self.question)
    for version in (first..<answers.count).shuffled() {
      let answer = try prepared.run(on: database.view(version: Int64(version))).jsonString
      #expect(answer == answers[version], "version \(version)")
    }
  }

  @Test(
    "versions are there while the file is open, and after it was opened again",
    arguments: [StorageOptions.Durability.full, .normal, .memory]
  ) func openedAgain(_ durability: StorageOptions.Durability) throws {
    let folder = try Folder()
    let options = StorageOptions(durability: durability)
    let database = try Database(path: folder.file("a.gqlite"), schema: Self.schema, storage: options)
    let answers = try answers(database, changes: 22)
    try compare(database, answers)
    try database.close()
    let again = try Database(path: folder.file("a.gqlite"), storage: options)
    try compare(again, answers)
    try again.run("mutation { insertItem(data: {id: 100, value: 1}) }")
    try compare(again, answers)
    #expect(again.version == 23)
    #expect(problem { _ = try again.view(version: 24) } == "unknown-version")
    try again.undo(23)
    #expect(try again.run(Self.question).jsonString == answers[22])
    try again.close()
  }

  @Test("changes of an earlier process are taken back by the log") func undoneLater() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    for text in ["insertItem(data: {id: 1, value: 1})", "updateItem(where: id == 1, set: {value: 2})"] {
      let database = try Database(path: path, schema: Self.schema)
      try database.run("mutation { \(text) }")
      try database.close()
    }
    let database = try Database(path: path)
    #expect(try database.run("mutation { _undo(version: 2) { _version } }").jsonString == #"{"_undo":{"_version":3}}"#)
    #expect(try database.run("{ Item { value } }").jsonString == #"{"Item":[{"value":1}]}"#)
  }

  @Test("the number of a row that a deletion remembers is not given again") func rememberedRows() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let schema = "type A { id: ID! b: B bs: [B!]! boss: A @relation(inverse: \"team\") team: [A!]! } type B { id: ID! }"
    let statements = [
      "insertB(data: [{id: 1}, {id: 2}])", "insertA(data: [{id: 1, b: 2, bs: [1, 2]}, {id: 3}, {id: 2, boss: 3}])",
      "deleteA(where: id == 1)", "deleteA(where: id == 3)", "deleteB(where: id == 2, hard: true)",
      "deleteA(where: id == 2, hard: true)",
    ]
    let database = try Database(path: path, schema: schema)
    for text in statements { try database.run("mutation { \(text) }") }
    try database.close()
    let again = try Database(path: path)
    try again.compact()
    try again.run("mutation { insertB(data: {id: 7}) insertA(data: {id: 8}) }")
    let question = """
      { A(deleted: INCLUDE) { id b(deleted: INCLUDE) { id } bs(deleted: INCLUDE) { id } team(deleted: INCLUDE) { id } } }
      """
    let expected =
      #"{"A":[{"id":1,"b":null,"bs":[{"id":1}],"team":[]},{"id":3,"b":null,"bs":[],"team":[]},"#
      + #"{"id":8,"b":null,"bs":[],"team":[]}]}"#
    #expect(try again.run(question).jsonString == expected)
    #expect(again.check().isEmpty)
    try again.close()
  }

  @Test("a follower and a reader go back by the log") func followers() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema)
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    let answers = try answers(database, changes: 12)
    try compare(follower, answers)
    let reader = try Database(path: path, storage: StorageOptions(access: .read))
    try compare(reader, answers)
    try database.run("mutation { insertItem(data: {id: 100, value: 1}) }")
    let last = [try database.run(Self.question).jsonString]
    try compare(follower, answers + last)
    #expect(follower.version == 13 && reader.version == 12)
    #expect(problem { _ = try reader.view(version: 13) } == "unknown-version")
  }

  @Test("without recent versions there are none") func notKept() throws {
    let folder = try Folder()
    let options = StorageOptions(recentVersions: 0)
    let database = try Database(path: folder.file("a.gqlite"), schema: Self.schema, storage: options)
    _ = try answers(database, changes: 4)
    #expect(problem { _ = try database.view(version: 3) } == "no-history")
    database.recentVersions = 1 << 20
    try database.run("mutation { insertItem(data: {id: 100, value: 1}) }")
    _ = try database.view(version: 4)
  }

  @Test("a change of the schema, and compacting, end the log but not what is in memory") func otherSchema() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema)
    let answers = try answers(database, changes: 8)
    try database.changeSchema(to: Self.schema + " type More { id: ID! }")
    try compare(database, answers)
    try database.compact()
    try compare(database, answers)
    try database.run("mutation { insertItem(data: {id: 100, value: 1}) }")
    try compare(database, answers)
    let version = database.version
    try database.close()
    let again = try Database(path: path)
    #expect(problem { _ = try again.view(version: 8) } == "no-history")
    _ = try again.view(version: version - 1)
  }

  @Test("what a failed write has left is no version") func failures() throws {
    let folder = try Folder()
    let database = try Database(path: folder.file("a.gqlite"), schema: Self.schema)
    let answers = try answers(database, changes: 6)
    try database.close()
    #expect(problem { try database.run("mutation { insertItem(data: {id: 100, value: 1}) }") } == "storage-closed")
    #expect(problem { _ = try database.view(version: 7) } == "unknown-version")
    try compare(database, answers)
    try database.reopen()
    try compare(database, answers)
    try database.run("mutation { insertItem(data: {id: 100, value: 1}) }")
    try compare(database, answers)
    #expect(database.version == 7)
  }

  @Test("threads of writers, and readers of the past") func threads() throws {
    let folder = try Folder()
    let database = try Database(
      path: folder.file("a.gqlite"), schema: "type Item { id: ID! }", storage: StorageOptions(durability: .normal))
    let insert = try database.prepare("mutation($id: ID!) { insertItem(data: {id: $id}) }")
    let count = try database.prepare("query($v: Int!) @asOf(version: $v) { n: count(Item) }")
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<100 {
        if thread < 2 {
          _ = try? insert.run(["id": .int(Int64(thread * 1000 + number))])
        } else {
          let version = Int64.random(in: 0...database.version)
          // Each commit adds one.
          let answer = try? count.run(["v": .int(version)]).jsonString
          #expect(answer == #"{"n":\#(version)}"#)
        }
      }
    }
    #expect(database.version == 200)
  }

  private func problem(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? QueryError)?.problems.first?.code ?? "\(error)"
    }
  }
}
