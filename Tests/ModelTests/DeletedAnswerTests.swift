import Foundation
import GQLite
import Testing

@testable import GQLiteModels

@EntityModel
private struct Bin {
  let id: Int
  @Relationship var gone: [Deleted<Tome>]? = nil
}

/// Has no part in what is asked.
@EntityModel
private struct Stranger {
  let id: String
}

/// What leads to a type makes it known.
@EntityModel
private struct Finder {
  let id: String
  @Relationship var found: [Found]? = nil
}

@EntityModel
private struct Found {
  let id: String
}

@EntityModel
private struct Slip {
  let id: String
  var text: String
  var note: String?
}

/// Live queries over deleted entities, and over types that come to be known.
@Suite struct DeletedAnswerTests {
  private func shelf(_ volumes: [String]) -> Bookcase {
    var shelf = Bookcase(id: "s")
    shelf.$volumes = .ids(volumes)
    return shelf
  }

  /// A deleted shelf that had the volumes a, b and c.
  private func library() throws -> Database {
    var context = Context()
    for id in ["a", "b", "c"] { try Tome(id: id).save(to: &context) }
    try shelf(["a", "b", "c"]).save(to: &context)
    try Bookcase.delete(id: "s", from: &context)
    return Database(context)
  }

  /// How many changes have another answer to a query.
  private func told<Entity>(
    _ list: QueryList<Entity>, _ database: Database, by changes: [() throws -> Void]
  ) throws -> Int {
    var cursor = AnswerCursor(list)
    _ = try cursor.advance(to: database.entities)
    return try changes.reduce(0) { count, change in
      try change()
      return try cursor.advance(to: database.entities) == nil ? count : count + 1
    }
  }

  @Test func idsOfDeletedEntities() throws {
    let database = try library()
    let all = FetchAll(Deleted<Bookcase>.query(), in: database)
    let first = FetchFirst(Deleted<Bookcase>.query(), in: database)
    let results = FetchResults(Deleted<Bookcase>.query(), in: database)
    func ids() -> [[String]?] {
      [
        all.wrappedValue.first?.entity.$volumes.ids, first.wrappedValue?.entity.$volumes.ids,
        results.wrappedValue?.first?.entity.$volumes.ids,
      ]
    }
    #expect(ids() == Array(repeating: ["a", "b", "c"], count: 3))
    // What is gone for good is no target any more.
    try database.update { try $0.remove(Tome.self, id: "a") }
    #expect(ids() == Array(repeating: ["b", "c"], count: 3))
    // What is deleted later can come back.
    try Tome.delete(id: "b", from: database)
    #expect(ids() == Array(repeating: ["b", "c"], count: 3))
    try #require(Deleted<Tome>.query("b").resolve(in: database)).delete(from: database)
    #expect(ids() == Array(repeating: ["c"], count: 3))
    // The shelf itself comes back, and goes with others: one commit, so that the members are the same.
    try database.update { context in
      try #require(Deleted<Bookcase>.query("s").resolve(in: context)).restore(in: &context)
      try Tome(id: "d").save(to: &context)
      try shelf(["d", "c"]).save(to: &context)
      try Bookcase.delete(id: "s", from: &context)
    }
    #expect(ids() == Array(repeating: ["d", "c"], count: 3))
  }

  @Test func idsAreToldOnce() throws {
    let database = try library()
    let count = try told(
      Deleted<Bookcase>.query(), database,
      by: [
        { try database.update { try $0.remove(Tome.self, id: "a") } },
        // None of its.
        { try database.update { try Tome(id: "x").save(to: &$0) } },
        { try database.update { try $0.remove(Tome.self, id: "x") } },
        { try Tome.delete(id: "b", from: database) },
        { try database.update { try $0.remove(Tome.self, id: "c") } },
      ])
    #expect(count == 2)
    #expect(Deleted<Bookcase>.query("s").resolve(in: database)?.entity.$volumes.ids == ["b"])
  }

  @Test func schemaQueriesOverDeletedEntitiesAlone() throws {
    let database = try library()
    try Bin(id: 1).save(to: database)
    let bins = FetchAll(Bin.query().with(.schemaEntities), in: database)
    #expect(bins.wrappedValue.first?.gone?.count == 0)
    try Tome.delete(id: "b", from: database)
    #expect(bins.wrappedValue.first?.gone?.map(\.id) == ["b"])
    try #require(Deleted<Tome>.query("b").resolve(in: database)).restore(in: database)
    #expect(bins.wrappedValue.first?.gone?.count == 0)
  }

