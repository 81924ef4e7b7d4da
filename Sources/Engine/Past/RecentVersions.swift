import GQLBase
import GQLCatalog
import GQLStore
import Synchronization

/// The change sets of the newest versions. An earlier version is made again by their inverses.
///
/// Of most versions only change sets are kept, because a version would keep some 25 KB of pages that later ones do not
/// share. The last ones that were published stay as they are, and versions that were made again, a few of each. A
/// database that keeps none looks at a flag with each commit.
final class RecentVersions: Sendable {
  /// The versions of one layout.
  fileprivate struct Period {
    /// The version before the first commit.
    var first: Int64
    /// Since when that was the newest; nil where it is not known.
    var firstTime: Int64?
    /// Follow one another; those before ``dropped`` are gone.
    var commits: ContiguousArray<Commit> = []
    var dropped = 0
    /// The version after the last commit; nil where that is the database's newest.
    var end: Snapshot?

    var last: Int64 { commits.last?.version ?? first }
    var kept: ArraySlice<Commit> { ArraySlice(commits[dropped...]) }
    var bytes: Int { kept.reduce(0) { $0 + RecentVersions.bytes($1) } }

    /// The newest version that was committed at a time, or nil where that is before all.
    func version(at time: Int64) -> Int64? {
      var (low, high) = (dropped, commits.count)
      while low < high {
        let middle = (low + high) / 2
        if commits[middle].time <= time { low = middle + 1 } else { high = middle }
      }
      if low > dropped { return commits[low - 1].version }
      guard let firstTime, firstTime <= time else { return nil }
      return first
    }

    mutating func dropFirst() {
      let commit = commits[dropped]
      (first, firstTime) = (commit.version, commit.time)
      // The bytes go at once.
      commits[dropped] = Commit(version: commit.version, time: commit.time, changes: ChangeSet())
      dropped += 1
      if dropped > 1024, dropped * 2 > commits.count {
        commits.removeFirst(dropped)
        dropped = 0
      }
    }
  }

  /// A version that was made again.
  fileprivate struct Rewound {
    var snapshot: Snapshot
    var version: Int64
  }

  /// A version that was published, as it is.
  fileprivate struct Published {
    var snapshot: Snapshot
    var version: Int64
    /// Bytes of changes that had been appended before another followed it.
    var appended: Int
  }

  fileprivate struct State {
    /// Bytes that commits may take; 0 where none are kept.
    var limit = 0
    var bytes = 0
    /// The oldest first; none where nothing is kept.
    var periods: [Period] = []
    /// The one that was used last comes last. All are of today's layout.
    var rewound: [Rewound] = []
    /// The newest comes last. All are of today's layout, and others have followed them.
    var published: [Published] = []
    /// Bytes of changes that were ever appended.
    var appended = 0
    /// Counts layouts.
    var layout = 0
    /// The types whose past is kept by records; nil for none.
    var history: KeptHistory?
    /// Indicates whether commits before those that were kept have been asked for since the layout began.
    var hasReadLog = false
    /// By version: those that it has taken back.
    var undone: [Int64: [Int64]] = [:]
    /// Versions that were taken back, and not done again since.
    var takenBack: Set<Int64> = []
  }

  /// A layout, by a version that has it.
  struct Layout {
    var snapshot: Snapshot
    /// When it began.
    var time: Int64
  }

  /// A change to another layout, or to other numbers of rows.
  struct ChangeOfLayout {
    var before: Snapshot
    var after: Snapshot
  }

  /// How a version is made again.
  struct Route {
    /// The nearest version that is there.
    var base: Snapshot
    var version: Int64
    /// The commits that are applied or, if `isBackward`, taken back, in the order of the work.
    var commits: [Commit] = []
    var isBackward = false
    /// The layouts after the base's, the oldest first and today's last.
    var later: [Layout] = []
    /// Indicates whether what is made may be kept, as a version of today's layout.
    var mayKeep = true
    /// The layout that is today's.
    fileprivate var layout = 0
  }

  /// Bytes that are kept of a commit beside its changes.
  private static let overhead = 64
  /// Versions that were made again, each with pages of its own.
  private static let mostRewound = 8
  /// Versions that stay as they were published.
  fileprivate static let mostPublished = 8
  /// Bytes that a change of one byte may supersede: pages and paths of indexes, for a cell.
  fileprivate static let mostAmplification = 4096
  /// Earlier layouts, each with a version of its own.
  fileprivate static let mostPeriods = 4

  private let state: Lock<State>
  private let keeps = Atomic<Bool>(false)
  /// Holds the cause of the changes that are committed now.
  let cause = NamedCause()

