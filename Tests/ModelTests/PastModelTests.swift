import Foundation
import GQLiteModels
import Testing

@EntityModel
private struct PastNote {
  var id: Int
  var text: String
  var tags: [String] = []
}

/// Entities of earlier versions.
@Suite struct PastModelTests {
  private func texts(_ view: DatabaseView) throws -> [String] {
    try PastNote.results(in: view.entities).map(\.text)
  }

  @Test("a view of an earlier version has its entities") func views() throws {
    let database = try Database(for: PastNote.self)
    database.recentVersions = 1 << 20
    let empty = database.version
    try database.update { context in
      try PastNote(id: 1, text: "a", tags: ["x"]).save(to: &context)
      try PastNote(id: 2, text: "b").save(to: &context)
    }
    let first = database.version
    try database.update { context in try PastNote(id: 1, text: "c").save(to: &context) }
    try database.update { context in try PastNote.filter(\.id == 2).first(in: context)?.delete(from: &context) }
    #expect(try texts(database.view()) == ["c"])
    #expect(try texts(database.view(version: first)) == ["a", "b"])
    #expect(try texts(database.view(version: first + 1)) == ["c", "b"])
    #expect(try texts(database.view(version: empty)) == [])
    #expect(try texts(database.view(at: .now)) == ["c"])
    #expect(try PastNote.filter(\.id == 1).first(in: database.view(version: first).entities)?.tags == ["x"])
    // A context of the past is a value of its own.
    var context = try database.view(version: first).entities
    try PastNote(id: 9, text: "z").save(to: &context)
    #expect(try PastNote.results(in: context).count == 3)
    #expect(try texts(database.view(version: first)).count == 2)
    #expect(try texts(database.view()) == ["c"])
    // Changes of models are undone as others are.
    try database.undo(first + 1)
    #expect(try texts(database.view()) == ["a"])
  }
}
