import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

/// The answer of a live query of one flat list, element by element, so that a change of few entities changes few of them.
///
/// Only the entities that have changed are put to the condition and the order. Where a new one stands is found by binary
/// search: the order of the plan sorts it among elements that are there.
struct LiveList {
  /// A change of the answer.
  enum Step {
    /// The bytes are the same.
    case same
    /// - Parameter patch: The operations of RFC 6902 that lead to it; nil where nobody wants them.
    case next([UInt8], patch: [UInt8]?)
    /// The query has to be run again.
    case unknown
  }
  /// A difference from the list as it was.
  private struct Edit {
    enum Kind { case insert, replace, remove }
    /// The element that it concerns, or before which one is inserted.
    var place: Int
    var kind: Kind
    /// The element of the run that takes the place.
    var element = 0
  }
  /// The elements of entities that have changed.
  private struct Elements {
    var rows: ContiguousArray<UInt32> = []
    var bytes: [UInt8] = []
    var ranges: [Range<Int>] = []
  }

  let plan: LiveElements
  let executable: Executable
  let parameters: [GQLCatalog.Value?]
  private(set) var rows: ContiguousArray<UInt32>
  /// The bytes of each element.
  private var lengths: ContiguousArray<UInt32>
  /// The bytes before the first element.
  private let head: Int
  private let most: Int
  private let limits: RunLimits
  /// Lists of fewer elements are written again in no more time.
  static let fewest = 64
  /// Where more than one of so many entities has changed, running the query again takes less time: each is compared with
  /// as many others as a binary search has steps.
  private static let mostChangedPart = 128
  /// So few entities are sorted in at any rate, and no more than the upper bound.
  private static let changed = 4...512

  var byteCount: Int { rows.count * 8 + parameters.count * 32 }

  /// Takes an answer apart; nil where it is none of a flat list.
  init?(
    _ plan: LiveElements, _ executable: Executable, _ parameters: [GQLCatalog.Value?],
    rows: ContiguousArray<UInt32>, answer: borrowing ByteBuffer, limits: RunLimits
  ) {
    guard let (head, lengths) = answer.withUnsafeBytes({ Self.elements(of: $0) }), lengths.count == rows.count else {
      return nil
    }
    var most = Int.max
    if let limit = plan.query.limit {
      guard case .int(let number)? = limit.value(with: parameters), number >= 0 else { return nil }
      most = Int(number)
    }
    self.plan = plan
    self.executable = executable
    self.parameters = parameters
    self.rows = rows
    self.lengths = lengths
    self.head = head
    self.most = most
    self.limits = limits
  }

  /// Finds the elements of the only list of an answer: where the first one begins, and the bytes of each.
  private static func elements(of answer: UnsafeRawBufferPointer) -> (head: Int, lengths: ContiguousArray<UInt32>)? {
    var scanner = JSONScanner(answer)
    var scratch = ByteBuffer(capacity: 64)
    var lengths: ContiguousArray<UInt32> = []
    do throws(JSONScanner.Failure) {
      try scanner.beginObject()
      guard try scanner.nextKey(&scratch) != nil, scanner.peek() == .array else { return nil }
      try scanner.beginArray()
      let head = scanner.position
      while try scanner.nextElement() {
        let start = scanner.position
        try scanner.skipValue()
        guard let length = UInt32(exactly: scanner.position - start) else { return nil }
        lengths.append(length)
      }
      return (head, lengths)
    } catch {
      // An answer may be deeper than what is read.
      return nil
    }
  }

  // MARK: - Changing

