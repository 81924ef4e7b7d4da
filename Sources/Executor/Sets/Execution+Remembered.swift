import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

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
      try appendRemembered(relation, status, row, into: &rows)
    }
  }

  @inline(never)
  private func appendRemembered(
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

  /// Appends each element's slice of a relation in link order, without a look at what is behind it; false if the set is
  /// no such slice.
  func appendRememberedSlices(
    _ set: CompiledSet, _ scopes: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) -> Bool {
    guard set.isPlain, set.order == nil, set.bounds != nil, set.access.children.count == 1,
      let node = set.access.children.first, node.casts.isEmpty, node.relation.status != .live
    else { return false }
    let first = result.rows.count
    let vectors = try set.bounds?.vectors(scopes, self)
    result.offsets.reserve(scopes.count)
    for element in 0..<scopes.count {
      let slice = try slice(set, vectors, element, of: scopes)
      try appendRemembered(
        node.relation, node.relation.status, resolve(node.reference, scopes, element), from: slice.offset,
        limit: slice.limit, into: &result.rows)
      result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
      if element & 63 == 63 { try checkMemory(result.rows.count &* 4) }
    }
    note(set, accessRows: result.rows.count - first)
    return true
  }

  /// Found once a run.
  private func remembered(_ id: RelationID) -> RememberedLinks? {
    for known in remembered where known.relation == id { return known.links }
    let links = snapshot.rememberedLinks(id)
    remembered.append((id, links))
    return links
  }
}

extension AccessNode {
  /// Whether links that sleep are followed.
  var meetsDeleted: Bool {
    relation.status != .live || children.contains { $0.relation.status != .live }
      || routes.contains { $0.contains { $0.status != .live } }
  }
}
