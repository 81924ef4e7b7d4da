import GQLBase
import GQLStore
import Synchronization

/// A log of the commits of a branch: in the storage of the database that the branch was made of.
final class BranchLog: CommitStorage, @unchecked Sendable {
  let parent: Database
  let number: Int64
  /// The layout of the parent that the branch was read with.
  private let generation: Lock<Int>
  /// Holds what the branch is made of; set when it is read.
  private let content: Lock<BranchVersions?>
  /// A base that the next commit goes on from, in the place of the branch's; nil for none.
  private let nextBase: Lock<(base: Snapshot, version: Int64)?>
  /// The merge of another branch that the next commit is; nil for none.
  private let nextMerge = Lock<BranchMerge?>(nil)
  /// A step that is to be noted with the next base.
  private let nextStep = Lock<BranchStep>([])
  private let closes = Atomic<Bool>(false)

  init(_ parent: Database, _ number: Int64, generation: Int) {
    self.parent = parent
    self.number = number
    self.generation = Lock(generation)
    content = Lock(nil)
    nextBase = Lock(nil)
  }

  private var table: BranchTable { parent.branchTable }

  /// The versions that the storage has.
  var versions: BranchVersions? { content.withLock { $0 } }

  func begin(with versions: BranchVersions) { content.withLock { $0 = versions } }

  private func storage() throws(QueryError) -> any BranchStorage {
    guard let storage = table.storage(of: parent) else { throw BranchProblem.dropped.error }
    return storage
  }

  private func known() throws(QueryError) -> BranchVersions {
    guard let known = versions else { throw BranchProblem.dropped.error }
    return known
  }

  // MARK: - Commits

  var gatheredBytes: Int { 0 }
  var isFolding: Bool { true }
  var foldingDelay: Int { 0 }

  func append(_ commits: [Commit], newest: () throws(QueryError) -> Snapshot) throws(QueryError) {
    guard let last = commits.last else { return }
    let known = try known()
    let mine = try newest()
    if let next = nextBase.withLock({ $0 }) {
      return try rebase(onto: next.base, next.version, mine: mine, commit: last.version, isChanged: mine !== next.base)
    }
    let record = known.record
    let versions = BranchVersions(
      record: BranchRecord(
        number: number, name: record.name, base: record.base, version: last.version,
        commits: record.commits + Int64(commits.count), time: last.time), base: known.base, mine: mine)
    let storage = try storage()
    let merge = nextMerge.withLock { $0 }?.since(last.version)
    try table.writing(parent, generation: generation.withLock { $0 }) { () throws(QueryError) in
      try storage.append(commits, to: number, versions, merging: merge)
    }
    nextMerge.withLock { $0 = nil }
    begin(with: versions)
  }

  // MARK: - Other bases

  /// Runs `body`, which goes on from another version of the database, and keeps that as the base of the branch.
  ///
  /// - Parameters:
  ///   - isKept: Whether the storage has the branch without changes already, and the step.
  ///   - step: What is noted of it in the list of merges.
  func rebasing(
    onto base: Snapshot, _ version: Int64, isKept: Bool, as step: BranchStep, _ own: Database,
    _ body: () throws(QueryError) -> Void
  ) throws(QueryError) {
    nextStep.withLock { $0 = isKept ? [] : step }
    try rebasing(onto: base, version, isKept: isKept, own, body)
    // Where the storage has it already, the step alone is noted.
    let left = nextStep.withLock { step in
      defer { step = [] }
      return step
    }
    if !left.isEmpty { try note(left) }
  }

  private func rebasing(
    onto base: Snapshot, _ version: Int64, isKept: Bool, _ own: Database, _ body: () throws(QueryError) -> Void
  ) throws(QueryError) {
    if isKept {
      begin(with: BranchVersions(record: try known().rebased(onto: base, version), base: base, mine: base))
    }
    generation.withLock { $0 = table.generation }
    nextBase.withLock { $0 = (base, version) }
    defer { nextBase.withLock { $0 = nil } }
    let before = try known()
    try body()
    // Where nothing differs there was no commit.
    if try known().base !== before.base || isKept { return }
    let mine = own.current
    try rebase(onto: base, version, mine: mine, commit: before.record.version, isChanged: mine !== base)
  }

  private func rebase(
    onto base: Snapshot, _ version: Int64, mine: Snapshot, commit: Int64, isChanged: Bool
  ) throws(QueryError) {
    let known = try known()
    // What the storage has already is not written again.
    if known.base === base, known.mine === mine { return }
    let record = BranchRecord(
      number: number, name: known.record.name, base: version, version: commit,
      commits: isChanged ? known.record.commits : 0, time: WallClock.now)
    let storage = try storage()
    try table.writing(parent, generation: generation.withLock { $0 }) { () throws(QueryError) in
      try storage.rebase(record, base: base, mine: mine, as: nextStep.withLock { $0 })
    }
    nextStep.withLock { $0 = [] }
    begin(with: BranchVersions(record: record, base: base, mine: mine))
  }

