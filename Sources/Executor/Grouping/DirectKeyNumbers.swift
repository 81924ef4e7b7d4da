import GQLStore

/// Numbers of keys by a code, for keys of Booleans, enums and small integers: a load instead of a hash and a probe.
///
/// All parts share the code's bits. A batch with a key that has no room in them is not encoded, and neither is
/// anything after a few such batches.
final class DirectKeyNumbers {
  /// 16 KiB of numbers stay in the first cache.
  private static let bits = 12
  private static let maximumMisses = 4

  private let kinds: ContiguousArray<KeyTable.Kind>
  /// Bits of a part that is a word; truths have two.
  private let width: UInt16
  /// Codes of the last batch.
  let codes: UnsafeMutablePointer<UInt16>
  /// The number of each code plus one; 0 is not known.
  let numbers: UnsafeMutablePointer<UInt32>
  private var isUsed = false
  private var misses = 0

  /// Nil for other parts, or too many of them.
  init?(_ kinds: [KeyTable.Kind]) {
    let truths = kinds.count { $0 == .truth }
    let words = kinds.count { $0 == .word }
    guard !kinds.isEmpty, truths + words == kinds.count else { return nil }
    let rest = DirectKeyNumbers.bits - 2 * truths
    guard words == 0 ? rest >= 0 : rest / words >= 2 else { return nil }
    width = words == 0 ? 0 : UInt16(truncatingIfNeeded: rest / words)
    self.kinds = ContiguousArray(kinds)
    codes = .allocate(capacity: ScopeRows.batchRows)
    numbers = .allocate(capacity: 1 << DirectKeyNumbers.bits)
    numbers.initialize(repeating: 0, count: 1 << DirectKeyNumbers.bits)
  }

  deinit {
    codes.deallocate()
    numbers.deallocate()
  }

  var byteCount: Int { 4 << DirectKeyNumbers.bits }

  func removeAll() {
    misses = 0
    guard isUsed else { return }
    isUsed = false
    numbers.update(repeating: 0, count: 1 << DirectKeyNumbers.bits)
  }

  /// Puts the codes of a batch into `codes`; false if a key has none.
  func encode(_ vectors: UnsafePointer<Vector>, _ size: Int) -> Bool {
    guard misses < DirectKeyNumbers.maximumMisses else { return false }
    for part in kinds.indices {
      let vector = vectors[part]
      if part == 0 { codes.update(repeating: 0, count: size) }
      if kinds[part] == .truth {
        let truths = vector.truths
        for index in 0..<size { codes[index] = codes[index] &<< 2 | UInt16(truths[index]) }
      } else if !add(vector, size) {
        misses += 1
        return false
      }
    }
    isUsed = true
    return true
  }

  /// A null is 0, any other word one more than it is.
  private func add(_ vector: Vector, _ size: Int) -> Bool {
    let words = UnsafeRawPointer(vector.words).assumingMemoryBound(to: UInt64.self)
    var all: UInt64 = 0
    if vector.allValid {
      for index in 0..<size { all |= words[index] }
    } else {
      let validity = vector.validity
      for index in 0..<size { all |= words[index] & (0 &- UInt64(validity[index])) }
    }
    // The highest code would be taken by the next part's bits.
    guard all < (1 << UInt64(width)) - 1 else { return false }
    if vector.allValid {
      for index in 0..<size {
        codes[index] = codes[index] &<< width | (UInt16(truncatingIfNeeded: words[index]) &+ 1)
      }
    } else {
      let validity = vector.validity
      for index in 0..<size {
        let isValid = 0 &- UInt16(validity[index])
        codes[index] = codes[index] &<< width | ((UInt16(truncatingIfNeeded: words[index]) &+ 1) & isValid)
      }
    }
    return true
  }
}
