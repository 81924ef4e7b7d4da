/// Reads digits and marks from the front of some bytes.
private struct TimeCursor {
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { index >= bytes.count }
  var peek: UInt8 { index < bytes.count ? bytes[index] : 0 }

  mutating func take(_ byte: UInt8) -> Bool {
    guard index < bytes.count, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  /// Exactly `count` digits.
  mutating func number(_ count: Int) -> Int? {
    guard index + count <= bytes.count else { return nil }
    var value = 0
    for offset in 0..<count {
      let digit = bytes[index + offset] &- 0x30
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    index += count
    return value
  }

  /// One digit or more; nil if there is none or the number is too large.
  mutating func number() -> Int64? {
    let start = index
    var value: Int64 = 0
    while index < bytes.count {
      let digit = bytes[index] &- 0x30
      guard digit < 10 else { break }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int64(digit))
      guard !overflow, !carry else { return nil }
      value = sum
      index += 1
    }
    return index > start ? value : nil
  }

  /// The digits behind a point as microseconds; nil if there are none or a digit beyond the sixth is not zero.
  mutating func fraction() -> Int? {
    var value = 0
    var count = 0
    while index < bytes.count {
      let digit = bytes[index] &- 0x30
      guard digit < 10 else { break }
      if count < 6 {
        value = value * 10 + Int(digit)
      } else if digit != 0 {
        return nil
      }
      count += 1
      index += 1
    }
    guard count > 0 else { return nil }
    for _ in min(count, 6)..<6 { value *= 10 }
    return value
  }
}

extension CivilTime {
  /// Reads an RFC 3339 date and time as microseconds since 1970 (UTC).
  ///
  /// A space or `t` may stand for the `T`; offsets (`+02:00`, also `+0200` and `+02`) are converted and a missing zone
  /// means UTC. Nil if it is none, has more than microseconds, or leaves the years 0001 to 9999.
  package static func parseDateTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var cursor = TimeCursor(bytes)
    guard let days = date(&cursor) else { return nil }
    guard cursor.take(0x54) || cursor.take(0x20) || cursor.take(0x74) else { return nil }
    guard let hour = cursor.number(2), hour < 24, cursor.take(0x3A), let minute = cursor.number(2), minute < 60,
      cursor.take(0x3A), let second = cursor.number(2), second < 60
    else { return nil }
    var microsecond = 0
    if cursor.take(0x2E) {
      guard let fraction = cursor.fraction() else { return nil }
      microsecond = fraction
    }
    var offsetMinutes = 0
    if !cursor.isAtEnd, !cursor.take(0x5A), !cursor.take(0x7A) {
      let isWest = cursor.take(0x2D)
      guard isWest || cursor.take(0x2B), let hours = cursor.number(2), hours < 24 else { return nil }
      var minutes = 0
      if !cursor.isAtEnd {
        _ = cursor.take(0x3A)
        guard let number = cursor.number(2), number < 60 else { return nil }
        minutes = number
      }
      offsetMinutes = hours * 60 + minutes
      if isWest { offsetMinutes = -offsetMinutes }
    }
    guard cursor.isAtEnd else { return nil }
    let seconds = (hour * 60 + minute - offsetMinutes) * 60 + second
    let result = days * microsecondsPerDay + Int64(seconds * 1_000_000 + microsecond)
    return dateTimeRange.contains(result) ? result : nil
  }

  /// Reads `2026-01-31` as days since 1970.
  package static func parseDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var cursor = TimeCursor(bytes)
    guard let days = date(&cursor), cursor.isAtEnd else { return nil }
    return days
  }

  /// Reads an ISO 8601 duration of weeks to seconds, as in `-P1DT2H30M1.5S`, as microseconds.
  ///
  /// Nil for years and months, whose lengths vary, for more than microseconds and for what is too long.
  package static func parseDuration(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    var cursor = TimeCursor(bytes)
    let isNegative = cursor.take(0x2D)
    if !isNegative { _ = cursor.take(0x2B) }
    guard cursor.take(0x50) else { return nil }
    // Counts downward, because the most negative duration has no positive twin.
    var total: Int64 = 0
    var isTime = false
    // Units must come in this order, each at most once.
    var rank = 0
    while !cursor.isAtEnd {
      if !isTime, cursor.take(0x54) {
        guard !cursor.isAtEnd else { return nil }
        isTime = true
      }
      guard let number = cursor.number() else { return nil }
      var microseconds: Int?
      if cursor.take(0x2E) {
        guard isTime, let fraction = cursor.fraction(), cursor.peek == 0x53 else { return nil }
        microseconds = fraction
      }
      let unit: (rank: Int, length: Int64)
      switch (cursor.peek, isTime) {
      case (0x57, false): unit = (1, 7 * microsecondsPerDay)
      case (0x44, false): unit = (2, microsecondsPerDay)
      case (0x48, true): unit = (3, 3_600_000_000)
      case (0x4D, true): unit = (4, 60_000_000)
      case (0x53, true): unit = (5, microsecondsPerSecond)
      default: return nil
      }
      cursor.index += 1
      guard unit.rank > rank else { return nil }
      rank = unit.rank
      let (length, overflow) = number.multipliedReportingOverflow(by: unit.length)
      let (sum, overflow2) = total.subtractingReportingOverflow(length)
      let (all, overflow3) = sum.subtractingReportingOverflow(Int64(microseconds ?? 0))
      guard !overflow, !overflow2, !overflow3 else { return nil }
      total = all
    }
    guard rank > 0 else { return nil }
    if isNegative { return total }
    return total == .min ? nil : -total
  }

  private static func date(_ cursor: inout TimeCursor) -> Int64? {
    guard let year = cursor.number(4), cursor.take(0x2D), let month = cursor.number(2), cursor.take(0x2D),
      let day = cursor.number(2)
    else { return nil }
    return days(year: year, month: month, day: day)
  }
}
