import Foundation
import GQLite

/// Variables from Swift types, and runs that a task can cancel.
func passVariables(_ database: Database) async throws {
  try passStruct(to: database)
  try await cancelTask(database)
  reportError(database)
}

/// The properties of a struct are the variables.
private func passStruct(to database: Database) throws {
  struct Span: Encodable {
    var from: Int
    var to: Int
    var words: [String]
  }
  let text = """
    query($from: Int!, $to: Int!, $words: [String!]!) {
      Book(where: year in $from..$to and title not in $words) { title }
    }
    """
  print(try database.run(text, variables: Span(from: 1800, to: 1830, words: ["Mathilda"])).jsonString)

  let when = try Value(encoding: ["at": Date(timeIntervalSince1970: 0)])
  print(when)
}

/// Cancelling the task stops the run.
private func cancelTask(_ database: Database) async throws {
  let titles = try await database.runAsync("{ Book(limit: 1) { title } }")
  print(titles.jsonString)

  let task = Task { try await database.runAsync("{ Book { title author { name } } }") }
  task.cancel()
  do {
    print(try await task.value.jsonString)
  } catch let error as QueryError {
    print(error.problems.map(\.code))
  }
}

/// What a person reads of an error.
private func reportError(_ database: Database) {
  do {
    try database.run("{ Book { tilte } }")
  } catch {
    print(error.localizedDescription)
  }
}
