import GQLite

/// One database under another schema, and what that would lose.
func changeSchema() throws {
  let first = "type Note { id: ID!  text: String!  stars: String  draft: Boolean }"
  let second = "type Note { id: ID!  text: String! @index  stars: Int  seen: Int! = 0 }"
  let database = try Database(schema: first)
  try database.load([
    .values(type: "Note", [["id": 1, "text": "tea", "stars": "5", "draft": true], ["id": 2, "text": "rye"]])
  ])

  let change = try database.schemaChange(to: second)
  print(change)
  do {
    try database.changeSchema(to: second)
  } catch {
    print(error.problems.map(\.code))
  }
  try database.changeSchema(to: second, allowingLoss: true)
  print(try database.run("{ Note(orderBy: text) { text stars seen } }").jsonString)

  try database.changeSchema(to: first + " type Tag { id: ID! }", allowingLoss: true)
  print(try database.run("{ Note { text stars } Tag { id } }").jsonString)
}
