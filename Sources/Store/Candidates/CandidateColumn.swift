import GQLBase
import GQLCatalog

/// One version of the keys of one column's cells: segments that never change, and rows that are in none yet.
///
/// It answers with candidates. Each live row whose cell has the keys is among them. So may be rows whose cell had them
/// before it changed, and the cells are tested by the caller. So writing a row costs no more than remembering it,
/// removing one costs nothing, and versions share all segments. Rows gather until there are enough for a segment, and
/// segments of one tier are merged when there are four.
package final class CandidateColumn: @unchecked Sendable {
  /// The column of the table.
  let source: Int
  /// The way from cells to keys.
  private let keys: any CandidateKeys
  /// By their first row.
  @exclusivity(unchecked) private(set) var segments: [CandidateSegment] = []
  /// Rows that were written since: ascending without repeats, but within a transaction that has written too many for it.
  @exclusivity(unchecked) private(set) var pending: [UInt32] = []
  /// How many entries of segments may have become wrong.
  @exclusivity(unchecked) private var staleCount = 0

  init(_ keys: some CandidateKeys, source: Int) {
    self.keys = keys
    self.source = source
  }

  init(copying other: CandidateColumn, source: Int? = nil) {
    self.source = source ?? other.source
    keys = other.keys
    segments = other.segments
    pending = other.pending
    staleCount = other.staleCount
  }

  var byteCount: Int { segments.reduce(0) { $0 + $1.byteCount } + pending.count * 4 }

  // MARK: - Writing

  func insert(_ row: UInt32) {
    // Why the bound: what gathers beyond it goes into a segment before anybody reads, and keeping order would be slow.
    guard pending.count <= CandidateSegment.firstTier, let last = pending.last, last >= row else {
      return pending.append(row)
    }
    var low = 0
    var high = pending.count
    while low < high {
      let middle = (low + high) >> 1
      if pending[middle] < row { low = middle + 1 } else { high = middle }
    }
    if pending[low] != row { pending.insert(row, at: low) }
  }

  func remove() { staleCount += 1 }

  /// Whether much is pending, or stale.
  func needsSettling(_ table: Table) -> Bool {
    pending.count >= CandidateSegment.firstTier || isMostlyStale(table)
  }

  private func isMostlyStale(_ table: Table) -> Bool {
    staleCount > CandidateSegment.firstTier && staleCount > table.live / 4
  }

  /// Takes up what is pending, if it is much, and leaves behind what is stale, if that is. Where the allowance ends the
  /// column is not to be used.
  func settle(_ table: Table, _ allowance: WorkAllowance? = nil) {
    let first = CandidateSegment.firstTier
    if isMostlyStale(table) {
      pending = []
      staleCount = 0
      segments = []
      return build(table.liveRows, table.readers, allowance)
    }
    guard pending.count >= first else { return }
    let added = pending
    pending = []
    segments += make(sortedUnique(added), table, allowance)
    while allowance?.excess == nil, let tier = fullTier {
      let merged = segments.filter { !$0.isFull && $0.tier == tier }
      segments.removeAll { !$0.isFull && $0.tier == tier }
      let rows = merged.flatMap { segment in (0..<segment.rowCount).map { segment.row($0) } }
      segments += make(sortedUnique(rows), table, allowance)
    }
    segments.sort { $0.firstRow < $1.firstRow }
  }

  /// A tier of four segments that can be merged.
  private var fullTier: Int? {
    var counts: [Int: Int] = [:]
    for segment in segments where !segment.isFull { counts[segment.tier, default: 0] += 1 }
    return counts.keys.sorted().first { counts[$0, default: 0] >= 4 }
  }

  private func sortedUnique(_ rows: [UInt32]) -> [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity(rows.count)
    for row in rows.sorted() where row != result.last { result.append(row) }
    return result
  }

  private func make(_ rows: [UInt32], _ table: Table, _ allowance: WorkAllowance?) -> [CandidateSegment] {
    keys.segments(IndexedRows(rows.filter { table.isLive($0) }), table.readers[source], allowance)
  }

  /// Fills an empty column with the cells of ascending rows.
  func build(_ rows: IndexedRows, _ readers: UnsafePointer<ColumnReader>, _ allowance: WorkAllowance?) {
    segments = keys.segments(rows, readers[source], allowance)
  }

  // MARK: - Reading

  /// Candidates come in as many parts, each ascending and without repeats.
  package var partCount: Int { segments.count + (pending.isEmpty ? 0 : 1) }

  /// Indicates whether the part holds rows that were written lately, whatever their cells: it is the last one.
  package func isPending(_ part: Int) -> Bool { part >= segments.count }

  /// The candidates of one part, live ones by `liveness`; all are if there is none.
  package func candidates(_ part: Int, _ query: CandidateQuery, liveness: ColumnReader?) -> CandidateRows {
    if part >= segments.count {
      var result = CandidateRows(capacity: pending.count)
      for row in pending { result.append(row, liveness) }
      return result
    }
    let segment = segments[part]
    let places = segment.find(query)
    var result = CandidateRows(capacity: places.count)
    for index in 0..<places.count { result.append(segment.row(Int(places.places[index])), liveness) }
    return result
  }

  /// Segments in which one key is counted, and those for several keys, which take longer.
  private static let (countedSegments, sampledSegments) = (32, 2)

  /// About how many candidates there are: counted in a few segments, which stand for the others. One key is mostly
  /// counted in all, because values often follow the order of insertion.
  package func estimate(_ query: CandidateQuery) -> Int {
    let isOne = query.keys.count == 1 && query.alternatives.isEmpty
    let count = min(segments.count, isOne ? Self.countedSegments : Self.sampledSegments)
    var found = 0.0
    var looked = 0
    for number in 0..<count {
      let segment = segments[(number * 2 + 1) * segments.count / (count * 2)]
      found += segment.estimate(query)
      looked += segment.rowCount
    }
    let all = segments.reduce(0) { $0 + $1.rowCount }
    let estimate = looked == 0 ? 0 : found * Double(all) / Double(looked)
    // Never more than there are, and nothing that is no number.
    return (estimate > 0 ? Int(min(estimate, Double(all))) : 0) + pending.count
  }

  func hashMemory(into digest: inout MemoryDigest) {
    for segment in segments { segment.hashMemory(into: &digest) }
    for row in pending { digest.add(UInt64(row)) }
    digest.add(UInt64(staleCount))
  }

  /// Reports live rows that would not be found by each of their keys, and nil if a segment is out of order.
  /// Complexity: O(postings).
  func check(_ rows: IndexedRows, _ readers: UnsafePointer<ColumnReader>, _ report: (UInt32?) -> Void) {
    let reader = readers[source]
    let live = Set(rows)
    var known = Set(pending)
    for segment in segments {
      if !segment.checkStructure() { report(nil) }
      for place in 0..<segment.rowCount {
        let row = segment.row(place)
        guard live.contains(row), !known.contains(row), !reader.isNull(row) else { continue }
        if segment.holds(UInt16(truncatingIfNeeded: place), keys.keys(row, reader)) { known.insert(row) }
      }
    }
    for row in rows where !reader.isNull(row) && !known.contains(row) { report(row) }
  }
}

extension CandidateSegment {
  /// Returns whether the place is in the postings of each of the keys.
  fileprivate func holds(_ place: UInt16, _ keys: [UInt32]) -> Bool {
    keys.allSatisfy { key in
      guard let list = postings(key) else { return false }
      if list.isBits { return list.contains(bit: place) }
      return UnsafeBufferPointer(start: list.places, count: list.count).contains(place)
    }
  }
}

/// Rows that an index offers.
package struct CandidateRows: ~Copyable {
  package let rows: UnsafeMutablePointer<UInt32>
  package private(set) var count = 0

  init(capacity: Int) { rows = .allocate(capacity: max(capacity, 1)) }

  deinit { rows.deallocate() }

  @inline(__always)
  mutating func append(_ row: UInt32, _ liveness: ColumnReader?) {
    rows[count] = row
    count &+= liveness.map { Int($0.byte(row) & 1) } ?? 1
  }
}
