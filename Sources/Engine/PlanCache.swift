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
    private let planned = Lock(PlanShelf<ReadyPlan>())
    private let live = Lock<LiveElements?>(nil)

    init(query: BoundQuery) { self.query = query }

    /// The plan of the elements of a flat list that is followed, once there is one.
    var elements: LiveElements? {
      get { live.withLock { $0 } }
      set { live.withLock { $0 = newValue } }
    }

    /// A plan made for these statistics and, where other values could ask for another plan, for values like these.
    func plan(generation: UInt64, parameters: [GQLCatalog.Value?], snapshot: Snapshot) -> ReadyPlan? {
      let plans = planned.withLock { $0 }
      return plans.plan(generation: generation) {
        accessEstimates($0.executable.plan, parameters: parameters, statistics: snapshot)
      }
    }

    func add(
      _ executable: Executable, generation: UInt64, parameters: [GQLCatalog.Value?], snapshot: Snapshot
    ) -> ReadyPlan {
      let estimates =
        executable.plan.isParameterSensitive
        ? accessEstimates(executable.plan, parameters: parameters, statistics: snapshot) : []
      return planned.withLock {
        $0.removeAll(but: generation)
        return $0.add(PlanFit(generation: generation, estimates: estimates)) {
          $0.executable.plan.isSameWay(as: executable.plan)
        } _: {
          ReadyPlan(executable, parameters: query.parameters, $0)
        }
      }
    }
  }

  private var entries: [(shape: StructuralShape, catalogVersion: UInt64, entry: Entry)] = []
  private static let keptShapes = 32

  func entry(shape: StructuralShape, catalogVersion: UInt64) -> Entry? {
    for item in entries where item.catalogVersion == catalogVersion && item.shape == shape { return item.entry }
    return nil
  }

  mutating func insert(_ entry: Entry, shape: StructuralShape, catalogVersion: UInt64) {
    if !entries.isEmpty { entries.removeAll { $0.catalogVersion != catalogVersion } }
    if entries.count >= Self.keptShapes { entries.removeFirst() }
    entries.append((shape, catalogVersion, entry))
  }
}
