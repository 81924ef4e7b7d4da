import GQLBase
import GQLWriting

/// Reads RFC 4180 text field by field, without copying fields that hold no doubled quotes.
struct CSVReader {
  /// A field: its bytes within the file.
  struct Field {
    let start: Int
    /// Holds the number of bytes, with the marks in the two highest bits.
    private let word: UInt

    private static let quoted: UInt = 1 << 63
    private static let doubled: UInt = 1 << 62

    /// - Parameter hasDoubledQuotes: Whether some of its quotes are doubled.
    @inline(__always)
    init(start: Int, end: Int, isQuoted: Bool = false, hasDoubledQuotes: Bool = false) {
      self.start = start
      word = UInt(end &- start) | (isQuoted ? Self.quoted : 0) | (hasDoubledQuotes ? Self.doubled : 0)
    }

    @inline(__always) var count: Int { Int(word & (Self.doubled - 1)) }
    @inline(__always) var end: Int { start &+ count }
    @inline(__always) var isQuoted: Bool { word & Self.quoted != 0 }
    @inline(__always) var hasDoubledQuotes: Bool { word & Self.doubled != 0 }
    /// Returns whether nothing stands there, not even quotes.
    @inline(__always) var isAbsent: Bool { word == 0 }

    /// Returns the text: where quotes are doubled it lies in the arena.
    @inline(__always)
    func text(of bytes: UnsafeBufferPointer<UInt8>, in arena: StagingArena) -> UnsafeBufferPointer<UInt8> {
      let source = UnsafeBufferPointer(rebasing: bytes[start..<end])
      return hasDoubledQuotes ? Self.undoubled(source, in: arena) : source
    }

    private static func undoubled(
      _ source: UnsafeBufferPointer<UInt8>, in arena: StagingArena
    ) -> UnsafeBufferPointer<UInt8> {
      let quotes = source.reduce(0) { $1 == 0x22 ? $0 + 1 : $0 }
      let text = arena.allocate(source.count - quotes / 2).assumingMemoryBound(to: UInt8.self)
      var count = 0
      var index = 0
      while index < source.count {
        text[count] = source[index]
        count += 1
        index += source[index] == 0x22 ? 2 : 1
      }
      return UnsafeBufferPointer(start: UnsafePointer(text), count: count)
    }
  }

  let bytes: UnsafeBufferPointer<UInt8>
  /// Holds what stands between fields.
  let separator: UInt8
  /// Indicates whether lines have one field: a blank line is then one that leaves it empty.
  var hasOneField = false
  var position: Int

  init(_ bytes: UnsafeBufferPointer<UInt8>, _ dialect: CSVDialect) {
    self.bytes = bytes
    separator = dialect.separator
    position = dialect.start
  }

  var isAtEnd: Bool { position >= bytes.count }

  /// Reads the fields of the next line; none for a blank line, but where lines have one field. Lines end at LF, CRLF or
  /// CR.
  mutating func nextLine(into fields: inout [Field]) throws(RecordFailure) {
    fields.removeAll(keepingCapacity: true)
    try nextLine { fields.append($0) }
  }

  /// Reads the fields of the first line that is not blank.
  ///
  /// - Throws: where there are more than a type may have, so that nothing is made of them.
  mutating func names() throws(RecordFailure) -> [Field] {
    var fields: [Field] = []
    var start = position
    while !isAtEnd, fields.isEmpty {
      start = position
      try nextLine { if fields.count <= SchemaInference.mostFields { fields.append($0) } }
    }
    guard fields.count <= SchemaInference.mostFields else {
      throw RecordFailure(
        .tooLarge, "this line of names has more than \(SchemaInference.mostFields) columns", at: start)
    }
    return fields
  }

  /// Reads the next line, and passes its fields on.
  @inline(__always)
  mutating func nextLine(_ body: (Field) -> Void) throws(RecordFailure) {
    let count = bytes.count
    // Safe because an empty file has no lines.
    guard position < count, let text = bytes.baseAddress else { return }
    if text[position] == 0x0A || text[position] == 0x0D {
      if hasOneField { body(Field(start: position, end: position)) }
      return skipLineEnd()
    }
    while true {
      if position < count, text[position] == 0x22 {
        body(try quotedField())
      } else {
        let start = position
        position = Self.end(of: start, text, count, separator)
        body(Field(start: start, end: position))
      }
      guard position < count else { return }
      guard text[position] == separator else { return skipLineEnd() }
      position &+= 1
    }
  }

  /// Returns where a field without quotes ends: at a separator, the end of a line, or that of the file.
  @inline(__always)
  private static func end(of start: Int, _ text: UnsafePointer<UInt8>, _ count: Int, _ separator: UInt8) -> Int {
    var position = start
    let raw = UnsafeRawPointer(text)
    let separators = UInt64(separator) &* ByteWord.ones
    while position &+ 8 <= count {
      let word = (raw + position).loadUnaligned(as: UInt64.self)
      let ends =
        ByteWord.zeros(word ^ separators) | ByteWord.zeros(word ^ (0x0A &* ByteWord.ones))
        | ByteWord.zeros(word ^ (0x0D &* ByteWord.ones))
      if ends != 0 { return position &+ ends.trailingZeroBitCount >> 3 }
      position &+= 8
    }
    while position < count, text[position] != separator, text[position] != 0x0A, text[position] != 0x0D {
      position &+= 1
    }
    return position
  }

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  @inline(__always)
  private mutating func skipLineEnd() {
    if peek() == 0x0D { position += 1 }
    if peek() == 0x0A { position += 1 }
  }

  private mutating func quotedField() throws(RecordFailure) -> Field {
    let quote = position
    position += 1
    let start = position
    var hasDoubledQuotes = false
    while let next = ByteSearch.firstIndex(of: 0x22, in: bytes, from: position) {
      position = next + 1
      if peek() == 0x22 {
        hasDoubledQuotes = true
        position += 1
        continue
      }
      if let next = peek(), next != separator, next != 0x0A, next != 0x0D {
        throw RecordFailure(.raggedLine, "there is text after a closing quote", at: position)
      }
      return Field(start: start, end: next, isQuoted: true, hasDoubledQuotes: hasDoubledQuotes)
    }
    position = bytes.count
    throw RecordFailure(.raggedLine, "a quoted field that does not end", at: quote, to: bytes.count)
  }

  /// Goes behind the end of the current line, for going on after a failure.
  mutating func skipLine() {
    while let byte = peek(), byte != 0x0A { position += 1 }
    skipLineEnd()
  }
}

/// Tests of the eight bytes of a word at once.
extension ByteWord {
  @inline(__always) static var ones: UInt64 { 0x0101_0101_0101_0101 }
  @inline(__always) static var highs: UInt64 { 0x8080_8080_8080_8080 }

  /// Returns the highest bit of each byte that is zero, and no other.
  @inline(__always)
  static func zeros(_ word: UInt64) -> UInt64 { ~(((word & ~highs) &+ ~highs) | word | ~highs) }

  /// Returns whether all bytes are ASCII.
  static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let text = bytes.baseAddress else { return true }
    let raw = UnsafeRawPointer(text)
    var all: UInt64 = 0
    var position = 0
    while position &+ 8 <= bytes.count {
      all |= (raw + position).loadUnaligned(as: UInt64.self)
      position &+= 8
    }
    while position < bytes.count {
      all |= UInt64(text[position])
      position &+= 1
    }
    return all & highs == 0
  }
}
