import GQLBase
import GQLCatalog

/// Members of a set by equal keys, and what is written of each group.
///
/// Keys and the arguments of aggregates see a member as scope 0 and what encloses the set from scope 1 up. `having`, the
/// order and the fields see the group as scope 0, its first member as scope 1, and what encloses the set from scope 2 up:
/// a key is read from the first member. `limit` and `offset` see what a set's do. Groups stand in the order of their first
/// members; ties of `order` by it.
package struct BoundGrouping: Sendable, Equatable {
  /// Without keys there is one group, even of no members.
  package var keys: [BoundGroupKey]
  package var aggregates: [BoundGroupAggregate] = []
  package var having: BoundExpression?
  package var order: [BoundOrderTerm] = []
  package var limit: BoundExpression?
  package var offset: BoundExpression?
  package var fields: [BoundField] = []

  package init(keys: [BoundGroupKey]) { self.keys = keys }

  /// Over members: keys, then arguments of aggregates that have no set of their own.
  package var memberExpressions: [BoundExpression] {
    keys.flatMap(\.expressions) + aggregates.filter { $0.set == nil }.flatMap(\.expressions)
  }

  /// All of them, whichever scopes they see, but those of fields.
  package var expressions: [BoundExpression] {
    var result = keys.flatMap(\.expressions) + aggregates.flatMap(\.expressions)
    result += [having].compactMap { $0 } + order.map(\.expression) + [limit, offset].compactMap { $0 }
    return result
  }

  /// Changes every expression but those of fields.
  package mutating func mapExpressions(
    condition: (BoundExpression) -> BoundExpression, value: (BoundExpression) -> BoundExpression
  ) {
    for index in keys.indices { keys[index].expressions = keys[index].expressions.map(value) }
    for index in aggregates.indices {
      aggregates[index].argument = aggregates[index].argument.map(value)
      aggregates[index].comparand = aggregates[index].comparand.map(value)
    }
    having = having.map(condition)
    for index in order.indices { order[index].expression = value(order[index].expression) }
    limit = limit.map(value)
    offset = offset.map(value)
  }
}

/// A named key; an embedded object is all its columns.
package struct BoundGroupKey: Sendable, Equatable {
  package var name: String
  package var expressions: [BoundExpression]

  package init(name: String, expressions: [BoundExpression]) {
    self.name = name
    self.expressions = expressions
  }
}

/// An aggregate over the members of a group, or over the members of a set that each of them has.
package struct BoundGroupAggregate: Sendable, Equatable {
  package var aggregate: Aggregate
  /// Only first occurrences count.
  package var isDistinct = false
  /// The set that a member has; it sees the member as a set's `limit` does. The argument then sees its element as scope 0.
  package var set: SetID?
  /// Nil for `count` of members, or of the set's.
  package var argument: BoundExpression?
  /// What `distinct`, `min` and `max` compare, where that is not the argument itself.
  package var comparand: BoundExpression?
  /// Indicates whether the result is compared without regard to case, as the argument is.
  package var isFolded = false
  package var type: ValueType
  package var range: SourceRange

  package init(_ aggregate: Aggregate, type: ValueType, at range: SourceRange) {
    self.aggregate = aggregate
    self.type = type
    self.range = range
  }

  package var expressions: [BoundExpression] { [argument, comparand].compactMap { $0 } }
}

extension BoundQuery {
  /// Where the members of a grouped selection come from in the end: not from groups.
  package func groupedSource(of selection: SelectionID) -> BoundSet.Source {
    var source = self[self[selection].set].source
    while case .items(_, let outer) = source { source = self[self[outer].set].source }
    return source
  }
}
