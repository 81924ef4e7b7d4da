import GQLEngine
import GQLModels
import GQLStore

extension Context {
  /// Runs a query in the language over the entities: a nested type `A.B` is `A_B` there, a generic `G<User>` is `G_User`.
  ///
  /// - Throws: ``QueryError`` with every problem of the text, the variables or the run.
  public func run(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    guard let snapshot = storage.current else { return try Database().run(text, variables, options: options) }
    guard let schema = storage.schema else { return try Database(snapshot).run(text, variables, options: options) }
    return try schema.texts.prepare(text).run(variables, on: DatabaseView(snapshot: snapshot), options: options)
  }

  /// Runs a query in the language with the properties of a struct as its variables; see ``Value/init(encoding:)``.
  ///
  /// - Throws: ``QueryError``, as ``run(_:_:options:)``, and where the variables cannot be encoded.
  public func run(
    _ text: String, variables: some Encodable, options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try run(text, try Value.variables(encoding: variables), options: options)
  }

  /// Runs a query in the language, and decodes what it answers: the value of its only root field,
  /// `context.run("{ User { id name } }", as: [Person].self)`, or else the whole answer.
  ///
  /// Entities are decoded with what was asked for: a relation that was not is not known.
  ///
  /// - Throws: ``QueryError`` as a query does, `DecodingError` as the standard library's decoders do.
  public func run<Result: Decodable>(
    _ text: String, _ variables: [String: Value] = [:], as type: Result.Type, options: RunOptions = RunOptions()
  ) throws -> Result {
    try run(text, variables, options: options).decode(TypedAnswer<Result>.self).value
  }

  /// Runs a query in the language; another name for ``run(_:_:options:)``.
  ///
  /// - Throws: ``QueryError``, as ``run(_:_:options:)``.
  public func query(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try run(text, variables, options: options)
  }

  /// Runs a query in the language, and decodes its answer; another name for ``run(_:_:as:options:)``.
  ///
  /// - Throws: ``QueryError`` as a query does, `DecodingError` as the standard library's decoders do.
  public func query<Result: Decodable>(
    _ text: String, _ variables: [String: Value] = [:], as type: Result.Type, options: RunOptions = RunOptions()
  ) throws -> Result {
    try run(text, variables, as: type, options: options)
  }

  /// The schema of the entities that the context knows.
  public var schema: String { storage.current.map { Database($0).schema } ?? "" }
}

extension Database {
  /// Runs a query in the language, and decodes its answer, as ``Context/run(_:_:as:options:)`` does.
  ///
  /// - Throws: ``QueryError`` as a query does, `DecodingError` as the standard library's decoders do.
  public func run<Result: Decodable>(
    _ text: String, _ variables: [String: Value] = [:], as type: Result.Type, options: RunOptions = RunOptions()
  ) throws -> Result {
    try run(text, variables, options: options).decode(TypedAnswer<Result>.self).value
  }

  /// Runs a query in the language, and decodes its answer; another name for ``run(_:_:as:options:)``.
  ///
  /// - Throws: ``QueryError`` as a query does, `DecodingError` as the standard library's decoders do.
  public func query<Result: Decodable>(
    _ text: String, _ variables: [String: Value] = [:], as type: Result.Type, options: RunOptions = RunOptions()
  ) throws -> Result {
    try run(text, variables, as: type, options: options)
  }
}

/// The value of an answer's only root field, or the whole answer.
private struct TypedAnswer<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: RelationKey.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      value = try Value(from: decoder)
      return
    }
    do {
      value = try container.decode(Value.self, forKey: key)
    } catch {
      // The type may be that of the whole answer.
      guard let whole = try? Value(from: decoder) else { throw error }
      value = whole
    }
  }
}

extension ModelSchema {
  /// What prepares text, without data.
  fileprivate var texts: Database {
    textPreparer.withLock { preparer in
      if let database = preparer as? Database { return database }
      let database = Database(empty)
      preparer = database
      return database
    }
  }
}
