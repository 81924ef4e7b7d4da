import GQLBase
import GQLCatalog
import GQLStore

/// The rows under one key of a hash index, or of a whole key of a B-tree.
final class KeyLookup: IndexedOperator, @unchecked Sendable {
  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    lookup(try scalars.vectors(outer, execution), 0, execution, into: &rows)
    return true
  }

  /// Appends the rows under the key of one element, ascending.
  private func lookup(
    _ vectors: UnsafePointer<Vector>?, _ element: Int, _ execution: Execution, into rows: inout RowBuffer
  ) {
    let count = scalars.count
    withUnsafeTemporaryAllocation(of: Cell.self, capacity: max(count, 1)) { key in
      guard let base = key.baseAddress else { return }
      var nulls = 0
      for component in 0..<count {
        if let cell = scalars.cell(component, vectors, element, execution) {
          base[component] = cell
        } else {
          base[component] = Cell(low: 0)
          nulls |= 1 << component
        }
      }
      if nulls == 0 {
        find(UnsafePointer(base), execution, into: &rows)
      } else if !keysAreNonNull {
        appendWithNulls(base, nulls, execution, into: &rows)
      }
    }
  }

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    if set.isKeyed {
      try countRuns(set, state, scopes, execution, into: counts)
      return true
    }
    let vectors = try scalars.vectors(scopes, execution)
    for element in 0..<scopes.count { counts[element] = Int64(count(vectors, element, execution)) }
    return true
  }

  /// Counts the rows under the key of one element.
  private func count(_ vectors: UnsafePointer<Vector>?, _ element: Int, _ execution: Execution) -> Int {
    let count = scalars.count
    return withUnsafeTemporaryAllocation(of: Cell.self, capacity: max(count, 1)) { key in
      guard let base = key.baseAddress else { return 0 }
      for component in 0..<count {
        guard let cell = scalars.cell(component, vectors, element, execution) else {
          var rows = RowBuffer()
          lookup(vectors, element, execution, into: &rows)
          return rows.count
        }
        base[component] = cell
      }
      return self.count(UnsafePointer(base), count, execution)
    }
  }

  override func estimate(_ execution: Execution) -> Double {
    estimate(execution) { cells in Double(count(cells, scalars.count, execution)) }
  }
}
