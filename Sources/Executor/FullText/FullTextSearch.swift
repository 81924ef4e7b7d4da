import GQLBase
import GQLCatalog
import GQLStore
import GQLText

/// A query over some columns of a full-text index: what its words are found in.
final class FullTextSearch {
  let columns: [FullTextColumn]
  let matcher: TextMatcher
  /// By leaf of the query.
  @exclusivity(unchecked) private(set) var lists: [PostingList] = []
  @exclusivity(unchecked) private(set) var statistics: TextStatistics
  /// Keeps what the lists point to, where they had to be put together.
  @exclusivity(unchecked) private var owned: [OwnedPostings] = []
  private let readers: [ColumnReader]
  let slots: Int

  var query: TextQuery { matcher.query }

  let index: IndexID
  let columnIDs: [ColumnID]

  /// Makes the lists of all words and phrases. Phrases are looked for in the texts and near words in the whole
  /// dictionary, so that the execution is asked on the way whether it is to end.
  init(
    _ snapshot: Snapshot, _ type: EntityTypeID, _ index: IndexID, _ ids: [ColumnID], _ matcher: TextMatcher,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    self.index = index
    columnIDs = ids
    let fullText = snapshot.fullTextIndex(index)
    columns = ids.compactMap { fullText.column($0) }
    readers = ids.map { snapshot.column(type, $0) }
    slots = snapshot.slotCount(type)
    self.matcher = matcher
    statistics = TextStatistics(
      texts: snapshot.liveCount(type), words: columns.reduce(0) { $0 + $1.words }, found: [])
    var counted = 0
    var bytes = 0
    for leaf in matcher.query.leaves.indices {
      let list = try list(ofLeaf: leaf, execution)
      try execution.charge(list.count &+ 64)
      while counted < owned.count {
        bytes += owned[counted].buffer.byteCount
        counted += 1
      }
      try execution.checkMemory(bytes)
      lists.append(list)
      statistics.found.append(list.count)
    }
  }

  // MARK: - Lists

  private func list(
    ofLeaf leaf: Int, _ execution: Execution
  ) throws(RuntimeProblem) -> PostingList {
    let atoms = query.leaves[leaf].atoms
    if atoms.count == 1, let atom = atoms.first {
      var sources: [(column: FullTextColumn, terms: [UInt32])] = []
      for column in columns { sources.append((column, try terms(atom, column, execution))) }
      return try combined(sources, execution)
    }
    // Texts that have all words of the phrase in one column, read.
    var candidates = RowBuffer()
    for column in columns {
      var parts: [PostingList] = []
      for atom in atoms { parts.append(try combined([(column, terms(atom, column, execution))], execution)) }
      parts.sort { $0.count < $1.count }
      guard let first = parts.first, first.count > 0 else { continue }
      var rows = RowBuffer()
      rows.append(first.rows, first.count)
      for part in parts.dropFirst() {
        rows.count = RowSorting.intersect(rows.base, rows.count, part.rows, part.count)
      }
      candidates.append(rows.base, rows.count)
    }
    if columns.count > 1 {
      var bits = BitMemory()
      candidates.count = RowSorting.sortUnique(candidates.base, candidates.count, limit: slots, bits: &bits)
    }
    let result = OwnedPostings()
    for index in 0..<candidates.count {
      let row = candidates[index]
      try read(row, execution)
      let frequency = matcher.frequencies[leaf]
      if frequency > 0 {
        result.buffer.append(row, PostingWeight.pack(frequency: frequency, length: matcher.length))
      }
    }
    owned.append(result)
    return result.buffer.list
  }

