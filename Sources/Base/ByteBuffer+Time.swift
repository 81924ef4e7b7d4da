extension ByteBuffer {
  /// Appends a quoted RFC 3339 time, with three or six digits of fraction if it has one.
  package mutating func append(dateTime microseconds: Int64) {
    let time = CivilTime.components(ofDateTime: microseconds)
    reserve(40)
    appendReserved(0x22)
    appendDay(time)
    appendReserved(0x54)
    // hh:mm:ss, eight bytes at once.
    let clock = ByteBuffer.digits(UInt32(truncatingIfNeeded: time.hour * 1_000_000 + time.minute * 1000 + time.second))
    (base + length).storeBytes(of: clock &+ 0x3030_3A30_303A_3030, as: UInt64.self)
    length += 8
    if time.microsecond != 0 {
      appendReserved(0x2E)
      let (milliseconds, rest) = time.microsecond.quotientAndRemainder(dividingBy: 1000)
      appendTriple(milliseconds)
      if rest != 0 { appendTriple(rest) }
    }
    appendReserved(0x5A)
    appendReserved(0x22)
  }

  /// Appends a quoted `2026-01-31`.
  package mutating func append(date days: Int64) {
    reserve(16)
    appendReserved(0x22)
    appendDay(CivilTime.components(ofDate: days))
    appendReserved(0x22)
  }

  /// Appends a quoted ISO 8601 duration of days to seconds, as in `P1DT2H3M4.5S`.
  package mutating func append(duration microseconds: Int64) {
    append(0x22)
    if microseconds < 0 { append(0x2D) }
    append(0x50)
    let magnitude = microseconds.magnitude
    let days = magnitude / 86_400_000_000
    let time = magnitude % 86_400_000_000
    if days > 0 {
      append(uint: days)
      append(0x44)
    }
    if time > 0 || days == 0 {
      append(0x54)
      let hours = time / 3_600_000_000
      let minutes = time / 60_000_000 % 60
      let seconds = time / 1_000_000 % 60
      let fraction = Int(time % 1_000_000)
      if hours > 0 {
        append(uint: hours)
        append(0x48)
      }
      if minutes > 0 {
        append(uint: minutes)
        append(0x4D)
      }
      if seconds > 0 || fraction > 0 || time == 0 {
        append(uint: seconds)
        if fraction > 0 {
          reserve(8)
          appendReserved(0x2E)
          appendTriple(fraction / 1000)
          appendTriple(fraction % 1000)
          while (base + (length - 1)).load(as: UInt8.self) == 0x30 { length -= 1 }
        }
        append(0x53)
      }
    }
    append(0x22)
  }

  /// Appends quoted base64 with padding.
  package mutating func append(base64 bytes: UnsafeRawBufferPointer) {
    append(0x22)
    Base64.encode(bytes, into: &self)
    append(0x22)
  }

  /// Room for eleven bytes must be reserved.
  private mutating func appendDay(_ time: CivilTime.Components) {
    // yyyy-mm- and what follows the second hyphen, eight bytes at once.
    let front = ByteBuffer.digits(UInt32(truncatingIfNeeded: time.year * 10_000 + time.month * 10))
    (base + length).storeBytes(of: front &+ 0x2D30_302D_3030_3030, as: UInt64.self)
    length += 8
    appendPair(time.day)
  }

  private mutating func appendPair(_ value: Int) {
    appendReserved(0x30 &+ UInt8(truncatingIfNeeded: value / 10))
    appendReserved(0x30 &+ UInt8(truncatingIfNeeded: value % 10))
  }

  private mutating func appendTriple(_ value: Int) {
    appendReserved(0x30 &+ UInt8(truncatingIfNeeded: value / 100))
    appendPair(value % 100)
  }
}
