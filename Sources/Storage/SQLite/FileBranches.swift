import CSQLite3
import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// The branches of a file, in tables that are there as long as there are branches.
///
/// A branch is kept by the changes that lead from its base to a version of the database, by those that lead from the base to
/// the branch, and by its commits since. The database's commits after that version are in its log. When they leave that they
/// come into `gqlite_branch_past`, in the same transaction, so that each base can be made again. See `docs/format.md`.
final class FileBranches: BranchStorage, @unchecked Sendable {
  /// Bytes of a branch's change set that are kept at most: SQLite holds values of less than a billion bytes.
  private static let maximumBytes = 500_000_000
  /// Bytes of commits of a branch after which they become one change set with those before.
  private static let maximumLog = 1 << 20

  private unowned let file: SQLiteBackend
  /// The branches that the file has, by number, as far as they are known to be sound.
  private var known: [Int64: StoredBranch] = [:]
  /// Bytes of a branch's commits since its change set was written.
  private var logBytes: [Int64: Int] = [:]
  /// Bytes of the database's commits that only branches need.
  private(set) var pastBytes = 0
  /// Bytes of these above which the branches are brought beside the newest version.
  private var mostPastBytes = 0
  private(set) var count = 0
  var rebasedNext: BranchRebase?
  /// The version that ``rebasedNext`` is to begin with.
  var rebasedBase: Snapshot?
  /// The branches beside the version that takes the place of all that is there; nil where they stay.
  var replaced: [BranchContent]?

  init(_ file: SQLiteBackend) { self.file = file }

  private func connection() throws(QueryError) -> StorageConnection { try file.opened() }

  private func transaction(_ body: (StorageConnection) throws(QueryError) -> Void) throws(QueryError) {
    let connection = try connection()
    try file.transaction(connection) { () throws(QueryError) in try body(connection) }
  }

  // MARK: - Tables

  private static let creation = """
    CREATE TABLE gqlite_branch(
      number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, base INTEGER NOT NULL, version INTEGER NOT NULL,
      commits INTEGER NOT NULL, time INTEGER NOT NULL, beside INTEGER NOT NULL, beside_sum INTEGER NOT NULL,
      last_sum INTEGER NOT NULL, rows TEXT NOT NULL, past_sum INTEGER NOT NULL, own_sum INTEGER NOT NULL,
      sum INTEGER NOT NULL);
    CREATE TABLE gqlite_branch_content(branch INTEGER PRIMARY KEY, past BLOB NOT NULL, own BLOB NOT NULL);
    CREATE TABLE gqlite_branch_log(
      branch INTEGER NOT NULL, version INTEGER NOT NULL, time INTEGER NOT NULL, body BLOB NOT NULL,
      PRIMARY KEY(branch, version)) WITHOUT ROWID;
    CREATE TABLE gqlite_branch_past(version INTEGER PRIMARY KEY, time INTEGER NOT NULL, body BLOB NOT NULL);
    """

  /// Makes the tables, where they are not there yet. A version of GQLite that does not know them would lose what they need, so
  /// the file has another format as long as they are there. Called within a transaction.
  private func makeTables(_ connection: StorageConnection) throws(QueryError) {
    if file.format >= StorageFormat.newest { return }
    try connection.execute("\(Self.creation) PRAGMA user_version = \(StorageFormat.newest)")
    file.format = StorageFormat.newest
  }

  private func dropTables(_ connection: StorageConnection) throws(QueryError) {
    try connection.execute(
      """
      DROP TABLE gqlite_branch; DROP TABLE gqlite_branch_content; DROP TABLE gqlite_branch_log;
      DROP TABLE gqlite_branch_past; DELETE FROM gqlite_meta WHERE key IN ('branches', 'branches_sum');
      DELETE FROM gqlite_meta WHERE key IN ('branch_merges', 'branch_merges_sum');
      PRAGMA user_version = \(StorageFormat.plain)
      """)
    file.format = StorageFormat.plain
  }

