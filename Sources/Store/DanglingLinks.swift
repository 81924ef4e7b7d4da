import GQLBase
import GQLCatalog

/// Links whose targets do not exist yet, by the type and the primary key of the target.
struct DanglingLinks: Sendable {
  struct Link: Sendable, Hashable {
    var relation: RelationID
    var source: UInt32
  }
  private struct Key: Hashable, Sendable {
    var type: EntityTypeID
    let word: UInt64
    let text: ContiguousArray<UInt8>

    init(_ type: EntityTypeID, _ kind: KeyKind, _ cell: Cell) {
      self.type = type
      switch kind {
      case .text, .id:
        word = 0
        text = TextView(cell).withBytes { ContiguousArray(UnsafeRawBufferPointer(start: $0, count: $1)) }
      case .int64, .byte, .code:
        word = cell.low
        text = []
      case .float64:
        word = KeyOrder.image(cell.double)
        text = []
      case .decimal:
        // Decimals of one hash but different value are told apart when the link is made.
        word = PackedDecimal(cell).hash(KeyHash.seed)
        text = []
      }
    }
  }

  /// What waits for one key, in the order remembered, without repeats.
  private struct Waiting: Sendable {
    private(set) var links: [Link] = []
    /// The same as a set, where looking through them would take long: a file may name one missing id a million times.
    private var known: Set<Link> = []
    private static let fewLinks = 16

    /// False if it is there already.
    mutating func add(_ link: Link) -> Bool {
      if links.count < Self.fewLinks {
        if links.contains(link) { return false }
      } else {
        if known.isEmpty { known = Set(links) }
        if !known.insert(link).inserted { return false }
      }
      links.append(link)
      return true
    }

    mutating func removeAll(where isGone: (Link) -> Bool) {
      links.removeAll(where: isGone)
      known = []
    }

    mutating func remove(_ link: Link) -> Bool {
      guard let index = links.firstIndex(of: link) else { return false }
      links.remove(at: index)
      known.remove(link)
      return true
    }
  }

  private var links: [Key: Waiting] = [:]
  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  mutating func add(_ link: Link, to type: EntityTypeID, _ kind: KeyKind, _ key: Cell) {
    if links[Key(type, kind, key), default: Waiting()].add(link) { count += 1 }
  }

  /// The links that wait for the key, in the order remembered.
  mutating func take(_ type: EntityTypeID, _ kind: KeyKind, _ key: Cell) -> [Link] {
    let found = links.removeValue(forKey: Key(type, kind, key))?.links ?? []
    count -= found.count
    return found
  }

  /// Forgets one link.
  mutating func remove(_ link: Link, to type: EntityTypeID, _ kind: KeyKind, _ key: Cell) {
    let key = Key(type, kind, key)
    guard links[key]?.remove(link) == true else { return }
    count -= 1
    if links[key]?.links.isEmpty == true { links[key] = nil }
  }

  /// Forgets the links of a source.
  mutating func removeAll(relation: RelationID, source: UInt32) {
    removeAll { $0.relation == relation && $0.source == source }
  }

  /// The links in the terms of another catalog: `place` gives the types under which each waits from now on, with the
  /// link itself; none where it is lost. Where the allowance ends they are not whole.
  func mapped(
    _ allowance: WorkAllowance, _ place: (EntityTypeID, Link) -> [(type: EntityTypeID, link: Link)]
  ) -> (DanglingLinks, lost: Int) {
    var result = DanglingLinks()
    var known = Set<Link>()
    var lost = Set<Link>()
    // By type, so that what waits under one key has an order.
    for key in links.keys.sorted(by: { $0.type < $1.type }) {
      for link in links[key]?.links ?? [] {
        guard allowance.advance(), allowance.take(MemoryLayout<Link>.stride * 2) else { return (result, 0) }
        let places = place(key.type, link)
        if places.isEmpty { lost.insert(link) } else { known.insert(link) }
        for (type, link) in places {
          var key = key
          key.type = type
          if result.links[key, default: Waiting()].add(link) { result.count += 1 }
        }
      }
    }
    return (result, lost.subtracting(known).count)
  }

  /// Forgets the links of deleted sources.
  mutating func removeAll(where isGone: (Link) -> Bool) {
    for key in Array(links.keys) {
      guard let before = links[key]?.links.count else { continue }
      links[key]?.removeAll(where: isGone)
      let after = links[key]?.links.count ?? 0
      count -= before - after
      if after == 0 { links[key] = nil }
    }
  }
}
