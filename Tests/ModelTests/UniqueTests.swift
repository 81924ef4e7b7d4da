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
}