  /// Begins with what a file has. Called within a transaction that reads.
  func begin(_ layout: StorageLayout?, _ reader: StorageReader) throws(QueryError) {
    (known, logBytes, rebasedNext, replaced) = ([:], [:], nil, nil)
    (count, pastBytes, mostPastBytes) = (0, 0, 0)
    guard let layout, file.format >= StorageFormat.newest else { return }
    do throws(QueryError) {
      try beginReading(layout, reader)
    } catch {
      // Where SQLite finds the tables damaged, the database works without them.
      guard error.problems.first?.code == "storage-corrupt" else { throw error }
      (count, pastBytes) = (0, 0)
    }
  }

  private func beginReading(_ layout: StorageLayout, _ reader: StorageReader) throws(QueryError) {
    let connection = try connection()
    pastBytes = Int(
      clamping: try connection.integer("SELECT coalesce(sum(length(body)), 0) FROM gqlite_branch_past") ?? 0)
    let statement = try connection.prepare("\(StoredBranch.selection) ORDER BY number")
    let numbers = layout.kinds.map(\.number)
    while try statement.step() {
      count += 1
      // What is damaged is told when the branch is opened.
      guard let branch = StoredBranch(statement) else { continue }
      for (type, rows) in branch.rowCounts(numbers) { reader.reserve(type, rows: rows) }
    }
    count = max(count, try BranchList(connection)?.names.count ?? 0)
  }

  // MARK: - Reading

  private func stored(_ number: Int64) throws(QueryError) -> StoredBranch {
    if let known = known[number] { return known }
    guard file.format >= StorageFormat.newest else { throw BranchProblem.dropped.error }
    let statement = try connection().prepare("\(StoredBranch.selection) WHERE number = ?")
    statement.bind(1, number)
    guard try statement.step() else {
      guard let name = try BranchList(connection())?.names[number] else { throw BranchProblem.dropped.error }
      throw damage(name, "its record is missing")
    }
    guard let branch = StoredBranch(statement) else {
      throw damage(statement.string(1), "the checksum of its record is wrong")
    }
    known[number] = branch
    return branch
  }

  private func damage(_ name: String, _ what: String) -> QueryError {
    StorageProblem.branchIsCorrupt(name, what).error(file.path)
  }

  func records() throws(QueryError) -> [BranchRecord] {
    var found: [BranchRecord] = []
    try connection().reading { () throws(QueryError) in
      guard try StorageFormat.of(connection()) >= StorageFormat.newest else { return }
      let statement = try connection().prepare("\(StoredBranch.selection) ORDER BY number")
      var names = try BranchList(connection())?.names ?? [:]
      // Those that are damaged or missing have a name, by which they are dropped.
      while try statement.step() {
        var record = StoredBranch(unchecked: statement).record
        if let name = names.removeValue(forKey: record.number) { record = record.named(name) }
        found.append(record)
      }
      let known = Set(found.map(\.name))
      for (number, name) in names.sorted(by: { $0.key < $1.key }) where !known.contains(name) {
        found.append(BranchRecord(number: number, name: name, base: 0, version: 0, commits: 0, time: 0))
      }
    }
    return found
  }

  func versions(
    of number: Int64, beside newest: Snapshot, version: Int64
  ) throws(QueryError) -> BranchVersions {
    var made: BranchVersions?
    try connection().reading { () throws(QueryError) in
      try lookAgain()
      let branch = try stored(number)
      if branch.beside.version > version {
        // Beyond what the file itself holds there is nothing that could be read again.
        let last = try connection().lastVersion()
        if branch.beside.version <= last { throw StorageProblem.changed.error(file.path) }
        throw damage(branch.record.name, "it begins with version \(branch.beside.version), and the newest is \(last)")
      }
      let (past, own) = try content(of: branch)
      let since = try databaseCommits(after: branch.beside, through: version, for: branch)
      let commits = try ownCommits(of: branch)
      do throws(ChangeProblem) {
        var inverses: [ChangeSet] = []
        for changes in since.reversed() { inverses.append(try changes.inverse()) }
        inverses.append(try past.inverse())
        let base = try newest.applying(inverses)
        let mine = try base.applying([own] + commits.map(\.changes))
        made = BranchVersions(record: branch.record, base: base, mine: mine)
      } catch {
        throw damage(branch.record.name, "its changes do not fit the database")
      }
    }
    // Safe because what does not throw has made them.
    return made.unsafelyUnwrapped
  }

  func commits(of number: Int64) throws(QueryError) -> [Commit] {
    var found: [Commit] = []
    try connection().reading { () throws(QueryError) in
      try lookAgain()
      found = try ownCommits(of: stored(number))
    }
    return found
  }

