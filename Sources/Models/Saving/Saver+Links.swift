import GQLCatalog
import GQLStore

/// The links of a save.
extension Saver {
  func apply(_ link: SaveStage.Link, _ context: inout Context) throws {
    context.own()
    let transaction = context.storage.writing
    transaction.now = now
    let source = stage.records[link.source]
    // Looked up now, because a hook of a nested entity may have made the schema larger.
    guard let relation = context.storage.schema?.byNumber[Int(source.mapping.type.index)].relations[link.place] else {
      return
    }
    // A resolver may have deleted what was just saved.
    guard transaction.isLive(relation.source, source.row) else { return }
    stage.rows.removeAll(keepingCapacity: true)
    // With the number of the rows before each.
    var absent: [(key: Cell, index: Int)] = []
    for target in stage.targets[link.targets] {
      let row: UInt32
      switch target {
      case .record(let record):
        row = stage.records[record].row
        if !transaction.isLive(relation.target, row) { continue }
      case .id(var cell):
        guard let found = transaction.findRow(relation.target, key: &cell) else {
          absent.append((cell, stage.rows.count))
          continue
        }
        row = found
      }
      stage.rows.append(row)
    }
    // A row that is new waits for nothing, unless the entity stands elsewhere in the save too, or a hook has saved it.
    let isFresh = source.isNew && !stage.hasTwins && !isLoud
    // Reading does not show links that wait, so that what is saved as it was read says nothing about them.
    if !link.isPart && !isFresh,
      !link.isRead || !absent.isEmpty
        || !transaction.hasTargets(relation, source: source.row, stage.rows)
    {
      transaction.forgetDangling(relation.id, source: source.row, except: absent.map(\.key))
    }
    let isAppended = link.isPart && relation.isToMany
    var present = isAppended ? transaction.listCounts(relation.id, source: source.row).present : 0
    // What stands in the list already is not counted again.
    var seen: Set<UInt32> = []
    if isAppended, let last = absent.last, last.index > 0 {
      seen = Set(transaction.readers(relation.source)[Int(relation.column.index)].references(source.row))
    }
    var next = 0
    do {
      if !relation.isToMany {
        try transaction.setReference(relation.id, source: source.row, target: stage.rows.last)
      } else if link.isPart || source.isNew && !transaction.hasReferences(relation.id, source: source.row) {
        try transaction.appendReferences(relation.id, source: source.row, targets: stage.rows)
      } else {
        try stage.rows.withUnsafeBufferPointer {
          try transaction.setReferences(relation.id, source: source.row, targets: $0)
        }
      }
    } catch let error as StoreProblem { throw source.mapping.error(error, in: context) }
    if absent.isEmpty { return }
    let asleep = transaction.dormantPlaces(relation.id, source: source.row)
    var sleeping = 0
    for link in absent {
      for row in stage.rows[next..<link.index] where seen.insert(row).inserted { present += 1 }
      next = link.index
      // Counted anew, because one that is said twice, or waits already, waits once.
      let waiting = relation.isToMany ? transaction.listCounts(relation.id, source: source.row).waiting : 0
      while sleeping < asleep.count, asleep[sleeping] <= present { sleeping += 1 }
      transaction.rememberDangling(
        relation.id, source: source.row, key: link.key, place: present + waiting + sleeping)
    }
  }
}
