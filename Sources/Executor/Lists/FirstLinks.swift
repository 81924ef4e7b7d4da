import GQLBase
import GQLQuery
import GQLStore

/// The first links of each element that the filter keeps, without a look at the rest of the lists.
final class FirstLinks: BatchedLists, @unchecked Sendable {
  private let search: LinkSearch

  override init(_ compiler: inout PlanCompiler) {
    search = LinkSearch(&compiler)
    super.init(&compiler)
  }

  /// Appends each element's slice of the targets that the filter keeps, in link order.
  override func append(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard let slice = try set.commonSlice(scopes.count, execution), slice.end <= LinkSearch.mostNeeded else {
      return try super.append(set, state, scopes, execution, into: &result)
    }
    guard slice.limit > 0 else {
      for _ in 0..<scopes.count { result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count)) }
      return
    }
    let needed = slice.end
    let first = try search.find(needed, set, state, scopes, execution)
    for element in 0..<scopes.count {
      let count = Int(first.counts[element])
      if count > slice.offset {
        result.rows.append(first.rows + (element * needed + slice.offset), count - slice.offset)
      }
      result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
  }
}

/// Finds the first links of many elements that a filter keeps. Immutable.
struct LinkSearch {
  /// Limits up to this are met in parts of the runs.
  static var mostNeeded: Int { 64 }

  private let slot: Int

  init(_ compiler: inout PlanCompiler) { slot = compiler.stateSlot() }

  struct Found {
    /// How many were found, at most as many as were needed, by element.
    var counts: UnsafePointer<UInt32>
    /// Those of element `i` from `i * needed` on, in link order.
    var rows: UnsafePointer<UInt32>
  }

  /// Parts of all elements' runs, and what was found in them.
  private final class Memory: OperatorState {
    @exclusivity(unchecked) var part = Expansion()
    /// Bytes of it that are counted.
    @exclusivity(unchecked) var partBytes = 0
    @exclusivity(unchecked) var firsts = WorkMemory()
    @exclusivity(unchecked) var firstsBytes = 0
  }

  /// Finds the first `needed` targets of each element that the filter keeps. The result is valid until the next call.
  ///
  /// The runs are tested in parts, those of all elements that still need more together; the parts grow.
  func find(
    _ needed: Int, _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> Found {
    let links = execution.state(slot) { Memory() }
    let count = scopes.count
    let depth = scopes.scopes.count
    let memory = links.firsts.room(for: UInt32.self, count: count * (3 + depth + needed))
    if links.firsts.byteCount > links.firstsBytes {
      let grown = links.firsts.byteCount - links.firstsBytes
      links.firstsBytes += grown
      try execution.holdRegisters(grown)
    }
    defer { links.part.rest() }
    memory.update(repeating: 0, count: count * 2)
    let cursors = memory
    let counts = memory + count
    let active = memory + 2 * count
    let gathered = memory + 3 * count
    let rows = memory + (3 + depth) * count
    for element in 0..<count { active[element] = UInt32(truncatingIfNeeded: element) }
    var left = count
    var size = max(needed * 2, 8)
    while left > 0 {
      try execution.checkpoint()
      var batch = scopes
      if left < count {
        batch.count = left
        for scope in 0..<depth {
          let target = gathered + scope * count
          for index in 0..<left { target[index] = scopes.scopes[scope][Int(active[index])] }
          batch.scopes[scope] = UnsafePointer(target)
        }
      }
      links.part.removeAll()
      links.part.offsets.append(0)
      gather(set, scopes, active, left, from: cursors, size, execution, into: &links.part)
      execution.note(set, accessRows: links.part.rows.count)
      try set.filter?.keepLists(set, state, batch, &links.part, from: 0, firstOffset: 1, execution)
      var kept = 0
      for index in 0..<left {
        let element = Int(active[index])
        var found = Int(counts[element])
        var place = Int(links.part.offsets[index])
        let end = Int(links.part.offsets[index + 1])
        while place < end, found < needed {
          rows[element * needed + found] = links.part.rows[place]
          found += 1
          place += 1
        }
        counts[element] = UInt32(truncatingIfNeeded: found)
        if found < needed, cursors[element] != UInt32.max {
          active[kept] = UInt32(truncatingIfNeeded: element)
          kept += 1
        }
      }
      left = kept
      size = min(size * 4, max(16, (1 << 17) / max(left, 1)))
    }
    try execution.hold(links.part, &links.partBytes)
    return Found(counts: UnsafePointer(counts), rows: UnsafePointer(rows))
  }

  /// Appends the next part of the run of each active element, and moves its cursor, to `UInt32.max` at the end.
  private func gather(
    _ set: CompiledSet, _ scopes: ScopeRows, _ active: UnsafePointer<UInt32>, _ count: Int,
    from cursors: UnsafeMutablePointer<UInt32>, _ size: Int, _ execution: Execution, into part: inout Expansion
  ) {
    guard let links = set.access as? Links else { return }
    for index in 0..<count {
      let element = Int(active[index])
      let before = part.rows.count
      let row = execution.resolve(links.reference, scopes, element)
      execution.appendTargets(links.relation, row, from: Int(cursors[element]), limit: size, into: &part.rows)
      let taken = part.rows.count - before
      cursors[element] = taken < size ? UInt32.max : cursors[element] &+ UInt32(truncatingIfNeeded: taken)
      part.offsets.append(UInt32(truncatingIfNeeded: part.rows.count))
    }
  }
}
