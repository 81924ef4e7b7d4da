#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLBase
import GQLStore

/// Compares two JSON values as ``JSONOrder`` says, reading both side by side: no tree is made, and neither nesting nor
/// length has a limit but the run's. Linear, but for the sorting of members.
///
/// Its memory is used again for the next two.
final class JSONComparison {
  /// A member of an object: its name between the quotes, and where its value begins.
  private struct Member {
    var start: UInt32
    var end: UInt32
    var value: UInt32
    /// Of the first list or object in the value or behind it.
    var number: UInt32
    var hasEscapes: Bool

    var name: JSONReader.Body { JSONReader.Body(start: Int(start), end: Int(end), hasEscapes: hasEscapes) }
  }

  /// One of the two values.
  private struct Side {
    var reader: JSONReader
    var members = ContiguousArray<Member>()
    var extents = JSONExtents()
    /// The number of the next list or object.
    var number = 0

    var byteCount: Int { members.capacity * MemoryLayout<Member>.stride + extents.byteCount }
  }

  /// Two lists, or two objects with their members sorted.
  private struct Frame {
    var isObject: Bool
    var isFirst = true
    /// Of objects: the first members of both, and how many of them were compared.
    var left = 0
    var right = 0
    var done = 0
    /// Of objects: where both end, and the numbers behind them.
    var leftEnd = (position: 0, next: 0)
    var rightEnd = (position: 0, next: 0)
  }

  @exclusivity(unchecked) private var left: Side
  @exclusivity(unchecked) private var right: Side
  @exclusivity(unchecked) private var frames = ContiguousArray<Frame>()
  /// Pairs of objects that the reading is inside.
  @exclusivity(unchecked) private var objects = 0
  @exclusivity(unchecked) unowned(unsafe) private var execution: Execution?

  init() {
    let empty: StaticString = ""
    left = Side(reader: JSONReader(empty.utf8Start, 0, nil))
    right = left
  }

  /// Negative, zero or positive; nil where one is no JSON.
  func compare(
    _ first: (start: UnsafeRawPointer, count: Int), _ second: (start: UnsafeRawPointer, count: Int),
    _ execution: Execution?
  ) -> Int? {
    self.execution = execution
    left.reader = JSONReader(first.start, first.count, execution)
    right.reader = JSONReader(second.start, second.count, execution)
    defer { forget() }
    while true {
      let kind = left.reader.kind()
      let other = right.reader.kind()
      if let execution, !execution.shouldContinue(16, holding: byteCount) { return 0 }
      if kind == .none || other == .none { return nil }
      if kind != other { return kind.rawValue - other.rawValue }
      var order = 0
      switch kind {
      case .null, .none: skipWords()
      case .bool:
        // "true" stands behind "false" in the order of bytes, too.
        order = Int(left.reader.base[left.reader.position]) - Int(right.reader.base[right.reader.position])
        skipWords()
      case .number: order = compareNumbers()
      case .string:
        let mine = left.reader.skipString()
        let theirs = right.reader.skipString()
        order = compareStrings(mine, theirs)
      case .array:
        frames.append(Frame(isObject: false))
        enter()
      case .object: beginObject()
      }
      if order != 0 { return order }
      while let frame = frames.last {
        guard let order = advance(frame) else { break }
        if order != 0 { return order }
        frames.removeLast()
      }
      if frames.isEmpty { return 0 }
    }
  }

  private var byteCount: Int {
    left.byteCount + right.byteCount + frames.capacity * MemoryLayout<Frame>.stride
  }

  private func forget() {
    let isSmall = byteCount < 1 << 14
    left.members.removeAll(keepingCapacity: isSmall)
    right.members.removeAll(keepingCapacity: isSmall)
    frames.removeAll(keepingCapacity: isSmall)
    left.extents.removeAll()
    right.extents.removeAll()
    objects = 0
    execution = nil
  }

  /// Behind the brackets that begin two lists or objects.
  private func enter() {
    left.reader.position += 1
    right.reader.position += 1
    left.number += 1
    right.number += 1
  }

  private func skipWords() {
    _ = left.reader.skipWord()
    _ = right.reader.skipWord()
  }

  /// Goes on within two lists or objects. Nil where another pair of values begins; else what their ends say.
  private func advance(_ frame: Frame) -> Int? {
    let top = frames.count - 1
    if !frame.isObject {
      frames[top].isFirst = false
      let hasMine = left.reader.nextElement(isFirst: frame.isFirst)
      let hasTheirs = right.reader.nextElement(isFirst: frame.isFirst)
      if hasMine && hasTheirs { return nil }
      // The shorter of two lists stands before the longer one.
      return hasMine ? 1 : hasTheirs ? -1 : 0
    }
    let mine = frame.left + frame.done
    let theirs = frame.right + frame.done
    if mine < left.members.count, theirs < right.members.count {
      let order = compareStrings(left.members[mine].name, right.members[theirs].name)
      if order != 0 { return order }
      Self.go(&left, to: mine)
      Self.go(&right, to: theirs)
      frames[top].done += 1
      return nil
    }
    let order = (left.members.count - frame.left) - (right.members.count - frame.right)
    left.members.removeSubrange(frame.left...)
    right.members.removeSubrange(frame.right...)
    left.reader.position = frame.leftEnd.position
    right.reader.position = frame.rightEnd.position
    left.number = frame.leftEnd.next
    right.number = frame.rightEnd.next
    objects -= 1
    return order
  }

