import GQLiteState

@Model(id: 1)
final class Person {
  @Property(id: 1) var name: String
  @Reference(id: 2) var employer: Person?
  @ReferenceList(id: 3) var friends: [Person]
}

/// Objects of a class, and what text sees of them.
func people() throws -> [String] {
  let database = InMemoryDatabase()
  let alice = Person.create(in: database, id: 123, name: "Alice")
  alice.friends.append(database.create(id: 124))
  let answer = try database.gqlite.run("{ person(id: 123) { name friends } }")
  return [answer.jsonString]
}
