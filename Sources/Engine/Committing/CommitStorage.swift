import GQLBase
import GQLStore

/// One transaction, as it is logged.
package struct Commit: Sendable {
  /// Counts the transactions of a database, from 1.
  package let version: Int64
  /// When it was committed, in microseconds since 1970.
  package let time: Int64
  package let changes: ChangeSet
  package let cause: CommitCause

  package init(version: Int64, time: Int64, changes: ChangeSet, cause: CommitCause = CommitCause()) {
    self.version = version
    self.time = time
    self.changes = changes
    self.cause = cause
  }

  package var origin: String? { cause.origin }

  /// Returns the commit with another time.
  package func at(_ time: Int64) -> Commit { Commit(version: version, time: time, changes: changes, cause: cause) }
}

/// A version that a storage keeps.
package struct StoredVersion {
  package let snapshot: Snapshot
  /// The number of its last transaction.
  package let version: Int64
  package let hasSchema: Bool
  /// The commits that lead to it from the version that was there, with the same schema; nil where it does not go on from
  /// that.
  package let commits: [Commit]?
  /// The time of its last transaction, as far as it is known.
  package var time = Int64.min

  package var isContinued: Bool { commits != nil }

  package init(snapshot: Snapshot, version: Int64, hasSchema: Bool, continuing commits: [Commit]? = nil) {
    self.snapshot = snapshot
    self.version = version
    self.hasSchema = hasSchema
    self.commits = commits
  }
}

/// Writes a copy to a path where nothing is.
package typealias StorageCopy = (_ path: String) throws(QueryError) -> Void

/// Where a database keeps its commits. Called by one thread at a time.
package protocol CommitStorage: AnyObject, Sendable {
  /// Bytes of commits that may gather in memory, and count as kept meanwhile; 0 where each is appended.
  var gatheredBytes: Int { get }

  /// Indicates whether the next ``append(_:newest:)`` is likely to ask for the version. Called by whoever commits.
  var isFolding: Bool { get }

  /// Keeps some commits, which follow those that are kept, all or none. `newest` makes the version with all of them; it
  /// costs some microseconds.
  ///
  /// - Throws: what failed; whether the commits are kept is known after ``reopen()`` only.
  func append(_ commits: [Commit], newest: () throws(QueryError) -> Snapshot) throws(QueryError)

  /// Throws where a version with another schema cannot be kept. Nothing has been written then.
  func check(_ next: Snapshot, after base: Snapshot) throws(QueryError)

  /// Throws where the schema of a version has no place in what is kept, whoever may write it. Nothing is written.
  func checkSchema(of next: Snapshot) throws(QueryError)

  /// Keeps a version with another schema or other row numbers, in the place of all that is there, with the branches beside
  /// it.
  func rewrite(_ newest: Snapshot, version: Int64, time: Int64, _ branches: [BranchContent]) throws(QueryError)

  /// Keeps branches; nil where it cannot.
  var branches: (any BranchStorage)? { get }

  /// Does a little of what makes the next opening quick. Returns whether there is more to do. `newest` makes the version
  /// with all commits that are kept.
  func fold(newest: () throws(QueryError) -> Snapshot) throws(QueryError) -> Bool

  /// Milliseconds without a commit after which ``fold(newest:)`` is called; 0 for never.
  var foldingDelay: Int { get }

  /// Returns the version that others have committed since one that was read; nil where there is none.
  func news(after version: Int64, of newest: Snapshot) throws(QueryError) -> StoredVersion?

  /// Returns when all that was appended survives the loss of power.
  func flush() throws(QueryError)

  /// Leaves everything in order, and lets go of it.
  func close(_ newest: Snapshot) throws(QueryError)

  /// Lets go of everything as it is, after a failure.
  func abandon()

  /// Returns what writes a version and the branches beside it into a new file, with which another database can be
  /// opened. Any thread may call that, be it while others write; it throws `storage-changed` where they have taken away
  /// what the copy needs.
  func copying(_ newest: Snapshot, version: Int64, _ branches: [BranchContent]) throws(QueryError) -> StorageCopy

  /// Indicates whether what is kept is gone from its place, or another one has taken that.
  var isReplaced: Bool { get }

  /// Opens the same place once more, for reading alone.
  ///
  /// - Throws: with the code `storage-changed` where another one has taken its place.
  func second() throws(QueryError) -> any CommitStorage

  /// Reads everything, and calls `body`, which reads what else it needs of the same state.
  func readAtOnce(_ body: (StoredVersion) throws(QueryError) -> Void) throws(QueryError)

  /// Takes as little room as it can.
  func vacuum() throws(QueryError)

  /// Returns the commits that lead to the newest version without a gap, as far as they are there.
  func pastCommits() throws(QueryError) -> [Commit]

  /// Reads again what is kept, after a failure. Where it goes on from a version that was kept, whose number is given, so does
  /// the version that is returned: rows have the numbers that they had.
  func reopen(after version: Int64, of newest: Snapshot) throws(QueryError) -> StoredVersion
}
