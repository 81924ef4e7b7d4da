import GQLBase
import GQLStore

/// Hashes of JSON values, equal for those that ``JSONOrder`` holds equal: numbers by value, texts without their
/// escapes, members in any order.
///
/// Hashing allocates little, and goes to any depth without recursion.
final class JSONHash {
  private let seed: UInt64
  @exclusivity(unchecked) private var scratch = ByteBuffer()
  /// The lists and objects around a value.
  @exclusivity(unchecked) private var frames = ContiguousArray<Frame>()

  private struct Frame {
    var isObject: Bool
    var hash: UInt64
    /// Of the member whose value comes.
    var name: UInt64 = 0
    var isFirst = true

    mutating func add(_ value: UInt64, _ seed: UInt64) {
      if isObject {
        // Members are in any order.
        hash &+= KeyHash.word(KeyHash.combine(name, value), seed)
      } else {
        hash = KeyHash.combine(hash, value)
      }
    }
  }

  private enum Seed {
    static let null: UInt64 = 0x1F3D_5B79
    static let bool: UInt64 = 0x2E4C_6A88
    static let number: UInt64 = 0x3D5B_7997
    static let string: UInt64 = 0x4C6A_88A6
    static let array: UInt64 = 0x5B79_97B5
    static let object: UInt64 = 0x6A88_A6C4
  }

  init(_ seed: UInt64 = KeyHash.seed) { self.seed = seed }

  /// Once the run is to end, what this gives has no meaning.
  func hash(_ cell: Cell, _ execution: Execution? = nil) -> UInt64 {
    TextView(cell).withBytes { start, count in
      var reader = JSONReader(start, count, execution)
      defer { if frames.capacity > 1 << 10 { frames = [] } else { frames.removeAll(keepingCapacity: true) } }
      let hash = value(&reader)
      reader.skipSpace()
      // What is no JSON is compared by its bytes.
      guard let hash, reader.position == count else { return KeyHash.bytes(start, count, seed) }
      return hash
    }
  }

  /// Nil where no value begins.
  private func value(_ reader: inout JSONReader) -> UInt64? {
    while true {
      var hash: UInt64?
      switch reader.kind() {
      case .null:
        _ = reader.skipWord()
        hash = Seed.null
      case .bool:
        hash = Seed.bool &+ (reader.base[reader.position] == 0x74 ? 1 : 0)
        _ = reader.skipWord()
      case .number:
        let range = reader.skipWord()
        hash = number(UnsafeBufferPointer(start: reader.base + range.lowerBound, count: range.count))
      case .string:
        let body = reader.skipString()
        hash = KeyHash.combine(Seed.string, string(reader, body))
      case .array, .object:
        let isObject = reader.kind() == .object
        reader.position += 1
        frames.append(Frame(isObject: isObject, hash: isObject ? Seed.object : Seed.array))
      case .none: return nil
      }
      let held = frames.capacity * MemoryLayout<Frame>.stride
      if let execution = reader.execution, !execution.shouldContinue(16, holding: held) { return nil }
      // What is complete goes into what is around it, until something begins.
      while true {
        guard var frame = frames.popLast() else { return hash }
        if let hash { frame.add(hash, seed) }
        if frame.isObject {
          if let name = reader.nextName(isFirst: frame.isFirst) {
            frame.name = string(reader, name)
            frame.isFirst = false
            frames.append(frame)
            break
          }
        } else if reader.nextElement(isFirst: frame.isFirst) {
          frame.isFirst = false
          frames.append(frame)
          break
        }
        hash = KeyHash.word(frame.hash, seed)
      }
    }
  }

  /// Of the bytes without escapes.
  private func string(_ reader: JSONReader, _ body: JSONReader.Body) -> UInt64 {
    guard body.hasEscapes else { return KeyHash.bytes(reader.base + body.start, body.end - body.start, seed) }
    scratch.removeAll(keeping: 1 << 12)
    var bytes = JSONStringBytes(reader, body)
    while true {
      let byte = bytes.next()
      if byte < 0 { break }
      scratch.append(UInt8(truncatingIfNeeded: byte))
      if scratch.count & 0xFFF == 0, let execution = reader.execution, !execution.shouldContinue(1 << 13) { break }
    }
    return KeyHash.bytes(scratch.start, scratch.count, seed)
  }

  private func number(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard let decimal = Decimal(parsing: bytes) else {
      // Beyond decimals, and so equal to no decimal.
      var hash = Seed.number ^ seed
      NumberText(bytes)?.canonical { hash = KeyHash.combine(hash, $0) }
      return hash
    }
    let (low, high) = decimal.normalized.packed
    return KeyHash.combine(KeyHash.combine(Seed.number ^ seed, low), high)
  }
}
