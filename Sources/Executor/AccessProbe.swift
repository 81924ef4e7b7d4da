import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLText

/// One of the figures that the plan's choice depended on, made ready to be counted for the parameters of a run: what
/// `accessEstimates` reckons, from cells and without an allocation, because it is reckoned before every run.
///
/// Unchecked because its nodes are immutable once the executable is shared.
final class AccessProbe: @unchecked Sendable {
  enum Kind { case nothing, lookup, lookupEach, range, fullText, trigram, limit, least, sum }
  let kind: Kind
  let node: AccessNode?
  let parts: [AccessProbe]
  let limit: ScalarSources?

  private init(_ kind: Kind, node: AccessNode? = nil, parts: [AccessProbe] = [], limit: ScalarSources? = nil) {
    self.kind = kind
    self.node = node
    self.parts = parts
    self.limit = limit
  }

  static func make(_ watched: WatchedEstimate, _ compiler: inout PlanCompiler) -> AccessProbe {
    switch watched {
    case .limit(let expression): AccessProbe(.limit, limit: ScalarSources([expression], compiler))
    case .access(let path): make(path, &compiler)
    }
  }

  private static func make(_ path: AccessPath, _ compiler: inout PlanCompiler) -> AccessProbe {
    switch path {
    case .source, .scan, .rowSet, .empty, .hashJoin, .timeRange: return AccessProbe(.nothing)
    case .lookup(let index, let keys): return AccessProbe(.lookup, node: compiler.lookup(index, keys))
    case .lookupEach(let index, let keys): return AccessProbe(.lookupEach, node: compiler.lookupEach(index, keys))
    case .range(let index, let range): return AccessProbe(.range, node: compiler.range(index, range))
    case .fullText(let index, let columns, let query):
      return AccessProbe(.fullText, node: compiler.fullText(index, columns, query))
    case .trigram(let index, let column, let condition, let pattern):
      return AccessProbe(.trigram, node: compiler.trigram(index, column, condition, pattern))
    case .intersection(let paths), .union(let paths):
      let parts = paths.map { make($0, &compiler) }
      if case .union = path { return AccessProbe(.sum, parts: parts) }
      return AccessProbe(.least, parts: parts)
    }
  }
}

extension Execution {
  /// Rows, or the limit, for the parameters that are bound.
  func estimate(_ probe: AccessProbe) -> Double {
    switch probe.kind {
    case .nothing: return 0
    case .limit: return Double(max(0, probe.limit?.cell(0, nil, 0, self)?.int ?? 0))
    case .least: return probe.parts.reduce(.infinity) { min($0, estimate($1)) }
    case .sum: return probe.parts.reduce(0) { $0 + estimate($1) }
    case .fullText, .trigram:
      guard let node = probe.node, let text = node.scalars?.cell(0, nil, 0, self) else { return 0 }
      return probe.kind == .fullText ? estimateMatches(node, text) : estimateCandidates(node, text)
    case .lookup, .lookupEach, .range:
      guard let node = probe.node, let scalars = node.scalars else { return 0 }
      return withUnsafeTemporaryAllocation(of: Cell.self, capacity: max(scalars.count, 1)) { memory in
        // Safe because the capacity is not zero.
        let cells = memory.baseAddress.unsafelyUnwrapped
        if probe.kind == .lookupEach { return countEach(node, scalars, cells) }
        for index in 0..<scalars.count {
          // Nothing is estimated of what lies within null, or is computed.
          guard let cell = scalars.cell(index, nil, 0, self) else { return 0 }
          cells[index] = cell
        }
        return probe.kind == .lookup
          ? Double(count(node, cells, scalars.count)) : Double(countRange(node, UnsafePointer(cells)))
      }
    }
  }

  private func estimateMatches(_ node: AccessNode, _ text: Cell) -> Double {
    let state = textSearch(node)
    let matcher = withUnsafePointer(to: text) { cell in
      let query = TextView.text(at: cell)
      return query.count > TextQuery.longestEstimated ? nil : try? state.matcher(query, self)
    }
    return matcher.flatMap { snapshot.matchCount(node.index, node.columns, $0.query) }.map { Double($0) } ?? 0
  }

  private func estimateCandidates(_ node: AccessNode, _ text: Cell) -> Double {
    let search = trigramSearch(node)
    let query = withUnsafePointer(to: text) { search.trigrams(node.condition, TextView.text(at: $0)) }
    guard let query else { return .infinity }
    return Double(snapshot.trigramCount(node.index, node.column, query) ?? 0)
  }

  /// Evenly spread samples of a long list stand for the others.
  private func countEach(_ node: AccessNode, _ scalars: ScalarSources, _ key: UnsafeMutablePointer<Cell>) -> Double {
    var total = 0.0
    guard node.isListValued else {
      for index in 0..<scalars.count {
        guard let cell = scalars.cell(index, nil, 0, self) else { continue }
        key.pointee = cell
        total += Double(count(node, key, 1))
      }
      return total
    }
    guard let list = scalars.cell(0, nil, 0, self), let run = UnsafeRawPointer(bitPattern: UInt(list.low)) else {
      return 0
    }
    let elements = Int(UInt32(truncatingIfNeeded: list.high))
    let width = node.listIsWide ? 16 : 8
    let step = max(1, (elements + 15) / 16)
    for place in stride(from: 0, to: elements, by: step)
    where (run + (elements * width + place)).load(as: UInt8.self) != 0 {
      let address = run + place * width
      key.pointee = Cell(
        low: address.loadUnaligned(as: UInt64.self),
        high: node.listIsWide ? (address + 8).loadUnaligned(as: UInt64.self) : 0)
      total += Double(count(node, key, 1))
    }
    return total * Double(step)
  }

  private func count(_ node: AccessNode, _ key: UnsafePointer<Cell>, _ components: Int) -> Int {
    switch node.indexKind {
    case .btree: snapshot.btree(node.index).count(BTreeBounds.equal(key, components))
    default: hashIndexes[Int(node.index.index)]?.count(key) ?? 0
    }
  }

  private func countRange(_ node: AccessNode, _ cells: UnsafePointer<Cell>) -> Int {
    var bounds = BTreeBounds()
    bounds.equal = cells
    bounds.equalCount = node.equalCount
    if node.lower >= 0 {
      bounds.lower = cells[node.lower]
      bounds.lowerInclusive = node.lowerInclusive
    }
    if node.upper >= 0 {
      bounds.upper = cells[node.upper]
      bounds.upperInclusive = node.upperInclusive
    }
    if node.prefix >= 0 { bounds.textPrefix = cells[node.prefix] }
    bounds.includesNulls = node.equalCount > 0 && node.lower < 0 && node.upper < 0 && node.prefix < 0
    return snapshot.ordered(node.index)?.estimate(bounds) ?? 0
  }
}
