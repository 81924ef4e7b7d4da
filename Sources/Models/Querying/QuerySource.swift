import GQLCatalog

/// A list that a closure of a query gets: what a relation leads to from an entity, of each entity in turn. Elsewhere it
/// stands for all entities of its type.
@usableFromInline final class ClosureList: Sendable {}

/// A place where entities come from that are made of what other queries give.
@usableFromInline class QuerySource<Entity: EntityModelProtocol> {
  /// How many queries take what others give, one behind the other.
  let depth: Int

  init(depth: Int) { self.depth = depth }

  /// The source without types and values.
  func tree(_ reading: QueryReading<Entity>, _ builder: inout QueryTreeBuilder) throws -> QueryTree.Source { .nothing }
}

/// Rows of other queries for the same type, put together.
final class CombinedSource<Entity: EntityModelProtocol>: QuerySource<Entity> {
  let combination: Combination
  private let parts: SharedList<QueryList<Entity>>

  init(_ combination: Combination, _ parts: [QueryList<Entity>]) {
    self.combination = combination
    self.parts = SharedList(parts)
    super.init(depth: Self.depth(parts))
  }

  private init(_ other: CombinedSource, _ more: [QueryList<Entity>]) {
    combination = other.combination
    parts = other.parts.appending(more)
    super.init(depth: max(other.depth, Self.depth(more)))
  }

  private static func depth(_ parts: [QueryList<Entity>]) -> Int {
    1 + parts.reduce(0) { max($0, $1.sourceDepth) }
  }

  func with(_ more: [QueryList<Entity>]) -> CombinedSource { CombinedSource(self, more) }

  override func tree(
    _ reading: QueryReading<Entity>, _ builder: inout QueryTreeBuilder
  ) throws -> QueryTree.Source {
    .combined(combination, try parts.elements.map { try reading.tree(of: $0, &builder) })
  }
}

/// A query over the targets of a relation of each of another query's entities.
final class EachSource<
  Parent: EntityModelProtocol, Target: EntityModelProtocol, Directionality: _RelationDirectionality,
  Cardinality: _RelationCardinality, Constraints: _RelationConstraints
>: QuerySource<Target> {
  typealias Path = WritableKeyPath<Parent, Relation<Target, Directionality, Cardinality, Constraints>> & Sendable
  private let path: Path
  private let parents: QueryList<Parent>
  /// Holds the part that is taken of the targets of each.
  private let each: QueryList<Target>

  init(_ path: Path, _ parents: QueryList<Parent>, _ each: QueryList<Target> = .ofClosure) {
    self.path = path
    self.parents = parents
    self.each = each
    super.init(depth: 1 + max(parents.sourceDepth, each.sourceDepth))
  }

  override func tree(
    _ reading: QueryReading<Target>, _ builder: inout QueryTreeBuilder
  ) throws -> QueryTree.Source {
    guard let owner = try QueryReading<Parent>.of(reading.context), let place = owner.mapping.info.relation(path),
      let relation = owner.mapping.relations[place], !owner.isDeleted
    else { return .nothing }
    let parents = try owner.tree(of: parents, &builder)
    builder.lists.append(each.given ?? ClosureList())
    defer { builder.lists.removeLast() }
    return .each(parents, relation.id, try reading.tree(of: each, &builder))
  }
}

/// Takes the place of too many queries that take what others give.
final class TooDeepSource<Entity: EntityModelProtocol>: QuerySource<Entity> {
  init() { super.init(depth: NestingDepth.maximumSources) }

  override func tree(
    _ reading: QueryReading<Entity>, _ builder: inout QueryTreeBuilder
  ) throws -> QueryTree.Source {
    throw NestingDepth.problem(NestingDepth.maximumSources)
  }
}

extension QueryList {
  /// Makes a query of a source; if that is made of too many others, the query fails, and holds nothing of it.
  init(from source: QuerySource<Entity>) {
    self.init(.made(source.depth <= NestingDepth.maximumSources ? source : TooDeepSource()))
  }

  /// Indicates whether its stages alone say what it gives of the list that it was made for.
  var beginsWithList: Bool {
    switch source {
    case .list(let other): other === given
    // Which ones are the first of all, no list tells.
    case .all: stages.allSatisfy { !$0.isSliced }
    case .ids, .made: false
    }
  }

  /// How many queries take what others give, one behind the other.
  var sourceDepth: Int { if case .made(let source) = source { source.depth } else { 0 } }

  /// The query for all of a list that a closure gets.
  static var ofClosure: Self { given { (list: Self) in list } }

  /// Returns the query that a closure makes of the list that it gets.
  static func given(_ modifier: (Self) -> Self) -> Self {
    let list = ClosureList()
    var query = modifier(Self(.list(list)))
    query.given = list
    return query
  }

  /// Returns the query that a closure makes of the one entity that it gets.
  static func given(one modifier: (Query<Entity>) -> Query<Entity>) -> Self {
    given { modifier(Query($0)).asList }
  }
}
