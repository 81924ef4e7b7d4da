import GQLite

/// What else a program can do with a database.
func showVariations(_ database: Database) throws {
  try readValues(database)
  try keepView(database)
  try setLimits(database)
  try cancel(database)
  try reportProblems(database)
}

/// Answers as values, and as types decoded from one field.
private func readValues(_ database: Database) throws {
  let answer = try database.run("{ Book(orderBy: year, limit: 1) { title year } }")
  let first = answer.value["Book"]?[0]
  print(first?["title"]?.string ?? "none", first?["year"]?.int ?? 0)

  struct Book: Decodable { let title: String }
  let decoded = try answer.decode([Book].self, at: "Book")
  print(decoded.map(\.title))
}

/// A view stays as it is while the database goes on.
private func keepView(_ database: Database) throws {
  let all = try database.prepare("{ n: count(Book) }")
  let before = database.view()
  try database.load([
    .values(type: "Book", [["id": 13, "title": "Mathilda", "year": 1959, "author": 1]])
  ])
  print(try all.run(on: before).jsonString, try all.run().jsonString)
}

/// A run that may take only so long, or give only so much.
private func setLimits(_ database: Database) throws {
  let options = RunOptions(timeout: .seconds(2), maximumBytes: 20, maximumMemory: 64 << 20)
  do throws(QueryError) {
    try database.run("{ Book { title } }", options: options)
  } catch {
    print(error.problems.map(\.code))
  }
}

/// A flag that any thread may raise.
private func cancel(_ database: Database) throws {
  let cancellation = QueryCancellation()
  cancellation.cancel()
  do throws(QueryError) {
    try database.run("{ Book { title } }", options: RunOptions(cancellation: cancellation))
  } catch {
    print(error.problems.map(\.code))
  }
}

/// A problem has a code, a place and, often, help.
private func reportProblems(_ database: Database) throws {
  do throws(QueryError) {
    _ = try database.prepare("{ Book(where: yeer > 1) { title } }")
  } catch {
    for problem in error.problems {
      print(problem.code, problem.line ?? 0, problem.column ?? 0, problem.message, problem.help ?? "")
    }
  }
}
