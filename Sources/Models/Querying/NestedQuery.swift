import GQLCatalog
import GQLStore

/// What is wanted of a relation of each entity that a query gives.
@usableFromInline class NestedQuery<Parent: EntityModelProtocol> {
  /// How many relations lie within one another.
  var depth: Int { 1 }

  /// Counts the relations that lie within one another down to a depth, as far as there are any left.
  func countBranches(_ depth: Int, _ left: inout Int) {}

  /// Returns the nested query as a branch of a tree, its values lifted out.
  func branch(_ reading: QueryReading<Parent>, _ builder: inout QueryTreeBuilder) throws -> QueryTree.Branch { .none }

  /// Fills the relation of all parents with what was found for them, if anything was.
  func load(_ parents: inout [Parent], _ found: FoundRows?, _ reading: QueryReading<Parent>) throws {}

  /// Finds what was left to other runs, down to the last level.
  func complete(_ found: inout FoundRows?, _ reading: QueryReading<Parent>) throws {}

  /// Whether loading cannot fail, whatever another program has put into columns.
  ///
  /// - Parameter seen: Those that were asked already: a query for several depths has the same one at many places.
  func isAlwaysReadable(_ seen: inout Set<ObjectIdentifier>) -> Bool { true }

  /// Notes all that loading looks at.
  func note(_ reading: QueryReading<Parent>, _ reads: inout ReadSet) {}

  /// Adds what was found as a level; gives its number, or nil if there is nothing.
  func trace(_ found: FoundRows?, _ reading: QueryReading<Parent>, _ trace: inout AnswerTrace) -> Int? { nil }
}

/// What is wanted of a relation, with its types.
class TypedNestedQuery<
  Parent: EntityModelProtocol, Target: EntityModelProtocol, Directionality: _RelationDirectionality,
  Cardinality: _RelationCardinality, Constraints: _RelationConstraints
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

  override func countBranches(_ depth: Int, _ left: inout Int) {
    left -= 1
    if form == .ids || depth < 2 { return }
    for nested in query.nested where left > 0 { nested.countBranches(depth - 1, &left) }
  }

  override func branch(
    _ reading: QueryReading<Parent>, _ builder: inout QueryTreeBuilder
  ) throws -> QueryTree.Branch {
    guard let targets = QueryReading<Target>(reading.context) else { return .none }
    guard let place = reading.mapping.info.relation(path), let relation = reading.mapping.relations[place],
      !reading.isDeleted
    else { return .empty }
    let nested = form == .ids ? [] : query.nested
    return .targets(relation.id, try builder.tree(of: query, targets, nested: nested))
  }

  override func load(_ parents: inout [Parent], _ found: FoundRows?, _ reading: QueryReading<Parent>) throws {
    guard !parents.isEmpty, let found, let targets = QueryReading<Target>(reading.context) else { return }
    switch form {
    case .ids:
      let readers = targets.snapshot.readers(targets.mapping.type)
      let ids = try found.rows.map { try targets.mapping.id(readers, $0) }
      put(ids, found.ends, into: &parents) { .ids($0) }
    case .entities, .fragments:
      let entities =
        reading.loader == nil
        ? try targets.entities(found, query.nested)
        : try targets.lending(like: reading).distinctEntities(found.rows, query.nested)
      put(entities, found.ends, into: &parents) { form == .entities ? .entities($0) : .fragments($0) }
    }
  }

  override func complete(_ found: inout FoundRows?, _ reading: QueryReading<Parent>) throws {
    guard form != .ids, var known = found, let targets = QueryReading<Target>(reading.context) else { return }
    try targets.complete(&known, query.nested)
    found = known
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
    _ found: FoundRows?, _ reading: QueryReading<Parent>, _ trace: inout AnswerTrace
  ) -> Int? {
    guard let found, let targets = QueryReading<Target>(reading.context) else { return nil }
    return targets.trace(found, query, idsOnly: form == .ids, &trace)
  }

  override func isAlwaysReadable(_ seen: inout Set<ObjectIdentifier>) -> Bool {
    if form == .ids { return Target.ID.self is any AlwaysReadable.Type }
    if !seen.insert(ObjectIdentifier(self)).inserted { return true }
    return EntityInfo<Target>.shared.isAlwaysReadable && query.nested.allSatisfy { $0.isAlwaysReadable(&seen) }
      && query.beginsWithList && query.stages.allSatisfy { $0.isPlannable && !$0.canFail }
  }

  private func put<Value>(
    _ values: [Value], _ ends: [Int], into parents: inout [Parent],
    _ make: ([Value]) -> Relation<Target, Directionality, Cardinality, Constraints>.State
  ) {
    var start = 0
    let isToMany = Cardinality._isToMany
    values.withUnsafeBufferPointer { all in
      for parent in 0..<min(parents.count, ends.count) {
        let end = ends[parent]
        // A to-one relation without a target says nothing.
        if end > start || isToMany {
          let count = isToMany ? end - start : 1
          // A slice of an array takes several times as long to make one of.
          let own =
            isToMany && count == values.count
            ? values
            : [Value](unsafeUninitializedCapacity: count) { memory, made in
              guard let source = all.baseAddress, let first = memory.baseAddress else { return }
              first.initialize(from: source + start, count: count)
              made = count
            }
          parents[parent][keyPath: path] = Relation(make(own), isPart: isPart && isToMany, isRead: true)
        }
        start = end
      }
    }
  }
}

/// Entities of a relation's type that need not be linked: in to-many relations all that the query gives, in to-one
/// relations none.
final class SchemaQuery<
  Parent: EntityModelProtocol, Target: EntityModelProtocol, Directionality: _RelationDirectionality,
  Cardinality: _RelationCardinality, Constraints: _RelationConstraints
>: TypedNestedQuery<Parent, Target, Directionality, Cardinality, Constraints> {
  /// The query without its order, which nothing has that has no metadata.
  var unordered: QueryList<Target>?

  override func branch(
    _ reading: QueryReading<Parent>, _ builder: inout QueryTreeBuilder
  ) throws -> QueryTree.Branch {
    guard Cardinality._isToMany, let targets = QueryReading<Target>(reading.context) else { return .none }
    let all = targets.mapping.hooks.keepsMetadata ? query : unordered ?? query
    return .all(try builder.tree(of: all, targets, nested: query.nested))
  }

  override func load(_ parents: inout [Parent], _ found: FoundRows?, _ reading: QueryReading<Parent>) throws {
    guard !parents.isEmpty, let found, let targets = QueryReading<Target>(reading.context) else { return }
    let entities = try targets.entities(found, query.nested)
    for parent in parents.indices {
      parents[parent][keyPath: path] = Relation(
        form == .fragments ? .fragments(entities) : .entities(entities), isPart: isPart)
    }
  }

  override func note(_ reading: QueryReading<Parent>, _ reads: inout ReadSet) {
    guard Cardinality._isToMany, reads.meets(self), let targets = QueryReading<Target>(reading.context) else { return }
    targets.note(query, &reads)
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

  /// Finds what was left to other runs, down to the last level.
  func complete(_ found: inout FoundRows, _ nested: [NestedQuery<Entity>]) throws {
    if nested.isEmpty || found.rows.isEmpty { return }
    var parts = try found.nested ?? self.found(found.rows, nested).nested ?? []
    found.nested = nil
    for (number, query) in nested.enumerated() where number < parts.count { try query.complete(&parts[number], self) }
    found.nested = parts
  }
}
