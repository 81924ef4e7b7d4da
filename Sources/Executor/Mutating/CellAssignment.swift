import GQLBase
import GQLCatalog
import GQLQuery

/// A list of the cells that an update gives to each of its entities, where it gives nothing else: neither links nor
/// objects.
final class CellAssignment: Sendable {
  let cells: [BoundCell]
  let columns: [ColumnID]
  private let range: SourceRange

  /// Fails for an assignment that gives something else.
  init?(_ assignment: BoundInput?) {
    guard case .record(let record) = assignment, !record.hasLinks else { return nil }
    cells = record.cells
    columns = record.cells.map(\.column)
    range = record.range
  }

  var source: InputSource { .document(range, cells) }
}