  /// Finds the answer after some entities of the list's type have changed, and nothing else that it reads.
  ///
  /// - Parameters:
  ///   - answer: The answer as it was.
  ///   - changed: The rows of the entities, ascending.
  ///   - limits: Limits of the time and the memory of this run.
  /// - Returns: The next answer. The list is that of the answer as it was where the query has to be run again.
  mutating func change(
    _ answer: [UInt8], _ changed: ContiguousArray<UInt32>, on snapshot: Snapshot, _ limits: RunLimits,
    makesPatch: Bool
  ) -> Step {
    let type = plan.query.type
    let slots = snapshot.slotCount(type)
    // As many as the query itself would look at.
    var looked = rows.count
    if case .scan? = executable.plan.sets.first?.access { looked = max(looked, slots) }
    let most = max(Self.changed.lowerBound, min(looked / Self.mostChangedPart, Self.changed.upperBound))
    // Within its limits, the query may look at each row twice and keep a few words of each.
    guard changed.count <= most, slots <= limits.maximumVisitedRows / 2, slots <= limits.maximumMemory / 64 else {
      return .unknown
    }
    let live = ContiguousArray(changed.filter { Int($0) < slots && snapshot.isLive(type, $0) })
    let gone = places(of: changed)
    guard let elements = run(live, on: snapshot, limits) else { return .unknown }
    if elements.rows.isEmpty, gone.isEmpty { return .same }
    guard let kept = keptPlaces(of: elements, gone, on: snapshot, limits),
      let edits = edits(kept, elements, gone)
    else { return .unknown }
    return apply(edits, elements, to: answer, makesPatch: makesPatch)
  }

  /// The places of those that are in the list, ascending.
  private func places(of changed: ContiguousArray<UInt32>) -> ContiguousArray<Int> {
    var result: ContiguousArray<Int> = []
    guard let first = changed.first, let last = changed.last else { return result }
    // Most rows are told from those that have changed by their lowest bits.
    let bits = changed.reduce(UInt64(0)) { $0 | 1 << UInt64($1 & 63) }
    rows.withUnsafeBufferPointer { rows in
      for (place, row) in rows.enumerated() where bits & 1 << UInt64(row & 63) != 0 && row >= first && row <= last {
        if changed.holdsAscending(row) { result.append(place) }
      }
    }
    return result
  }

  /// Writes those of some entities that belong to the list, in its order; nil where that fails.
  private func run(_ live: ContiguousArray<UInt32>, on snapshot: Snapshot, _ limits: RunLimits) -> Elements? {
    if live.isEmpty { return Elements() }
    var output = ByteBuffer(capacity: 1024)
    do throws(RuntimeProblem) {
      let trace = try live.withUnsafeBufferPointer { live throws(RuntimeProblem) in
        try plan.executable.trace(
          snapshot, parameters: parameters, given: live, keepsList: true, limits: limits, into: &output)
      }
      guard let rows = trace.list,
        let (head, lengths) = output.withUnsafeBytes({ Self.elements(of: $0) }), lengths.count == rows.count
      else { return nil }
      var start = head
      let ranges = lengths.map { length in
        defer { start += Int(length) + 1 }
        return start..<start + Int(length)
      }
      return Elements(rows: rows, bytes: output.takeArray(), ranges: ranges)
    } catch {
      // The query itself reports what fails.
      return nil
    }
  }

  /// Finds how many of the elements that stay stand before each of those that have changed; nil where that fails.
  ///
  /// - Parameter gone: The places of the elements that do not stay as they are.
  private func keptPlaces(
    of elements: Elements, _ gone: ContiguousArray<Int>, on snapshot: Snapshot, _ limits: RunLimits
  ) -> [Int]? {
    let count = rows.count - gone.count
    var bounds = elements.rows.map { _ in 0...count }
    if plan.query.elements.sets[0].order.isEmpty {
      for (number, row) in elements.rows.enumerated() {
        narrow(&bounds[number]) { rows[Self.place(ofKept: $0, gone)] < row }
      }
      return bounds.map(\.lowerBound)
    }
    // Most elements stay where they are.
    for (number, row) in elements.rows.enumerated() {
      guard let before = gone.firstIndex(where: { rows[$0] == row }) else { continue }
      bounds[number] = gone[before] - before...gone[before] - before
    }
    guard let stay = compare(elements, bounds.map { [$0.lowerBound - 1, $0.lowerBound] }, gone, snapshot, limits)
    else { return nil }
    for number in bounds.indices {
      let place = bounds[number].lowerBound
      let isMoved = bounds[number].count > 1 || stay[number][0] == false || stay[number][1] == true
      bounds[number] = isMoved ? 0...count : place...place
    }
    while bounds.contains(where: { $0.count > 1 }) {
      let middles = bounds.map { $0.count > 1 ? [($0.lowerBound + $0.upperBound) / 2] : [] }
      guard let before = compare(elements, middles, gone, snapshot, limits) else { return nil }
      for number in bounds.indices where !middles[number].isEmpty {
        let middle = middles[number][0]
        bounds[number] =
          before[number][0] == true ? middle + 1...bounds[number].upperBound : bounds[number].lowerBound...middle
      }
    }
    return bounds.map(\.lowerBound)
  }

