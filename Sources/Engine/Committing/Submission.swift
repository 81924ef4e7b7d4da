import Dispatch

/// A mutation that was applied, and is about to be kept; see ``PreparedQuery/submit(_:options:)``.
public struct Submission: Sendable {
  private let result: Answer
  private let ticket: Committer.Ticket?
  private let database: Database?

  init(answer: Answer, ticket: Committer.Ticket? = nil, of database: Database? = nil) {
    result = answer
    self.ticket = ticket
    self.database = database
  }

  /// Returns the answer when the change is kept, as the durability of the database has it.
  ///
  /// - Throws: ``QueryError``, where the storage could not keep the change; see `docs/durability.md`.
  public func answer() throws(QueryError) -> Answer {
    if let ticket, let database { try database.wait(for: ticket) }
    return result
  }
}

extension Database {
  /// Runs the only operation of a document, which is a mutation; see ``PreparedQuery/submit(_:options:)``.
  ///
  /// - Throws: ``QueryError`` with every problem of the document, the variables or the run.
  public func submit(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Submission {
    try prepare(text, options: options).submit(variables, options: options)
  }

  /// Has another thread commit what is applied, so that nobody needs to wait for it.
  func commitSoon() {
    guard let committer, committer.beginsCommitting() else { return }
    DispatchQueue.global(qos: .userInitiated).async { [self] in
      // A failure is told to whoever asks for an answer, and ends writing.
      while committer.goesOnCommitting() {
        try? wait(for: committer.applied)
        committer.gather()
      }
    }
  }
}
