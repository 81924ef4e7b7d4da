import GQLBase
import GQLStore
import Synchronization

/// The branches of a database: which are open, and how they reach the storage.
///
/// A branch has a database of its own, whose commits go to the storage of the one that it was made of. Locks are taken in this
/// order: a branch's writer, the writer of its database, the gate, the committer.
final class BranchTable: Sendable {
  /// The most branches of a database.
  static let maximumCount = 1000

  /// A branch as long as somebody has it, or its database.
  private struct Open {
    weak var branch: Branch?
    weak var database: Database?
  }

  /// Held while branches are written to, and while the layout of the database changes.
  private let gate = Lock(false)
  /// Counts the layouts of the database, and how often it was read again.
  private let layouts = Atomic<Int>(0)
  private let open = Lock<[Int64: Open]>([:])
  private let memory = Lock<MemoryBranches?>(nil)

  /// The storage; nil where it keeps no branches, or a database in memory has none yet.
  func storage(of database: Database) -> (any BranchStorage)? {
    if let committer = database.committer { return committer.storage.branches }
    return memory.withLock { $0 }
  }

  /// Counts the layouts of the database: what is of another one cannot be written.
  var generation: Int { layouts.load(ordering: .acquiring) }

  /// Has open branches be read again before they are used: what failed may be kept.
  func rereadAll() { layouts.add(1, ordering: .releasing) }

  /// Returns whether a database has branches, in constant time.
  func hasAny(_ database: Database) -> Bool { (storage(of: database)?.count ?? 0) > 0 }

  /// Returns whether there were branches when the storage was read, or are now, where others may write to it.
  func mayHaveAny(_ database: Database) throws(QueryError) -> Bool {
    guard let storage = storage(of: database) else { return false }
    if storage.count > 0 { return true }
    do throws(QueryError) {
      return try !reading(database) { () throws(QueryError) in try storage.records() }.isEmpty
    } catch {
      // Where the list cannot be read, the database works without.
      guard error.problems.first?.code == "storage-corrupt" else { throw error }
      return false
    }
  }

  private func wantedStorage(_ database: Database) throws(QueryError) -> any BranchStorage {
    if database.editing?.log != nil { throw BranchProblem.notOnBranch("has no branches of its own").error }
    if database.editing != nil { throw BranchProblem.notOnBranch("is made of a database, not of a context").error }
    if let committer = database.committer {
      guard let storage = committer.storage.branches else { throw BranchProblem.notKept("").error }
      return storage
    }
    return memory.withLock { memory in
      let storage = memory ?? MemoryBranches()
      memory = storage
      return storage
    }
  }

  // MARK: - Reaching the storage

  /// Runs `body` with the newest version, which the storage has, while nobody writes.
  func withNewest<Output>(
    of database: Database, _ body: (Snapshot, Int64, any BranchStorage) throws(QueryError) -> Output
  ) throws(QueryError) -> Output {
    try database.refuseNested()
    let storage = try wantedStorage(database)
    guard let committer = database.committer else {
      return try database.writer.withLock { (_) throws(QueryError) in
        try body(database.unfollowed.snapshot, database.version, storage)
      }
    }
    if committer.following != nil { try database.refresh() }
    return try database.writer.withLock { (_) throws(QueryError) in
      if committer.isStopped { try committer.check() }
      _ = try committer.refusal == nil ? database.newestVersion() : database.current
      try committer.appendGathered(of: database.state)
      let (newest, version) = database.state.withLock { ($0.snapshot, $0.version) }
      return try body(newest, version, storage)
    }
  }

  /// Reads from the storage while nobody commits.
  func reading<Output>(
    _ database: Database, _ body: () throws(QueryError) -> Output
  ) throws(QueryError) -> Output {
    guard let committer = database.committer else { return try body() }
    var output: Output?
    try database.alone(committer) { () throws(QueryError) in output = try body() }
    // Safe because what does not throw has been run.
    return output.unsafelyUnwrapped
  }

  /// Returns whether the storage is gone from its place, so that no copy of it can be made.
  func isReplaced(_ database: Database) -> Bool {
    (try? reading(database) { () throws(QueryError) in database.committer?.storage.isReplaced ?? false }) ?? false
  }

