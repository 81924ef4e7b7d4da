/// Where the lists and objects inside an object end, found in one pass: with them a member's value is skipped in one step,
/// so that sorting members at each level looks at no byte once for each level around it.
///
/// Lists and objects are numbered in the order in which they begin.
struct JSONExtents {
  private var ends = ContiguousArray<UInt32>()
  /// The number of the first that begins behind the end.
  private var followers = ContiguousArray<UInt32>()
  private var open = ContiguousArray<UInt32>()

  var byteCount: Int { (ends.capacity + followers.capacity + open.capacity) * 4 }

  /// Forgets all; keeps little memory.
  mutating func removeAll() {
    let isSmall = ends.capacity < 1 << 12
    ends.removeAll(keepingCapacity: isSmall)
    followers.removeAll(keepingCapacity: isSmall)
    open.removeAll(keepingCapacity: isSmall)
  }

  /// Takes in the object that begins where the reader stands, which gets the number 0.
  mutating func measure(_ object: JSONReader) {
    removeAll()
    var reader = object
    let step = 1 << 14
    var look = reader.position + step
    repeat {
      switch reader.position < reader.count ? reader.base[reader.position] : 0 {
      case 0x22: _ = reader.skipString()
      case 0x5B, 0x7B:
        open.append(UInt32(truncatingIfNeeded: ends.count))
        ends.append(UInt32(truncatingIfNeeded: reader.count))
        followers.append(0)
        reader.position += 1
      case 0x5D, 0x7D:
        reader.position += 1
        if let number = open.popLast() {
          ends[Int(number)] = UInt32(truncatingIfNeeded: reader.position)
          followers[Int(number)] = UInt32(truncatingIfNeeded: ends.count)
        }
      default: reader.position += 1
      }
      if reader.position >= look {
        look = reader.position + step
        if let execution = reader.execution, !execution.shouldContinue(1 << 15, holding: byteCount) { return }
      }
    } while !open.isEmpty && reader.position < reader.count
  }

  /// The end of a list or object, and the number of the next one behind it.
  func end(of number: Int, _ reader: JSONReader) -> (position: Int, next: Int) {
    guard number < ends.count else { return (reader.count, number) }
    return (Int(ends[number]), Int(followers[number]))
  }
}