  /// Narrows bounds to the first place for which a test fails.
  private func narrow(_ bounds: inout ClosedRange<Int>, _ isBefore: (Int) -> Bool) {
    while bounds.count > 1 {
      let middle = (bounds.lowerBound + bounds.upperBound) / 2
      bounds = isBefore(middle) ? middle + 1...bounds.upperBound : bounds.lowerBound...middle
    }
  }

  /// Returns whether elements that stay stand before those that have changed, by the order of the plan; nil in the list
  /// for a place beyond the list.
  ///
  /// - Parameter places: For each of those that have changed, places among those that stay.
  private func compare(
    _ elements: Elements, _ places: [[Int]], _ gone: ContiguousArray<Int>, _ snapshot: Snapshot, _ limits: RunLimits
  ) -> [[Bool?]]? {
    let count = rows.count - gone.count
    let others = places.map { $0.map { 0..<count ~= $0 ? rows[Self.place(ofKept: $0, gone)] : nil } }
    let asked = zip(elements.rows, others).filter { !$1.isEmpty }.map(\.0)
    let given = ContiguousArray(Set(asked).union(others.joined().compactMap { $0 }).sorted())
    var order: [UInt32: Int] = [:]
    do throws(RuntimeProblem) {
      try given.withUnsafeBufferPointer { given throws(RuntimeProblem) in
        try plan.executable.findLevels(snapshot, parameters: parameters, given: given, host: nil, limits: limits) {
          for (place, row) in $0(SelectionID(0)).rows.enumerated() { order[row] = place }
        }
      }
    } catch {
      return nil
    }
    // What is in the list meets the condition.
    guard order.count == given.count else { return nil }
    return zip(elements.rows, others).map { row, others in
      others.map { other in
        guard let other, let left = order[other], let right = order[row] else { return nil }
        return left < right
      }
    }
  }

  /// The place in the list of one of the elements that stay, by its number among these.
  private static func place(ofKept number: Int, _ gone: ContiguousArray<Int>) -> Int {
    var (low, high) = (0, gone.count)
    while low < high {
      let middle = (low + high) / 2
      if gone[middle] - middle <= number { low = middle + 1 } else { high = middle }
    }
    return number + low
  }

  /// Returns the differences from the list as it was, in the order of places; nil where others than known ones may belong
  /// to it.
  private func edits(_ kept: [Int], _ elements: Elements, _ gone: ContiguousArray<Int>) -> [Edit]? {
    let count = rows.count - gone.count
    var edits: [Edit] = []
    // The next of those that are gone, and the place after the last difference.
    var (next, end) = (0, 0)
    var changes = count - rows.count
    func removeGone(before place: Int) {
      while next < gone.count, gone[next] < place {
        edits.append(Edit(place: gone[next], kind: .remove))
        end = gone[next] + 1
        next += 1
      }
    }
    for (number, before) in kept.enumerated() {
      // Where the list is full, what stands after its last element may have others before it.
      if rows.count >= most, before == count { break }
      changes += 1
      let start = before == 0 ? 0 : Self.place(ofKept: before - 1, gone) + 1
      removeGone(before: start)
      let row = elements.rows[number]
      if let same = (next..<gone.count).first(where: { gone[$0] - $0 != before || rows[gone[$0]] == row }),
        gone[same] - same == before
      {
        removeGone(before: gone[same])
        edits.append(Edit(place: gone[same], kind: .replace, element: number))
        end = gone[same] + 1
        next += 1
      } else {
        edits.append(Edit(place: max(start, end), kind: .insert, element: number))
      }
    }
    removeGone(before: rows.count)
    if rows.count >= most, rows.count + changes < most { return nil }
    cut(&edits, rows.count + changes - most)
    return edits
  }

