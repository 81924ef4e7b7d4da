import GQLBase

/// A query made ready to be tried on texts, one after another. For one thread.
///
/// What a word means for the query is remembered, so that each distinct word is stemmed and compared once.
package final class TextMatcher {
  package let query: TextQuery
  package let analyzer: TextAnalyzer
  /// By leaf: how often it stands in the last text.
  @exclusivity(unchecked) package private(set) var frequencies: [Int]
  /// Words of the last text, stop words left out.
  @exclusivity(unchecked) package private(set) var length = 0

  private struct Place {
    var leaf: Int
    var offset: Int
    var isPhrase: Bool
  }
  /// All atoms of the query.
  private let atoms: [TextQuery.Atom]
  private let places: [Place]
  @exclusivity(unchecked) private var distances: [EditDistance?]
  /// By word: −2 for a stop word, −1 for one that the query does not know, else the index of a list of atoms.
  private let memo = WordTable()
  @exclusivity(unchecked) private var lists: [[Int]] = []
  private static let memoLimit = 1 << 20
  /// By atom: positions in the last text, ascending; of atoms in phrases only.
  @exclusivity(unchecked) private var positions: [[Int]]
  /// The atoms that a term satisfies by being theirs, and those that must be tried.
  private let exact = WordTable()
  @exclusivity(unchecked) private var exactLists: [[Int]] = []
  private let tried: [Int]
  @exclusivity(unchecked) private var watch = InterruptionWatch(nil)
  /// Whether the last text was not gone through to its end, because who waits for it does not any longer.
  package var isInterrupted: Bool { watch.isDue || analyzer.isInterrupted }

  package init(_ query: TextQuery, _ analyzer: TextAnalyzer) {
    self.query = query
    self.analyzer = analyzer
    frequencies = Array(repeating: 0, count: query.leaves.count)
    var atoms: [TextQuery.Atom] = []
    var places: [Place] = []
    for (number, leaf) in query.leaves.enumerated() {
      for atom in leaf.atoms {
        atoms.append(atom)
        places.append(Place(leaf: number, offset: atom.offset, isPhrase: leaf.atoms.count > 1))
      }
    }
    self.atoms = atoms
    self.places = places
    positions = Array(repeating: [], count: atoms.count)
    distances = atoms.map { atom in
      if case .within(let limit) = atom.test { EditDistance(to: atom.term.bytes, limit: limit) } else { nil }
    }
    tried = atoms.indices.filter { atoms[$0].test != .term }
    for (index, atom) in atoms.enumerated() where atom.test == .term {
      atom.term.bytes.withUnsafeBufferPointer { term in
        if let known = exact.find(term) {
          exactLists[Int(known)].append(index)
        } else {
          exact.insert(term, Int32(truncatingIfNeeded: exactLists.count))
          exactLists.append([index])
        }
      }
    }
  }

  /// Texts from here on are gone through until `interruption` is due.
  package func heed(_ interruption: Interruption?) {
    watch = InterruptionWatch(interruption)
    analyzer.heed(interruption)
  }

  /// Starts a text of one or several fields.
  package func begin() {
    for index in frequencies.indices { frequencies[index] = 0 }
    length = 0
  }

  /// Counts what stands in a field. Phrases do not reach from one into the next.
  package func add(_ text: UnsafeBufferPointer<UInt8>) {
    var hasPhrases = false
    forEachWord(of: text) { position, _, found in
      length += 1
      if found < 0 { return }
      for atom in lists[Int(found)] {
        if places[atom].isPhrase {
          if !hasPhrases { for index in positions.indices { positions[index].removeAll(keepingCapacity: true) } }
          hasPhrases = true
          positions[atom].append(position)
        } else {
          frequencies[places[atom].leaf] += 1
        }
      }
    }
    if hasPhrases { forEachPhrase { leaf, _, _ in frequencies[leaf] += 1 } }
  }

  /// Calls with the position, the bytes and the meaning of each word that is no stop word.
  @inline(__always)
  private func forEachWord(
    of text: UnsafeBufferPointer<UInt8>, _ body: (_ position: Int, _ bytes: Range<Int>, _ meaning: Int32) -> Void
  ) {
    var start = 0
    var position = 0
    while start < text.count {
      let end = TextAnalyzer.partEnd(of: text, from: start)
      analyzer.segment(UnsafeBufferPointer(rebasing: text[start..<end]))
      if watch.spend(end - start) { return }
      for token in analyzer.tokens {
        let found = meaning(of: token)
        if found != -2 { body(position, (start + token.start)..<(start + token.end), found) }
        position += 1
      }
      start = end
    }
  }

  /// Whether the text since ``begin()`` is found by the query.
  package var isMatch: Bool { query.root.map(holds) ?? false }

  private func holds(_ node: TextQuery.Node) -> Bool {
    switch node {
    case .leaf(let leaf): frequencies[leaf] > 0
    case .all(let wanted, let excluded): wanted.allSatisfy(holds) && !excluded.contains(where: holds)
    case .any(let nodes): nodes.contains(where: holds)
    }
  }

  /// The number that the memo has for the word, or makes for it.
  private func meaning(of token: TextAnalyzer.Token) -> Int32 {
    analyzer.folded.withUnsafeBufferPointer { folded in
      let word = UnsafeBufferPointer(rebasing: folded[token.wordStart..<token.wordEnd])
      if let known = memo.find(word) { return known }
      if memo.byteCount > Self.memoLimit {
        memo.removeAll()
        lists.removeAll(keepingCapacity: true)
      }
      var meaning: Int32 = -1
      if analyzer.isStopWord(word) {
        meaning = -2
      } else {
        let found = matching(analyzer.stem(word))
        if !found.isEmpty {
          meaning = Int32(truncatingIfNeeded: lists.count)
          lists.append(found)
        }
      }
      memo.insert(word, meaning)
      return meaning
    }
  }

  /// The atoms that the term satisfies.
  private func matching(_ term: UnsafeBufferPointer<UInt8>) -> [Int] {
    var found = exact.find(term).map { exactLists[Int($0)] } ?? []
    let bytes = UnsafeRawBufferPointer(term)
    for index in tried {
      if watch.spend(64) { return found }
      let holds =
        distances[index]?.isNear(term) ?? atoms[index].word.withUnsafeBytes { ByteSearch.startsWith(bytes, $0) }
        || atoms[index].term.withUnsafeBytes { ByteSearch.equal(bytes, $0) }
      if holds { found.append(index) }
    }
    return found
  }

  /// Calls with each phrase of the last field: its leaf, and the positions of its first and last word.
  private func forEachPhrase(_ body: (Int, Int, Int) -> Void) {
    var first = 0
    while first < atoms.count {
      var end = first + 1
      while end < atoms.count, places[end].leaf == places[first].leaf { end += 1 }
      if places[first].isPhrase {
        for position in positions[first] {
          let holds = (first..<end).allSatisfy { Self.contains(positions[$0], position + places[$0].offset) }
          if holds { body(places[first].leaf, position, position + places[end - 1].offset) }
        }
      }
      first = end
    }
  }

  private static func contains(_ positions: [Int], _ wanted: Int) -> Bool {
    var low = 0
    var high = positions.count
    while low < high {
      let middle = (low + high) / 2
      if positions[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    return low < positions.count && positions[low] == wanted
  }

  // MARK: - Scores

  /// The score of the text since ``begin()``, whether the query finds it or not.
  package func score(_ statistics: TextStatistics) -> Double {
    let norm = BM25.norm(length: length, average: statistics.averageLength)
    var score = 0.0
    for leaf in frequencies.indices where frequencies[leaf] > 0 && query.leaves[leaf].isWanted {
      let weight = BM25.weight(found: statistics.found[leaf], texts: statistics.texts)
      score += weight * BM25.share(frequency: frequencies[leaf], norm: norm)
    }
    return score
  }

  // MARK: - Highlighting

  /// Appends the byte ranges of the words and phrases of a text that the query looks for.
  package func spans(_ text: UnsafeBufferPointer<UInt8>, into spans: inout [Range<Int>]) {
    begin()
    add(text)
    var hasPhrases = false
    // By position, stop words included: they are within phrases.
    var words: [Range<Int>] = []
    forEachWord(of: text) { position, bytes, found in
      while words.count < position { words.append(bytes) }
      words.append(bytes)
      guard found >= 0 else { return }
      for atom in lists[Int(found)] where query.leaves[places[atom].leaf].isWanted {
        if places[atom].isPhrase { hasPhrases = true } else { spans.append(bytes) }
      }
    }
    // Where the second way through the text was cut short, words of phrases are missing.
    guard hasPhrases, !isInterrupted else { return }
    forEachPhrase { leaf, first, last in
      if query.leaves[leaf].isWanted { spans.append(words[first].lowerBound..<words[last].upperBound) }
    }
  }
}
