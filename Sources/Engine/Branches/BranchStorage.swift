import GQLBase
import GQLStore

/// A branch as a storage lists it, without its changes.
package struct BranchRecord: Sendable, Hashable {
  /// Identifies the branch in its storage.
  package let number: Int64
  package let name: String
  /// The version of the database that the branch began with.
  package let base: Int64
  /// The number of the branch's last commit.
  package let version: Int64
  /// The number of the commits that the branch has had since it began.
  package let commits: Int64
  /// When it was made or changed last, in microseconds since 1970.
  package let time: Int64

  package init(number: Int64, name: String, base: Int64, version: Int64, commits: Int64, time: Int64) {
    self.number = number
    self.name = name
    self.base = base
    self.version = version
    self.commits = commits
    self.time = time
  }
}

/// The versions of a branch, made again. Both share the layout of the database's newest version.
package struct BranchVersions: Sendable {
  package let record: BranchRecord
  package let base: Snapshot
  package let mine: Snapshot

  package init(record: BranchRecord, base: Snapshot, mine: Snapshot) {
    self.record = record
    self.base = base
    self.mine = mine
  }

  /// Returns the record of the branch once it begins with a version of the database, without changes. That has a number
  /// of its own where it differs from the branch's last version: a number must not stand for other data later.
  package func rebased(onto base: Snapshot, _ version: Int64) -> BranchRecord {
    let isSame = base.hasLayout(of: mine) && base.changes(since: mine).isEmpty
    return BranchRecord(
      number: record.number, name: record.name, base: version, version: isSame ? record.version : record.version + 1,
      commits: 0, time: WallClock.now)
  }
}

/// The content of a branch beside a version of its database.
package struct BranchContent: Sendable {
  package let record: BranchRecord
  /// The changes that lead from the branch's base to that version.
  package let past: ChangeSet
  /// The changes that lead from the base to the branch.
  package let own: ChangeSet
  /// By type: the number of rows of the base. The database gives none of these to another entity.
  package let rows: [Int]
  /// The states of what it has got of others by merges.
  package var merges: [BranchMerge] = []

  /// - Parameter newest: A version of the database with the columns of both.
  package init(_ record: BranchRecord, base: Snapshot, mine: Snapshot, beside newest: Snapshot) {
    self.record = record
    past = newest.changes(since: base)
    own = mine.changes(since: base)
    rows = base.catalog.types.map { base.slotCount($0.id) }
  }

  package init(_ record: BranchRecord, past: ChangeSet, own: ChangeSet, rows: [Int]) {
    self.record = record
    self.past = past
    self.own = own
    self.rows = rows
  }

  /// Makes the versions again beside the same version of the database.
  ///
  /// - Throws: where the changes do not fit it.
  package func versions(beside newest: Snapshot) throws(ChangeProblem) -> BranchVersions {
    let base = try newest.applying([try past.inverse()])
    return BranchVersions(record: record, base: base, mine: try base.applying([own]))
  }
}

/// A storage of the branches of a database. Called by one thread at a time, while nothing is committed.
///
/// A branch is kept as its commits, and by what makes its base again: the changes that lead from the base to a version of the
/// database, and the commits of the database since. So neither needs a history, and an old base costs what has changed
/// since.
package protocol BranchStorage: AnyObject, Sendable {
  /// The number of branches.
  var count: Int { get }

  /// Lists all branches, in the order of their numbers.
  func records() throws(QueryError) -> [BranchRecord]

  /// Makes the versions of a branch again beside the newest version of the database, whose number is given.
  ///
  /// - Throws: with the code `storage-corrupt` where its records are damaged, and `unknown-branch` where it is gone.
  func versions(of number: Int64, beside newest: Snapshot, version: Int64) throws(QueryError) -> BranchVersions

  /// Returns the last commits of a branch, the oldest first, as far as they are kept one by one.
  ///
  /// - Throws: as ``versions(of:beside:version:)`` does.
  func commits(of number: Int64) throws(QueryError) -> [Commit]

  /// Adds a branch without changes, which begins with the newest version of the database. The record's number is not used.
  func add(_ record: BranchRecord, at newest: Snapshot) throws(QueryError) -> BranchRecord

  /// Adds commits to a branch, all or none, with the merge of another branch that the last of them is; nil for none. What
  /// they take back of merges is noted in the same step.
  func append(
    _ commits: [Commit], to number: Int64, _ versions: BranchVersions, merging: BranchMerge?
  ) throws(QueryError)

  /// Lists the merges of branches into others, as far as both are there.
  ///
  /// - Throws: with the code `storage-corrupt` where the list is damaged.
  func merges() throws(QueryError) -> BranchMerges

  /// Has a branch begin with the newest version of the database.
  ///
  /// - Parameter step: What is noted of it in the list of merges.
  func rebase(_ record: BranchRecord, base: Snapshot, mine: Snapshot, as step: BranchStep) throws(QueryError)

  /// Adds a merge into a branch that has left it as it was.
  func note(_ merge: BranchMerge) throws(QueryError)

  /// Notes a step that leaves a branch's records as they are.
  func note(_ step: BranchStep, of number: Int64, at version: Int64) throws(QueryError)

  /// Has the next commits of the database rebase a branch in the same step; nil for none.
  var rebasedNext: BranchRebase? { get set }

  /// Removes a branch.
  func remove(_ number: Int64) throws(QueryError)
}
