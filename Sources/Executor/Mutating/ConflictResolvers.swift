import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// What the embedding program decides about a value of a unique index that two entities want.
package enum ConflictDecision: Sendable {
  /// The change is refused.
  case fail
  /// The new one is not saved.
  case keep
  /// The one that is there is deleted.
  case replace
  /// What the new one knows goes into the one that is there.
  case patch
}

/// Decides for one index; the entity that is there and the one that comes, as JSON.
package typealias ConflictResolver = @Sendable (_ existing: Text, _ new: Text) -> ConflictDecision

/// The decisions of the embedding program about unique indexes, by index.
struct ConflictResolvers {
  private let resolvers: [IndexID: ConflictResolver]
  private let catalog: Catalog

  init(_ resolvers: [IndexID: ConflictResolver], _ catalog: Catalog) {
    self.resolvers = resolvers
    self.catalog = catalog
  }

  var isEmpty: Bool { resolvers.isEmpty }

  /// Asks what becomes of an entity and a record that want one value; nil where nothing decides.
  func decide(
    _ index: IndexID, _ existing: UInt32, _ transaction: WriteTransaction, _ stage: borrowing RecordStage,
    _ record: Int
  ) -> ConflictDecision? {
    guard !resolvers.isEmpty, let resolver = resolvers[index] else { return nil }
    let type = catalog[index].type
    let old = catalog.json(type) { column in
      let reader = transaction.column(type, column.id)
      return reader.isNull(existing) ? nil : reader.cell(existing, kind: column.kind)
    }
    let base = stage.records[record].base
    let (cells, valid) = (stage.cells + base, stage.valid + base)
    let new = catalog.json(type) { column in
      valid[Int(column.id.index)] ? cells[Int(column.id.index)] : nil
    }
    return resolver(old, new)
  }
}
