/// The words that texts, names and places are made of, invented from syllables so that there are as many as needed.
struct Vocabulary {
  /// Words of texts; the first are common, the last are rare.
  let words: [[UInt8]]
  let firstNames: [String]
  let lastNames: [String]
  let cities: [String]

  init(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var seen: Set<String> = []
    func invent(_ syllables: ClosedRange<Int>) -> String {
      let onsets = [
        "b", "br", "d", "f", "g", "gr", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v", "w", "",
      ]
      let nuclei = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
      let codas = ["", "", "", "n", "r", "s", "l", "t", "m"]
      while true {
        var word = ""
        for _ in 0..<(syllables.lowerBound + random.below(syllables.count)) {
          word += onsets[random.below(onsets.count)] + nuclei[random.below(nuclei.count)]
        }
        word += codas[random.below(codas.count)]
        if seen.insert(word).inserted { return word }
      }
    }
    func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }
    words = (0..<4_000).map { Array(invent($0 < 400 ? 1...2 : 2...3).utf8) }
    firstNames = ["Zoë", "José", "Åsa", "Łukasz"] + (0..<196).map { _ in capitalized(invent(2...3)) }
    lastNames = ["O'Neill", "Nuñez"] + (0..<998).map { _ in capitalized(invent(2...3)) }
    cities = ["São Paulo", "Köln"] + (0..<498).map { _ in capitalized(invent(2...4)) }
  }

  /// Appends `count` words with blanks between them; common words are common.
  func write(_ count: Int, to bytes: inout [UInt8], _ random: inout RandomSource) {
    for index in 0..<count {
      if index > 0 { bytes.append(UInt8(ascii: " ")) }
      bytes.append(contentsOf: words[random.skewed(words.count, exponent: 4)])
    }
  }
}
