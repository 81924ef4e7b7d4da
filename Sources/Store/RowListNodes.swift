/// A node above the leaves of ``RowLists``: eight children side by side behind one header, branches or leaves, as its
/// level says. Versions share it; it is written only by who passes the stamp that it carries.
final class RowListBranch: ManagedBuffer<RowListBranch.Header, AnyObject?> {
  struct Header {
    let stamp: UInt64
    var used: Int
  }
  static var shift: Int { 3 }
  static var fanout: Int { 8 }
  static var byteCount: Int { 32 + fanout * MemoryLayout<AnyObject?>.stride }

  /// Without children.
  static func make(stamp: UInt64) -> RowListBranch {
    let branch = makeUninitialized(stamp: stamp)
    branch.withUnsafeMutablePointerToElements { $0.initialize(repeating: nil, count: fanout) }
    return branch
  }

  /// The children are the caller's to fill, at once.
  private static func makeUninitialized(stamp: UInt64) -> RowListBranch {
    // Safe because `create` makes an object of the class that it is called on.
    unsafeDowncast(
      create(minimumCapacity: fanout) { _ in Header(stamp: stamp, used: 0) }, to: RowListBranch.self)
  }

  deinit {
    withUnsafeMutablePointerToElements { children in
      UnsafeBufferPointer(start: children, count: Self.fanout).touchHeaders()
      children.deinitialize(count: Self.fanout)
    }
  }

  var stamp: UInt64 { withUnsafeMutablePointerToHeader { $0.pointee.stamp } }

  /// Children that are there.
  var used: Int { withUnsafeMutablePointerToHeader { $0.pointee.used } }

  func countChildren(by difference: Int) { withUnsafeMutablePointerToHeader { $0.pointee.used += difference } }

  func copy(stamp: UInt64) -> RowListBranch {
    let copy = Self.makeUninitialized(stamp: stamp)
    withUnsafeMutablePointers { header, children in
      UnsafeBufferPointer(start: children, count: Self.fanout).touchHeaders()
      copy.withUnsafeMutablePointers { other, copies in
        for slot in 0..<Self.fanout { (copies + slot).initialize(to: children[slot]) }
        other.pointee.used = header.pointee.used
      }
    }
    return copy
  }

  /// Precondition: the slot is below ``fanout``.
  @inline(__always)
  subscript(_ slot: Int) -> AnyObject? {
    get { withUnsafeMutablePointerToElements { $0[slot] } }
    set { withUnsafeMutablePointerToElements { $0[slot] = newValue } }
  }

  /// The child, whose reference is not counted: whoever holds this node holds it.
  @inline(__always)
  func child<Node: AnyObject>(_ slot: Int, as _: Node.Type) -> Unmanaged<Node>? {
    withUnsafeMutablePointerToElements { children in
      // Safe because the level says which of the two kinds the children are.
      children[slot].map { Unmanaged.passUnretained(unsafeDowncast($0, to: Node.self)) }
    }
  }
}

/// A leaf of ``RowLists``: where the lists of 128 rows end, and the lists, one behind the other.
///
/// ```
/// byte  0              256
///       ┌──────────────┬───────────────┬──────
///       │ UInt16 ends  │ UInt32 words  │ room
///       └──────────────┴───────────────┴──────
/// ```
/// An end is the number of words in front of it; all short lists together are fewer than 65,536.
final class RowListLeaf: ManagedBuffer<RowListLeaf.Header, UInt32> {
  struct Header {
    let stamp: UInt64
    /// Words that there is room for, the ends counted.
    let capacity: Int
    var used: Int
    /// Lists that are not to be copied with their neighbors, by slot.
    var long: [Int: ContiguousArray<UInt32>]
  }
  static var shift: Int { 7 }
  static var rows: Int { 128 }
  /// Words of the ends.
  private static var firstWord: Int { rows / 2 }
  /// Words above which a list stands alone.
  private static var longList: Int { 256 }
  /// Words to grow by: a record with a few links.
  private static var slack: Int { 16 }

  /// Without lists.
  static func make(stamp: UInt64) -> RowListLeaf {
    let leaf = makeUninitialized(capacity: firstWord + slack, stamp: stamp)
    leaf.withUnsafeMutablePointerToElements { $0.initialize(repeating: 0, count: firstWord) }
    return leaf
  }

  /// The ends are the caller's to fill.
  private static func makeUninitialized(capacity: Int, stamp: UInt64) -> RowListLeaf {
    // Safe because `create` makes an object of the class that it is called on.
    unsafeDowncast(
      create(minimumCapacity: capacity) { _ in Header(stamp: stamp, capacity: capacity, used: 0, long: [:]) },
      to: RowListLeaf.self)
  }

  var stamp: UInt64 { withUnsafeMutablePointerToHeader { $0.pointee.stamp } }

  /// Rows with a list.
  var used: Int { withUnsafeMutablePointerToHeader { $0.pointee.used } }

