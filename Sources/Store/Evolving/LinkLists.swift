/// The targets of every row of one direction of a relation, one after the other.
struct LinkLists {
  /// `targets[starts[row]..<starts[row + 1]]` are the row's.
  private(set) var starts: [Int]
  private(set) var targets: [UInt32]

  /// Source and target in the halves of each pair; a row's targets keep the order of the pairs, without repeats.
  ///
  /// Where the allowance ends they are not whole.
  init(_ pairs: [UInt64], rows: Int, targetRows: Int, _ allowance: WorkAllowance) {
    starts = []
    targets = []
    // What is thrown away again, and what stays.
    let passing = (rows + 1 + targetRows) * 8
    guard allowance.take((rows + 1) * 8 + pairs.count * 4 + passing) else { return }
    starts = Array(repeating: 0, count: rows + 1)
    for pair in pairs {
      guard allowance.advance() else { return }
      starts[Int(pair >> 32) + 1] += 1
    }
    for row in 0..<rows { starts[row + 1] += starts[row] }
    var ordered = [UInt32](repeating: 0, count: pairs.count)
    var cursors = starts
    for pair in pairs {
      guard allowance.advance() else { return }
      let source = Int(pair >> 32)
      ordered[cursors[source]] = UInt32(truncatingIfNeeded: pair)
      cursors[source] += 1
    }
    targets = ordered
    // Which row has seen a target last tells repeats without a set.
    var seenBy = [Int](repeating: -1, count: targetRows)
    filter(allowance) { row, target in
      if seenBy[Int(target)] == row { return false }
      seenBy[Int(target)] = row
      return true
    }
    _ = allowance.take(-passing)
  }

  subscript(_ row: UInt32) -> ArraySlice<UInt32> { targets[starts[Int(row)]..<starts[Int(row) + 1]] }

  /// Keeps what `isKept` accepts, asked in order.
  mutating func filter(_ allowance: WorkAllowance, _ isKept: (Int, UInt32) -> Bool) {
    var count = 0
    var start = 0
    for row in 0..<(starts.count - 1) {
      let end = starts[row + 1]
      guard allowance.advance() else { return }
      for index in start..<end {
        guard allowance.advance() else { return }
        guard isKept(row, targets[index]) else { continue }
        targets[count] = targets[index]
        count += 1
      }
      start = end
      starts[row + 1] = count
    }
    targets.removeLast(targets.count - count)
  }
}