  /// Forgets what another process may have written since. Called within a transaction that reads.
  private func lookAgain() throws(QueryError) {
    if file.isWriting { return }
    known = [:]
    file.format = try StorageFormat.of(connection())
  }

  private func content(of branch: StoredBranch) throws(QueryError) -> (past: ChangeSet, own: ChangeSet) {
    let statement = try connection().prepare("SELECT past, own FROM gqlite_branch_content WHERE branch = ?")
    statement.bind(1, branch.record.number)
    guard try statement.step(), LogRecord.sum([UInt8](statement.bytes(0))) == branch.pastSum,
      let past = CheckedChanges.changes(statement.bytes(0)),
      LogRecord.sum([UInt8](statement.bytes(1))) == branch.ownSum,
      let own = CheckedChanges.changes(statement.bytes(1))
    else { throw damage(branch.record.name, "the checksum of its changes is wrong") }
    return (past, own)
  }

  /// The commits of the database after a version, be they in its log or kept for branches.
  private func databaseCommits(
    after point: StoragePoint, through last: Int64, for branch: StoredBranch
  ) throws(QueryError) -> [ChangeSet] {
    let statement = try connection().prepare(
      """
      SELECT version, time, body FROM gqlite_branch_past WHERE version > ?1 AND version <= ?2
      UNION ALL SELECT version, time, body FROM gqlite_log WHERE version > ?1 AND version <= ?2 ORDER BY version
      """)
    statement.bind(1, point.version)
    statement.bind(2, last)
    var (found, before): ([ChangeSet], StoragePoint) = ([], point)
    while try statement.step() {
      let (version, time) = (statement.integer(0), statement.integer(1))
      guard version == before.version + 1, let record = LogRecord(statement.bytes(2), version: version, time: time),
        record.before == before.sum
      else {
        throw damage(branch.record.name, "commit \(before.version + 1) of the database is not the one after its base")
      }
      found.append(record.changes)
      before = StoragePoint(version: version, sum: record.sum)
    }
    if before.version != last {
      throw damage(branch.record.name, "commit \(before.version + 1) of the database is missing")
    }
    return found
  }

  private func ownCommits(of branch: StoredBranch) throws(QueryError) -> [Commit] {
    let statement = try connection().prepare(
      "SELECT version, time, body FROM gqlite_branch_log WHERE branch = ? ORDER BY version")
    statement.bind(1, branch.record.number)
    var (found, sum, bytes): ([Commit], UInt32, Int) = ([], branch.ownSum, 0)
    while try statement.step() {
      let (version, time) = (statement.integer(0), statement.integer(1))
      guard let record = LogRecord(statement.bytes(2), version: version, time: time), record.before == sum else {
        throw damage(branch.record.name, "the checksum of its change \(version) is wrong")
      }
      found.append(Commit(version: version, time: time, changes: record.changes, cause: record.cause))
      sum = record.sum
      bytes += record.changes.bytes.count
    }
    if sum != branch.lastSum { throw damage(branch.record.name, "its last changes are missing") }
    logBytes[branch.record.number] = bytes
    return found
  }

  // MARK: - Writing

  func add(_ record: BranchRecord, at newest: Snapshot) throws(QueryError) -> BranchRecord {
    var made = record
    try transaction { (connection) throws(QueryError) in
      try makeTables(connection)
      let listed = try BranchList(connection)?.names.keys.max() ?? 0
      // The number of one that is gone may be remembered elsewhere, and is not given again.
      let given = try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'branch_last'") ?? 0
      let last = max(try connection.integer("SELECT max(number) FROM gqlite_branch") ?? 0, listed, given)
      guard last < Int64.max else { throw damage(record.name, "there is no number left for it") }
      let number = last + 1
      made = BranchRecord(
        number: number, name: record.name, base: record.base, version: record.version, commits: record.commits,
        time: record.time)
      try put(BranchContent(made, base: newest, mine: newest, beside: newest), newest.catalog, file.newest)
      try connection.execute("INSERT OR REPLACE INTO gqlite_meta VALUES ('branch_last', \(number))")
    }
    count += 1
    return made
  }

