import GQLCatalog
import GQLStore
import GQLWriting

/// A look at whether what is staged is a point mutation's.
///
/// It cannot be copied and is used where the mutator makes it, which holds what it reads without a count.
struct PointReach: ~Copyable {
  unowned(unsafe) let program: MutationProgram
  unowned(unsafe) let transaction: WriteTransaction

  /// Returns whether a point mutation may hold the stage: objects inside others may be entities that are there, with any
  /// links.
  func holds(_ stage: borrowing RecordStage) -> Bool {
    if stage.records.count > PointMutation.maximumRecords || stage.targets.count > PointMutation.maximumLinks {
      return false
    }
    for place in 0..<stage.records.count {
      if case .fragment = stage.records[place].role { return false }
    }
    return true
  }

  /// Returns whether the mutation is a point mutation.
  func takes(_ stage: borrowing RecordStage) -> Bool {
    guard holds(stage), program.mutation.kind == .insert || stage.links.isEmpty, !hasLongPostings else { return false }
    for number in 0..<stage.links.count {
      let link = stage.links[number]
      let relation = transaction.base.catalog[link.relation]
      let inverse = transaction.base.catalog[relation.inverse]
      for place in link.targets {
        guard let row = row(stage.targets[place], relation) else { return false }
        if row == PageLayout.noRow { continue }
        var listed = transaction.listedCount(inverse.id, row)
        if !inverse.isToMany {
          // Who has it now loses it.
          let owner = transaction.column(inverse.source, inverse.column).reference(row)
          if owner != PageLayout.noRow { listed = transaction.listedCount(relation.id, owner) }
        }
        if listed > PointMutation.maximumListed { return false }
      }
    }
    return true
  }

  /// Where a target is; `noRow` where it is not there, or new; nil where that is not found at once.
  private func row(_ target: RecordStage.Target, _ relation: Relation) -> UInt32? {
    switch target {
    case .record: return PageLayout.noRow
    case .row(let row, let type): return type == relation.target ? row : nil
    case .key(let key, _):
      if program.layouts.isAbstract(relation.target) { return nil }
      return withUnsafePointer(to: key) { transaction.findRow(relation.target, key: $0) } ?? PageLayout.noRow
    }
  }

  /// Indicates whether a hash index of the type has many rows under one key.
  var hasLongPostings: Bool {
    let layout = program.layouts[program.mutation.type]
    return PointMutation.hasLongPostings(layout.postingIndexes, of: layout.type, in: transaction.base)
  }
}
