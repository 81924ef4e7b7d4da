import GQLStore

/// Of which entities a context's hooks have asked that they go: they do when the deletion does that runs innermost. It is
/// part of the context's value, so that copies and what is undone have their own.
struct PostponedRows {
  private var rows = PersistentArray<DeletedRow>()
  private var known = PersistentDictionary<DeletedRow, Bool>()

  var count: Int { rows.count }

  /// What was asked for behind the first so many.
  func rows(behind count: Int) -> [DeletedRow] { (min(count, rows.count)..<rows.count).map { rows[$0] } }

  func contains(_ entities: [DeletedRow]) -> Bool { entities.allSatisfy { known[$0] != nil } }

  mutating func add(_ entities: [DeletedRow]) {
    for entity in entities where known[entity] == nil {
      known[entity] = true
      rows.append(entity)
    }
  }

  /// Takes away all behind the first so many.
  mutating func removeAll(behind count: Int) {
    while rows.count > count, let row = rows.popLast() { known[row] = nil }
  }
}
