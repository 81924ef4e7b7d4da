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

  /// Returns the offset of the first such byte at `from` or later; nil if there is none.
  package static func firstIndex(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from: Int = 0) -> Int? {
    guard from >= 0, from < bytes.count, let start = bytes.baseAddress else { return nil }
    guard let hit = memchr(start + from, Int32(byte), bytes.count - from) else { return nil }
    return UnsafeRawPointer(hit) - UnsafeRawPointer(start)
  }

  package static func contains(_ haystack: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
    guard needle.count <= haystack.count else { return false }
    guard needle.count > 0, let text = haystack.baseAddress, let start = needle.baseAddress else { return true }
    // A short text is searched before `memmem` has looked at the needle.
    if haystack.count <= 512 { return containsShort(text, haystack.count, start, needle.count) }
    return firstIndex(of: needle, in: haystack) != nil
  }

  /// Sixteen places at a time are tested for the first and the last byte of the needle.
  private static func containsShort(
    _ text: UnsafeRawPointer, _ count: Int, _ needle: UnsafeRawPointer, _ length: Int
  ) -> Bool {
    let places = count &- length &+ 1
    let first = needle.load(as: UInt8.self)
    let last = needle.load(fromByteOffset: length &- 1, as: UInt8.self)
    let firsts = SIMD16<UInt8>(repeating: first)
    let lasts = SIMD16<UInt8>(repeating: last)
    let tail = text + (length &- 1)
    var place = 0
    while true {
      let left = places &- place
      if left < 16 {
        if left <= 0 { return false }
        // Bytes behind the text may be read, as the block does not reach into another page of memory.
        let isWithin =
          (UInt(bitPattern: text + place) & 4095) <= 4080 && (UInt(bitPattern: tail + place) & 4095) <= 4080
        if !isWithin {
          if places < 16 { return containsBytewise(text, places, needle, length) }
          place = places &- 16
        }
      }
      let heads = (text + place).loadUnaligned(as: SIMD16<UInt8>.self) ^ firsts
      let tails = (tail + place).loadUnaligned(as: SIMD16<UInt8>.self) ^ lasts
      let different = heads | tails
      // A zero byte is a candidate; the test for one may err behind the first, which the comparison mends.
      let words = unsafeBitCast(different, to: SIMD2<UInt64>.self)
      let zeros = (words &- 0x0101_0101_0101_0101) & ~words & 0x8080_8080_8080_8080
      if zeros[0] | zeros[1] != 0 {
        for half in 0..<2 {
          var candidates = zeros[half]
          while candidates != 0 {
            let candidate = place &+ half &* 8 &+ candidates.trailingZeroBitCount &>> 3
            if candidate >= places { return false }
            if memcmp(text + candidate, needle, length) == 0 { return true }
            candidates &= candidates &- 1
          }
        }
      }
      place &+= 16
    }
  }

  private static func containsBytewise(
    _ text: UnsafeRawPointer, _ places: Int, _ needle: UnsafeRawPointer, _ length: Int
  ) -> Bool {
    let first = needle.load(as: UInt8.self)
    for place in 0..<places where (text + place).load(as: UInt8.self) == first {
      if memcmp(text + place, needle, length) == 0 { return true }
    }
    return false
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