  init() { state = Lock(State()) }

  fileprivate static func bytes(_ commit: Commit) -> Int {
    commit.changes.bytes.count + overhead + commit.cause.byteCount
  }

  /// Indicates whether commits are kept.
  var isKeeping: Bool { keeps.load(ordering: .relaxed) }

  /// Bytes that commits may take.
  var limit: Int { state.withLock { $0.limit } }

  /// Bytes that commits take.
  var bytes: Int { state.withLock { $0.bytes } }

  // MARK: - Keeping

  /// Keeps commits after a version, up to a number of bytes, or none.
  ///
  /// - Parameter time: Since when the version is the newest; nil where that is not known.
  func keep(bytes limit: Int, after version: Int64, time: Int64?) {
    state.withLock { state in
      state.limit = max(0, limit)
      if limit <= 0, state.history == nil {
        (state.periods, state.rewound, state.published, state.bytes) = ([], [], [], 0)
      } else if state.periods.isEmpty {
        state.periods = [Period(first: version, firstTime: time)]
      } else {
        state.trim()
        if limit <= 0 { (state.rewound, state.published) = ([], []) }
      }
      keeps.store(limit > 0 || state.history != nil, ordering: .relaxed)
    }
  }

  /// Begins with a version that a storage keeps.
  func begin(with stored: StoredVersion, bytes: Int) {
    // A clock that went back meanwhile makes no version newer.
    let time = stored.version == 0 ? .min : max(WallClock.now, stored.time)
    keep(bytes: bytes, after: stored.version, time: time)
    let start = HistoryStart(version: stored.version, time: time)
    keepHistory(of: stored.snapshot.catalog, isInMemory: false, from: start)
  }

  /// Keeps the past of the types that say so, from a version on.
  ///
  /// - Parameters:
  ///   - change: The change of the schema that it begins with; nil where no version is known before.
  ///   - isInMemory: Whether the records are kept here, rather than by a storage.
  func keepHistory(
    of catalog: Catalog, after change: ChangeOfLayout? = nil, isInMemory: Bool, from start: HistoryStart
  ) {
    let types = HistoryTypes(catalog)
    if !types.isAny, !isKeeping { return }
    state.withLock { state in
      state.keepHistory(types, catalog, after: change, isInMemory: isInMemory, from: start)
      if state.history != nil, state.periods.isEmpty {
        state.periods = [Period(first: start.version, firstTime: start.time)]
      }
      keeps.store(state.limit > 0 || state.history != nil, ordering: .relaxed)
    }
  }

  /// Holds the past that is kept by records; nil for none.
  var history: KeptHistory? { state.withLock { $0.history } }

  /// Keeps a version that was made again by records, if none of these has been erased meanwhile.
  func keep(_ rewound: KeptHistory.Rewound, of history: KeptHistory) {
    state.withLock { $0.history?.keep(rewound, of: history) }
  }

  /// Adds a commit that follows the last one. Its time is not before that of another.
  func append(_ commit: Commit) {
    if !isKeeping { return }
    state.withLock { $0.append(commit) }
  }

  /// Keeps a version as it is, which others follow from now on. Returns those that make way, to be freed without locks.
  func keep(published snapshot: Snapshot, _ version: Int64) -> [Snapshot] {
    if !isKeeping { return [] }
    return state.withLock { $0.keep(published: snapshot, version) }
  }

  /// Lets the published versions go that may hold too much, because of the changes that have followed, or of what was
  /// compacted since. Called after changes of any size, without locks.
  func dropOverdue(before next: Snapshot) {
    if !isKeeping { return }
    let dropped = state.withLock { next.isCompacted ? $0.takePublished() : $0.takeOverdue() }
    withExtendedLifetime(dropped) {}
  }

  /// Adds a version of a database in memory. Returns its number, which is that of the one before where nothing differs.
  ///
  /// - Parameters:
  ///   - version: The number of the version before.
  ///   - rewrites: Whether rows have other numbers than before.
  ///   - time: When it was made; nil for now.
  func append(_ next: Snapshot, after base: Snapshot, _ version: Int64, rewrites: Bool, time: Int64?) -> Int64 {
    // Nothing is compared where nothing is kept.
    if !isKeeping, next.hasLayout(of: base) { return version + 1 }
    let time = time ?? WallClock.now
    if rewrites || !next.hasLayout(of: base) {
      append(ChangeOfLayout(before: base, after: next), version: version + 1, time: time)
      return version + 1
    }
    let changes = next.changes(since: base)
    defer { dropOverdue(before: next) }
    if changes.isEmpty { return version }
    _ = keep(published: base, version)
    append(Commit(version: version + 1, time: time, changes: changes, cause: cause.current))
    return version + 1
  }

