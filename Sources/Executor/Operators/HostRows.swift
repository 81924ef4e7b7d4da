import GQLCatalog
import GQLStore

/// The rows that code of the embedding program finds, in their order.
final class HostRows: AccessOperator, @unchecked Sendable {
  private let number: Int

  init(_ number: Int, _ type: EntityTypeID) {
    self.number = number
    super.init(type)
  }

  override var isLinkOrdered: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let found = try execution.host.required.rows(number)
    found.withUnsafeBufferPointer { found in
      if let start = found.baseAddress { rows.append(start, found.count) }
    }
    return found.count < 2
  }
}
