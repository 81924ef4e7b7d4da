import GQLBase

/// Where a walk over a relation begins, or ends.
package enum TraversalEnd: Sendable, Equatable {
  case entity(EntityReference)
  /// Any member of the set.
  case set(SetID)
}

/// The entities that repeating a step reaches, each once, nearest first: `closure(replies, depth: 1..20)`.
///
/// An entity is as deep as the shortest way to it. The start is a member only where the step leads back to it, or
/// where depth 0 is asked for.
package struct BoundClosure: Sendable, Equatable {
  package var start: TraversalEnd
  /// One step from an entity, which is the set's scope 0; what encloses the call follows from scope 1 on.
  package var step: SetID
  /// The least and the greatest depth, over what encloses the call; nil or null for 1 and for no end.
  package var lower: BoundExpression?
  package var upper: BoundExpression?
  package var includesUpper: Bool

  package init(
    start: TraversalEnd, step: SetID, lower: BoundExpression? = nil, upper: BoundExpression? = nil,
    includesUpper: Bool = true
  ) {
    self.start = start
    self.step = step
    self.lower = lower
    self.upper = upper
    self.includesUpper = includesUpper
  }
}

/// The entities on a shortest way, both ends included; none where there is no way:
/// `shortestPath(friends, to: $b, maxDepth: 6)`. Of several ways the one that follows the earlier links.
package struct BoundShortestPath: Sendable, Equatable {
  package var start: TraversalEnd
  /// As that of a closure.
  package var step: SetID
  package var target: TraversalEnd
  /// The most steps, over what encloses the call; nil or null for no end.
  package var maximumDepth: BoundExpression?

  package init(
    start: TraversalEnd, step: SetID, target: TraversalEnd, maximumDepth: BoundExpression? = nil
  ) {
    self.start = start
    self.step = step
    self.target = target
    self.maximumDepth = maximumDepth
  }
}

/// `@recurse(depth: n)`: the selection's field is its own last field, over the same set.
package struct BoundRecursion: Sendable, Equatable {
  /// Constants and parameters only; nil or null for no end.
  package var depth: BoundExpression?
  package var isMany: Bool
  /// The entity that the first level starts from, where the element of the level above is only seen as it: inside
  /// `... on T`. Nil for the element itself.
  package var entry: EntityReference?
  package var range: SourceRange

  package init(depth: BoundExpression?, isMany: Bool, entry: EntityReference? = nil, range: SourceRange) {
    self.entry = entry
    self.depth = depth
    self.isMany = isMany
    self.range = range
  }
}

/// Where a page of a list begins and ends, and what its cursors must agree in.
package struct BoundPaging: Sendable, Equatable {
  /// Cursors, over what encloses the set; null is none.
  package var after: BoundExpression?
  package var before: BoundExpression?
  /// Of the type, the relation and the order.
  package var fingerprint: UInt64 = 0

  package init(after: BoundExpression? = nil, before: BoundExpression? = nil) {
    self.after = after
    self.before = before
  }
  package var hasCursor: Bool { after != nil || before != nil }
}
