#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

#if canImport(Glibc) || canImport(Musl)
  // The headers show it only to GNU sources, which Swift's import is not.
  @_silgen_name("memmem")
  private func memmem(
    _ haystack: UnsafeRawPointer, _ haystackCount: Int, _ needle: UnsafeRawPointer, _ needleCount: Int
  ) -> UnsafeMutableRawPointer?
#endif

/// Finding bytes in bytes. The empty text occurs everywhere.
package enum ByteSearch {
  /// The offset of the first occurrence at `from` or later; nil if there is none.
  ///
  /// Over long texts as fast as memory allows; call it on a whole arena rather than for each of its texts.
  package static func firstIndex(
    of needle: UnsafeRawBufferPointer, in haystack: UnsafeRawBufferPointer, from: Int = 0
  ) -> Int? {
    guard from >= 0, from <= haystack.count, needle.count <= haystack.count - from else { return nil }
    guard let pattern = needle.baseAddress, needle.count > 0, let start = haystack.baseAddress else { return from }
    if needle.count == 1 {
      guard let hit = memchr(start + from, Int32(needle[0]), haystack.count - from) else { return nil }
      return UnsafeRawPointer(hit) - start
    }
    guard let hit = memmem(start + from, haystack.count - from, pattern, needle.count) else { return nil }
    return UnsafeRawPointer(hit) - start
  }

  package static func contains(_ haystack: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
    firstIndex(of: needle, in: haystack) != nil
  }

  package static func startsWith(_ text: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer) -> Bool {
    guard prefix.count <= text.count else { return false }
    guard let start = text.baseAddress, let other = prefix.baseAddress else { return true }
    return memcmp(start, other, prefix.count) == 0
  }

  package static func endsWith(_ text: UnsafeRawBufferPointer, _ suffix: UnsafeRawBufferPointer) -> Bool {
    guard suffix.count <= text.count else { return false }
    guard let start = text.baseAddress, let other = suffix.baseAddress else { return true }
    return memcmp(start + (text.count - suffix.count), other, suffix.count) == 0
  }

  package static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && startsWith(left, right)
  }
}
