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
  /// - Returns: nil where the records go with a later version than the newest one that was read.
  func version(
    at moment: PastMoment, reading types: Set<EntityTypeID>?, oldest: Int64, _ interruption: Interruption?
  ) throws(PastProblem) -> PastVersion? {
    let wanted = types ?? Set(catalog.types.filter { $0.kind == .entity }.map(\.id))
    guard let history = database.past.history else {
      throw missing(wanted, HistoryTypes(catalog), moment, oldest) ?? PastProblem.noHistory(moment, oldest: oldest)
    }
    // Both are read one after the other, while others write.
    guard history.catalog.storesAlike(catalog) else { return nil }
    if history.records != nil, history.lastErasure > newest.version { return nil }
    if let problem = missing(wanted, history.types, moment, oldest) { throw problem }
    // Rows of interfaces, and elements of lists, come with the entities that they belong to.
    let numbers = history.types.types.indices.filter { number in
      guard let kept = history.types[number] else { return false }
      return types == nil || wanted.contains(EntityTypeID(number))
        || kept.owners.contains { wanted.contains(EntityTypeID($0.type)) }
    }
    let request = HistoryRequest(
      catalog: catalog, kept: history.types, types: numbers, newest: newest.version, moment: moment)
    let known = history.rewound(moment, numbers, from: newest.version)
    // Nothing is to be asked of records that never go.
    if let known, history.isUnlimited(numbers) { return renewed(known) }
    let rewinding = Rewinding(newest.snapshot, history.types, interruption)
    let reading = try read(request, history) { (starts) throws(PastProblem) in
      try check(starts, request, oldest)
      return true
    } _: { (step) throws(PastProblem) -> Bool in
      // Only where it begins is to be known.
      if known == nil { try rewinding.apply(step) }
      return known == nil
    }
    if !reading.isOfNewest { return nil }
    if let known { return renewed(known) }
    return try finish(rewinding, request, history, hasErased: reading.hasErased)
  }

  /// Returns a version that was made before, as one of today.
  private func renewed(_ version: PastVersion) -> PastVersion {
    var version = version
    version.newest = newest.version
    // Functions of the program may have come.
    if version.snapshot.catalog.version != catalog.version { version.snapshot = version.snapshot.with(catalog) }
    return version
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
  private func check(
    _ starts: [HistoryStart?], _ request: HistoryRequest, _ oldest: Int64
  ) throws(PastProblem) {
    for (place, type) in request.types.enumerated() {
      let start = starts.indices.contains(place) ? starts[place] : nil
      if let start, request.moment.isWithin(start) { continue }
      throw PastProblem.noHistoryOf(
        catalog.types[type].name, request.moment, oldest: oldest, start: start?.version ?? newest.version)
    }
  }

  /// Calls with where the past of each type begins, nil where none is kept, then with the records, for each type the
  /// newest first, until a call returns false. Nothing is called where they go with a later version.
  func read(
    _ request: HistoryRequest, _ history: KeptHistory, from begin: ([HistoryStart?]) throws(PastProblem) -> Bool,
    _ body: (HistoryStep) throws(PastProblem) -> Bool
  ) throws(PastProblem) -> HistoryReading {
    if let records = history.records {
      if try begin(request.types.map { records.start(of: $0) }) {
        try records.forEachStep(request) { (step) throws(PastProblem) in try body(step) }
      }
      return HistoryReading(isOfNewest: true, hasErased: records.hasErased)
    }
    guard let committer = database.committer, let storage = committer.storage as? any HistoryStorage else {
      _ = try begin([])
      return HistoryReading(isOfNewest: true, hasErased: false)
    }
    var problem: PastProblem?
    func trying(_ body: () throws(PastProblem) -> Bool) -> Bool {
      do throws(PastProblem) { return try body() } catch {
        problem = error
        return false
      }
    }
    var reading = HistoryReading(isOfNewest: true, hasErased: false)
    do throws(QueryError) {
      if committer.isStopped { try committer.check() }
      // The storage has all that is seen then.
      if committer.isGathering { try database.flush() }
      try database.alone(committer) { () throws(QueryError) in
        reading = try storage.readHistory(
          request, from: { starts in trying { () throws(PastProblem) in try begin(starts) } },
          { step in trying { () throws(PastProblem) in try body(step) } })
      }
    } catch {
      throw PastProblem.failed(error)
    }
    if let problem { throw problem }
    return reading
  }

  private func finish(
    _ rewinding: Rewinding, _ request: HistoryRequest, _ history: KeptHistory, hasErased: Bool
  ) throws(PastProblem) -> PastVersion {
    let transaction = rewinding.transaction
    // Of rows without a past the links are those of now.
    let isOneSided = hasErased || request.types.contains { history.types[$0]?.leavesOutLinks ?? false }
    let ends = isOneSided ? LinkEnds(newest.snapshot, types: Set(request.types)) : nil
    do throws(ChangeProblem) { try LostLinks(in: transaction, ends).drop(of: rewinding.linked) } catch {
      throw PastProblem.misfit
    }
    var number = (rewinding.first ?? newest.version + 1) - 1
    if case .version(let version) = request.moment { number = version }
    var result = PastVersion(
      snapshot: rewinding.count == 0 ? newest.snapshot : transaction.commit(), number: number, newest: newest.version)
    result.records = rewinding.count
    // A time after all changes may get more of them.
    if rewinding.count > 0 {
      database.past.keep(
        KeptHistory.Rewound(moment: request.moment, types: request.types, version: result), of: history)
    }
    return result
  }
}

