import Foundation
import GQLiteModels
import Testing

@EntityModel
struct Guardian: Sendable {
  let id: Int
  @Relationship(deleteRule: .cascade, inverse: \.parent) var kids: [Ward]?
}

@EntityModel
struct Ward: Sendable {
  let id: Int
  @Relationship(inverse: \.kids) var parent: Guardian?
}

@EntityModel
struct Bookcase: Sendable {
  let id: String
  @Relationship(inverse: \.shelf) var volumes: [Tome]?
}

@EntityModel
struct Tome: Sendable {
  let id: String
  @Relationship(inverse: \.volumes) var shelf: Bookcase?
}

/// What is known of deleted entities takes nothing from those that live.
@Suite struct TombstoneTests {
  private func guardian(_ id: Int, _ kids: [Int]) -> Guardian {
    var guardian = Guardian(id: id)
    guardian.$kids = .ids(kids)
    return guardian
  }

  @Test("saving a tombstone again changes nothing") func again() throws {
    var context = Context()
    try Ward(id: 1).save(to: &context)
    try guardian(1, [1]).save(to: &context)
    try Guardian.delete(id: 1, from: &context)
    let tombstone = try #require(Deleted<Guardian>.query(1).resolve(in: context))
    #expect(tombstone.entity.$kids.ids == [1])
    try #require(Deleted<Ward>.query(1).resolve(in: context)).restore(in: &context)
    try guardian(2, [1]).save(to: &context)
    try tombstone.save(to: &context)
    #expect(Guardian.query(2).id(\.$kids).resolve(in: context)?.$kids.ids == [1])
    #expect(Ward.query(1).resolve(in: context) != nil && Guardian.query(1).resolve(in: context) == nil)
  }

  @Test("one that comes from elsewhere takes no link away, and none along") func fromElsewhere() throws {
    var other = Context()
    try Ward(id: 1).save(to: &other)
    try guardian(1, [1]).save(to: &other)
    try Guardian.delete(id: 1, from: &other)
    let tombstone = try #require(Deleted<Guardian>.query(1).resolve(in: other))
    var context = Context()
    try Ward(id: 1).save(to: &context)
    try guardian(2, [1]).save(to: &context)
    try tombstone.save(to: &context)
    #expect(Guardian.query(2).id(\.$kids).resolve(in: context)?.$kids.ids == [1])
    #expect(Ward.query(1).resolve(in: context) != nil)
    #expect(Deleted<Guardian>.query(1).resolve(in: context) != nil)
  }

  /// Saved again, a list says its places anew.
  @Test("what waits keeps its place where a list is saved again") func savedAgain() throws {
    var context = Context()
    try Tome(id: "b").save(to: &context)
    var shelf = Bookcase(id: "s")
    shelf.$volumes = .ids(["a", "b"])
    try shelf.save(to: &context)
    try shelf.save(to: &context)
    try Tome(id: "a").save(to: &context)
    #expect(Bookcase.query("s").id(\.$volumes).resolve(in: context)?.$volumes.ids == ["a", "b"])
  }
}
