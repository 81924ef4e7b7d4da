import GQLCatalog
import GQLStore

/// The members of a group of another selection, in the order of its set.
final class GroupMembers: AccessOperator, @unchecked Sendable {
  /// Where the groups of the selection lie.
  private let slot: Int
  private let reference: CompiledReference
  /// The members of groups are targets of a relation of many.
  private let keepsLinkOrder: Bool

  init(_ slot: Int, _ reference: CompiledReference, keepsLinkOrder: Bool, _ type: EntityTypeID) {
    self.slot = slot
    self.reference = reference
    self.keepsLinkOrder = keepsLinkOrder
    super.init(type)
  }

  override var isLinkOrdered: Bool { true }
  override var countsPlacesByLinks: Bool { keepsLinkOrder }
  override var linkDepth: Int { reference.depth }

  @inline(__always)
  private func members(
    _ scopes: ScopeRows, _ element: Int, _ execution: Execution
  ) -> UnsafeBufferPointer<UInt32> {
    let number = execution.resolve(reference, scopes, element)
    guard number != PageLayout.noRow, let state: GroupState = execution.known(slot),
      Int(number) < state.firsts.count
    else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    let start = Int(state.starts.base[Int(number)])
    let end = Int(state.starts.base[Int(number) + 1])
    return UnsafeBufferPointer(start: state.listed.base + start, count: end - start)
  }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let list = members(outer, 0, execution)
    if let start = list.baseAddress { rows.append(start, list.count) }
    return list.count < 2
  }

  override func gatherLists(
    _ set: CompiledSet, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      _ = try appendSlice(SliceRange(), scopes, element, execution, into: &result.rows)
      try execution.end(&result, &watch)
    }
  }

  override func appendSlice(
    _ slice: SliceRange, _ scopes: ScopeRows, _ element: Int, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let list = members(scopes, element, execution)
    if let start = list.baseAddress, slice.offset < list.count {
      rows.append(start + slice.offset, min(list.count - slice.offset, slice.limit))
    }
    return true
  }

  override func links(
    _ outer: ScopeRows, _ execution: Execution, _ memory: inout RowBuffer
  ) throws(RuntimeProblem) -> UnsafeBufferPointer<UInt32> {
    keepsLinkOrder ? members(outer, 0, execution) : UnsafeBufferPointer(start: nil, count: 0)
  }
}
