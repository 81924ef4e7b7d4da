import Dispatch

extension Database {
  /// Runs the only operation of a document, a query or a mutation; to run one more than once,
  /// ``prepare(_:operation:name:options:)`` it.
  ///
  /// ```swift
  /// let answer = try database.run("query($min: Int!) { User(where: age > $min) { name } }", ["min": 30])
  /// ```
  ///
  /// - Throws: ``QueryError`` with every problem of the document, the variables or the run.
  @discardableResult
  public func run(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try prepare(text, options: options).run(variables, options: options)
  }

  /// Runs the only operation of a document with the properties of a struct as its variables; see
  /// ``Value/init(encoding:)``.
  ///
  /// - Throws: ``QueryError``, as ``run(_:_:options:)``, and where the variables cannot be encoded.
  @discardableResult
  public func run(
    _ text: String, variables: some Encodable, options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try run(text, try Value.variables(encoding: variables), options: options)
  }

  /// Runs the only operation of a document; another name for ``run(_:_:options:)``.
  ///
  /// - Throws: ``QueryError``, as ``run(_:_:options:)``.
  public func query(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try run(text, variables, options: options)
  }

  /// Runs the only operation of a document outside of the caller's actor, and suspends the caller meanwhile.
  ///
  /// Cancelling the task stops the run within milliseconds, or before it starts; it fails with the code `cancelled` then.
  ///
  /// - Throws: ``QueryError``, as ``run(_:_:options:)``.
  @discardableResult
  public func runAsync(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) async throws(QueryError) -> Answer {
    try await runCancellably(options) { (options) throws(QueryError) in
      try self.run(text, variables, options: options)
    }
  }

  /// Runs the only operation of a document with the properties of a struct as its variables, as
  /// ``runAsync(_:_:options:)`` does.
  ///
  /// - Throws: ``QueryError``, as ``run(_:variables:options:)``.
  @discardableResult
  public func runAsync(
    _ text: String, variables: some Encodable, options: RunOptions = RunOptions()
  ) async throws(QueryError) -> Answer {
    try await runAsync(text, try Value.variables(encoding: variables), options: options)
  }
}

extension PreparedQuery {
  /// Runs with the properties of a struct as the variables; see ``Value/init(encoding:)``.
  ///
  /// - Throws: ``QueryError``, as ``run(_:options:)``, and where the variables cannot be encoded.
  @discardableResult
  public func run(variables: some Encodable, options: RunOptions = RunOptions()) throws(QueryError) -> Answer {
    try run(try Value.variables(encoding: variables), options: options)
  }

  /// Runs on a view with the properties of a struct as the variables; see ``Value/init(encoding:)``.
  ///
  /// - Throws: ``QueryError``, as ``run(_:on:options:)``, and where the variables cannot be encoded.
  public func run(
    variables: some Encodable, on view: DatabaseView, options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try run(try Value.variables(encoding: variables), on: view, options: options)
  }

  /// Runs outside of the caller's actor, and suspends the caller meanwhile.
  ///
  /// Cancelling the task stops the run within milliseconds, or before it starts; it fails with the code `cancelled` then.
  ///
  /// - Throws: ``QueryError``, as ``run(_:options:)``.
  @discardableResult
  public func runAsync(
    _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) async throws(QueryError) -> Answer {
    try await runCancellably(options) { (options) throws(QueryError) in
      try self.run(variables, options: options)
    }
  }

  /// Runs with the properties of a struct as the variables, as ``runAsync(_:options:)`` does.
  ///
  /// - Throws: ``QueryError``, as ``run(variables:options:)``.
  @discardableResult
  public func runAsync(
    variables: some Encodable, options: RunOptions = RunOptions()
  ) async throws(QueryError) -> Answer {
    try await runAsync(try Value.variables(encoding: variables), options: options)
  }
}

extension DatabaseTransaction {
  /// Runs an operation with the properties of a struct as its variables; see ``Value/init(encoding:)``.
  ///
  /// - Throws: ``QueryError``; the transaction has failed then, and takes no further operation.
  @discardableResult
  public func run(
    _ query: PreparedQuery, variables: some Encodable, options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try run(query, try encoded(variables), options: options)
  }

  /// Runs the only operation of a document with the properties of a struct as its variables.
  ///
  /// - Throws: ``QueryError``; the transaction has failed then, and takes no further operation.
  @discardableResult
  public func run(
    _ text: String, variables: some Encodable, options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try run(text, try encoded(variables), options: options)
  }

  private func encoded(_ variables: some Encodable) throws(QueryError) -> [String: Value] {
    try failing { () throws(QueryError) in try Value.variables(encoding: variables) }
  }
}

/// Runs `body` with options that the task's cancellation stops, beside what stopped it already.
///
/// It has a thread of its own: a long run on one of the few threads that all tasks share would keep others, and what is
/// to cancel it, from going on.
private func runCancellably(
  _ options: RunOptions, _ body: @escaping @Sendable (RunOptions) throws(QueryError) -> Answer
) async throws(QueryError) -> Answer {
  var options = options
  let given = options.cancellation
  let cancellation = QueryCancellation { given?.isCancelled ?? false }
  options.cancellation = cancellation
  let settled = options
  let result = await withTaskCancellationHandler {
    await withCheckedContinuation { (continuation: CheckedContinuation<Result<Answer, QueryError>, Never>) in
      DispatchQueue(label: "gqlite.run").async {
        // A mutation must not wait for other writers first.
        if cancellation.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
        do throws(QueryError) {
          continuation.resume(returning: .success(try body(settled)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
  } onCancel: {
    cancellation.cancel()
  }
  return try result.get()
}

extension QueryError {
  /// A run that was stopped before it started.
  fileprivate static var cancelled: QueryError { QueryError(code: "cancelled", "cancelled") }
}
