import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

/// Finds what an answer depends on: from the plan that it was found by, the values of its parameters, and the rows that it
/// was written of.
///
/// An access path says which rows of a set a run has looked at: those under a key, within bounds, in the list of a parent.
/// Only for these can a condition or an order decide something, and only of the rows of the answer are the fields read.
/// The plan has looked at no other rows, so none of them can have been, or have failed, in another way.
struct FootprintBuilder {
  /// An element that expressions read.
  class Level {
    let type: EntityTypeID
    /// The columns that decide which rows there are, in which order.
    var deciding: ColumnMask = []
    /// The columns that are read of the rows that there are.
    var shown: ColumnMask = []

    init(_ type: EntityTypeID) { self.type = type }
  }
  /// A part of what is read of an element.
  enum Part { case deciding, shown }
  /// An element as an expression sees it.
  struct Scope {
    var level: Level
    var part: Part
  }
  /// The scopes that an expression sees, the innermost first.
  typealias Scopes = ArraySlice<Scope>

  let query: BoundQuery
  let plan: PhysicalPlan
  let catalog: Catalog
  let parameters: [GQLCatalog.Value?]
  /// The rows of the answer; nil where there is none, because the run has failed.
  let trace: LevelTrace?
  var footprint = Footprint()

  init(_ plan: PhysicalPlan, _ catalog: Catalog, _ parameters: [GQLCatalog.Value?], _ trace: LevelTrace?) {
    query = plan.query
    self.plan = plan
    self.catalog = catalog
    self.parameters = parameters
    self.trace = trace
  }

  mutating func build() -> Footprint {
    // Time goes on with each commit.
    footprint.isEverything = query.parameters.contains { $0.source == .now }
    if !query.hosts.isEmpty { footprint.isEverything = true }
    if !footprint.isEverything { add(query.fields, []) }
    return footprint
  }

  // MARK: - Selections

  private mutating func add(_ fields: [BoundField], _ scopes: Scopes) {
    for field in fields {
      if let condition = field.condition { read(condition, scopes) }
      switch field.content {
      case .typename, .recursion, .depth, .cycle, .cursor: break
      case .introspection(let bound): for input in bound.inputs { read(input, scopes) }
      case .value(let expression): read(expression, scopes)
      case .embedded(let presence, let inner):
        read(presence, scopes)
        add(inner, scopes)
      case .inlined(let condition, let inner):
        read(condition, scopes)
        add(inner, scopes)
      case .one(let selection), .many(let selection): add(selection, scopes)
      }
    }
  }

  private mutating func add(_ id: SelectionID, _ scopes: Scopes) {
    let selection = query[id]
    let level = Level(query[selection.set].type)
    if let recursion = selection.recursion {
      // Elements of every depth are what the next one hangs under.
      if let depth = recursion.depth { read(depth, scopes) }
      if let entry = recursion.entry { read(entry, nil, scopes) }
      readSet(selection.set, [Scope(level: level, part: .shown)] + scopes.dropFirst(), into: level)
      readSet(selection.set, scopes, into: level)
    } else {
      readSet(selection.set, scopes, into: level)
    }
    var inner = [Scope(level: level, part: .shown)] + scopes
    switch selection.shape {
    case .object(let fields): add(fields, inner[...])
    case .value(let expression): read(expression, inner[...])
    case .groups(let grouping):
      // Each member counts, whatever is shown of it.
      inner[0].part = .deciding
      add(grouping, inner[...])
    }
    addMembership(of: selection.set, level, scopes)
    if case .groups = selection.shape { return }
    guard let trace, !trace.isPartial[id.index] else {
      return footprint.insert(allOf: level.type, level.shown.union(level.deciding))
    }
    let columns = level.shown.union(level.deciding).union(.members)
    for row in trace.rows[id.index] { footprint.insert(row: row, of: level.type, columns) }
  }

  private mutating func add(_ grouping: BoundGrouping, _ members: Scopes) {
    for expression in grouping.keys.flatMap(\.expressions) { read(expression, members) }
    for aggregate in grouping.aggregates {
      if let set = aggregate.set {
        let level = Level(query[set].type)
        readSet(set, members, into: level)
        for expression in aggregate.expressions {
          read(expression, ([Scope(level: level, part: .deciding)] + members)[...])
        }
        addMembership(of: set, level, members)
      } else {
        for expression in aggregate.expressions { read(expression, members) }
      }
    }
    // A group has no columns of its own.
    guard let first = members.first else { return }
    let group = ([first] + members)[...]
    for expression in [grouping.having].compactMap({ $0 }) + grouping.order.map(\.expression) {
      read(expression, group)
    }
    for expression in [grouping.limit, grouping.offset].compactMap({ $0 }) { read(expression, members.dropFirst()) }
    add(grouping.fields, group)
  }

  // MARK: - Sets

  /// Reads what decides about the members of a set.
  private mutating func readSet(_ id: SetID, _ scopes: Scopes, into level: Level) {
    let set = query[id]
    if set.linkStatus != .live { footprint.isEverything = true }
    readSource(set, scopes)
    let inner = ([Scope(level: level, part: .deciding)] + scopes)[...]
    if let predicate = set.predicate { read(predicate, inner) }
    for term in set.order { read(term.expression, inner) }
    for expression in set.distinctOn { read(expression, inner) }
    for expression in set.outerExpressions { read(expression, scopes) }
  }

  /// Reads a set that is a part of another one, all of whose members count.
  private mutating func readWhole(_ id: SetID, _ scopes: Scopes) {
    let level = Level(query[id].type)
    readSet(id, scopes, into: level)
    addMembership(of: id, level, scopes)
  }

