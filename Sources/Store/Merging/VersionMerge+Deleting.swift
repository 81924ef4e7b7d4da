import GQLCatalog

/// Deleting and restoring.
extension VersionMerge {
  /// Rows that I have deleted together, and that hang together.
  struct Component {
    var rows: [Row]
    /// The number of my deletion; 0 for those that were erased.
    var group: UInt64

    var isPurged: Bool { group == 0 }
  }

  /// Has what hangs together with an entity that is not deleted stay, too.
  func keep(_ components: [Component]) {
    if kept.isEmpty { return }
    for component in components where component.rows.contains(where: { kept.contains($0) }) { keep(component) }
  }

  private func keep(_ component: Component) {
    ignored.formUnion(component.rows)
    for row in component.rows where image(versions.mine, row).status == RowChangeStatus.void {
      staying.formUnion(withMirrors(row, in: versions.base))
    }
  }

  /// A row with its rows in interfaces and unions, which have links of their own.
  func withMirrors(_ row: Row, in version: Snapshot) -> [Row] {
    let stored = image(version, row)
    return [row]
      + layout.types[Int(row.type.index)].mirrors.compactMap { mirror in
        stored.cell(Int(mirror.column.index)).map {
          Row(type: mirror.target, row: UInt32(truncatingIfNeeded: $0.low))
        }
      }
  }

  /// Deletes what I have deleted: what went together and hangs together, together.
  func deleteAll(_ components: [Component]) throws(StoreProblem) {
    for row in superseded where transaction.isLive(row.type, row.row) {
      try transaction.delete(row.type, rows: [row.row], keeps: false)
    }
    // In the order of my deletions, those for good last: what is deleted already is not deleted, or kept, by another.
    var waiting = components.filter { !ignored.contains($0.rows[0]) }
      .sorted { ($0.group == 0 ? .max : $0.group) < ($1.group == 0 ? .max : $1.group) }
    while !waiting.isEmpty {
      var refused: [(component: Component, problem: StoreProblem)] = []
      for component in waiting {
        do throws(StoreProblem) {
          try delete(component)
        } catch {
          switch error {
          case .denied, .requiredReference: refused.append((component, error))
          default: throw error
          }
        }
      }
      // Some need others to be gone.
      if refused.count < waiting.count {
        waiting = refused.map(\.component)
        continue
      }
      for (component, problem) in refused {
        if case .denied(let relation, let row) = problem {
          let relation = layout[relation]
          note(.denied, Row(type: relation.source, row: row), relation.column, allowsMine: false)
        } else {
          note(.required, component.rows[0], nil, allowsMine: false)
        }
        keep(component)
        try linkStaying(component.rows.flatMap { withMirrors($0, in: versions.base) })
      }
      return
    }
  }

  private func delete(_ component: Component) throws(StoreProblem) {
    let live = component.rows.filter { transaction.isLive($0.type, $0.row) }
    let lists = component.isPurged ? [] : live.filter(hasReplacedLists)
    // What stays keeps its lists.
    let start = lists.isEmpty ? nil : transaction.checkpoint()
    do throws(StoreProblem) {
      for row in lists { try replaceLists(row) }
      if !live.isEmpty { try transaction.delete(live, keeps: !component.isPurged) }
    } catch {
      if let start { transaction.rollback(to: start) }
      throw error
    }
    if !component.isPurged { return }
    for row in component.rows where transaction.isDeleted(row.type, row.row) {
      try transaction.purge(row.type, row.row)
    }
  }

  /// Restores what I have restored, and a deletion of mine has deleted again.
  func restoreKept() throws(StoreProblem) {
    let restored = Set(restorations)
    var noted = RefusedRestorations(of: self)
    for row in changed where transaction.isDeleted(row.type, row.row) && !restored.contains(row) {
      do throws(StoreProblem) {
        try transaction.restore(row.type, row.row)
      } catch {
        try noted.note(row, error, allowsTheirs: false)
      }
    }
  }

  /// Deletes what I have deleted, and what came back with something that I have restored.
  func deleteAgain() throws(StoreProblem) {
    var groups: [UInt64: [Row]] = [:]
    for (group, row) in deletions + deletedAgain where group != 0 && !ignored.contains(row) {
      if transaction.isLive(row.type, row.row) { groups[group, default: []].append(row) }
    }
    for row in myRows where !restorations.isEmpty && hasReturned(row) {
      groups[deletion(row, in: versions.mine), default: []].append(row)
    }
    for (_, rows) in groups.sorted(by: { $0.key < $1.key }) {
      let live = rows.filter { transaction.isLive($0.type, $0.row) }
      if live.isEmpty { continue }
      do throws(StoreProblem) {
        try transaction.delete(live, keeps: true)
      } catch {
        switch error {
        case .denied(let relation, let row):
          let relation = layout[relation]
          note(.denied, Row(type: relation.source, row: row), relation.column, allowsMine: false)
        case .requiredReference: note(.required, live[0], nil, allowsMine: false)
        default: throw error
        }
      }
    }
  }

  /// Returns whether an entity that both sides have deleted has come back with another one.
  private func hasReturned(_ row: Row) -> Bool {
    guard !isNew(row), !isMirrored(row.type), transaction.isLive(row.type, row.row) else { return false }
    return image(base(of: row), row).status == RowChangeStatus.live
      && image(versions.mine, row).status == RowChangeStatus.deleted
      && image(versions.theirs, row).status == RowChangeStatus.deleted
  }

  func components() -> [Component] {
    if deletions.isEmpty { return [] }
    var groups: [Row: UInt64] = [:]
    for deletion in deletions { groups[deletion.row] = deletion.group }
    var result: [Component] = []
    var seen: Set<Row> = []
    for (group, first) in deletions where seen.insert(first).inserted {
      var rows = [first]
      var next = 0
      while next < rows.count {
        let row = rows[next]
        next += 1
        for relation in layout.types[Int(row.type.index)].relations where !relation.isMirror {
          for target in targets(base(of: row), relation, row.row) {
            let found = Row(type: relation.target, row: target)
            if groups[found] == group, seen.insert(found).inserted { rows.append(found) }
          }
        }
      }
      result.append(Component(rows: rows, group: group))
    }
    return result
  }

  /// Gives restored entities the lists of objects that I have written.
  func replaceRestoredLists() throws(StoreProblem) {
    for row in restorations where transaction.isLive(row.type, row.row) && hasReplacedLists(row) {
      try replaceLists(row)
    }
  }

  /// The column of an index that a conflict names.
  func keyColumn(_ index: IndexID) -> ColumnID? {
    guard let place = layout.places[Int(index.index)] else { return nil }
    let type = layout.types[place.type]
    let column = type.indexes[place.index].keys.components[0].column
    return type.columns[column].foldedFrom ?? ColumnID(column)
  }
}
