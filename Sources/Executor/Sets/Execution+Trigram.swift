import GQLBase
import GQLCatalog
import GQLRegex
import GQLStore

/// What the pattern of a trigram access requires, kept while the pattern stays the same.
final class TrigramSearch {
  private var pattern: [UInt8]?
  private var limits = PatternLimits.standard
  private var query: TrigramQuery?

  /// The same whether it is a pattern or not: for an estimate. One search is asked in one of the two ways.
  func trigrams(_ condition: TextCondition, _ pattern: UnsafeBufferPointer<UInt8>) -> TrigramQuery? {
    if isOf(pattern) { return query }
    let bytes = Array(pattern)
    self.pattern = bytes
    query = TextRequirement(condition, bytes).trigrams
    return query
  }

  /// Nil if it requires no trigram.
  func query(
    _ condition: TextCondition, _ pattern: UnsafeBufferPointer<UInt8>, _ limits: PatternLimits
  ) -> TrigramQuery? {
    if self.limits == limits, isOf(pattern) { return query }
    let bytes = Array(pattern)
    self.pattern = bytes
    self.limits = limits
    query = TextRequirement(condition, bytes).trigrams
    // What is no pattern is refused by the test of the rows, so there must be some.
    if query != nil, condition == .regex, !Pattern.isValid(bytes, limits: limits) { query = nil }
    return query
  }

  private func isOf(_ pattern: UnsafeBufferPointer<UInt8>) -> Bool {
    self.pattern?.withUnsafeBytes { ByteSearch.equal($0, UnsafeRawBufferPointer(pattern)) } ?? false
  }
}

extension Execution {
  /// The state of a trigram access, which keeps what its pattern requires while that stays the same.
  func trigramSearch(_ node: AccessNode) -> TrigramSearch {
    let key = ObjectIdentifier(node)
    if let known = trigramSearches[key] { return known }
    let made = TrigramSearch()
    trigramSearches[key] = made
    return made
  }

  /// Appends the rows that a trigram index offers, ascending; all live ones for a pattern without a trigram.
  func appendCandidates(
    _ node: AccessNode, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard let scalars = node.scalars else { return }
    let vectors = try scalars.vectors(outer, self)
    guard let pattern = scalars.cell(0, vectors, 0, self) else { return }
    let search = trigramSearch(node)
    let query = withUnsafePointer(to: pattern) { search.query(node.condition, TextView.text(at: $0), limits.patterns) }
    guard let query, let column = snapshot.trigrams(node.index).column(node.column) else {
      appendLive(set.type, from: 0, limit: Int.max, into: &rows)
      return
    }
    let start = rows.count
    let liveness = snapshot.liveness(set.type)
    var isAscending = true
    for part in 0..<column.partCount {
      try checkpoint()
      let found = column.candidates(part, query, liveness: liveness)
      guard found.count > 0 else { continue }
      try checkMemory((rows.count + found.count) &* 4)
      if rows.count > start, found.rows[0] <= rows[rows.count - 1] {
        // Rows that changed are in a part of their own too, which lies across the others.
        if isAscending, column.isPending(part) {
          rows.mergeAscending(from: start, UnsafePointer(found.rows), found.count)
          continue
        }
        isAscending = false
      }
      rows.append(UnsafePointer(found.rows), found.count)
    }
    guard !isAscending else { return }
    rows.count =
      start
      + RowSorting.sortUnique(
        rows.base + start, rows.count - start, limit: snapshot.slotCount(set.type), bits: &state.bits)
  }
}
