/// Reads RFC 4180 text field by field, without copying fields that hold no doubled quotes.
struct CSVReader {
  /// A field: its bytes within the file.
  struct Field {
    var start: Int
    var end: Int
    var isQuoted: Bool
    /// How many of its quotes are doubled.
    var doubledQuotes = 0

    /// The text: where quotes are doubled it lies in the arena.
    func text(of bytes: UnsafeBufferPointer<UInt8>, in arena: LoadArena) -> UnsafeBufferPointer<UInt8> {
      let source = UnsafeBufferPointer(rebasing: bytes[start..<end])
      guard doubledQuotes > 0 else { return source }
      let text = arena.allocate(source.count - doubledQuotes).assumingMemoryBound(to: UInt8.self)
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
  private(set) var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
  }

  var isAtEnd: Bool { position >= bytes.count }

  /// The fields of the next line; empty for a blank line. Lines end at LF, CRLF or CR.
  mutating func nextLine(into fields: inout [Field]) throws(RecordFailure) {
    fields.removeAll(keepingCapacity: true)
    if let first = peek(), first == 0x0A || first == 0x0D {
      skipLineEnd()
      return
    }
    while true {
      fields.append(try nextField())
      guard let byte = peek() else { return }
      if byte == 0x2C {
        position += 1
        continue
      }
      skipLineEnd()
      return
    }
  }

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipLineEnd() {
    if peek() == 0x0D { position += 1 }
    if peek() == 0x0A { position += 1 }
  }

  private mutating func nextField() throws(RecordFailure) -> Field {
    guard peek() == 0x22 else {
      let start = position
      while let byte = peek(), byte != 0x2C, byte != 0x0A, byte != 0x0D { position += 1 }
      return Field(start: start, end: position, isQuoted: false)
    }
    let quote = position
    position += 1
    let start = position
    var doubledQuotes = 0
    while let byte = peek() {
      if byte == 0x22 {
        if position + 1 < bytes.count, bytes[position + 1] == 0x22 {
          doubledQuotes += 1
          position += 2
          continue
        }
        let end = position
        position += 1
        if let next = peek(), next != 0x2C, next != 0x0A, next != 0x0D {
          throw RecordFailure(.raggedLine, "text behind a closing quote", at: position)
        }
        return Field(start: start, end: end, isQuoted: true, doubledQuotes: doubledQuotes)
      }
      position += 1
    }
    throw RecordFailure(.raggedLine, "a quoted field that does not end", at: quote, to: bytes.count)
  }

  /// Goes behind the end of the current line, for going on after a failure.
  mutating func skipLine() {
    while let byte = peek(), byte != 0x0A { position += 1 }
    skipLineEnd()
  }
}
