import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLStore
import GQLWriting

/// What a new entity has in the fields that its model does not know: their defaults in the schema.
///
/// Unchecked because nothing changes after it was made.
struct UnknownFields: @unchecked Sendable {
  private struct Field {
    let column: Int
    /// Nil for the time at which the entity is made.
    let cell: Cell?
    let isDate: Bool
  }
  private let fields: [Field]
  /// Has what the cells point to.
  private let pool: CellPool

  /// The defaults of columns; nil if there are none.
  ///
  /// - Parameter isOwned: by column, whether the model says what it holds.
  init?(_ entity: EntityType, _ catalog: Catalog, isOwned: [Bool]) {
    let fills = CatalogFills.of(catalog)[entity.id]
    let pool = CellPool()
    fields = entity.columns.compactMap { column in
      let number = Int(column.id.index)
      guard !isOwned[number], let fill = fills[number] else { return nil }
      switch fill {
      case .now: return Field(column: number, cell: nil, isDate: column.type.scalar == .date)
      case .value(let value):
        return pool.cell(value, column.type).map { Field(column: number, cell: $0, isDate: false) }
      }
    }
    self.pool = pool
    if fields.isEmpty { return nil }
  }

  /// Puts the defaults into the cells of an entity that is made at an instant.
  func fill(_ cells: UnsafeMutablePointer<Cell>, _ valid: UnsafeMutablePointer<Bool>, now: Int64) {
    for field in fields {
      cells[field.column] = field.cell ?? Cell(field.isDate ? CivilTime.date(ofDateTime: now) : now)
      valid[field.column] = true
    }
  }
}

/// What new entities have that say nothing, for all types of a catalog.
final class CatalogFills: Sendable {
  private let catalog: Catalog
  /// By type and column; nil until somebody asks.
  private let columns = Guarded<[[CatalogMapping.Column?]]?>(nil)

  private init(_ catalog: Catalog) { self.catalog = catalog }

  private static let known = Guarded<[UInt64: CatalogFills]>([:])
  private static var kept: Int { 16 }

  /// Those of a catalog, which are worked out once for all types and all models of them.
  static func of(_ catalog: Catalog) -> CatalogFills {
    known.withLock { known in
      if let found = known[catalog.version] { return found }
      // Catalogs that are no more are forgotten sometime.
      if known.count >= kept { known.removeAll() }
      let made = CatalogFills(catalog)
      known[catalog.version] = made
      return made
    }
  }

  /// By column, as where a schema changes: the type as one that was not there.
  subscript(_ type: EntityTypeID) -> [DefaultValue?] {
    let columns = columns(of: type)
    func isFilled(_ column: Int) -> Bool {
      guard let source = columns[column], source.fill != nil else { return false }
      return source.presence.map { isFilled(Int($0.index)) } ?? true
    }
    return columns.indices.map { isFilled($0) ? columns[$0]?.fill : nil }
  }

  /// What a column has that says nothing, if the object around it is there.
  subscript(_ type: EntityTypeID, _ column: ColumnID) -> DefaultValue? { columns(of: type)[Int(column.index)]?.fill }

  private func columns(of type: EntityTypeID) -> [CatalogMapping.Column?] {
    columns.withLock { columns in
      let all = columns ?? CatalogComparison(from: Catalog(), to: catalog).mapping.columns
      columns = all
      return all[Int(type.index)]
    }
  }
}
