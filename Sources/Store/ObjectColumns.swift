import GQLCatalog

/// The columns of an embedded object. Where its column of presence is null, so are all others.
struct ObjectColumns: Sendable {
  let presence: Int
  /// Those of its fields and links, and of the objects within it; not the presence itself.
  private(set) var columns: [Int] = []
  /// The objects within it.
  private(set) var inner: [ObjectColumns] = []

  /// Returns the embedded objects of a type, those within others left out.
  static func all(of type: EntityType, _ catalog: Catalog) -> [ObjectColumns] {
    type.kind == .entity ? type.properties.compactMap { ObjectColumns($0.storage, catalog) } : []
  }

  private init?(_ storage: PropertyStorage, _ catalog: Catalog) {
    guard case .embedded(_, let presence, let fields) = storage else { return nil }
    self.presence = Int(presence.index)
    for field in fields {
      switch field {
      case .column(let column, _): columns.append(Int(column.index))
      case .relation(let relation): columns.append(Int(catalog[relation].column.index))
      case .embedded:
        guard let object = ObjectColumns(field, catalog) else { continue }
        columns.append(object.presence)
        columns += object.columns
        inner.append(object)
      case .members, .computed: continue
      }
    }
  }

  /// The object with all within it.
  var nested: [ObjectColumns] { [self] + inner.flatMap(\.nested) }
}
