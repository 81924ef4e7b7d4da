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
  /// Rows on which several conditions are tested together.
  private static let jointRows = 512
  /// Of so many rows for which all conditions hold the values are read.
  private static let mostValues = 64
  /// Parts of a predicate, or values of a list in it.
  private static let longestSampled = 4096

  /// `parameters` are those of the query whose predicates will be asked about. What the interruption ends is unknown.
  package init(snapshot: Snapshot, parameters: [BoundParameter], interruption: Interruption? = nil) {
    self.snapshot = snapshot
    self.parameters = parameters
    self.interruption = interruption
  }

  package func selectivity(of predicate: BoundExpression, type: EntityTypeID, parameters values: [Value?]) -> Double? {
    guard !Self.needsPlan(predicate) else { return nil }
    return withRows(of: type, upTo: Self.sampleRows, values) { rows, execution in
      let hits = UnsafeMutablePointer<UInt16>.allocate(capacity: ScopeRows.batchRows)
      defer { hits.deallocate() }
      // A predicate that fails on some entity says nothing about the others.
      guard let found = Self.test(predicate, rows, execution, into: hits, snapshot.catalog) else { return nil }
      if rows.count == snapshot.liveCount(type) { return Double(found) / Double(rows.count) }
      // Why half a hit more: that a sample holds none does not mean that there is none.
      return (Double(found) + 0.5) / Double(rows.count + 1)
    }
  }

  package func sample(
    _ conditions: [BoundExpression], valuesOf column: ColumnID?, type: EntityTypeID, parameters values: [Value?]
  ) -> RowSample? {
    guard !conditions.isEmpty, conditions.count <= RowSample.mostConditions else { return nil }
    return withRows(of: type, upTo: Self.jointRows, values) { rows, execution in
      let hits = UnsafeMutablePointer<UInt16>.allocate(capacity: ScopeRows.batchRows)
      defer { hits.deallocate() }
      var sample = RowSample()
      sample.masks = [UInt64](repeating: 0, count: rows.count)
      for (number, condition) in conditions.enumerated() where !Self.needsPlan(condition) {
        guard let found = Self.test(condition, rows, execution, into: hits, snapshot.catalog) else { continue }
        sample.tested |= 1 << UInt64(number)
        for hit in 0..<found { sample.masks[Int(hits[hit])] |= 1 << UInt64(number) }
      }
      guard sample.tested != 0 else { return nil }
      let matching = sample.masks.indices.filter { sample.masks[$0] == sample.tested }
      let step = max(1, (matching.count + Self.mostValues - 1) / Self.mostValues)
      sample.matches = stride(from: 0, to: matching.count, by: step).map { (matching[$0], .null) }
      if let column { read(column, of: type, rows, execution, into: &sample) }
      return sample
    }
  }

  /// Reads a column of the rows for which all conditions hold.
  private func read(
    _ column: ColumnID, of type: EntityTypeID, _ rows: UnsafeBufferPointer<UInt32>, _ execution: Execution,
    into sample: inout RowSample
  ) {
    guard !sample.matches.isEmpty else { return }
    let value = snapshot.catalog[type][column].type
    let expression = BoundExpression(.column(.scope(0, type), column), value, at: SourceRange(at: 0))
    let program = ExpressionProgram([expression], catalog: snapshot.catalog)
    let wanted = sample.matches.map { rows[$0.place] }
    wanted.withUnsafeBufferPointer { wanted in
      guard let base = wanted.baseAddress,
        let vectors = try? program.evaluate(ScopeRows(count: wanted.count, scopes: [base]), execution)
      else { return }
      for place in wanted.indices where !vectors[0].isNull(place) {
        sample.matches[place].value = CellValue.value(vectors[0].cell(place), value)
      }
    }
  }

  /// Returns how many of the rows satisfy a condition, whose places are written to `hits`; nil if it fails for one.
  private static func test(
    _ condition: BoundExpression, _ rows: UnsafeBufferPointer<UInt32>, _ execution: Execution,
    into hits: UnsafeMutablePointer<UInt16>, _ catalog: Catalog
  ) -> Int? {
    guard let base = rows.baseAddress else { return nil }
    let program = ExpressionProgram([condition], catalog: catalog)
    return try? program.filter(ScopeRows(count: rows.count, scopes: [base]), execution, into: hits)
  }

  /// Calls `body` with live rows, ascending, if there are any, and an execution for expressions over them.
  private func withRows<Result>(
    of type: EntityTypeID, upTo most: Int, _ values: [Value?],
    _ body: (UnsafeBufferPointer<UInt32>, Execution) -> Result?
  ) -> Result? {
    guard snapshot.liveCount(type) > 0, values.count == parameters.count else { return nil }
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
    let wanted = min(slots, most)
    let rows = UnsafeMutablePointer<UInt32>.allocate(capacity: wanted)
    defer { rows.deallocate() }
    var count = 0
    for sample in 0..<wanted {
      let row = UInt32(truncatingIfNeeded: sample * slots / wanted)
      if snapshot.isLive(type, row) {
        rows[count] = row
        count += 1
      }
    }
    return count > 0 ? body(UnsafeBufferPointer(start: rows, count: count), execution) : nil
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
      case .quantifier, .aggregate, .inRowSet, .isDeleted, .isInserted, .host, .listCall, .item, .groupAggregate:
        found = true
      default: break
      }
    }
    return found || nodes > longestSampled
  }
}