  /// Adds what leads to another layout, or to other numbers of rows.
  ///
  /// - Parameter version: The number of the version after.
  func append(_ change: ChangeOfLayout, version: Int64, time: Int64, isInMemory: Bool = true) {
    keepHistory(
      of: change.after.catalog, after: change, isInMemory: isInMemory,
      from: HistoryStart(version: version, time: time))
    if !isKeeping { return }
    state.withLock { state in
      guard let last = state.periods.indices.last else { return }
      state.periods[last].end = change.before
      let before = state.periods[last].commits.last?.time ?? state.periods[last].firstTime ?? time
      let next = Period(first: version, firstTime: max(before, time))
      // Without a limit for changes there is none for snapshots.
      state.periods = state.limit > 0 ? state.periods + [next] : [next]
      state.changeLayout()
      state.trim()
    }
  }

  /// Forgets commits after one, which failed.
  func forget(after version: Int64) {
    if !isKeeping { return }
    state.withLock { state in
      guard let last = state.periods.indices.last else { return }
      state.rewound.removeAll { $0.version > version }
      state.published.removeAll { $0.version > version }
      while let commit = state.periods[last].commits.last, commit.version > version,
        state.periods[last].commits.count > state.periods[last].dropped
      {
        state.periods[last].commits.removeLast()
        state.bytes -= Self.bytes(commit)
        if !commit.cause.undone.isEmpty { state.noteUndone() }
      }
    }
  }

  /// Goes on after a version that was read.
  func restart(after version: Int64, _ catalog: Catalog) {
    keepHistory(of: catalog, isInMemory: false, from: HistoryStart(version: version, time: .min))
    if !isKeeping { return }
    state.withLock { state in
      state.bytes = 0
      state.changeLayout()
      state.periods = [Period(first: version, firstTime: version == 0 ? .min : nil)]
    }
  }

  /// Returns whether a log may have commits before those that are kept, once: later calls would find no others.
  func wantsLog() -> Bool {
    state.withLock { state in
      defer { state.hasReadLog = true }
      return !state.hasReadLog && state.periods.count == 1
    }
  }

  /// Puts commits before those that are kept, if they lead there and there is room.
  func prepend(_ commits: [Commit]) {
    state.withLock { state in
      guard var period = state.periods.first, state.periods.count == 1 else { return }
      let known = period.first
      var older = ContiguousArray<Commit>()
      for commit in commits.reversed() where commit.version <= known {
        guard commit.version == (older.last?.version ?? known + 1) - 1 else { break }
        let bytes = Self.bytes(commit)
        if state.bytes + bytes > state.limit { break }
        state.bytes += bytes
        older.append(commit)
      }
      guard let oldest = older.last else { return }
      older.reverse()
      var time = Int64.min
      for index in older.indices {
        time = max(time, older[index].time)
        older[index] = older[index].at(time)
      }
      period.commits = older + period.commits[period.dropped...]
      period.dropped = 0
      period.first = oldest.version - 1
      period.firstTime = period.first == 0 ? .min : nil
      state.periods[0] = period
      state.noteUndone()
    }
  }

  // MARK: - Undoing

  /// Returns the changes of a version, and those of later ones that count; nil where they are not kept, or are of another
  /// layout.
  func changes(of version: Int64, leavingOut others: [Int64]) -> (changes: ChangeSet, later: [ChangeSet])? {
    let others = Set(others)
    return state.withLock { state in
      guard let period = state.periods.last, version > period.first, version <= period.last else { return nil }
      let place = period.commits.count - 1 - Int(period.last - version)
      let later = period.commits[(place + 1)...].filter {
        // What was taken back later, and what has taken it back, count for nothing together. What has taken back an
        // earlier version is a change like others.
        !state.takenBack.contains($0.version) && !others.contains($0.version)
          && !(state.undone[$0.version]?.allSatisfy { $0 > version } ?? false)
      }
      return (period.commits[place].changes, later.map(\.changes))
    }
  }

  /// Returns whether a version was taken back, and not done again since.
  func isTakenBack(_ version: Int64) -> Bool { state.withLock { $0.takenBack.contains(version) } }

  /// Returns the commit of a version, where it is kept and of today's layout.
  func commit(_ version: Int64) -> Commit? {
    state.withLock { state in
      guard let period = state.periods.last, version > period.first, version <= period.last else { return nil }
      return period.commits[period.commits.count - 1 - Int(period.last - version)]
    }
  }