  /// The terms of the column that satisfy the atom.
  private func terms(
    _ atom: TextQuery.Atom, _ column: FullTextColumn, _ execution: Execution
  ) throws(RuntimeProblem) -> [UInt32] {
    switch atom.test {
    case .term: return column.term(atom.term).map { [$0] } ?? []
    case .prefix:
      var found = column.terms(from: atom.word)
      if let whole = column.term(atom.term), !found.contains(whole) { found.append(whole) }
      return found
    case .within(let limit):
      var distance = EditDistance(to: atom.term.bytes, limit: limit)
      var found: [UInt32] = []
      for term in column.terms(from: Text()) {
        // A distance takes about as long as so many bytes; a query may have a thousand of such words.
        try execution.charge(64)
        if column.found(term) > 0, column.withBytes(term, { distance.isNear($0) }) { found.append(term) }
      }
      return found
    }
  }

  /// The postings of all these terms as if they were one.
  private func combined(
    _ sources: [(column: FullTextColumn, terms: [UInt32])], _ execution: Execution
  ) throws(RuntimeProblem) -> PostingList {
    let all = sources.flatMap { source in source.terms.map { (source.column, $0) } }
    let isOne = columns.count == 1
    if isOne, all.count == 1, let (column, term) = all.first, let list = column.list(term) { return list }
    let result = OwnedPostings()
    owned.append(result)
    if isOne, all.count == 1, let (column, term) = all.first {
      column.append(term, to: &result.buffer)
      return result.buffer.list
    }
    // Frequencies by row; rows above the limit of a weight are looked up when they are scored.
    let total = all.reduce(0) { $0 + $1.0.found($1.1) }
    if total == 0 { return result.buffer.list }
    if total > slots / 32 {
      let frequencies = UnsafeMutablePointer<UInt8>.allocate(capacity: slots)
      defer { frequencies.deallocate() }
      frequencies.update(repeating: 0, count: slots)
      for (column, term) in all {
        try execution.charge(column.found(term) + 32)
        forEach(column, term) { row, frequency in
          let sum = Int(frequencies[Int(row)]) + frequency
          frequencies[Int(row)] = UInt8(min(sum, PostingWeight.largestFrequency))
        }
      }
      for row in 0..<slots where frequencies[row] > 0 {
        try execution.charge(16)
        append(UInt32(truncatingIfNeeded: row), Int(frequencies[row]), to: result)
      }
      return result.buffer.list
    }
    var keys: ContiguousArray<UInt64> = []
    keys.reserveCapacity(total)
    for (column, term) in all {
      try execution.charge(column.found(term) + 32)
      forEach(column, term) { row, frequency in keys.append(UInt64(row) << 16 | UInt64(frequency)) }
    }
    keys.sort()
    var index = 0
    while index < keys.count {
      let row = keys[index] >> 16
      var frequency = 0
      while index < keys.count, keys[index] >> 16 == row {
        frequency += Int(keys[index] & 0xFFFF)
        index += 1
      }
      append(UInt32(truncatingIfNeeded: row), frequency, to: result)
    }
    return result.buffer.list
  }

  private func forEach(_ column: FullTextColumn, _ term: UInt32, _ body: (UInt32, Int) -> Void) {
    if let list = column.list(term) {
      for index in 0..<list.count { body(list.rows[index], PostingWeight.frequency(list.weights[index])) }
      return
    }
    var buffer = PostingBuffer()
    column.append(term, to: &buffer)
    for index in 0..<buffer.count { body(buffer.rows[index], PostingWeight.frequency(buffer.weights[index])) }
  }

  private func append(_ row: UInt32, _ frequency: Int, to result: OwnedPostings) {
    result.buffer.append(row, PostingWeight.pack(frequency: frequency, length: length(row) ?? 0))
  }

  /// Words of the row's texts; nil if it has none.
  func length(_ row: UInt32) -> Int? {
    var sum: Int?
    for column in columns {
      if let length = column.length(row) { sum = (sum ?? 0) + length }
    }
    return sum
  }

  // MARK: - Texts

  /// Reads the row's texts into the matcher.
  func read(_ row: UInt32, _ execution: Execution) throws(RuntimeProblem) {
    matcher.begin()
    try execution.charge(64)
    for reader in readers where !reader.isNull(row) {
      try execution.add(
        TextView.text(at: reader.cell(row, width: 16).assumingMemoryBound(to: Cell.self)), to: matcher)
    }
  }