  func append(
    _ commits: [Commit], to number: Int64, _ versions: BranchVersions, merging: BranchMerge?
  ) throws(QueryError) {
    let bytes = (logBytes[number] ?? 0) + commits.reduce(0) { $0 + $1.changes.bytes.count }
    guard bytes <= Self.maximumLog else {
      // One change set says less than many, and takes the place of all of them.
      return try rebase(
        versions.record, base: versions.base, mine: versions.mine
      ) { (connection) throws(QueryError) in try note(commits, of: number, merging, connection) }
    }
    var branch = try stored(number)
    try transaction { (connection) throws(QueryError) in
      let insertion = try connection.prepare("INSERT INTO gqlite_branch_log VALUES (?, ?, ?, ?)")
      for commit in commits {
        let (body, sum) = LogRecord.bytes(commit, after: branch.lastSum)
        insertion.bind(1, number)
        insertion.bind(2, commit.version)
        insertion.bind(3, commit.time)
        try body.withUnsafeBufferPointer { (bytes) throws(QueryError) in
          insertion.bind(4, blob: UnsafeRawBufferPointer(bytes))
          try insertion.run()
        }
        branch.lastSum = sum
      }
      branch.record = versions.record
      try branch.save(connection)
      try note(commits, of: number, merging, connection)
    }
    known[number] = branch
    logBytes[number] = bytes
  }

  /// Notes what commits of a branch have to do with merges. Called within a transaction.
  private func note(
    _ commits: [Commit], of number: Int64, _ merging: BranchMerge?, _ connection: StorageConnection
  ) throws(QueryError) {
    let source = try merging.map { (merging) throws(QueryError) in try record(merging.source, connection) }
    try MergeList.change(connection) { merges in
      for commit in commits { merges.note(commit, of: number) }
      if let merging { merges.add(merging, from: source ?? nil) }
    }
  }

  private func record(_ number: Int64, _ connection: StorageConnection) throws(QueryError) -> BranchRecord? {
    let statement = try connection.prepare("\(StoredBranch.selection) WHERE number = ?")
    statement.bind(1, number)
    return try statement.step() ? StoredBranch(statement)?.record : nil
  }

  func note(_ merge: BranchMerge) throws(QueryError) {
    try transaction { (connection) throws(QueryError) in try note([], of: merge.target, merge, connection) }
  }

  func note(_ step: BranchStep, of number: Int64, at version: Int64) throws(QueryError) {
    try transaction { (connection) throws(QueryError) in
      try MergeList.change(connection) { $0.note(step, of: number, at: version) }
    }
  }

  func rebase(_ record: BranchRecord, base: Snapshot, mine: Snapshot, as step: BranchStep) throws(QueryError) {
    let old = try stored(record.number).record
    try rebase(record, base: base, mine: mine) { (connection) throws(QueryError) in
      try MergeList.change(connection) { merges in
        merges.note(step, of: record.number, at: record.version)
        merges.follow(old, to: record)
      }
    }
  }

  private func rebase(
    _ record: BranchRecord, base: Snapshot, mine: Snapshot, noting: (StorageConnection) throws(QueryError) -> Void
  ) throws(QueryError) {
    let branch = try stored(record.number)
    let changes = mine.changes(since: base)
    if changes.bytes.count > Self.maximumBytes {
      throw BranchProblem.tooLarge(record.name, most: Self.maximumBytes).error
    }
    try transaction { (connection) throws(QueryError) in
      if branch.record.base == record.base {
        let (past, _) = try content(of: branch)
        try put(BranchContent(record, past: past, own: changes, rows: []), base.catalog, branch.beside, branch.rows)
      } else {
        let rows = base.catalog.types.map { base.slotCount($0.id) }
        try put(BranchContent(record, past: ChangeSet(), own: changes, rows: rows), base.catalog, file.newest)
        try forgetPast(connection)
      }
      try noting(connection)
    }
  }

  func merges() throws(QueryError) -> BranchMerges {
    var found = BranchMerges()
    try connection().reading { () throws(QueryError) in
      try lookAgain()
      if file.format < StorageFormat.newest { return }
      guard let list = try MergeList.read(connection()) else {
        throw StorageProblem.corrupt("the checksum of the list of merges of its branches is wrong").error(file.path)
      }
      found = list
    }
    return found
  }

