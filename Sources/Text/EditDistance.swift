/// Distances between words in insertions, deletions, replacements and exchanges of neighbors of code points, each part
/// of the word edited once (optimal string alignment).
///
/// Of the table of all distances only the cells that may be within the limit are made: those beside the diagonal.
package struct EditDistance {
  private let pattern: [UInt32]
  package let limit: Int
  /// The code points of the other word, and behind each of them its row of the table, the one for none first. A row's
  /// cell `c` is the distance to the pattern's first `row - limit + c` code points; beyond the limit all are `far`.
  private var seen: [UInt32] = []
  private var cells: [Int]

  private var width: Int { limit * 2 + 1 }
  private var far: Int { limit + 1 }

  package init(to word: some Sequence<UInt8>, limit: Int) {
    pattern = Self.scalars(word)
    self.limit = limit
    cells = (-limit...limit).map { $0 < 0 ? limit + 1 : $0 }
  }

  private static func scalars(_ bytes: some Sequence<UInt8>) -> [UInt32] {
    String(decoding: Array(bytes), as: UTF8.self).unicodeScalars.map(\.value)
  }

  /// Whether the word is near enough. Words that begin alike share work, so that sorted words are quick.
  ///
  /// Complexity: O(length of the word), as long as it is near.
  package mutating func isNear(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
    // A code point has one to four bytes.
    if word.count > (pattern.count + limit) * 4 || word.count + limit < pattern.count { return false }
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
        cells.removeSubrange(((length + 1) * width)...)
      }
      // No continuation comes back within the limit.
      if isFar(length) { return false }
      extend(by: scalar)
      length += 1
    }
    let cell = pattern.count - length + limit
    return cell >= 0 && cell < width && cells[length * width + cell] <= limit
  }

  private func isFar(_ row: Int) -> Bool {
    for cell in (row * width)..<((row + 1) * width) where cells[cell] <= limit { return false }
    return true
  }

  private mutating func extend(by scalar: UInt32) {
    let row = seen.count + 1
    let above = (row - 1) * width
    for cell in 0..<width {
      let column = row - limit + cell
      guard column >= 0, column <= pattern.count else {
        cells.append(far)
        continue
      }
      // One code point less of the pattern stands in the cell before, one less of the word in the row above.
      var best = cell + 1 < width ? cells[above + cell + 1] + 1 : far
      if cell > 0 { best = min(best, cells[cells.count - 1] + 1) }
      if column > 0 {
        best = min(best, cells[above + cell] + (pattern[column - 1] == scalar ? 0 : 1))
        if column > 1, row > 1, pattern[column - 1] == seen[row - 2], pattern[column - 2] == scalar {
          best = min(best, cells[above - width + cell] + 1)
        }
      }
      cells.append(min(best, far))
    }
    seen.append(scalar)
  }
}
