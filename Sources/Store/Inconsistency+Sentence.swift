import GQLCatalog

extension Inconsistency {
  /// Returns what is wrong as a sentence, with names of the schema and keys of entities.
  package func sentence(in snapshot: Snapshot) -> String {
    let names = InconsistencyNames(snapshot)
    switch self {
    case .indexEntry(let index, let row):
      let type = snapshot.catalog[index].type
      return "\(names.index(index)) has \(names.entity(type, row)) in a wrong place, or not at all"
    case .indexCount(let index, let expected, let found):
      return "\(names.index(index)) counts \(found), and there are \(expected)"
    case .indexStructure(let index): return "the pages of \(names.index(index)) do not hang together"
    case .oneSidedLink(let relation, let source, let target):
      return "\(names.link(relation, source, target)) has no counterpart there"
    case .repeatedLink(let relation, let source, let target):
      return "\(names.link(relation, source, target)) stands twice"
    case .deletedSource(let relation, let source):
      return "\(names.source(relation, source)) is deleted and still has links in '\(names.relation(relation))'"
    case .missingLink(let relation, let source):
      return "\(names.source(relation, source)) must have '\(names.relation(relation))' and has none"
    case .missingValue(let type, let column, let row):
      return "\(names.entity(type, row)) must have '\(names.column(type, column))' and has none"
    case .nullCount(let type, let column, let expected, let found):
      return "'\(names.column(type, column))' counts \(found) nulls, and there are \(expected)"
    case .validity(let type, let column, let row):
      return "'\(names.column(type, column))' of \(names.entity(type, row)) is null and has a value at once"
    case .absentObject(let type, let column, let row):
      return "\(names.entity(type, row)) has a value in '\(names.column(type, column))' of an object that is not there"
    case .foldedText(let type, let column, let row):
      return "the folded text of '\(names.column(type, column))' of \(names.entity(type, row)) does not fit its text"
    case .liveCount(let type, let expected, let found):
      return "'\(snapshot.catalog[type].name)' counts \(found) entities, and there are \(expected)"
    case .ascendingFlag(let type, let column):
      return "'\(names.column(type, column))' is said to ascend, and does not"
    case .linkCount(let relation, let expected, let found):
      return "'\(names.relation(relation))' counts \(found) links, and there are \(expected)"
    case .mirror(let type, let row):
      return "\(names.entity(type, row)) stands wrongly in the lists of its interfaces and unions"
    case .deletedRow(let type, let row):
      return "\(names.entity(type, row)) stands wrongly in the list of deleted entities"
    case .suspendedLink(let relation, let source, let target):
      return "\(names.link(relation, source, target)), to a deleted entity, is out of place"
    }
  }
}

/// The names that a sentence on an inconsistency has.
private struct InconsistencyNames {
  private let snapshot: Snapshot

  init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  func index(_ id: IndexID) -> String {
    let index = snapshot.catalog[id]
    let type = snapshot.catalog[index.type]
    let columns = index.columns.map { type[type[$0].foldedFrom ?? $0].name }
    return "the index of '\(type.name)' on '\(columns.joined(separator: ", "))'"
  }

  func column(_ type: EntityTypeID, _ column: ColumnID) -> String {
    let type = snapshot.catalog[type]
    // A hidden column of folded texts has the name of its field.
    return "\(type.name).\(type[type[column].foldedFrom ?? column].name)"
  }

  func relation(_ id: RelationID) -> String {
    let relation = snapshot.catalog[id]
    return column(relation.source, relation.column)
  }

  func source(_ id: RelationID, _ row: UInt32) -> String { entity(snapshot.catalog[id].source, row) }

  func link(_ id: RelationID, _ source: UInt32, _ target: UInt32) -> String {
    let relation = snapshot.catalog[id]
    return
      "the link in '\(self.relation(id))' of \(entity(relation.source, source)) to \(entity(relation.target, target))"
  }

  /// Returns an entity's type and key, or the number of its row where it has none.
  func entity(_ type: EntityTypeID, _ row: UInt32) -> String {
    let entity = snapshot.catalog[type]
    let isThere = Int(row) < snapshot.slotCount(type) && (snapshot.isLive(type, row) || snapshot.isDeleted(type, row))
    guard isThere, !entity.indexes.isEmpty else { return "'\(entity.name)' in row \(row)" }
    let values = snapshot.catalog[entity.primaryIndex].columns.map { column in
      let shown = entity[column].foldedFrom ?? column
      return StoreMessages.show(snapshot.column(type, shown), row, entity[shown], snapshot.catalog)
    }
    return "'\(entity.name)' \(values.joined(separator: ", "))"
  }
}
