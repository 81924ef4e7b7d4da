#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension TextSearch {
  typealias Bytes = (start: UnsafeRawPointer, count: Int)

  /// Bytes between two looks at what may stop the run.
  private static var window: Int { 1 << 15 }

  /// Where the needle occurs first from a place on; nil if it is empty or does not. Linear, whatever the bytes.
  static func find(
    _ text: Bytes, _ needle: Bytes, from: Int, _ execution: Execution
  ) throws(RuntimeProblem) -> Int? {
    guard needle.count > 0, from >= 0, from <= text.count, needle.count <= text.count - from else { return nil }
    if needle.count > 32 { return try findLong(text, needle, from: from, execution) }
    let first = Int32(needle.start.load(as: UInt8.self))
    let end = text.count - needle.count + 1
    var place = from
    while place < end {
      let stop = min(end, place + window)
      let start = place
      while place < stop, let found = memchr(text.start + place, first, stop - place) {
        place = UnsafeRawPointer(found) - text.start
        if memcmp(text.start + place, needle.start, needle.count) == 0 { return place }
        place += 1
      }
      place = stop
      try execution.charge(stop - start)
    }
    return nil
  }

  /// Knuth, Morris and Pratt's: no byte of the text is looked at twice.
  private static func findLong(
    _ text: Bytes, _ needle: Bytes, from: Int, _ execution: Execution
  ) throws(RuntimeProblem) -> Int? {
    func byte(_ index: Int) -> UInt8 { needle.start.load(fromByteOffset: index, as: UInt8.self) }
    try execution.checkMemory(needle.count &* 4)
    // The longest border of each prefix. A text has fewer than 2³⁰ bytes.
    var borders = [UInt32](repeating: 0, count: needle.count)
    var border = 0
    for index in 1..<needle.count {
      while border > 0, byte(border) != byte(index) { border = Int(borders[border - 1]) }
      if byte(border) == byte(index) { border += 1 }
      borders[index] = UInt32(truncatingIfNeeded: border)
      if index & (window - 1) == 0 { try execution.charge(window) }
    }
    var matched = 0
    for index in from..<text.count {
      let next = text.start.load(fromByteOffset: index, as: UInt8.self)
      while matched > 0, byte(matched) != next { matched = Int(borders[matched - 1]) }
      if byte(matched) == next { matched += 1 }
      if matched == needle.count { return index - needle.count + 1 }
      if index & (window - 1) == 0 { try execution.charge(window) }
    }
    return nil
  }
}
