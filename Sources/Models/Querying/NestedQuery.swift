import GQLCatalog
import GQLPlanner
import GQLQuery
import GQLStore

/// What is wanted of a relation of each entity that a query gives.
@usableFromInline class NestedQuery<Parent: EntityModelProtocol> {
  /// How many relations lie within one another.
  var depth: Int { 1 }

  /// Fills the relation of all parents, whose rows are given too, with what was traced for these, if it was.
  func load(
    _ parents: inout [Parent], _ rows: [UInt32], _ reading: QueryReading<Parent>, _ traced: TracedTargets?
  ) throws {}

  /// Adds what it takes to an explanation, as a field of its parent; nil if there is no relation behind it.
  func explain(_ explanation: inout QueryExplanation) -> BoundField? { nil }

  /// Whether loading cannot fail, whatever another program has put into columns.
  ///
  /// - Parameter seen: Those that were asked already: a query for several depths has the same one at many places.
  func isAlwaysReadable(_ seen: inout Set<ObjectIdentifier>) -> Bool { true }

  /// Notes all that loading looks at.
  func note(_ reading: QueryReading<Parent>, _ reads: inout ReadSet) {}

  /// Adds what loading gives for the parents of these rows, as a level; gives its number, or nil if it gives nothing.
  func trace(_ rows: [UInt32], _ reading: QueryReading<Parent>, _ trace: inout AnswerTrace) throws -> Int? { nil }
}

/// What is wanted of a relation, with its types.
class TypedNestedQuery<
  Parent: EntityModelProtocol, Target: EntityModelProtocol, Directionality: RelationDirectionality,
  Cardinality: RelationCardinality, Constraints: RelationConstraints
>: NestedQuery<Parent> {
  typealias Path = WritableKeyPath<Parent, Relation<Target, Directionality, Cardinality, Constraints>> & Sendable

  let path: Path
  let form: Nested.Form
  let isPart: Bool
  let query: QueryList<Target>
  override var depth: Int { ownDepth }
  private let ownDepth: Int

  init(_ path: Path, _ form: Nested.Form, isPart: Bool, _ query: QueryList<Target>) {
    self.path = path
    self.form = form
    self.isPart = isPart
    self.query = query
    ownDepth = 1 + (form == .ids ? 0 : query.nestedDepth)
  }

  override func load(
    _ parents: inout [Parent], _ rows: [UInt32], _ reading: QueryReading<Parent>, _ traced: TracedTargets?
  ) throws {
    guard !rows.isEmpty, let targets = QueryReading<Target>(reading.context) else { return }
    var ends = traced?.ends ?? []
    let found = try traced?.rows ?? reading.targets(path, rows, query, targets, ends: &ends)
    switch form {
    case .ids:
      let readers = targets.snapshot.readers(targets.mapping.type)
      let ids = try found.map { try targets.mapping.id(readers, $0) }
      put(ids, ends, into: &parents) { .ids($0) }
    case .entities, .fragments:
      let entities =
        reading.loader == nil
        ? try targets.entities(found, query.nested, traced?.traced)
        : try targets.lending(like: reading).distinctEntities(found, query.nested)
      put(entities, ends, into: &parents) { form == .entities ? .entities($0) : .fragments($0) }
    }
  }

  override func explain(_ explanation: inout QueryExplanation) -> BoundField? {
    explanation.nested(Parent.self, path, query)
  }

  override func note(_ reading: QueryReading<Parent>, _ reads: inout ReadSet) {
    guard reads.meets(self), let place = reading.mapping.info.relation(path),
      let relation = reading.mapping.relations[place], let targets = QueryReading<Target>(reading.context)
    else { return }
    reads.insert(relation.source, relation.column)
    targets.note(source: query, &reads)
    targets.note(query.stages, &reads)
    if form == .ids { return reads.insert(relation.target, ColumnID(targets.mapping.idColumn)) }
    targets.noteValues(of: query.attributes, &reads)
    for nested in query.nested { nested.note(targets, &reads) }
  }

  override func trace(
    _ rows: [UInt32], _ reading: QueryReading<Parent>, _ trace: inout AnswerTrace
  ) throws -> Int? {
    guard let targets = QueryReading<Target>(reading.context) else { return nil }
    var ends: [Int] = []
    let found = try reading.targets(path, rows, query, targets, ends: &ends)
    return try targets.trace(found, ends: ends, query, idsOnly: form == .ids, &trace)
  }

  override func isAlwaysReadable(_ seen: inout Set<ObjectIdentifier>) -> Bool {
    if form == .ids { return Target.ID.self is any AlwaysReadable.Type }
    if !seen.insert(ObjectIdentifier(self)).inserted { return true }
    return EntityInfo<Target>.shared.isAlwaysReadable && query.nested.allSatisfy { $0.isAlwaysReadable(&seen) }
      && query.isOfList && query.stages.allSatisfy { $0.isPlannable && !$0.canFail }
  }

  private func put<Value>(
    _ values: [Value], _ ends: [Int], into parents: inout [Parent],
    _ make: ([Value]) -> Relation<Target, Directionality, Cardinality, Constraints>.State
  ) {
    var start = 0
    for parent in parents.indices where parent < ends.count {
      let end = ends[parent]
      // A to-one relation without a target says nothing.
      if end > start || Cardinality.isToMany {
        let slice = Cardinality.isToMany ? values[start..<end] : values[start..<(start + 1)]
        parents[parent][keyPath: path] = Relation(
          make(Array(slice)), isPart: isPart && Cardinality.isToMany, isRead: true)
      }
      start = end
    }
  }
}

