import GQLiteModels
import Testing

@Suite struct UniqueTests {
  @Test func aRejectedEntityLeavesNothing() throws {
    var context = Context()
    try Account(id: 1, email: "a", login: "1").save(to: &context)
    #expect(throws: Errors.uniqueValueIndexViolation(existing: "1", new: "2", indexName: "uniqueEmail")) {
      try Account(id: 2, email: "a", login: "x").save(to: &context)
    }
    #expect(context.ids(Account.self) == [1])
    // Its other values are free.
    try Account(id: 3, email: "b", login: "x").save(to: &context)
    #expect(context.ids(Account.self) == [1, 3])
    // The same id never collides, and its old values are free.
    try Account(id: 1, email: "c", login: "1").save(to: &context)
    try Account(id: 4, email: "a", login: "4").save(to: &context)
    #expect(Account.query(1).resolve(in: context)?.email == "c")
  }

  @Test func upsertDeletesTheOther() throws {
    var context = Context()
    try Account(id: 1, email: "a", login: "x").save(to: &context)
    try Account(id: 2, email: "b", login: "x").save(to: &context)
    #expect(context.ids(Account.self) == [2])
    #expect(Deleted<Account>.query(1).resolve(in: context)?.entity.email == "a")
  }

  @Test func nilCollidesUnlessTheResolverSaysOtherwise() throws {
    var context = Context()
    try Account(id: 1, email: "a", login: "1").save(to: &context)
    try Account(id: 2, email: "b", login: "2").save(to: &context)
    #expect(context.ids(Account.self) == [1, 2])
    try Account(id: 3, email: "c", login: "3", nick: "n").save(to: &context)
    #expect(throws: UniqueConstraintViolation.self) {
      try Account(id: 4, email: "d", login: "4", nick: "n").save(to: &context)
    }
    #expect(context.ids(Account.self) == [1, 2, 3])
    // Of two that share a value, one may leave it, and the next collision is still found.
    try Account(id: 1, email: "a", login: "1", nick: "m").save(to: &context)
    #expect(throws: UniqueConstraintViolation.self) {
      try Account(id: 5, email: "e", login: "5", nick: "m").save(to: &context)
    }
  }

  /// Indexes of a schema in text have names of their own.
  @Test func inASchemaOfTextResolversDecideByTheSameFields() throws {
    let database = try Database(
      schema: """
        type Coupon @unique(fields: ["shop", "number"]) {
          id: ID!  code: String! @unique(onConflict: REPLACE)  shop: String  number: Int!
        }
        """)
    try Coupon(id: "1", code: "a", shop: "x", number: 1).save(to: database)
    try Coupon(id: "2", code: "a", shop: "x", number: 2).save(to: database)
    #expect(Coupon.query().sorted(by: \.id).resolve(in: database).map(\.id) == ["2"])
    #expect(throws: Errors.self) { try Coupon(id: "3", code: "c", shop: "x", number: 2).save(to: database) }
    // Nothing is known of a shop, and the resolver says that it does not count.
    try Coupon(id: "4", code: "d", shop: nil, number: 2).save(to: database)
    try Coupon(id: "5", code: "e", shop: nil, number: 3).save(to: database)
    #expect(Coupon.query().sorted(by: \.id).resolve(in: database).map(\.id) == ["2", "4", "5"])
    #expect(database.check().isEmpty)
  }

  @Test func aSchemaOfTextThatKeepsNothingUniqueDoesNotFit() throws {
    let database = try Database(
      schema: "type Coupon { id: ID!  code: String! @unique  shop: String  number: Int! @index }")
    let error = #expect(throws: ModelError.self) {
      try Coupon(id: "1", code: "a", shop: "x", number: 1).save(to: database)
    }
    let expected = "does not keep (shop, number) unique, as 'places' of the model asks"
    #expect(error.map { "\($0)".contains(expected) } == true, "\(String(describing: error))")
  }
}

@EntityModel
private struct Coupon {
  @Unique<Self>(\.code, collisions: .upsert) private var codes
  @Unique<Self>(\.shop, \.number, collisions: .throwUnlessNil) private var places

  let id: String
  var code: String
  var shop: String?
  var number: Int
}
