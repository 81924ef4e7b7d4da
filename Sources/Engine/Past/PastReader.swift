import GQLBase
import GQLCatalog
import GQLStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A version of the past, under today's schema.
struct PastVersion: Sendable {
  var snapshot: Snapshot
  var number: Int64
  /// The number of the newest version.
  var newest: Int64
  /// The changes of rows that were taken back to make it, where it was made of records; nil where all of it is as it was.
  var records: Int?
}

/// A reader of earlier versions of a database.
struct PastReader {
  let database: Database

  /// Returns a version of the past, or the newest one.
  ///
  /// Complexity: O(*n*) in the changes between the version and the nearest that is there. After a change of the schema,
  /// O(*n*) in the entities at first.
  ///
  /// - Parameter types: Those that are to be as they were, where no version is kept whole; nil for all.
  func version(
    at moment: PastMoment, reading types: Set<EntityTypeID>? = nil, _ interruption: Interruption? = nil
  ) throws(PastProblem) -> PastVersion {
    try untilStable(interruption) { () throws(PastProblem) in
      try versionNow(at: moment, reading: types, interruption)
    }
  }

  /// Calls until something is found: what is kept of the past may be read between two changes by others.
  func untilStable<Result>(
    _ interruption: Interruption?, _ body: () throws(PastProblem) -> Result?
  ) throws(PastProblem) -> Result {
    for attempt in 0..<Self.mostAttempts {
      if let result = try body() { return result }
      if let interruption, interruption.isDue { throw PastProblem.interrupted(interruption) }
      // Whoever is changing the schema or erases publishes that next.
      if attempt > 0 { usleep(1000) }
    }
    throw PastProblem.failed(
      QueryError(
        code: "storage-changed", "what is kept of the past goes with a later version of the data",
        help: "open the database again"))
  }

  static let mostAttempts = 256

  /// Nil where others have changed what is kept of the past after the newest version was read.
  private func versionNow(
    at moment: PastMoment, reading types: Set<EntityTypeID>?, _ interruption: Interruption?
  ) throws(PastProblem) -> PastVersion? {
    let newest: (snapshot: Snapshot, version: Int64)
    do throws(QueryError) { newest = try NewestVersion(database: database).refreshed() } catch {
      throw PastProblem.failed(error)
    }
    if moment == .version(newest.version) {
      return PastVersion(snapshot: newest.snapshot, number: newest.version, newest: newest.version)
    }
    if case .version(let version) = moment, version < 0 {
      throw PastProblem.unknownVersion(version, newest: newest.version)
    }
    let past = database.past
    var route = past.route(to: moment, from: newest)
    if case .failure(.before) = route, past.limit > 0, past.wantsLog() {
      do throws(QueryError) {
        if let commits = try loggedCommits() { past.prepend(commits) }
      } catch {
        throw PastProblem.failed(error)
      }
      route = past.route(to: moment, from: newest)
    }
    switch route {
    case .success(let route):
      let snapshot = try snapshot(route, newest.snapshot, interruption)
      return PastVersion(snapshot: snapshot, number: route.version, newest: newest.version)
    case .failure(.after(let last)):
      guard case .version(let version) = moment else { throw PastProblem.misfit }
      throw PastProblem.unknownVersion(version, newest: last)
    case .failure(.before(let oldest)):
      return try HistoryReader(database: database, newest: newest).version(
        at: moment, reading: types, oldest: oldest, interruption)
    }
  }

  private func snapshot(
    _ route: RecentVersions.Route, _ newest: Snapshot, _ interruption: Interruption?
  ) throws(PastProblem) -> Snapshot {
    var snapshot = route.base
    if !route.commits.isEmpty {
      let transaction = WriteTransaction(snapshot, fold: foldText)
      for (number, commit) in route.commits.enumerated() {
        do throws(ChangeProblem) {
          try transaction.apply(route.isBackward ? try commit.changes.inverse() : commit.changes)
        } catch {
          throw PastProblem.misfit
        }
        if number & 63 == 63, let interruption, interruption.isDue { throw PastProblem.interrupted(interruption) }
      }
      snapshot = transaction.commit()
    }
    for later in route.later where !snapshot.hasLayout(of: later.snapshot) {
      snapshot = try evolved(snapshot, to: later, route.version, interruption)
    }
    // Functions of the program may have come.
    if snapshot.catalog.version != newest.catalog.version { snapshot = snapshot.with(newest.catalog) }
    database.past.keep(snapshot, of: route)
    return snapshot
  }

  private func evolved(
    _ old: Snapshot, to later: RecentVersions.Layout, _ version: Int64, _ interruption: Interruption?
  ) throws(PastProblem) -> Snapshot {
    let evolution: SchemaEvolution
    do throws(QueryError) {
      evolution = try SchemaEvolution(
        old, to: later.snapshot.catalog, in: SourceText(name: "schema", bytes: []), limits: .standard,
        RunOptions(now: later.time), interruption)
    } catch {
      if let interruption, interruption.isDue { throw PastProblem.interrupted(interruption) }
      throw PastProblem.otherSchema(version, error.problems.first?.message ?? "")
    }
    if let conflict = evolution.change.conflicts.first { throw PastProblem.otherSchema(version, conflict.message) }
    return evolution.snapshot
  }

  /// Returns a view of a moment.
  func view(at moment: PastMoment?) throws(QueryError) -> DatabaseView {
    do throws(PastProblem) {
      guard let moment else { throw PastProblem.noMoment }
      // Before the version is read: where rows get other numbers meanwhile, it is not of them.
      let numbering = database.numbering
      let version = try version(at: moment)
      let snapshot = version.snapshot
      let (companion, catalog) = database.state.withLock { ($0.companion, $0.snapshot.catalog.version) }
      let isOfOther = catalog != snapshot.catalog.version
      return DatabaseView(
        snapshot: snapshot, companion: isOfOther ? companion?.moved(to: snapshot.catalog) : companion,
        version: version.number, numbering: numbering)
    } catch {
      throw error.error
    }
  }

  /// Reads the changes of a version from the log, where they are not in memory.
  func read(_ version: Int64) throws(QueryError) {
    guard database.past.isKeeping, database.past.oldestUndoable.map({ version < $0 }) ?? false else { return }
    if let commits = try loggedCommits() { database.past.prepend(commits) }
  }

  /// The commits that lead to the newest version, as far as a log holds them; nil where there is none.
  func loggedCommits() throws(QueryError) -> [Commit]? {
    guard let committer = database.committer, !committer.isStopped else { return nil }
    var commits: [Commit] = []
    try database.alone(committer) { () throws(QueryError) in commits = try committer.storage.pastCommits() }
    return commits
  }
}
