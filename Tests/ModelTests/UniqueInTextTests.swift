import GQLite
import Synchronization
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// The entities that a resolver was asked about.
private final class Asked: Sendable {
  @TaskLocal static var current = Asked()
  private let known = Mutex<[String]>([])
  var ids: [String] { known.withLock { $0 } }
  func note(_ id: String) { known.withLock { $0.append(id) } }
}

@EntityModel
private struct Shopper {
  @Unique<Self>(\.email, collisions: .upsert) private var emails
  let id: String
  var email: String
}

@EntityModel
private struct Caller {
  @Unique<Self>(\.email, collisions: .refused) private var emails
  let id: String
  var email: String
}

extension CollisionResolver where Entity == Caller {
  fileprivate static var refused: Self {
    Self { existing, _, index, _ in
      Asked.current.note(existing)
      throw UniqueConstraintViolation(existingId: existing, keyPath: index)
    }
  }
}

@EntityModel
private struct Fellow {
  @Unique<Self>(\.email, collisions: .throw) private var emails
  let id: String
  var email: String
}

@EntityModel
private struct Crowd {
  let id: String
  var name: String
  @Relationship var head: Fellow? = nil
}

@EntityModel
private struct Subscriber {
  @Unique<Self>(\.email, collisions: .upsert) private var emails
  let id: String
  var email: String?
}

@EntityModel
private struct Stall {
  @Unique<Self>(\.market, \.number, collisions: .throw) private var places
  let id: String
  var market: String
  var number: Int
}

@EntityModel
private struct Ticket {
  @Unique<Self>(\.code, collisions: .throw) private var codes
  let id: String
  var code: String?
}

@EntityModel
private struct Guestbook {
  @Unique<Self>(\.name, \.year, collisions: .upsertUnlessNil) private var names
  let id: Int
  var name: String?
  var year: Int
}

@EntityModel
private struct Twin {
  @Unique<Self>(\.name, collisions: .tolerated) private var names
  let id: String
  var name: String
}

extension CollisionResolver where Entity == Twin {
  fileprivate static var tolerated: Self { Self { existing, _, _, _ in Asked.current.note(existing) } }
}

/// What is unique in a schema that was given as text, for models that say it too.
@Suite struct UniqueInTextTests {
  private func ids<Entity: EntityModelProtocol>(_ type: Entity.Type, _ database: Database) -> [Entity.ID]
  where Entity.ID: Comparable {
    Entity.query().resolve(in: database).map(\.id).sorted()
  }

  @Test("texts that are the same without their letters' case collide, and the model decides") func folded() throws {
    let database = try Database(
      schema: "type Shopper { id: ID! email: String! @unique(onConflict: REPLACE) @collate(CI) }")
    try Shopper(id: "1", email: "a@b").save(to: database)
    try Shopper(id: "2", email: "A@B").save(to: database)
    #expect(ids(Shopper.self, database) == ["2"])
    try Shopper(id: "3", email: "A@B").save(to: database)
    #expect(ids(Shopper.self, database) == ["3"])
    // Longer than what has its place within a cell, and not of ASCII alone.
    try Shopper(id: "4", email: "Jörg.Ölmühle@example.org").save(to: database)
    try Shopper(id: "5", email: "jÖRG.öLMÜHLE@EXAMPLE.ORG").save(to: database)
    try Shopper(id: "6", email: "jorg.olmuhle@example.org").save(to: database)
    #expect(ids(Shopper.self, database) == ["3", "5", "6"])
    // The same id never collides.
    try Shopper(id: "3", email: "a@B").save(to: database)
    #expect(Shopper.query("3").resolve(in: database)?.email == "a@B")
    #expect(database.check().isEmpty)
  }

  @Test("resolvers of the program are asked about them") func foldedAndAsked() throws {
    let database = try Database(schema: "type Caller { id: ID! email: String! @unique @collate(CI) }")
    let asked = Asked()
    try Asked.$current.withValue(asked) {
      try Caller(id: "1", email: "a@b").save(to: database)
      #expect(throws: UniqueConstraintViolation.self) { try Caller(id: "2", email: "A@b").save(to: database) }
      try Caller(id: "3", email: "c@b").save(to: database)
    }
    #expect(asked.ids == ["1"])
    #expect(ids(Caller.self, database) == ["1", "3"])
  }