  private func long(_ slot: Int) -> ContiguousArray<UInt32>? {
    withUnsafeMutablePointerToHeader { $0.pointee.long.isEmpty ? nil : $0.pointee.long[slot] }
  }

  /// Bytes held, long lists included.
  var byteCount: Int {
    withUnsafeMutablePointerToHeader { header in
      var sum = 64 + header.pointee.capacity * 4
      if !header.pointee.long.isEmpty { for list in header.pointee.long.values { sum += list.count * 4 } }
      return sum
    }
  }

  /// Where the list of a slot ends among the words. Precondition: the slot is below ``rows``.
  @inline(__always)
  private func end(_ slot: Int) -> Int {
    withUnsafeMutablePointerToElements { words in
      Self.firstWord + Int(UnsafeRawPointer(words).load(fromByteOffset: slot &* 2, as: UInt16.self))
    }
  }

  /// Where the list of a slot lies among the words, empty where it is a long one.
  @inline(__always)
  private func range(_ slot: Int) -> Range<Int> { (slot == 0 ? Self.firstWord : end(slot - 1))..<end(slot) }

  /// See ``WriteTransaction/touch(_:_:)``.
  @inline(__always)
  func touch(_ slot: Int) -> UInt64 { UInt64(end(slot)) }

  func isEmpty(_ slot: Int) -> Bool { range(slot).isEmpty && long(slot) == nil }

  /// Calls with a slot's list where it lies.
  func withList<Result>(_ slot: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    let range = range(slot)
    if range.isEmpty, let long = long(slot) { return long.withUnsafeBufferPointer(body) }
    // Safe because ends are within what has been written.
    return withUnsafeMutablePointerToElements {
      body(UnsafeBufferPointer(start: $0 + range.lowerBound, count: range.count))
    }
  }

  /// Takes a long list out, to be put back; nil where the slot's list is short.
  func takeLong(_ slot: Int) -> ContiguousArray<UInt32>? {
    withUnsafeMutablePointerToHeader { $0.pointee.long.isEmpty ? nil : $0.pointee.long.removeValue(forKey: slot) }
  }

  func putBack(_ slot: Int, long: ContiguousArray<UInt32>) {
    withUnsafeMutablePointerToHeader { $0.pointee.long[slot] = long }
  }

  /// The leaf with another list in a slot: this one, where it carries the stamp and has room, or a copy.
  func replacing(_ slot: Int, with list: ContiguousArray<UInt32>, stamp: UInt64) -> RowListLeaf {
    let wasEmpty = isEmpty(slot)
    let isLong = list.count > Self.longList
    let inline = isLong ? 0 : list.count
    let old = range(slot)
    let end = end(Self.rows - 1)
    let newEnd = end + inline - old.count
    let capacity = withUnsafeMutablePointerToHeader { $0.pointee.capacity }
    let result: RowListLeaf
    if self.stamp == stamp, newEnd <= capacity {
      result = self
      // Safe because both ends are within the capacity.
      withUnsafeMutablePointerToElements { words in
        (words + old.lowerBound + inline).update(from: words + old.upperBound, count: end - old.upperBound)
      }
    } else {
      result = Self.makeUninitialized(capacity: newEnd + Self.slack, stamp: stamp)
      withUnsafeMutablePointers { header, words in
        // Safe because the copy has room for more than the new end.
        result.withUnsafeMutablePointers { newHeader, copies in
          copies.initialize(from: words, count: old.lowerBound)
          (copies + old.lowerBound + inline).initialize(from: words + old.upperBound, count: end - old.upperBound)
          newHeader.pointee.used = header.pointee.used
          if !header.pointee.long.isEmpty { newHeader.pointee.long = header.pointee.long }
        }
      }
    }
    result.fill(slot, at: old.lowerBound, list, inline: inline, difference: inline - old.count)
    result.withUnsafeMutablePointerToHeader { header in
      header.pointee.used += (list.isEmpty ? 0 : 1) - (wasEmpty ? 0 : 1)
      if isLong {
        header.pointee.long[slot] = list
      } else if !header.pointee.long.isEmpty {
        header.pointee.long[slot] = nil
      }
    }
    return result
  }

  /// Writes a list, for which there is room, and the ends from its slot on.
  private func fill(_ slot: Int, at start: Int, _ list: ContiguousArray<UInt32>, inline: Int, difference: Int) {
    withUnsafeMutablePointerToElements { words in
      list.withUnsafeBufferPointer { list in
        if inline > 0, let first = list.baseAddress { (words + start).update(from: first, count: inline) }
      }
      if difference == 0 { return }
      let ends = UnsafeMutableRawPointer(words)
      let difference = UInt16(truncatingIfNeeded: difference)
      // Safe because the ends are the first words.
      for later in slot..<Self.rows {
        let end = ends.load(fromByteOffset: later &* 2, as: UInt16.self) &+ difference
        ends.storeBytes(of: end, toByteOffset: later &* 2, as: UInt16.self)
      }
    }
  }
}
