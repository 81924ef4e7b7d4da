import GQLCatalog

extension PropertyStorage {
  /// The columns of values, those inside embedded objects included.
  var columns: [ColumnID] {
    switch self {
    case .column(let column, _): [column]
    case .embedded(_, let presence, let fields): [presence] + fields.flatMap(\.columns)
    case .relation, .members, .computed: []
    }
  }
}
