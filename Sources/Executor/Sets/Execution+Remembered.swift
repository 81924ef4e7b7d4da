import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// Links to deleted entities, and of them.
extension Execution {
  /// Appends the targets of a relation whose links have the status.
  @inline(__always)
  func appendLinks(_ relation: RelationAccess, _ status: LinkStatus, _ row: UInt32, into rows: inout RowBuffer) {
    if status == .live {
      appendTargets(relation, row, from: 0, limit: Int.max, into: &rows)
    } else {
      appendRemembered(relation, status, row, into: &rows)
    }
  }

  @inline(never)
  private func appendRemembered(
    _ relation: RelationAccess, _ status: LinkStatus, _ row: UInt32, into rows: inout RowBuffer
  ) {
    guard row != PageLayout.noRow else { return }
    guard let links = remembered(relation.id) else {
      if status == .any { appendTargets(relation, row, from: 0, limit: Int.max, into: &rows) }
      return
    }
    rows.reserve(links.bound(row))
    rows.count += links.write(row, status, into: rows.end)
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
  var meetsDeleted: Bool { relation.status != .live || children.contains { $0.relation.status != .live } }
}
