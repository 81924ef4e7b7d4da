import GQLBase
import GQLCatalog
import GQLStore

/// A reader of the versions of entities: of the types whose history is kept.
struct VersionReader {
  let database: Database
  /// Indicates whether the list of changes is read, too.
  var readsChanges = false

  /// Returns the newest data with the versions of entities beside it.
  ///
  /// Complexity: at first O(*n*) in the entities of these types and their changes; later in the changes since then.
  func newest(_ interruption: Interruption?) throws(PastProblem) -> OperationData {
    try PastReader(database: database).untilStable(interruption) { () throws(PastProblem) in
      try newestNow(interruption)
    }
  }

  /// Returns the catalog with the types of versions, under which queries that read these are bound.
  func catalog(of base: Catalog) -> Catalog {
    (database.past.history?.versions.catalog(of: base) ?? VersionCatalog(base)).catalog
  }

  /// Nil where others have changed what is kept of the past after the newest version was read.
  private func newestNow(
    _ interruption: Interruption?
  ) throws(PastProblem) -> OperationData? {
    let numbering = database.numbering
    let newest: (snapshot: Snapshot, version: Int64)
    do throws(QueryError) { newest = try NewestVersion(database: database).refreshed() } catch {
      throw PastProblem.failed(error)
    }
    guard let history = database.past.history else {
      throw database.editing == nil ? PastProblem.noHistoryAnymore : .noVersions
    }
    guard history.catalog.storesAlike(newest.snapshot.catalog), numbering == database.numbering else { return nil }
    if history.records != nil, history.lastErasure > newest.version { return nil }
    let catalog = history.versions.catalog(of: newest.snapshot.catalog)
    if let made = history.versions.made(catalog), made.numbering == numbering, made.version <= newest.version,
      made.version >= history.lastErasure
    {
      if made.newest === newest.snapshot, made.hasChanges || !readsChanges {
        return data(made.snapshot, newest.version, catalog, made.starts)
      }
      // Ids of linked entities are those of now.
      let goesOn = catalog.hasSameIDs(newest.snapshot, as: made.newest)
      switch goesOn ? try read(newest, catalog, history, after: made, numbering, interruption) : .trimmed {
      case .made(let snapshot, let starts): return data(snapshot, newest.version, catalog, starts)
      case .other: return nil
      case .trimmed: break
      }
    }
    switch try read(newest, catalog, history, after: nil, numbering, interruption) {
    case .made(let snapshot, let starts): return data(snapshot, newest.version, catalog, starts)
    case .other, .trimmed: return nil
    }
  }

  private func data(
    _ snapshot: Snapshot, _ version: Int64, _ catalog: VersionCatalog, _ starts: [HistoryStart?]
  ) -> OperationData {
    var data = OperationData(snapshot: snapshot, version: .number(version), newest: version)
    data.starts = catalog.types.enumerated().map { place, type in
      let start = starts.indices.contains(place) ? starts[place] : nil
      // What has no beginning is not kept.
      return (catalog.catalog[type.type].name, start ?? HistoryStart(version: version, time: .max))
    }
    return data
  }

  private enum Outcome {
    /// With where the past of each type begins.
    case made(Snapshot, [HistoryStart?])
    /// The records go with another version of the data.
    case other
    /// Some of what was known is not kept any more.
    case trimmed
  }

  private func read(
    _ newest: (snapshot: Snapshot, version: Int64), _ catalog: VersionCatalog, _ history: KeptHistory,
    after known: KeptVersions.Made?, _ numbering: RowNumbering, _ interruption: Interruption?
  ) throws(PastProblem) -> Outcome {
    let types = catalog.types.map { Int($0.type.index) }
    let request = HistoryRequest(
      catalog: newest.snapshot.catalog, kept: history.types, types: types, newest: newest.version,
      moment: .version(known?.version ?? .min))
    var counted = 0
    func isStopped(_ bytes: Int) -> Bool {
      interruption?.take(bytes - counted)
      counted = bytes
      return interruption?.isDue ?? false
    }
    let writer = VersionWriter(
      newest.snapshot, catalog, after: known?.snapshot, fold: foldText, isStopped: isStopped)
    let reader = HistoryReader(database: database, newest: newest)
    var starts: [HistoryStart?] = []
    let reading = try reader.read(request, history) { (found) throws(PastProblem) in
      starts = found
      return known.map { $0.starts == found } ?? true
    } _: { (step) throws(PastProblem) in
      // Versions have no such time.
      if step.isOfTimes { return true }
      do throws(ChangeProblem) {
        let isDone = try writer.takeBack(
          step.changes, type: step.type, rows: step.rows, version: step.version, time: step.time, origin: step.origin)
        if isDone { return true }
      } catch {
        throw PastProblem.misfit
      }
      if let interruption { throw PastProblem.interrupted(interruption) }
      return false
    }
    if !reading.isOfNewest { return .other }
    if let known, known.starts != starts { return .trimmed }
    var first: [EntityTypeID: Int64] = [:]
    for (place, type) in catalog.types.enumerated() {
      first[type.type] = starts.indices.contains(place) ? starts[place]?.version ?? newest.version : newest.version
    }
    var snapshot: Snapshot
    let hasChanges = readsChanges || known?.hasChanges ?? false
    do throws(StoreProblem) {
      snapshot = try writer.finish(hasErased: reading.hasErased) { first[$0] ?? newest.version }
      if hasChanges, let list = ChangeListWriter(snapshot, catalog, isStopped: { _ in isStopped(writer.byteCount) }) {
        snapshot = try list.run(after: known?.hasChanges == true ? known?.snapshot : nil, fold: foldText)
      }
    } catch {
      if case .stopped = error, let interruption { throw PastProblem.interrupted(interruption) }
      throw PastProblem.misfit
    }
    history.versions.keep(
      KeptVersions.Made(
        snapshot: snapshot, newest: newest.snapshot, version: newest.version, hasChanges: hasChanges,
        starts: starts, numbering: numbering))
    return .made(snapshot, starts)
  }
}
