import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The targets of a relation of each element, in link order.
final class Links: AccessOperator, @unchecked Sendable {
  let relation: RelationAccess
  let reference: CompiledReference
  private let findsLive: Bool

  init(
    _ relation: RelationAccess, of reference: CompiledReference, _ type: EntityTypeID, _ compiler: inout PlanCompiler
  ) {
    self.relation = relation
    self.reference = reference
    // A relation leads to live entities, but the lines of a deleted owner are its own.
    findsLive = relation.status == .live && !compiler.catalog[type].isElement
    super.init(type)
  }

  override var isLinkOrdered: Bool { true }
  override var findsLiveRowsOnly: Bool { findsLive }
  override var meetsDeleted: Bool { relation.status != .live }
  override var countsPlacesByLinks: Bool { relation.isToMany }
  override var linkDepth: Int { reference.depth }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let row = execution.resolve(reference, outer, 0)
    execution.appendTargets(relation, row, from: 0, limit: Int.max, into: &rows)
    return !relation.isToMany
  }

  override func links(
    _ outer: ScopeRows, _ execution: Execution, _ memory: inout RowBuffer
  ) throws(RuntimeProblem) -> UnsafeBufferPointer<UInt32> {
    let row = execution.resolve(reference, outer, 0)
    guard relation.isToMany, row != PageLayout.noRow else { return UnsafeBufferPointer(start: nil, count: 0) }
    return execution.readers[relation.reader].references(row)
  }

  // MARK: - Lists

  /// Touches the runs of the elements of a batch.
  func warm(_ scopes: ScopeRows, _ execution: Execution) {
    guard relation.isToMany, reference.path.isEmpty, reference.depth < scopes.scopes.count, scopes.count > 4 else {
      return
    }
    execution.warmRuns(execution.readers[relation.reader], scopes.scopes[reference.depth], scopes.count)
  }

  override func gatherLists(
    _ set: CompiledSet, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    warm(scopes, execution)
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      let row = execution.resolve(reference, scopes, element)
      execution.appendTargets(relation, row, from: 0, limit: Int.max, into: &result.rows)
      try execution.end(&result, &watch)
    }
  }

  override func appendSlice(
    _ slice: SliceRange, _ scopes: ScopeRows, _ element: Int, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let row = execution.resolve(reference, scopes, element)
    execution.appendTargets(relation, row, from: slice.offset, limit: slice.limit, into: &rows)
    return true
  }

  override func appendSlices(
    _ set: CompiledSet, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    warm(scopes, execution)
    guard let common = try set.commonSlice(scopes.count, execution), reference.path.isEmpty,
      reference.depth < scopes.scopes.count
    else { return try super.appendSlices(set, scopes, execution, into: &result) }
    let parents = scopes.scopes[reference.depth]
    var watch = ListWatch(set, result.rows)
    result.offsets.reserve(scopes.count)
    for element in 0..<scopes.count {
      execution.appendTargets(
        relation, parents[element], from: common.offset, limit: common.limit, into: &result.rows)
      try execution.end(&result, &watch)
    }
  }

  // MARK: - Counts

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    if reference.path.isEmpty, relation.isToMany, reference.depth < scopes.scopes.count {
      let parents = scopes.scopes[reference.depth]
      let reader = execution.readers[relation.reader]
      for element in 0..<scopes.count {
        let row = parents[element]
        counts[element] = row == PageLayout.noRow ? 0 : Int64(reader.references(row).count)
      }
    } else {
      for element in 0..<scopes.count {
        counts[element] = Int64(execution.degree(relation, execution.resolve(reference, scopes, element)))
      }
    }
    return true
  }
}

extension Execution {
  /// Returns the entity of one element, or `PageLayout.noRow`.
  @inline(__always)
  func resolve(_ reference: CompiledReference, _ scopes: ScopeRows, _ element: Int) -> UInt32 {
    guard reference.depth < scopes.scopes.count else { return PageLayout.noRow }
    var row = scopes.scopes[reference.depth][element]
    for slot in reference.path {
      if row == PageLayout.noRow { return row }
      row = readers[slot].reference(row)
    }
    return row
  }

  /// Appends a part of the targets of a relation.
  @inline(__always)
  func appendTargets(
    _ relation: RelationAccess, _ row: UInt32, from skip: Int, limit: Int, into rows: inout RowBuffer
  ) {
    guard row != PageLayout.noRow, limit > 0 else { return }
    if relation.isToMany {
      let run = readers[relation.reader].references(row)
      guard skip < run.count, let start = run.baseAddress else { return }
      rows.append(start + skip, min(run.count - skip, limit))
    } else {
      let target = readers[relation.reader].reference(row)
      if target != PageLayout.noRow, skip == 0 { rows.append(target) }
    }
  }

  /// Returns how many targets there are.
  @inline(__always)
  func degree(_ relation: RelationAccess, _ row: UInt32) -> Int {
    guard row != PageLayout.noRow else { return 0 }
    if relation.isToMany { return readers[relation.reader].references(row).count }
    return readers[relation.reader].reference(row) == PageLayout.noRow ? 0 : 1
  }

  /// Touches the runs of parents that lie anywhere: the cells, then what the cells point to, in loops of nothing but
  /// loads, so that their cache misses overlap.
  @inline(never)
  func warmRuns(_ reader: ColumnReader, _ parents: UnsafePointer<UInt32>, _ count: Int) {
    var touched: UInt32 = 0
    for element in 0..<count where parents[element] != PageLayout.noRow {
      touched |= UInt32(truncatingIfNeeded: reader.references(parents[element]).count)
    }
    for element in 0..<count where parents[element] != PageLayout.noRow {
      let run = reader.references(parents[element])
      guard let start = run.baseAddress, run.count > 0 else { continue }
      // One of each line; the processor sees longer runs coming.
      touched |= start[run.count &- 1]
      var place = 0
      while place < min(run.count, 128) {
        touched |= start[place]
        place &+= 16
      }
    }
    usage.warmed = UInt64(touched)
  }
}