  func remove(_ number: Int64) throws(QueryError) {
    try transaction { (connection) throws(QueryError) in
      guard file.format >= StorageFormat.newest else { return }
      let name = try connection.text("SELECT name FROM gqlite_branch WHERE number = \(number)")
      try connection.execute(
        """
        DELETE FROM gqlite_branch WHERE number = \(number);
        DELETE FROM gqlite_branch_content WHERE branch = \(number);
        DELETE FROM gqlite_branch_log WHERE branch = \(number)
        """)
      try MergeList.change(connection) { $0.remove(number) }
      var others = try BranchList.note(nil, of: number, connection)
      // One that is damaged may have had another number.
      for (other, listed) in others.names where listed == name {
        others = try BranchList.note(nil, of: other, connection)
      }
      if try connection.integer("SELECT count(*) FROM gqlite_branch") == 0, others.names.isEmpty {
        try dropTables(connection)
        pastBytes = 0
      } else {
        try forgetPast(connection)
      }
    }
    count = max(0, count - 1)
    known[number] = nil
    logBytes[number] = nil
  }

  /// Writes a branch, in the place of all that is there of it. Called within a transaction.
  private func put(
    _ content: BranchContent, _ catalog: Catalog, _ point: StoragePoint, _ rows: String? = nil
  ) throws(QueryError) {
    let connection = try connection()
    let (past, own) = (CheckedChanges.bytes(content.past), CheckedChanges.bytes(content.own))
    let number = content.record.number
    var branch = StoredBranch(content.record, beside: point)
    (branch.pastSum, branch.ownSum) = (LogRecord.sum(past), LogRecord.sum(own))
    branch.lastSum = branch.ownSum
    if let rows {
      branch.rows = rows
    } else {
      branch.rows = StoredBranch.text(content.rows, try StorageLayout(catalog, connection).kinds.map(\.number))
    }
    try connection.execute("DELETE FROM gqlite_branch_log WHERE branch = \(number)")
    try branch.save(connection)
    _ = try BranchList.note(content.record.name, of: number, connection)
    let statement = try connection.prepare("INSERT OR REPLACE INTO gqlite_branch_content VALUES (?, ?, ?)")
    statement.bind(1, number)
    try past.withUnsafeBufferPointer { (past) throws(QueryError) in
      statement.bind(2, blob: UnsafeRawBufferPointer(past))
      try own.withUnsafeBufferPointer { (own) throws(QueryError) in
        statement.bind(3, blob: UnsafeRawBufferPointer(own))
        try statement.run()
      }
    }
    known[number] = branch
    logBytes[number] = 0
  }

  // MARK: - Steps of the database

  /// Rebases the branch that is to be without changes beside a version. Called within the transaction that keeps it.
  func rebaseNext(beside point: StoragePoint) throws(QueryError) {
    guard let next = rebasedNext, let base = rebasedBase else { return }
    let record = next.versions.rebased(onto: base, point.version)
    try put(BranchContent(record, base: base, mine: base, beside: base), base.catalog, point)
    try MergeList.change(connection()) { $0.note(next.step, of: record.number, at: record.version) }
    try forgetPast(connection())
  }

  /// Notes that the branch is kept so.
  func endRebase() {
    if rebasedBase != nil { (rebasedNext, rebasedBase) = (nil, nil) }
  }

  /// Keeps the records up to a version, which leave the log. Called within a transaction.
  func takeLog(through version: Int64) throws(QueryError) {
    if count == 0 { return }
    let connection = try connection()
    try connection.execute(
      """
      INSERT OR IGNORE INTO gqlite_branch_past SELECT version, time, body FROM gqlite_log
      WHERE version <= \(version) AND version > (SELECT min(beside) FROM gqlite_branch)
      """)
    try countPast(connection)
  }

  /// Keeps commits that follow a version and come into no log. Called within a transaction.
  func add(_ commits: [Commit], after point: StoragePoint) throws(QueryError) {
    if count == 0 { return }
    let connection = try connection()
    let insertion = try connection.prepare("INSERT OR REPLACE INTO gqlite_branch_past VALUES (?, ?, ?)")
    var sum = point.sum
    for commit in commits {
      let (body, next) = LogRecord.bytes(commit, after: sum)
      insertion.bind(1, commit.version)
      insertion.bind(2, commit.time)
      try body.withUnsafeBufferPointer { (bytes) throws(QueryError) in
        insertion.bind(3, blob: UnsafeRawBufferPointer(bytes))
        try insertion.run()
      }
      sum = next
    }
    try countPast(connection)
  }