  /// Writes to the storage while nobody commits. A failure ends writing to the database, as that of a commit does.
  ///
  /// - Parameter generation: The layout that what is written is of; nil for the newest.
  func writing<Output>(
    _ database: Database, generation: Int? = nil, _ body: () throws(QueryError) -> Output
  ) throws(QueryError) -> Output {
    try gate.withLock { (_) throws(QueryError) in
      if let generation, generation != self.generation { throw BranchProblem.outdated.error }
      guard let committer = database.committer else { return try body() }
      var result: Result<Output, QueryError>?
      try committer.check()
      try committer.exclusively(ends: true) { () throws(QueryError) in
        do throws(QueryError) {
          result = .success(try body())
        } catch {
          result = .failure(error)
          // What the storage has not tried to write is no failure of it.
          guard error.problems.first?.code.hasPrefix("storage-") ?? true else { return }
          database.state.forgetUnkept(committer)
          throw error
        }
      }
      // Safe because what does not throw has been run.
      return try result.unsafelyUnwrapped.get()
    }
  }

  // MARK: - Steps of the database

  /// Runs `body`, which puts a version with another layout in the place of the newest one, with the branches beside that.
  /// Called by the writer of the database.
  ///
  /// - Throws: with the code `data-loss` where a branch has changes that the new schema has no place for, and
  ///   `data-conflict` where it does not fit the new schema.
  func moving(
    _ database: Database, to next: Snapshot, allowingLoss: Bool, _ body: ([BranchContent]) throws(QueryError) -> Void
  ) throws(QueryError) {
    let hasBranches = hasAny(database)
    if hasBranches { try database.committer?.appendGathered(of: database.state) }
    try gate.withLock { (_) throws(QueryError) in
      var contents: [BranchContent] = []
      if hasBranches {
        let (newest, version) = database.state.withLock { ($0.snapshot, $0.version) }
        contents = try self.contents(of: database, newest, version, movedTo: next, allowingLoss: allowingLoss)
      }
      // Made first: once the new version is there, nothing can be refused any more.
      let branches = memory.withLock { $0 }
      let moved = try branches?.moved(contents, beside: next)
      try body(contents)
      if let branches, let moved { branches.replace(by: moved) }
      layouts.add(1, ordering: .releasing)
    }
  }

  /// Has the next commit of the database leave a branch without changes, beside it. Called by the writer of the database,
  /// who ends it with ``endRebase(of:)``.
  func beginRebase(_ log: BranchLog, of database: Database) {
    if let versions = log.versions {
      storage(of: database)?.rebasedNext = BranchRebase(versions: versions, step: .saved)
    }
  }

  /// Has that commit note another step of the branch.
  func noteRebase(as step: BranchStep, of database: Database) { storage(of: database)?.rebasedNext?.step = step }

  /// Returns whether a commit has done so.
  func hasRebased(_ database: Database) -> Bool { database.isDurable && !isRebasing(database) }

  /// Returns whether the next commit is to do so.
  func isRebasing(_ database: Database) -> Bool { storage(of: database)?.rebasedNext != nil }

  func endRebase(of database: Database) { storage(of: database)?.rebasedNext = nil }

  // MARK: - Opening

  /// Lists the branches of a database by name.
  func records(of database: Database) throws(QueryError) -> [BranchRecord] {
    if database.committer?.following != nil { try database.refresh() }
    guard let storage = storage(of: database) else { return [] }
    return try reading(database) { () throws(QueryError) in try storage.records() }.sorted { $0.name < $1.name }
  }

  /// Returns the record of a branch as the storage has it; nil where it is gone.
  func record(_ number: Int64, of database: Database) throws(QueryError) -> BranchRecord? {
    guard let storage = storage(of: database) else { return nil }
    let records = try reading(database) { () throws(QueryError) in try storage.records() }
    return records.first { $0.number == number }
  }

  /// Returns the last commits of a branch, as far as the storage keeps them one by one.
  func commits(of number: Int64, in database: Database) throws(QueryError) -> [Commit] {
    guard let storage = storage(of: database) else { return [] }
    return try reading(database) { () throws(QueryError) in try storage.commits(of: number) }
  }