  @Test("a graph that is refused leaves nothing", arguments: ["(name: \"emails\")", ""])
  func refusedGraphs(_ name: String) throws {
    let database = try Database(
      schema: """
        type Crowd { id: ID! name: String! head: Fellow @relation(inverse: null) }
        type Fellow { id: ID! email: String! @unique\(name) @collate(CI) }
        """)
    var context = database.entities
    try Fellow(id: "1", email: "a@b").save(to: &context)
    // A save of these types is known to call nothing of the program then.
    for id in ["a", "b"] {
      var first = Crowd(id: id, name: "n")
      first.$head = .relation(Fellow(id: id, email: id))
      try first.save(to: &context)
    }
    var crowd = Crowd(id: "c", name: "n")
    crowd.$head = .relation(Fellow(id: "2", email: "A@B"))
    #expect(throws: Errors.uniqueValueIndexViolation(existing: "1", new: "2", indexName: "emails")) {
      try crowd.save(to: &context)
    }
    #expect(Crowd.query().resolve(in: context).map(\.id) == ["a", "b"])
    #expect(Fellow.query().resolve(in: context).map(\.id) == ["1", "a", "b"])
    // The model knows what may be refused, so that a save need not be undone.
    #expect(context.storage.schema?.mapping(of: Fellow.self)?.mayRefuseLate == false)
  }

  @Test("nobody is taken for who has the value because he has none") func indexesInOrder() throws {
    let database = try Database(
      schema: """
        type Subscriber @index(kind: BTREE, name: "emails", fields: ["email"]) { id: ID! email: String @collate(CI) }
        """)
    try Subscriber(id: "1", email: nil).save(to: database)
    try Subscriber(id: "2", email: "a").save(to: database)
    try Subscriber(id: "3", email: "A").save(to: database)
    #expect(ids(Subscriber.self, database) == ["1", "3"])
    // Nil is a value.
    try Subscriber(id: "4", email: nil).save(to: database)
    #expect(ids(Subscriber.self, database) == ["3", "4"])
  }

  @Test("in what order the schema names the fields says nothing") func orders() throws {
    let database = try Database(
      schema: """
        type Stall @unique(fields: ["number", "market"]) { id: ID! market: String! number: Int! }
        """)
    try Stall(id: "1", market: "a", number: 1).save(to: database)
    try Stall(id: "2", market: "a", number: 2).save(to: database)
    try Stall(id: "3", market: "b", number: 1).save(to: database)
    #expect(throws: Errors.uniqueValueIndexViolation(existing: "2", new: "4", indexName: "places")) {
      try Stall(id: "4", market: "a", number: 2).save(to: database)
    }
    #expect(ids(Stall.self, database) == ["1", "2", "3"])
  }

  @Test("where nil is a value for the model, it must be one in the schema") func nilThatCollides() throws {
    let plain = try Database(schema: "type Ticket { id: ID! code: String @unique }")
    let error = #expect(throws: ModelError.self) { try Ticket(id: "1", code: "a").save(to: plain) }
    let expected = "keeps (code) unique only where it is not nil, which is a value like others for 'codes' of the model"
    #expect(error.map { "\($0)".contains(expected) } == true, "\(String(describing: error))")

    // An index in an order has nulls.
    for schema in [
      #"type Ticket { id: ID! code: String @index(name: "codes") }"#,
      #"type Ticket { id: ID! code: String @unique @index(name: "byCode") }"#,
    ] {
      let database = try Database(schema: schema)
      try Ticket(id: "1", code: nil).save(to: database)
      try Ticket(id: "2", code: "a").save(to: database)
      for code in [nil, "a"] {
        let existing = code == nil ? "1" : "2"
        #expect(throws: Errors.uniqueValueIndexViolation(existing: existing, new: "3", indexName: "codes")) {
          try Ticket(id: "3", code: code).save(to: database)
        }
      }
      #expect(ids(Ticket.self, database) == ["1", "2"])
      let context = database.entities
      #expect(context.storage.schema?.mapping(of: Ticket.self)?.mayRefuseLate == false)
    }
    // What there can be none of collides with nothing.
    let required = try Database(schema: "type Ticket { id: ID! code: String! @unique }")
    try Ticket(id: "1", code: "a").save(to: required)
    #expect(throws: Errors.self) { try Ticket(id: "2", code: "a").save(to: required) }
  }

  @Test("upsertUnlessNil compares values that are there", arguments: [true, false])
  func upsertUnlessNil(_ isInText: Bool) throws {
    let schema = "type Guestbook @unique(fields: [\"name\", \"year\"]) { id: Int! name: String year: Int! }"
    var context = isInText ? try Database(schema: schema).entities : Context()
    for id in 1...2 { try Guestbook(id: id, name: nil, year: 1).save(to: &context) }
    for id in 3...4 { try Guestbook(id: id, name: "a", year: id).save(to: &context) }
    #expect(context.ids(Guestbook.self) == [1, 2, 3, 4])
    try Guestbook(id: 5, name: "a", year: 3).save(to: &context)
    #expect(context.ids(Guestbook.self) == [1, 2, 4, 5])
    #expect(Deleted<Guestbook>.query().resolve(in: context).map(\.id) == [3])
    // Text keeps the same unique.
    let written = try GQLiteModels.schema(of: [Guestbook.self])
    let unique = #/@unique\((?:name: "names"|fields: \["name", "year"\]|, )+\)/#
    #expect(written.contains(unique), "\(written)")
  }

  @Test("what a resolver lets be, the schema may not") func tolerated() throws {
    let database = try Database(schema: "type Twin { id: ID! name: String! @unique }")
    let asked = Asked()
    try Asked.$current.withValue(asked) {
      try Twin(id: "1", name: "a").save(to: database)
      #expect(throws: Errors.self) { try Twin(id: "2", name: "a").save(to: database) }
    }
    #expect(asked.ids == ["1"] && ids(Twin.self, database) == ["1"])
    var context = Context()
    for id in ["1", "2"] { try Twin(id: id, name: "a").save(to: &context) }
    #expect(context.ids(Twin.self) == ["1", "2"])
  }
}
