import CStemmer
import GQLBase

/// Turns texts into words, and words into terms: segmentation, case folding, stop words, stemming. For one thread.
///
/// A word is a run of letters, digits and marks, with apostrophes between letters; letters of scripts without spaces
/// are words by themselves. A term is what is indexed and compared: the stem of the folded word.
package final class TextAnalyzer {
  /// A word of the last text. Words count from 0, stop words included: that is their position.
  package struct Token: Sendable, Hashable {
    /// Bytes of the text.
    package var start: Int
    package var end: Int
    /// Bytes of ``TextAnalyzer/folded``.
    package var wordStart: Int
    package var wordEnd: Int
  }

  package let language: TextLanguage
  /// The words of the last text, in its order.
  @exclusivity(unchecked) package private(set) var tokens: ContiguousArray<Token> = []
  /// The folded bytes of the words of the last text, one after another.
  @exclusivity(unchecked) package private(set) var folded: [UInt8] = []
  private let stopWords: WordTable?
  private let stemmer: OpaquePointer?
  @exclusivity(unchecked) private var watch = InterruptionWatch(nil)

  /// Longer words are not stemmed: no language has any.
  private static let longestStemmed = 128

  package init(_ language: TextLanguage) {
    self.language = language
    stopWords = StopWords.table(language)
    stemmer = language.algorithm.flatMap { sb_stemmer_new($0, nil) }
  }

  deinit { sb_stemmer_delete(stemmer) }

  // MARK: - Words

  /// Texts from here on are segmented until `interruption` is due: a word may have megabytes.
  package func heed(_ interruption: Interruption?) { watch = InterruptionWatch(interruption) }

  /// Whether the last text was not segmented to its end, because who waits for it does not any longer.
  package var isInterrupted: Bool { watch.isDue }

  /// Finds the words of a text, which is UTF-8; bytes that are not separate words.
  package func segment(_ text: UnsafeBufferPointer<UInt8>) {
    tokens.removeAll(keepingCapacity: true)
    folded.removeAll(keepingCapacity: true)
    guard let start = text.baseAddress else { return }
    let count = text.count
    var index = 0
    while index < count {
      let byte = start[index]
      if byte < 0x80 {
        if WordClass.isASCIIWord(byte) {
          index = word(start, count, from: index)
        } else {
          index &+= 1
        }
        continue
      }
      let (scalar, length) = Self.decode(start + index, count - index)
      switch WordClass(scalar) {
      case .separator, .extend: index &+= length
      case .letter: index = word(start, count, from: index)
      case .alone:
        let end = Self.marks(start, count, from: index + length)
        append(start, index, end, isASCII: false)
        index = end
      }
    }
  }

  /// Appends the word that begins at `first`; gives its end.
  private func word(_ start: UnsafePointer<UInt8>, _ count: Int, from first: Int) -> Int {
    var index = first
    var isASCII = true
    var part = min(count, index &+ Self.partBytes)
    while index < count {
      if index >= part {
        if watch.spend(Self.partBytes) { return count }
        part = min(count, index &+ Self.partBytes)
      }
      let byte = start[index]
      if byte < 0x80 {
        if WordClass.isASCIIWord(byte) {
          index &+= 1
        } else if byte == 0x27, Self.isLetter(start, count, index &+ 1), !Self.isDigit(start[index &- 1]) {
          index &+= 1
        } else {
          break
        }
        continue
      }
      let (scalar, length) = Self.decode(start + index, count - index)
      let found = WordClass(scalar)
      if found == .letter || found == .extend {
        index &+= length
        isASCII = false
      } else if scalar == 0x2019, Self.isLetter(start, count, index &+ length), !Self.isDigit(start[index &- 1]) {
        index &+= length
        isASCII = false
      } else {
        break
      }
    }
    append(start, first, index, isASCII: isASCII)
    return index
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private static func isLetter(_ start: UnsafePointer<UInt8>, _ count: Int, _ index: Int) -> Bool {
    guard index < count else { return false }
    let byte = start[index]
    if byte < 0x80 { return (byte | 0x20) &- 0x61 < 26 }
    return WordClass(decode(start + index, count - index).scalar) == .letter
  }

  /// The end of the marks that begin at `index`.
  private static func marks(_ start: UnsafePointer<UInt8>, _ count: Int, from index: Int) -> Int {
    var index = index
    while index < count, start[index] >= 0x80 {
      let (scalar, length) = decode(start + index, count - index)
      guard WordClass(scalar) == .extend else { break }
      index += length
    }
    return index
  }

  /// Ill-formed bytes are one separator each.
  private static func decode(_ start: UnsafePointer<UInt8>, _ count: Int) -> (scalar: UInt32, length: Int) {
    let length = UTF8Validation.sequenceLength(start, count)
    guard length > 1 else { return (0x20, 1) }
    var scalar = UInt32(start[0]) & (0x7F >> UInt32(length))
    for offset in 1..<length { scalar = scalar << 6 | UInt32(start[offset] & 0x3F) }
    return (scalar, length)
  }

  private func append(_ start: UnsafePointer<UInt8>, _ first: Int, _ end: Int, isASCII: Bool) {
    let wordStart = folded.count
    if isASCII, end - first <= Self.partBytes {
      for index in first..<end {
        let byte = start[index]
        folded.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
      }
    } else {
      fold(start, first, end)
    }
    tokens.append(Token(start: first, end: end, wordStart: wordStart, wordEnd: folded.count))
  }

  /// In parts, which end between code points.
  private func fold(_ start: UnsafePointer<UInt8>, _ first: Int, _ end: Int) {
    var from = first
    while from < end {
      var to = min(end, from + Self.partBytes)
      while to < end, start[to] & 0xC0 == 0x80 { to += 1 }
      let part = folded.count
      CaseFolding.fold(UnsafeBufferPointer(start: start + from, count: to - from), into: &folded)
      normalize(from: part)
      from = to
      if from < end, watch.spend(Self.partBytes) { return }
    }
  }

  /// Writes typographic apostrophes as plain ones, and leaves out soft hyphens.
  private func normalize(from first: Int) {
    var written = first
    var index = first
    while index < folded.count {
      if folded[index] == 0xC2, index + 1 < folded.count, folded[index + 1] == 0xAD {
        index += 2
      } else if folded[index] == 0xE2, index + 2 < folded.count, folded[index + 1] == 0x80, folded[index + 2] == 0x99 {
        folded[written] = 0x27
        written += 1
        index += 3
      } else {
        folded[written] = folded[index]
        written += 1
        index += 1
      }
    }
    folded.removeSubrange(written...)
  }

  // MARK: - Parts

  /// A long text may be segmented in parts, one after another, which gives the same words: the end of the part that
  /// begins at `start`. It lies in front of what belongs to no word, or is one by itself.
  package static func partEnd(of text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard text.count - start > partBytes, let bytes = text.baseAddress else { return text.count }
    var end = start + partBytes
    while end < text.count {
      let byte = bytes[end]
      if byte < 0x80 {
        if byte != 0x27, !WordClass.isASCIIWord(byte) { return end }
      } else if byte >= 0xC0, WordClass(decode(bytes + end, text.count - end).scalar) == .alone {
        return end
      }
      end += 1
    }
    return end
  }

  private static let partBytes = 1 << 14

  // MARK: - Terms

  /// Whether the folded word is left out of indexes.
  package func isStopWord(_ word: UnsafeBufferPointer<UInt8>) -> Bool { stopWords?.contains(word) ?? false }

  /// The term of a folded word; valid until the next call, and as long as the word.
  package func stem(_ word: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    guard let stemmer, word.count <= Self.longestStemmed, let start = word.baseAddress,
      let stem = sb_stemmer_stem(stemmer, start, Int32(truncatingIfNeeded: word.count))
    else { return word }
    let count = Int(sb_stemmer_length(stemmer))
    return count > 0 ? UnsafeBufferPointer(start: stem, count: count) : word
  }

  /// The terms of a text, stop words left out, with their positions; for tests and small texts.
  package func terms(_ text: Text) -> [(term: Text, position: Int)] {
    text.bytes.withUnsafeBufferPointer { segment($0) }
    return tokens.enumerated().compactMap { position, token in
      folded.withUnsafeBufferPointer { folded in
        let word = UnsafeBufferPointer(rebasing: folded[token.wordStart..<token.wordEnd])
        return isStopWord(word) ? nil : (Text(stem(word)), position)
      }
    }
  }
}
