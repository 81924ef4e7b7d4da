/// Raw memory that grows and is reused; its contents are lost when it grows.
struct WorkMemory: ~Copyable {
  private var base: UnsafeMutableRawPointer?
  private(set) var byteCount = 0

  init() {}

  deinit { base?.deallocate() }

  /// Room for `count` values, uninitialized, valid until the next call.
  mutating func room<T: BitwiseCopyable>(for type: T.Type, count: Int) -> UnsafeMutablePointer<T> {
    let needed = max(count, 1) * MemoryLayout<T>.stride
    if let base, byteCount >= needed { return base.bindMemory(to: T.self, capacity: count) }
    base?.deallocate()
    byteCount = max(needed, byteCount * 2, 256)
    let grown = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    base = grown
    return grown.bindMemory(to: T.self, capacity: count)
  }

  /// Frees what is larger than `limit` bytes.
  mutating func trim(to limit: Int) {
    guard byteCount > limit else { return }
    base?.deallocate()
    base = nil
    byteCount = 0
  }
}
