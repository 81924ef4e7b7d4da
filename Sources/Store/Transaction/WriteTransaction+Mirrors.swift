import GQLCatalog

/// An entity of a member of interfaces and unions has a mirrored row in each: inserted with it, here, and deleted with
/// it by the cascading relations between the two. Nothing else writes them.
extension WriteTransaction {
  /// Adds the mirrored rows of an entity that was just inserted, and links them.
  func insertMirrors(_ table: Table, _ row: UInt32) {
    for mirror in table.layout.mirrors {
      let abstract = ownedTable(mirror.target)
      let mirrored = UInt32(truncatingIfNeeded: abstract.slots)
      abstract.ownColumns()
      for column in abstract.columns { column.append(nil) }
      if abstract.liveness != nil { abstract.ownedLiveness().append(Cell(low: 1)) }
      abstract.slots += 1
      abstract.live += 1
      let down = layout[mirror.inverse]
      abstract.ownedColumn(Int(down.column.index)).writeRaw(mirrored, Cell(low: UInt64(row)))
      table.ownedColumn(Int(mirror.column.index)).writeRaw(row, Cell(low: UInt64(mirrored)))
    }
  }

  /// The row that mirrors an entity in an interface or union that its type belongs to. Complexity: O(memberships).
  package func mirroredRow(_ type: EntityTypeID, _ row: UInt32, in abstract: EntityTypeID) -> UInt32? {
    guard let mirror = layout.types[Int(type.index)].mirrors.first(where: { $0.target == abstract }) else { return nil }
    return mirroredRow(mirror, row)
  }

  func mirroredRow(_ mirror: Relation, _ row: UInt32) -> UInt32 {
    table(mirror.source).columns[Int(mirror.column.index)].reader.reference(row)
  }

  /// The entity that a row of an interface or union mirrors.
  package func entity(of abstract: EntityTypeID, _ row: UInt32) -> (type: EntityTypeID, row: UInt32)? {
    for member in layout.types[Int(abstract.index)].members {
      let target = table(abstract).columns[Int(member.column.index)].reader.reference(row)
      if target != PageLayout.noRow { return (member.target, target) }
    }
    return nil
  }
}
