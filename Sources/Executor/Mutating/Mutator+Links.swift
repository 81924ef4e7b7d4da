import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Links, when all rows are in; then what must be complete.
extension Mutator {
  /// Links what the records say, in their order.
  func link(_ program: MutationProgram, _ execution: Execution) throws(MutationProblem) {
    if stage.links.isEmpty { return }
    try leaveLists(program, execution)
    let layouts = program.layouts
    for number in 0..<stage.links.count {
      try checkpoint(at: number, execution)
      let link = stage.links[number]
      let relation = catalog[link.relation]
      guard isApplied(link, relation, layouts) else {
        try dropElements(link, relation, layouts)
        continue
      }
      let record = stage.records[link.record]
      var mode = link.mode
      if mode == .assign { mode = record.appends && !link.isWithin ? .append : .set }
      linkList.removeAll()
      for place in link.targets {
        try checkpoint(at: place, execution)
        if let row = try resolve(stage.targets[place], relation, layouts) { linkList.append(row) }
      }
      if link.isWithin, relation.isRequired, linkList.rows.isEmpty, isPresent(relation, record) {
        let layout = layouts[record.type]
        throw problem(
          .missingValue(type: layout.name, field: layout.name(of: relation), entity: entity(record)), at: link.origin)
      }
      // Another entity may have taken the place of the only target, and its unique value, meanwhile.
      if linkList.rows.isEmpty, !link.isNull, !relation.isToMany { continue }
      change()
      do {
        try transaction.write(linkList, of: relation, from: record.row, mode: mode)
      } catch {
        throw problem(error, at: link.origin)
      }
    }
  }

  private func isApplied(_ link: RecordStage.Link, _ relation: Relation, _ layouts: EntityLayouts) -> Bool {
    let record = stage.records[link.record]
    guard !record.isSkipped, record.row != PageLayout.noRow, transaction.isLive(record.type, record.row) else {
      return false
    }
    if link.isWithin {
      // Of an object that says nothing, or only fills, nothing is written.
      guard record.keepsForNull || record.fillsOnly,
        let presence = layouts[record.type].presence[Int(relation.column.index)]
      else { return true }
      return stage.given[record.base + presence] && stage.valid[record.base + presence]
    }
    if link.isNull, record.keepsForNull { return false }
    return !(record.fillsOnly && link.mode == .assign && !isEmpty(relation, record.row))
  }

  private func isPresent(_ relation: Relation, _ record: RecordStage.Record) -> Bool {
    guard let presence = relation.presence else { return true }
    return stage.valid[record.base + Int(presence.index)]
  }

  private func isEmpty(_ relation: Relation, _ row: UInt32) -> Bool {
    let reader = transaction.column(relation.source, relation.column)
    return relation.isToMany ? reader.references(row).isEmpty : reader.reference(row) == PageLayout.noRow
  }

  // MARK: - Targets

  /// Returns the row that a target is in the relation's target type; nil for one that another of the records took away.
  private func resolve(
    _ target: RecordStage.Target, _ relation: Relation, _ layouts: EntityLayouts
  ) throws(MutationProblem) -> UInt32? {
    let found = layouts.find(target, of: relation, in: stage, transaction)
    if case .row(let row) = found { return row }
    guard case .key(let key, let source) = target else { return nil }
    let field = "\(catalog[relation.source].name).\(name(relation))"
    let id = json(key, keyType(relation.target))
    switch found {
    case .row, .gone: return nil
    case .absent: throw problem(.unknownID(type: catalog[relation.target].name, field: field, id: id), at: source)
    case .ambiguous(let types):
      throw problem(.ambiguousLink(field: field, id: id, types: types.map { catalog[$0].name }), at: source)
    }
  }

  // MARK: - Writing

  /// Links above which a list is gone through once for all that leave it.
  private static var longList: Int { 256 }

  /// Takes entities that the records give another target out of long lists, before it is done one by one.
  private func leaveLists(_ program: MutationProgram, _ execution: Execution) throws(MutationProblem) {
    guard stage.records.count > 1 else { return }
    var moves: [(relation: RelationID, sources: [UInt32], origin: RecordStage.Origin)] = []
    for (number, link) in stage.links.enumerated() {
      try checkpoint(at: number, execution)
      let relation = catalog[link.relation]
      guard !relation.isToMany, link.targets.count == 1, link.mode != .remove, catalog[relation.inverse].isToMany,
        isApplied(link, relation, program.layouts)
      else { continue }
      let source = stage.records[link.record].row
      let old = transaction.column(relation.source, relation.column).reference(source)
      guard old != PageLayout.noRow, transaction.listedCount(relation.inverse, old) > Self.longList,
        // What is wrong with a target is said in its turn.
        let target = try? resolve(stage.targets[link.targets.lowerBound], relation, program.layouts), target != old
      else { continue }
      if let place = moves.firstIndex(where: { $0.relation == relation.id }) {
        moves[place].sources.append(source)
      } else {
        moves.append((relation.id, [source], link.origin))
      }
    }
    for move in moves where move.sources.count > 1 {
      change()
      do {
        try transaction.leaveLists(move.relation, sources: move.sources)
      } catch {
        throw problem(error, at: move.origin)
      }
    }
  }

  /// Takes back the elements of a list that is not written after all.
  private func dropElements(
    _ link: RecordStage.Link, _ relation: Relation, _ layouts: EntityLayouts
  ) throws(MutationProblem) {
    guard layouts[relation.target].isElement else { return }
    var rows: [UInt32] = []
    for target in stage.targets[link.targets] {
      if case .record(let number) = target, stage.records[number].row != PageLayout.noRow {
        rows.append(stage.records[number].row)
      }
    }
    if rows.isEmpty { return }
    change()
    do {
      try transaction.delete(relation.target, rows: rows, keeps: false)
    } catch {
      throw problem(error, at: link.origin)
    }
  }

  // MARK: - Completeness

  func checkComplete(_ program: MutationProgram, _ execution: Execution) throws(MutationProblem) {
    for (place, number) in incomplete.enumerated() {
      try checkpoint(at: place, execution)
      let record = stage.records[number]
      let layout = program.layouts[record.type]
      guard record.row != PageLayout.noRow, transaction.isLive(record.type, record.row) else { continue }
      switch layout.missingField(of: record.row, in: transaction) {
      case .column(let column): throw missing(column, record, layout)
      case .relation(let relation):
        throw problem(
          .missingValue(type: layout.name, field: layout.name(of: relation), entity: entity(record)), at: record.origin)
      case nil: break
      }
    }
  }

  /// The id of a record's entity; nil for an element of a list, which has none.
  private func entity(_ record: RecordStage.Record) -> String? {
    catalog[record.type].isElement ? nil : identity(record.type, record.row)
  }
}
