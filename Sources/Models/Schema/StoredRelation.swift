import GQLCatalog
import GQLStore

/// A relation of the catalog, which has the name that models have for what they know of one.
typealias StoredRelation = GQLCatalog.Relation

extension WriteTransaction {
  /// Whether a row's links of a relation are these, in this order.
  func hasTargets(_ relation: StoredRelation, source: UInt32, _ rows: [UInt32]) -> Bool {
    let column = readers(relation.source)[Int(relation.column.index)]
    if relation.isToMany { return column.references(source).elementsEqual(rows) }
    return column.reference(source) == rows.last ?? PageLayout.noRow
  }
}
