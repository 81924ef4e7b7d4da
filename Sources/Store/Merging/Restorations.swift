import GQLCatalog

/// The entities that a merge restores, each as soon as what it must lead to is there.
struct Restorations {
  typealias Row = DeletedRow

  private let merge: VersionMerge
  private let coming: Set<Row>
  /// By what is deleted: those that could not come back without it.
  private var waiting: [Row: [Row]] = [:]
  private var refused: [Row: StoreProblem] = [:]
  private var transaction: WriteTransaction { merge.transaction }

  init(of merge: VersionMerge) {
    self.merge = merge
    coming = Set(merge.restorations)
  }

  /// Restores them, and notes those that cannot come back. Complexity: O(*n*) in what each of them must lead to.
  mutating func run() throws(StoreProblem) {
    // Objects come last: they come back with their owners, or not at all.
    let objects = merge.restorations.filter { merge.ownedLists.isObject($0) }
    var ready = Array(objects.reversed())
    ready += merge.restorations.reversed().filter { !merge.ownedLists.isObject($0) }
    while let row = ready.popLast() {
      guard transaction.isDeleted(row.type, row.row), !isOfDeleted(row) else { continue }
      do throws(StoreProblem) {
        for restored in try restore(row) {
          hold(restored, with: row)
          for found in merge.withMirrors(restored, in: merge.versions.theirs) {
            ready += waiting.removeValue(forKey: found) ?? []
          }
        }
      } catch {
        refused[row] = error
        for target in missingTargets(error) { waiting[target, default: []].append(row) }
      }
    }
    var noted = RefusedRestorations(of: merge)
    for row in merge.restorations where transaction.isDeleted(row.type, row.row) {
      merge.ignored.insert(row)
      // An object stays away with its owner.
      guard let problem = refused[row], !isOfDeleted(row) else { continue }
      try noted.note(row, problem)
    }
  }

  /// Returns whether a row is an object of an entity that is restored, and has not come back.
  private func isOfDeleted(_ row: Row) -> Bool {
    guard merge.ownedLists.isObject(row),
      let owner = merge.ownedLists.owners(of: row, in: merge.versions.mine).last, coming.contains(owner)
    else { return false }
    return transaction.isDeleted(owner.type, owner.row)
  }

  /// Has what comes back with an entity in conflict be in conflict with it.
  private func hold(_ restored: Row, with row: Row) {
    guard merge.held[row] != nil, merge.versions.base.table(restored.type).status(restored.row) == RowChangeStatus.live
    else { return }
    merge.held[restored] = HeldRow(whole: merge.base(of: restored))
  }

  /// The deleted rows without which a restoration was refused.
  private func missingTargets(_ problem: StoreProblem) -> [Row] {
    guard case .requiredReference(let id, let row) = problem else { return [] }
    let relation = merge.layout[id]
    let record = transaction.record(Row(type: relation.source, row: row))
    return record.targets(relation: merge.layout.relationPlaces[Int(id.index)])
      .map { Row(type: relation.target, row: $0) }.filter { transaction.isDeleted($0.type, $0.row) }
  }

  // MARK: - Objects

  /// Restores an entity without those objects that I have replaced, and that cannot come back.
  private func restore(_ row: Row) throws(StoreProblem) -> [Row] {
    var start: WriteTransaction.Checkpoint?
    while true {
      do throws(StoreProblem) {
        return try transaction.restore(row.type, row.row)
      } catch {
        guard case .requiredReference(let relation, let refused) = error,
          case let object = Row(type: merge.layout[relation].source, row: refused), isReplaced(object)
        else {
          if let start { transaction.rollback(to: start) }
          throw error
        }
        if start == nil { start = transaction.checkpoint() }
        try purge(object)
      }
    }
  }

  /// Returns whether a deleted object is in a list in the place of which I have written another, or in an object that is.
  private func isReplaced(_ object: Row) -> Bool {
    guard merge.ownedLists.isObject(object) else { return false }
    for relation in merge.layout.types[Int(object.type.index)].relations {
      let list = merge.layout[relation.inverse]
      guard merge.layout.ownsTargets(of: list),
        let owner = transaction.record(object).targets(relation: place(relation)).first
      else { continue }
      let found = Row(type: list.source, row: owner)
      if isReplaced(found) { return true }
      let mine = merge.targets(merge.versions.mine, list, owner)
      return isComing(found) && merge.ownedLists.isReplaced(list, of: found) && !mine.contains(object.row)
    }
    return false
  }

  /// Returns whether an entity, or that around an object, is restored.
  private func isComing(_ row: Row) -> Bool {
    guard merge.ownedLists.isObject(row) else { return coming.contains(row) }
    return merge.ownedLists.owners(of: row, in: merge.versions.mine).last.map { coming.contains($0) } ?? false
  }

  private func purge(_ object: Row) throws(StoreProblem) {
    for relation in merge.layout.types[Int(object.type.index)].relations where merge.layout.ownsTargets(of: relation) {
      for inner in transaction.record(object).targets(relation: place(relation)) {
        let inner = Row(type: relation.target, row: inner)
        if transaction.isDeleted(inner.type, inner.row) { try purge(inner) }
      }
    }
    try transaction.purge(object.type, object.row)
  }

  private func place(_ relation: Relation) -> Int { merge.layout.relationPlaces[Int(relation.id.index)] }
}
