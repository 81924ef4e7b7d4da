/// The names that `name` may have been meant as, best first, at most three.
///
/// Names one edit away (insertion, deletion, replacement, swap of neighbors), or two if that is fewer than half of the
/// letters; one that differs by case only comes first. Ties go by bytes, so the result is deterministic.
package func nearestNames(to name: String, in candidates: some Sequence<String>) -> [String] {
  let wanted = Array(name.unicodeScalars.prefix(129))
  // The work grows with the square of the length.
  guard !wanted.isEmpty, wanted.count <= 128 else { return [] }
  let wantedLower = lowercased(wanted)
  var found: [(distance: Int, name: String)] = []
  for candidate in candidates where candidate != name {
    let scalars = Array(candidate.unicodeScalars.prefix(wanted.count + 3))
    guard abs(scalars.count - wanted.count) <= 2, !scalars.isEmpty else { continue }
    let distance: Int
    if lowercased(scalars) == wantedLower {
      distance = 0
    } else {
      guard let edits = editDistance(wanted, scalars, limit: 2) else { continue }
      guard edits * 2 < max(wanted.count, scalars.count) || edits == 1 && wanted.count > 1 else { continue }
      distance = edits
    }
    found.append((distance, candidate))
  }
  found.sort { left, right in
    if left.distance != right.distance { return left.distance < right.distance }
    return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }
  var result: [String] = []
  for (_, name) in found where result.last != name && result.count < 3 { result.append(name) }
  return result
}

/// `did you mean 'a', 'b' or 'c'?`; nil without names.
package func didYouMean(_ names: [String]) -> String? {
  guard let last = names.last else { return nil }
  let others = names.dropLast().map { "'\($0)'" }
  return others.isEmpty ? "did you mean '\(last)'?" : "did you mean \(others.joined(separator: ", ")) or '\(last)'?"
}

private func lowercased(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
  scalars.flatMap { $0.isASCII ? [Unicode.Scalar(CaseFolding.foldASCII(UInt8($0.value)))] : [$0] }
}

/// The Damerau-Levenshtein distance (each neighboring pair swapped at most once), or nil if it exceeds `limit`.
func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], limit: Int) -> Int? {
  guard abs(left.count - right.count) <= limit else { return nil }
  var beforePrevious = [Int](repeating: 0, count: right.count + 1)
  var previous = Array(0...right.count)
  var current = previous
  for i in 0..<left.count {
    current[0] = i + 1
    var best = current[0]
    for j in 0..<right.count {
      var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (left[i] == right[j] ? 0 : 1))
      if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
        cost = min(cost, beforePrevious[j - 1] + 1)
      }
      current[j + 1] = cost
      best = min(best, cost)
    }
    // A swap looks two rows back, so that only two poor rows end it.
    if best > limit, (previous.min() ?? 0) > limit { return nil }
    (beforePrevious, previous, current) = (previous, current, beforePrevious)
  }
  return previous[right.count] <= limit ? previous[right.count] : nil
}
