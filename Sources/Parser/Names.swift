/// True for GraphQL's `Name`, which needs no backquotes.
func isPlainName(_ text: String) -> Bool {
  var isFirst = true
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
    case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
    default: return false
    }
    isFirst = false
  }
  return !isFirst
}

/// The candidate that a word was probably meant to be: the nearest within two edits, the first of equals.
///
/// Complexity: O(candidates × length of the word × length of the candidate).
func nearest(to word: String, among candidates: [String]) -> String? {
  var best: (distance: Int, candidate: String)?
  for candidate in candidates {
    let distance = editDistance(Array(word.utf8), Array(candidate.utf8))
    if distance <= 2, distance < best?.distance ?? 3 { best = (distance, candidate) }
  }
  return best?.candidate
}

/// Insertions, deletions, substitutions and swaps of neighbours that make one of the other.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforePrevious: [Int] = []
  var previous = Array(0...right.count)
  for row in 0..<left.count {
    var current = [row + 1]
    for column in 0..<right.count {
      var cost = min(
        previous[column] + (left[row] == right[column] ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
        cost = min(cost, beforePrevious[column - 1] + 1)
      }
      current.append(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[right.count]
}