  /// Takes elements from the end of the list.
  private func cut(_ edits: inout [Edit], _ number: Int) {
    var end = rows.count
    var tail: [Edit] = []
    for _ in 0..<max(number, 0) {
      // What is removed already is passed over.
      while let last = edits.last, last.kind == .remove, last.place == end - 1 {
        tail.append(edits.removeLast())
        end -= 1
      }
      if let last = edits.last, last.kind == .insert, last.place >= end {
        edits.removeLast()
        continue
      }
      end -= 1
      if let last = edits.last, last.kind == .replace, last.place == end { edits.removeLast() }
      tail.append(Edit(place: end, kind: .remove))
    }
    edits += tail.reversed()
  }

  private mutating func apply(
    _ edits: [Edit], _ elements: Elements, to answer: [UInt8], makesPatch: Bool
  ) -> Step {
    var writer = ListWriter(lengths: lengths, head: head, answer: answer)
    var newRows: ContiguousArray<UInt32> = []
    newRows.reserveCapacity(rows.count + edits.count)
    var next = 0
    for edit in edits {
      newRows.append(contentsOf: rows[next..<edit.place])
      writer.keep(through: edit.place)
      next = edit.place
      if edit.kind != .remove {
        newRows.append(elements.rows[edit.element])
        writer.append(elements.bytes[elements.ranges[edit.element]])
      }
      if edit.kind != .insert {
        writer.skip()
        next += 1
      }
    }
    newRows.append(contentsOf: rows[next...])
    writer.keep(through: rows.count)
    let (bytes, newLengths) = writer.finish()
    guard bytes.count <= limits.maximumBytes,
      newRows.count <= limits.maximumNodes / plan.query.objectsPerElement
    else { return .unknown }
    let isSame = bytes == answer
    let patch = makesPatch && !isSame ? patch(edits, elements, from: answer, to: bytes) : nil
    (rows, lengths) = (newRows, newLengths)
    return isSame ? .same : .next(bytes, patch: patch)
  }

  // MARK: - Patches

  /// Returns the operations that lead from the answer as it was to the next one.
  private func patch(_ edits: [Edit], _ elements: Elements, from answer: [UInt8], to next: [UInt8]) -> [UInt8] {
    // Between `{"` and `":[`.
    let list = JSONDifference.step(answer[2..<head - 3])
    var offsets: [Int] = []
    offsets.reserveCapacity(edits.count)
    var (place, offset) = (0, head)
    for edit in edits {
      while place < edit.place {
        offset += Int(lengths[place]) + 1
        place += 1
      }
      offsets.append(offset)
    }
    var operations: [[UInt8]] = []
    // Later places first, so that those before are still what they were.
    for (edit, offset) in zip(edits, offsets).reversed() {
      let path = list + JSONDifference.step(ArraySlice(String(edit.place).utf8))
      let element = edit.kind == .remove ? [] : Array(elements.bytes[elements.ranges[edit.element]])
      switch edit.kind {
      case .remove: operations.append(JSONDifference.operation("remove", at: path, nil))
      case .insert: operations.append(JSONDifference.operation("add", at: path, element))
      case .replace:
        let old = Array(answer[offset..<offset + Int(lengths[edit.place])])
        let found = JSONDifference.operations(from: old, to: element, at: path)
        if !found.isEmpty { operations.append(found) }
      }
    }
    return JSONDifference.patch(of: operations, to: next)
  }
}

extension ContiguousArray<UInt32> {
  /// Indicates whether a row is one of these, which ascend.
  fileprivate func holdsAscending(_ row: UInt32) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == row
  }
}