  private func countPast(_ connection: StorageConnection) throws(QueryError) {
    pastBytes = Int(
      clamping: try connection.integer("SELECT coalesce(sum(length(body)), 0) FROM gqlite_branch_past") ?? 0)
  }

  /// Forgets commits that no branch needs. Called within a transaction.
  private func forgetPast(_ connection: StorageConnection) throws(QueryError) {
    try connection.execute(
      "DELETE FROM gqlite_branch_past WHERE version <= (SELECT min(beside) FROM gqlite_branch)")
    try countPast(connection)
  }

  /// Puts the branches beside the version that takes the place of all that is there. Called within its transaction.
  func replace(_ catalog: Catalog, beside point: StoragePoint) throws(QueryError) {
    guard let contents = replaced, !contents.isEmpty else { return }
    let connection = try connection()
    try makeTables(connection)
    try connection.execute("DELETE FROM gqlite_branch_past")
    for content in contents { try put(content, catalog, point) }
    // A copy has them of these only.
    let merges = contents.flatMap(\.merges)
    try MergeList.write(BranchMerges(merges), connection)
    count = max(count, contents.count)
    pastBytes = 0
  }

  /// Returns whether so many commits are kept for branches that these are to be brought beside the newest version.
  ///
  /// - Parameter limit: Bytes that always may be kept.
  func isFoldDue(above limit: Int) -> Bool { count > 0 && pastBytes > max(limit, mostPastBytes) }

  /// Brings the branches beside the newest version, so that they need no commits. One that is damaged stays as it is.
  func fold(_ newest: Snapshot) throws(QueryError) {
    let point = file.newest
    var contents: [BranchContent] = []
    for record in try records() {
      do throws(QueryError) {
        let versions = try versions(of: record.number, beside: newest, version: point.version)
        contents.append(BranchContent(versions.record, base: versions.base, mine: versions.mine, beside: newest))
      } catch {
        if error.problems.first?.code != "storage-corrupt" { throw error }
      }
    }
    try transaction { (connection) throws(QueryError) in
      for content in contents where content.past.bytes.count <= Self.maximumBytes {
        let rows = try stored(content.record.number).rows
        try put(content, newest.catalog, point, rows)
      }
      // Those of damaged branches lead nowhere.
      let kept = contents.filter { $0.past.bytes.count > Self.maximumBytes }.map { "\($0.record.number)" }
      try connection.execute(
        """
        DELETE FROM gqlite_branch_past WHERE version <= coalesce(
          (SELECT min(beside) FROM gqlite_branch WHERE number IN (\(kept.joined(separator: ", ")))), \(point.version))
        """)
      try countPast(connection)
    }
    // Writing them again costs as much as they have bytes.
    mostPastBytes = contents.reduce(0) { $0 + $1.past.bytes.count + $1.own.bytes.count }
  }

  /// Returns what is wrong with the branches, a sentence each.
  func problems(beside newest: StoredVersion) throws(QueryError) -> [String] {
    var found: [String] = []
    if try !BranchList.isSound(connection()) {
      found.append("the file is damaged: the checksum of the list of its branches is wrong")
    }
    if try MergeList.read(connection()) == nil {
      found.append("the file is damaged: the checksum of the list of merges of its branches is wrong")
    }
    let list = try BranchList(connection())
    for record in try records() {
      do throws(QueryError) {
        let versions = try versions(of: record.number, beside: newest.snapshot, version: newest.version)
        found += Database(versions.mine).check().map { "branch '\(record.name)': \($0)" }
        if let list, list.names[record.number] == nil {
          found.append("branch '\(record.name)': the list of branches lacks it")
        }
      } catch {
        if error.problems.first?.code != "storage-corrupt" { throw error }
        found += error.problems.map(\.message)
      }
    }
    return found
  }

  /// Forgets what a transaction has noted that has failed.
  func forgetKnown() { known = [:] }
}

extension BranchRecord {
  fileprivate func named(_ name: String) -> BranchRecord {
    BranchRecord(number: number, name: name, base: base, version: version, commits: commits, time: time)
  }
}