  /// The oldest version that can be taken back; nil for none.
  var oldestUndoable: Int64? { state.withLock { $0.periods.last.map { $0.first + 1 } } }

  /// Returns whether to take a version back is to do again what was taken back, as far as that is known.
  func redoes(_ version: Int64) -> Bool {
    state.withLock { state in
      var (version, redoes) = (version, false)
      while let other = state.undone[version]?.first(where: { $0 < version }) { (version, redoes) = (other, !redoes) }
      return redoes
    }
  }

  // MARK: - Finding

  /// Finds a moment's version and the way to it.
  ///
  /// - Parameter newest: The newest version that may be seen; later commits count for nothing.
  func route(to moment: PastMoment, from newest: (snapshot: Snapshot, version: Int64)) -> Result<Route, PastMiss> {
    state.withLock { state in
      guard let oldest = state.periods.first else {
        if case .version(let version) = moment, version > newest.version { return .failure(.after(newest.version)) }
        return .failure(.before(newest.version))
      }
      let version: Int64
      switch moment {
      case .version(let number): version = number
      case .time(let time):
        guard let found = state.periods.lazy.reversed().compactMap({ $0.version(at: time) }).first else {
          return .failure(.before(oldest.first))
        }
        version = min(found, newest.version)
      }
      if version > newest.version { return .failure(.after(newest.version)) }
      // What was read again meanwhile leads elsewhere.
      if newest.version > state.periods[state.periods.count - 1].last { return .failure(.before(newest.version)) }
      guard version >= oldest.first, let number = state.periods.lastIndex(where: { $0.first <= version }) else {
        return .failure(.before(oldest.first))
      }
      return .success(state.route(to: version, in: number, newest))
    }
  }

  /// Keeps a version that was made again.
  func keep(_ snapshot: Snapshot, of route: Route) {
    if !route.mayKeep { return }
    // Freed without the lock.
    var dropped: [Rewound] = []
    state.withLock { state in
      if state.periods.isEmpty || state.layout != route.layout { return }
      dropped = state.rewound.filter { $0.version == route.version }
      state.rewound.removeAll { $0.version == route.version }
      if state.rewound.count >= Self.mostRewound { dropped.append(state.rewound.removeFirst()) }
      state.rewound.append(Rewound(snapshot: snapshot, version: route.version))
    }
    withExtendedLifetime(dropped) {}
  }
}

/// A moment that no version is kept of.
enum PastMiss: Error {
  /// It is before this version, the oldest that can be made again.
  case before(Int64)
  /// The newest version is this one.
  case after(Int64)
}

extension RecentVersions.State {
  fileprivate mutating func keepHistory(
    _ types: HistoryTypes, _ catalog: Catalog, after change: RecentVersions.ChangeOfLayout?, isInMemory: Bool,
    from start: HistoryStart
  ) {
    guard types.isAny else {
      history = nil
      return
    }
    var records = isInMemory ? HistoryRecords(types, from: start) : nil
    if isInMemory, let change {
      let mapping = HistoryMapping(from: change.before.catalog, to: catalog, at: start.time)
      if let known = history?.records { records = known.moved(to: types, by: mapping, from: start) }
      records?.begin(mapping.emptyBefore(change.after))
    }
    history = KeptHistory(catalog, since: start.version, types: types, records: records)
  }

  fileprivate mutating func append(_ commit: Commit) {
    guard var last = periods.indices.last, commit.version > periods[last].last else { return }
    if commit.version > periods[last].last + 1 {
      // What is between is not known.
      periods = [RecentVersions.Period(first: commit.version - 1)]
      (bytes, last) = (0, 0)
      changeLayout()
    }
    let time = max(commit.time, periods[last].commits.last?.time ?? periods[last].firstTime ?? .min)
    let commit = commit.at(time)
    periods[last].commits.append(commit)
    if !commit.cause.undone.isEmpty { noteUndone(by: commit) }
    history?.append(commit)
    bytes += RecentVersions.bytes(commit)
    appended += RecentVersions.bytes(commit)
    if bytes > limit { trim() }
  }

  fileprivate mutating func keep(published snapshot: Snapshot, _ version: Int64) -> [Snapshot] {
    // Without a limit for changes there is none for snapshots.
    guard limit > 0, let period = periods.last, version >= period.first, version > published.last?.version ?? -1 else {
      return []
    }
    var dropped = takeOverdue()
    if published.count == RecentVersions.mostPublished { dropped.append(published.removeFirst().snapshot) }
    published.append(RecentVersions.Published(snapshot: snapshot, version: version, appended: appended))
    return dropped
  }

