/// Near names for "did you mean".
package enum Spelling {
  /// The candidates within an edit distance of two (and of half the name's length), nearest first, then in the order
  /// given; at most three.
  ///
  /// Complexity: O(candidates × length²); names beyond 64 bytes have no near names.
  package static func near(_ name: String, among candidates: some Sequence<String>) -> [String] {
    let bytes = Array(name.utf8)
    guard !bytes.isEmpty, bytes.count <= 64 else { return [] }
    let allowed = min(2, max(1, bytes.count / 2))
    var found: [(distance: Int, order: Int, name: String)] = []
    for (order, candidate) in candidates.enumerated() {
      let other = Array(candidate.utf8)
      guard abs(other.count - bytes.count) <= allowed, other != bytes else { continue }
      let distance = distance(lowered(bytes), lowered(other))
      if distance <= allowed, !found.contains(where: { $0.name == candidate }) {
        found.append((distance, order, candidate))
      }
    }
    found.sort { ($0.distance, $0.order) < ($1.distance, $1.order) }
    return found.prefix(3).map(\.name)
  }

  /// `did you mean 'a', 'b' or 'c'?`; nil without names.
  package static func question(_ names: [String]) -> String? {
    guard let last = names.last else { return nil }
    let quoted = names.dropLast().map { "'\($0)'" }
    return quoted.isEmpty ? "did you mean '\(last)'?" : "did you mean \(quoted.joined(separator: ", ")) or '\(last)'?"
  }

  private static func lowered(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
  }

  /// Damerau–Levenshtein with adjacent transpositions (optimal string alignment).
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    guard !left.isEmpty else { return right.count }
    guard !right.isEmpty else { return left.count }
    var beforePrevious = [Int](repeating: 0, count: right.count + 1)
    var previous = Array(0...right.count)
    var current = previous
    for row in 1...left.count {
      current[0] = row
      for column in 1...right.count {
        let cost = left[row - 1] == right[column - 1] ? 0 : 1
        var best = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + cost)
        if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
          best = min(best, beforePrevious[column - 2] + 1)
        }
        current[column] = best
      }
      (beforePrevious, previous, current) = (previous, current, beforePrevious)
    }
    return previous[right.count]
  }
}
