import Foundation
import GQLite
import GQLiteModels
import Observation
import Testing

@EntityModel
struct Club: Hashable {
  let id: Int
  var name: String
}

/// What a program may write by hand, and what no macro looks at.
private protocol ByHand: EntityModelProtocol where ID == Int {
  init(id: Int)
}

extension ByHand {
  init(from row: inout EntityReader<Self>) throws { self.init(id: try row.read("id")) }
  func write(to row: inout EntityWriter<Self>) throws { try row.write(id, as: "id") }
}

private struct Player: ByHand {
  let id: Int
  @Relationship var club: Club? = nil
  init(id: Int) { self.id = id }
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.relation("club", \.club, \.$club)
    model.hashIndex("clubIndex", \.club?.name)
  }
}

private struct Fan: ByHand {
  let id: Int
  @Relationship var clubs: [Club]? = nil
  init(id: Int) { self.id = id }
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.relation("clubs", \.clubs, \.$clubs)
    model.unique("clubsIndex", \.clubs)
  }
}

private struct Referee: ByHand {
  let id: Int
  @Relationship var club: Club? = nil
  init(id: Int) { self.id = id }
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.relation("club", \.club, \.$club)
    model.hashIndex("clubs", \.$club)
  }
}

private struct Länge: ByHand {
  let id: Int
  var größe: Int { id }
  init(id: Int) { self.id = id }
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.property("größe", \.größe)
  }
}

private struct Pair: ByHand {
  let id: Int
  @Relationship(inverse: \.pair) var first: Half?
  @Relationship(inverse: \.pair) var second: Half?
  init(id: Int) { self.id = id }
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.relation("first", \.first, \.$first, inverse: \.$pair, "pair")
    model.relation("second", \.second, \.$second, inverse: \.$pair, "pair")
  }
}

private struct Half: ByHand {
  let id: Int
  @Relationship(inverse: \.first) var pair: Pair?
  init(id: Int) { self.id = id }
  static func describe(_ model: inout EntityDescription<Self>) {
    model.property("id", \.id)
    model.relation("pair", \.pair, \.$pair, inverse: \.$first, "first")
  }
}

@Suite struct DescriptionTests {
  @Test(
    arguments: [
      (
        Player.self,
        "the index 'clubIndex' of 'Player' leads through the relation 'club', and an index can only be over what an entity itself holds"
      ),
      (
        Fan.self,
        "the index 'clubsIndex' of 'Fan' leads through the relation 'clubs', and an index can only be over what an entity itself holds"
      ),
      (
        Referee.self,
        "the index 'clubs' of 'Referee' leads through the relation 'club', and an index can only be over what an entity itself holds"
      ),
      (
        Länge.self,
        "the property 'größe' of 'Länge' has no name for text: names there are of ASCII letters, digits and '_', without a digit at the beginning, and without '__' there"
      ),
      (
        Half.self,
        "the relations 'first' and 'second' of 'Pair' both have 'pair' of 'Half' as their inverse, which can be that of one only"
      ),
    ] as [(any EntityModelProtocol.Type, String)])
  func misfitsAreSaid(_ type: any EntityModelProtocol.Type, _ message: String) throws {
    let error = #expect(throws: ModelError.self) { _ = try Context(for: type) }
    #expect(error == .invalidSchema(message))
  }

  /// A schema query gives nothing where nobody has the relation, whatever is saved.
  @Test func nothingIsNotToldAgain() throws {
    let context = try Context(for: Fan2.self)
    let database = Database(context)
    let all = FetchAll(Fan2.query().with(.schemaEntities), in: database)
    #expect(all.wrappedValue.isEmpty)
    let told = Counter()
    withObservationTracking {
      _ = all.wrappedValue
    } onChange: {
      told.add()
    }
    for number in 1...3 {
      try database.update { try Club(id: number, name: "c").save(to: &$0) }
      #expect(all.wrappedValue.isEmpty)
    }
    #expect(told.count == 0)
    try database.update { try Fan2(id: 1).save(to: &$0) }
    #expect(all.wrappedValue.first?.clubs?.count == 3)
    #expect(told.count == 1)
  }
}

@EntityModel
struct Fan2 {
  let id: Int
  @Relationship var clubs: [Club]? = nil
}

/// Unchecked because of its lock.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0
  var count: Int { lock.withLock { number } }
  func add() { lock.withLock { number += 1 } }
}
