import GQLite

/// `gqlite live --db FILE [--branch NAME] DOCUMENT`
enum LiveCommand {
  /// Milliseconds between two looks.
  private static let interval: Int32 = 10

  static func run(_ arguments: inout Arguments) throws -> Int32 {
    var session = try Session(&arguments, follows: true)
    let variables = try Variables(&arguments, of: session)
    let operation = try arguments.value("operation")
    let mode = try mode(&arguments)
    let every = try arguments.value("every").map { text throws(UsageError) in try RunCommand.duration(text) }
    let count = try arguments.value("count").map { text throws(UsageError) -> Int in
      guard let count = Int(text), count > 0 else { throw UsageError("--count is a number from 1 on, not '\(text)'") }
      return count
    }
    let documents = try session.documents(&arguments, command: "live")
    try arguments.finish("live")
    guard session.databasePath != nil else {
      throw UsageError("a database is followed: name one with --db FILE", help: "try 'gqlite live --help'")
    }
    guard documents.count == 1, let parsed = session.parse(documents, RunOptions()).first else {
      throw UsageError("one document is followed, not \(documents.count)")
    }
    try variables.checkNames(in: [parsed], operation: operation)
    let document = try parsed.get()
    let database = try session.database(for: document, directory: nil)
    let queries = try RunCommand.selected(database.prepareAll(document), operation, document)
    guard queries.count == 1, let query = queries.first else {
      throw UsageError("one operation is followed, not \(queries.count): name it with --operation")
    }
    let follower = try query.follow(try variables.values(for: query), mode: mode, every: every)
    let status = try follow(follower, count)
    try session.close()
    return status
  }

  private static func mode(_ arguments: inout Arguments) throws -> LiveMode? {
    guard let text = try arguments.value("mode") else { return nil }
    guard let mode = LiveMode(rawValue: text.uppercased()) else {
      throw UsageError("--mode is full or diff, not '\(text)'")
    }
    return mode
  }

  /// Writes a line for each event, until the command is ended, has written as many as are wanted, or the file or the
  /// branch is gone.
  private static func follow(_ follower: LiveSubscription, _ count: Int?) throws -> Int32 {
    Follower.catchSignals()
    var written = 0
    repeat {
      while let event = follower.take() {
        Terminal.standardOutput.write(event.utf8 + [0x0A])
        Terminal.standardOutput.flush()
        if let error = event.error { Process.report(error) }
        if follower.isAtEnd { return Process.failure }
        written += 1
        if let count, written >= count { return Process.success }
      }
    } while Follower.wait(interval)
    return Process.success
  }
}
