extension JSONScanner {
  /// Reads a string: a slice of the input if it was written without escapes, else decoded into `scratch`, whose
  /// former content is dropped.
  package mutating func scanString(_ scratch: inout ByteBuffer) throws(Failure) -> JSONText {
    let start = try beginString()
    let end = try plainRun(from: start)
    if base[end] == 0x22 {
      position = end + 1
      return JSONText(start: base + start, count: end - start, isClean: true, isDecoded: false)
    }
    scratch.removeAll()
    let isClean = try decode(from: start, firstEscape: end, &scratch)
    return JSONText(
      start: scratch.start.assumingMemoryBound(to: UInt8.self), count: scratch.count, isClean: isClean,
      isDecoded: true)
  }

  /// Validates and skips a string.
  package mutating func skipString() throws(Failure) {
    var index = try beginString()
    while true {
      index = try plainRun(from: index)
      if base[index] == 0x22 { break }
      position = index
      _ = try escape()
      index = position
    }
    position = index + 1
  }

  @inline(__always)
  private mutating func beginString() throws(Failure) -> Int {
    skipSpace()
    guard position < count else { throw failure(.unexpectedEnd) }
    guard base[position] == 0x22 else { throw failure(.expectedString) }
    return position + 1
  }

  /// The offset of the next `"` or `\` from `index` on; everything before it is checked.
  @inline(__always)
  private func plainRun(from start: Int) throws(Failure) -> Int {
    var index = start
    let raw = UnsafeRawPointer(base)
    while true {
      while count - index >= 8 {
        let word = (raw + index).loadUnaligned(as: UInt64.self)
        let special = ByteWord.escapes(word) | word & 0x8080_8080_8080_8080
        if special != 0 {
          index += special.trailingZeroBitCount >> 3
          break
        }
        index += 8
      }
      guard index < count else { throw Failure(offset: count, problem: .unexpectedEnd) }
      let byte = base[index]
      if byte >= 0x80 {
        // Text beyond ASCII comes in runs.
        repeat {
          let length = utf8Length(at: index)
          guard length > 0 else { throw Failure(offset: index, problem: .invalidUTF8) }
          index += length
        } while index < count && base[index] >= 0x80
      } else if byte == 0x22 || byte == 0x5C {
        return index
      } else if byte < 0x20 {
        throw Failure(offset: index, problem: .controlCharacter)
      } else {
        index += 1
      }
    }
  }

  /// The length of the well-formed sequence that begins at `index`, or 0.
  private func utf8Length(at index: Int) -> Int {
    UTF8Validation.sequenceLength(base + index, count - index)
  }

  /// Copies what is plain, decodes what is escaped; true if nothing decoded needs an escape on output.
  private mutating func decode(
    from start: Int, firstEscape: Int, _ scratch: inout ByteBuffer
  ) throws(Failure) -> Bool {
    var isClean = true
    var start = start
    var end = firstEscape
    while true {
      scratch.append(base + start, end - start)
      if base[end] == 0x22 { break }
      position = end
      let scalar = try escape()
      if scalar < 0x20 || scalar == 0x22 || scalar == 0x5C { isClean = false }
      scratch.append(scalar: scalar)
      start = position
      end = try plainRun(from: start)
    }
    position = end + 1
    return isClean
  }

  /// Reads the escape at `position`, a surrogate pair as one.
  private mutating func escape() throws(Failure) -> UInt32 {
    let start = position
    guard start + 1 < count else { throw Failure(offset: count, problem: .unexpectedEnd) }
    position += 2
    switch base[start + 1] {
    case 0x22: return 0x22
    case 0x5C: return 0x5C
    case 0x2F: return 0x2F
    case 0x62: return 0x08
    case 0x66: return 0x0C
    case 0x6E: return 0x0A
    case 0x72: return 0x0D
    case 0x74: return 0x09
    case 0x75:
      let unit = try fourDigits(start)
      guard unit & 0xF800 == 0xD800 else { return unit }
      guard unit < 0xDC00, position + 1 < count, base[position] == 0x5C, base[position + 1] == 0x75 else {
        throw Failure(offset: start, problem: .invalidSurrogate)
      }
      position += 2
      let low = try fourDigits(position - 2)
      guard low & 0xFC00 == 0xDC00 else { throw Failure(offset: start, problem: .invalidSurrogate) }
      return 0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
    default:
      throw Failure(offset: start, problem: .invalidEscape)
    }
  }

  private mutating func fourDigits(_ start: Int) throws(Failure) -> UInt32 {
    guard count - position >= 4 else { throw Failure(offset: count, problem: .unexpectedEnd) }
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = base[position]
      let digit: UInt8
      switch byte {
      case 0x30...0x39: digit = byte - 0x30
      case 0x41...0x46: digit = byte - 0x41 + 10
      case 0x61...0x66: digit = byte - 0x61 + 10
      default: throw Failure(offset: start, problem: .invalidEscape)
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}

extension ByteBuffer {
  /// Appends a Unicode scalar as UTF-8; the caller vouches that it is one.
  package mutating func append(scalar: UInt32) {
    func byte(_ bits: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: bits) }
    reserve(4)
    switch scalar {
    case 0..<0x80:
      appendReserved(byte(scalar))
    case 0x80..<0x800:
      appendReserved(byte(0xC0 | scalar >> 6))
      appendReserved(byte(0x80 | scalar & 0x3F))
    case 0x800..<0x10000:
      appendReserved(byte(0xE0 | scalar >> 12))
      appendReserved(byte(0x80 | scalar >> 6 & 0x3F))
      appendReserved(byte(0x80 | scalar & 0x3F))
    default:
      appendReserved(byte(0xF0 | scalar >> 18 & 0x07))
      appendReserved(byte(0x80 | scalar >> 12 & 0x3F))
      appendReserved(byte(0x80 | scalar >> 6 & 0x3F))
      appendReserved(byte(0x80 | scalar & 0x3F))
    }
  }
}
