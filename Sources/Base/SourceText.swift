/// A named text as UTF-8 bytes, with the places of its lines.
///
/// Lines end at LF, CR or CRLF, as GraphQL's `LineTerminator` says.
package struct SourceText: Sendable {
  /// A place as people count: lines and columns from 1, columns in Unicode scalars.
  package struct Position: Hashable, Sendable {
    package var line: Int
    package var column: Int
  }

  package let name: String
  package let bytes: [UInt8]
  /// `lineStarts[i]` is the offset of the first byte of line `i + 1`.
  package let lineStarts: [UInt32]
  /// The number that people give to the first line: not 1 where the text is a window into a longer one.
  package let firstLine: Int

  package init(name: String, bytes: [UInt8], firstLine: Int = 1) {
    self.name = name
    self.firstLine = firstLine
    self.bytes = bytes
    var starts: [UInt32] = [0]
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 0x0A {
        starts.append(UInt32(truncatingIfNeeded: index))
      } else if byte == 0x0D {
        if index < bytes.count, bytes[index] == 0x0A { index += 1 }
        starts.append(UInt32(truncatingIfNeeded: index))
      }
    }
    lineStarts = starts
  }

  package init(name: String, text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }

  /// Complexity: O(log lines + length of the line).
  package func position(at offset: UInt32) -> Position {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    var column = 1
    var index = Int(lineStarts[low])
    let end = min(Int(offset), bytes.count)
    while index < end {
      // Continuation bytes do not start a scalar.
      if index > Int(lineStarts[low]), bytes[index] & 0xC0 != 0x80 { column += 1 }
      index += 1
    }
    if end > Int(lineStarts[low]), end >= bytes.count || bytes[end] & 0xC0 != 0x80 { column += 1 }
    return Position(line: low + firstLine, column: column)
  }

  /// The bytes of a line, counted from ``firstLine``, without its terminator.
  package func line(_ number: Int) -> ArraySlice<UInt8> {
    let number = number - firstLine + 1
    guard number >= 1, number <= lineStarts.count else { return [] }
    let start = Int(lineStarts[number - 1])
    var end = number < lineStarts.count ? Int(lineStarts[number]) : bytes.count
    while end > start, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    return bytes[start..<end]
  }

  /// The text of a range; ill-formed UTF-8 is repaired.
  package func string(_ range: SourceRange) -> String {
    let start = min(Int(range.start), bytes.count)
    let end = min(max(Int(range.end), start), bytes.count)
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
