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
  /// How many operators have a state.
  private(set) var stateCount = 0
  /// Where the groups of selections lie.
  private(set) var groupSlots: [Int: Int] = [:]
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
    aroundSet = plan.query.sets.indices.map { _ in nil }
    var deepSets: Set<Int> = []
    for place in plan.query.selections.indices where plan.query.selections[place].showsDepth {
      deepSets.insert(plan.query.selections[place].set.index)
    }
    self.deepSets = deepSets
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

  /// Returns the slot of the groups of a selection.
  mutating func groupSlot(_ selection: Int) -> Int {
    if let known = groupSlots[selection] { return known }
    let slot = stateSlot()
    groupSlots[selection] = slot
    return slot
  }

  /// Returns the number of a state that each execution has for an operator.
  mutating func stateSlot() -> Int {
    defer { stateCount += 1 }
    return stateCount
  }

  // MARK: - Operators

  mutating func access(_ path: AccessPath, of set: BoundSet, number: Int) -> AccessOperator {
    switch path {
    case .source: return source(set, number: number)
    case .rowSet(let number): return RowSetSource(number, set.type)
    case .intersection(let paths):
      return Intersection(paths.map { access($0, of: set, number: number) }, set.type)
    case .union(let paths): return Union(paths.map { access($0, of: set, number: number) }, set.type)
    case .hashJoin(let build, let keys):
      let source = set.source == .all ? nil : source(set, number: number)
      return HashJoin(build: build, keys: keys, of: source, set.type, &self)
    case .lookup(let index, let key):
      // No key is null: `user(email: null)` is nobody, not one of those without an address.
      var isOneKey = false
      if case .key = set.source { isOneKey = true }
      return lookup(index, key, keysAreNonNull: isOneKey)
    default: return access(path, set.type)
    }
  }

  /// Returns the operator of a path that depends on nothing of a set but its type.
  mutating func access(_ path: AccessPath, _ type: EntityTypeID) -> AccessOperator {
    switch path {
    case .scan: return FullScan(type)
    case .lookup(let index, let key): return lookup(index, key)
    case .lookupEach(let index, let values):
      var element: ValueType?
      if values.count == 1, case .list = values[0].type { element = values[0].type }
      return KeyList(catalog[index], ScalarSources(values, self), list: element, &self)
    case .range(let index, let range): return IndexRangeScan(catalog[index], range, &self)
    case .timeRange(_, let column, let range): return TimeRange(column, range, type, self)
    case .textSearch(let index, let columns, let query): return FullTextScan(catalog[index], columns, query, &self)
    case .trigramCandidates(let index, let column, let condition, let pattern):
      return TrigramCandidates(catalog[index], column, condition, pattern, &self)
    case .elementCandidates(let index, let column, let values):
      return ElementCandidates(catalog[index], column, values, &self)
    case .intersection(let paths): return Intersection(paths.map { access($0, type) }, type)
    case .union(let paths): return Union(paths.map { access($0, type) }, type)
    case .source, .rowSet, .empty, .hashJoin: return EmptySource(type)
    }
  }

  private mutating func lookup(
    _ index: IndexID, _ key: [BoundExpression], keysAreNonNull: Bool = false
  ) -> AccessOperator {
    KeyLookup(catalog[index], ScalarSources(key, self), keysAreNonNull: keysAreNonNull, &self)
  }

  /// Returns the operator of a set's own source.
  private mutating func source(_ set: BoundSet, number: Int) -> AccessOperator {
    switch set.source {
    case .all: return FullScan(set.type)
    case .key(let index, let key): return lookup(index, key)
    case .relation(let entity, let id) where !entity.isPath || set.linkStatus != .live:
      return branches([RelationBranch(reference: entity, relation: id)], set)
    case .branches(let list): return branches(list, set)
    case .union(let sets): return Union(sets.map { MemberSource($0.index, set.type) }, set.type)
    case .relation(let entity, let id): return Links(relation(id), of: reference(entity), set.type, &self)
    case .items(let group, let selection):
      var keepsLinkOrder = false
      switch plan.query.groupedSource(of: selection) {
      case .relation(_, let id): keepsLinkOrder = catalog[id].isToMany
      case .branches(let branches): keepsLinkOrder = branches.contains { catalog[$0.relation].isToMany }
      default: break
      }
      let slot = groupSlot(selection.index)
      return GroupMembers(slot, reference(group), keepsLinkOrder: keepsLinkOrder, set.type)
    case .step(let inner, let id):
      return Steps(from: inner.index, [[relation(id, set.linkStatus)]], inLinkOrder: false, set.type, &self)
    case .linked(let inner, let id):
      return Steps(from: inner.index, [[relation(id, set.linkStatus)]], inLinkOrder: true, set.type, &self)
    case .routes(let inner, let routes, let inLinkOrder):
      let compiled = routes.map { route in
        // The links of the last relation that leads to another entity.
        let last = route.lastIndex { !catalog[$0].isMirror }
        return route.indices.map { relation(route[$0], $0 == last ? set.linkStatus : .live) }
      }
      return Steps(from: inner.index, compiled, inLinkOrder: inLinkOrder, set.type, &self)
    case .deleted(let includesLive): return DeletedRows(includesLive: includesLive, set.type)
    case .given: return GivenRows(set.type)
    case .keys(let index, let list): return KeySequence(catalog[index], list, &self)
    case .members(let rule, let sets): return CombinedMembers(rule, sets.map(\.index), set.type, &self)
    case .each(let base, let list): return EachMember(of: base.index, list.index, set.type, &self)
    case .host(let number): return HostRows(number, set.type)
    case .closure(let closure):
      let wantsDepth = deepSets.contains(number)
      return Closure(CompiledTraversal(closure, wantsDepth: wantsDepth, at: set.range, &self), set.type, &self)
    case .shortestPath(let path):
      return ShortestPath(CompiledTraversal(path, at: set.range, &self), set.type, &self)
    }
  }

  /// Returns the targets of whichever of the references' paths leads somewhere.
  private mutating func branches(_ branches: [RelationBranch], _ set: BoundSet) -> AccessOperator {
    var compiled: [Branches.Branch] = []
    for branch in branches {
      for entity in branch.reference.alternatives {
        compiled.append(
          Branches.Branch(
            relation: relation(branch.relation, set.linkStatus), reference: reference(entity),
            casts: branch.casts.map { path in path.map { relation($0).reader } }))
      }
    }
    return Branches(compiled, set.type)
  }

  // MARK: - Scopes

  /// How many of the scopes around a set (those that its `limit` sees) it uses.
  mutating func scopesUsed(byAround id: Int) -> Int {
    if let known = aroundSet[id] { return known }
    let keys = plan.sets[id].access.keyExpressions
    let result = keys.reduce(plan.query.freeScopes(of: SetID(id)).count) { max($0, scopes($1)) }
    aroundSet[id] = result
    return result
  }

  /// How many scopes an expression uses: 0 if only constants and parameters.
  func scopes(_ expression: BoundExpression) -> Int { plan.query.freeScopes(of: expression).count }
}

extension Interruption {
  /// Throws if work is to end.
  package func check() throws(RuntimeProblem) {
    if isCancelled { throw RuntimeProblem(.cancelled, at: SourceRange(at: 0)) }
    if let memory, memory.isExceeded { throw RuntimeProblem(.memory(limit: memory.limit), at: SourceRange(at: 0)) }
    if isLate { throw RuntimeProblem(.timeout(milliseconds: milliseconds), at: SourceRange(at: 0)) }
  }
}
