/// Reads the JSON of one message.
struct MessageParser {
  /// Why a message can't be read, and at which byte.
  struct Failure: Error, Equatable {
    var offset: Int
  }

  /// Messages are about five levels deep; the limit keeps the thread's stack from strange ones.
  private static let deepest = 64

  private let source: [UInt8]
  private var position = 0

  private init(_ source: [UInt8]) { self.source = source }

  static func value(of source: [UInt8]) throws(Failure) -> MessageValue {
    var parser = MessageParser(source)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == source.count else { throw parser.failure }
    return value
  }

  private var failure: Failure { Failure(offset: position) }
  private var current: UInt8 { position < source.count ? source[position] : 0 }

  private mutating func skipSpace() {
    while position < source.count, [0x20, 0x09, 0x0A, 0x0D].contains(source[position]) { position += 1 }
  }

  private mutating func consume(_ symbol: Unicode.Scalar) -> Bool {
    skipSpace()
    guard current == UInt8(ascii: symbol) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> MessageValue {
    guard depth < MessageParser.deepest else { throw failure }
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: MessageValue) throws(Failure) -> MessageValue {
    guard source[position...].starts(with: word.utf8) else { throw failure }
    position += word.utf8.count
    return value
  }

  private mutating func object(depth: Int) throws(Failure) -> MessageValue {
    position += 1
    var members: [MessageValue.Member] = []
    if consume("}") { return .object(members) }
    repeat {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw failure }
      let name = try string()
      guard consume(":") else { throw failure }
      members.append(MessageValue.Member(name: name, value: try value(depth: depth + 1)))
    } while consume(",")
    guard consume("}") else { throw failure }
    return .object(members)
  }

  private mutating func array(depth: Int) throws(Failure) -> MessageValue {
    position += 1
    var elements: [MessageValue] = []
    if consume("]") { return .array(elements) }
    repeat { elements.append(try value(depth: depth + 1)) } while consume(",")
    guard consume("]") else { throw failure }
    return .array(elements)
  }

  /// Whole numbers keep their value; the protocol has no others, so fractions and exponents are passed over.
  private mutating func number() throws(Failure) -> MessageValue {
    let start = position
    if current == UInt8(ascii: "-") { position += 1 }
    while isPartOfNumber(current) { position += 1 }
    let text = String(decoding: source[start..<position], as: UTF8.self)
    if let whole = Int(text) { return .number(whole) }
    guard let value = Double(text), value.isFinite else { throw failure }
    return .number(Int(exactly: value.rounded(.towardZero)) ?? 0)
  }

  private func isPartOfNumber(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
      || [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains(byte)
  }

  // MARK: Strings

  private mutating func string() throws(Failure) -> String {
    position += 1
    var bytes: [UInt8] = []
    while position < source.count {
      let byte = source[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &bytes)
      default: bytes.append(byte)
      }
    }
    throw failure
  }

  private mutating func escape(into bytes: inout [UInt8]) throws(Failure) {
    let byte = current
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "u"): bytes += String(try scalar()).utf8
    default: throw failure
    }
  }

  /// The scalar of `\uXXXX` or of a pair of surrogates; half a pair is the replacement character.
  private mutating func scalar() throws(Failure) -> Unicode.Scalar {
    let first = try codeUnit()
    guard first & 0xFC00 == 0xD800, current == UInt8(ascii: "\\"), position + 1 < source.count,
      source[position + 1] == UInt8(ascii: "u")
    else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
    let behindFirst = position
    position += 2
    let second = try codeUnit()
    guard second & 0xFC00 == 0xDC00 else {
      position = behindFirst
      return "\u{FFFD}"
    }
    return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF) ?? "\u{FFFD}"
  }

  private mutating func codeUnit() throws(Failure) -> UInt32 {
    guard position + 4 <= source.count else { throw failure }
    var value: UInt32 = 0
    for byte in source[position..<position + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw failure }
      value = value << 4 | UInt32(digit)
    }
    position += 4
    return value
  }
}
