import GQLBase
import GQLCatalog
import GQLQuery
import GQLRegex
import GQLStore
import GQLWriting

/// What the parts of an ``Executable`` share while they are made.
struct PlanCompiler {
  let plan: PhysicalPlan
  let catalog: Catalog
  /// Holds the memory of constants.
  let constants: CellPool
  /// The columns that are read, by slot.
  private(set) var readers: [ColumnAddress] = []
  private var slots: [ColumnAddress: Int] = [:]
  private var aroundSet: [Int?]
  /// The sets whose members' depths are written.
  private let deepSets: Set<Int>
  private let interruption: Interruption?

  struct ColumnAddress: Hashable, Sendable {
    var type: EntityTypeID
    var column: ColumnID
  }

  init(
    _ plan: PhysicalPlan, _ catalog: Catalog, _ constants: CellPool, interruption: Interruption? = nil
  ) {
    self.plan = plan
    self.interruption = interruption
    self.catalog = catalog
    self.constants = constants
    aroundSet = Array(repeating: nil, count: plan.query.sets.count)
    deepSets = Set(plan.query.selections.filter(\.showsDepth).map(\.set.index))
  }

  /// Whether what is made will not be used, because the caller does not wait any longer.
  var isInterrupted: Bool { interruption?.isDue ?? false }

  /// Throws if the caller does not wait any longer.
  func checkInterruption() throws(RuntimeProblem) { try interruption?.check() }

  /// Not to be run if the caller does not wait any longer, which is found by ``checkInterruption()``.
  func program(_ expressions: [BoundExpression]) -> ExpressionProgram {
    ExpressionProgram(expressions, of: plan.query, catalog: catalog, interruption: interruption)
  }

  mutating func reader(_ type: EntityTypeID, _ column: ColumnID) -> Int {
    let address = ColumnAddress(type: type, column: column)
    // Most plans read few columns, and a plan is compiled for many a query that runs once.
    if readers.count <= 16 {
      if let slot = readers.firstIndex(of: address) { return slot }
    } else {
      if slots.isEmpty { for (slot, known) in readers.enumerated() { slots[known] = slot } }
      if let slot = slots[address] { return slot }
      slots[address] = readers.count
    }
    readers.append(address)
    return readers.count - 1
  }

  mutating func relation(_ id: RelationID, _ status: LinkStatus = .live) -> RelationAccess {
    let relation = catalog[id]
    return RelationAccess(
      id: id, status: status, reader: reader(relation.source, relation.column), isToMany: relation.isToMany,
      target: relation.target)
  }

  mutating func reference(_ reference: EntityReference) -> CompiledReference {
    switch reference {
    case .scope(let depth, _): return CompiledReference(depth: depth)
    case .toOne(let base, let id):
      var compiled = self.reference(base)
      compiled.path.append(relation(id).reader)
      return compiled
    // Taken apart before.
    case .firstOf: return CompiledReference(depth: Int.max)
    }
  }

  /// The relation of whichever of the reference's paths leads somewhere.
  private mutating func branch(_ branch: RelationBranch, _ status: LinkStatus) -> [AccessNode] {
    branch.reference.alternatives.map { entity in
      let node = AccessNode(.relation)
      node.relation = relation(branch.relation, status)
      node.reference = reference(entity)
      node.casts = branch.casts.map { path in path.map { relation($0).reader } }
      return node
    }
  }

  private mutating func branches(_ branches: [RelationBranch], _ status: LinkStatus) -> AccessNode {
    let node = AccessNode(.branches)
    for branch in branches { node.children += self.branch(branch, status) }
    return node
  }

  // MARK: - Access paths

