import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Tests undoing in a file that is opened for each change, as the command does.
@Suite struct FileUndoTests {
  private let folder: Folder
  private var path: String { folder.file("a.gqlite") }

  init() throws {
    folder = try Folder()
    try Database(path: path, schema: "type Item @history { id: ID! n: Int lines: [Line!] } type Line { text: String }")
      .close()
  }

  @discardableResult
  private func run(_ text: String) throws -> String {
    let database = try Database(path: path)
    let answer = try database.run(text).jsonString
    try database.close()
    return answer
  }

  @Test("a change that was taken back counts as unwritten, and the other way round") func several() throws {
    try run(#"mutation { insertItem(data: {id: 1, n: 0}) }"#)
    try run("mutation { updateItem(all: true, set: {n: 1}) }")
    try run("mutation { updateItem(all: true, set: {n: 2}) }")
    #expect(try run("mutation { _undo(version: 3) { _version } }") == #"{"_undo":{"_version":4}}"#)
    #expect(try run("mutation { _undo(version: 2) { _version } }") == #"{"_undo":{"_version":5}}"#)
    #expect(try run("{ Item { n } }") == #"{"Item":[{"n":0}]}"#)
    let error = #expect(throws: QueryError.self) { try run("mutation { _undo(version: 3) { _version } }") }
    #expect(error?.problems.first?.message == "the change was taken back before")
    // Done again, the second change is one that a later one may not be taken back without.
    try run("mutation { _undo(version: 5) { _version } }")
    #expect(try run("{ Item { n } }") == #"{"Item":[{"n":1}]}"#)
    try run("mutation { _undo(version: 6) { _version } }")
    #expect(try run("{ Item { n } }") == #"{"Item":[{"n":0}]}"#)
    var lines: [String] = []
    try StorageLog(path: path).forEachCommit { lines.append(String(decoding: $0, as: UTF8.self)) }
    let undone = lines.map { $0.firstMatch(of: #/"undone":\[\d+\]/#).map { String($0.output) } ?? "" }
    #expect(undone == ["", "", "", #""undone":[3]"#, #""undone":[2]"#, #""undone":[5]"#, #""undone":[6]"#])
    #expect(try Database.verify(path: path) == [])
  }

  @Test("to take an undo of an erasing back erases again") func erasing() throws {
    try run(#"mutation { insertItem(data: {id: 1, n: 0, lines: [{text: "a"}]}) }"#)
    try run("mutation { deleteItem(where: id == 1, hard: true) }")
    try run("mutation { _undo(version: 2) { _version } }")
    #expect(try run("{ Item { lines { text } } }") == #"{"Item":[{"lines":[{"text":"a"}]}]}"#)
    try run("mutation { _undo(version: 3) { _version } }")
    let database = try Database(path: path)
    try database.compact()
    for version in [1, 3] {
      #expect(try database.run("{ Item @asOf(version: \(version)) { lines { text } } }").jsonString == #"{"Item":[]}"#)
    }
    try database.close()
  }

  @Test("an insertion that was taken back stays in the past, with its objects") func insertion() throws {
    try run(#"mutation { insertItem(data: {id: 1, n: 0, lines: [{text: "a"}, {text: "b"}]}) }"#)
    try run("mutation { _undo(version: 1) { _version } }")
    let database = try Database(path: path)
    try database.compact()
    #expect(
      try database.run("{ Item @asOf(version: 1) { n lines { text } } }").jsonString
        == #"{"Item":[{"n":0,"lines":[{"text":"a"},{"text":"b"}]}]}"#)
    try database.close()
  }

  @Test("what comes back after it was erased keeps its lists in the past") func replacedAfterErasing() throws {
    try run(#"mutation { insertItem(data: {id: 1, n: 1, lines: [{text: "a"}]}) }"#)
    try run("mutation { deleteItem(where: id == 1, hard: true) }")
    try run("mutation { _undo(version: 2) { _version } }")
    try run(#"mutation { updateItem(where: id == 1, set: {lines: [{text: "b"}]}) }"#)
    let database = try Database(path: path)
    for _ in 0..<2 {
      #expect(
        try database.run("{ Item @asOf(version: 3) { lines { text } } }").jsonString
          == #"{"Item":[{"lines":[{"text":"a"}]}]}"#)
      try database.compact()
    }
    try database.close()
  }
}
