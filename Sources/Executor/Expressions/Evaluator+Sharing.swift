import GQLBase
import GQLCatalog
import GQLStore

/// Elements whose set is found under the same key have the same members; what a call says of them is computed once
/// for each key of a batch. It is computed once for the run where the set hangs on nothing around it.
extension Evaluator {
  /// Writes what a call says to all elements where it says the same of all; false where it may not.
  ///
  /// Computes a value that is whole in its cell once for the run. A text or a list lies in memory of the batch, and is
  /// computed once for the batch.
  func once(
    _ node: Node, _ kind: ColumnKind, _ out: Vector,
    _ compute: (borrowing Evaluator, Vector) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) -> Bool {
    guard node.flag, count > 0 else { return false }
    let box = block.expansions[Int(node.entity)]
    let isKnown = box.valueRun == execution.run
    // A single element is no reason to share.
    guard isKnown || count > 1, !execution.compiledSet(Int(node.index)).isCorrelated else { return false }
    if isKnown {
      if let value = box.value { store(value, out, 0) } else { setNull(out, 0) }
    } else {
      try compute(over(batch.slice(0, 1)), out)
      if kind.isWhole {
        box.value = out.isNull(0) ? nil : out.cell(0)
        box.valueRun = execution.run
      }
    }
    for element in 1..<count { copy(out, 0, to: out, element) }
    return true
  }

  /// The first element of each key as a batch of its own, and for each element its place in that batch; nil where
  /// that would not pay.
  func shared(_ node: Node) throws(RuntimeProblem) -> (batch: Batch, places: UnsafePointer<UInt16>)? {
    let set = execution.compiledSet(Int(node.index))
    guard node.flag, set.dependsOnKeyOnly, count > 1, !set.keysFail(batch.scopes, execution) else { return nil }
    let state = execution.sets[set.id]
    let runs = try set.access.keyRuns(set, state, batch.scopes, execution)
    var total = 0
    for element in 0..<count { total &+= runs[element].count }
    guard total > 8 &* count else { return nil }
    let slotCount = ScopeRows.batchRows * 4
    let mark = execution.scratch.allocate(UInt32.self, count: slotCount * 2)
    // Row and one, so that 0 is free; then the place.
    mark.update(repeating: 0, count: slotCount)
    let places = execution.scratch.allocate(UInt16.self, count: count)
    let firsts = execution.scratch.allocate(UInt16.self, count: count)
    var found = 0
    for element in 0..<count {
      let row = runs[element].count == 0 ? PageLayout.noRow : set.access.rows(runs[element], execution)[0]
      let key = row &+ 2
      var slot = Int(row &* 0x9E37_79B1) & (slotCount - 1)
      while mark[slot] != 0, mark[slot] != key { slot = (slot &+ 1) & (slotCount - 1) }
      if mark[slot] == 0 {
        mark[slot] = key
        mark[slotCount + slot] = UInt32(truncatingIfNeeded: found)
        firsts[found] = UInt16(truncatingIfNeeded: element)
        found += 1
      }
      places[element] = UInt16(truncatingIfNeeded: mark[slotCount + slot])
    }
    guard found * 2 < count else { return nil }
    var scopes = ContiguousArray<UnsafePointer<UInt32>>()
    for scope in batch.scopes.scopes {
      let rows = execution.scratch.allocate(UInt32.self, count: found)
      for index in 0..<found { rows[index] = scope[Int(firsts[index])] }
      scopes.append(UnsafePointer(rows))
    }
    return (Batch(ScopeRows(count: found, scopes: scopes)), UnsafePointer(places))
  }

  /// Values of the first elements to all elements. From the end, as no place is behind its element.
  func scatter(_ places: UnsafePointer<UInt16>, _ out: Vector) {
    for element in stride(from: count - 1, through: 0, by: -1) { copy(out, Int(places[element]), to: out, element) }
  }
}
