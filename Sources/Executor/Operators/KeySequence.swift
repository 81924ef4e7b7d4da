import GQLCatalog
import GQLQuery
import GQLStore

/// The rows under the keys of a list, in its order, each as often as its key; keys of no row are passed over.
final class KeySequence: IndexedOperator, @unchecked Sendable {
  private let element: ValueType

  init(_ index: IndexDescriptor, _ list: BoundExpression, _ compiler: inout PlanCompiler) {
    if case .list(let element) = list.type { self.element = element } else { element = list.type }
    super.init(index, ScalarSources([list], compiler), keysAreNonNull: true, &compiler)
  }

  override var isLinkOrdered: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let list = scalars.cell(0, try scalars.vectors(outer, execution), 0, execution) else { return true }
    let run = ListRun(list, element)
    let key = state.keys.room(for: Cell.self, count: 1)
    for place in 0..<run.count where !run.isNull(place) {
      key.pointee = run.cell(place)
      find(UnsafePointer(key), execution, into: &rows)
      if place & 1023 == 1023 { try execution.checkpoint() }
    }
    return run.count < 2
  }
}
