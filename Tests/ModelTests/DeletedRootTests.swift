import Foundation
import GQLiteModels
import Testing

@EntityModel private struct Plant: Sendable {
  let id: Int
  var n: Int
}

/// The root `Deleted_Plant`, which no schema writes, stays where the schema changes.
@Suite struct DeletedRootTests {
  private static let wider = "type Plant { id: Int! n: Int! m: Int }"

  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "gqlite-roots-\(UUID().uuidString)").path
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    var file: String { path + "/a.gqlite" }
  }

  private func plant(in database: Database) throws {
    for id in 1...2 { try Plant(id: id, n: id).save(to: database) }
    try Plant.delete(id: 1, from: database)
  }

  private func deleted(_ database: Database, _ root: String = "Deleted_Plant") throws -> String {
    try database.run("{ rows: \(root) { id } }").jsonString
  }

  @Test("after a change of the schema", arguments: [false, true]) func changed(_ isInFile: Bool) throws {
    let folder = try Folder()
    let database =
      isInFile ? try Database(path: folder.file, models: [Plant.self]) : try Database(for: Plant.self)
    try plant(in: database)
    let prepared = try database.prepare("{ rows: Deleted_Plant { id } }")
    let draft = database.edit()
    #expect(try deleted(draft.database) == #"{"rows":[{"id":1}]}"#)
    try database.changeSchema(to: Self.wider)
    let text = #"{"rows":[{"id":1}]}"#
    #expect(try deleted(database) == text && prepared.run().jsonString == text && deleted(draft.database) == text)
    #expect(!database.schema.contains("Deleted"))
    try Plant.delete(id: 2, from: database)
    try database.changeSchema(to: "type Tree @was(name: \"Plant\") { id: Int! n: Int! }")
    #expect(try deleted(database, "Deleted_Tree") == #"{"rows":[{"id":1},{"id":2}]}"#)
    #expect(throws: QueryError.self) { try deleted(database) }
    // The name may be taken, and the type may go.
    try database.changeSchema(to: "type Tree { id: Int! n: Int! } type Deleted_Tree { id: Int! }")
    #expect(try deleted(database, "Deleted_Tree") == #"{"rows":[]}"#)
    try database.changeSchema(to: "type Other { id: Int! }", allowingLoss: true)
    #expect(throws: QueryError.self) { try deleted(database, "Deleted_Tree") }
    #expect(database.check() == [])
  }

  @Test("where another process changes the schema, or compacts") func followed() throws {
    let folder = try Folder()
    let database = try Database(path: folder.file, models: [Plant.self])
    try plant(in: database)
    let options = StorageOptions(access: .follow)
    let follower = try Database(path: folder.file, models: [Plant.self], storage: options)
    let text = #"{"rows":[{"id":1}]}"#
    #expect(try deleted(follower) == text)
    try database.changeSchema(to: Self.wider)
    #expect(try deleted(follower) == text)
    try database.compact()
    #expect(try deleted(follower) == text && deleted(database) == text)
    try Plant(id: 1, n: 9).save(to: database)
    #expect(try deleted(follower) == #"{"rows":[]}"# && Plant.results(in: follower).map(\.n).sorted() == [2, 9])
  }
}
