import GQLCatalog

/// A list of the entities that a merge cannot bring back, each told once.
struct RefusedRestorations {
  private let merge: VersionMerge
  private var noted: Set<DeletedRow> = []

  init(of merge: VersionMerge) { self.merge = merge }

  /// Notes why an entity cannot come back. The reason may be another one, which would come back with it.
  mutating func note(_ row: DeletedRow, _ problem: StoreProblem, allowsTheirs: Bool = true) throws(StoreProblem) {
    let layout = merge.layout
    let (kind, refused, column, theirRow): (StoreConflict.Kind, DeletedRow, ColumnID?, UInt32?)
    switch problem {
    case .uniqueViolation(let index, let existing, let other):
      guard let place = layout.places[Int(index.index)] else { throw problem }
      refused = DeletedRow(type: layout.types[place.type].id, row: other ?? row.row)
      (kind, column, theirRow) = (.key, merge.keyColumn(index), existing)
    case .requiredReference(let relation, let other):
      refused = DeletedRow(type: layout[relation].source, row: other)
      (kind, column, theirRow) = (.required, layout[relation].column, nil)
    default: throw problem
    }
    if refused == row || isNamed(refused) {
      guard noted.insert(refused).inserted else { return }
      merge.note(kind, refused, column, theirRow: theirRow, allowsMine: false, allowsTheirs: allowsTheirs)
    } else {
      merge.note(kind, row, nil, allowsMine: false, allowsTheirs: allowsTheirs)
    }
  }

  /// Returns whether a conflict can name a row: an object is its owner's, and a new one of the other side has no number
  /// here.
  private func isNamed(_ row: DeletedRow) -> Bool {
    !merge.isNew(row) && !merge.isMirrored(row.type) && !merge.layout.types[Int(row.type.index)].isElement
  }
}
