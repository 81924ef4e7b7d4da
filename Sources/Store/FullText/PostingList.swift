/// Rows that have a term, ascending, and how it stands in them. Valid as long as the ``Snapshot`` that gave it.
@frozen @usableFromInline package struct PostingList: @unchecked Sendable {
  @usableFromInline package var rows: UnsafePointer<UInt32>
  @usableFromInline package var weights: UnsafePointer<UInt16>
  @usableFromInline package var count: Int

  @inlinable package init(rows: UnsafePointer<UInt32>, weights: UnsafePointer<UInt16>, count: Int) {
    self.rows = rows
    self.weights = weights
    self.count = count
  }
}

/// How often a term stands in a text, in six bits, and the words of the text, in ten: both exact below the largest.
@frozen @usableFromInline package enum PostingWeight {
  @inlinable package static var largestFrequency: Int { 63 }
  @inlinable package static var largestLength: Int { 1023 }

  @inlinable package static func pack(frequency: Int, length: Int) -> UInt16 {
    UInt16(truncatingIfNeeded: min(frequency, largestFrequency) &<< 10 | min(length, largestLength))
  }
  @inlinable package static func frequency(_ weight: UInt16) -> Int { Int(weight &>> 10) }
  @inlinable package static func length(_ weight: UInt16) -> Int { Int(weight & 1023) }
  /// Whether both are what they say.
  @inlinable package static func isExact(_ weight: UInt16) -> Bool {
    weight &>> 10 != 63 && weight & 1023 != 1023
  }
}

/// A posting list of one's own, that grows.
package struct PostingBuffer: ~Copyable {
  package private(set) var rows: UnsafeMutablePointer<UInt32>
  package private(set) var weights: UnsafeMutablePointer<UInt16>
  package private(set) var count = 0
  private var capacity: Int

  package init(capacity: Int = 64) {
    self.capacity = max(capacity, 16)
    rows = .allocate(capacity: self.capacity)
    weights = .allocate(capacity: self.capacity)
  }

  deinit {
    rows.deallocate()
    weights.deallocate()
  }

  package var byteCount: Int { capacity * 6 }

  package var list: PostingList {
    PostingList(rows: UnsafePointer(rows), weights: UnsafePointer(weights), count: count)
  }

  package mutating func reserve(_ added: Int) {
    guard count + added > capacity else { return }
    capacity = max(capacity * 2, count + added)
    let moreRows = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    let moreWeights = UnsafeMutablePointer<UInt16>.allocate(capacity: capacity)
    moreRows.update(from: rows, count: count)
    moreWeights.update(from: weights, count: count)
    rows.deallocate()
    weights.deallocate()
    rows = moreRows
    weights = moreWeights
  }

  @inline(__always)
  package mutating func append(_ row: UInt32, _ weight: UInt16) {
    if count == capacity { reserve(1) }
    rows[count] = row
    weights[count] = weight
    count &+= 1
  }

  package mutating func append(_ list: PostingList) {
    reserve(list.count)
    (rows + count).update(from: list.rows, count: list.count)
    (weights + count).update(from: list.weights, count: list.count)
    count += list.count
  }
}
