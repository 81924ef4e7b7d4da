#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension TextView {
  @inlinable package func equals(_ other: TextView) -> Bool {
    if key0 != other.key0 { return false }
    if count <= 12 { return word1 == other.word1 }
    return word1 == other.word1 || equalsLong(other)
  }

  /// Precondition: equal lengths above ``inlineCapacity``.
  @usableFromInline func equalsLong(_ other: TextView) -> Bool {
    memcmp(
      UnsafeRawPointer(bitPattern: UInt(word1)).unsafelyUnwrapped,
      UnsafeRawPointer(bitPattern: UInt(other.word1)).unsafelyUnwrapped, count) == 0
  }

  /// The first eight bytes as a number that orders like them; zeros behind a shorter text.
  @inlinable package var image: UInt64 {
    let first = UInt64(truncatingIfNeeded: word0 >> 32)
    if count <= 12 { return ((first | word1 << 32).byteSwapped) }
    return UnsafeRawPointer(bitPattern: UInt(word1)).unsafelyUnwrapped.loadUnaligned(as: UInt64.self).byteSwapped
  }

  /// By bytes; negative, zero or positive. With `limit`, only the first bytes of `self` count.
  package func compare(_ other: TextView, limit: Int = .max) -> Int {
    withBytes { left, fullCount in
      other.withBytes { right, rightCount in
        let leftCount = min(fullCount, limit)
        let order = memcmp(left, right, min(leftCount, rightCount))
        return order != 0 ? Int(order) : leftCount - rightCount
      }
    }
  }

  // MARK: - Ids

  /// Digits of a canonical decimal integer (no leading zeros, no `-0`); nil for other texts.
  private static func integer(
    _ start: UnsafeRawPointer, _ count: Int
  ) -> (isNegative: Bool, digits: UnsafeRawPointer, count: Int)? {
    guard count > 0 else { return nil }
    let isNegative = start.load(as: UInt8.self) == 0x2D
    let digits = isNegative ? start + 1 : start
    let digitCount = isNegative ? count - 1 : count
    guard digitCount > 0 else { return nil }
    if digits.load(as: UInt8.self) == 0x30 && (digitCount > 1 || isNegative) { return nil }
    for offset in 0..<digitCount {
      let digit = digits.load(fromByteOffset: offset, as: UInt8.self)
      if digit < 0x30 || digit > 0x39 { return nil }
    }
    return (isNegative, digits, digitCount)
  }

  /// Decimal integers by value, then all others by bytes.
  package func compareAsID(_ other: TextView) -> Int {
    withBytes { left, leftCount in
      other.withBytes { right, rightCount in
        switch (Self.integer(left, leftCount), Self.integer(right, rightCount)) {
        case (nil, nil):
          let order = memcmp(left, right, min(leftCount, rightCount))
          return order != 0 ? Int(order) : leftCount - rightCount
        case (_?, nil): return -1
        case (nil, _?): return 1
        case (let a?, let b?):
          if a.isNegative != b.isNegative { return a.isNegative ? -1 : 1 }
          let order = a.count != b.count ? a.count - b.count : Int(memcmp(a.digits, b.digits, a.count))
          return a.isNegative ? -order : order
        }
      }
    }
  }

  /// Orders like ``compareAsID(_:)``, but gives texts of one beginning and very large numbers the same image.
  package var idImage: UInt64 {
    withBytes { start, count in
      guard let number = Self.integer(start, count) else { return 1 << 63 | image >> 1 }
      let limit: Int64 = 1 << 62 - 1
      var value: Int64 = 0
      if number.count > 18 {
        value = limit
      } else {
        for offset in 0..<number.count {
          value = value * 10 + Int64(number.digits.load(fromByteOffset: offset, as: UInt8.self) - 0x30)
        }
      }
      return UInt64(bitPattern: (number.isNegative ? -value : value) + 1 << 62)
    }
  }
}
