/// A pull scanner over JSON text, strict as RFC 8259 says, with UTF-8 validated and nesting limited.
///
/// The caller asks for what it expects; a mismatch throws a ``Failure`` with its offset. The input must outlive the
/// scanner and every slice it hands out. Duplicate keys are the caller's matter.
@usableFromInline
package struct JSONScanner {
  /// What an input is not, and where.
  package struct Failure: Error, Hashable, Sendable {
    /// From the start of the scanner's input.
    package var offset: Int
    package var problem: Problem
  }

  package enum Problem: Hashable, Sendable {
    case unexpectedEnd
    case expectedValue, expectedObject, expectedArray, expectedString, expectedNumber, expectedBoolean, expectedNull
    case expectedKey, expectedColon
    case expectedCommaOrBrace, expectedCommaOrBracket
    case trailingContent
    case invalidNumber, invalidEscape, invalidSurrogate, invalidUTF8, controlCharacter
    case tooDeep
    /// Of those who ask for each key once.
    case repeatedKey

    /// One sentence of cause, without a full stop.
    package var message: String {
      switch self {
      case .unexpectedEnd: "the JSON text ends too early"
      case .expectedValue: "expected a JSON value"
      case .expectedObject: "expected an object"
      case .expectedArray: "expected a list"
      case .expectedString: "expected a string"
      case .expectedNumber: "expected a number"
      case .expectedBoolean: "expected true or false"
      case .expectedNull: "expected null"
      case .expectedKey: "expected a key in double quotes"
      case .expectedColon: "expected ':' after the key"
      case .expectedCommaOrBrace: "expected ',' or '}'"
      case .expectedCommaOrBracket: "expected ',' or ']'"
      case .trailingContent: "there is more text after the JSON value"
      case .invalidNumber: "this is not a JSON number"
      case .invalidEscape: "this escape does not exist in JSON"
      case .invalidSurrogate: "this escape is half of a surrogate pair"
      case .invalidUTF8: "these bytes are not UTF-8"
      case .controlCharacter: "a control character in a string must be escaped"
      case .tooDeep: "the JSON text is nested too deeply (limit \(JSONScanner.maximumDepth))"
      case .repeatedKey: "this key is in the object twice"
      }
    }
  }

  package enum Kind: Hashable, Sendable {
    case object, array, string, number, boolean, null
    /// Only white space is left.
    case end
    /// No value begins like this.
    case invalid
  }

  package static let maximumDepth = 512

  let base: UnsafePointer<UInt8>
  /// The number of bytes of the input.
  package let count: Int
  /// Where the scanner stands, as an offset into the input.
  package var position: Int
  var depth = 0
  /// Whether an object or a list was begun just now, so that no comma is due.
  var isAtStart = false

  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    let empty: StaticString = ""
    base = bytes.baseAddress ?? empty.utf8Start
    count = bytes.count
    position = 0
  }

  package init(_ bytes: UnsafeRawBufferPointer) {
    self.init(bytes.bindMemory(to: UInt8.self))
  }

  // MARK: - What comes next

  /// Skips white space and tells what begins there.
  package mutating func peek() -> Kind {
    skipSpace()
    guard position < count else { return .end }
    switch base[position] {
    case 0x7B: return .object
    case 0x5B: return .array
    case 0x22: return .string
    case 0x2D, 0x30...0x39: return .number
    case 0x74, 0x66: return .boolean
    case 0x6E: return .null
    default: return .invalid
    }
  }

  @inline(__always)
  package mutating func skipSpace() {
    // Most tokens touch.
    if position < count, base[position] > 0x20 { return }
    skipLongSpace()
  }

  @inline(never)
  private mutating func skipLongSpace() {
    while position < count {
      let byte = base[position]
      guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      position += 1
    }
  }

  /// Demands that only white space is left.
  package mutating func finish() throws(Failure) {
    skipSpace()
    if position < count { throw Failure(offset: position, problem: .trailingContent) }
  }

  // MARK: - Objects and lists

  /// Enters an object; call ``nextKey(_:)`` until it gives nil.
  package mutating func beginObject() throws(Failure) {
    try begin(0x7B, .expectedObject)
  }

  /// The next key, with its colon read, or nil at the end of the object, which is left then.
  ///
  /// The value must be read or skipped before the next call. `scratch` holds the key if it has escapes.
  package mutating func nextKey(_ scratch: inout ByteBuffer) throws(Failure) -> JSONText? {
    guard try advanceToKey() else { return nil }
    let key = try scanString(&scratch)
    try scanColon()
    return key
  }

  /// Stands before the next key, or has left the object.
  @inline(__always)
  private mutating func advanceToKey() throws(Failure) -> Bool {
    skipSpace()
    guard position < count else { throw failure(.unexpectedEnd) }
    if base[position] == 0x7D {
      leave()
      return false
    }
    if !isAtStart {
      guard base[position] == 0x2C else { throw failure(.expectedCommaOrBrace) }
      position += 1
      skipSpace()
    }
    isAtStart = false
    guard position < count else { throw failure(.unexpectedEnd) }
    guard base[position] == 0x22 else { throw failure(.expectedKey) }
    return true
  }

  @inline(__always)
  private mutating func scanColon() throws(Failure) {
    skipSpace()
    guard position < count else { throw failure(.unexpectedEnd) }
    guard base[position] == 0x3A else { throw failure(.expectedColon) }
    position += 1
  }

  /// Enters a list; call ``nextElement()`` until it gives false.
  package mutating func beginArray() throws(Failure) {
    try begin(0x5B, .expectedArray)
  }

  /// Whether there is another element, which must be read or skipped before the next call; if not, the list is left.
  package mutating func nextElement() throws(Failure) -> Bool {
    skipSpace()
    guard position < count else { throw failure(.unexpectedEnd) }
    if base[position] == 0x5D {
      leave()
      return false
    }
    if isAtStart {
      isAtStart = false
      return true
    }
    guard base[position] == 0x2C else { throw failure(.expectedCommaOrBracket) }
    position += 1
    skipSpace()
    guard position < count else { throw failure(.unexpectedEnd) }
    // A comma promises an element.
    guard base[position] != 0x5D else { throw failure(.expectedValue) }
    return true
  }

  @inline(__always)
  private mutating func begin(_ byte: UInt8, _ problem: Problem) throws(Failure) {
    skipSpace()
    guard position < count else { throw failure(.unexpectedEnd) }
    guard base[position] == byte else { throw failure(problem) }
    guard depth < JSONScanner.maximumDepth else { throw failure(.tooDeep) }
    depth += 1
    position += 1
    isAtStart = true
  }

  @inline(__always)
  private mutating func leave() {
    position += 1
    depth -= 1
    isAtStart = false
  }

  // MARK: - Words

  package mutating func scanBool() throws(Failure) -> Bool {
    skipSpace()
    // "true", and "alse" behind an f.
    if word(at: position) == 0x6575_7274 {
      position += 4
      return true
    }
    if position < count, base[position] == 0x66, word(at: position + 1) == 0x6573_6C61 {
      position += 5
      return false
    }
    throw failure(position < count ? .expectedBoolean : .unexpectedEnd)
  }

  package mutating func scanNull() throws(Failure) {
    skipSpace()
    guard word(at: position) == 0x6C6C_756E else { throw failure(position < count ? .expectedNull : .unexpectedEnd) }
    position += 4
  }

  /// The next four bytes as a little-endian number; 0 if there are fewer.
  @inline(__always)
  private func word(at index: Int) -> UInt32 {
    guard index >= 0, count - index >= 4 else { return 0 }
    return UnsafeRawPointer(base + index).loadUnaligned(as: UInt32.self)
  }

  // MARK: - Skipping

  /// Validates and skips one value of any kind.
  package mutating func skipValue() throws(Failure) {
    switch peek() {
    case .object:
      try begin(0x7B, .expectedObject)
      while try advanceToKey() {
        try skipString()
        try scanColon()
        try skipValue()
      }
    case .array:
      try begin(0x5B, .expectedArray)
      while try nextElement() { try skipValue() }
    case .string: try skipString()
    case .number: _ = try scanNumber()
    case .boolean: _ = try scanBool()
    case .null: try scanNull()
    case .end: throw failure(.unexpectedEnd)
    case .invalid: throw failure(.expectedValue)
    }
  }

  /// Whether bytes are one JSON value.
  package static func isJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(bytes)
    do {
      try scanner.skipValue()
      try scanner.finish()
      return true
    } catch {
      return false
    }
  }

  func failure(_ problem: Problem) -> Failure {
    Failure(offset: position, problem: problem)
  }
}

/// The text of a JSON string: a slice of the input, or of the scratch buffer if it was written with escapes.
///
/// A slice of the scratch buffer is valid until that buffer changes.
@usableFromInline
package struct JSONText {
  package let start: UnsafePointer<UInt8>
  package let count: Int
  /// No byte needs an escape on output.
  package let isClean: Bool
  /// The bytes lie in the scratch buffer.
  package let isDecoded: Bool

  package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
  package var text: Text { Text(start, count) }
  package var string: String { String(decoding: bytes, as: UTF8.self) }
}

/// A JSON number as a slice of the input.
@usableFromInline
package struct JSONNumber {
  package let start: UnsafePointer<UInt8>
  package let count: Int
  /// Written without fraction and exponent.
  package let isInteger: Bool
  /// The value if it was written as an integer and fits 64 bits.
  package let int64: Int64?

  package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// The nearest double; nil if it is beyond the largest.
  package var double: Double? {
    if let int64, int64.magnitude <= 1 << 53, int64 != 0 { return Double(int64) }
    return FloatParsing.parse(bytes)
  }

  /// Nil if a decimal cannot hold it exactly.
  package var decimal: Decimal? { Decimal(parsing: bytes) }
}