  mutating func access(_ path: AccessPath, of set: BoundSet, number: Int) -> AccessNode {
    switch path {
    case .source:
      switch set.source {
      case .all: return AccessNode(.scan)
      case .key(let index, let key): return lookup(index, key)
      case .relation(let entity, let id) where !entity.isPath || set.linkStatus != .live:
        return branches([RelationBranch(reference: entity, relation: id)], set.linkStatus)
      case .branches(let list): return branches(list, set.linkStatus)
      case .union(let sets):
        let node = AccessNode(.union)
        for set in sets {
          let member = AccessNode(.set)
          member.number = set.index
          node.children.append(member)
        }
        return node
      case .relation(let entity, let id):
        let node = AccessNode(.relation)
        node.relation = relation(id)
        node.reference = reference(entity)
        return node
      case .items(let group, let selection):
        let node = AccessNode(.groupMembers)
        node.number = selection.index
        node.reference = reference(group)
        switch plan.query.groupedSource(of: selection) {
        case .relation(_, let id): node.keepsLinkOrder = catalog[id].isToMany
        case .branches(let branches): node.keepsLinkOrder = branches.contains { catalog[$0.relation].isToMany }
        default: break
        }
        return node
      case .step(let inner, let id), .linked(let inner, let id):
        let node = AccessNode(.step)
        node.number = inner.index
        node.relation = relation(id, set.linkStatus)
        if case .linked = set.source { node.keepsLinkOrder = true }
        return node
      case .routes(let inner, let routes, let inLinkOrder):
        let node = AccessNode(.routes)
        node.number = inner.index
        node.keepsLinkOrder = inLinkOrder
        for route in routes {
          // The links of the last relation that leads to another entity.
          let last = route.lastIndex { !catalog[$0].isMirror }
          node.routes.append(
            route.indices.map { relation(route[$0], $0 == last ? set.linkStatus : .live) })
        }
        return node
      case .deleted(let includesLive): return AccessNode(includesLive ? .all : .deleted)
      case .given: return AccessNode(.given)
      case .closure(let closure):
        let node = AccessNode(.closure)
        node.traversal = CompiledTraversal(closure, wantsDepth: deepSets.contains(number), at: set.range, &self)
        return node
      case .shortestPath(let path):
        let node = AccessNode(.shortestPath)
        node.traversal = CompiledTraversal(path, at: set.range, &self)
        return node
      }
    case .scan: return AccessNode(.scan)
    case .lookup(let index, let key):
      let node = lookup(index, key)
      // No key is null: `user(email: null)` is nobody, not one of those without an address.
      if case .key = set.source { node.keysAreNonNull = true }
      return node
    case .lookupEach(let index, let values): return lookupEach(index, values)
    case .range(let index, let range): return self.range(index, range)
    case .intersection(let paths):
      let node = AccessNode(.intersection)
      node.children = paths.map { access($0, of: set, number: number) }
      return node
    case .union(let paths):
      let node = AccessNode(.union)
      node.children = paths.map { access($0, of: set, number: number) }
      return node
    case .rowSet(let number):
      let node = AccessNode(.rowSet)
      node.number = number
      return node
    case .empty: return AccessNode(.empty)
    case .timeRange(_, let column, let range):
      let node = AccessNode(.timeRange)
      node.column = column
      var expressions: [BoundExpression] = []
      PlanCompiler.appendBounds(of: range, to: node, &expressions)
      node.scalars = ScalarSources(expressions, self)
      return node
    case .fullText(let index, let columns, let query): return fullText(index, columns, query)
    case .trigram(let index, let column, let condition, let pattern):
      return trigram(index, column, condition, pattern)
    case .hashJoin(let build, let keys):
      let node = AccessNode(.hashJoin)
      if set.source != .all { node.children = [access(.source, of: set, number: number)] }
      node.buildProgram = program(build)
      node.buildTypes = build.map(\.type)
      node.scalars = ScalarSources(keys, self)
      return node
    }
  }

  func fullText(_ index: IndexID, _ columns: [ColumnID], _ query: BoundExpression) -> AccessNode {
    let node = AccessNode(.fullText)
    node.index = index
    node.indexKind = .fullText
    node.columns = columns
    node.language = catalog[index].language ?? ""
    node.scalars = ScalarSources([query], self)
    return node
  }

