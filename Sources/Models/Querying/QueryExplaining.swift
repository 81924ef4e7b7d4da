import GQLBase
import GQLCatalog
import GQLPlanner
import GQLQuery
import GQLWriting

/// The targets of a relation of another query's entities.
final class RelatedOrigin<
  Parent: EntityModelProtocol, Target: EntityModelProtocol, Directionality: RelationDirectionality,
  Cardinality: RelationCardinality, Constraints: RelationConstraints
>: QueryOrigin<Target> {
  typealias Path = WritableKeyPath<Parent, Relation<Target, Directionality, Cardinality, Constraints>> & Sendable
  private let path: Path
  private let parents: QueryList<Parent>

  init(_ path: Path, _ parents: QueryList<Parent>) {
    self.path = path
    self.parents = parents
    super.init(depth: 1 + (parents.origin?.depth ?? 0))
  }

  override var isOfTargets: Bool { parents.isOfTargets }

  override func explain(_ list: QueryList<Target>, _ explanation: inout QueryExplanation) -> String? {
    var parents = parents
    let targets = list.origin === self ? list.asTargets : list
    parents.nested = [TypedNestedQuery(path, .entities, isPart: false, targets)]
    return parents.explain(&explanation)
  }
}

extension QueryList {
  /// Explains how the planner would answer the query: the plan that the same query as text has. What is done in Swift
  /// behind it, because columns cannot tell, stands below.
  ///
  /// - Parameter costs: whether estimates and costs are shown; without them the text is the same for like data.
  public func explain(in context: Context, costs: Bool = true) -> String {
    if let reading = QueryReading<Entity>(context) {
      var explanation = QueryExplanation(reading, .plan(showsCosts: costs))
      if let text = explain(&explanation) { return text }
    }
    return "nothing: the context does not know \(Entity.self)\n"
  }

  /// Writes what is asked as text: `User(where: age > 18, limit: 3)`. What columns cannot tell stands below.
  public var description: String {
    guard let context = try? Context(for: Entity.self), let reading = QueryReading<Entity>(context) else {
      return "\(Entity.self)"
    }
    var explanation = QueryExplanation(reading, .request)
    let text = explain(&explanation) ?? "\(Entity.self): those of another query"
    return text.split(separator: "\n").joined(separator: "\n")
  }

  /// The same without where the rows come from.
  fileprivate var asTargets: Self {
    var list = self
    let given = GivenList()
    list.source = .targets(given)
    list.given = given
    list.origin = nil
    return list
  }

  func explain(_ explanation: inout QueryExplanation) -> String? {
    if let origin { return origin.explain(self, &explanation) }
    guard let reading = QueryReading<Entity>(explanation.context) else { return nil }
    let type = explanation.snapshot.catalog[reading.mapping.type]
    if case .rows = source {
      return explainStages(stages[...], &explanation, word: QueryExplanation.nextStage).map {
        "\(type.name): rows that are given\n" + $0
      }
    }
    if case .ids(let ids) = source {
      if ids.count == 1, let id = ids.first, let key = reading.key(id) {
        return explainStages(
          stages.isEmpty ? [QueryStage()] : stages[...], &explanation, word: type.rootOne, isOne: true,
          source: .key(type.primaryIndex, [key]))
      }
      let text = "\(type.name): \(ids.count) ids, each by \(type.name).id\n"
      return explainStages(stages[...], &explanation, word: QueryExplanation.nextStage).map { text + $0 }
    }
    let source = reading.isDeleted ? BoundSet.Source.deleted(includesLive: false) : .all
    return explainStages(
      stages.isEmpty ? [QueryStage()] : stages[...], &explanation, word: type.rootMany, source: source)
  }

  /// The plans of stages, one behind the other: each but the first takes the rows of the one before. What is nested
  /// comes with the last.
  func explainStages(
    _ stages: ArraySlice<QueryStage<Entity>>, _ explanation: inout QueryExplanation, word: String,
    isOne: Bool = false, source: BoundSet.Source = .given
  ) -> String? {
    guard let reading = QueryReading<Entity>(explanation.context) else { return nil }
    var text = ""
    var (word, source) = (word, source)
    let last = stages.indices.last
    for index in stages.indices {
      let set = explanation.set(reading, stages[index], source)
      explanation.add(word, isOne: isOne, set) { explanation in
        index == last ? nested.compactMap { $0.explain(&explanation) } : []
      }
      text += explanation.text()
      (word, source) = (QueryExplanation.nextStage, .given)
    }
    if stages.isEmpty && !nested.isEmpty {
      let set = explanation.set(reading, QueryStage(), source)
      explanation.add(word, isOne: isOne, set) { explanation in nested.compactMap { $0.explain(&explanation) } }
      text += explanation.text()
    }
    return text
  }
}

extension QueryList: CustomStringConvertible {}
extension Query: CustomStringConvertible {
  /// Writes what is asked as text would ask it: `user(id: 1)`.
  public var description: String { asList.description }
}
extension QueryGroup: CustomStringConvertible {
  /// Writes what is asked as text would ask it.
  public var description: String { flatten().description }
}

extension Query {
  /// Explains how the planner would answer the query: see ``QueryList/explain(in:costs:)``.
  public func explain(in context: Context, costs: Bool = true) -> String { asList.explain(in: context, costs: costs) }
}

extension QueryReading {
  /// The primary key of an id, as a constant; nil if the id has none.
  fileprivate func key(_ id: Entity.ID) -> BoundExpression? {
    let memory = StagingArena()
    var slot = ColumnSlot(memory)
    guard (try? mapping.info.idCodec.write(id, into: &slot)) != nil, let cell = slot.cell,
      let column = mapping.columns[mapping.info.idAttribute], let scalar = column.type.scalar
    else { return nil }
    let value = withExtendedLifetime(memory) { Value(cell, scalar) }
    return BoundExpression(.constant(value), column.type, at: SourceRange(at: 0))
  }
}
