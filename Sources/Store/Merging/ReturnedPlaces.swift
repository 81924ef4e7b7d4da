import GQLCatalog

/// The lists of entities that lead to what comes back as another row: it stands there where it stands with me.
struct ReturnedPlaces {
  typealias Row = DeletedRow

  private let merge: VersionMerge

  init(of merge: VersionMerge) { self.merge = merge }

  /// Returns whether a list of mine leads to what comes back as another row.
  func isIn(_ targets: [UInt32], of relation: Relation) -> Bool {
    !merge.reinserted.isEmpty
      && targets.contains { merge.reinserted.contains(Row(type: relation.target, row: $0)) }
  }

  /// Returns the rows with such lists, whether I have changed them or not.
  func holders() -> Set<Row> {
    var result: Set<Row> = []
    for row in merge.reinserted {
      for relation in merge.layout.types[Int(row.type.index)].relations {
        let list = merge.layout[relation.inverse]
        guard list.isToMany, !list.isMirror, !relation.isMirror else { continue }
        for holder in merge.targets(merge.versions.mine, relation, row.row) {
          result.insert(Row(type: list.source, row: holder))
        }
      }
    }
    return result
  }
}
