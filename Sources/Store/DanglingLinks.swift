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
        word = PackedDecimal(cell).hash
        text = []
      }
    }
  }

  private var links: [Key: [Link]] = [:]
  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  mutating func add(_ link: Link, to type: EntityTypeID, _ kind: KeyKind, _ key: Cell) {
    let key = Key(type, kind, key)
    if links[key]?.contains(link) == true { return }
    links[key, default: []].append(link)
    count += 1
  }

  /// The links that wait for the key, in the order remembered.
  mutating func take(_ type: EntityTypeID, _ kind: KeyKind, _ key: Cell) -> [Link] {
    let found = links.removeValue(forKey: Key(type, kind, key)) ?? []
    count -= found.count
    return found
  }

  /// Forgets one link.
  mutating func remove(_ link: Link, to type: EntityTypeID, _ kind: KeyKind, _ key: Cell) {
    let key = Key(type, kind, key)
    guard var list = links[key], let index = list.firstIndex(of: link) else { return }
    list.remove(at: index)
    count -= 1
    links[key] = list.isEmpty ? nil : list
  }

  /// Forgets the links of a source.
  mutating func removeAll(relation: RelationID, source: UInt32) {
    removeAll { $0.relation == relation && $0.source == source }
  }

  /// The links in the terms of another catalog: `place` gives the types under which each waits from now on, with the
  /// link itself; none where it is lost.
  func mapped(_ place: (EntityTypeID, Link) -> [(type: EntityTypeID, link: Link)]) -> (DanglingLinks, lost: Int) {
    var result = DanglingLinks()
    var known = Set<Link>()
    var lost = Set<Link>()
    // By type, so that what waits under one key has an order.
    for key in links.keys.sorted(by: { $0.type < $1.type }) {
      for link in links[key] ?? [] {
        let places = place(key.type, link)
        if places.isEmpty { lost.insert(link) } else { known.insert(link) }
        for (type, link) in places {
          var key = key
          key.type = type
          if result.links[key]?.contains(link) == true { continue }
          result.links[key, default: []].append(link)
          result.count += 1
        }
      }
    }
    return (result, lost.subtracting(known).count)
  }

  /// Forgets the links of deleted sources.
  mutating func removeAll(where isGone: (Link) -> Bool) {
    for key in Array(links.keys) {
      guard let old = links[key] else { continue }
      let kept = old.filter { !isGone($0) }
      count -= old.count - kept.count
      links[key] = kept.isEmpty ? nil : kept
    }
  }
}