  func trigram(
    _ index: IndexID, _ column: ColumnID, _ condition: TextCondition, _ pattern: BoundExpression
  ) -> AccessNode {
    let node = AccessNode(.trigram)
    node.index = index
    node.indexKind = .trigram
    node.column = column
    node.condition = condition
    node.scalars = ScalarSources([pattern], self)
    return node
  }

  mutating func lookup(_ index: IndexID, _ key: [BoundExpression]) -> AccessNode {
    let node = indexed(.lookup, index)
    node.scalars = ScalarSources(key, self)
    return node
  }

  mutating func lookupEach(_ index: IndexID, _ values: [BoundExpression]) -> AccessNode {
    let node = indexed(.lookupEach, index)
    node.scalars = ScalarSources(values, self)
    if values.count == 1, case .list(let element) = values[0].type {
      node.isListValued = true
      node.listIsWide = ColumnKind(.list(element)) == .wideList
    }
    return node
  }

  mutating func range(_ index: IndexID, _ range: IndexRange) -> AccessNode {
    let node = indexed(.range, index)
    var expressions = range.equal
    node.equalCount = range.equal.count
    PlanCompiler.appendBounds(of: range, to: node, &expressions)
    if let prefix = range.prefix {
      node.prefix = expressions.count
      expressions.append(prefix)
    }
    node.includesNulls = range.includesNulls
    node.onlyNulls = range.onlyNulls
    node.firstOfEach = range.firstOfEach
    node.scalars = ScalarSources(expressions, self)
    return node
  }

  /// The bounds' values behind the expressions that are there, their places in the node.
  private static func appendBounds(
    of range: IndexRange, to node: AccessNode, _ expressions: inout [BoundExpression]
  ) {
    if let lower = range.lower {
      node.lower = expressions.count
      node.lowerInclusive = lower.isInclusive
      expressions.append(lower.value)
    }
    if let upper = range.upper {
      node.upper = expressions.count
      node.upperInclusive = upper.isInclusive
      expressions.append(upper.value)
    }
  }

  private mutating func indexed(_ kind: AccessNode.Kind, _ index: IndexID) -> AccessNode {
    let descriptor = catalog[index]
    let node = AccessNode(kind)
    node.index = index
    node.indexKind = descriptor.kind
    node.isUnique = descriptor.isUnique
    for column in descriptor.columns {
      let description = catalog[descriptor.type][column]
      node.keyReaders.append(reader(descriptor.type, column))
      node.keyKinds.append(description.kind)
      if !description.isNonNull { node.keysAreNonNull = false }
    }
    return node
  }

  // MARK: - Scopes

  /// How many of the scopes around a set (those that its `limit` sees) it uses.
  mutating func scopesUsed(byAround id: Int) -> Int {
    if let known = aroundSet[id] { return known }
    aroundSet[id] = 0
    let set = plan.query.sets[id]
    let setPlan = plan.sets[id]
    var result = 0
    switch set.source {
    case .all, .deleted, .given: break
    case .key(_, let key): for part in key { result = max(result, scopes(part)) }
    case .relation(let reference, _): result = max(result, reference.scope + 1)
    case .items(let reference, _): result = max(result, reference.scope + 1)
    case .step(let inner, _), .linked(let inner, _), .routes(let inner, _, _):
      result = max(result, scopesUsed(byAround: inner.index))
    case .branches(let branches): for branch in branches { result = max(result, branch.reference.scope + 1) }
    case .union(let sets): for inner in sets { result = max(result, scopesUsed(byAround: inner.index)) }
    case .closure(let closure):
      result = max(scopesUsed(by: closure.start), scopesUsed(byAround: closure.step.index) - 1)
    case .shortestPath(let path):
      result = max(
        scopesUsed(by: path.start), scopesUsed(by: path.target), scopesUsed(byAround: path.step.index) - 1)
    }
    for expression in set.outerExpressions { result = max(result, scopes(expression)) }
    for inside in [set.predicate, setPlan.filter].compactMap({ $0 }) + set.order.map(\.expression) + set.distinctOn {
      result = max(result, scopes(inside) - 1)
    }
    result = max(result, scopes(setPlan.access))
    aroundSet[id] = result
    return result
  }

