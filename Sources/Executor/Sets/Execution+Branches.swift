import GQLCatalog
import GQLStore

/// Fields of an interface: each of its types has a relation for it, and an entity is of one type.
extension Execution {
  /// The targets of whichever relation has some, for all elements together.
  func appendBranches(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    if try appendRememberedSlices(set, scopes, into: &result) { return }
    let first = result.rows.count
    let firstOffset = result.offsets.count
    result.offsets.reserve(scopes.count)
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      for child in set.access.children { try appendBranch(child, scopes, element, into: &result.rows) }
      try end(&result, &watch)
    }
    note(set, accessRows: result.rows.count - first)
    try filter(set, state, scopes, &result, from: first, firstOffset: firstOffset)
    try arrange(set, state, scopes, &result, from: first, firstOffset: firstOffset)
  }

  /// Appends the targets of one relation, each as the row that stands for it.
  func appendBranch(
    _ node: AccessNode, _ scopes: ScopeRows, _ element: Int, _ status: LinkStatus? = nil, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let start = rows.count
    try appendLinks(
      node.relation, status ?? node.relation.status, resolve(node.reference, scopes, element), into: &rows)
    guard !node.casts.isEmpty else { return }
    var written = start
    for index in start..<rows.count {
      let target = rows[index]
      for path in node.casts {
        var row = target
        for slot in path where row != PageLayout.noRow { row = readers[slot].reference(row) }
        if row == PageLayout.noRow { continue }
        rows.base[written] = row
        written += 1
        break
      }
    }
    rows.count = written
  }

  /// What an element is linked to, in order, where places are counted by links; those of an interface's field are
  /// gathered in `memory`.
  func links(
    _ node: AccessNode, _ outer: ScopeRows, _ memory: inout RowBuffer
  ) throws(RuntimeProblem) -> UnsafeBufferPointer<UInt32> {
    let none = UnsafeBufferPointer<UInt32>(start: nil, count: 0)
    switch node.kind {
    case .relation:
      let row = resolve(node.reference, outer, 0)
      return node.relation.isToMany && row != PageLayout.noRow ? readers[node.relation.reader].references(row) : none
    case .groupMembers: return node.keepsLinkOrder ? groupMembers(node, outer, 0) : none
    case .branches:
      memory.removeAll()
      for child in node.children {
        // Among all links a member has its place whatever becomes of it.
        try appendBranch(child, outer, 0, child.relation.status == .live ? .live : .any, into: &memory)
      }
      return UnsafeBufferPointer(start: UnsafePointer(memory.base), count: memory.count)
    default: return none
    }
  }
}
