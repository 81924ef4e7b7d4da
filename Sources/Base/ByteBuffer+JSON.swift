/// Which bytes of JSON text need attention, eight at a time.
@usableFromInline
package enum ByteWord {
  /// Sets the high bit of each byte that a JSON string cannot hold as it is: `"`, `\` and below 0x20.
  ///
  /// The lowest bit set is exact; above it there may be false ones.
  @inlinable
  @inline(__always)
  package static func escapes(_ word: UInt64) -> UInt64 {
    let quote = word ^ 0x2222_2222_2222_2222
    let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let quotes = (quote &- 0x0101_0101_0101_0101) & ~quote
    let backslashes = (backslash &- 0x0101_0101_0101_0101) & ~backslash
    let controls = (word &- 0x2020_2020_2020_2020) & ~word
    return (quotes | backslashes | controls) & 0x8080_8080_8080_8080
  }
}

extension ByteBuffer {
  /// Appends a JSON string of `count` bytes of UTF-8; escapes `"`, `\` and control characters.
  @inlinable
  package mutating func append(json start: UnsafeRawPointer, _ count: Int) {
    reserve(count &+ 2)
    let out = base + (length &+ 1)
    (base + length).storeBytes(of: 0x22, as: UInt8.self)
    var index = 0
    var dirty: UInt64 = 0
    // Copies while it checks; what is copied behind a dirty byte is overwritten by the slow path.
    if count >= 8 {
      let last = count &- 8
      while index < last {
        let word = (start + index).loadUnaligned(as: UInt64.self)
        (out + index).storeBytes(of: word, as: UInt64.self)
        dirty = ByteWord.escapes(word)
        if dirty != 0 { break }
        index &+= 8
      }
      if dirty == 0 {
        let word = (start + last).loadUnaligned(as: UInt64.self)
        (out + last).storeBytes(of: word, as: UInt64.self)
        dirty = ByteWord.escapes(word)
      }
    } else if count >= 4 {
      let head = start.loadUnaligned(as: UInt32.self)
      let tail = (start + (count &- 4)).loadUnaligned(as: UInt32.self)
      out.storeBytes(of: head, as: UInt32.self)
      (out + (count &- 4)).storeBytes(of: tail, as: UInt32.self)
      dirty = ByteWord.escapes(UInt64(head) | UInt64(tail) &<< 32)
    } else if count > 0 {
      let first = start.load(as: UInt8.self)
      let middle = (start + (count &>> 1)).load(as: UInt8.self)
      let last = (start + (count &- 1)).load(as: UInt8.self)
      out.storeBytes(of: first, as: UInt8.self)
      (out + (count &>> 1)).storeBytes(of: middle, as: UInt8.self)
      (out + (count &- 1)).storeBytes(of: last, as: UInt8.self)
      let word = UInt64(first) | UInt64(middle) &<< 8 | UInt64(last) &<< 16
      dirty = ByteWord.escapes(word | 0x2020_2020_2000_0000)
    }
    if dirty == 0 {
      (out + count).storeBytes(of: 0x22, as: UInt8.self)
      length &+= count &+ 2
    } else {
      length &+= index &+ 1
      appendEscaping(start + index, count &- index)
      append(0x22)
    }
  }

  /// Appends a JSON string of bytes that are known to need no escape.
  @inlinable
  package mutating func append(cleanText start: UnsafeRawPointer, _ count: Int) {
    reserve(count &+ 2)
    appendReserved(0x22)
    appendReserved(start, count)
    appendReserved(0x22)
  }

  package mutating func append(json text: Text) {
    text.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return append("\"\"") }
      append(json: start, bytes.count)
    }
  }

  package mutating func append(json text: String) {
    var text = text
    text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return append("\"\"") }
      append(json: UnsafeRawPointer(start), bytes.count)
    }
  }

  @inlinable
  package mutating func append(bool: Bool) {
    if bool { append("true") } else { append("false") }
  }

  /// The slow path: byte by byte, without quotes; bytes of one text may come in parts.
  @usableFromInline
  @inline(never)
  package mutating func appendEscaping(_ start: UnsafeRawPointer, _ count: Int) {
    var clean = 0
    for index in 0..<count {
      let byte = start.load(fromByteOffset: index, as: UInt8.self)
      guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
      if index > clean { append(start + clean, index - clean) }
      clean = index + 1
      switch byte {
      case 0x22: append("\\\"")
      case 0x5C: append("\\\\")
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0A: append("\\n")
      case 0x0C: append("\\f")
      case 0x0D: append("\\r")
      default:
        append(byte < 0x10 ? "\\u000" : "\\u001")
        let digit = byte & 0x0F
        append(digit < 10 ? 0x30 + digit : 0x61 - 10 + digit)
      }
    }
    if count > clean { append(start + clean, count - clean) }
  }
}