  private mutating func scopesUsed(by end: TraversalEnd) -> Int {
    switch end {
    case .entity(let reference): reference.scope + 1
    case .set(let set): scopesUsed(byAround: set.index)
    }
  }

  private mutating func scopes(_ path: AccessPath) -> Int {
    var parts: [BoundExpression] = []
    switch path {
    case .source, .scan, .rowSet, .empty: return 0
    case .fullText(_, _, let query): parts = [query]
    case .trigram(_, _, _, let pattern): parts = [pattern]
    case .lookup(_, let key), .lookupEach(_, let key), .hashJoin(_, let key): parts = key
    case .range(_, let range), .timeRange(_, _, let range):
      parts = range.equal + [range.lower?.value, range.upper?.value, range.prefix].compactMap { $0 }
    case .intersection(let paths), .union(let paths): return paths.reduce(0) { max($0, scopes($1)) }
    }
    return parts.reduce(0) { max($0, scopes($1)) }
  }

  /// How many scopes an expression uses: 0 if only constants and parameters.
  mutating func scopes(_ expression: BoundExpression) -> Int {
    switch expression.kind {
    case .constant, .parameter: return 0
    case .column(let reference, _), .entity(let reference), .inRowSet(let reference, _), .isDeleted(let reference),
      .isInserted(let reference),
      .item(let reference, _):
      return reference.scope + 1
    case .groupAggregate(let reference, _, _): return reference.scope + 1
    case .not(let a), .isTrue(let a), .isNull(let a), .negate(let a), .convert(let a), .cast(let a), .fold(let a):
      return scopes(a)
    case .and(let list), .or(let list), .coalesce(let list), .conditional(let list), .call(_, let list),
      .jsonList(let list), .jsonObject(_, let list):
      return list.reduce(0) { max($0, scopes($1)) }
    case .compare(_, let a, let b), .inList(let a, let b), .textTest(_, let a, let b), .listContains(let a, let b),
      .like(let a, let b, _), .regex(let a, let b), .arithmetic(_, let a, let b), .jsonPath(let a, let b),
      .element(let a, let b), .join(let a, let b):
      return max(scopes(a), scopes(b))
    case .invoke(_, let list): return list.reduce(0) { max($0, scopes($1)) }
    case .listCall(_, let list, _, let inside): return max(scopes(list), (inside.map { scopes($0) } ?? 0) - 1)
    case .inValues(let a, let list): return list.reduce(scopes(a)) { max($0, scopes($1)) }
    case .inRange(let a, let lower, let upper, _):
      return max(scopes(a), lower.map { scopes($0) } ?? 0, upper.map { scopes($0) } ?? 0)
    case .matches, .score, .highlight: return expression.operands.reduce(0) { max($0, scopes($1)) }
    case .quantifier(_, let set, let inside), .aggregate(_, let set, let inside):
      return max(scopesUsed(byAround: set.index), (inside.map { scopes($0) } ?? 0) - 1)
    }
  }
}

extension Interruption {
  /// Throws if work is to end.
  package func check() throws(RuntimeProblem) {
    if isCancelled { throw RuntimeProblem(.cancelled, at: SourceRange(at: 0)) }
    if let memory, memory.isExceeded { throw RuntimeProblem(.memory(limit: memory.limit), at: SourceRange(at: 0)) }
    if isLate { throw RuntimeProblem(.timeout(milliseconds: milliseconds), at: SourceRange(at: 0)) }
  }
}

extension BoundSelection {
  /// Whether `_depth` is one of its fields.
  fileprivate var showsDepth: Bool {
    guard case .object(let fields) = shape else { return false }
    return fields.contains { if case .depth = $0.content { true } else { false } }
  }
}
