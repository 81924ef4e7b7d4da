/// The keys of the cells of up to 65,536 rows, which never change once it is made.
///
/// ```
/// keys    [UInt32]  ascending
/// starts  [UInt32]  by key: where its postings begin in `data`
/// counts  [UInt32]  by key: how many rows have it
/// data    [UInt16]  by key: places of rows, ascending, or where that is shorter a bit for each row
/// ```
/// A place is a row's number within the segment; its row is `firstRow` and the place, unless `rows` says otherwise.
final class CandidateSegment: @unchecked Sendable {
  let firstRow: UInt32
  let rowCount: Int
  /// By place; nil where rows follow one another.
  let rows: [UInt32]?
  /// Whether it is not to grow by being merged with others.
  let isFull: Bool
  let keyCount: Int
  let keys: UnsafeMutablePointer<UInt32>
  let starts: UnsafeMutablePointer<UInt32>
  let counts: UnsafeMutablePointer<UInt32>
  let data: UnsafeMutablePointer<UInt16>
  let dataCount: Int

  #if DEBUG
    /// So small that some hundred rows make several, which are merged.
    static let maximumRows = 256
    static let firstTier = 16
  #else
    static let maximumRows = 65_536
    static let firstTier = 1_024
  #endif
  /// Postings of a segment, about: bounds the memory that building takes.
  static let maximumPostings = 1 << 23

  init(rows: [UInt32], isFull: Bool, keyCount: Int, dataCount: Int) {
    let first = rows.first ?? 0
    let isDense = rows.last.map { Int($0 - first) + 1 == rows.count } ?? true
    firstRow = first
    rowCount = rows.count
    self.isFull = isFull
    self.rows = isDense ? nil : rows
    self.keyCount = keyCount
    keys = .allocate(capacity: max(keyCount, 1))
    starts = .allocate(capacity: max(keyCount, 1))
    counts = .allocate(capacity: max(keyCount, 1))
    // Bits are read as words.
    let room = UnsafeMutableRawPointer.allocate(byteCount: max(dataCount, 4) * 2, alignment: 8)
    data = room.bindMemory(to: UInt16.self, capacity: max(dataCount, 4))
    data.initialize(repeating: 0, count: max(dataCount, 4))
    self.dataCount = dataCount
  }

  deinit {
    keys.deallocate()
    starts.deallocate()
    counts.deallocate()
    UnsafeMutableRawPointer(data).deallocate()
  }

  var byteCount: Int { keyCount * 12 + dataCount * 2 + (rows?.count ?? 0) * 4 }

  /// Segments of about one size are of one tier.
  var tier: Int {
    var tier = 0
    var size = Self.firstTier * 4
    while rowCount >= size {
      tier += 1
      size *= 4
    }
    return tier
  }

  func row(_ place: Int) -> UInt32 { rows?[place] ?? firstRow &+ UInt32(truncatingIfNeeded: place) }

  /// The lengths of bits for each row, in units of `data`; a list that is longer is kept so.
  static func bitUnits(_ rowCount: Int) -> Int { (rowCount + 63) / 64 * 4 }

  /// The postings of one key.
  struct Postings {
    var count: Int
    var places: UnsafePointer<UInt16>
    var isBits: Bool

    @inline(__always)
    func contains(bit place: UInt16) -> Bool { places[Int(place) >> 4] >> (place & 15) & 1 == 1 }
  }

  /// Nil if no row has the key.
  func postings(_ key: UInt32) -> Postings? {
    var low = 0
    var high = keyCount
    while low < high {
      let middle = (low &+ high) >> 1
      if keys[middle] < key { low = middle &+ 1 } else { high = middle }
    }
    guard low < keyCount, keys[low] == key else { return nil }
    return postings(at: low)
  }

  func postings(at index: Int) -> Postings {
    let count = Int(counts[index])
    return Postings(
      count: count, places: UnsafePointer(data + Int(starts[index])), isBits: count > Self.bitUnits(rowCount))
  }

  func hashMemory(into digest: inout MemoryDigest) {
    digest.add(UInt64(firstRow))
    digest.add(UInt64(rowCount))
    for row in rows ?? [] { digest.add(UInt64(row)) }
    digest.add(keys, keyCount * 4)
    digest.add(starts, keyCount * 4)
    digest.add(counts, keyCount * 4)
    digest.add(data, dataCount * 2)
  }

  /// Whether keys and postings ascend.
  func checkStructure() -> Bool {
    for index in 0..<keyCount {
      if index > 0, keys[index - 1] >= keys[index] { return false }
      let postings = postings(at: index)
      if postings.isBits {
        let bits = (0..<rowCount).reduce(0) { $0 + (postings.contains(bit: UInt16($1)) ? 1 : 0) }
        if bits != postings.count { return false }
      } else {
        for place in 0..<postings.count {
          if Int(postings.places[place]) >= rowCount { return false }
          if place > 0, postings.places[place - 1] >= postings.places[place] { return false }
        }
      }
    }
    return (rows ?? []).indices.dropFirst().allSatisfy { row($0 - 1) < row($0) }
  }
}
