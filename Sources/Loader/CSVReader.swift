/// Reads RFC 4180 text field by field, without copying fields that hold no doubled quotes.
struct CSVReader {
  /// A field: its bytes within the file, or decoded where quotes were doubled.
  struct Field {
    var start: Int
    var end: Int
    var isQuoted: Bool
    /// The text where it differs from the bytes of the file.
    var decoded: [UInt8]?
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
    var decoded: [UInt8]?
    while let byte = peek() {
      if byte == 0x22 {
        if position + 1 < bytes.count, bytes[position + 1] == 0x22 {
          if decoded == nil { decoded = Array(bytes[start..<position]) }
          decoded?.append(0x22)
          position += 2
          continue
        }
        let end = position
        position += 1
        if let next = peek(), next != 0x2C, next != 0x0A, next != 0x0D {
          throw RecordFailure(.raggedLine, "text behind a closing quote", at: position)
        }
        return Field(start: start, end: end, isQuoted: true, decoded: decoded)
      }
      decoded?.append(byte)
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
