#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Okapi BM25 with k₁ = 1.2 and b = 0.75, computed in one order for all plans: a text's score is the sum, in the order
/// of the query, of `weight × (f ÷ (f + norm(length)))`.
@usableFromInline package enum BM25 {
  /// What a word that stands in `found` of `texts` texts is worth: ln(1 + (N − n + ½) ÷ (n + ½)) × (k₁ + 1).
  package static func weight(found: Int, texts: Int) -> Double {
    let rest = Double(max(0, texts - found))
    return log(1 + (rest + 0.5) / (Double(found) + 0.5)) * 2.2
  }

  /// k₁ × (1 − b + b × length ÷ average).
  @inlinable @inline(__always)
  package static func norm(length: Int, average: Double) -> Double {
    average > 0 ? 1.2 * (0.25 + 0.75 * (Double(length) / average)) : 1.2
  }

  @inlinable @inline(__always)
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

/// The norms of all lengths that postings tell, for one average length. Kept from run to run, because to make them takes
/// longer than many a search.
package final class LengthNorms {
  package let average: Double
  /// How many lengths there are, from 0 on.
  private let count: Int
  package let exact: UnsafePointer<Double>
  /// A rounded copy of these.
  package let near: UnsafePointer<Float>

  /// Returns a length above that of every text in which a word that stands there so often has at least this share of its
  /// weight, and most often the next one; 0 where there is no such text.
  package func limit(frequency: Int, share: Double) -> Int {
    if share <= 0 { return count }
    // f ÷ (f + norm) ≥ share
    let norm = Double(frequency) * (1 - share) / share
    if average <= 0 { return norm >= 1.2 ? count : 0 }
    let length = (norm / 1.2 - 0.25) / 0.75 * average
    // One more for what is rounded.
    return length < 0 ? 0 : Int(min(length + 2, Double(count)))
  }

  /// - Parameter largest: The largest length.
  package init(average: Double, largest: Int) {
    self.average = average
    count = largest + 1
    let exact = UnsafeMutablePointer<Double>.allocate(capacity: count)
    let near = UnsafeMutablePointer<Float>.allocate(capacity: count)
    for length in 0..<count {
      exact[length] = BM25.norm(length: length, average: average)
      near[length] = Float(exact[length])
    }
    self.exact = UnsafePointer(exact)
    self.near = UnsafePointer(near)
  }

  deinit {
    exact.deallocate()
    near.deallocate()
  }
}