  /// Takes out all published versions.
  fileprivate mutating func takePublished() -> [Snapshot] {
    defer { published = [] }
    return published.map(\.snapshot)
  }

  /// Takes out the published versions that may hold too much by now.
  fileprivate mutating func takeOverdue() -> [Snapshot] {
    let most = limit / RecentVersions.mostAmplification
    guard let first = published.first, appended - first.appended > most else { return [] }
    let count = published.prefix { appended - $0.appended > most }.count
    defer { published.removeFirst(count) }
    return published.prefix(count).map(\.snapshot)
  }

  /// Drops what is too much, the oldest first.
  fileprivate mutating func trim() {
    // In place: a copy of a period would have its commits copied when the first is dropped.
    while !periods.isEmpty, bytes > limit || periods.count > RecentVersions.mostPeriods {
      if periods[0].dropped == periods[0].commits.count || periods.count > RecentVersions.mostPeriods {
        if periods.count == 1 { return }
        bytes -= periods[0].bytes
        periods.removeFirst()
      } else {
        bytes -= RecentVersions.bytes(periods[0].commits[periods[0].dropped])
        periods[0].dropFirst()
      }
    }
  }

  /// Notes which versions the commits that are kept have taken back.
  fileprivate mutating func noteUndone() {
    (undone, takenBack) = ([:], [])
    for commit in periods.last?.kept ?? [] where !commit.cause.undone.isEmpty { noteUndone(by: commit) }
  }

  fileprivate mutating func noteUndone(by commit: Commit) {
    undone[commit.version] = commit.cause.undone
    // A damaged log may name the commit itself, or later ones. These are passed over.
    for other in commit.cause.undone where other < commit.version { mark(other, isTakenBack: true) }
    guard undone.count > 4096, let oldest = periods.last?.first else { return }
    takenBack = takenBack.filter { $0 > oldest }
    undone = undone.filter { $0.key > oldest }
  }

  /// To take a version back that has taken others back is to do these again.
  fileprivate mutating func mark(_ version: Int64, isTakenBack: Bool) {
    var next: [(version: Int64, isTakenBack: Bool)] = [(version, isTakenBack)]
    // Each once, because a log that was made up may lead to one in many ways.
    var seen: Set<Int64> = []
    while let (version, isTaken) = next.popLast() {
      guard seen.insert(version).inserted else { continue }
      if isTaken { takenBack.insert(version) } else { takenBack.remove(version) }
      for other in undone[version] ?? [] where other < version { next.append((other, !isTaken)) }
    }
  }

  fileprivate mutating func changeLayout() {
    (rewound, published, undone, takenBack) = ([], [], [:], [])
    hasReadLog = false
    layout += 1
  }

  fileprivate mutating func route(
    to version: Int64, in number: Int, _ newest: (snapshot: Snapshot, version: Int64)
  ) -> RecentVersions.Route {
    if let known = rewound.lastIndex(where: { $0.version == version }) {
      let found = rewound.remove(at: known)
      rewound.append(found)
      return RecentVersions.Route(base: found.snapshot, version: version, mayKeep: false)
    }
    if let known = published.last(where: { $0.version == version }) {
      return RecentVersions.Route(base: known.snapshot, version: version, mayKeep: false)
    }
    let period = periods[number]
    var base = (snapshot: newest.snapshot, version: newest.version)
    if let end = period.end {
      base = (end, period.last)
    } else {
      // Those that were made of versions of an earlier layout have numbers before the first.
      for known in rewound where known.version >= period.first && known.version <= newest.version {
        if abs(known.version - version) < abs(base.version - version) { base = (known.snapshot, known.version) }
      }
      for known in published where known.version >= period.first && known.version <= newest.version {
        if abs(known.version - version) < abs(base.version - version) { base = (known.snapshot, known.version) }
      }
    }
    var route = RecentVersions.Route(base: base.snapshot, version: version, layout: layout)
    route.isBackward = base.version > version
    if base.version != version {
      let span = route.isBackward ? version + 1...base.version : base.version + 1...version
      let start = period.commits.count - Int(period.last - span.lowerBound) - 1
      route.commits = Array(period.commits[start..<(start + span.count)])
      if route.isBackward { route.commits.reverse() }
    }
    if period.end != nil {
      route.later = periods[(number + 1)...].map {
        RecentVersions.Layout(snapshot: $0.end ?? newest.snapshot, time: $0.firstTime ?? 0)
      }
    }
    // A version of another layout is published after its period has begun.
    route.mayKeep = route.mayKeep && version != newest.version && newest.version >= periods[periods.count - 1].first
    return route
  }
}
