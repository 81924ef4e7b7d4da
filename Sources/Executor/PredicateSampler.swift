import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// Estimates predicates by evaluating them on a few hundred live entities, spread evenly over the type.
///
/// Complexity: some microseconds a predicate, whatever the size of the type.
package struct PredicateSampler: SelectivitySampler {
  private let snapshot: Snapshot
  private let parameters: [BoundParameter]
  private let interruption: Interruption?
  private static let sampleRows = 256
  /// Parts of a predicate, or values of a list in it.
  private static let longestSampled = 4096

  /// `parameters` are those of the query whose predicates will be asked about. What the interruption ends is unknown.
  package init(snapshot: Snapshot, parameters: [BoundParameter], interruption: Interruption? = nil) {
    self.snapshot = snapshot
    self.parameters = parameters
    self.interruption = interruption
  }

  package func selectivity(of predicate: BoundExpression, type: EntityTypeID, parameters values: [Value?]) -> Double? {
    let live = snapshot.liveCount(type)
    guard live > 0, values.count == parameters.count, !Self.needsPlan(predicate) else { return nil }
    let catalog = snapshot.catalog
    let query = BoundQuery(name: nil, parameters: parameters, catalogVersion: catalog.version)
    guard let executable = try? Executable(PhysicalPlan(query: query, sets: []), catalog: catalog) else { return nil }
    let execution = Execution(executable, snapshot)
    execution.begin(snapshot, executable)
    execution.bind(values, executable)
    if let interruption {
      execution.limits.deadline = interruption.deadline
      execution.limits.milliseconds = interruption.milliseconds
      execution.cancellation = interruption.cancellation
      if let memory = interruption.memory { execution.limits.maximumMemory = memory.limit }
    }
    defer { execution.end() }

    let slots = snapshot.slotCount(type)
    let wanted = min(slots, Self.sampleRows)
    let rows = UnsafeMutablePointer<UInt32>.allocate(capacity: wanted)
    let hits = UnsafeMutablePointer<UInt16>.allocate(capacity: ScopeRows.batchRows)
    defer {
      rows.deallocate()
      hits.deallocate()
    }
    var count = 0
    for sample in 0..<wanted {
      let row = UInt32(truncatingIfNeeded: sample * slots / wanted)
      if snapshot.isLive(type, row) {
        rows[count] = row
        count += 1
      }
    }
    guard count > 0 else { return nil }
    let program = ExpressionProgram([predicate], catalog: catalog)
    // A predicate that fails on some entity says nothing about the others.
    guard
      let found = try? program.filter(
        ScopeRows(count: count, scopes: [UnsafePointer(rows)]), execution, into: hits)
    else { return nil }
    if count == live { return Double(found) / Double(count) }
    // Why half a hit more: that a sample holds none does not mean that there is none.
    return (Double(found) + 0.5) / Double(count + 1)
  }

  /// Sets are computed by the plan that is only being made.
  private static func needsPlan(_ predicate: BoundExpression) -> Bool {
    var found = false
    var nodes = 0
    predicate.forEachNode { node in
      nodes += 1
      switch node.kind {
      // What is long to make ready costs more than the sample tells.
      case .constant(.list(let values)) where values.count > longestSampled: found = true
      case .quantifier, .aggregate, .inRowSet, .isDeleted, .isInserted, .listCall, .item, .groupAggregate: found = true
      default: break
      }
    }
    return found || nodes > longestSampled
  }
}
