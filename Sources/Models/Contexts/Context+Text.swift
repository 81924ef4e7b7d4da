import GQLStore
import GQLite

extension Context {
  /// Runs a query in the language over the entities: a nested type `A.B` is `A_B` there, a generic `G<User>` is `G_User`.
  ///
  /// - Throws: ``GQLite/QueryError`` with every problem of the text, the variables or the run.
  public func query(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    guard let snapshot = storage.current else { return try Database().query(text, variables, options: options) }
    guard let schema = storage.schema else { return try Database(snapshot).query(text, variables, options: options) }
    return try schema.texts.prepare(text).run(variables, on: DatabaseView(snapshot: snapshot), options: options)
  }

  /// The schema of the entities that the context knows.
  public var schema: String { storage.current.map { Database($0).schema } ?? "" }
}
