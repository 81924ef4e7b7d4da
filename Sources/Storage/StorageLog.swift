import GQLBase
import GQLEngine
import GQLStore

/// The commits that the log of a database file holds, as JSON, and the versions between them.
///
/// Only reads the file. The log holds the records up to the newest version without a gap: a change of the schema and a
/// large commit have none, and the oldest ones go. For one thread at a time.
package final class StorageLog {
  private let path: String
  private let log: CommitLog
  private var newest: Snapshot
  /// The version of ``newest``.
  package private(set) var version: Int64
  /// Those that follow one another up to ``version``.
  private var commits: [Commit]

  /// Opens a file that is there.
  package init(path: String) throws(QueryError) {
    self.path = path
    log = CommitLog(SQLiteBackend(path: path), options: .reading)
    let stored = try log.open(creating: nil)
    (newest, version) = (stored.snapshot, stored.version)
    commits = try log.keptCommits()
  }

  deinit { log.abandon() }

  /// The oldest version that can be reached by going back from the newest.
  package var oldest: Int64 { (commits.first?.version).map { $0 - 1 } ?? version }

  // MARK: - Versions

  private func check(_ version: Int64) throws(QueryError) {
    if version < oldest || version > self.version {
      throw StorageProblem.unknownVersion(version, oldest: oldest, newest: self.version).error(path)
    }
  }

  /// Goes back from the newest version to an earlier one.
  private func snapshot(at version: Int64) throws(QueryError) -> Snapshot {
    if version == self.version { return newest }
    let transaction = WriteTransaction(newest, fold: foldText)
    for commit in commits.reversed() where commit.version > version {
      try apply(commit, to: transaction, isInverse: true)
    }
    return transaction.commit()
  }

  private func apply(_ commit: Commit, to transaction: WriteTransaction, isInverse: Bool) throws(QueryError) {
    do throws(ChangeProblem) {
      try transaction.apply(isInverse ? try commit.changes.inverse() : commit.changes)
    } catch {
      throw misfit(commit.version)
    }
  }

  private func misfit(_ version: Int64) -> QueryError {
    StorageProblem.corrupt("commit \(version) does not fit the versions beside it").error(path)
  }

  // MARK: - Commits

  /// Calls with a line of JSON for each commit after a version, without its line break.
  ///
  /// - Parameter version: Nil for all that the log holds.
  /// - Throws: ``QueryError``; with the code `unknown-version` where the log does not reach back to the version.
  package func forEachCommit(after version: Int64? = nil, _ body: (UnsafeRawBufferPointer) -> Void) throws(QueryError) {
    let start = version ?? oldest
    try check(start)
    if start >= self.version { return }
    let coder = ChangeJSON(newest)
    var before = try snapshot(at: start)
    for commit in commits where commit.version > start {
      let transaction = WriteTransaction(before, fold: foldText)
      try apply(commit, to: transaction, isInverse: false)
      let after = transaction.commit()
      try write(commit, coder, before, after, body)
      before = after
    }
  }

  private func write(
    _ commit: Commit, _ coder: ChangeJSON, _ before: Snapshot, _ after: Snapshot,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(QueryError) {
    var line = ByteBuffer(capacity: 1024)
    line.append("{\"version\":")
    line.append(int: commit.version)
    line.append(",\"time\":")
    // A damaged file may say any number.
    if CivilTime.dateTimeRange.contains(commit.time) { line.append(dateTime: commit.time) } else { line.append("null") }
    if let origin = commit.cause.origin {
      line.append(",\"origin\":")
      line.append(json: origin)
    }
    if !commit.cause.undone.isEmpty {
      line.append(",\"undone\":[")
      for (place, version) in commit.cause.undone.enumerated() {
        if place > 0 { line.append(0x2C) }
        line.append(int: version)
      }
      line.append(0x5D)
    }
    line.append(",\"changes\":")
    do throws(ChangeProblem) {
      try coder.append(commit.changes, between: (before, after), to: &line)
    } catch {
      throw misfit(commit.version)
    }
    line.append(0x7D)
    line.withUnsafeBytes(body)
  }

  /// Calls with a line of JSON for each commit that came since it was called last, or since the file was opened. Commits
  /// that the log does not hold are one line, without changes. Holds nothing of the file between calls.
  package func forEachNewCommit(_ body: (UnsafeRawBufferPointer) -> Void) throws(QueryError) {
    guard try log.hasNews() else { return }
    guard let found = try log.commits(after: version) else { return try passGap(body) }
    commits = []
    let coder = ChangeJSON(newest)
    for commit in found {
      let transaction = WriteTransaction(newest, fold: foldText)
      try apply(commit, to: transaction, isInverse: false)
      let next = transaction.commit()
      try write(commit, coder, newest, next, body)
      (newest, version) = (next, commit.version)
    }
  }

  /// Goes on after commits of which there is no record.
  private func passGap(_ body: (UnsafeRawBufferPointer) -> Void) throws(QueryError) {
    let known = version
    guard let stored = try log.readAll() else { return }
    (newest, version) = (stored.snapshot, stored.version)
    commits = try log.keptCommits()
    if oldest > known {
      var line = ByteBuffer()
      line.append("{\"version\":")
      line.append(int: oldest)
      line.append(",\"since\":")
      line.append(int: known)
      line.append(",\"changes\":null}")
      line.withUnsafeBytes(body)
    }
    try forEachCommit(after: max(known, oldest), body)
    commits = []
  }

  // MARK: - Differences

  /// Calls with the JSON of each row that differs between two versions, in the order of types and rows. `last` may be
  /// the earlier one; nil is the newest.
  ///
  /// - Throws: ``QueryError``; with the code `unknown-version` where there is no way to one of the versions.
  package func forEachDifference(
    from first: Int64, to last: Int64?, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(QueryError) {
    let last = last ?? version
    try check(first)
    try check(last)
    let (old, new) = (try snapshot(at: first), try snapshot(at: last))
    do throws(ChangeProblem) {
      try ChangeJSON(newest).forEachRow(of: new.changes(since: old), between: (old, new), body)
    } catch {
      throw misfit(max(first, last))
    }
  }
}
