import GQLCatalog
import GQLStore
import GQLWriting

/// Whether what is staged is a point mutation's.
extension Mutator {
  /// Returns whether a point mutation may hold the stage: objects inside others may be entities that are there, with any links.
  var isStageWithinPoint: Bool {
    stage.records.count <= PointMutation.maximumRecords && stage.targets.count <= PointMutation.maximumLinks
      && stage.records.allSatisfy { $0.role != .fragment }
  }

  /// Returns whether the mutation is a point mutation. Targets that are found are rows from here on, where none can go.
  func isWithinPoint(_ program: MutationProgram) -> Bool {
    guard isStageWithinPoint, program.mutation.kind == .insert || stage.links.isEmpty,
      !hasLongPostings(program.layouts[program.mutation.type])
    else { return false }
    for link in stage.links {
      let relation = catalog[link.relation]
      let inverse = catalog[relation.inverse]
      for place in link.targets {
        guard let row = row(stage.targets[place], relation, program.layouts) else { return false }
        if row == PageLayout.noRow { continue }
        if !program.mayReplace { stage.setTarget(place, to: row, of: relation.target) }
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
  private func row(_ target: RecordStage.Target, _ relation: Relation, _ layouts: EntityLayouts) -> UInt32? {
    switch target {
    case .record: return PageLayout.noRow
    case .row(let row, let type): return type == relation.target ? row : nil
    case .key(let key, _):
      if layouts[relation.target].isAbstract { return nil }
      return withUnsafePointer(to: key) { transaction.findRow(relation.target, key: $0) } ?? PageLayout.noRow
    }
  }

  /// Whether a hash index of the type has many rows under one key.
  func hasLongPostings(_ layout: EntityLayout) -> Bool {
    PointMutation.hasLongPostings(layout.postingIndexes, of: layout.type, in: transaction.base)
  }
}
