import Foundation

/// A full-text query as ``RandomPatterns`` writes them, tried on texts word by word.
struct TextSearch {
  enum Test {
    case term(String)
    case prefix(String)
    case within(Int, of: String)
    case phrase([String])
  }
  struct Leaf {
    var test: Test
    var isWanted: Bool
  }

  /// A word of a text: its stem, nil for a stop word, and where it stands.
  struct Word {
    var term: String?
    var range: Range<String.Index>
  }

  /// What scores are reckoned from.
  struct Statistics {
    var texts: Int
    var words: Int
    var found: [Int]
  }

  private(set) var leaves: [Leaf] = []
  /// The places of leaves that must all hold, or not be there; any of the lists.
  private(set) var alternatives: [[Int]] = []
  let language: String

  init(_ query: String, _ language: String) {
    self.language = language
    for part in query.components(separatedBy: " OR ") {
      var places: [Int] = []
      for written in Self.parts(of: part) {
        let isWanted = !written.hasPrefix("-")
        guard let test = Self.test(isWanted ? written : String(written.dropFirst()), language) else { continue }
        places.append(leaves.count)
        leaves.append(Leaf(test: test, isWanted: isWanted))
      }
      if !places.isEmpty { alternatives.append(places) }
    }
  }

  /// Words, and phrases in quotes.
  private static func parts(of text: String) -> [String] {
    var parts: [String] = []
    for (place, piece) in text.components(separatedBy: "\"").enumerated() {
      if place % 2 == 1 { parts.append("\"\(piece)") } else { parts += piece.split(separator: " ").map(String.init) }
    }
    return parts
  }

  private static func test(_ written: String, _ language: String) -> Test? {
    if written.hasSuffix("*") { return .prefix(Datum.fold(String(written.dropLast()))) }
    if let tilde = written.firstIndex(of: "~") {
      let distance = Int(written[written.index(after: tilde)...]) ?? 1
      let word = String(written[..<tilde])
      if distance > 0 { return .within(min(2, distance), of: term(word, language) ?? Datum.fold(word)) }
      return term(word, language).map { .term($0) }
    }
    if written.hasPrefix("\"") {
      let words = Self.words(String(written.dropFirst()), language).compactMap(\.term)
      return words.count > 1 ? .phrase(words) : words.first.map { .term($0) }
    }
    return term(written, language).map { .term($0) }
  }

  /// The English stems of ``Model/terms``, by the published algorithm; nil for a stop word.
  private static func term(_ word: String, _ language: String) -> String? {
    let folded = Datum.fold(word)
    guard language == "en" else { return folded }
    switch folded {
    case "the": return nil
    case "cats": return "cat"
    case "dogs": return "dog"
    case "running": return "run"
    default: return folded
    }
  }

  /// The words of a text, which blanks and commas separate.
  static func words(_ text: String, _ language: String) -> [Word] {
    text.split { $0 == " " || $0 == "," }.map { word in
      Word(term: term(String(word), language), range: word.startIndex..<word.endIndex)
    }
  }

  /// Where a leaf stands in a text: the ranges of words.
  func places(_ leaf: Leaf, _ words: [Word]) -> [Range<Int>] {
    words.indices.compactMap { place in
      guard let term = words[place].term else { return nil }
      switch leaf.test {
      case .term(let wanted): return term == wanted ? place..<(place + 1) : nil
      case .prefix(let beginning): return term.hasPrefix(beginning) ? place..<(place + 1) : nil
      case .within(let limit, let wanted):
        return Self.distance(Array(term.unicodeScalars), Array(wanted.unicodeScalars)) <= limit
          ? place..<(place + 1) : nil
      case .phrase(let wanted):
        // A word's place counts stop words too, so phrases do not reach over them.
        guard place + wanted.count <= words.count else { return nil }
        let holds = wanted.indices.allSatisfy { words[place + $0].term == wanted[$0] }
        return holds ? place..<(place + wanted.count) : nil
      }
    }
  }

  /// Insertions, deletions, replacements, and exchanges of neighbours.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var table = Array(repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
    for i in 0...left.count {
      for j in 0...right.count {
        if i == 0 || j == 0 {
          table[i][j] = i + j
          continue
        }
        let same = left[i - 1] == right[j - 1]
        table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (same ? 0 : 1))
        if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
          table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
        }
      }
    }
    return table[left.count][right.count]
  }

  /// How often each leaf stands in the texts; phrases do not reach from one into the next.
  func frequencies(_ texts: [String]) -> [Int] {
    let words = texts.map { Self.words($0, language) }
    return leaves.map { leaf in words.reduce(0) { $0 + places(leaf, $1).count } }
  }

  func isFound(_ texts: [String]) -> Bool {
    let frequencies = frequencies(texts)
    return alternatives.contains { $0.allSatisfy { (frequencies[$0] > 0) == leaves[$0].isWanted } }
  }

  /// Words without stop words.
  func length(_ texts: [String]) -> Int {
    texts.reduce(0) { $0 + Self.words($1, language).filter { $0.term != nil }.count }
  }

  /// Okapi BM25 with k₁ = 1.2 and b = 0.75.
  func score(_ texts: [String], _ statistics: Statistics) -> Double {
    let average = Double(statistics.words) / Double(statistics.texts)
    let norm = average > 0 ? 1.2 * (0.25 + 0.75 * Double(length(texts)) / average) : 1.2
    var score = 0.0
    for (place, frequency) in frequencies(texts).enumerated() where frequency > 0 && leaves[place].isWanted {
      let found = Double(statistics.found[place])
      let rarity = log(1 + (Double(statistics.texts) - found + 0.5) / (found + 0.5))
      score += rarity * 2.2 * Double(frequency) / (Double(frequency) + norm)
    }
    return score
  }
}
