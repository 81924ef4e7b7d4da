import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// A closure or a shortest path made ready to run. Immutable.
final class CompiledTraversal: @unchecked Sendable {
  enum End {
    case entity(CompiledReference)
    case set(Int)
  }
  let start: End
  let target: End?
  let step: Int
  /// Of what is walked through.
  let type: EntityTypeID
  let relation: RelationAccess
  /// The relation's other side.
  let inverse: RelationAccess
  /// Every link is a step: no condition, order or limit.
  let isDirect: Bool
  /// Least and greatest depth, where they are given.
  let depths: ScalarSources?
  let lower: Int
  let upper: Int
  let includesUpper: Bool
  /// How deep each member is, is asked for.
  let wantsDepth: Bool
  let range: SourceRange

  init(_ closure: BoundClosure, wantsDepth: Bool, at range: SourceRange, _ compiler: inout PlanCompiler) {
    start = CompiledTraversal.end(closure.start, &compiler)
    target = nil
    step = closure.step.index
    type = compiler.plan.query[closure.step].type
    (relation, inverse, isDirect) = CompiledTraversal.step(closure.step, &compiler)
    let given = [closure.lower, closure.upper].compactMap { $0 }
    depths = given.isEmpty ? nil : ScalarSources(given, compiler)
    lower = closure.lower == nil ? -1 : 0
    upper = closure.upper == nil ? -1 : given.count - 1
    includesUpper = closure.includesUpper
    self.wantsDepth = wantsDepth
    self.range = range
  }

  init(_ path: BoundShortestPath, at range: SourceRange, _ compiler: inout PlanCompiler) {
    start = CompiledTraversal.end(path.start, &compiler)
    target = CompiledTraversal.end(path.target, &compiler)
    step = path.step.index
    type = compiler.plan.query[path.step].type
    (relation, inverse, isDirect) = CompiledTraversal.step(path.step, &compiler)
    depths = path.maximumDepth.map { ScalarSources([$0], compiler) }
    lower = -1
    upper = path.maximumDepth == nil ? -1 : 0
    includesUpper = true
    wantsDepth = false
    self.range = range
  }

  /// One entity, every link, and depths that are the same for all elements.
  var isUniform: Bool {
    if case .entity = start { isDirect && depths?.program == nil } else { false }
  }

  private static func end(_ end: TraversalEnd, _ compiler: inout PlanCompiler) -> End {
    switch end {
    case .entity(let reference): .entity(compiler.reference(reference))
    case .set(let set): .set(set.index)
    }
  }

  private static func step(
    _ id: SetID, _ compiler: inout PlanCompiler
  ) -> (RelationAccess, RelationAccess, isDirect: Bool) {
    let set = compiler.plan.query[id]
    guard case .relation(.scope(0, _), let relation) = set.source, set.linkStatus == .live else {
      return (RelationAccess(), RelationAccess(), false)
    }
    let isDirect =
      compiler.plan[id].filter == nil && compiler.plan[id].access == .source && set.order.isEmpty
      && set.distinctOn.isEmpty && set.limit == nil && set.offset == nil
    return (compiler.relation(relation), compiler.relation(compiler.catalog[relation].inverse), isDirect)
  }
}

/// A bit a row, all clear between walks.
struct VisitedRows: ~Copyable {
  private var base: UnsafeMutablePointer<UInt64>
  private var words = 1

  init() {
    base = .allocate(capacity: 1)
    base.initialize(to: 0)
  }

  deinit { base.deallocate() }

  var byteCount: Int { words &* 8 }

  /// Room for the rows below `rows`. Precondition: all bits are clear.
  mutating func reserve(_ rows: Int) {
    let needed = (rows >> 6) + 1
    guard needed > words else { return }
    base.deallocate()
    words = max(needed, words * 2)
    base = .allocate(capacity: words)
    base.initialize(repeating: 0, count: words)
  }

  @inline(__always)
  func contains(_ row: UInt32) -> Bool { base[Int(row) >> 6] >> UInt64(row & 63) & 1 != 0 }

  /// 1 if the row is new, else 0.
  @inline(__always)
  func insert(_ row: UInt32) -> Int {
    let word = base[Int(row) >> 6]
    base[Int(row) >> 6] = word | 1 &<< UInt64(row & 63)
    return Int(truncatingIfNeeded: ~(word >> UInt64(row & 63)) & 1)
  }

  /// Sets the bits of all rows.
  @inline(__always)
  func mark(_ rows: UnsafeBufferPointer<UInt32>) {
    for row in rows { base[Int(row) >> 6] |= 1 &<< UInt64(row & 63) }
  }

  /// The number of rows below `rows`, whose bits are cleared. Precondition: there is room for them, and no others are in.
  func takeCount(_ rows: Int) -> Int {
    var count = 0
    for word in 0...(rows >> 6) {
      count &+= base[word].nonzeroBitCount
      base[word] = 0
    }
    return count
  }

  /// Clears the bits of all rows that were inserted.
  func remove(_ rows: UnsafePointer<UInt32>, _ count: Int) {
    if count > words {
      base.update(repeating: 0, count: words)
    } else {
      for index in 0..<count { base[Int(rows[index]) >> 6] = 0 }
    }
  }
}

/// The working memory of one closure or path in one execution.
final class WalkState: OperatorState {
  @exclusivity(unchecked) var visited = VisitedRows()
  /// Everything visited, in the order of its discovery.
  @exclusivity(unchecked) var found = RowBuffer()
  /// Where each of those was reached from: its place in `found`, kept for paths; or the element that it belongs to.
  @exclusivity(unchecked) var origins = RowBuffer()
  @exclusivity(unchecked) var frontier = RowBuffer()
  @exclusivity(unchecked) var starts = Expansion()
  @exclusivity(unchecked) var reached = Expansion()
  @exclusivity(unchecked) var outer = WorkMemory()
  /// The depth of each row visited, by row.
  @exclusivity(unchecked) var depths = WorkMemory()
  @exclusivity(unchecked) var targets = Expansion()
  /// The other side of a search from both ends, and the distance to the target of each row on it.
  @exclusivity(unchecked) var backVisited = VisitedRows()
  @exclusivity(unchecked) var backFound = RowBuffer()
  @exclusivity(unchecked) var distances = WorkMemory()
  /// The run in which closures were found to share members, so that each is walked by itself.
  @exclusivity(unchecked) var separateRun: UInt64 = 0
  /// How deep each member of a closure is, where that is asked for; whoever expands it empties this.
  @exclusivity(unchecked) var memberDepths = RowBuffer()

  /// Leaves no bit behind, whatever ended the walk.
  func clean() {
    visited.remove(UnsafePointer(found.base), found.count)
    backVisited.remove(UnsafePointer(backFound.base), backFound.count)
    found.removeAll()
    backFound.removeAll()
    origins.removeAll()
  }
}
