import Foundation
import GQLite
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

  // MARK: - From elsewhere

  @Test("a unique value that another one has now stays with it", arguments: ["upsert", "throw", "custom"])
  func uniqueValues(_ kind: String) throws {
    func check<Entity: Named>(_ type: Entity.Type) throws {
      var source = Context()
      try Entity(id: 1, name: "x").save(to: &source)
      try Entity.delete(id: 1, from: &source)
      let tombstone = try #require(Deleted<Entity>.query(1).resolve(in: source))
      var context = Context()
      try Entity(id: 2, name: "x").save(to: &context)
      try tombstone.save(to: &context)
      #expect(Entity.query().resolve(in: context).map(\.id) == [2])
      #expect(Deleted<Entity>.query(1).resolve(in: context)?.entity.name == "x")
      #expect(Database(context).check().isEmpty)
      // It can only come back when the value is free.
      if kind != "custom" { #expect(throws: Errors.self) { try tombstone.restore(in: &context) } }
      try Entity.delete(id: 2, from: &context)
      try tombstone.restore(in: &context)
      #expect(Entity.query().resolve(in: context).map(\.id) == [1] && Database(context).check().isEmpty)
    }
    switch kind {
    case "upsert": try check(Upserting.self)
    case "throw": try check(Throwing.self)
    default: try check(Deciding.self)
    }
  }

  @Test("a whole context with deleted entities comes over") func wholeContexts() throws {
    var source = try Context(for: Bequest.self)
    try Bequest(id: 1).save(to: &source)
    try Upserting(id: 1, name: "x").save(to: &source)
    try Upserting.delete(id: 1, from: &source)
    try Upserting(id: 2, name: "x").save(to: &source)
    var context = Context()
    for bequest in Bequest.queryAll(with: .schemaEntities, .ids).resolve(in: source) { try bequest.save(to: &context) }
    #expect(Upserting.query().resolve(in: context).map(\.id) == [2])
    #expect(Deleted<Upserting>.query().resolve(in: context).map(\.id) == [1] && Database(context).check().isEmpty)
  }

  @Test("it takes no link that waits for an entity, and none that sleeps") func linksToCome() throws {
    var other = Context()
    try Ward(id: 7).save(to: &other)
    try guardian(1, [7]).save(to: &other)
    try Guardian.delete(id: 1, from: &other)
    let tombstone = try #require(Deleted<Guardian>.query(1).resolve(in: other))
    var context = Context()
    try guardian(2, [7]).save(to: &context)
    try tombstone.save(to: &context)
    try Ward(id: 7).save(to: &context)
    #expect(Guardian.query(2).id(\.$kids).resolve(in: context)?.$kids.ids == [7])

    var shelf = Bookcase(id: "s")
    shelf.$volumes = .ids(["a"])
    var library = Context()
    try Tome(id: "a").save(to: &library)
    try shelf.save(to: &library)
    try Bookcase.delete(id: "s", from: &library)
    let gone = try #require(Deleted<Bookcase>.query("s").resolve(in: library))
    #expect(gone.entity.$volumes.ids == ["a"])
    // The tome waits for another shelf.
    var waiting = Context()
    var tome = Tome(id: "a")
    tome.$shelf = .id("t")
    try tome.save(to: &waiting)
    try gone.save(to: &waiting)
    try Bookcase(id: "t").save(to: &waiting)
    #expect(Tome.query("a").id(\.$shelf).resolve(in: waiting)?.$shelf.id == "t")
    // Its shelf is deleted, and comes back.
    var sleeping = Context()
    try tome.save(to: &sleeping)
    try Bookcase(id: "t").save(to: &sleeping)
    try Bookcase.delete(id: "t", from: &sleeping)
    try gone.save(to: &sleeping)
    try #require(Deleted<Bookcase>.query("t").resolve(in: sleeping)).restore(in: &sleeping)
    #expect(Tome.query("a").id(\.$shelf).resolve(in: sleeping)?.$shelf.id == "t")
    #expect(Database(waiting).check().isEmpty && Database(sleeping).check().isEmpty)
  }

  @Test("who waits for it stays, and is linked when it is restored") func whoWaits() throws {
    var other = Context()
    try guardian(1, []).save(to: &other)
    try Guardian.delete(id: 1, from: &other)
    let tombstone = try #require(Deleted<Guardian>.query(1).resolve(in: other))
    var context = Context()
    var ward = Ward(id: 7)
    ward.$parent = .id(1)
    try ward.save(to: &context)
    try tombstone.save(to: &context)
    #expect(Ward.query(7).resolve(in: context) != nil && Guardian.query(1).resolve(in: context) == nil)
    try tombstone.restore(in: &context)
    #expect(Guardian.query(1).id(\.$kids).resolve(in: context)?.$kids.ids == [7])
    #expect(Database(context).check().isEmpty)
  }

  @Test("links that nobody has come back with it, in their order") func linksThatAreFree() throws {
    var library = Context()
    for id in ["a", "b", "c", "d"] { try Tome(id: id).save(to: &library) }
    var shelf = Bookcase(id: "s")
    shelf.$volumes = .ids(["c", "a", "d", "b"])
    try shelf.save(to: &library)
    try Bookcase.delete(id: "s", from: &library)
    let gone = try #require(Deleted<Bookcase>.query("s").resolve(in: library))
    var context = Context()
    for id in ["b", "a"] { try Tome(id: id).save(to: &context) }
    try gone.save(to: &context)
    #expect(Deleted<Bookcase>.query("s").resolve(in: context)?.entity.$volumes.ids == ["a", "b"])
    try Tome(id: "c").save(to: &context)
    #expect(Database(context).check().isEmpty)
    try gone.restore(in: &context)
    try Tome(id: "d").save(to: &context)
    #expect(Bookcase.query("s").id(\.$volumes).resolve(in: context)?.$volumes.ids == ["c", "a", "d", "b"])
    #expect(Database(context).check().isEmpty)
  }

  @Test("relations that deny keep it from nothing, and what it held is not saved") func denying() throws {
    var other = Context()
    var full = Crate(id: 1)
    full.$items = .relation([CrateItem(id: 1)])
    try full.save(to: &other)
    var context = Context()
    try CrateItem(id: 1).save(to: &context)
    let crate = try #require(Crate.query(1).with(\.$items).resolve(in: other))
    try Deleted(crate).save(to: &context)
    #expect(Deleted<Crate>.query(1).resolve(in: context)?.entity.$items.ids == [1])
    #expect(context.ids(CrateItem.self) == [1])
    var empty = Context()
    try Deleted(crate).save(to: &empty)
    #expect(empty.ids(CrateItem.self) == [] && Deleted<Crate>.query().resolve(in: empty).map(\.id) == [1])
    // With entities at hand it is the same as with ids.
    var family = Context()
    try Ward(id: 1).save(to: &family)
    try guardian(1, [1]).save(to: &family)
    let known = try #require(Guardian.query(1).with(\.$kids).resolve(in: family))
    var taken = Context()
    try Ward(id: 1).save(to: &taken)
    try guardian(2, [1]).save(to: &taken)
    try Deleted(known).save(to: &taken)
    #expect(Guardian.query(2).id(\.$kids).resolve(in: taken)?.$kids.ids == [1])
    for each in [context, empty, taken] { #expect(Database(each).check().isEmpty) }
  }
  @Test("two that know each other keep that, in whatever order they come", arguments: [true, false])
  func pairs(_ ownerFirst: Bool) throws {
    var source = Context()
    for id in [1, 2] { try Ward(id: id).save(to: &source) }
    try guardian(1, [2, 1]).save(to: &source)
    try Guardian.delete(id: 1, from: &source)
    let owner = try #require(Deleted<Guardian>.query(1).resolve(in: source))
    let wards = Deleted<Ward>.query().resolve(in: source)
    #expect(owner.entity.$kids.ids == [2, 1] && wards.map(\.entity.$parent.id) == [1, 1])
    var context = Context()
    if ownerFirst { try owner.save(to: &context) }
    for ward in wards { try ward.save(to: &context) }
    if !ownerFirst { try owner.save(to: &context) }
    #expect(Deleted<Guardian>.query(1).resolve(in: context)?.entity.$kids.ids == [2, 1])
    #expect(Deleted<Ward>.query().resolve(in: context).map(\.entity.$parent.id) == [1, 1])
    #expect(Database(context).check().isEmpty)
    try wards[0].restore(in: &context)
    try owner.restore(in: &context)
    #expect(Guardian.query(1).id(\.$kids).resolve(in: context)?.$kids.ids == [1])
    try wards[1].restore(in: &context)
    #expect(Guardian.query(1).id(\.$kids).resolve(in: context)?.$kids.ids == [2, 1])
    #expect(Database(context).check().isEmpty)
  }

  @Test("the order is that which it says, whoever was there before") func order() throws {
    var context = Context()
    var waiting = Tome(id: "a")
    waiting.$shelf = .id("s")
    try Deleted(waiting).save(to: &context)
    for id in ["b", "d"] { try Tome(id: id).save(to: &context) }
    var shelf = Bookcase(id: "s")
    shelf.$volumes = .ids(["d", "a", "c", "b"])
    try Deleted(shelf).save(to: &context)
    #expect(Deleted<Bookcase>.query("s").resolve(in: context)?.entity.$volumes.ids == ["d", "a", "b"])
    try Tome(id: "c").save(to: &context)
    try #require(Deleted<Bookcase>.query("s").resolve(in: context)).restore(in: &context)
    #expect(Bookcase.query("s").id(\.$volumes).resolve(in: context)?.$volumes.ids == ["d", "c", "b"])
    try Deleted(waiting).restore(in: &context)
    #expect(Bookcase.query("s").id(\.$volumes).resolve(in: context)?.$volumes.ids == ["d", "a", "c", "b"])
    #expect(Database(context).check().isEmpty)
  }

  @Test("an id that is said twice waits once") func repeatedIDs() throws {
    var context = Context()
    try Tome(id: "c").save(to: &context)
    var shelf = Bookcase(id: "s")
    shelf.$volumes = .ids(["x", "x", "b", "c"])
    try Deleted(shelf).save(to: &context)
    for id in ["b", "x"] { try Tome(id: id).save(to: &context) }
    try Deleted(shelf).restore(in: &context)
    #expect(Bookcase.query("s").id(\.$volumes).resolve(in: context)?.$volumes.ids == ["x", "b", "c"])
    #expect(Database(context).check().isEmpty)
  }

  @Test("who is gone for good is in nobody's way") func goneForGood() throws {
    var context = Context()
    var ward = Ward(id: 7)
    ward.$parent = .id(1)
    try Deleted(guardian(1, [7])).save(to: &context)
    try Deleted(ward).save(to: &context)
    #expect(Deleted<Ward>.query(7).resolve(in: context)?.entity.$parent.id == 1)
    try Deleted<Guardian>.delete(id: 1, from: &context)
    #expect(Deleted<Ward>.query(7).resolve(in: context)?.entity.$parent.id == nil)
    try Deleted(guardian(1, [7])).save(to: &context)
    #expect(Deleted<Guardian>.query(1).resolve(in: context)?.entity.$kids.ids == [7])
    #expect(Deleted<Ward>.query(7).resolve(in: context)?.entity.$parent.id == 1)
    try Deleted(ward).restore(in: &context)
    try Deleted(Guardian(id: 1)).restore(in: &context)
    #expect(Guardian.query(1).id(\.$kids).resolve(in: context)?.$kids.ids == [7])
    #expect(Database(context).check().isEmpty)
  }

  @Test("one that is linked with itself, and one way to another") func loops() throws {
    var context = Context()
    var loop = Loop(id: 1)
    loop.$next = .id(1)
    loop.$friends = .ids([1, 2])
    loop.$likes = .ids([2, 1])
    var other = Loop(id: 2)
    other.$friends = .ids([1])
    for each in [loop, other] { try Deleted(each).save(to: &context) }
    let gone = try #require(Deleted<Loop>.query(1).resolve(in: context)).entity
    #expect(gone.$next.id == 1 && gone.$friends.ids == [1, 2] && gone.$likes.ids == [2, 1])
    #expect(Database(context).check().isEmpty)
    try Deleted(loop).restore(in: &context)
    try Deleted(other).restore(in: &context)
    let back = try #require(Loop.query(1).id(\.$next).id(\.$friends).id(\.$likes).resolve(in: context))
    #expect(back.$next.id == 1 && back.$friends.ids == [1, 2] && back.$likes.ids == [2, 1])
    #expect(Database(context).check().isEmpty)
  }
}

private protocol Named: EntityModelProtocol where ID == Int {
  var name: String { get }
  init(id: Int, name: String)
}

@EntityModel
private struct Upserting: Named {
  @Unique<Self>(\.name, collisions: .upsert) private var unique
  let id: Int
  var name: String
  init(id: Int, name: String) { (self.id, self.name) = (id, name) }
}

@EntityModel
private struct Throwing: Named {
  @Unique<Self>(\.name, collisions: .throw) private var unique
  let id: Int
  var name: String
  init(id: Int, name: String) { (self.id, self.name) = (id, name) }
}

@EntityModel
private struct Deciding: Named {
  @Unique<Self>(\.name, collisions: .deciding) private var unique
  let id: Int
  var name: String
  init(id: Int, name: String) { (self.id, self.name) = (id, name) }
}

extension CollisionResolver where Entity == Deciding {
  fileprivate static var deciding: Self {
    Self { existing, _, _, context in try Deciding.delete(id: existing, from: &context) }
  }
}

@EntityModel
private struct Bequest {
  let id: Int
  @Relationship var heirs: [Upserting]? = nil
  @Relationship var gone: [Deleted<Upserting>]? = nil
}

@EntityModel
private struct Crate {
  let id: Int
  @Relationship(deleteRule: .deny) var items: [CrateItem]? = nil
}

@EntityModel
private struct CrateItem {
  let id: Int
}

@EntityModel
private struct Loop {
  let id: Int
  @Relationship(inverse: \.previous) var next: Loop?
  @Relationship(inverse: \.next) var previous: Loop?
  @Relationship(inverse: \.friends) var friends: [Loop]?
  @Relationship var likes: [Loop]? = nil
}