  // MARK: - Rows

  /// Appends the rows in a window that the query finds, ascending.
  func collect(_ window: Range<Int>, into rows: inout RowBuffer, _ execution: Execution) throws(RuntimeProblem) {
    guard let root = query.root else { return }
    try collect(root, window, into: &rows, execution)
  }

  private func collect(
    _ node: TextQuery.Node, _ window: Range<Int>, into rows: inout RowBuffer, _ execution: Execution
  ) throws(RuntimeProblem) {
    switch node {
    case .leaf(let leaf):
      let (start, count) = postings(leaf, window)
      try execution.charge(count)
      rows.append(start, count)
    case .any(let nodes):
      let first = rows.count
      var bits = BitMemory()
      // No more than twice the rows that there are, however many alternatives find them.
      var united = first
      for (number, node) in nodes.enumerated() {
        try collect(node, window, into: &rows, execution)
        guard rows.count - united > slots || number == nodes.count - 1 else { continue }
        rows.count = first + RowSorting.sortUnique(rows.base + first, rows.count - first, limit: slots, bits: &bits)
        united = rows.count
        try execution.checkMemory(rows.count &* 4)
      }
    case .all(let wanted, let excluded):
      let first = rows.count
      let ordered = wanted.sorted { estimate($0) < estimate($1) }
      if let least = ordered.first {
        try collect(least, window, into: &rows, execution)
        for node in ordered.dropFirst() {
          if rows.count == first { return }
          try execution.charge(rows.count - first)
          if case .leaf(let leaf) = node {
            let (start, count) = postings(leaf, window)
            rows.count = first + RowSorting.intersect(rows.base + first, rows.count - first, start, count)
          } else {
            var other = RowBuffer()
            try collect(node, window, into: &other, execution)
            rows.count = first + RowSorting.intersect(rows.base + first, rows.count - first, other.base, other.count)
          }
        }
      } else {
        for row in window where length(UInt32(truncatingIfNeeded: row)) != nil {
          rows.append(UInt32(truncatingIfNeeded: row))
        }
      }
      for node in excluded {
        if rows.count == first { return }
        var other = RowBuffer()
        try collect(node, window, into: &other, execution)
        try execution.charge(rows.count - first + other.count)
        subtract(other, from: &rows, first)
      }
    }
  }

  /// Returns the rows of a leaf that are in a window.
  private func postings(_ leaf: Int, _ window: Range<Int>) -> (start: UnsafePointer<UInt32>, count: Int) {
    let list = lists[leaf]
    if window == 0..<slots { return (UnsafePointer(list.rows), list.count) }
    func place(_ row: Int) -> Int {
      var low = 0
      var high = list.count
      while low < high {
        let middle = (low + high) / 2
        if Int(list.rows[middle]) < row { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let first = place(window.lowerBound)
    return (UnsafePointer(list.rows + first), place(window.upperBound) - first)
  }

  private func subtract(_ other: borrowing RowBuffer, from rows: inout RowBuffer, _ first: Int) {
    var written = first
    var place = 0
    for index in first..<rows.count {
      let row = rows[index]
      while place < other.count, other[place] < row { place &+= 1 }
      rows.base[written] = row
      if place == other.count || other[place] != row { written &+= 1 }
    }
    rows.count = written
  }

  /// The query finds no more rows.
  var upperBound: Int { min(slots, query.root.map(estimate) ?? 0) }

  /// An upper bound of the rows of a node.
  private func estimate(_ node: TextQuery.Node) -> Int {
    switch node {
    case .leaf(let leaf): lists[leaf].count
    case .any(let nodes): nodes.reduce(0) { $0 + estimate($1) }
    case .all(let wanted, _): wanted.map(estimate).min() ?? slots
    }
  }
}

/// A posting list that a search made.
private final class OwnedPostings {
  var buffer = PostingBuffer()
}
