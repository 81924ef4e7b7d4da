import GQLBase
import GQLCatalog
import GQLPlanner
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
    if compiled.relations.isEmpty {
      state.bits.insert(state.expansion.rows.base, state.expansion.rows.count)
    }
    var rows = RowBuffer()
    swap(&rows, &state.expansion.rows)
    for (number, relation) in compiled.relations.enumerated() {
      try checkpoint()
      if number == compiled.relations.count - 1 {
        mark(relation, rows, in: state.bits)
      } else {
        var targets = BitMemory()
        targets.clear(rows: snapshot.slotCount(relation.target))
        mark(relation, rows, in: targets)
        rows.removeAll()
        targets.collect(into: &rows)
      }
    }
    swap(&rows, &state.expansion.rows)
    state.run = run
  }

  private func mark(_ relation: RelationAccess, _ rows: borrowing RowBuffer, in bits: borrowing BitMemory) {
    let reader = readers[relation.reader]
    for index in 0..<rows.count {
      let row = rows[index]
      if relation.isToMany {
        let run = reader.references(row)
        for target in run { bits.insert(target) }
      } else {
        let target = reader.reference(row)
        if target != PageLayout.noRow { bits.insert(target) }
      }
    }
  }
}

/// A ``RowSetPlan`` made ready to run.
struct CompiledRowSet {
  var set: Int
  var type: EntityTypeID
  var relations: [RelationAccess]
}
