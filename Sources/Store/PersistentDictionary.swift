/// A dictionary whose copies share all but what one of them writes: short lists, of which each holds the keys whose hashes
/// end alike.
///
/// Their number grows by one at a time, by linear hashing (W. Litwin, *Linear hashing: a new tool for file and table
/// addressing*, 1980), so that no key waits until all are distributed anew.
///
/// Complexity: O(1) to read and to write, the first write after a copy included, as far as ``PersistentArray`` is.
package struct PersistentDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private typealias Bucket = ContiguousArray<(key: Key, value: Value)>
  /// How many keys a bucket has on average.
  private static var load: Int { 4 }

  /// None before the first key.
  private var buckets = PersistentArray<Bucket>()
  /// The largest power of two that is not above the number of buckets, less one.
  private var mask = 0
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  package subscript(_ key: Key) -> Value? {
    get {
      if count == 0 { return nil }
      let bucket = buckets[bucket(key)]
      return Self.place(of: key, in: bucket).map { bucket[$0].value }
    }
    set {
      if buckets.count == 0 {
        if newValue == nil { return }
        buckets.append([])
      }
      let bucket = bucket(key)
      let place = Self.place(of: key, in: buckets[bucket])
      switch (newValue, place) {
      case (let value?, let place?): buckets[bucket][place].value = value
      case (let value?, nil):
        buckets[bucket].append((key, value))
        count += 1
        if count > buckets.count * Self.load { split() }
      case (nil, let place?):
        // The last one takes its place.
        buckets[bucket].swapAt(place, buckets[bucket].count - 1)
        buckets[bucket].removeLast()
        count -= 1
      case (nil, nil): break
      }
    }
  }

  /// Changes the value of a key in place; nil where there is none.
  mutating func update<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
    if count == 0 { return nil }
    let bucket = bucket(key)
    guard let place = Self.place(of: key, in: buckets[bucket]) else { return nil }
    return body(&buckets[bucket][place].value)
  }

  @inline(__always)
  private static func place(of key: Key, in bucket: Bucket) -> Int? {
    for place in bucket.indices where bucket[place].key == key { return place }
    return nil
  }

  private func bucket(_ key: Key) -> Int {
    let hash = key.hashValue
    let bucket = hash & (2 * mask + 1)
    return bucket < buckets.count ? bucket : hash & mask
  }

  /// Adds a bucket, with what it takes from the one that has had its keys.
  private mutating func split() {
    let added = buckets.count
    let old = added & mask
    var (kept, moved): (Bucket, Bucket) = ([], [])
    buckets.append([])
    if buckets.count > 2 * mask + 1 { mask = 2 * mask + 1 }
    for entry in buckets[old] {
      if bucket(entry.key) == added { moved.append(entry) } else { kept.append(entry) }
    }
    buckets[old] = kept
    buckets[added] = moved
  }
}
