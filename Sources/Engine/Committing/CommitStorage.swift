import GQLBase
import GQLStore

/// One transaction, as it is logged.
package struct Commit: Sendable {
  /// Counts the transactions of a database, from 1.
  package let version: Int64
  /// When it was committed, in microseconds since 1970.
  package let time: Int64
  package let changes: ChangeSet

  package init(version: Int64, time: Int64, changes: ChangeSet) {
    self.version = version
    self.time = time
    self.changes = changes
  }
}

/// Where a database keeps its commits. Called by one thread at a time.
package protocol CommitStorage: AnyObject, Sendable {
  /// Keeps some commits, which follow those that are kept, all or none. `newest` is the version with all of them.
  ///
  /// - Throws: what failed; whether the commits are kept is known after ``reopen()`` only.
  func append(_ commits: [Commit], newest: Snapshot) throws(QueryError)

  /// Throws where a version with another schema cannot be kept. Nothing has been written then.
  func check(_ next: Snapshot, after base: Snapshot) throws(QueryError)

  /// Keeps a version with another schema, in the place of all that is there.
  func rewrite(_ newest: Snapshot, version: Int64, time: Int64) throws(QueryError)

  /// Returns when all that was appended survives the loss of power.
  func flush() throws(QueryError)

  /// Leaves everything in order, and lets go of it.
  func close(_ newest: Snapshot) throws(QueryError)

  /// Lets go of everything as it is, after a failure.
  func abandon()

  /// Writes a copy of the newest version, with which another database can be opened.
  func backup(to path: String) throws(QueryError)

  /// Reads again what is kept, after a failure.
  func reopen() throws(QueryError) -> (snapshot: Snapshot, version: Int64, hasSchema: Bool)
}
