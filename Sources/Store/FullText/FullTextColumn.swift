import GQLBase
import GQLCatalog
import GQLText

/// One version of the inverted index over one column: its terms, their postings, and the lengths of its texts.
///
/// Written only by the transaction whose stamp it carries.
package final class FullTextColumn: @unchecked Sendable {
  /// The column of the table.
  let source: Int
  let stamp: UInt64
  let runs: PostingRuns
  /// The terms, by number, with a hash index and a B-tree over them.
  private let terms: ColumnStore
  let termReader: UnsafeMutablePointer<ColumnReader>
  private let hash: HashIndex
  let tree: BTree
  /// Words of each row's text; null where there is no text.
  private let lengths: ColumnStore
  /// 1 where the first runs are not right about a row; nil while they are about all.
  @exclusivity(unchecked) private var stale: ColumnStore?
  @exclusivity(unchecked) private var staleCount: Int
  /// Rows from here on go to the first runs.
  @exclusivity(unchecked) private var nextRow: UInt32
  /// Words of all texts.
  @exclusivity(unchecked) package private(set) var words: Int
  /// Terms of the row at hand.
  @exclusivity(unchecked) private var scratch: ContiguousArray<UInt32> = []

  private static let keys: KeyLayout = {
    let descriptor = ColumnDescriptor(id: ColumnID(0), name: "", kind: .text, type: .string, isNonNull: true)
    return KeyLayout([KeyComponent(descriptor)].compactMap { $0 })
  }()

  init(source: Int, stamp: UInt64) {
    self.source = source
    self.stamp = stamp
    runs = PostingRuns(stamp: stamp)
    termReader = .allocate(capacity: 1)
    terms = ColumnStore(kind: .text, elementIsText: false, stamp: stamp, slot: termReader)
    hash = HashIndex(layout: Self.keys, isUnique: true, stamp: stamp)
    tree = BTree(layout: Self.keys, isUnique: true, stamp: stamp)
    lengths = ColumnStore(kind: .reference, elementIsText: false, stamp: stamp, slot: nil)
    staleCount = 0
    nextRow = 0
    words = 0
  }

  init(copying other: FullTextColumn, source: Int? = nil, stamp: UInt64) {
    self.source = source ?? other.source
    self.stamp = stamp
    runs = PostingRuns(copying: other.runs, stamp: stamp)
    termReader = .allocate(capacity: 1)
    terms = ColumnStore(copying: other.terms, stamp: stamp, slot: termReader)
    hash = HashIndex(copying: other.hash, stamp: stamp)
    tree = BTree(copying: other.tree, stamp: stamp)
    lengths = ColumnStore(copying: other.lengths, stamp: stamp, slot: nil)
    stale = other.stale.map { ColumnStore(copying: $0, stamp: stamp, slot: nil) }
    staleCount = other.staleCount
    nextRow = other.nextRow
    words = other.words
  }

  deinit { termReader.deallocate() }

  var byteCount: Int {
    runs.byteCount + terms.byteCount + hash.byteCount + tree.byteCount + lengths.byteCount + (stale?.byteCount ?? 0)
  }

  // MARK: - Reading

  package var termCount: Int { runs.count }

  /// Words of the row's text, stop words left out; nil if it has no text.
  package func length(_ row: UInt32) -> Int? {
    guard Int(row) < lengths.count, !lengths.isNull(row) else { return nil }
    return Int(lengths.reader.reference(row))
  }

  private func isStale(_ row: UInt32) -> Bool {
    guard let stale, Int(row) < stale.count else { return false }
    return stale.reader.byte(row) != 0
  }

  /// The number of a term.
  package func term(_ word: UnsafeBufferPointer<UInt8>) -> UInt32? {
    guard let start = word.baseAddress, word.count <= TextView.maximumLength else { return nil }
    let row = withUnsafePointer(to: TextView(UnsafeRawPointer(start), count: word.count).cell) {
      hash.reader(termReader).find($0)
    }
    return row == PageLayout.noRow ? nil : row
  }

  package func term(_ word: Text) -> UInt32? { word.bytes.withUnsafeBufferPointer { term($0) } }

  /// The bytes of a term, in place.
  package func withBytes<Result>(_ term: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    body(terms.reader.text(term))
  }

  /// The terms that begin with these bytes, in order; all if there are none.
  package func terms(from prefix: Text) -> [UInt32] {
    prefix.bytes.withUnsafeBufferPointer { bytes in
      var bounds = BTreeBounds()
      if let start = bytes.baseAddress, bytes.count > 0 {
        bounds.textPrefix = TextView(UnsafeRawPointer(start), count: bytes.count).cell
      }
      let reader = tree.reader(termReader)
      let count = reader.count(bounds)
      return Array(unsafeUninitializedCapacity: count) { buffer, initialized in
        initialized =
          buffer.baseAddress.map { reader.walk(bounds, descending: false, skip: 0, limit: count, into: $0) } ?? 0
      }
    }
  }

  /// Rows that have the term.
  package func found(_ term: UInt32) -> Int { runs.found(term) }

  /// The postings as they lie; nil if they must be put together.
  package func list(_ term: UInt32) -> PostingList? {
    if runs.second(term).count > 0 { return nil }
    let first = runs.first(term)
    return staleCount == 0 || first.count == runs.found(term) ? first : nil
  }

  /// Appends the postings, ascending.
  package func append(_ term: UInt32, to buffer: inout PostingBuffer) {
    if let list = list(term) { return buffer.append(list) }
    let first = runs.first(term)
    let second = runs.second(term)
    buffer.reserve(first.count + second.count)
    var next = 0
    for index in 0..<first.count {
      let row = first.rows[index]
      while next < second.count, second.rows[next] < row {
        buffer.append(second.rows[next], second.weights[next])
        next += 1
      }
      if !isStale(row) { buffer.append(row, first.weights[index]) }
    }
    while next < second.count {
      buffer.append(second.rows[next], second.weights[next])
      next += 1
    }
  }

  // MARK: - Writing

  private func intern(_ word: UnsafeBufferPointer<UInt8>) -> UInt32 {
    if let known = term(word) { return known }
    let number = UInt32(truncatingIfNeeded: runs.count)
    guard let start = word.baseAddress else { return number }
    terms.append(TextView(UnsafeRawPointer(start), count: word.count).cell)
    let cell = terms.cell(number)
    withUnsafePointer(to: cell) { hash.insertKey($0, of: number, columns: termReader) }
    tree.insert(number, columns: termReader)
    runs.appendTerm()
    return number
  }

  /// The terms of a text in `scratch`, in any order, with repeats.
  private func analyse(_ text: UnsafeBufferPointer<UInt8>, _ analyzer: TextAnalyzer, makesTerms: Bool) {
    scratch.removeAll(keepingCapacity: true)
    analyzer.segment(text)
    analyzer.folded.withUnsafeBufferPointer { folded in
      for token in analyzer.tokens {
        let word = UnsafeBufferPointer(rebasing: folded[token.wordStart..<token.wordEnd])
        if analyzer.isStopWord(word) { continue }
        let stem = analyzer.stem(word)
        if makesTerms {
          scratch.append(intern(stem))
        } else if let known = term(stem) {
          scratch.append(known)
        }
      }
    }
  }

  func insert(_ row: UInt32, _ text: UnsafeBufferPointer<UInt8>, _ analyzer: TextAnalyzer) {
    analyse(text, analyzer, makesTerms: true)
    let length = scratch.count
    setLength(row, length)
    words += length
    let isNew = row >= nextRow
    if isNew { nextRow = row + 1 } else { mark(row) }
    scratch.sort()
    var index = 0
    while index < length {
      let term = scratch[index]
      var end = index + 1
      while end < length, scratch[end] == term { end += 1 }
      let weight = PostingWeight.pack(frequency: end - index, length: length)
      if isNew { runs.appendFirst(term, row, weight) } else { runs.insertSecond(term, row, weight) }
      runs.changeFound(term, by: 1)
      index = end
    }
  }

  /// The text must be that which was inserted.
  func remove(_ row: UInt32, _ text: UnsafeBufferPointer<UInt8>, _ analyzer: TextAnalyzer) {
    guard let length = length(row) else { return }
    analyse(text, analyzer, makesTerms: false)
    words -= length
    lengths.writeRaw(row, nil)
    let isSecond = isStale(row)
    scratch.sort()
    var previous: UInt32?
    for term in scratch where term != previous {
      previous = term
      if isSecond { runs.removeSecond(term, row) }
      runs.changeFound(term, by: -1)
    }
    if !isSecond { mark(row) }
  }

  private func setLength(_ row: UInt32, _ length: Int) {
    let cell = Cell(low: UInt64(length))
    while lengths.count < Int(row) { lengths.append(nil) }
    if lengths.count == Int(row) { lengths.append(cell) } else { lengths.writeRaw(row, cell) }
  }

  private func mark(_ row: UInt32) {
    let column: ColumnStore
    if let stale {
      column = stale
    } else {
      column = ColumnStore(kind: .byte, elementIsText: false, stamp: stamp, slot: nil)
      stale = column
    }
    while column.count <= Int(row) { column.append(Cell(low: 0)) }
    if column.reader.byte(row) == 0 {
      column.writeRaw(row, Cell(low: 1))
      staleCount += 1
    }
  }

  /// Whether the runs should be put together again.
  var needsCompaction: Bool {
    runs.needsCompaction || staleCount > 1024 && staleCount > lengths.count / 4
      || runs.secondCount > 4096 && runs.secondCount > runs.firstCount / 4
  }

  /// A column with the same texts whose first runs hold all. Complexity: O(postings).
  func compacted(stamp: UInt64) -> FullTextColumn {
    let result = FullTextColumn(compacting: self, stamp: stamp)
    var buffer = PostingBuffer()
    for term in 0..<UInt32(truncatingIfNeeded: runs.count) {
      result.runs.appendTerm()
      let direct = list(term)
      if direct == nil {
        buffer = PostingBuffer(capacity: runs.found(term))
        append(term, to: &buffer)
      }
      let list = direct ?? buffer.list
      guard list.count > 0 else { continue }
      let run = result.runs.makeFirst(term, count: list.count)
      run.rows.update(from: list.rows, count: list.count)
      run.weights.update(from: list.weights, count: list.count)
    }
    return result
  }

  private init(compacting other: FullTextColumn, stamp: UInt64) {
    source = other.source
    self.stamp = stamp
    runs = PostingRuns(stamp: stamp)
    termReader = .allocate(capacity: 1)
    terms = ColumnStore(copying: other.terms, stamp: stamp, slot: termReader)
    hash = HashIndex(copying: other.hash, stamp: stamp)
    tree = BTree(copying: other.tree, stamp: stamp)
    lengths = ColumnStore(copying: other.lengths, stamp: stamp, slot: nil)
    staleCount = 0
    nextRow = other.nextRow
    words = other.words
  }

  // MARK: - Bulk

  /// Fills an empty column with the texts of ascending rows.
  func build(
    _ rows: some Sequence<UInt32>, _ reader: ColumnReader, _ analyzer: TextAnalyzer,
    _ allowance: WorkAllowance? = nil
  ) {
    var share = allowance.map { MemoryShare($0) }
    let memo = WordTable()
    var postings = PostingStream()
    // By term: where its posting of the last row that has it stands.
    var lastRow: ContiguousArray<UInt32> = []
    var lastPlace: ContiguousArray<Int> = []
    var counts: ContiguousArray<Int> = []
    for row in rows where !reader.isNull(row) {
      analyzer.segment(reader.text(row))
      let first = postings.count
      var length = 0
      analyzer.folded.withUnsafeBufferPointer { folded in
        for token in analyzer.tokens {
          let word = UnsafeBufferPointer(rebasing: folded[token.wordStart..<token.wordEnd])
          var number = memo.find(word)
          if number == nil {
            number = analyzer.isStopWord(word) ? -1 : Int32(truncatingIfNeeded: intern(analyzer.stem(word)))
            memo.insert(word, number ?? -1)
            while counts.count < runs.count {
              counts.append(0)
              lastRow.append(PageLayout.noRow)
              lastPlace.append(0)
            }
          }
          guard let term = number, term >= 0 else { continue }
          length += 1
          let index = Int(term)
          if lastRow[index] == row {
            postings.frequencies[lastPlace[index]] &+= postings.frequencies[lastPlace[index]] < 63 ? 1 : 0
          } else {
            lastRow[index] = row
            lastPlace[index] = postings.count
            counts[index] += 1
            postings.append(UInt32(truncatingIfNeeded: term))
          }
        }
      }
      setLength(row, length)
      words += length
      nextRow = row + 1
      postings.close(row, from: first, length: length)
      // A word takes about as long as sixteen rows of a column, and its posting lies in the stream and then in the runs.
      if allowance?.advance(1 + length * 16) == false || share?.hold(postings.count * 11) == false { return }
    }
    fill(postings, counts)
    _ = share?.hold(byteCount)
  }

  private func fill(_ postings: borrowing PostingStream, _ counts: ContiguousArray<Int>) {
    var rows: [UnsafeMutablePointer<UInt32>?] = []
    var weights: [UnsafeMutablePointer<UInt16>?] = []
    for term in 0..<counts.count {
      if counts[term] == 0 {
        rows.append(nil)
        weights.append(nil)
        continue
      }
      let run = runs.makeFirst(UInt32(truncatingIfNeeded: term), count: counts[term])
      rows.append(run.rows)
      weights.append(run.weights)
    }
    rows.withUnsafeMutableBufferPointer { rows in
      weights.withUnsafeMutableBufferPointer { weights in
        var place = 0
        for text in 0..<postings.texts.count {
          let (row, end, length) = postings.texts[text]
          while place < end {
            let term = Int(postings.terms[place])
            if let row_ = rows[term], let weight = weights[term] {
              row_.pointee = row
              weight.pointee = PostingWeight.pack(frequency: Int(postings.frequencies[place]), length: Int(length))
              rows[term] = row_ + 1
              weights[term] = weight + 1
            }
            place &+= 1
          }
        }
      }
    }
  }

  func hashMemory(into digest: inout MemoryDigest) {
    runs.hashMemory(into: &digest)
    terms.hashMemory(into: &digest)
    hash.hashMemory(into: &digest)
    tree.hashMemory(into: &digest)
    lengths.hashMemory(into: &digest)
    stale?.hashMemory(into: &digest)
    digest.add(UInt64(words))
  }
}

/// The postings of a bulk in the order of rows.
private struct PostingStream: ~Copyable {
  var terms: ContiguousArray<UInt32> = []
  var frequencies: ContiguousArray<UInt8> = []
  /// Row, end of its postings, words.
  var texts: ContiguousArray<(UInt32, Int, UInt32)> = []

  var count: Int { terms.count }

  mutating func append(_ term: UInt32) {
    terms.append(term)
    frequencies.append(1)
  }

  mutating func close(_ row: UInt32, from first: Int, length: Int) {
    texts.append((row, terms.count, UInt32(truncatingIfNeeded: length)))
  }
}
