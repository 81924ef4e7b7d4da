import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// What the values of one mutation field are numbered by while it is bound.
struct MutationValues {
  var expressions: [BoundExpression] = []
  /// Sets whose members links name.
  var sets: [(set: SetID, range: SourceRange)] = []

  mutating func add(_ expression: BoundExpression) -> Int {
    expressions.append(expression)
    return expressions.count - 1
  }
}

/// The row that `new` stands for in an upsert's `set:`.
struct NewRow {
  var type: EntityTypeID
  var parameters: [BoundNewParameter] = []
}

extension MutationValues {
  /// Values as fields without names.
  var fields: [BoundField] {
    expressions.enumerated().map { BoundField(key: "\($0)", content: .value($1), range: $1.range) }
  }
}
