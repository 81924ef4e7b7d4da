import GQLBase
import GQLCatalog
import GQLStore

extension Execution {
  /// A build side of a semi-join, computed once a run, and not before it is needed: a field that is skipped may be all
  /// that uses it.
  @inline(__always)
  func builtRowSet(_ index: Int) throws(RuntimeProblem) -> RowSetState {
    let state = rowSets[index]
    if state.run != run { try build(executable._withUnsafeGuaranteedRef { $0.rowSets[index] }, state) }
    return state
  }

  @inline(never)
  private func build(_ compiled: CompiledRowSet, _ state: RowSetState) throws(RuntimeProblem) {
    state.expansion.removeAll()
    state.expansion.offsets.append(0)
    try append(compiledSet(compiled.set), .root, into: &state.expansion)
    state.bits.clear(rows: snapshot.slotCount(compiled.type))
    for route in compiled.routes {
      if route.isEmpty { state.bits.insert(state.expansion.rows.base, state.expansion.rows.count) }
      var rows = RowBuffer()
      for (number, relation) in route.enumerated() {
        try checkpoint()
        let count = number == 0 ? state.expansion.rows.count : rows.count
        if number == route.count - 1 {
          try mark(relation, number == 0 ? state.expansion.rows.base : rows.base, count, in: state.bits)
          continue
        }
        var targets = BitMemory()
        targets.clear(rows: snapshot.slotCount(relation.target))
        try mark(relation, number == 0 ? state.expansion.rows.base : rows.base, count, in: targets)
        rows.removeAll()
        targets.collect(into: &rows)
      }
    }
    state.run = run
  }

  private func mark(
    _ relation: RelationAccess, _ rows: UnsafePointer<UInt32>, _ count: Int, in bits: borrowing BitMemory
  ) throws(RuntimeProblem) {
    let reader = readers[relation.reader]
    guard relation.isToMany else {
      for index in 0..<count {
        let target = reader.reference(rows[index])
        if target != PageLayout.noRow { bits.insert(target) }
      }
      return
    }
    var start = 0
    while start < count {
      try checkpoint()
      let end = min(start + ScopeRows.batchRows, count)
      warmRuns(reader, rows + start, end - start)
      for index in start..<end { for target in reader.references(rows[index]) { bits.insert(target) } }
      start = end
    }
  }
}

/// A ``RowSetPlan`` made ready to run.
struct CompiledRowSet {
  var set: Int
  var type: EntityTypeID
  var routes: [[RelationAccess]]
}