  private mutating func readSource(_ set: BoundSet, _ scopes: Scopes) {
    switch set.source {
    case .all, .items: break
    case .given, .host, .deleted: footprint.isEverything = true
    case .key(_, let keys): for key in keys { read(key, scopes) }
    case .keys(_, let list): read(list, scopes)
    case .relation(let reference, let relation): read(reference, catalog[relation].column, scopes)
    case .step(let base, let relation), .linked(let base, let relation):
      readWhole(base, scopes)
      read(relation)
    case .routes(let base, let routes, _):
      readWhole(base, scopes)
      for route in routes { for relation in route { read(relation) } }
    case .branches(let branches):
      for branch in branches {
        read(branch.reference, catalog[branch.relation].column, scopes)
        for cast in branch.casts { for relation in cast { read(relation) } }
      }
    case .union(let sets), .members(_, let sets): for base in sets { readWhole(base, scopes) }
    case .each(let base, let list):
      readWhole(base, scopes)
      readWhole(list, ([element(of: query[base].type)] + scopes)[...])
    case .closure(let closure):
      read(closure.start, scopes)
      readWhole(closure.step, ([element(of: closure.start, scopes)] + scopes)[...])
    case .shortestPath(let path):
      read(path.start, scopes)
      read(path.target, scopes)
      readWhole(path.step, ([element(of: path.start, scopes)] + scopes)[...])
    }
  }

  /// An element of which nothing is known but its type.
  private mutating func element(of type: EntityTypeID) -> Scope {
    // Whatever is read of it is read of any row.
    Scope(level: AnyLevel(type), part: .deciding)
  }

  private mutating func element(of end: TraversalEnd, _ scopes: Scopes) -> Scope {
    switch end {
    case .entity(let reference): element(of: reference.type(catalog))
    case .set(let set): element(of: query[set].type)
    }
  }

  private mutating func read(_ end: TraversalEnd, _ scopes: Scopes) {
    switch end {
    case .entity(let reference): read(reference, nil, scopes)
    case .set(let set): readWhole(set, scopes)
    }
  }

  /// Reads the links of a relation of any row.
  private mutating func read(_ relation: RelationID) {
    footprint.insert(allOf: catalog[relation].source, ColumnMask(catalog[relation].column))
  }

  /// Any row of a type.
  private final class AnyLevel: Level {}

  // MARK: - Expressions

  /// Reads what an expression reads.
  private mutating func read(_ expression: BoundExpression, _ scopes: Scopes) {
    switch expression.kind {
    case .column(let reference, let column): read(reference, column, scopes)
    case .isDeleted, .isInserted, .host: footprint.isEverything = true
    case .score(let searches):
      // The score of a text depends on all others.
      for case .matches(_, _, let source) in searches.map(\.kind) {
        guard let type = source.type else {
          footprint.isEverything = true
          continue
        }
        footprint.insert(allOf: type, source.columns.reduce(.members) { $0.union(ColumnMask($1)) })
      }
    case .quantifier(_, let set, let body), .aggregate(_, let set, let body):
      let level = Level(query[set].type)
      readSet(set, scopes, into: level)
      if let body { read(body, ([Scope(level: level, part: .deciding)] + scopes)[...]) }
      addMembership(of: set, level, scopes)
      return
    case .listCall(_, let list, _, let body):
      read(list, scopes)
      // An element is no entity, but a scope.
      guard let body else { return }
      return read(body, ([element(of: EntityTypeID(0))] + scopes)[...])
    case .item, .groupAggregate: break
    default: if let reference = expression.ownReference { read(reference, nil, scopes) }
    }
    for operand in expression.operands { read(operand, scopes) }
  }

  /// Reads the way to an entity, and a column of it.
  private mutating func read(_ reference: EntityReference, _ column: ColumnID?, _ scopes: Scopes) {
    switch reference {
    case .scope(let depth, let type):
      guard let column else { return }
      let columns = stored(column, type)
      guard depth < scopes.count else { return footprint.insert(allOf: type, columns) }
      let scope = scopes[scopes.startIndex + depth]
      if scope.level is AnyLevel || scope.level.type != type {
        footprint.insert(allOf: type, columns)
      } else if scope.part == .deciding {
        scope.level.deciding.formUnion(columns)
      } else {
        scope.level.shown.formUnion(columns)
      }
    case .toOne(let base, let relation):
      read(base, catalog[relation].column, scopes)
      let target = catalog[relation].target
      if let column { footprint.insert(allOf: target, stored(column, target)) }
    case .firstOf(let references, _): for reference in references { read(reference, column, scopes) }
    }
  }

  // MARK: - Membership

  /// Adds the rows that may become members of a set, or cease to be some.
  private mutating func addMembership(of id: SetID, _ level: Level, _ scopes: Scopes) {
    let set = query[id]
    switch set.source {
    case .all, .key, .keys:
      footprint.insert(allOf: set.type, level.deciding.union(.members).union(keyColumns(set)))
    default:
      // Which rows are linked is a matter of the links.
      footprint.insert(allOf: set.type, level.deciding)
    }
  }

  private func keyColumns(_ set: BoundSet) -> ColumnMask {
    switch set.source {
    case .key(let index, _), .keys(let index, _): catalog[index].columns.reduce([]) { $0.union(stored($1, set.type)) }
    default: []
    }
  }

  /// A column, and the one that it is folded from, which change sets name.
  private func stored(_ column: ColumnID, _ type: EntityTypeID) -> ColumnMask {
    guard let from = catalog[type][column].foldedFrom else { return ColumnMask(column) }
    return [ColumnMask(column), ColumnMask(from)]
  }
}
