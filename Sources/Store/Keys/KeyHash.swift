/// Hashes of cells: a multiplication of 64 by 64 bits a word, high and low half folded together.
///
/// Tables hash with ``seed``, which they keep with them. No order that anybody sees may follow from a hash.
@usableFromInline package enum KeyHash {
  /// Another number in each process: nobody can make up keys that all come to one place of a table.
  package static let seed = UInt64.random(in: .min ... .max)

  @inlinable static var seed0: UInt64 { 0x9E37_79B9_7F4A_7C15 }
  @inlinable static var seed1: UInt64 { 0xD6E8_FEB8_6659_FD93 }
  @inlinable static var seed2: UInt64 { 0xA076_1D64_78BD_642F }

  @inlinable static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  @inlinable package static func word(_ value: UInt64, _ seed: UInt64) -> UInt64 {
    mix(value ^ seed0 ^ seed, seed1)
  }

  @inlinable package static func combine(_ hash: UInt64, _ other: UInt64) -> UInt64 {
    mix(hash &+ seed2, seed0) ^ other
  }

  @inlinable package static func text(_ view: TextView, _ seed: UInt64) -> UInt64 {
    if view.isInline { return mix(mix(view.key0 ^ seed0 ^ seed, seed1) ^ view.word1, seed2) }
    return long(UnsafeRawPointer(bitPattern: UInt(view.word1)).unsafelyUnwrapped, view.count, seed)
  }

  package static func bytes(_ start: UnsafeRawPointer, _ count: Int, _ seed: UInt64) -> UInt64 {
    if count >= 8 { return long(start, count, seed) }
    var value = UInt64(count)
    for index in 0..<count { value = value << 8 | UInt64(start.load(fromByteOffset: index, as: UInt8.self)) }
    return mix(mix(value ^ seed0 ^ seed, seed1), seed2)
  }

  /// Precondition: `count >= 8`.
  @inlinable static func long(_ start: UnsafeRawPointer, _ count: Int, _ seed: UInt64) -> UInt64 {
    var hash = seed0 ^ seed ^ UInt64(count)
    var offset = 0
    while offset &+ 8 <= count {
      hash = mix(hash ^ (start + offset).loadUnaligned(as: UInt64.self), seed1)
      offset &+= 8
    }
    // The last eight bytes, which may overlap those before.
    return mix(hash ^ (start + (count &- 8)).loadUnaligned(as: UInt64.self), seed2)
  }

  /// The part of a hash that indexes keep.
  @inlinable package static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }
}
