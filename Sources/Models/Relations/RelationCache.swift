/// What a loader has loaded, so that what is asked again, as all entities that lead to one ask it, is not loaded anew.
///
/// There are two generations: where the younger one has grown to the capacity it becomes the older one, whose entries live
/// on only if they are asked for.
struct RelationCache {
  /// A relation of an entity, at the end of so many relations: entities that are lent know how far they are, so that
  /// conditions end where data go round.
  struct Key: Hashable {
    var number: UInt16
    var depth: UInt8
    var row: UInt32
  }
  private struct Entry {
    var targets: AnyObject
    var bytes: Int
  }
  /// Of each generation, in bytes; what entities have on the heap is not counted, so their number has a bound too.
  static var capacity: Int { 64 << 20 }
  static var mostEntities: Int { 1 << 15 }

  private var younger: [Key: Entry] = [:]
  private var older: [Key: Entry] = [:]
  private var bytes = 0

  mutating func targets(_ key: Key) -> AnyObject? {
    if let known = younger[key] { return known.targets }
    guard let known = older.removeValue(forKey: key) else { return nil }
    keep(known, key)
    return known.targets
  }

  mutating func keep<Entity>(_ targets: LentTargets<Entity>, _ key: Key) {
    let count = targets.entities.count
    let bytes =
      max(
        count * MemoryLayout<Entity>.stride, Self.capacity / Self.mostEntities * count)
      + MemoryLayout<(Key, Entry)>.stride
    keep(Entry(targets: targets, bytes: bytes), key)
  }

  private mutating func keep(_ entry: Entry, _ key: Key) {
    if bytes + entry.bytes > Self.capacity, !younger.isEmpty {
      older = younger
      younger = [:]
      bytes = 0
    }
    if let replaced = younger.updateValue(entry, forKey: key) { bytes -= replaced.bytes }
    bytes += entry.bytes
  }
}

/// The targets of a relation of an entity.
final class LentTargets<Entity: EntityModelProtocol> {
  let entities: [Entity]
  init(_ entities: [Entity]) { self.entities = entities }
}

/// Counts the entities that are read for conditions and orders in Swift.
final class LoadCount: Sendable {
  /// That of who wants to know.
  @TaskLocal static var current: LoadCount?

  private let count = Guarded(0)
  var number: Int { count.withLock { $0 } }
  func note(_ number: Int) { count.withLock { $0 += number } }
}
