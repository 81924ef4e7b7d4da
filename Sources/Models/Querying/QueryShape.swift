import GQLCatalog

/// What a plan of a query depends on: everything but the values of its parameters.
struct QueryShape: Hashable {
  enum Source: Hashable {
    case all
    case deleted
    /// Rows that are given.
    case rows
    /// The targets of a relation of each parent.
    case relation(RelationID)
  }
  var type: EntityTypeID
  var source: Source
  /// Whether the attributes are those of deleted entities.
  var isOfDeleted = false
  /// Whether the type keeps metadata.
  var hasMetadata = true
  var condition: Condition?
  var order: [OrderKey] = []
  /// Whether the last two parameters are a limit and an offset.
  var isSliced = false

  /// Whether an order takes what the entities do not have.
  func givesNothing(in order: [OrderKey]) -> Bool { !hasMetadata && order.contains(where: \.isMetadata) }
}

/// A key of an order that columns know.
enum OrderKey: Hashable {
  case attribute(Int, isDescending: Bool)
  /// Nulls are less than all values.
  case optional(Int, isDescending: Bool)
  case updatedAt(isDescending: Bool)
  /// What an instant's column holds beside microseconds.
  case finer(Int, isDescending: Bool)
  /// How well the texts match that the condition wants; the best ones first.
  case score

  var isMetadata: Bool { if case .updatedAt = self { true } else { false } }

  /// The other way round; the best matches stay first.
  var reversed: Self {
    switch self {
    case .attribute(let attribute, let isDescending): .attribute(attribute, isDescending: !isDescending)
    case .optional(let attribute, let isDescending): .optional(attribute, isDescending: !isDescending)
    case .updatedAt(let isDescending): .updatedAt(isDescending: !isDescending)
    case .finer(let attribute, let isDescending): .finer(attribute, isDescending: !isDescending)
    case .score: .score
    }
  }
}
