import GQLBase
import GQLCatalog
import GQLStore

/// A reader of versions that are not kept whole: of some types, by the records of their changes.
struct HistoryReader {
  let database: Database
  let newest: (snapshot: Snapshot, version: Int64)

  private var catalog: Catalog { newest.snapshot.catalog }

  /// Returns a version in which some types are as they were; others are as they are now.
  ///
  /// Complexity: O(*n*) in the changes of these types since then. A version that was asked for lately is there.
  ///
  /// - Parameters:
  ///   - types: The types; nil for all that the schema has.
  ///   - oldest: The oldest version that is kept whole.
  func version(
    at moment: PastMoment, reading types: Set<EntityTypeID>?, oldest: Int64, _ interruption: Interruption?
  ) throws(PastProblem) -> PastVersion {
    let wanted = types ?? Set(catalog.types.filter { $0.kind == .entity }.map(\.id))
    guard let history = database.past.history else {
      throw missing(wanted, HistoryTypes(catalog), moment, oldest) ?? PastProblem.noHistory(moment, oldest: oldest)
    }
    if let problem = missing(wanted, history.types, moment, oldest) { throw problem }
    // Rows of interfaces, and elements of lists, come with the entities that they belong to.
    let numbers = history.types.types.indices.filter { number in
      guard let kept = history.types[number] else { return false }
      return types == nil || wanted.contains(EntityTypeID(number))
        || kept.owners.contains { wanted.contains(EntityTypeID($0.type)) }
    }
    let request = HistoryRequest(kept: history.types, types: numbers, newest: newest.version, moment: moment)
    try check(request, history, oldest)
    if let known = history.rewound(moment, numbers) {
      var known = known
      known.newest = newest.version
      return known
    }
    return try rewind(request, history, interruption)
  }

  /// The problem that a type has no history; nil where all have.
  private func missing(
    _ types: Set<EntityTypeID>, _ kept: HistoryTypes, _ moment: PastMoment, _ oldest: Int64
  ) -> PastProblem? {
    for id in types.sorted(by: { $0.index < $1.index }) where kept[Int(id.index)] == nil {
      let type = catalog[id]
      let name =
        type.isAbstract ? type.members.first { kept[Int($0.type.index)] == nil }.map { catalog[$0.type].name } : nil
      return .noHistoryOf(name ?? type.name, moment, oldest: oldest, start: nil)
    }
    return nil
  }

  /// Throws where the past of a type begins later.
  private func check(_ request: HistoryRequest, _ history: KeptHistory, _ oldest: Int64) throws(PastProblem) {
    let starts: [HistoryStart?]
    if let records = history.records {
      starts = request.types.map { records.start(of: $0) }
    } else {
      do throws(QueryError) {
        starts = try stored { (storage) throws(QueryError) in try storage.starts(request) } ?? []
      } catch {
        throw PastProblem.failed(error)
      }
    }
    for (place, type) in request.types.enumerated() {
      let start = starts.indices.contains(place) ? starts[place] : nil
      if let start, request.isWithin(start) { continue }
      throw PastProblem.noHistoryOf(
        catalog.types[type].name, request.moment, oldest: oldest, start: start?.version ?? newest.version)
    }
  }

  /// Reads from the storage, which has all that is seen.
  private func stored<Output>(
    _ body: (any HistoryStorage) throws(QueryError) -> Output
  ) throws(QueryError) -> Output? {
    guard let committer = database.committer, let storage = committer.storage as? any HistoryStorage else { return nil }
    if committer.isStopped { try committer.check() }
    if committer.isGathering { try database.flush() }
    var output: Output?
    try database.alone(committer) { () throws(QueryError) in output = try body(storage) }
    return output
  }

  private func rewind(
    _ request: HistoryRequest, _ history: KeptHistory, _ interruption: Interruption?
  ) throws(PastProblem) -> PastVersion {
    let transaction = WriteTransaction(newest.snapshot, fold: foldText)
    var steps = 0
    var count = 0
    var first = newest.version + 1
    var linked: [Int: Set<UInt32>] = [:]
    func apply(_ step: HistoryStep) throws(PastProblem) {
      do throws(ChangeProblem) {
        try transaction.apply(step.changes, checksTargets: false)
      } catch {
        throw PastProblem.misfit
      }
      if history.types[step.type]?.hasLinks ?? false { linked[step.type, default: []].formUnion(step.rows) }
      steps += 1
      count += step.rows.count
      first = min(first, step.version)
      if steps & 63 == 0, let interruption, interruption.isDue { throw PastProblem.interrupted(interruption) }
    }
    if let records = history.records {
      try records.forEachStep(request) { (step) throws(PastProblem) in try apply(step) }
    } else {
      try rewindStored(request) { (step) throws(PastProblem) in try apply(step) }
    }
    do throws(ChangeProblem) { try LostLinks(in: transaction).drop(of: linked) } catch { throw PastProblem.misfit }
    var number = first - 1
    if case .version(let version) = request.moment { number = version }
    var result = PastVersion(
      snapshot: count == 0 ? newest.snapshot : transaction.commit(), number: number, newest: newest.version)
    result.records = count
    // A time after all changes may get more of them.
    if count > 0 {
      database.past.keep(
        KeptHistory.Rewound(moment: request.moment, types: request.types, version: result), of: history)
    }
    return result
  }

  private func rewindStored(
    _ request: HistoryRequest, _ apply: (HistoryStep) throws(PastProblem) -> Void
  ) throws(PastProblem) {
    var problem: PastProblem?
    do throws(QueryError) {
      _ = try stored { (storage) throws(QueryError) in
        try storage.forEachStep(request) { step in
          do throws(PastProblem) { try apply(step) } catch { problem = error }
          return problem == nil
        }
      }
    } catch {
      throw PastProblem.failed(error)
    }
    if let problem { throw problem }
  }
}

/// A storage that keeps records of the past.
package protocol HistoryStorage: AnyObject {
  /// Returns where the past of each type of the request begins; nil where none is kept.
  func starts(_ request: HistoryRequest) throws(QueryError) -> [HistoryStart?]

  /// Calls with what takes the changes after a moment back, for each type the newest first, as long as that returns true.
  func forEachStep(_ request: HistoryRequest, _ body: (HistoryStep) -> Bool) throws(QueryError)
}
