import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

@EntityModel
private struct Small: Equatable {
  let id: Int
  var size: Int8
  @Relationship(inverse: \.parts) var whole: Small?
  @Relationship(inverse: \.whole) var parts: [Small]?
}

/// Refuses what its columns can hold.
private struct Strict: EntityModelProtocol, Equatable {
  struct Refusal: Error {}
  let id: Int
  var name: String

  init(id: Int, name: String) {
    self.id = id
    self.name = name
  }

  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("name", \.name)
  }
  init(from row: inout EntityReader<Self>) throws {
    id = try row.read("id")
    name = try row.read("name")
    if name.isEmpty { throw Refusal() }
  }
  func write(to row: inout EntityWriter<Self>) throws {
    try row.write(id, as: "id")
    try row.write(name, as: "name")
  }
}

/// Entities that another program has changed into what they cannot be.
@Suite struct ReadingTests {
  private func smalls() throws -> Database {
    let database = try Database(for: Small.self)
    try Small(id: 1, size: 1, parts: .relation([Small(id: 2, size: 2), Small(id: 3, size: 3)])).save(to: database)
    _ = try database.query("mutation { updateSmall(where: id == 2, set: {size: 200}) { id } }")
    return database
  }

  /// They are left out, and nothing else is.
  @Test func whatCannotBeRead() throws {
    let database = try smalls()
    #expect(Small.query().resolve(in: database).map(\.id) == [1, 3])
    #expect(Small.query([3, 2, 1]).resolve(in: database.entities).map(\.id) == [3, 1])
    #expect(Small.query(2).resolve(in: database) == nil && Small.query(3).resolve(in: database)?.size == 3)
    #expect(Small.query().related(\.$parts).resolve(in: database).map { $0.map(\.id) } == [[3], [], []])
    #expect(database.entities.all().map { (small: Small) in small.id } == [1, 3])
    // Who asks for errors gets them.
    #expect(throws: ModelError.unreadable("200 is no Int8")) { try Small.results(in: database) }
    #expect(throws: ModelError.self) { try Small.fetchedResults(in: database) }
    _ = try database.query("mutation { deleteSmall(where: id == 2) { id } }")
    #expect(Deleted<Small>.query().resolve(in: database).isEmpty)
    #expect(throws: ModelError.self) { try Deleted<Small>.query().fetchedResults(in: database) }
    #expect(try Small.fetchedResults(in: database, batchSize: 1).map(\.id) == [1, 3])
  }

  /// Results that are read later are known to be readable.
  @Test func batchesOfWhatMayRefuse() throws {
    let database = try Database(for: Strict.self)
    for number in 0..<5 { try Strict(id: number, name: "n").save(to: database) }
    let all = try Strict.fetchedResults(in: database, batchSize: 2)
    #expect(all[4] == Strict(id: 4, name: "n"))
    try Strict(id: 3, name: "").save(to: database)
    #expect(throws: Strict.Refusal.self) { try Strict.fetchedResults(in: database, batchSize: 2) }
    #expect(Strict.query().resolve(in: database).map(\.id) == [0, 1, 2, 4])
    #expect(all.map(\.id) == [0, 1, 2, 3, 4])
  }
}
