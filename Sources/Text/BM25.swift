#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Okapi BM25 with k₁ = 1.2 and b = 0.75, computed in one order for all plans: a text's score is the sum, in the order
/// of the query, of `weight × (f ÷ (f + norm(length)))`.
package enum BM25 {
  /// What a word that stands in `found` of `texts` texts is worth: ln(1 + (N − n + ½) ÷ (n + ½)) × (k₁ + 1).
  package static func weight(found: Int, texts: Int) -> Double {
    let rest = Double(max(0, texts - found))
    return log(1 + (rest + 0.5) / (Double(found) + 0.5)) * 2.2
  }

  /// k₁ × (1 − b + b × length ÷ average).
  @inline(__always)
  package static func norm(length: Int, average: Double) -> Double {
    average > 0 ? 1.2 * (0.25 + 0.75 * (Double(length) / average)) : 1.2
  }

  @inline(__always)
  package static func share(frequency: Int, norm: Double) -> Double {
    let frequency = Double(frequency)
    return frequency / (frequency + norm)
  }
}

/// What scores are reckoned from: all live entities of a type, and the words of some of their fields together.
package struct TextStatistics: Sendable, Hashable {
  /// Live entities, those without a text too.
  package var texts: Int
  /// Words in all of them, stop words left out.
  package var words: Int
  /// By leaf of the query: the number of texts that have it.
  package var found: [Int]

  package init(texts: Int, words: Int, found: [Int]) {
    self.texts = texts
    self.words = words
    self.found = found
  }

  package var averageLength: Double { texts == 0 ? 0 : Double(words) / Double(texts) }
}
