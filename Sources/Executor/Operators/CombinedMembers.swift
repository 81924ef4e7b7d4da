import GQLCatalog
import GQLQuery
import GQLStore

/// Members of other sets of the type, put together by a rule, in the order of the first one.
final class CombinedMembers: AccessOperator, @unchecked Sendable {
  private let rule: BoundSet.MemberRule
  private let parts: [Int]
  private let slot: Int

  init(_ rule: BoundSet.MemberRule, _ parts: [Int], _ type: EntityTypeID, _ compiler: inout PlanCompiler) {
    self.rule = rule
    self.parts = parts
    slot = compiler.stateSlot()
    super.init(type)
  }

  override var isLinkOrdered: Bool { true }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let memory = memory(execution)
    memory.single.removeAll()
    memory.single.offsets.append(0)
    defer { memory.single.rest() }
    try collect(outer, memory, execution, into: &memory.single)
    rows.append(UnsafePointer(memory.single.rows.base), memory.single.rows.count)
    try execution.hold(memory.single, &memory.singleBytes)
    return memory.single.rows.count < 2
  }

  override func gatherLists(
    _ set: CompiledSet, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    try collect(scopes, memory(execution), execution, into: &result)
  }

  /// Returns the members of a set that is one for all elements, found once for a run.
  private func shared(
    _ part: Int, _ memory: CombinedMembersState, _ execution: Execution
  ) throws(RuntimeProblem) -> UnsafeBufferPointer<UInt32> {
    let own = memory.parts[part]
    if own.membersRun != execution.run {
      try execution.compiledSet(parts[part]).expand(.root, execution, into: &own.members)
      try execution.hold(own.members, &own.memberBytes)
      own.membersRun = execution.run
    }
    return UnsafeBufferPointer(start: own.members.rows.base, count: own.members.rows.count)
  }

  private func memory(_ execution: Execution) -> CombinedMembersState {
    execution.state(slot) { CombinedMembersState(parts: parts.count) }
  }

  /// Appends the members of each element.
  private func collect(
    _ scopes: ScopeRows, _ memory: CombinedMembersState, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let first = result.rows.count
    let firstOffset = result.offsets.count
    if rule == .common, !execution.compiledSet(parts[0]).isCorrelated,
      let other = parts.indices.dropFirst().first(where: { execution.compiledSet(parts[$0]).isCorrelated })
    {
      try pick(from: other, scopes, memory, execution, into: &result)
      for part in parts.indices.dropFirst() where part != other {
        try keepCommon(part, scopes, memory, execution, &result, from: first, firstOffset: firstOffset)
      }
      return
    }
    try execution.compiledSet(parts[0]).append(scopes, execution, into: &result)
    switch rule {
    case .all: break
    case .once: keepOnce(memory, execution, &result, from: first, firstOffset: firstOffset)
    case .last: keepLast(&result, from: first, firstOffset: firstOffset)
    case .common:
      for part in parts.indices.dropFirst() {
        try keepCommon(part, scopes, memory, execution, &result, from: first, firstOffset: firstOffset)
      }
    case .sorted(let number):
      let host = execution.host.required
      var start = first
      for offset in firstOffset..<result.offsets.count {
        let end = Int(result.offsets[offset])
        if end - start > 1 {
          try execution.checkpoint()
          try host.sort(number, UnsafeMutableBufferPointer(start: result.rows.base + start, count: end - start))
        }
        start = end
      }
    }
  }

  // MARK: - Rules

  /// Keeps of each list the rows that `keeps` says, in their order; `done` is told the list's place and old rows.
  @inline(__always)
  private func compact(
    _ result: inout Expansion, from first: Int, firstOffset: Int,
    list begin: (_ list: Int, UnsafeBufferPointer<UInt32>) -> Void, keeps: (UInt32) -> Bool,
    end: (_ list: Int, UnsafeBufferPointer<UInt32>) -> Void
  ) {
    let rows = result.rows.base
    var start = first
    var written = first
    for offset in firstOffset..<result.offsets.count {
      let last = Int(result.offsets[offset])
      let kept = written
      begin(offset - firstOffset, UnsafeBufferPointer(start: rows + start, count: last - start))
      for place in start..<last {
        let row = rows[place]
        rows[written] = row
        if keeps(row) { written &+= 1 }
      }
      end(offset - firstOffset, UnsafeBufferPointer(start: rows + kept, count: written - kept))
      result.offsets.base[offset] = UInt32(truncatingIfNeeded: written)
      start = last
    }
    result.rows.count = written
  }

  private func keepOnce(
    _ memory: CombinedMembersState, _ execution: Execution, _ result: inout Expansion, from first: Int,
    firstOffset: Int
  ) {
    memory.reserve(execution.snapshot.slotCount(type))
    compact(&result, from: first, firstOffset: firstOffset, list: { _, _ in }) { row in
      if memory.seen.contains(row) { return false }
      memory.seen.insert(row)
      return true
    } end: { _, kept in
      for row in kept { memory.seen.remove(row) }
    }
  }

  private func keepLast(_ result: inout Expansion, from first: Int, firstOffset: Int) {
    var start = first
    var written = first
    for offset in firstOffset..<result.offsets.count {
      let end = Int(result.offsets[offset])
      if end > start {
        result.rows.base[written] = result.rows[end - 1]
        written += 1
      }
      result.offsets.base[offset] = UInt32(truncatingIfNeeded: written)
      start = end
    }
    result.rows.count = written
  }

  /// Keeps the rows of each list that are members of another set too.
  private func keepCommon(
    _ part: Int, _ scopes: ScopeRows, _ memory: CombinedMembersState, _ execution: Execution,
    _ result: inout Expansion, from first: Int, firstOffset: Int
  ) throws(RuntimeProblem) {
    let set = execution.compiledSet(parts[part])
    let slots = execution.snapshot.slotCount(type)
    guard set.isCorrelated else {
      let other = memory.parts[part]
      if other.run != execution.run {
        let members = try shared(part, memory, execution)
        other.bits.clear(rows: slots)
        if let base = members.baseAddress { other.bits.insert(base, members.count) }
        other.run = execution.run
      }
      return compact(
        &result, from: first, firstOffset: firstOffset, list: { _, _ in }, keeps: { other.bits.contains($0) },
        end: { _, _ in })
    }
    memory.reserve(slots)
    memory.other.removeAll()
    memory.other.offsets.append(0)
    defer { memory.other.rest() }
    try set.append(scopes, execution, into: &memory.other)
    try execution.hold(memory.other, &memory.otherBytes)
    compact(&result, from: first, firstOffset: firstOffset) { list, _ in
      for row in memory.list(list) { memory.seen.insert(row) }
    } keeps: { row in
      memory.seen.contains(row)
    } end: { list, _ in
      for row in memory.list(list) { memory.seen.remove(row) }
    }
  }

  /// Appends, of the first set, which is one for all elements, the members that another set has for each: not all members
  /// are gone through for each element, but their places looked up.
  private func pick(
    from part: Int, _ scopes: ScopeRows, _ memory: CombinedMembersState, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    let wanted = try shared(0, memory, execution)
    let count = wanted.count
    let places = memory.places.room(for: UInt64.self, count: count)
    if memory.placesRun != execution.run {
      try execution.checkMemory(count &* 8)
      for place in 0..<count { places[place] = UInt64(wanted[place]) << 32 | UInt64(place) }
      var buffer = UnsafeMutableBufferPointer(start: places, count: count)
      buffer.sort()
      memory.placesRun = execution.run
    }
    memory.reserve(execution.snapshot.slotCount(type))
    memory.other.removeAll()
    memory.other.offsets.append(0)
    defer { memory.other.rest() }
    try execution.compiledSet(parts[part]).append(scopes, execution, into: &memory.other)
    try execution.hold(memory.other, &memory.otherBytes)
    for list in 0..<scopes.count {
      memory.found.removeAll()
      for row in memory.list(list) where !memory.seen.contains(row) {
        memory.seen.insert(row)
        var place = Self.firstPlace(of: row, places, count)
        while place < count, UInt32(truncatingIfNeeded: places[place] >> 32) == row {
          memory.found.append(UInt32(truncatingIfNeeded: places[place]))
          place += 1
        }
      }
      for row in memory.list(list) { memory.seen.remove(row) }
      RowSorting.sort(memory.found.base, memory.found.count, descending: false)
      for index in 0..<memory.found.count { result.rows.append(wanted[Int(memory.found[index])]) }
      result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
  }

  /// Returns where the places of a row begin among those of all rows.
  private static func firstPlace(of row: UInt32, _ places: UnsafePointer<UInt64>, _ count: Int) -> Int {
    let key = UInt64(row) << 32
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The memory of sets that are put together, in one execution.
private final class CombinedMembersState: OperatorState {
  final class Part {
    @exclusivity(unchecked) var bits = BitMemory()
    @exclusivity(unchecked) var run: UInt64 = 0
    @exclusivity(unchecked) var members = Expansion()
    @exclusivity(unchecked) var membersRun: UInt64 = 0
    @exclusivity(unchecked) var memberBytes = 0
  }
  @exclusivity(unchecked) var single = Expansion()
  @exclusivity(unchecked) var singleBytes = 0
  @exclusivity(unchecked) var other = Expansion()
  @exclusivity(unchecked) var otherBytes = 0
  /// No bit is set between uses.
  @exclusivity(unchecked) var seen = BitMemory()
  /// Each member of the first set with its place, in the order of rows.
  @exclusivity(unchecked) var places = WorkMemory()
  @exclusivity(unchecked) var placesRun: UInt64 = 0
  @exclusivity(unchecked) var found = RowBuffer()
  /// The members of sets that are one for all elements.
  let parts: [Part]

  init(parts: Int) { self.parts = (0..<parts).map { _ in Part() } }

  /// Ensures that there is a bit for each row.
  func reserve(_ rows: Int) { if seen.wordCount < (rows + 63) >> 6 { seen.clear(rows: rows) } }

  /// Returns the other set's members for one of the elements.
  @inline(__always)
  func list(_ number: Int) -> UnsafeBufferPointer<UInt32> {
    let start = Int(other.offsets[number])
    return UnsafeBufferPointer(start: other.rows.base + start, count: Int(other.offsets[number + 1]) - start)
  }
}
