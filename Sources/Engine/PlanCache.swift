import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLStore

/// The bound forms and plans of one prepared query.
struct PlanCache {
  /// One bound form, with the plans made for it.
  final class Entry: Sendable {
    private struct Planned {
      var executable: Executable
      var generation: UInt64
      /// What the planner's access paths were estimated to give when the plan was made.
      var estimates: [Double]
    }
    let query: BoundQuery
    private let planned = Lock<[Planned]>([])
    private static let keptPlans = 8

    init(query: BoundQuery) { self.query = query }

    /// A plan made for these statistics and, where other values could ask for another plan, for values like these.
    func executable(generation: UInt64, parameters: [GQLCatalog.Value?], snapshot: Snapshot) -> Executable? {
      let plans = planned.withLock { $0 }
      for plan in plans where plan.generation == generation {
        if !plan.executable.plan.isParameterSensitive { return plan.executable }
        let estimates = accessEstimates(plan.executable.plan, parameters: parameters, statistics: snapshot)
        if Self.isAlike(plan.estimates, estimates) { return plan.executable }
      }
      return nil
    }

    func add(_ executable: Executable, generation: UInt64, parameters: [GQLCatalog.Value?], snapshot: Snapshot) {
      let estimates =
        executable.plan.isParameterSensitive
        ? accessEstimates(executable.plan, parameters: parameters, statistics: snapshot) : []
      planned.withLock {
        $0.removeAll { $0.generation != generation }
        if $0.count >= Self.keptPlans { $0.removeFirst() }
        $0.append(Planned(executable: executable, generation: generation, estimates: estimates))
      }
    }

    /// Within a factor of four of each other; below 16 rows all plans are quick.
    private static func isAlike(_ left: [Double], _ right: [Double]) -> Bool {
      guard left.count == right.count else { return false }
      for (a, b) in zip(left, right) {
        let a = max(a, 16)
        let b = max(b, 16)
        if a > b * 4 || b > a * 4 { return false }
      }
      return true
    }
  }

  private var entries: [(shape: String, catalogVersion: UInt64, entry: Entry)] = []
  private static let keptShapes = 32

  func entry(shape: String, catalogVersion: UInt64) -> Entry? {
    for item in entries where item.catalogVersion == catalogVersion && item.shape == shape { return item.entry }
    return nil
  }

  mutating func insert(_ entry: Entry, shape: String, catalogVersion: UInt64) {
    entries.removeAll { $0.catalogVersion != catalogVersion }
    if entries.count >= Self.keptShapes { entries.removeFirst() }
    entries.append((shape, catalogVersion, entry))
  }
}
