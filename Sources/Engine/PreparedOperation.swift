import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore
import Synchronization

/// What prepared queries of one text share: the operation, its plans, and the runs that rest between uses.
///
/// It does not know the database, which keeps it for the next time that the text is prepared.
final class PreparedOperation: Sendable {
  let name: String?
  let document: QueryDocument
  let operation: Int
  let structural: [String]
  let isSegmented: Bool
  /// Indicates whether its query is one of segments.
  let hasSegments: Bool
  /// The roles of the hidden types of versions and changes that it reads.
  let pastRoles: Set<EntityType.PastRole>
  let explanation: ExplanationRequest?
  /// The plans of its segments, by the values of structural variables.
  let segments = Lock<[(shape: StructuralShape, plans: SegmentPlans)]>([])
  let plans: Lock<PlanCache>
  /// What a run needs where nothing asks for another plan; one visit to the lock before a run, one behind it.
  let ready = Lock<ReadyState>(ReadyState())
  /// What runs with the usual options take instead.
  let resting = RestingRuns()
  /// Runs of a point mutation with the usual options, between uses.
  let restingMutations = IdlePair<ReadyMutation>()
  private let runs = Atomic<Bool>(false)

  struct ReadyState {
    var plan: ReadyPlan?
    /// Output buffers between runs.
    var buffers: [ReusableBuffer] = []
  }

  /// `query` is the operation bound without values of structural parameters.
  init(document: QueryDocument, operation: Int, query: BoundQuery, _ pastRoles: Set<EntityType.PastRole> = []) {
    self.document = document
    self.operation = operation
    name = document.operationName(operation)
    structural = query.structuralParameters
    let definition = document.definition(operation)
    explanation = ExplanationRequest(definition)
    hasSegments = !query.segments.isEmpty || definition.operation == .mutation
    self.pastRoles = pastRoles
    isSegmented =
      !query.segments.isEmpty || definition.operation == .mutation || explanation != nil || !pastRoles.isEmpty
    var cache = PlanCache()
    if structural.isEmpty, !isSegmented {
      cache.insert(
        PlanCache.Entry(query: query), shape: StructuralShape([:], of: []), catalogVersion: query.catalogVersion)
    }
    plans = Lock(cache)
  }

  /// Indicates whether texts of its shape may run with it.
  var isSharable: Bool { structural.isEmpty && !isSegmented }

  /// False at the first call: most texts that a program runs once are not worth what makes later runs quick.
  func hasRunBefore() -> Bool { runs.exchange(true, ordering: .relaxed) }
}