  func branch(_ name: String, of database: Database, creates: Bool) throws(QueryError) -> Branch {
    try BranchName.check(name)
    let companion = database.published.companion
    return try withNewest(of: database) { (newest, version, storage) throws(QueryError) in
      let records = try reading(database) { () throws(QueryError) in try storage.records() }
      var found = records.first { $0.name == name }
      if let found, let known = known(found) { return known }
      if found == nil {
        guard creates else {
          throw BranchProblem.unknown(name, near: nearestNames(to: name, in: records.map(\.name)).first).error
        }
        try database.committer?.check()
        if records.count >= Self.maximumCount { throw BranchProblem.tooMany(Self.maximumCount).error }
        let new = BranchRecord(number: 0, name: name, base: version, version: 0, commits: 0, time: WallClock.now)
        found = try writing(database) { () throws(QueryError) in try storage.add(new, at: newest) }
      }
      // Safe because it was found or made.
      let number = found.unsafelyUnwrapped.number
      let log = BranchLog(database, number, generation: generation)
      let versions = try reading(database) { () throws(QueryError) in
        try storage.versions(of: number, beside: newest, version: version)
      }
      let branch = Branch(log, versions, companion: companion?.moved(to: newest.catalog))
      open.withLock { $0[number] = Open(branch: branch, database: branch.database) }
      return branch
    }
  }

  /// Opens a branch by its number; nil where it is gone, or damaged.
  func branch(_ number: Int64, of database: Database) throws(QueryError) -> Branch? {
    guard let record = try record(number, of: database) else { return nil }
    do throws(QueryError) {
      let branch = try branch(record.name, of: database, creates: false)
      return branch.number == number ? branch : nil
    } catch {
      guard ["unknown-branch", "storage-corrupt"].contains(error.problems.first?.code) else { throw error }
      return nil
    }
  }

  /// The branch that is open already. Others may have its database only.
  private func known(_ record: BranchRecord) -> Branch? {
    open.withLock { open in
      guard let known = open[record.number] else { return nil }
      if let branch = known.branch, branch.name == record.name, !branch.isDropped { return branch }
      guard let database = known.database, let branch = Branch(of: database), branch.name == record.name,
        !branch.isDropped
      else { return nil }
      open[record.number]?.branch = branch
      return branch
    }
  }

  /// Reads an open branch again, because the layout of the database is another.
  func reread(_ log: BranchLog) throws(QueryError) -> (versions: BranchVersions, generation: Int) {
    let database = log.parent
    return try withNewest(of: database) { (newest, version, storage) throws(QueryError) in
      let versions = try reading(database) { () throws(QueryError) in
        try storage.versions(of: log.number, beside: newest, version: version)
      }
      return (versions, generation)
    }
  }

  /// Removes a branch by its name, be its records damaged.
  func drop(_ name: String, of database: Database) throws(QueryError) {
    let known = try withNewest(of: database) { (_, _, storage) throws(QueryError) -> Branch? in
      let records = try reading(database) { () throws(QueryError) in try storage.records() }
      guard let found = records.first(where: { $0.name == name }) else {
        throw BranchProblem.unknown(name, near: nearestNames(to: name, in: records.map(\.name)).first).error
      }
      if let known = self.known(found) { return known }
      try writing(database) { () throws(QueryError) in try storage.remove(found.number) }
      return nil
    }
    try known?.drop()
  }

  func forget(_ number: Int64) { open.withLock { $0[number] = nil } }

