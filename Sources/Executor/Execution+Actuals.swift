import GQLBase
import GQLQuery
import GQLStore

/// Notes what `explain --analyze` measures. Runs that are not measured pay a test of an optional for each batch.
extension Execution {
  /// Returns the time, or 0 in a run that is not measured.
  @inline(__always)
  var measuredTime: UInt64 { actuals == nil ? 0 : MonotonicClock.now }

  /// Notes rows that the access path found.
  @inline(__always)
  func note(_ set: CompiledSet, accessRows rows: Int) {
    if actuals != nil { record(set, .access, loops: 0, rows: rows, since: nil, bytes: rows &* 4) }
  }

  /// Notes rows that a filter looked at and kept.
  @inline(__always)
  func note(_ set: CompiledSet, filtered rows: Int, kept: Int, since start: UInt64) {
    guard actuals != nil else { return }
    actuals?[set.id].filtered += rows
    record(set, .filter, loops: 0, rows: kept, since: start, bytes: 0)
  }

  /// Notes rows that were put into order, each of which took so many bytes.
  @inline(__always)
  func note(_ set: CompiledSet, ordered rows: Int, since start: UInt64) {
    guard actuals != nil, let order = set.order else { return }
    record(set, .order, loops: 0, rows: rows, since: start, bytes: rows &* (16 &+ 9 &* order.terms.count))
  }

  /// Notes that a scan or a walk has found too few rows for what it had looked at.
  @inline(never)
  func noteRetreat(_ set: CompiledSet) { actuals?[set.id].retreats += 1 }

  /// Notes the members of the elements of a batch that were counted.
  func note(_ counts: UnsafePointer<Int64>, of set: CompiledSet, _ elements: Int, since start: UInt64) {
    if actuals == nil { return }
    note(set, .counts, loops: elements, rows: (0..<elements).reduce(0) { $0 &+ Int(counts[$1]) }, since: start)
  }

  /// Notes the elements of a batch that were found to have members.
  func note(_ results: UnsafePointer<UInt8>, of set: CompiledSet, _ elements: Int, since start: UInt64) {
    if actuals == nil { return }
    note(set, .tests, loops: elements, rows: (0..<elements).reduce(0) { $0 &+ Int(results[$1]) }, since: start)
  }

  /// Notes one use of a set for a batch of elements.
  @inline(__always)
  func note(
    _ set: CompiledSet, _ use: SetActuals.Part, loops: Int, rows: Int, since start: UInt64
  ) {
    if actuals != nil { record(set, use, loops: loops, rows: rows, since: start, bytes: rows &* 4) }
  }

  @inline(never)
  private func record(
    _ set: CompiledSet, _ part: SetActuals.Part, loops: Int, rows: Int,
    since start: UInt64?, bytes: Int
  ) {
    guard var known = actuals?[set.id][part] else { return }
    known.loops += loops
    known.rows += rows
    if let start { known.nanoseconds += MonotonicClock.now &- start }
    known.bytes = max(known.bytes, bytes)
    actuals?[set.id][part] = known
  }
}
