import GQLBase
import GQLExecutor
import GQLQuery
import GQLStore

/// The plans of the values between which a list of changes is.
struct ChangeRangePlans: Sendable {
  private let bounds: [(bound: BoundChangeRange.Bound, constants: PartPlan)]
  private let types: PartPlan?

  init(_ range: BoundChangeRange) {
    bounds = range.bounds.map { ($0, PartPlan($0.moment.constants)) }
    types = range.types.map { PartPlan($0) }
  }

  /// Throws where the list cannot have all changes between its bounds: one of them is not kept,
  /// or not there yet, or the second one is the earlier.
  ///
  /// - Parameter data: What the operation reads.
  func check(
    _ prepared: PreparedQuery, _ data: OperationData, _ context: MutationContext, _ planning: PartPlanning
  ) throws(QueryError) {
    var names: Set<String>?
    if let types {
      let program = try types.values(prepared, data.snapshot, context.parameters, planning)
      let list = try value(prepared, data) { () throws(RuntimeProblem) in
        try program.json(context, on: data.snapshot).first.flatMap { try? Value(json: Array($0.bytes)) }
      }
      if case .list(let elements)? = list {
        names = Set(elements.compactMap { if case .string(let name) = $0 { name } else { nil } })
      }
    }
    var known: [(bound: BoundChangeRange.Bound, moment: PastMoment)] = []
    for (bound, constants) in bounds {
      let program = try constants.values(prepared, data.snapshot, context.parameters, planning)
      let number = try value(prepared, data) { () throws(RuntimeProblem) in
        try program.integer(context, on: data.snapshot)
      }
      // Null is no bound.
      guard let number else { continue }
      let moment = bound.moment.isVersion ? PastMoment.version(number) : .time(number)
      if let problem = problem(moment, data, names) {
        throw problem.error(at: bound.moment.range, in: prepared.document.source)
      }
      known.append((bound, moment))
    }
    for start in known where start.bound.isStart {
      for end in known where !end.bound.isStart && end.moment.isBefore(start.moment) {
        throw PastProblem.backwards(start.moment, end.moment)
          .error(at: start.bound.moment.range, in: prepared.document.source)
      }
    }
  }

  private func value<Value>(
    _ prepared: PreparedQuery, _ data: OperationData, _ body: () throws(RuntimeProblem) -> Value
  ) throws(QueryError) -> Value {
    do throws(RuntimeProblem) { return try body() } catch {
      throw prepared.queryError(MutationProblem(.runtime(error), at: error.range), data.snapshot)
    }
  }

  private func problem(_ moment: PastMoment, _ data: OperationData, _ names: Set<String>?) -> PastProblem? {
    if case .version(let version) = moment, version < 0 || version > data.newest {
      return .unknownVersion(version, newest: data.newest)
    }
    for (name, start) in data.starts where names?.contains(name) ?? true && !moment.isWithin(start) {
      return .noHistoryOf(name, moment, oldest: data.newest, start: start.version)
    }
    return nil
  }
}

/// The data that an operation reads, where that may be more than the newest version of the database.
struct OperationData {
  var snapshot: Snapshot
  var version: ReadVersion
  /// The number of the newest version; 0 where no versions of entities are read.
  var newest: Int64 = 0
  /// Where the past of each type with versions begins, in the order of the types.
  var starts: [(type: String, start: HistoryStart)] = []
}
