import GQLBase

/// What stands to the right of `matches`, understood for one language. Any text is a query:
///
/// | written | found are texts with |
/// |---|---|
/// | `swift database` | both words, in any place |
/// | `swift OR go` | one of them at least; `OR` binds less than standing side by side |
/// | `"full text"` | the words one after another |
/// | `swif*` | a word that begins so |
/// | `swfit~`, `swfit~2` | a word at most one, or two, edits away |
/// | `-draft` | not this word |
/// | `(a OR b) c` | groups |
///
/// `AND` may stand between words, `NOT` stands for `-`. Punctuation separates words; a word that falls into several is a
/// phrase. Stop words are left out. A query of which nothing is left finds nothing.
package struct TextQuery: Sendable, Hashable {
  /// One word of the query.
  package struct Atom: Sendable, Hashable {
    package enum Test: Sendable, Hashable {
      case term
      /// The term begins with ``Atom/word``, or is ``Atom/term``.
      case prefix
      /// At most so many insertions, deletions, replacements and exchanges of neighbors lead to ``Atom/term``.
      case within(Int)
    }
    package var test: Test
    /// The folded word, and its stem.
    package var word: Text
    package var term: Text
    /// Where it stands behind the phrase's first word.
    package var offset: Int
  }

  /// A word or a phrase; what is counted and scored.
  package struct Leaf: Sendable, Hashable {
    package var atoms: [Atom]
    /// False where it stands behind a `-`.
    package var isWanted: Bool
  }

  package indirect enum Node: Sendable, Hashable {
    /// An index of ``TextQuery/leaves``.
    case leaf(Int)
    /// All of the first and none of the others.
    case all([Node], without: [Node])
    case any([Node])
  }

  package private(set) var leaves: [Leaf] = []
  /// Nil if there is no word: nothing is found.
  package private(set) var root: Node?
  package let language: TextLanguage

  /// Words beyond these do not count.
  package static let maximumWords = 1000
  /// What longer queries find is not estimated: reading them takes as long as it does.
  package static let longestEstimated = 1 << 12
  private static let maximumDepth = 32

  /// Once `interruption` is due, reading ends, and the query is not to be used.
  package init(_ text: Text, _ analyzer: TextAnalyzer, _ interruption: Interruption? = nil) {
    language = analyzer.language
    analyzer.heed(interruption)
    defer { analyzer.heed(nil) }
    var parser = Parser(bytes: text.bytes, analyzer: analyzer, watch: InterruptionWatch(interruption))
    root = parser.alternatives(depth: 0)
    leaves = parser.leaves
  }

  private struct Parser {
    typealias Slice = ContiguousArray<UInt8>.SubSequence

    let bytes: ContiguousArray<UInt8>
    let analyzer: TextAnalyzer
    var watch: InterruptionWatch
    var position = 0
    var leaves: [Leaf] = []
    var words = 0
    /// Whether what is read now is excluded.
    var isExcluded = false

    init(bytes: ContiguousArray<UInt8>, analyzer: TextAnalyzer, watch: InterruptionWatch) {
      self.bytes = bytes
      self.analyzer = analyzer
      self.watch = watch
    }

    /// Nothing behind the last word that counts changes what is read.
    var isAtEnd: Bool { position >= bytes.count || words >= TextQuery.maximumWords || watch.isDue }

    /// `a b OR c`, up to the end or a closing parenthesis, which it passes.
    mutating func alternatives(depth: Int) -> Node? {
      var alternatives: [Node] = []
      var wanted: [Node] = []
      var excluded: [Node] = []
      func close() {
        if wanted.count == 1, excluded.isEmpty {
          alternatives.append(wanted[0])
        } else if !wanted.isEmpty || !excluded.isEmpty {
          alternatives.append(.all(wanted, without: excluded))
        }
        wanted = []
        excluded = []
      }
      var negates = false
      while !isAtEnd {
        _ = watch.spend(1)
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: ")"):
          position += 1
          if depth > 0 {
            close()
            return Self.any(alternatives)
          }
          continue
        case UInt8(ascii: "-") where position + 1 < bytes.count && !Self.isSpace(bytes[position + 1]):
          position += 1
          negates = true
          continue
        case _ where Self.isSpace(byte) || byte == UInt8(ascii: "-"):
          position += 1
          continue
        default: break
        }
        let outside = isExcluded
        isExcluded = isExcluded != negates
        var node: Node?
        if byte == UInt8(ascii: "(") {
          position += 1
          // Deeper ones separate words only.
          if depth >= TextQuery.maximumDepth {
            isExcluded = outside
            continue
          }
          node = alternativesInside(depth: depth + 1)
        } else if byte == UInt8(ascii: "\"") {
          node = phrase()
        } else {
          let word = rawWord()
          if !negates, word.elementsEqual("OR".utf8) {
            close()
            isExcluded = outside
            continue
          }
          if word.elementsEqual("AND".utf8) || word.elementsEqual("NOT".utf8) {
            isExcluded = outside
            negates = word.elementsEqual("NOT".utf8)
            continue
          }
          node = self.word(word)
        }
        isExcluded = outside
        if let node {
          if negates { excluded.append(node) } else { wanted.append(node) }
        }
        negates = false
      }
      close()
      return Self.any(alternatives)
    }

    private mutating func alternativesInside(depth: Int) -> Node? { alternatives(depth: depth) }

    private static func any(_ nodes: [Node]) -> Node? { nodes.count > 1 ? .any(nodes) : nodes.first }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 9 < 5 }

    /// Behind the opening quote, up to the closing one or the end.
    private mutating func phrase() -> Node? {
      position += 1
      let first = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "\""), !isDue() { position += 1 }
      let text = bytes[first..<position]
      position += 1
      return leaf(text, .term)
    }

    /// Whether reading is to end; a look for every part of the text.
    private mutating func isDue() -> Bool { position & 0x3FFF == 0x3FFF && watch.spend(1 << 14) }

    private mutating func rawWord() -> Slice {
      let first = position
      while position < bytes.count, !Self.endsWord(bytes[position]), !isDue() { position += 1 }
      return bytes[first..<position]
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
      isSpace(byte) || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: "\"")
    }

    /// A word with what stands behind it: `*`, `~`, `~2`.
    private mutating func word(_ written: Slice) -> Node? {
      var text = written
      var test = Atom.Test.term
      if text.last == UInt8(ascii: "*") {
        while text.last == UInt8(ascii: "*") { text.removeLast() }
        test = .prefix
      } else if text.last == UInt8(ascii: "~") {
        text.removeLast()
        test = .within(1)
      } else if text.count > 2, let digit = text.last, digit &- 0x30 < 10,
        text[text.endIndex - 2] == UInt8(ascii: "~")
      {
        text.removeLast(2)
        let distance = Int(digit &- 0x30)
        test = distance == 0 ? .term : .within(min(distance, 2))
      }
      return leaf(text, test)
    }

    private mutating func leaf(_ text: Slice, _ test: Atom.Test) -> Node? {
      var atoms: [Atom] = []
      // Of a prefix the last word is another one than those before it, which is known at the end.
      var last: Atom?
      var place = 0
      text.withUnsafeBufferPointer { text in
        var start = 0
        while start < text.count, words < TextQuery.maximumWords, !watch.isDue {
          let end = TextAnalyzer.partEnd(of: text, from: start)
          analyzer.segment(UnsafeBufferPointer(rebasing: text[start..<end]))
          _ = watch.spend(end - start)
          if test == .prefix, !analyzer.tokens.isEmpty {
            if let whole = last { append(whole, as: .term, to: &atoms) }
            last = atom(analyzer.tokens.count - 1, at: place)
          }
          let whole = analyzer.tokens.count - (test == .prefix ? min(1, analyzer.tokens.count) : 0)
          append(0..<whole, from: place, test == .prefix ? .term : test, to: &atoms)
          place += analyzer.tokens.count
          start = end
        }
      }
      // The beginning of a word may look like a stop word.
      if let last, words < TextQuery.maximumWords { append(last, as: .prefix, to: &atoms) }
      guard let start = atoms.first?.offset else { return nil }
      for index in atoms.indices { atoms[index].offset -= start }
      leaves.append(Leaf(atoms: atoms, isWanted: !isExcluded))
      return .leaf(leaves.count - 1)
    }

    /// The token as a term, behind `place` others.
    private func atom(_ index: Int, at place: Int) -> Atom {
      let token = analyzer.tokens[index]
      return analyzer.folded.withUnsafeBufferPointer { folded in
        let word = UnsafeBufferPointer(rebasing: folded[token.wordStart..<token.wordEnd])
        return Atom(test: .term, word: Text(word), term: Text(analyzer.stem(word)), offset: place + index)
      }
    }

    /// A word that was kept back.
    private mutating func append(_ atom: Atom, as test: Atom.Test, to atoms: inout [Atom]) {
      if words >= TextQuery.maximumWords { return }
      var atom = atom
      atom.test = test
      if test == .term, atom.word.bytes.withUnsafeBufferPointer(analyzer.isStopWord) { return }
      atoms.append(atom)
      words += 1
    }

    private mutating func append(
      _ tokens: Range<Int>, from place: Int, _ test: Atom.Test, to atoms: inout [Atom]
    ) {
      for index in tokens {
        if words >= TextQuery.maximumWords || watch.spend(64) { return }
        append(atom(index, at: place), as: test, to: &atoms)
      }
    }
  }
}
