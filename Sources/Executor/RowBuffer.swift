import GQLStore

/// A growable array of row ids (or offsets into one) over raw memory; keeps its memory when emptied.
@usableFromInline package struct RowBuffer: ~Copyable {
  @usableFromInline package private(set) var base: UnsafeMutablePointer<UInt32>
  @usableFromInline package var count: Int
  @usableFromInline package private(set) var capacity: Int

  package init(capacity: Int = 16) {
    self.capacity = max(capacity, 16)
    count = 0
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  /// Ensures room for `extra` more.
  @inlinable package mutating func reserve(_ extra: Int) {
    if capacity &- count < extra { grow(extra) }
  }

  /// The first free place.
  @inlinable package var end: UnsafeMutablePointer<UInt32> { base + count }

  @inlinable package mutating func append(_ row: UInt32) {
    if count == capacity { grow(1) }
    base[count] = row
    count &+= 1
  }

  @inlinable package mutating func append(_ rows: UnsafePointer<UInt32>, _ number: Int) {
    reserve(number)
    (base + count).update(from: rows, count: number)
    count &+= number
  }

  /// Merges ascending rows without repeats into those from `start` on, which are such too.
  mutating func mergeAscending(from start: Int, _ rows: UnsafePointer<UInt32>, _ number: Int) {
    reserve(number)
    // From behind, into the room for all of them: what is read is never written over before.
    var left = count
    var right = number
    var place = count &+ number
    while right > 0 {
      place &-= 1
      let row = rows[right &- 1]
      if left > start, base[left &- 1] > row {
        left &-= 1
        base[place] = base[left]
      } else {
        if left > start, base[left &- 1] == row { left &-= 1 }
        right &-= 1
        base[place] = row
      }
    }
    // Repeats have left a gap.
    let total = count &+ number
    let gap = place &- left
    if gap > 0, left < total { (base + left).update(from: base + place, count: total &- place) }
    count = total &- gap
  }

  @inlinable package mutating func removeAll() { count = 0 }

  @inlinable package subscript(_ index: Int) -> UInt32 { base[index] }

  @usableFromInline @inline(never) mutating func grow(_ extra: Int) {
    let larger = max(count + extra, capacity * 2)
    let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
    grown.update(from: base, count: count)
    base.deallocate()
    base = grown
    capacity = larger
  }
}

/// The members of a set for each of the elements of a batch: those of element `i` are
/// `rows[offsets[i] ..< offsets[i + 1]]`, in list order. Reusable.
@usableFromInline package struct Expansion: ~Copyable {
  @usableFromInline package var rows = RowBuffer()
  /// One more than there are elements; the first is 0.
  @usableFromInline package var offsets = RowBuffer()

  package init() {}

  /// The number of elements.
  @inlinable package var count: Int { max(offsets.count &- 1, 0) }

  package mutating func removeAll() {
    rows.removeAll()
    offsets.removeAll()
  }

  /// What is worth keeping: more takes far longer to fill than to allocate.
  static let keptBytes = 1 << 22

  var byteCount: Int { (rows.capacity &+ offsets.capacity) &* 4 }

  /// Lets go of memory that is not worth keeping.
  mutating func rest() {
    if byteCount > Expansion.keptBytes { self = Expansion() }
  }
}
