import GQLBase
import GQLStore

/// A context with a name, kept by the database.
///
/// ```swift
/// let draft = try database.branch("draft")
/// try draft.run("mutation { updateUser(where: id == 7, set: {name: \"Ann\"}) }")
/// try draft.merge(into: database)
/// ```
/// Each change of it is kept as one of the database is: in a file until the branch is dropped, in memory as long as the
/// database is there. Its data is as it was when the branch was made, with its own changes; ``EditingContext/refresh()``
/// brings it to what is newest. It has the schema of its database, and follows a change of that.
///
/// All who open a branch of one name get the same one. Any number of threads may use it.
public final class Branch: EditingContext, @unchecked Sendable {
  /// The name under which the database keeps it.
  public let name: String
  private let log: BranchLog

  var isDropped: Bool { log.versions == nil }
  /// Identifies it in the storage.
  var number: Int64 { log.number }

  init(_ log: BranchLog, _ versions: BranchVersions, companion: (any SnapshotCompanion)?) {
    name = versions.record.name
    self.log = log
    log.begin(with: versions)
    let origin = EditingOrigin(
      parent: log.parent, isLive: false,
      EditingOrigin.Progress(
        base: versions.base, companion: companion, seen: versions.base, numbering: log.parent.numbering), log)
    let begin = (snapshot: versions.mine, companion: companion, hasSchema: !versions.mine.catalog.types.isEmpty)
    super.init(Database(editing: origin, begin, version: versions.record.version), origin)
    database.buildIndexes()
  }

  /// The branch of a database that was opened as one; nil for others, and one that was dropped.
  init?(of database: Database) {
    guard let origin = database.editing, let log = origin.log, let name = log.versions?.record.name else { return nil }
    self.name = name
    self.log = log
    super.init(database, origin)
  }

  /// The version of the database that the branch began with, or was brought to last.
  public var base: Int64 { log.versions?.record.base ?? 0 }

  /// Saves the changes as one transaction of the database that the branch was made of, as
  /// ``EditingContext/save(conflicts:origin:action:)`` does. The branch goes on from there, without changes, from the same
  /// step on.
  ///
  /// - Parameters:
  ///   - choice: What counts where both sides have changed the same and no rule decides.
  ///   - origin: A name of who makes the change, for ``Database/undoStack(for:)`` and the `_origin` of versions.
  ///   - action: The name of the change, for people.
  /// - Throws: ``QueryError``, with the code `merge-conflict` for each conflict that nobody has decided, and
  ///   `unrelated-branch` where the branch was made of another database.
  @discardableResult
  public func merge(
    into database: Database, conflicts choice: MergeChoice = .fail, origin: String? = nil, action: String? = nil
  ) throws(QueryError) -> MergeReport {
    if let other = database.editing { return try merge(database, other, choice, origin: origin, action: action) }
    if database !== log.parent { throw BranchProblem.unrelated.error }
    return try save(conflicts: choice, origin: origin, action: action)
  }

  /// Brings the changes into another branch, or a context, of the same database. That is brought to the newest data first.
  /// The branch keeps its changes.
  ///
  /// What the other one has in conflict with its database is an error, which no choice decides: refresh it first.
  ///
  /// - Throws: ``QueryError``, as ``merge(into:conflicts:origin:action:)-(Database,_,_,_)``. The other one is as before
  ///   then.
  @discardableResult
  public func merge(
    into context: EditingContext, conflicts choice: MergeChoice = .fail, origin: String? = nil, action: String? = nil
  ) throws(QueryError) -> MergeReport {
    guard let other = context.database.editing else { throw BranchProblem.unrelated.error }
    return try merge(context.database, other, choice, origin: origin, action: action)
  }

  private func merge(
    _ target: Database, _ other: EditingOrigin, _ choice: MergeChoice, origin: String?, action: String?
  ) throws(QueryError) -> MergeReport {
    guard let own = database.editing else { throw BranchProblem.unrelated.error }
    if target === database { throw BranchProblem.itself(name).error }
    return try own.merge(database, into: other, target, choice, origin: origin, action: action)
  }

  /// Brings the branch to the newest data, with its changes.
  ///
  /// - Throws: ``QueryError``, with the code `merge-conflict` for each conflict. The branch is as before then.
  public override func refresh() throws(QueryError) { try refresh(conflicts: .fail) }

  /// Brings the branch to the newest data, with its changes. What it yields of these is no change of it any more.
  ///
  /// - Parameter choice: What counts where both sides have changed the same and no rule decides: `.mine` is the branch.
  /// - Returns: What was in conflict, and was decided.
  /// - Throws: ``QueryError``, as ``refresh()``.
  @discardableResult
  public func refresh(conflicts choice: MergeChoice) throws(QueryError) -> [MergeConflict] {
    guard let own = database.editing else { return [] }
    return try own.changing(database) { () throws(QueryError) in try own.advance(database, conflicts: choice) }
  }

  /// Removes the branch with its changes. What is open of it can be read, and no longer be written.
  ///
  /// - Throws: ``QueryError`` where the storage fails.
  public func drop() throws(QueryError) {
    guard let own = database.editing, let committer = database.committer else { return }
    try own.changing(database) { () throws(QueryError) in try log.drop() }
    committer.stop(BranchProblem.dropped.error)
  }
}

/// A description of a branch that a database keeps.
public struct BranchDescription: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The version of the database that the branch began with, or was brought to last.
  public let base: Int64
  /// The number of changes since then, those that were taken back among them.
  public let changes: Int64
  /// The time of the last change, or of its making, in microseconds since 1970.
  public let time: Int64
}

extension Database {
  /// Opens a branch, or makes one that begins with the newest data; see ``Branch``.
  ///
  /// Complexity: O(*n*) in the changes of the branch, and in those of the database since it began.
  ///
  /// - Parameters:
  ///   - name: Has at most 100 bytes, and no control characters.
  ///   - creates: Allows making a branch that is missing.
  /// - Throws: ``QueryError``, with the code `unknown-branch` where it is missing and not to be made, and
  ///   `storage-corrupt` where its records are damaged.
  public func branch(_ name: String, creates: Bool = true) throws(QueryError) -> Branch {
    try branchTable.branch(name, of: self, creates: creates)
  }

  /// Removes a branch by its name, also one whose records are damaged; see ``Branch/drop()``.
  ///
  /// - Throws: ``QueryError``, with the code `unknown-branch` where there is none of that name.
  public func dropBranch(_ name: String) throws(QueryError) { try branchTable.drop(name, of: self) }

  /// Lists the branches by name.
  public var branches: [BranchDescription] {
    get throws(QueryError) {
      try branchTable.records(of: self).map {
        BranchDescription(name: $0.name, base: $0.base, changes: $0.commits, time: $0.time)
      }
    }
  }
}