  /// Notes a step that leaves the branch's records as they are.
  private func note(_ step: BranchStep) throws(QueryError) {
    let (storage, version) = (try storage(), try known().record.version)
    try table.writing(parent) { () throws(QueryError) in try storage.note(step, of: number, at: version) }
  }

  /// Runs `body`, whose commit is the merge of another branch.
  func merging(_ merge: BranchMerge, _ body: () throws(QueryError) -> Void) throws(QueryError) {
    nextMerge.withLock { $0 = merge }
    do throws(QueryError) {
      try body()
    } catch {
      nextMerge.withLock { $0 = nil }
      throw error
    }
  }

  /// Notes the merge of another branch that has left this one as it was.
  func note(_ merge: BranchMerge) throws(QueryError) {
    let (storage, version) = (try storage(), try known().record.version)
    try table.writing(parent) { () throws(QueryError) in try storage.note(merge.since(version)) }
  }

  /// Removes the branch.
  func drop() throws(QueryError) {
    let storage = try storage()
    try table.writing(parent) { () throws(QueryError) in try storage.remove(number) }
    content.withLock { $0 = nil }
    table.forget(number)
  }

  // MARK: - Schemas

  func check(_ next: Snapshot, after base: Snapshot) throws(QueryError) {
    if nextBase.withLock({ $0 }) != nil { return }
    if parent.committer?.isNeverWritten ?? false { try parent.committer?.check() }
    let isOfOneSchema = next.catalog.version == base.catalog.version
    throw BranchProblem.notOnBranch(
      isOfOneSchema ? "is compacted with its database" : "has the schema of its database"
    ).error
  }

  func checkSchema(of next: Snapshot) throws(QueryError) {}

  func rewrite(
    _ newest: Snapshot, version: Int64, time: Int64, _ branches: [BranchContent]
  ) throws(QueryError) {
    guard let next = nextBase.withLock({ $0 }) else {
      throw BranchProblem.notOnBranch("has the schema of its database").error
    }
    try rebase(onto: next.base, next.version, mine: newest, commit: version, isChanged: newest !== next.base)
  }

  // MARK: - Reading again

  /// Indicates whether the branch is to be read again: the parent has another layout, or goes on after a failure.
  func isOutdated(_ own: Database) -> Bool {
    if let committer = own.committer, committer.isStopped, !closes.load(ordering: .relaxed), versions != nil {
      return !(parent.committer?.hasFailed ?? false)
    }
    guard let base = versions?.base else { return false }
    return generation.withLock { $0 } != table.generation
      || !parent.state.withLock { $0.snapshot }.hasLayout(of: base)
  }

  /// Returns whether another process has changed the branch in the storage since it was read.
  ///
  /// - Throws: ``QueryError`` `unknown-branch` where it was dropped, and what reading the storage throws.
  func differsFromStorage() throws(QueryError) -> Bool {
    guard let known = versions?.record, let found = try table.record(known.number, of: parent), found.name == known.name
    else { throw BranchProblem.dropped.error }
    return found != known
  }

  func reopen(after version: Int64, of newest: Snapshot) throws(QueryError) -> StoredVersion {
    try reread()
  }

  func reread() throws(QueryError) -> StoredVersion {
    let (versions, generation) = try table.reread(self)
    self.generation.withLock { $0 = generation }
    // What was not kept is no merge of what comes next.
    nextMerge.withLock { $0 = nil }
    begin(with: versions)
    return StoredVersion(snapshot: versions.mine, version: versions.record.version, hasSchema: true)
  }

  func pastCommits() throws(QueryError) -> [Commit] { try table.commits(of: number, in: parent) }
  func news(after version: Int64, of newest: Snapshot) -> StoredVersion? { nil }

  // MARK: - What needs nothing

  func fold(newest: () throws(QueryError) -> Snapshot) -> Bool { false }
  func flush() throws(QueryError) { try parent.flush() }
  func close(_ newest: Snapshot) { closes.store(true, ordering: .relaxed) }
  func abandon() {}
  func vacuum() {}
  var branches: (any BranchStorage)? { nil }

  private var isCopied: QueryError { BranchProblem.notOnBranch("is copied with its database").error }

  func copying(_ newest: Snapshot, version: Int64, _ branches: [BranchContent]) throws(QueryError) -> StorageCopy {
    throw isCopied
  }

  var isReplaced: Bool { false }

  func second() throws(QueryError) -> any CommitStorage { throw isCopied }

  func readAtOnce(_ body: (StoredVersion) throws(QueryError) -> Void) throws(QueryError) { throw isCopied }
}
