import GQLite

/// `gqlite [run] FILE…`
enum RunCommand {
  static func run(_ arguments: inout Arguments) throws -> Int32 {
    var session = try Session(&arguments)
    let variables = try Variables(&arguments, of: session)
    var format = try OutputFormat(&arguments)
    let options = try runOptions(&arguments)
    let output = try arguments.value("output")
    let operation = try arguments.value("operation")
    let documents = try session.documents(&arguments, command: "run")
    try arguments.finish("run")
    if let output { try session.checkIsNotRead(output) }
    if let output { try Terminal.standardOutput.redirect(to: output) }
    defer { Terminal.standardOutput.discard() }
    var status = Process.success
    // Whether each document gave an answer, or a response that tells its errors.
    var isComplete = true
    let parsed = session.parse(documents, options)
    try variables.checkNames(in: parsed, operation: operation)
    for document in parsed {
      var options = options
      do throws(QueryError) {
        let document = try document.get()
        let database = try session.database(
          for: document, directory: Session.directory(of: document.sourceName), &options)
        let queries = try selected(database.prepareAll(document, options: options), operation, document)
        for query in queries {
          let values = try variables.values(for: query)
          if query.isExplained {
            format.write(plan: try query.run(values, options: options))
          } else {
            let shape = try format.shape(of: query, values)
            format.write(try query.run(values, options: options), shape)
          }
          if query.isLive, !query.isExplained { session.tellThatItAnswersOnce() }
          if query.isMutation, !query.isExplained { session.tellThatNothingIsKept() }
        }
      } catch {
        status = Process.failure
        if case .graphql = format.kind {
          Terminal.standardOutput.write(format.envelope(error))
        } else {
          isComplete = false
        }
        Process.report(error)
        if !defines(document) { session.tellThatNoDataIsGiven(error) }
      }
    }
    try session.close()
    if isComplete {
      if let output { try session.checkIsNotRead(output) }
      Terminal.standardOutput.commit()
    }
    return status
  }

  /// Tells whether a document has types of its own.
  private static func defines(_ document: Result<QueryDocument, QueryError>) -> Bool {
    if case .success(let document) = document { document.definesTypes } else { false }
  }

  /// All operations, or the one named.
  static func selected(
    _ queries: [PreparedQuery], _ operation: String?, _ document: QueryDocument
  ) throws(QueryError) -> [PreparedQuery] {
    guard let operation else {
      if queries.isEmpty { throw document.noOperationError() }
      return queries
    }
    let found = queries.filter { $0.name == operation }
    if found.isEmpty { throw document.unknownOperationError(operation) }
    return found
  }

  static func runOptions(_ arguments: inout Arguments) throws -> RunOptions {
    var options = RunOptions()
    if let text = try arguments.value("timeout") { options.timeout = try duration(text) }
    options.maximumBytes = try number(&arguments, "max-bytes")
    options.maximumNodes = try number(&arguments, "max-nodes")
    options.maximumMemory = try number(&arguments, "max-memory")
    options.origin = try arguments.value("origin")
    if let text = try arguments.value("now") {
      options.now = DateTimeText.microseconds(text)
      if options.now == nil { throw UsageError("--now is a time such as 2024-05-01T12:00:00Z, not '\(text)'") }
    }
    return options
  }

  private static func number(_ arguments: inout Arguments, _ name: String) throws -> Int? {
    guard let text = try arguments.value(name) else { return nil }
    guard let number = Int(text), number >= 0 else { throw UsageError("--\(name) is a number, not '\(text)'") }
    return number
  }

  /// `500ms`, `5s`, `2m`, `1.5`.
  static func duration(_ text: String) throws(UsageError) -> Duration {
    var digits = text
    var milliseconds = 1000.0
    for (suffix, factor) in [("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)] where text.hasSuffix(suffix) {
      digits = String(text.dropLast(suffix.count))
      milliseconds = factor
      break
    }
    guard let number = Double(digits), number >= 0, number.isFinite, number * milliseconds < 1e15 else {
      throw UsageError("'\(text)' is no time: write 500ms, 5s or 2m")
    }
    return .milliseconds(Int64((number * milliseconds).rounded(.up)))
  }
}
