extension Query {
  /// The entity that a relation of this one leads to.
  public func related<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>> & Sendable
  ) -> Query<Target> {
    Query<Target>(asList.targets(path))
  }

  /// The entities that a relation of this one leads to.
  public func related<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable
  ) -> QueryList<Target> {
    let query = self
    var targets = QueryList<Target>(
      .rows { context in
        guard let reading = try QueryReading<Entity>.of(context) else { return [] }
        return try reading.allTargets(path, try query.rows(reading))
      })
    targets.setOrigin(RelatedOrigin(path, asList))
    return targets
  }
}

extension QueryList {
  /// The entities that a relation of these leads to, in their order.
  public func related<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToOne, Constraints>> & Sendable
  ) -> QueryList<Target> {
    targets(path)
  }

  /// The entities that a relation of each of these leads to.
  public func related<Target, Directionality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Relations.ToMany, Constraints>> & Sendable
  ) -> QueryGroup<Target> {
    let query = self
    var group = QueryGroup<Target> { context in
      var ends: [Int] = []
      guard let reading = try QueryReading<Entity>.of(context), let targets = try QueryReading<Target>.of(context)
      else { return ([], []) }
      let rows = try reading.targets(path, try query.rows(reading), [], targets, ends: &ends)
      return (rows, ends)
    }
    let origin = RelatedOrigin(path, self)
    group.origin = origin
    if origin.depth > NestingDepth.maximumOrigins {
      group = QueryGroup { _ in throw NestingDepth.problem(NestingDepth.maximumOrigins) }
      group.origin = TooDeepOrigin()
    }
    return group
  }

  func targets<Target, Directionality, Cardinality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>> & Sendable
  ) -> QueryList<Target> {
    let query = self
    var targets = QueryList<Target>(
      .rows { context in
        guard let reading = try QueryReading<Entity>.of(context) else { return [] }
        return try reading.allTargets(path, try query.rows(reading))
      })
    targets.setOrigin(RelatedOrigin(path, self))
    return targets
  }
}

extension QueryReading {
  /// The targets of a relation of rows, one behind the other.
  func allTargets<Target, Directionality, Cardinality, Constraints>(
    _ path: WritableKeyPath<Entity, Relation<Target, Directionality, Cardinality, Constraints>> & Sendable,
    _ rows: [UInt32]
  ) throws -> [UInt32] {
    guard let targets = try QueryReading<Target>.of(context) else { return [] }
    var ends: [Int] = []
    return try self.targets(path, rows, [], targets, ends: &ends)
  }
}