  private static func go(_ side: inout Side, to member: Int) {
    side.reader.position = Int(side.members[member].value)
    side.number = Int(side.members[member].number)
  }

  // MARK: - Objects

  private func beginObject() {
    var frame = Frame(isObject: true)
    if objects == 0 {
      left.extents.measure(left.reader)
      right.extents.measure(right.reader)
      left.number = 0
      right.number = 0
    }
    objects += 1
    frame.left = left.members.count
    frame.right = right.members.count
    frame.leftEnd = list(&left, from: frame.left)
    frame.rightEnd = list(&right, from: frame.right)
    frames.append(frame)
  }

  /// Lists the members of the object that begins here, in the order of their names; gives where it ends.
  private func list(_ side: inout Side, from first: Int) -> (position: Int, next: Int) {
    let end = side.extents.end(of: side.number, side.reader)
    side.reader.position += 1
    side.number += 1
    var isSorted = true
    while let name = side.reader.nextName(isFirst: side.members.count == first) {
      let member = Member(
        start: UInt32(truncatingIfNeeded: name.start), end: UInt32(truncatingIfNeeded: name.end),
        value: UInt32(truncatingIfNeeded: side.reader.position), number: UInt32(truncatingIfNeeded: side.number),
        hasEscapes: name.hasEscapes)
      if isSorted, side.members.count > first, let last = side.members.last {
        isSorted = order(side.reader, last.name, side.reader, name) <= 0
      }
      side.members.append(member)
      switch side.reader.kind() {
      case .string: _ = side.reader.skipString()
      case .array, .object:
        let inner = side.extents.end(of: side.number, side.reader)
        side.reader.position = max(inner.position, side.reader.position + 1)
        side.number = inner.next
      case .null, .bool, .number: _ = side.reader.skipWord()
      case .none: side.reader.position = side.reader.count
      }
      if let execution, !execution.shouldContinue(32, holding: side.byteCount) { break }
    }
    if !isSorted {
      let reader = side.reader
      side.members.withUnsafeMutableBufferPointer { members in
        var added = UnsafeMutableBufferPointer(rebasing: members[first...])
        added.sort { mine, theirs in
          let order = order(reader, mine.name, reader, theirs.name)
          return order != 0 ? order < 0 : mine.start < theirs.start
        }
      }
    }
    return end
  }

  // MARK: - Strings and numbers

  private func compareStrings(_ mine: JSONReader.Body, _ theirs: JSONReader.Body) -> Int {
    order(left.reader, mine, right.reader, theirs)
  }

  /// By bytes, without escapes, a prefix first.
  private func order(
    _ first: JSONReader, _ mine: JSONReader.Body, _ second: JSONReader, _ theirs: JSONReader.Body
  ) -> Int {
    if mine.hasEscapes || theirs.hasEscapes { return orderDecoded(first, mine, second, theirs) }
    let step = 1 << 15
    let count = min(mine.end - mine.start, theirs.end - theirs.start)
    var offset = 0
    while offset < count {
      let size = min(step, count - offset)
      let order = memcmp(first.base + mine.start + offset, second.base + theirs.start + offset, size)
      if order != 0 { return Int(order) }
      offset += size
      if let execution, !execution.shouldContinue(size / 8 + 8) { return 0 }
    }
    return (mine.end - mine.start) - (theirs.end - theirs.start)
  }

  private func orderDecoded(
    _ first: JSONReader, _ mine: JSONReader.Body, _ second: JSONReader, _ theirs: JSONReader.Body
  ) -> Int {
    var mine = JSONStringBytes(first, mine)
    var theirs = JSONStringBytes(second, theirs)
    var steps = 0
    while true {
      let a = mine.next()
      let b = theirs.next()
      if a != b { return a - b }
      if a < 0 { return 0 }
      steps &+= 1
      if steps & 0xFFF == 0, let execution, !execution.shouldContinue(1 << 14) { return 0 }
    }
  }

  /// By exact value, whatever the digits and the exponent are.
  private func compareNumbers() -> Int {
    let mine = left.reader.skipWord()
    let theirs = right.reader.skipWord()
    let first = UnsafeBufferPointer(start: left.reader.base + mine.lowerBound, count: mine.count)
    let second = UnsafeBufferPointer(start: right.reader.base + theirs.lowerBound, count: theirs.count)
    if mine.count == theirs.count, let a = first.baseAddress, let b = second.baseAddress,
      memcmp(a, b, mine.count) == 0
    {
      return 0
    }
    if let a = Decimal(parsing: first), let b = Decimal(parsing: second) { return compareExactly(a, b) }
    guard let a = NumberText(first), let b = NumberText(second) else { return 0 }
    return NumberText.compare(a, b)
  }
}
