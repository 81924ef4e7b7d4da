/// A dictionary whose copies share all but what one of them writes: small dictionaries, of which each holds the keys whose
/// hashes end alike.
///
/// Their number grows by one at a time, by linear hashing (W. Litwin, *Linear hashing: a new tool for file and table
/// addressing*, 1980), so that no key waits until all are distributed anew.
///
/// Complexity: O(1) to read and to write, the first write after a copy included, as far as ``PersistentArray`` is.
struct PersistentDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// How many keys a shard has on average.
  private static var load: Int { 16 }

  private var shards: PersistentArray<[Key: Value]> = {
    var shards = PersistentArray<[Key: Value]>()
    shards.append([:])
    return shards
  }()
  /// The largest power of two that is not above the number of shards, less one.
  private var mask = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  subscript(_ key: Key) -> Value? {
    get { count == 0 ? nil : shards[shard(key)][key] }
    set {
      let shard = shard(key)
      if let newValue {
        if shards[shard].updateValue(newValue, forKey: key) == nil {
          count += 1
          if count > shards.count * Self.load { split() }
        }
      } else if count > 0, shards[shard].removeValue(forKey: key) != nil {
        count -= 1
      }
    }
  }

  /// Changes the value of a key in place; nil where there is none.
  mutating func update<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
    if count == 0 { return nil }
    let shard = shard(key)
    guard let place = shards[shard].index(forKey: key) else { return nil }
    return body(&shards[shard].values[place])
  }

  private func shard(_ key: Key) -> Int {
    let hash = key.hashValue
    let shard = hash & (2 * mask + 1)
    return shard < shards.count ? shard : hash & mask
  }

  /// Adds a shard, with what it takes from the one that has had its keys.
  private mutating func split() {
    let added = shards.count
    let old = added & mask
    shards.append([:])
    if shards.count > 2 * mask + 1 { mask = 2 * mask + 1 }
    for (key, value) in shards[old] where shard(key) == added {
      shards[added][key] = value
    }
    shards[old] = shards[old].filter { shard($0.key) == old }
  }
}
