import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The targets of whichever of several relations has some: a field of an interface, each of whose types has a relation
/// for it; also those of one relation with links to deleted entities.
final class Branches: AccessOperator, @unchecked Sendable {
  /// One of the relations.
  struct Branch {
    let relation: RelationAccess
    let reference: CompiledReference
    /// Paths of reader slots to the rows that stand for the targets; none where the targets are wanted.
    let casts: [[Int]]
  }
  private let branches: [Branch]

  init(_ branches: [Branch], _ type: EntityTypeID) {
    self.branches = branches
    super.init(type)
  }

  override var isLinkOrdered: Bool { true }
  override var meetsDeleted: Bool { branches.contains { $0.relation.status != .live } }
  override var countsPlacesByLinks: Bool { branches.contains { $0.relation.isToMany } }
  override var linkDepth: Int { branches.first?.reference.depth ?? 0 }
  override var gathersLinks: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    for branch in branches { try append(branch, branch.relation.status, outer, 0, execution, into: &rows) }
    return false
  }

  override func gatherLists(
    _ set: CompiledSet, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    result.offsets.reserve(scopes.count)
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      for branch in branches {
        try append(branch, branch.relation.status, scopes, element, execution, into: &result.rows)
      }
      try execution.end(&result, &watch)
    }
  }

  /// Appends a slice of the only relation, of remembered links, in their order.
  override func appendSlice(
    _ slice: SliceRange, _ scopes: ScopeRows, _ element: Int, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard branches.count == 1, branches[0].casts.isEmpty, branches[0].relation.status != .live else { return false }
    let relation = branches[0].relation
    let row = execution.resolve(branches[0].reference, scopes, element)
    try execution.appendRestorable(
      relation, relation.status, row, from: slice.offset, limit: slice.limit, into: &rows)
    return true
  }

  /// Appends the targets of one relation, each as the row that stands for it.
  private func append(
    _ branch: Branch, _ status: LinkStatus, _ scopes: ScopeRows, _ element: Int, _ execution: Execution,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let start = rows.count
    let row = execution.resolve(branch.reference, scopes, element)
    try execution.appendLinks(branch.relation, status, row, into: &rows)
    guard !branch.casts.isEmpty else { return }
    var written = start
    for index in start..<rows.count {
      let target = rows[index]
      for path in branch.casts {
        var row = target
        for slot in path where row != PageLayout.noRow { row = execution.readers[slot].reference(row) }
        if row == PageLayout.noRow { continue }
        rows.base[written] = row
        written += 1
        break
      }
    }
    rows.count = written
  }

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    if meetsDeleted { return false }
    for element in 0..<scopes.count {
      counts[element] = branches.reduce(0) {
        $0 + Int64(execution.degree($1.relation, execution.resolve($1.reference, scopes, element)))
      }
    }
    return true
  }

  override func links(
    _ outer: ScopeRows, _ execution: Execution, _ memory: inout RowBuffer
  ) throws(RuntimeProblem) -> UnsafeBufferPointer<UInt32> {
    memory.removeAll()
    for branch in branches {
      // Among all links a member has its place whatever becomes of it.
      let status = branch.relation.status == .live ? LinkStatus.live : .any
      try append(branch, status, outer, 0, execution, into: &memory)
    }
    return UnsafeBufferPointer(start: UnsafePointer(memory.base), count: memory.count)
  }
}

/// Links to deleted entities, and of them.
extension Execution {
  /// Appends the targets of a relation whose links have the status.
  @inline(__always)
  func appendLinks(
    _ relation: RelationAccess, _ status: LinkStatus, _ row: UInt32, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    if status == .live {
      appendTargets(relation, row, from: 0, limit: Int.max, into: &rows)
    } else {
      try appendRestorable(relation, status, row, into: &rows)
    }
  }

  /// Appends a part of the targets of a relation whose links have a status other than live.
  @inline(never)
  func appendRestorable(
    _ relation: RelationAccess, _ status: LinkStatus, _ row: UInt32, from skip: Int = 0, limit: Int = .max,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard row != PageLayout.noRow, limit > 0 else { return }
    guard let links = remembered(relation.id) else {
      if status == .any { appendTargets(relation, row, from: skip, limit: limit, into: &rows) }
      return
    }
    let (end, isAll) = skip.addingReportingOverflow(limit)
    let most = isAll ? Int.max : end
    rows.reserve(min(links.bound(row), most))
    let start = rows.end
    var watch = InterruptionWatch(interruption)
    let count = links.write(row, status, most: most, &watch, into: start)
    if watch.isDue { try checkpoint() }
    try charge(count &* 4)
    guard skip > 0 else { return rows.count += count }
    let kept = max(0, count - skip)
    if kept > 0 { start.update(from: start + skip, count: kept) }
    rows.count += kept
  }
}