/// One version on its way back.
private final class Rewinding {
  let transaction: WriteTransaction
  private let types: HistoryTypes
  private let interruption: Interruption?
  private var steps = 0
  /// The changes of rows that were taken back.
  private(set) var count = 0
  /// The first version that was taken back.
  private(set) var first: Int64?
  /// By type: rows whose links may lead nowhere.
  private(set) var linked: [Int: Set<UInt32>] = [:]

  init(_ newest: Snapshot, _ types: HistoryTypes, _ interruption: Interruption?) {
    transaction = WriteTransaction(newest, fold: foldText)
    self.types = types
    self.interruption = interruption
  }

  func apply(_ step: HistoryStep) throws(PastProblem) {
    do throws(ChangeProblem) {
      try transaction.apply(step.changes, checksTargets: false)
    } catch {
      throw PastProblem.misfit
    }
    if types[step.type]?.hasLinks ?? false { linked[step.type, default: []].formUnion(step.rows) }
    steps += 1
    count += step.rows.count
    if !step.isOfTimes { first = min(first ?? step.version, step.version) }
    if steps & 63 == 0, let interruption, interruption.isDue { throw PastProblem.interrupted(interruption) }
  }
}

/// A storage that keeps records of the past.
package protocol HistoryStorage: AnyObject {
  /// Reads one state of what is kept: calls with where the past of each type of the request begins, nil where none is
  /// kept, then with what takes the changes after the moment back, for each type the newest first. It ends where either
  /// returns false.
  ///
  /// Nothing is called where what is kept goes with a later version than the request's newest: it has another schema, or
  /// something was erased.
  func readHistory(
    _ request: HistoryRequest, from begin: ([HistoryStart?]) -> Bool, _ body: (HistoryStep) -> Bool
  ) throws(QueryError) -> HistoryReading
}

/// A note of a reader of records on all of them.
package struct HistoryReading: Sendable {
  /// Indicates whether the records lead back from the newest version of the request.
  package var isOfNewest: Bool
  /// Indicates whether the past of some entity may have been erased.
  package var hasErased: Bool

  package init(isOfNewest: Bool, hasErased: Bool) {
    self.isOfNewest = isOfNewest
    self.hasErased = hasErased
  }
}
