import GQLBase
import GQLStore

/// Hashes of JSON values, equal for those that ``JSONOrder`` holds equal: numbers by value, texts without their
/// escapes, members in any order.
///
/// Hashing allocates nothing but a buffer for texts with escapes.
final class JSONHash {
  private let seed: UInt64
  private var scratch = ByteBuffer()

  private enum Seed {
    static let null: UInt64 = 0x1F3D_5B79
    static let bool: UInt64 = 0x2E4C_6A88
    static let number: UInt64 = 0x3D5B_7997
    static let string: UInt64 = 0x4C6A_88A6
    static let array: UInt64 = 0x5B79_97B5
    static let object: UInt64 = 0x6A88_A6C4
  }

  init(_ seed: UInt64 = KeyHash.seed) { self.seed = seed }

  func hash(_ cell: Cell) -> UInt64 {
    TextView(cell).withBytes { start, count in
      let bytes = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
      var scanner = JSONScanner(bytes)
      do throws(JSONScanner.Failure) {
        let hash = try value(&scanner)
        try scanner.finish()
        return hash
      } catch {
        // What is no JSON is compared by its bytes.
        return KeyHash.bytes(start, count, seed)
      }
    }
  }

  /// Nesting is limited by the scanner.
  private func value(_ scanner: inout JSONScanner) throws(JSONScanner.Failure) -> UInt64 {
    switch scanner.peek() {
    case .null:
      try scanner.scanNull()
      return Seed.null
    case .boolean: return Seed.bool &+ (try scanner.scanBool() ? 1 : 0)
    case .number: return number(try scanner.scanNumber())
    case .string:
      let text = try scanner.scanString(&scratch)
      return KeyHash.combine(Seed.string, KeyHash.bytes(text.start, text.count, seed))
    case .array:
      var hash = Seed.array
      try scanner.beginArray()
      while try scanner.nextElement() { hash = KeyHash.combine(hash, try value(&scanner)) }
      return KeyHash.word(hash, seed)
    case .object:
      var sum = Seed.object
      try scanner.beginObject()
      while let key = try scanner.nextKey(&scratch) {
        // The key's bytes are gone once the value is read.
        let name = KeyHash.bytes(key.start, key.count, seed)
        sum &+= KeyHash.word(KeyHash.combine(name, try value(&scanner)), seed)
      }
      return KeyHash.word(sum, seed)
    case .end, .invalid:
      // Throws what is wrong.
      try scanner.skipValue()
      return 0
    }
  }

  private func number(_ number: JSONNumber) -> UInt64 {
    guard let decimal = number.decimal else {
      // Beyond decimals, and so equal to no decimal.
      var hash = Seed.number ^ seed
      NumberText(number.bytes)?.canonical { hash = KeyHash.combine(hash, $0) }
      return hash
    }
    let (low, high) = decimal.normalized.packed
    return KeyHash.combine(KeyHash.combine(Seed.number ^ seed, low), high)
  }
}
