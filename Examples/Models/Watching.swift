import Foundation
import GQLiteModels

extension QueryList where Entity == User {
  /// A query is a value, and can have a name.
  static var adults: QueryList { User.filter(#Predicate { $0.age >= 18 }).sorted(by: \.name) }
}

/// Queries by predicates, on a database that text queries too.
func watchLines() async throws -> [String] {
  let database = try Database(for: User.self)
  try database.update { context in
    for (number, name) in ["Bob", "Alice", "Carol"].enumerated() {
      try User(id: "\(number)", name: name, age: 16 + number).save(to: &context)
    }
  }
  var lines = [try QueryList<User>.adults.limit(1).results(in: database).map(\.name).joined(separator: ", ")]

  // The answers of a query, as they change.
  var answers = FetchAll(.adults, in: database).makeAsyncIterator()
  lines.append(try await answers.next()?.map(\.name).joined(separator: ", ") ?? "")
  try database.run(#"mutation { updateUser(where: name == "Alice", set: {age: 18}) { id } }"#)
  lines.append(try await answers.next()?.map(\.name).joined(separator: ", ") ?? "")

  let dave = try User.filter(\.name == "Dave").findOrCreate(in: database) {
    User(id: "3", name: "Dave", age: 40)
  }
  try User.filter(\.age < 18).delete(in: database)
  lines.append(try "\(dave.name) is one of \(User.count(in: database))")
  return lines
}
