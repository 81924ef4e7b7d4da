/// The *suspended* links of the live rows of one relation: those whose target is deleted, but kept.
///
/// A suspended link knows its place: before how many links of the run it stood. A row's suspended links are in the order in
/// which they would stand in the run, so a run and its suspended links together are the list that restoring brings back.
/// A to-one relation has a target, or at most one suspended link: writing it forgets that.
final class SuspendedLinks: @unchecked Sendable {
  struct Link: Equatable {
    /// How many links of the run stand before it.
    var place: UInt32
    var target: UInt32
  }
  let stamp: UInt64
  /// By row: places and targets by turns.
  @exclusivity(unchecked) private var lists: RowLists

  private let recorder: TableRecorder?
  /// The relation's place, for the recorder.
  private let place: Int

  /// Without links, or with those of another version.
  init(copying other: SuspendedLinks?, stamp: UInt64, recorder: TableRecorder? = nil, place: Int = 0) {
    self.stamp = stamp
    self.recorder = recorder
    self.place = place
    lists = other?.lists ?? RowLists()
  }

  private func note(_ row: UInt32) {
    if let recorder { lists.withList(row) { recorder.noteSuspended(place, row, $0) } }
  }

  func isEmpty(_ row: UInt32) -> Bool { lists.isEmpty(row) }

  /// See ``WriteTransaction/touch(_:_:)``.
  @inline(__always)
  func touch(_ row: UInt32) -> UInt64 { lists.touch(row) }

  /// How many the row has.
  func count(_ row: UInt32) -> Int { lists.withList(row) { $0.count / 2 } }

  /// Calls with the row's places and targets by turns, where they lie.
  func withLinks<Result>(_ row: UInt32, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    lists.withList(row, body)
  }

  subscript(_ row: UInt32) -> [Link] {
    get { Self.links(lists[row]) }
    set {
      var words: ContiguousArray<UInt32> = []
      words.reserveCapacity(newValue.count * 2)
      for link in newValue {
        words.append(link.place)
        words.append(link.target)
      }
      setWords(row, words)
    }
  }

  /// Replaces a row's links by their words, see ``withLinks(_:_:)``.
  func setWords(_ row: UInt32, _ words: ContiguousArray<UInt32>) {
    note(row)
    lists.set(row, words, stamp: stamp)
  }

  /// Adds a link that stood at `place` of the row's run: the suspended links after it stand one place further in front.
  /// Returns false, and does nothing, where the row's list is to be made anew.
  func insert(_ target: UInt32, at place: UInt32, of row: UInt32) -> Bool {
    note(row)
    return lists.extend(row, stamp: stamp) { words in
      // Places ascend.
      var low = 0
      var high = words.count / 2
      while low < high {
        let middle = (low + high) / 2
        if words[2 * middle] > place { high = middle } else { low = middle + 1 }
      }
      words.insert(contentsOf: CollectionOfOne(place), at: 2 * low)
      words.insert(contentsOf: CollectionOfOne(target), at: 2 * low + 1)
      words.withUnsafeMutableBufferPointer { words in
        var later = 2 * low + 2
        while later < words.count {
          words[later] &-= 1
          later &+= 2
        }
      }
    }
  }

  /// Removes a link that comes back, by its number: the suspended links after it stand one place further behind. Returns
  /// its place.
  func take(_ number: Int, of row: UInt32) -> Int {
    var words = lists[row]
    let place = Int(words[2 * number])
    words.removeSubrange(2 * number..<2 * number + 2)
    words.withUnsafeMutableBufferPointer { words in
      var later = 2 * number
      while later < words.count {
        words[later] &+= 1
        later &+= 2
      }
    }
    setWords(row, words)
    return place
  }

  private static func links(_ words: ContiguousArray<UInt32>) -> [Link] {
    (0..<(words.count / 2)).map { Link(place: words[2 * $0], target: words[2 * $0 + 1]) }
  }

  /// Calls with each row that has suspended links.
  func forEach(_ body: (UInt32, [Link]) -> Void) { lists.forEach { body($0, Self.links($1)) } }

  /// See ``RowLists/addDifferences(from:to:)``.
  func addDifferences(from other: SuspendedLinks?, to rows: inout [UInt32]) {
    lists.addDifferences(from: other?.lists ?? RowLists(), to: &rows)
  }

  var byteCount: Int { lists.byteCount }
  func hashMemory(into digest: inout MemoryDigest) { lists.hashMemory(into: &digest) }
}
