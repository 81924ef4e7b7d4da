/// A key as JSON texts write it mostly: between quotes without escapes, and its colon after them.
///
/// It is compared in three words that may overlap, without a loop.
package struct WrittenKey: Sendable {
  /// Of the quotes, the name and the colon; 0 where the name is too long or needs an escape.
  fileprivate private(set) var count = 0
  /// The bytes at the start, those after eight, and those at the end; four of each if there are fewer than eight.
  fileprivate private(set) var first: UInt64 = 0
  fileprivate private(set) var second: UInt64 = 0
  fileprivate private(set) var last: UInt64 = 0

  private static let most = 24

  package init(_ name: Text) {
    let isPlain = !name.bytes.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
    let written: ContiguousArray<UInt8> = [0x22] + name.bytes + [0x22, 0x3A]
    guard isPlain, !name.isEmpty, written.count <= Self.most else { return }
    let width = written.count < 8 ? 4 : 8
    func word(_ start: Int) -> UInt64 {
      written[start..<start + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    count = written.count
    first = word(0)
    second = count > 16 ? word(8) : 0
    last = word(count - width)
  }
}

extension JSONScanner {
  /// Passes the next key and its colon if they are written as expected; else the scanner stays before them.
  @inline(__always)
  package mutating func passKey(_ key: WrittenKey) -> Bool {
    skipSpace()
    var index = position
    if !isAtStart {
      guard index < count, base[index] == 0x2C else { return false }
      index &+= 1
      while index < count, base[index] == 0x20 || base[index] == 0x0A || base[index] == 0x0D || base[index] == 0x09 {
        index &+= 1
      }
    }
    guard key.count > 0, count &- index >= key.count else { return false }
    // Safe because that many bytes are left: no word reaches beyond the last of them.
    let start = UnsafeRawPointer(base + index)
    if key.count < 8 {
      guard UInt64(start.loadUnaligned(as: UInt32.self)) == key.first,
        UInt64((start + (key.count &- 4)).loadUnaligned(as: UInt32.self)) == key.last
      else { return false }
    } else {
      guard start.loadUnaligned(as: UInt64.self) == key.first,
        (start + (key.count &- 8)).loadUnaligned(as: UInt64.self) == key.last,
        key.count <= 16 || (start + 8).loadUnaligned(as: UInt64.self) == key.second
      else { return false }
    }
    position = index &+ key.count
    isAtStart = false
    return true
  }
}
