#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLBase
import GQLStore

/// Goes through JSON text that was checked when it came in, without recursion, so that it may be nested as deeply as it
/// likes, and counts what it goes through.
///
/// Text that is no JSON leads to an answer without meaning, but never out of its bounds, nor to no end. Once the run is to
/// end, so is the text.
struct JSONReader {
  /// In the order of values of different kinds; `none` where no value begins.
  enum Kind: Int { case null, bool, number, string, array, object, none }

  /// A string between its quotes.
  struct Body {
    var start: Int
    var end: Int
    var hasEscapes: Bool
  }

  let base: UnsafePointer<UInt8>
  let count: Int
  var position = 0
  unowned(unsafe) let execution: Execution?
  private static var step: Int { 1 << 15 }

  init(_ start: UnsafeRawPointer, _ count: Int, _ execution: Execution?) {
    base = start.assumingMemoryBound(to: UInt8.self)
    self.count = count
    self.execution = execution
  }

  /// The byte here; 0 at the end.
  @inline(__always)
  private var byte: UInt8 { position < count ? base[position] : 0 }

  @inline(__always)
  mutating func skipSpace() {
    while position < count, base[position] <= 0x20 { position &+= 1 }
  }

  /// What begins here, behind white space.
  @inline(__always)
  mutating func kind() -> Kind {
    skipSpace()
    switch byte {
    case 0x6E: return .null
    case 0x74, 0x66: return .bool
    case 0x2D, 0x30...0x39: return .number
    case 0x22: return .string
    case 0x5B: return .array
    case 0x7B: return .object
    default: return .none
    }
  }

  /// Counts bytes that were gone through; false, and at the end of the text, once the run is to end.
  @inline(__always)
  private mutating func shouldContinue(_ bytes: Int, _ holding: Int = 0) -> Bool {
    guard let execution, !execution.shouldContinue(bytes) else { return true }
    position = count
    return false
  }

  // MARK: - Lists and objects

  /// Whether another element begins, be it the first behind the bracket; if not, the list is left.
  mutating func nextElement(isFirst: Bool) -> Bool {
    skipSpace()
    guard position < count else { return false }
    if isFirst {
      if byte != 0x5D { return true }
    } else if byte == 0x2C {
      position &+= 1
      return true
    }
    position &+= 1
    return false
  }

  /// The next member's name, with the colon read; nil at the end of the object, which is left then.
  mutating func nextName(isFirst: Bool) -> Body? {
    skipSpace()
    if !isFirst, byte == 0x2C {
      position &+= 1
      skipSpace()
    }
    guard byte == 0x22 else {
      position = min(position &+ 1, count)
      return nil
    }
    let name = skipString()
    skipSpace()
    if byte == 0x3A { position &+= 1 }
    skipSpace()
    return name
  }

  // MARK: - Skipping

  /// Precondition: a string begins here.
  mutating func skipString() -> Body {
    let start = position &+ 1
    var index = start
    var look = start &+ Self.step
    var hasEscapes = false
    while index < count {
      if index >= look {
        if !shouldContinue(Self.step / 4) { break }
        look = index &+ Self.step
      }
      if count &- index >= 8 {
        let special = ByteWord.escapes(UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
        if special == 0 {
          index &+= 8
          continue
        }
        index &+= special.trailingZeroBitCount >> 3
      }
      switch base[index] {
      case 0x22:
        position = index &+ 1
        return Body(start: start, end: index, hasEscapes: hasEscapes)
      case 0x5C:
        hasEscapes = true
        index &+= 2
      default: index &+= 1
      }
    }
    position = count
    return Body(start: min(start, count), end: count, hasEscapes: hasEscapes)
  }

  /// A number or a word: up to what cannot belong to it.
  mutating func skipWord() -> Range<Int> {
    let start = position
    var look = start &+ Self.step
    while position < count {
      switch base[position] {
      case 0x2C, 0x5D, 0x7D, 0x00...0x20: return start..<position
      default: position &+= 1
      }
      if position >= look {
        if !shouldContinue(Self.step) { break }
        look = position &+ Self.step
      }
    }
    return start..<position
  }

  mutating func skipValue() {
    switch kind() {
    case .string: _ = skipString()
    case .array, .object: skipBrackets()
    case .null, .bool, .number: _ = skipWord()
    case .none: position = count
    }
  }

  private mutating func skipBrackets() {
    var depth = 0
    let start = position
    var look = start &+ Self.step
    repeat {
      switch base[position] {
      case 0x22: _ = skipString()
      case 0x5B, 0x7B:
        depth &+= 1
        position &+= 1
      case 0x5D, 0x7D:
        depth &-= 1
        position &+= 1
      default: position &+= 1
      }
      if position >= look {
        if !shouldContinue(Self.step) { return }
        look = position &+ Self.step
      }
    } while depth > 0 && position < count
    if position &- start > 64 { _ = shouldContinue((position &- start) & (Self.step &- 1)) }
  }
}

/// The bytes of a JSON string without its escapes, one by one.
struct JSONStringBytes {
  private let base: UnsafePointer<UInt8>
  private var position: Int
  private let end: Int
  /// UTF-8 that an escape stands for, the next byte lowest.
  private var pending: UInt32 = 0
  private var pendingCount = 0

  init(_ reader: JSONReader, _ body: JSONReader.Body) {
    base = reader.base
    position = body.start
    end = body.end
  }

  /// -1 at the end.
  @inline(__always)
  mutating func next() -> Int {
    if pendingCount > 0 { return nextPending() }
    guard position < end else { return -1 }
    let byte = base[position]
    position &+= 1
    return byte == 0x5C ? escape() : Int(byte)
  }

  private mutating func nextPending() -> Int {
    let byte = Int(pending & 0xFF)
    pending >>= 8
    pendingCount -= 1
    return byte
  }

  private mutating func escape() -> Int {
    guard position < end else { return -1 }
    let letter = base[position]
    position += 1
    switch letter {
    case 0x62: return 0x08
    case 0x66: return 0x0C
    case 0x6E: return 0x0A
    case 0x72: return 0x0D
    case 0x74: return 0x09
    case 0x75: break
    default: return Int(letter)
    }
    var value = hexadecimal()
    if value & 0xFC00 == 0xD800, end - position >= 6, base[position] == 0x5C, base[position + 1] == 0x75 {
      position += 2
      value = 0x10000 + (value & 0x3FF) << 10 + hexadecimal() & 0x3FF
    }
    if value < 0x80 { return Int(value) }
    if value < 0x800 {
      pending = 0x80 | value & 0x3F
      pendingCount = 1
      return Int(0xC0 | value >> 6)
    }
    if value < 0x10000 {
      pending = 0x80 | value >> 6 & 0x3F | (0x80 | value & 0x3F) << 8
      pendingCount = 2
      return Int(0xE0 | value >> 12)
    }
    pending = 0x80 | value >> 12 & 0x3F | (0x80 | value >> 6 & 0x3F) << 8 | (0x80 | value & 0x3F) << 16
    pendingCount = 3
    return Int(0xF0 | value >> 18 & 0x07)
  }

  private mutating func hexadecimal() -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 where position < end {
      let byte = base[position] | 0x20
      position += 1
      value = value << 4 | UInt32(byte &- 0x30 < 10 ? byte &- 0x30 : (byte &- 0x57) & 0x0F)
    }
    return value
  }
}
