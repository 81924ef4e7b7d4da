import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLStore

/// The bound forms and plans of one prepared query.
struct PlanCache {
  /// One bound form, with the plans made for it.
  final class Entry: Sendable {
    let query: BoundQuery
    private let planned = Lock<[ReadyPlan]>([])
    private static let keptPlans = 8

    init(query: BoundQuery) { self.query = query }

    /// A plan made for these statistics and, where other values could ask for another plan, for values like these.
    func plan(generation: UInt64, parameters: [GQLCatalog.Value?], snapshot: Snapshot) -> ReadyPlan? {
      let plans = planned.withLock { $0 }
      for plan in plans where plan.generation == generation {
        if !plan.isParameterSensitive { return plan }
        let estimates = accessEstimates(plan.executable.plan, parameters: parameters, statistics: snapshot)
        if plan.estimates.count == estimates.count, zip(plan.estimates, estimates).allSatisfy(areAlike) { return plan }
      }
      return nil
    }

    func add(
      _ executable: Executable, generation: UInt64, parameters: [GQLCatalog.Value?], snapshot: Snapshot
    ) -> ReadyPlan {
      let estimates =
        executable.plan.isParameterSensitive
        ? accessEstimates(executable.plan, parameters: parameters, statistics: snapshot) : []
      let plan = ReadyPlan(executable, parameters: query.parameters, generation: generation, estimates: estimates)
      planned.withLock {
        $0.removeAll { $0.generation != generation }
        if $0.count >= Self.keptPlans { $0.removeFirst() }
        $0.append(plan)
      }
      return plan
    }
  }

  private var entries: [(shape: StructuralShape, catalogVersion: UInt64, entry: Entry)] = []
  private static let keptShapes = 32

  func entry(shape: StructuralShape, catalogVersion: UInt64) -> Entry? {
    for item in entries where item.catalogVersion == catalogVersion && item.shape == shape { return item.entry }
    return nil
  }

  mutating func insert(_ entry: Entry, shape: StructuralShape, catalogVersion: UInt64) {
    entries.removeAll { $0.catalogVersion != catalogVersion }
    if entries.count >= Self.keptShapes { entries.removeFirst() }
    entries.append((shape, catalogVersion, entry))
  }
}
