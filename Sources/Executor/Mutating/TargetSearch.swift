import GQLCatalog
import GQLStore
import GQLWriting

/// A search for the targets of links before rows are written. Each is looked for once: what follows has its row.
///
/// Not to be used where code decides about conflicts: that may delete a target meanwhile.
///
/// It cannot be copied and is used where the mutator makes it, which holds what it reads without a count.
struct TargetSearch: ~Copyable {
  unowned(unsafe) let program: MutationProgram
  unowned(unsafe) let transaction: WriteTransaction
  /// So many links are looked at: more would not stay in the cache until they are written.
  private static var mostSought: Int { 64 }

  init(_ program: MutationProgram, _ transaction: WriteTransaction) {
    self.program = program
    self.transaction = transaction
  }

  /// Makes rows of the targets that are there.
  func settle(_ stage: inout RecordStage) {
    guard program.mutation.kind == .insert, program.mutation.conflict == nil, !program.mayReplace,
      stage.links.count <= Self.mostSought, stage.targets.count <= Self.mostSought
    else { return }
    for number in 0..<stage.links.count {
      let relation = transaction.base.catalog[stage.links[number].relation]
      if program.layouts.isAbstract(relation.target) { continue }
      for place in stage.links[number].targets {
        guard case .key(let key, _) = stage.targets[place],
          let row = withUnsafePointer(to: key, { transaction.findRow(relation.target, key: $0) })
        else { continue }
        stage.setTarget(place, to: row, of: relation.target)
      }
    }
  }
}
