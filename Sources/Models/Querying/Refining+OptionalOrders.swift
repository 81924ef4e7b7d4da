// Orders by optional properties: nil comes first, and last in descending order.

extension RefinableQuery {
  /// Sorts by optional properties, the first one first; what is equal keeps its order.
  public func sorted<each Key: Comparable>(by paths: repeat KeyPath<Entity, (each Key)?> & Sendable) -> Self {
    var keys: [QueryOrder<Entity>] = []
    repeat keys.append(QueryOrder(optional: each paths))
    return sorted(keys)
  }

  /// Sorts by properties of which some are optional, the first one first; what is equal keeps its order.
  public func sorted<A: Comparable, B: Comparable>(
    by a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B?> & Sendable
  ) -> Self {
    sorted([QueryOrder(a), QueryOrder(optional: b)])
  }

  /// Sorts by properties of which some are optional, the first one first; what is equal keeps its order.
  public func sorted<A: Comparable, B: Comparable>(
    by a: KeyPath<Entity, A?> & Sendable, _ b: KeyPath<Entity, B> & Sendable
  ) -> Self {
    sorted([QueryOrder(optional: a), QueryOrder(b)])
  }

  /// Sorts by properties of which some are optional, the first one first; what is equal keeps its order.
  public func sorted<A: Comparable, B: Comparable, C: Comparable>(
    by a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B> & Sendable, _ c: KeyPath<Entity, C?> & Sendable
  ) -> Self {
    sorted([QueryOrder(a), QueryOrder(b), QueryOrder(optional: c)])
  }

  /// Sorts by properties of which some are optional, the first one first; what is equal keeps its order.
  public func sorted<A: Comparable, B: Comparable, C: Comparable>(
    by a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B?> & Sendable, _ c: KeyPath<Entity, C> & Sendable
  ) -> Self {
    sorted([QueryOrder(a), QueryOrder(optional: b), QueryOrder(c)])
  }

  /// Sorts by properties of which some are optional, the first one first; what is equal keeps its order.
  public func sorted<A: Comparable, B: Comparable, C: Comparable>(
    by a: KeyPath<Entity, A> & Sendable, _ b: KeyPath<Entity, B?> & Sendable, _ c: KeyPath<Entity, C?> & Sendable
  ) -> Self {
    sorted([QueryOrder(a), QueryOrder(optional: b), QueryOrder(optional: c)])
  }

  /// Sorts by properties of which some are optional, the first one first; what is equal keeps its order.
  public func sorted<A: Comparable, B: Comparable, C: Comparable>(
    by a: KeyPath<Entity, A?> & Sendable, _ b: KeyPath<Entity, B> & Sendable, _ c: KeyPath<Entity, C> & Sendable
  ) -> Self {
    sorted([QueryOrder(optional: a), QueryOrder(b), QueryOrder(c)])
  }

  /// Sorts by properties of which some are optional, the first one first; what is equal keeps its order.
  public func sorted<A: Comparable, B: Comparable, C: Comparable>(
    by a: KeyPath<Entity, A?> & Sendable, _ b: KeyPath<Entity, B> & Sendable, _ c: KeyPath<Entity, C?> & Sendable
  ) -> Self {
    sorted([QueryOrder(optional: a), QueryOrder(b), QueryOrder(optional: c)])
  }

  /// Sorts by properties of which some are optional, the first one first; what is equal keeps its order.
  public func sorted<A: Comparable, B: Comparable, C: Comparable>(
    by a: KeyPath<Entity, A?> & Sendable, _ b: KeyPath<Entity, B?> & Sendable, _ c: KeyPath<Entity, C> & Sendable
  ) -> Self {
    sorted([QueryOrder(optional: a), QueryOrder(optional: b), QueryOrder(c)])
  }
}