/// Entities of a relation's type that need not be linked: in to-many relations all that the query gives, in to-one
/// relations none.
final class SchemaQuery<
  Parent: EntityModelProtocol, Target: EntityModelProtocol, Directionality: RelationDirectionality,
  Cardinality: RelationCardinality, Constraints: RelationConstraints
>: TypedNestedQuery<Parent, Target, Directionality, Cardinality, Constraints> {
  /// The query without its order, which nothing has that has no metadata.
  var unordered: QueryList<Target>?

  private func all(_ targets: QueryReading<Target>) throws -> [UInt32] {
    try (targets.mapping.hooks.keepsMetadata ? query : unordered ?? query).rows(targets)
  }

  override func explain(_ explanation: inout QueryExplanation) -> BoundField? {
    if Cardinality.isToMany {
      explanation.notes.append("each with all of \(explanation.schema.mapping(of: Target.self)?.name ?? "")")
    }
    return nil
  }

  override func load(
    _ parents: inout [Parent], _ rows: [UInt32], _ reading: QueryReading<Parent>, _ traced: TracedTargets?
  ) throws {
    guard Cardinality.isToMany, !rows.isEmpty, let targets = QueryReading<Target>(reading.context) else { return }
    let entities = try targets.entities(try traced?.rows ?? all(targets), query.nested, traced?.traced)
    for parent in parents.indices {
      parents[parent][keyPath: path] = Relation(
        form == .fragments ? .fragments(entities) : .entities(entities), isPart: isPart)
    }
  }

  override func note(_ reading: QueryReading<Parent>, _ reads: inout ReadSet) {
    guard Cardinality.isToMany, reads.meets(self), let targets = QueryReading<Target>(reading.context) else { return }
    targets.note(query, &reads)
  }

  override func trace(
    _ rows: [UInt32], _ reading: QueryReading<Parent>, _ trace: inout AnswerTrace
  ) throws -> Int? {
    // Without parents nothing of it is in the answer.
    guard Cardinality.isToMany, !rows.isEmpty, let targets = QueryReading<Target>(reading.context) else { return nil }
    return try targets.trace(try all(targets), ends: [], query, idsOnly: false, &trace)
  }
}

extension QueryReading {
  /// The entities of rows, of which each is read once: all that lead to one would read it, and all that it leads to.
  func distinctEntities(_ rows: [UInt32], _ nested: [NestedQuery<Entity>]) throws -> [Entity] {
    var places: [UInt32: Int] = [:]
    var distinct: [UInt32] = []
    for row in rows where places[row] == nil {
      places[row] = distinct.count
      distinct.append(row)
    }
    let entities = try entities(distinct, nested)
    if distinct.count == rows.count { return entities }
    return rows.compactMap { places[$0].map { entities[$0] } }
  }

  /// The targets of a relation of each row that a query gives of them.
  func targets<Target: EntityModelProtocol>(
    _ path: PartialKeyPath<Entity> & Sendable, _ rows: [UInt32], _ query: QueryList<Target>,
    _ targets: QueryReading<Target>, ends: inout [Int]
  ) throws -> [UInt32] {
    // What only looks at the entities goes to the planner with the relation.
    if query.isOfList { return try self.targets(path, rows, query.stages, targets, ends: &ends) }
    var found = try self.targets(path, rows, [], targets, ends: &ends)
    try query.narrow(&found, &ends, targets, of: query.given)
    return found
  }

  /// The targets of a relation of each row, behind the stages of a query.
  func targets<Target: EntityModelProtocol>(
    _ path: PartialKeyPath<Entity> & Sendable, _ rows: [UInt32], _ stages: [QueryStage<Target>],
    _ targets: QueryReading<Target>,
    ends: inout [Int]
  ) throws -> [UInt32] {
    ends.removeAll(keepingCapacity: true)
    guard let place = mapping.info.relation(path), let relation = mapping.relations[place], !isDeleted else {
      ends = rows.map { _ in 0 }
      return []
    }
    var found: [UInt32] = []
    var rest = stages[...]
    if let first = rest.first {
      found = try targets.rows(first, relation: relation, parents: rows, ends: &ends)
      rest = rest.dropFirst()
    } else {
      let column = snapshot.column(mapping.type, relation.column)
      ends.reserveCapacity(rows.count)
      for row in rows {
        if relation.isToMany {
          found.append(contentsOf: column.references(row))
        } else {
          let target = column.reference(row)
          if target != PageLayout.noRow { found.append(target) }
        }
        ends.append(found.count)
      }
    }
    for stage in rest { try targets.narrow(&found, &ends, by: stage) }
    return found
  }
}
