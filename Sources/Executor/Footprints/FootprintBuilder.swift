import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// Finds what an answer depends on: from the query, the values of its parameters, and the rows that it was written of.
///
/// A condition that compares a column with what a run knows, and the parents whose lists are followed, say which rows of a
/// set can be members. Only for these can other conditions and orders decide something, and only of the rows of the answer
/// are the fields read. Where a condition may fail, the access path of the plan says which rows a run has looked at.
package struct FootprintBuilder {
  /// An element that expressions read.
  class Level {
    let type: EntityTypeID
    /// The columns that decide which rows there are, in which order.
    var deciding: ColumnMask = []
    /// The columns that are read of the rows that there are.
    var shown: ColumnMask = []
    /// The parts that are read of rows to which the rows of the answer lead.
    var paths: [(relations: [RelationID], columns: ColumnMask)] = []
    /// The rows that there are; nil where they are not known, or too many.
    let rows: ContiguousArray<UInt32>?

    init(_ type: EntityTypeID, rows: ContiguousArray<UInt32>? = nil) {
      self.type = type
      self.rows = rows
    }
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
  let snapshot: Snapshot
  let reader: NarrowingReader
  /// The rows of the answer; nil where there is none, because the run has failed.
  let trace: LevelTrace?
  var footprint = Footprint()
  /// Indicates whether the footprint depends on data beside the rows of the answer.
  package private(set) var readsData = false

  package init(_ plan: PhysicalPlan, _ snapshot: Snapshot, _ parameters: [GQLCatalog.Value?], _ trace: LevelTrace?) {
    query = plan.query
    self.plan = plan
    catalog = snapshot.catalog
    self.snapshot = snapshot
    reader = NarrowingReader(snapshot.catalog, parameters)
    self.trace = trace
  }

  package mutating func build() -> Footprint {
    // Time goes on with each commit.
    footprint.isEverything = query.parameters.contains { $0.source == .now }
    if !query.hosts.isEmpty { footprint.isEverything = true }
    if !footprint.isEverything { add(query.fields, []) }
    footprint.unify()
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
    var rows: ContiguousArray<UInt32>?
    if let trace, !trace.isPartial[id.index] { rows = trace.rows[id.index] }
    if case .groups = selection.shape { rows = nil }
    let level = Level(query[selection.set].type, rows: rows)
    // Of a recursion, elements of every depth are what the next one hangs under.
    var surroundings = [scopes]
    if let recursion = selection.recursion {
      if let depth = recursion.depth { read(depth, scopes) }
      surroundings.append(([Scope(level: level, part: .shown)] + scopes.dropFirst())[...])
      if let entry = recursion.entry {
        read(entry, nil, scopes)
        surroundings[0] = ([element(of: entry.type(catalog))] + scopes.dropFirst())[...]
      }
    }
    for scopes in surroundings { readSet(selection.set, scopes, into: level) }
    var inner = [Scope(level: level, part: .shown)] + scopes
    switch selection.shape {
    case .object(let fields): add(fields, inner[...])
    case .value(let expression): read(expression, inner[...])
    case .groups(let grouping):
      // Each member counts, whatever is shown of it.
      inner[0].part = .deciding
      add(grouping, inner[...])
    }
    for scopes in surroundings { addMembership(of: selection.set, level, scopes) }
    if case .groups = selection.shape { return }
    addRows(of: level)
  }

  /// Adds what is shown of the rows that there are.
  private mutating func addRows(of level: Level) {
    guard let rows = level.rows else {
      footprint.insert(allOf: level.type, level.shown.union(level.deciding))
      return
    }
    let columns = level.shown.union(level.deciding).union(.members)
    footprint.reserve(rows.count)
    for row in rows { footprint.insert(row: row, of: level.type, columns) }
    for path in level.paths {
      for row in rows { follow(path.relations[...], from: row, path.columns) }
    }
  }

  /// Adds the rows on a path of to-one relations, with what is read at its end.
  private mutating func follow(_ path: ArraySlice<RelationID>, from row: UInt32, _ columns: ColumnMask) {
    readsData = true
    guard let first = path.first else { return }
    let relation = catalog[first]
    let reader = snapshot.column(relation.source, relation.column)
    if reader.isNull(row) { return }
    let target = reader.reference(row)
    if target == PageLayout.noRow { return }
    if path.count == 1 { return footprint.insert(row: target, of: relation.target, columns) }
    if let next = path.dropFirst().first {
      footprint.insert(row: target, of: relation.target, ColumnMask(catalog[next].column))
    }
    follow(path.dropFirst(), from: target, columns)
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
      let target = catalog[relation].target
      if reference.isPath, let first = reference.path.first, reference.scope < scopes.count {
        let scope = scopes[scopes.startIndex + reference.scope]
        if scope.part == .shown, scope.level.rows != nil, scope.level.type == catalog[first].source {
          scope.level.shown.formUnion(ColumnMask(catalog[first].column))
          let columns = column.map { stored($0, target) } ?? []
          scope.level.paths.append((reference.path, columns))
          return
        }
      }
      read(base, catalog[relation].column, scopes)
      if let column { footprint.insert(allOf: target, stored(column, target)) }
    case .firstOf(let references, _): for reference in references { read(reference, column, scopes) }
    }
  }

  // MARK: - Membership

  /// Adds the rows that may become members of a set, or cease to be some.
  private mutating func addMembership(of id: SetID, _ level: Level, _ scopes: Scopes) {
    let set = query[id]
    switch set.source {
    case .all:
      let columns = level.deciding.union(.members)
      if addNarrowed(set, columns) || add(plan[id].access, set, columns) { return }
      footprint.insert(allOf: set.type, columns)
    case .key(let index, let keys):
      let columns = level.deciding.union(.members)
      if addKeys(index, keys, set, columns) { return }
      footprint.insert(allOf: set.type, columns.union(keyColumns(index, set.type)))
    case .keys(let index, let list):
      let columns = level.deciding.union(.members)
      if let values = listed(list), let column = catalog[index].columns.first,
        addKeys(values, column, set, columns)
      {
        return
      }
      footprint.insert(allOf: set.type, columns.union(keyColumns(index, set.type)))
    case .relation(let reference, let relation):
      // Which rows are linked is a matter of the links.
      if !level.deciding.isEmpty, !addLinked(reference, relation, level.deciding, scopes) {
        footprint.insert(allOf: set.type, level.deciding)
      }
    default: footprint.insert(allOf: set.type, level.deciding)
    }
  }

  /// Adds the targets of a relation of the rows that a set stands in; returns false, and adds nothing, where they are
  /// not known.
  private mutating func addLinked(
    _ reference: EntityReference, _ id: RelationID, _ columns: ColumnMask, _ scopes: Scopes
  ) -> Bool {
    guard case .scope(let depth, let type) = reference, depth < scopes.count else { return false }
    let scope = scopes[scopes.startIndex + depth]
    let relation = catalog[id]
    guard scope.part == .shown, scope.level.type == type, let rows = scope.level.rows else { return false }
    let inverse = catalog[relation.inverse]
    if relation.inverse != id, !inverse.isToMany, inverse.source == relation.target {
      for row in rows {
        footprint.insert(
          KeyHash.cell(Cell(low: UInt64(row)), .reference), in: inverse.column, of: inverse.source, columns)
      }
      return true
    }
    readsData = true
    let reader = snapshot.column(relation.source, relation.column)
    var targets: [UInt32] = []
    for row in rows where !reader.isNull(row) {
      if relation.isToMany { targets += reader.references(row) } else { targets.append(reader.reference(row)) }
      if targets.count > Self.mostTargets { return false }
    }
    for target in targets where target != PageLayout.noRow {
      footprint.insert(row: target, of: relation.target, columns)
    }
    return true
  }

  /// Targets of relations that are looked up one by one.
  private static let mostTargets = 4096

  // MARK: - Narrowing

  /// Adds the rows that meet a condition on one column, where all conditions of the set hold or not, and none can fail;
  /// returns false, and adds nothing, where there is no such condition.
  private mutating func addNarrowed(_ set: BoundSet, _ columns: ColumnMask) -> Bool {
    guard let predicate = set.predicate, !query.canFail(predicate) else { return false }
    var best: (column: ColumnID, narrowing: Narrowing)?
    for conjunct in predicate.conjuncts {
      guard let (reference, column, narrowing) = reader.read(conjunct), reference == .scope(0, set.type) else {
        continue
      }
      if case .values = narrowing {
        best = (column, narrowing)
        break
      }
      if best == nil { best = (column, narrowing) }
    }
    guard let best else { return addLinkedByKey(predicate, set, columns) }
    switch best.narrowing {
    case .values(let hashes): for hash in hashes { footprint.insert(hash, in: best.column, of: set.type, columns) }
    case .interval(let bounds): footprint.insert(bounds, in: best.column, of: set.type, columns)
    }
    return true
  }

  /// Adds the rows that a to-one relation leads from to the row under a unique key: `chat.id == $chat`.
  private mutating func addLinkedByKey(_ predicate: BoundExpression, _ set: BoundSet, _ columns: ColumnMask) -> Bool {
    for conjunct in predicate.conjuncts {
      guard case .compare(.equal, let left, let right) = conjunct.kind else { continue }
      for (side, other) in [(left, right), (right, left)] {
        guard case .column(.toOne(.scope(0, set.type), let id), let column) = side.kind,
          let value = reader.known(other),
          value != .null
        else { continue }
        let relation = catalog[id]
        guard let rows = row(under: value, column, of: relation.target) else { continue }
        readsData = true
        // Another row under the key is another one that leads there.
        footprint.insert(rows.hash, in: column, of: relation.target, .members)
        if let row = rows.row {
          footprint.insert(
            KeyHash.cell(Cell(low: UInt64(row)), .reference), in: relation.column, of: set.type, columns)
        }
        return true
      }
    }
    return false
  }

  /// The row under a key of a unique index of one column, with the key's hash; nil where there is no such index.
  private func row(
    under value: GQLCatalog.Value, _ column: ColumnID, of type: EntityTypeID
  ) -> (row: UInt32?, hash: UInt64)? {
    for id in catalog[type].indexes {
      let index = catalog[id]
      guard index.isUnique, index.kind == .hash, index.columns == [column],
        let hash = reader.hash(value, .scope(0, type), column).flatMap({ $0 })
      else { continue }
      let found = reader.cells.withCell(value, catalog[type][column]) { cell in
        withUnsafePointer(to: cell) { snapshot.hashIndex(id).find($0) }
      }
      return (found == PageLayout.noRow ? nil : found, hash)
    }
    return nil
  }

  /// Adds the rows that an access path finds; returns false, and adds nothing, where that is not known of it.
  private mutating func add(_ path: AccessPath, _ set: BoundSet, _ columns: ColumnMask) -> Bool {
    switch path {
    case .empty: return true
    case .lookup(let index, let keys): return addKeys(index, keys, set, columns)
    case .range(let index, let range):
      guard let first = range.equal.first, let column = catalog[index].columns.first else { return false }
      return addKeys([first], column, set, columns)
    case .lookupEach(let index, let keys):
      guard let column = catalog[index].columns.first else { return false }
      if keys.count == 1, let list = keys.first, let values = listed(list) {
        return addKeys(values, column, set, columns)
      }
      return addKeys(keys, column, set, columns)
    case .intersection(let paths):
      for path in paths where add(path, set, columns) { return true }
      return false
    case .union(let paths):
      let before = footprint
      for path in paths where !add(path, set, columns) {
        footprint = before
        return false
      }
      return true
    default: return false
    }
  }

  /// The elements of a list that a run knows before it begins; nil for another expression.
  private func listed(_ list: BoundExpression) -> [BoundExpression]? {
    guard case .list(let values)? = reader.known(list) else { return nil }
    return values.map { BoundExpression(.constant($0), list.type, at: list.range) }
  }

  /// Adds the rows under a key of an index: by the first of its columns that is looked up.
  private mutating func addKeys(
    _ index: IndexID, _ keys: [BoundExpression], _ set: BoundSet, _ columns: ColumnMask
  ) -> Bool {
    for (column, key) in zip(catalog[index].columns, keys) where addKeys([key], column, set, columns) { return true }
    return false
  }

  /// Adds the rows that have any of some values in a column.
  private mutating func addKeys(
    _ keys: [BoundExpression], _ column: ColumnID, _ set: BoundSet, _ columns: ColumnMask
  ) -> Bool {
    guard catalog[set.type][column].foldedFrom == nil, keys.count <= Self.mostKeys else { return false }
    var hashes: [UInt64?] = []
    for key in keys {
      guard let value = reader.known(key), let hash = reader.hash(value, .scope(0, set.type), column) else {
        return false
      }
      hashes.append(hash)
    }
    for hash in hashes { footprint.insert(hash, in: column, of: set.type, columns) }
    return true
  }

  private static let mostKeys = 256

  private func keyColumns(_ index: IndexID, _ type: EntityTypeID) -> ColumnMask {
    catalog[index].columns.reduce([]) { $0.union(stored($1, type)) }
  }

  /// A column, and the one that it is folded from, which change sets name.
  private func stored(_ column: ColumnID, _ type: EntityTypeID) -> ColumnMask {
    guard let from = catalog[type][column].foldedFrom else { return ColumnMask(column) }
    return [ColumnMask(column), ColumnMask(from)]
  }
}
