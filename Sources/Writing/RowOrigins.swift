/// A list of where the records of a type's new rows stand, a word for each row.
struct RowOrigins {
  struct Origin {
    var file: Int
    var offset: Int
    /// Indicates whether a record of its own defined the row.
    var isTopLevel: Bool
    var isIncomplete: Bool
    /// Indicates whether the row was taken back, because its record was bad.
    var isRemoved = false
  }

  /// Offsets in the high bits, flags in the three lowest ones.
  private var words = WordList()
  /// Marks where the rows of each file begin.
  private var files: ContiguousArray<(first: Int, file: Int)> = []

  var count: Int { words.count }
  var indices: Range<Int> { 0..<words.count }

  mutating func append(_ origin: Origin) {
    if files.last?.file != origin.file { files.append((words.count, origin.file)) }
    words.append(Self.word(origin))
  }

  subscript(_ index: Int) -> Origin {
    get {
      let word = words[index]
      return Origin(
        file: file(of: index), offset: Int(word >> 3), isTopLevel: word & 1 != 0, isIncomplete: word & 2 != 0,
        isRemoved: word & 4 != 0)
    }
    set { words[index] = Self.word(newValue) }
  }

  /// Returns whether something is missing in a row that is still there.
  func isIncomplete(_ index: Int) -> Bool { words[index] & 6 == 2 }

  private static func word(_ origin: Origin) -> UInt64 {
    UInt64(origin.offset) << 3 | (origin.isTopLevel ? 1 : 0) | (origin.isIncomplete ? 2 : 0)
      | (origin.isRemoved ? 4 : 0)
  }

  private func file(of index: Int) -> Int {
    var low = 0
    var high = files.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if files[middle].first <= index { low = middle } else { high = middle }
    }
    return files[low].file
  }
}

/// Words that are appended: memory grows by blocks, and nothing is copied.
struct WordList {
  private static let shift = 16
  private static let mask = 1 << shift - 1

  private var blocks: ContiguousArray<ContiguousArray<UInt64>> = []
  private(set) var count = 0

  mutating func append(_ word: UInt64) {
    if count & Self.mask == 0 {
      blocks.append([])
      // The first ones grow: there may be many short lists.
      if blocks.count > 1 { blocks[blocks.count - 1].reserveCapacity(1 << Self.shift) }
    }
    blocks[blocks.count - 1].append(word)
    count += 1
  }

  subscript(_ index: Int) -> UInt64 {
    get { blocks[index >> Self.shift][index & Self.mask] }
    set { blocks[index >> Self.shift][index & Self.mask] = newValue }
  }
}
