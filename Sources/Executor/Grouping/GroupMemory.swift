/// A growable array over raw memory, one element a group; keeps its memory when emptied.
struct GroupMemory<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 16
    base = .allocate(capacity: 16)
  }

  deinit { base.deallocate() }

  var byteCount: Int { capacity &* MemoryLayout<Element>.stride }

  /// Makes it `newCount` elements long, new ones of this value.
  mutating func extend(to newCount: Int, filling value: Element) {
    guard newCount > count else { return }
    if newCount > capacity { grow(newCount) }
    (base + count).initialize(repeating: value, count: newCount &- count)
    count = newCount
  }

  @inline(__always)
  mutating func append(_ value: Element) {
    if count == capacity { grow(count + 1) }
    (base + count).initialize(to: value)
    count &+= 1
  }

  mutating func removeAll() { count = 0 }

  /// Frees what is larger than `limit` bytes.
  mutating func trim(to limit: Int) {
    count = 0
    guard byteCount > limit else { return }
    base.deallocate()
    capacity = 16
    base = .allocate(capacity: 16)
  }

  @inline(never)
  private mutating func grow(_ needed: Int) {
    let larger = max(needed, capacity * 2)
    let grown = UnsafeMutablePointer<Element>.allocate(capacity: larger)
    grown.update(from: base, count: count)
    base.deallocate()
    base = grown
    capacity = larger
  }
}
