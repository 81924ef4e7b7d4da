import GQLBase
import GQLCatalog
import GQLStore

/// The rows under any of several keys of one column: `x in [a, b]`.
final class KeyList: IndexedOperator, @unchecked Sendable {
  /// The only source is list-valued: its elements are the keys.
  private let isListValued: Bool
  private let listIsWide: Bool

  init(
    _ index: IndexDescriptor, _ scalars: ScalarSources, list element: ValueType?, _ compiler: inout PlanCompiler
  ) {
    isListValued = element != nil
    listIsWide = element.map { ColumnKind($0) == .wideList } ?? false
    super.init(index, scalars, keysAreNonNull: false, &compiler)
  }

  /// Appends the union of the rows under all keys, ascending.
  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let start = rows.count
    let vectors = try scalars.vectors(outer, execution)
    var sawNull = false
    let key = state.keys.room(for: Cell.self, count: 1)
    if isListValued {
      guard let list = scalars.cell(0, vectors, 0, execution),
        let run = UnsafeRawPointer(bitPattern: UInt(list.low))
      else { return true }
      let count = Int(UInt32(truncatingIfNeeded: list.high))
      let width = listIsWide ? 16 : 8
      if !isTree, isUnique, listIsWide, !execution.snapshot.hasRepeats(index) {
        var nulls = 0
        for index in 0..<count where (run + (count * width + index)).load(as: UInt8.self) == 0 { nulls += 1 }
        if nulls == 0 {
          rows.reserve(count)
          let cells = run.assumingMemoryBound(to: Cell.self)
          rows.count += execution.snapshot.hashIndex(index).find(cells, count, into: rows.end)
          execution.sortUnique(&rows, from: start, set, state)
          return true
        }
      }
      for index in 0..<count {
        guard (run + (count * width + index)).load(as: UInt8.self) != 0 else {
          sawNull = true
          continue
        }
        key.pointee = element(run + index * width)
        find(UnsafePointer(key), execution, into: &rows)
      }
    } else {
      for index in 0..<scalars.count {
        guard let cell = scalars.cell(index, vectors, 0, execution) else {
          sawNull = true
          continue
        }
        key.pointee = cell
        find(UnsafePointer(key), execution, into: &rows)
      }
    }
    if sawNull, !keysAreNonNull { appendWithNulls(key, 1, execution, into: &rows) }
    execution.sortUnique(&rows, from: start, set, state)
    return true
  }

  @inline(__always)
  private func element(_ address: UnsafeRawPointer) -> Cell {
    Cell(
      low: address.loadUnaligned(as: UInt64.self),
      high: listIsWide ? (address + 8).loadUnaligned(as: UInt64.self) : 0)
  }

  /// Evenly spread samples of a long list stand for the others.
  override func estimate(_ execution: Execution) -> Double {
    var total = 0.0
    guard isListValued else {
      for index in 0..<scalars.count {
        guard let cell = scalars.cell(index, nil, 0, execution) else { continue }
        total += withUnsafePointer(to: cell) { Double(count($0, 1, execution)) }
      }
      return total
    }
    guard let list = scalars.cell(0, nil, 0, execution), let run = UnsafeRawPointer(bitPattern: UInt(list.low)) else {
      return 0
    }
    let elements = Int(UInt32(truncatingIfNeeded: list.high))
    let width = listIsWide ? 16 : 8
    let step = max(1, (elements + 15) / 16)
    for place in stride(from: 0, to: elements, by: step)
    where (run + (elements * width + place)).load(as: UInt8.self) != 0 {
      let key = element(run + place * width)
      total += withUnsafePointer(to: key) { Double(count($0, 1, execution)) }
    }
    return total * Double(step)
  }
}
