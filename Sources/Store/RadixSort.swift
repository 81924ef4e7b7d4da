/// Stable sorting by bytes, least significant first; passes in which all bytes are equal are left out.
enum RadixSort {
  /// Sorts by the high 32 bits; entries with equal ones keep their order.
  static func sortHighHalves(_ entries: inout [UInt64], _ allowance: WorkAllowance? = nil) {
    let count = entries.count
    if count < 2 { return }
    var scratch = [UInt64](repeating: 0, count: count)
    // 11 + 11 + 10 bits: three passes.
    for (shift, bits) in [(32, 11), (43, 11), (54, 10)] as [(UInt64, UInt64)] {
      if allowance?.advance(count) == false { return }
      var starts = [Int](repeating: 0, count: 1 << Int(bits) + 1)
      let mask: UInt64 = 1 << bits - 1
      entries.withUnsafeBufferPointer { source in
        scratch.withUnsafeMutableBufferPointer { target in
          starts.withUnsafeMutableBufferPointer { starts in
            for entry in source { starts[Int(entry >> shift & mask) &+ 1] &+= 1 }
            for index in 1..<starts.count { starts[index] &+= starts[index &- 1] }
            for entry in source {
              let digit = Int(entry >> shift & mask)
              target[starts[digit]] = entry
              starts[digit] &+= 1
            }
          }
        }
      }
      swap(&entries, &scratch)
    }
  }

  static func isSorted(_ entries: [BTreeEntry]) -> Bool {
    entries.withUnsafeBufferPointer { entries in
      for index in entries.indices.dropFirst() where entries[index - 1].image > entries[index].image { return false }
      return true
    }
  }

  /// Sorts by image; entries with equal images keep their order.
  static func sort(_ entries: inout [BTreeEntry], _ allowance: WorkAllowance? = nil) {
    let count = entries.count
    if count < 2 { return }
    var varying: UInt64 = 0
    for index in 1..<count { varying |= entries[index - 1].image ^ entries[index].image }
    var scratch = [BTreeEntry](repeating: BTreeEntry(image: 0, row: 0), count: count)
    var shift: UInt64 = 0
    while shift < 64 {
      let mask: UInt64 = 0x7FF
      if allowance?.advance(count) == false { return }
      if varying >> shift & mask != 0 {
        var starts = [Int](repeating: 0, count: 2049)
        entries.withUnsafeBufferPointer { source in
          scratch.withUnsafeMutableBufferPointer { target in
            starts.withUnsafeMutableBufferPointer { starts in
              for entry in source { starts[Int(entry.image >> shift & mask) &+ 1] &+= 1 }
              for index in 1..<starts.count { starts[index] &+= starts[index &- 1] }
              for entry in source {
                let digit = Int(entry.image >> shift & mask)
                target[starts[digit]] = entry
                starts[digit] &+= 1
              }
            }
          }
        }
        swap(&entries, &scratch)
      }
      shift += 11
    }
  }
}
