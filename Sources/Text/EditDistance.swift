/// Distances between words in insertions, deletions, replacements and exchanges of neighbours of code points, each part
/// of the word edited once (optimal string alignment).
package struct EditDistance {
  private let pattern: [UInt32]
  package let limit: Int
  /// Rows of the table by number of code points of the other word that they have seen; and these code points.
  private var rows: [[Int]]
  private var seen: [UInt32] = []

  package init(to word: some Sequence<UInt8>, limit: Int) {
    pattern = Self.scalars(word)
    self.limit = limit
    rows = [Array(0...pattern.count)]
  }

  private static func scalars(_ bytes: some Sequence<UInt8>) -> [UInt32] {
    String(decoding: Array(bytes), as: UTF8.self).unicodeScalars.map(\.value)
  }

  /// Whether the word is near enough. Words that begin alike share work, so that sorted words are quick.
  package mutating func isNear(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
    // A code point has four bytes at most.
    if word.count > (pattern.count + limit) * 4 { return false }
    var length = 0
    var isShared = true
    var position = 0
    while position < word.count {
      let first = word[position]
      var scalar = UInt32(first)
      var size = 1
      if first >= 0xC0 {
        size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        scalar = UInt32(first) & (0x7F >> UInt32(size))
        for offset in 1..<size where position + offset < word.count {
          scalar = scalar << 6 | UInt32(word[position + offset] & 0x3F)
        }
      }
      position += size
      if isShared, length < seen.count, seen[length] == scalar {
        length += 1
        continue
      }
      if isShared {
        isShared = false
        seen.removeSubrange(length...)
        rows.removeSubrange((length + 1)...)
      }
      // No continuation comes back within the limit.
      if (rows[length].min() ?? 0) > limit { return false }
      extend(by: scalar)
      length += 1
    }
    if isShared {
      // The word is a beginning of what was seen.
      return rows[length][pattern.count] <= limit
    }
    return rows[length][pattern.count] <= limit
  }

  private mutating func extend(by scalar: UInt32) {
    let above = rows[rows.count - 1]
    var row = [Int](repeating: 0, count: pattern.count + 1)
    row[0] = above[0] + 1
    for column in 0..<pattern.count {
      let cost = pattern[column] == scalar ? 0 : 1
      var best = min(above[column] + cost, above[column + 1] + 1, row[column] + 1)
      if column > 0, let previous = seen.last, pattern[column] == previous, pattern[column - 1] == scalar {
        best = min(best, rows[rows.count - 2][column - 1] + 1)
      }
      row[column + 1] = best
    }
    rows.append(row)
    seen.append(scalar)
  }
}
