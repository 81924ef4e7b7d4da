import GQLCatalog
import GQLStore

/// Loads the relations that conditions and orders in Swift ask entities for.
///
/// What these look at is known only when they run: they may go through elements of lists, casts, computed properties and
/// predicates within predicates. So the entities that they are told know where they come from, and a relation that was
/// not loaded for them is when it is looked at. It is of one version of a context.
final class RelationLoader: Sendable {
  /// That of the condition that is evaluated.
  @TaskLocal static var current: RelationLoader?

  private struct State {
    /// Those that entities may ask for, by ``RelationDescriptor/number``.
    var relations: [UInt16: StoredRelation] = [:]
    var asked: Set<RelationID> = []
    var lent = RelationCache()
    var problem: (any Error)?
  }
  private let context: Context
  /// That of the condition in which the query runs that this one's condition is of.
  private let outer: RelationLoader?
  /// How many conditions lie around each other, this one counted.
  let level: Int
  /// Entities have no room for more.
  private static var largestLevel: Int { 63 }
  private let state = Guarded(State())
  /// Through how many relations, one after the other, a condition may go: it may never end, as data may go round.
  private static var deepest: UInt8 { 200 }

  init(_ context: Context) {
    self.context = context
    outer = Self.current
    level = (outer?.level ?? 0) + 1
  }

  /// The relations that were asked for.
  var asked: Set<RelationID> { state.withLock { $0.asked } }

  /// What a condition gives that may have asked for relations.
  ///
  /// - Throws: why one could not be loaded, or what the condition throws.
  func loading<Result>(_ body: () throws -> Result) throws -> Result {
    let result = Swift.Result { try Self.$current.withValue(self, operation: body) }
    if let problem = state.withLock({ $0.problem }) { throw problem }
    return try result.get()
  }

  /// Notes where a relation lies that entities may ask for.
  fileprivate func note(_ relation: StoredRelation, _ number: UInt16) throws {
    guard level <= Self.largestLevel else {
      throw ModelError.failedQuery("conditions in Swift ask for each other, more than \(Self.largestLevel) deep")
    }
    state.withLock { $0.relations[number] = relation }
  }

  /// The one that has lent a relation: this one or, for an entity of a condition around, that one's.
  private func lender(_ level: Int) -> RelationLoader? {
    var loader = self
    while loader.level > level {
      guard let outer = loader.outer else { return nil }
      loader = outer
    }
    return loader.level == level ? loader : nil
  }

  /// What a relation leads to, in the context that its entity is of; itself if that is nothing, or cannot be loaded.
  func load<Target, Directionality, Cardinality, Constraints>(
    _ relation: Relation<Target, Directionality, Cardinality, Constraints>
  ) -> Relation<Target, Directionality, Cardinality, Constraints> {
    lender(relation.level)?.loadLent(relation) ?? relation
  }

  private func loadLent<Target, Directionality, Cardinality, Constraints>(
    _ relation: Relation<Target, Directionality, Cardinality, Constraints>
  ) -> Relation<Target, Directionality, Cardinality, Constraints> {
    let key = RelationCache.Key(number: relation.number, depth: relation.depth, row: relation.row)
    let (found, known) = state.withLock { state -> (StoredRelation?, AnyObject?) in
      guard let found = state.relations[relation.number] else { return (nil, nil) }
      state.asked.insert(found.id)
      return (found, state.lent.targets(key))
    }
    guard let found else { return relation }
    if let known = known as? LentTargets<Target> { return Relation(.entities(known.entities)) }
    do {
      guard var targets = try QueryReading<Target>.of(context) else { return relation }
      guard relation.depth < Self.deepest else {
        throw ModelError.failedQuery(
          "what is asked in Swift goes through more than \(Self.deepest) relations, one behind the other, to \(Target.self)"
        )
      }
      // An entity may have been kept from a condition that is over.
      guard found.target == targets.mapping.type, targets.snapshot.isLive(found.source, relation.row) else {
        return relation
      }
      targets.loader = self
      targets.depth = relation.depth + 1
      let column = targets.snapshot.column(found.source, found.column)
      var rows: [UInt32] = []
      if found.isToMany {
        rows.append(contentsOf: column.references(relation.row))
      } else {
        let target = column.reference(relation.row)
        // A to-one relation without a target says nothing.
        if target == PageLayout.noRow { return relation }
        rows.append(target)
      }
      let lent = LentTargets(try targets.entities(rows, []))
      state.withLock { $0.lent.keep(lent, key) }
      return Relation(.entities(lent.entities))
    } catch {
      state.withLock { $0.problem = $0.problem ?? error }
      return relation
    }
  }
}

extension QueryReading {
  /// Whose entities load relations from where those of another do.
  func lending(like other: QueryReading<some EntityModelProtocol>) -> Self {
    var reading = self
    reading.loader = other.loader
    return reading
  }

  /// Lets entities of these rows load the relations that nothing is known of, if they are told to a condition in Swift.
  func lend(_ entities: inout [Entity], _ rows: [UInt32]) throws {
    guard let loader, !isDeleted else { return }
    for (place, relation) in mapping.info.relations.enumerated() {
      guard let stored = mapping.relations[place], relation.number != 0 else { continue }
      try loader.note(stored, relation.number)
      relation.lend(&entities, rows, level: loader.level, depth: depth)
    }
  }
}

/// Notes the relations that the conditions of a query have asked for.
final class AskedRelations: Sendable {
  /// That of the query that runs.
  @TaskLocal static var current: AskedRelations?

  private let schema: ModelSchema
  private let noted = Guarded<[RelationID: ModelSchema]>([:])

  init(_ schema: ModelSchema) { self.schema = schema }

  /// Each with the types that have asked for it.
  var relations: [RelationID: ModelSchema] { noted.withLock { $0 } }

  /// Notes relations of a catalog. Those of another are of another query, which a computed property has asked.
  func note(_ relations: Set<RelationID>, of schema: ModelSchema) {
    if schema.catalog.version != self.schema.catalog.version { return }
    noted.withLock { noted in for relation in relations { noted[relation] = schema } }
  }
}
