import Foundation
import GQLiteModels
import Testing

/// Its hooks look at the context, or put something in.
@EntityModel
private struct Writer {
  let id: Int
  func didSave(to context: inout Context) throws {
    #expect(Writer.query(id).resolve(in: context)?.id == id)
    if id > 1 { try context.insert(Note(id: 1)) }
  }
}

@EntityModel
private struct Note {
  let id: Int
}

@EntityModel
private struct Letter {
  let id: Int
  @Relationship var writer: Writer? = nil
}

/// Deletes in a way of its own.
@EntityModel
private struct Wisp {
  let id: Int
  func delete(from context: inout Context) throws { context = Context() }
}

@EntityModel
private struct Keeper {
  let id: Int
  @Relationship var gone: [Deleted<Wisp>]? = nil
  @Relationship var wisps: [Wisp]? = nil
}

/// What hooks of held entities leave behind does not show in what holds them.
@Suite struct NestedHookTests {
  @Test("a link that is made after hooks stamps the time of the save") func stamps() throws {
    var context = Context()
    try Note(id: 1).save(to: &context)
    let old = Date(timeIntervalSince1970: 1000)
    try Note(id: 1).updateMetadata(.updatedAt, value: old, in: &context)
    for id in 1...2 {
      var letter = Letter(id: id)
      letter.$writer = .relation(Writer(id: id))
      try letter.save(to: &context)
      let time = try #require(Letter(id: id).updatedAt(in: context))
      #expect(time == Writer(id: id).updatedAt(in: context) && time > old.addingTimeInterval(1_000_000))
    }
    #expect(Note(id: 1).updatedAt(in: context) == old)
  }

  @Test("a deletion of a model's own may not replace the context either") func ownDeletions() throws {
    var context = Context()
    try Wisp(id: 1).save(to: &context)
    var keeper = Keeper(id: 1)
    keeper.$gone = .relation([Deleted(Wisp(id: 1))])
    keeper.$wisps = .ids([1])
    #expect(throws: ModelError.self) { try keeper.save(to: &context) }
    #expect(context.ids(Keeper.self) == [] && context.ids(Wisp.self) == [1])
  }

  @Test("a relation saves all that it holds, or nothing") func relations() throws {
    var context = Context()
    try Solo(id: 1, name: "a").save(to: &context)
    var band = Band(id: 1)
    band.$solos = .relation([Solo(id: 2, name: "b"), Solo(id: 3, name: "a"), Solo(id: 4, name: "c")])
    #expect(throws: Errors.self) { try band.$solos.save(&context) }
    #expect(context.ids(Solo.self) == [1])
  }
}

@EntityModel
private struct Solo {
  @Unique<Self>(\.name, collisions: .throw) private var unique
  let id: Int
  var name: String
}

@EntityModel
private struct Band {
  let id: Int
  @Relationship var solos: [Solo]? = nil
}
