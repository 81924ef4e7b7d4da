import GQLBase
import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLStore

/// The query that the planner is shown of a typed query, to tell what it would do: with the values in it, and with
/// nested relations in place.
struct QueryExplanation {
  let context: Context
  let snapshot: Snapshot
  let schema: ModelSchema
  /// What is said of each part of the query.
  enum Form {
    case plan(showsCosts: Bool)
    /// What is asked, as text would ask it.
    case request
  }
  private let form: Form
  private var query: BoundQuery
  private static var largest: Int { 1000 }
  private static var cut: String { "and further relations, which are not shown" }
  /// What the conditions of the set that is added next ask about.
  private var conditionSets: [BoundSet] = []
  /// What is done beside the plan.
  var notes: [String] = []

  init<Entity>(_ reading: QueryReading<Entity>, _ form: Form) {
    context = reading.context
    snapshot = reading.snapshot
    schema = reading.schema
    self.form = form
    query = BoundQuery(name: nil, catalogVersion: snapshot.catalog.version)
  }

  /// The plan, or what is asked, and the notes, as text; what was added is forgotten.
  mutating func text() -> String {
    var text: String
    switch form {
    case .plan(let showsCosts): text = plan(showsCosts: showsCosts)
    case .request: text = request()
    }
    for note in notes { text += "\(note)\n" }
    notes = []
    query = BoundQuery(name: nil, catalogVersion: snapshot.catalog.version)
    return text
  }

  private func plan(showsCosts: Bool) -> String {
    let planned = optimize(
      query, catalog: snapshot.catalog, statistics: snapshot, parameters: [],
      sampler: PredicateSampler(snapshot: snapshot, parameters: []))
    return GQLPlanner.explain(
      planned.output, catalog: snapshot.catalog, options: ExplainOptions(costs: showsCosts))
  }

  private func request() -> String {
    let printer = ExpressionPrinter(query: query, catalog: snapshot.catalog)
    func text(_ fields: [BoundField]) -> String {
      fields.map { field in
        switch field.content {
        case .one(let id), .many(let id):
          let selection = query[id]
          let set = printer.set(query[selection.set])
          guard case .object(let inner) = selection.shape, !inner.isEmpty else { return set }
          return "\(set) { \(text(inner)) }"
        default: return field.key
        }
      }.joined(separator: " ")
    }
    // What comes behind another stage is of the same type.
    return (query.fields.first?.key == Self.nextStage ? "then " : "") + text(query.fields) + "\n"
  }

  /// The name of the root field of a stage that takes the rows of the one before it.
  static var nextStage: String { "then" }

  /// Adds a root field.
  mutating func add(
    _ key: String, isOne: Bool, _ set: BoundSet, _ fields: (inout Self) -> [BoundField]
  ) {
    let selection = addSelection(set, fields)
    query.fields.append(
      BoundField(key: key, content: isOne ? .one(selection) : .many(selection), range: SourceRange(at: 0)))
  }

  private mutating func addSelection(_ set: BoundSet, _ fields: (inout Self) -> [BoundField]) -> SelectionID {
    let number = SetID(query.sets.count)
    query.sets.append(set)
    query.sets += conditionSets
    conditionSets = []
    let selection = SelectionID(query.selections.count)
    query.selections.append(BoundSelection(set: number, shape: .object([])))
    let fields = fields(&self)
    query.selections[selection.index].shape = .object(fields)
    return selection
  }

  /// The set of a stage. What is left to do in Swift becomes a note, with `name` where it is not the root.
  mutating func set<Entity: EntityModelProtocol>(
    _ reading: QueryReading<Entity>, _ stage: QueryStage<Entity>, _ source: BoundSet.Source, of name: String? = nil
  ) -> BoundSet {
    var (shape, parameters, rest) = reading.plannable(stage, .all)
    if rest.isEmpty && stage.isSliced {
      reading.slice(stage, &shape, &parameters)
    } else {
      rest = rest.slicing(stage)
    }
    if let note = rest.note { notes.append("in Swift\(name.map { ", of \($0)" } ?? ""): \(note)") }
    let lowering = QueryLowering(
      shape, snapshot.catalog, reading.types, parameters: parameters, hasConstants: true,
      firstSet: query.sets.count + 1, firstItem: query.itemCount)
    var set = lowering.set(source)
    (conditionSets, query.itemCount) = lowering.conditionSets
    // No offset is written as none.
    if stage.offset == 0 { set.offset = nil }
    return set
  }

  /// Adds the targets of a relation, as a field of its parent.
  mutating func nested<Parent: EntityModelProtocol, Target, Directionality, Cardinality, Constraints>(
    _ parent: Parent.Type,
    _ path: WritableKeyPath<Parent, Relation<Target, Directionality, Cardinality, Constraints>> & Sendable,
    _ list: QueryList<Target>
  ) -> BoundField? {
    guard let mapping = QueryReading<Parent>(context)?.mapping, let place = mapping.info.relation(path),
      let relation = mapping.relations[place], let targets = QueryReading<Target>(context)
    else { return nil }
    // Queries for several depths have as many as there are ways.
    if query.sets.count >= Self.largest {
      if notes.last != Self.cut { notes.append(Self.cut) }
      return nil
    }
    let name = mapping.info.relations[place].name
    let source = BoundSet.Source.relation(.scope(0, relation.source), relation.id)
    // What other queries give is looked for in Swift among all targets.
    let stages = list.isOfList ? list.stages : [QueryStage()] + list.stages
    let set = set(targets, stages.first ?? QueryStage(), source, of: name)
    let selection = addSelection(set) { explanation in list.nested.compactMap { $0.explain(&explanation) } }
    if !list.isOfList { notes.append("in Swift, of \(name): those of another query") }
    for stage in stages.dropFirst() { notes.append("then, of \(name): \(stage.summary)") }
    return BoundField(
      key: name, content: relation.isToMany ? .many(selection) : .one(selection), range: SourceRange(at: 0))
  }
}

extension QueryRest {
  /// What is done in Swift; nil if nothing is.
  var note: String? {
    var parts: [String] = []
    // Conditions that are closures have no words.
    let words = conjuncts.compactMap { $0.words.map { brief($0()) } }
    let others = conjuncts.count - words.count
    let filters = words + (others > 0 ? [counted(others, "condition")] : [])
    if !filters.isEmpty { parts.append("filter by \(filters.joined(separator: " and "))") }
    if !order.isEmpty { parts.append("sort by \(counted(order.count, "key"))") }
    if let limit { parts.append("first \(limit)" + (offset == 0 ? "" : ", skipping \(offset)")) }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension QueryStage {
  fileprivate var summary: String {
    var rest = QueryRest<Entity>()
    (rest.conjuncts, rest.order, rest.limit, rest.offset) = (conjuncts, order, limit, offset)
    return rest.note ?? "all"
  }
}

/// The beginning of a condition's words, in one line.
private func brief(_ words: String) -> String {
  let line = words.split(whereSeparator: \.isNewline).joined(separator: " ")
  return line.count > 200 ? "\(line.prefix(199))…" : line
}

private func counted(_ count: Int, _ word: String) -> String { count == 1 ? "1 \(word)" : "\(count) \(word)s" }