  /// Returns all branches beside the newest version. A branch that cannot be read is left out.
  ///
  /// - Parameters:
  ///   - next: A version with another layout that takes the place of the newest; nil for none.
  ///   - damaged: Called with the name of each branch that is left out because it is damaged.
  func contents(
    of database: Database, _ newest: Snapshot, _ version: Int64, movedTo next: Snapshot? = nil,
    allowingLoss: Bool = true, damaged: (String) -> Void = { _ in }
  ) throws(QueryError) -> [BranchContent] {
    var contents: [BranchContent] = []
    try forEachReadable(of: database, newest, version, damaged: damaged) { (versions) throws(QueryError) in
      let content =
        if let next { try BranchMove(database, versions, to: next).content(allowingLoss: allowingLoss) } else {
          BranchContent(versions.record, base: versions.base, mine: versions.mine, beside: newest)
        }
      contents.append(content)
    }
    let numbers = contents.map(\.record.number)
    // Where the list is damaged, nothing is known from here on.
    let merges = (try readableMerges(of: database) ?? .unknown(among: numbers)).among(numbers)
    for (place, number) in numbers.enumerated() {
      contents[place].merges = merges.list.filter { $0.target == number }
    }
    return contents
  }

  /// Returns what another layout of a database means for its branches: what they would lose, and what it forbids.
  func effects(
    of database: Database, movedTo next: Snapshot
  ) throws(QueryError) -> (losses: [SchemaChange.Effect], conflicts: [SchemaChange.Effect]) {
    var found: (losses: [SchemaChange.Effect], conflicts: [SchemaChange.Effect]) = ([], [])
    if !hasAny(database) { return found }
    try withNewest(of: database) { (newest, version, _) throws(QueryError) in
      try forEachReadable(of: database, newest, version) { (versions) throws(QueryError) in
        do throws(QueryError) {
          _ = try BranchMove(database, versions, to: next).content(allowingLoss: false)
        } catch {
          guard let problem = error.problems.first else { return }
          let effect = SchemaChange.Effect(
            name: versions.record.name, count: 1, message: problem.message, help: problem.help)
          switch problem.code {
          case BranchProblem.conflictCode.rawValue: found.conflicts.append(effect)
          case "data-loss": found.losses.append(effect)
          default: throw error
          }
        }
      }
    }
    return found
  }

  /// Calls with all branches of a database that can be read.
  private func forEachReadable(
    of database: Database, _ newest: Snapshot, _ version: Int64, damaged: (String) -> Void = { _ in },
    _ body: (BranchVersions) throws(QueryError) -> Void
  ) throws(QueryError) {
    guard let storage = storage(of: database), storage.count > 0 else { return }
    for record in try reading(database, { () throws(QueryError) in try storage.records() }) {
      let versions: BranchVersions
      do throws(QueryError) {
        versions = try reading(database) { () throws(QueryError) in
          try storage.versions(of: record.number, beside: newest, version: version)
        }
      } catch {
        switch error.problems.first?.code {
        case "storage-corrupt": damaged(record.name)
        // One that another process has dropped is not there.
        case "unknown-branch": break
        default: throw error
        }
        continue
      }
      try body(versions)
    }
  }
}

/// A branch under another schema of its database, whose rows keep their numbers.
private struct BranchMove {
  let versions: BranchVersions
  let next: Snapshot
  let merger: ContextMerger

  init(_ database: Database, _ versions: BranchVersions, to next: Snapshot) {
    self.versions = versions
    self.next = next
    let begin = EditingOrigin.Progress(
      base: versions.base, companion: nil, seen: versions.base, numbering: RowNumbering())
    merger = ContextMerger(parent: database, begin, mine: versions.mine, nil)
  }

  func content(allowingLoss: Bool) throws(QueryError) -> BranchContent {
    if versions.base.catalog.version == next.catalog.version {
      return BranchContent(versions.record, base: versions.base, mine: versions.mine, beside: next)
    }
    do throws(QueryError) {
      let base = try ContextMerger.evolved(versions.base, to: next)
      let mine = try ContextMerger.evolved(versions.mine, to: next)
      // Neither may be of a schema that it does not fit, whatever may be lost.
      if let conflict = (base.change.conflicts + mine.change.conflicts).first {
        throw BranchProblem.conflicts(branch: versions.record.name, conflict.message).error
      }
      if !allowingLoss { try merger.refuseLoss(next) }
      return BranchContent(versions.record, base: base.snapshot, mine: mine.snapshot, beside: next)
    } catch {
      if error.problems.first?.code == BranchProblem.conflictCode.rawValue { throw error }
      throw BranchProblem.loses(branch: versions.record.name, error.problems.first?.message ?? "").error
    }
  }
}
