import GQLite
import GQLiteModels
import Testing

@EntityModel
private struct visitor {
  let id: Int
  @Relationship(inverse: \.members) var groups: [visitor_one]?
}

@EntityModel
private struct visitor_one {
  let id: Int
  @Relationship(inverse: \.groups) var members: [visitor]?
}

@EntityModel
private struct Visitor {
  let id: Int
}

/// Models whose names begin with a small letter, which text would take for one of their entities.
@Suite struct SmallNameTests {
  @Test func areSavedAndAskedFor() throws {
    var context = Context()
    try visitor(id: 1, groups: .relation([visitor_one(id: 2)])).save(to: &context)
    #expect(visitor.query(1).with(.ids).resolve(in: context)?.$groups.ids == [2])
    func answer(_ text: String) throws -> String { try context.query(text).jsonString }
    #expect(try answer("{ visitor { id groups { id } } }") == #"{"visitor":[{"id":1,"groups":[{"id":2}]}]}"#)
    #expect(try answer("{ visitor_one_(id: 1) { id } }") == #"{"visitor_one_":{"id":1}}"#)
    // One that is met later makes no difference to what is there.
    try Visitor(id: 3).save(to: &context)
    #expect(visitor.query().resolve(in: context).count == 1 && Visitor.query().resolve(in: context).count == 1)
    #expect(
      try answer("{ Visitor { id } visitor(id: 3) { id } visitor_ { id } }")
        == #"{"Visitor":[{"id":3}],"visitor":{"id":3},"visitor_":[{"id":1}]}"#)
  }
}
