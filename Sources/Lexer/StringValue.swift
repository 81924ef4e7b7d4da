/// The value of a string token, from its text with the quotation marks.
///
/// Total: escapes that the lexer refused become U+FFFD, a missing closing mark is no matter.
/// Complexity: O(length).
package func stringValue(ofString text: UnsafeBufferPointer<UInt8>, needsDecoding: Bool) -> String {
  var end = text.count
  if end > 1, text[end - 1] == text[0] { end -= 1 }
  guard needsDecoding else {
    return String(decoding: UnsafeBufferPointer(rebasing: text[min(1, end)..<end]), as: UTF8.self)
  }
  var value: [UInt8] = []
  value.reserveCapacity(end)
  var index = 1
  while index < end {
    guard text[index] == UInt8(ascii: "\\"), index + 1 < end else {
      value.append(text[index])
      index += 1
      continue
    }
    index += 2
    switch text[index - 1] {
    case UInt8(ascii: "b"): value.append(0x08)
    case UInt8(ascii: "f"): value.append(0x0C)
    case UInt8(ascii: "n"): value.append(0x0A)
    case UInt8(ascii: "r"): value.append(0x0D)
    case UInt8(ascii: "t"): value.append(0x09)
    case UInt8(ascii: "u"):
      let escape = unicodeEscape(in: UnsafeBufferPointer(rebasing: text[..<end]), at: index)
      index = escape.end
      value.append(contentsOf: String(Character(escape.scalar ?? "\u{FFFD}")).utf8)
    case let byte: value.append(byte)
    }
  }
  return String(decoding: value, as: UTF8.self)
}

/// The value of a block string token, from its text with the quotation marks: GraphQL's `BlockStringValue`.
///
/// Complexity: O(length).
package func stringValue(ofBlockString text: UnsafeBufferPointer<UInt8>) -> String {
  let quote = UInt8(ascii: "\"")
  var end = text.count
  if end >= 6, text[end - 1] == quote, text[end - 2] == quote, text[end - 3] == quote { end -= 3 }
  let lines = blockStringLines(text, from: min(3, end), to: end)

  var indent = Int.max
  for line in lines.dropFirst() {
    let blank = leadingBlanks(of: line, in: text)
    if blank < line.count { indent = min(indent, blank) }
  }
  var first = 0
  var last = lines.count
  while first < last, leadingBlanks(of: lines[first], in: text) == lines[first].count { first += 1 }
  while last > first, leadingBlanks(of: lines[last - 1], in: text) == lines[last - 1].count { last -= 1 }

  var value: [UInt8] = []
  value.reserveCapacity(end)
  for number in first..<last {
    if number > first { value.append(0x0A) }
    let line = lines[number]
    var index = number == 0 ? line.lowerBound : line.lowerBound + min(indent, line.count)
    while index < line.upperBound {
      if text[index] == UInt8(ascii: "\\"), index + 3 < line.upperBound, text[index + 1] == quote,
        text[index + 2] == quote, text[index + 3] == quote
      {
        index += 1
        value.append(contentsOf: [quote, quote, quote])
        index += 3
      } else {
        value.append(text[index])
        index += 1
      }
    }
  }
  return String(decoding: value, as: UTF8.self)
}

private func blockStringLines(_ text: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> [Range<Int>] {
  var lines: [Range<Int>] = []
  var lineStart = start
  var index = start
  while index < end {
    let byte = text[index]
    if byte == 0x0A || byte == 0x0D {
      lines.append(lineStart..<index)
      if byte == 0x0D, index + 1 < end, text[index + 1] == 0x0A { index += 1 }
      lineStart = index + 1
    }
    index += 1
  }
  lines.append(lineStart..<end)
  return lines
}

private func leadingBlanks(of line: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Int {
  var index = line.lowerBound
  while index < line.upperBound, text[index] == 0x20 || text[index] == 0x09 { index += 1 }
  return index - line.lowerBound
}

/// A `\u` escape, read from behind the `u`.
struct UnicodeEscape {
  /// Nil if the escape is ill-formed or names no scalar value.
  var scalar: Unicode.Scalar?
  var isWellFormed: Bool
  /// Behind the last byte that belongs to the escape.
  var end: Int
}

func unicodeEscape(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UnicodeEscape {
  var index = start
  if index < bytes.count, bytes[index] == UInt8(ascii: "{") {
    index += 1
    let digits = index
    var value: UInt32 = 0
    while index < bytes.count, let digit = hexDigit(bytes[index]) {
      // Why: saturating, because any number of leading zeros is allowed and of other digits is not.
      value = min(value, 0x0FFF_FFFF) * 16 + digit
      index += 1
    }
    guard index > digits, index < bytes.count, bytes[index] == UInt8(ascii: "}") else {
      return UnicodeEscape(scalar: nil, isWellFormed: false, end: index)
    }
    return UnicodeEscape(scalar: Unicode.Scalar(value), isWellFormed: true, end: index + 1)
  }
  guard let first = fourHexDigits(in: bytes, at: index) else {
    var end = index
    while end < bytes.count, end < index + 4, hexDigit(bytes[end]) != nil { end += 1 }
    return UnicodeEscape(scalar: nil, isWellFormed: false, end: end)
  }
  index += 4
  if first & 0xFC00 == 0xD800, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
    bytes[index + 1] == UInt8(ascii: "u"), let second = fourHexDigits(in: bytes, at: index + 2),
    second & 0xFC00 == 0xDC00
  {
    let value = 0x10000 + (first & 0x3FF) << 10 + second & 0x3FF
    return UnicodeEscape(scalar: Unicode.Scalar(value), isWellFormed: true, end: index + 6)
  }
  return UnicodeEscape(scalar: Unicode.Scalar(first), isWellFormed: true, end: index)
}

private func fourHexDigits(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32? {
  guard start + 4 <= bytes.count else { return nil }
  var value: UInt32 = 0
  for index in start..<start + 4 {
    guard let digit = hexDigit(bytes[index]) else { return nil }
    value = value * 16 + digit
  }
  return value
}

private func hexDigit(_ byte: UInt8) -> UInt32? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
  case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
  case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
  default: nil
  }
}
