/// Loops over truths: bytes of 0 false, 1 unknown, 2 true. Written so that the compiler makes vectors of them.
enum TruthKernel {
  typealias Truths = UnsafeMutablePointer<UInt8>

  /// Positions of true, ascending. Blocks of eight without any cost one test.
  static func positions(_ truths: Truths, _ count: Int, into positions: UnsafeMutablePointer<UInt16>) -> Int {
    var found = 0
    var index = 0
    let raw = UnsafeRawPointer(truths)
    while index &+ 8 <= count {
      let word = (raw + index).loadUnaligned(as: UInt64.self)
      if word & 0x0202_0202_0202_0202 != 0 {
        for offset in 0..<8 {
          positions[found] = UInt16(truncatingIfNeeded: index &+ offset)
          found &+= Int(truncatingIfNeeded: word >> UInt64(offset &* 8 &+ 1)) & 1
        }
      }
      index &+= 8
    }
    while index < count {
      // Only stores where there is room: the last position is not written ahead of its test.
      if truths[index] == 2 {
        positions[found] = UInt16(truncatingIfNeeded: index)
        found &+= 1
      }
      index &+= 1
    }
    return found
  }

  /// The same as row ids from `firstRow` on.
  static func rows(_ truths: Truths, _ count: Int, _ firstRow: UInt32, into rows: UnsafeMutablePointer<UInt32>) -> Int {
    var found = 0
    var index = 0
    let raw = UnsafeRawPointer(truths)
    while index &+ 8 <= count {
      let word = (raw + index).loadUnaligned(as: UInt64.self)
      if word & 0x0202_0202_0202_0202 != 0 {
        for offset in 0..<8 {
          rows[found] = firstRow &+ UInt32(truncatingIfNeeded: index &+ offset)
          found &+= Int(truncatingIfNeeded: word >> UInt64(offset &* 8 &+ 1)) & 1
        }
      }
      index &+= 8
    }
    while index < count {
      if truths[index] == 2 {
        rows[found] = firstRow &+ UInt32(truncatingIfNeeded: index)
        found &+= 1
      }
      index &+= 1
    }
    return found
  }

  /// Keeps the positions whose truth, by place in `positions`, is true.
  static func compact(_ positions: UnsafeMutablePointer<UInt16>, _ truths: Truths, _ count: Int) -> Int {
    var found = 0
    for index in 0..<count {
      positions[found] = positions[index]
      found &+= Int(truths[index] >> 1)
    }
    return found
  }

  static func count(_ truths: Truths, _ count: Int) -> Int {
    var total = 0
    var index = 0
    let raw = UnsafeRawPointer(truths)
    // Byte counters of up to 255 rounds, then one sum across.
    while index &+ 16 <= count {
      var counters = SIMD16<UInt8>(repeating: 0)
      let end = min(count, index &+ 255 &* 16)
      while index &+ 16 <= end {
        counters &+= (raw + index).loadUnaligned(as: SIMD16<UInt8>.self) &>> 1
        index &+= 16
      }
      let low = SIMD8<UInt16>(truncatingIfNeeded: counters.lowHalf)
      let high = SIMD8<UInt16>(truncatingIfNeeded: counters.highHalf)
      total &+= Int((low &+ high).wrappedSum())
    }
    while index < count {
      total &+= Int(truths[index] >> 1)
      index &+= 1
    }
    return total
  }

  static func and(_ a: Truths, _ b: Truths, _ count: Int, into out: Truths) {
    for index in 0..<count { out[index] = min(a[index], b[index]) }
  }

  static func or(_ a: Truths, _ b: Truths, _ count: Int, into out: Truths) {
    for index in 0..<count { out[index] = max(a[index], b[index]) }
  }

  static func not(_ a: Truths, _ count: Int, into out: Truths) {
    for index in 0..<count { out[index] = 2 &- a[index] }
  }

  /// True stays, unknown becomes false.
  static func isTrue(_ a: Truths, _ count: Int, into out: Truths) {
    for index in 0..<count { out[index] = a[index] & 2 }
  }

  static func isUnknown(_ a: Truths, _ count: Int, into out: Truths) {
    for index in 0..<count { out[index] = (a[index] & 1) &<< 1 }
  }

  static func isNull(validity: UnsafePointer<UInt8>, _ count: Int, into out: Truths) {
    for index in 0..<count { out[index] = (1 &- validity[index]) &<< 1 }
  }

  /// Both; unknown if one is.
  static func both(_ a: Truths, _ b: Truths, _ count: Int, into out: Truths) {
    for index in 0..<count {
      let unknown = (a[index] | b[index]) & 1
      out[index] = unknown == 1 ? 1 : min(a[index], b[index])
    }
  }

  /// Unknown where a validity is 0.
  static func maskUnknown(_ out: Truths, _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) {
    for index in 0..<count {
      let valid = a[index] & b[index]
      out[index] = (out[index] & (0 &- valid)) | (1 &- valid)
    }
  }

  /// For equality, in which null is a value: true where both are null, false where one is.
  static func maskEqual(_ out: Truths, _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) {
    for index in 0..<count {
      let valid = a[index] & b[index]
      let neither = (a[index] | b[index]) ^ 1
      out[index] = (out[index] & (0 &- valid)) | (neither &<< 1)
    }
  }

  static func intersect(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int, into out: UnsafeMutablePointer<UInt8>
  ) {
    for index in 0..<count { out[index] = a[index] & b[index] }
  }
}