  @Test func typesThatComeToBeKnown() throws {
    func changes(_ database: Database) -> [() throws -> Void] {
      [
        { try Stranger(id: "x").save(to: database) },
        { try Finder(id: "f").save(to: database) },
      ]
    }
    let database = Database()
    try Tome(id: "a").save(to: database)
    #expect(try told(Tome.query(), database, by: changes(database)) == 0)
    let other = Database()
    let news = changes(other) + [{ try Found(id: "g").save(to: other) }]
    #expect(try told(Found.query(), other, by: news) == 1)
    // Deleted entities keep the ids of their relations, whatever types there are beside them.
    let deleted = try library()
    #expect(try told(Deleted<Bookcase>.query(), deleted, by: changes(deleted)) == 0)
  }

  @Test func partsOfDeletedEntities() throws {
    var context = Context()
    for (id, text) in [("1", "one"), ("2", "two")] { try Slip(id: id, text: text, note: "n\(id)").save(to: &context) }
    try Slip.deleteAll(in: &context)
    let slips = try Deleted<Slip>.fetchKeyPaths(\.id).results(in: context)
    #expect(slips.map(\.id) == ["1", "2"] && slips.map(\.entity.note) == ["n1", "n2"])
    let database = Database(context)
    let live = FetchAll(Deleted<Slip>.fetchKeyPaths(\.entity.text), in: database)
    #expect(live.wrappedValue.map(\.entity.text) == ["one", "two"])
    try Slip.delete(id: "1", from: database)
    try Deleted<Slip>.delete(id: "1", from: database)
    #expect(live.wrappedValue.map(\.entity.text) == ["two"])
  }

  @Test func deletedEntitiesAreForgottenById() throws {
    var context = Context()
    for id in ["1", "2"] { try Slip(id: id, text: id).save(to: &context) }
    try Slip.deleteAll(in: &context)
    try Deleted<Slip>.delete(id: "1", from: &context)
    #expect(Deleted<Slip>.query().resolve(in: context).map(\.id) == ["2"] && Database(context).check().isEmpty)
    try Deleted<Slip>.delete(id: "1", from: &context)
    try Deleted<Slip>.deleteAll(in: &context)
    #expect(Deleted<Slip>.query().resolve(in: context).isEmpty)
  }

  /// A schema in text, and no model that was saved.
  @Test func databasesThatHaveMetNoModel() throws {
    func database() throws -> Database {
      let database = try Database(
        schema: """
          type Slip { id: ID! text: String! note: String }
          type Tome { id: ID! shelf: Bookcase @relation(inverse: "volumes") }
          type Bookcase { id: ID! volumes: [Tome!]! @relation(inverse: "shelf") }
          """)
      _ = try database.query(#"mutation { insertSlip(data: [{id: "1", text: "a"}, {id: "2", text: "b"}]) { id } }"#)
      _ = try database.query(#"mutation { deleteSlip(where: id == "1") { id } }"#)
      return database
    }
    func ids(_ database: Database) -> [String] { Slip.query().resolve(in: database).map(\.id) }
    let restored = try database()
    try #require(Deleted<Slip>.query("1").resolve(in: restored)).restore(in: restored)
    #expect(Set(ids(restored)) == ["1", "2"])
    let forgotten = try database()
    try #require(Deleted<Slip>.query("1").resolve(in: forgotten)).delete(from: forgotten)
    #expect(Deleted<Slip>.query("1").resolve(in: forgotten) == nil && ids(forgotten) == ["2"])
    let removed = try database()
    try removed.update { try $0.remove(Slip.self, id: "2") }
    #expect(ids(removed) == [])
    let emptied = try database()
    try emptied.update { try $0.removeAll(Slip.self) }
    #expect(ids(emptied) == [])
    let stamped = try database()
    let time = Date(timeIntervalSince1970: 5)
    try stamped.update { try Slip(id: "2", text: "").updateMetadata(.updatedAt, value: time, in: &$0) }
    #expect(Slip(id: "2", text: "").updatedAt(in: stamped.entities) == time)
    let detached = try database()
    _ = try detached.query(#"mutation { insertTome(data: [{id: "a"}]) { id } }"#)
    _ = try detached.query(#"mutation { insertBookcase(data: [{id: "s", volumes: ["a"]}]) { id } }"#)
    #expect(Bookcase.query("s").id(\.$volumes).resolve(in: detached)?.$volumes.ids == ["a"])
    try detached.update { Bookcase(id: "s").detach(\.$volumes, in: &$0) }
    #expect(Bookcase.query("s").id(\.$volumes).resolve(in: detached)?.$volumes.ids == [])
    // The parent's columns are not those of the target's schema.
    let plan = Tome.filter(\.id == "a").related(\.$shelf).explain(in: detached.entities)
    #expect(plan.contains("Tome"))
  }
}
