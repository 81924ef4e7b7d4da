import GQLCatalog

/// The changes of the links of one row and one relation that wait for their targets.
struct WaitingChange {
  struct Entry {
    var key: DanglingLinks.Key
    var before: DanglingLinks.State?
    var after: DanglingLinks.State?
  }
  /// The relation's place among those of its source.
  var place: Int
  /// In the order of keys.
  var entries: [Entry] = []
  /// Slots of the list that are closed no longer, ascending, and that are now; see ``WaitingPlaces``.
  var opened: [UInt32] = []
  var closed: [UInt32] = []

  init(place: Int) { self.place = place }

  var isEmpty: Bool { entries.isEmpty && opened.isEmpty && closed.isEmpty }

  var inverse: WaitingChange {
    var result = WaitingChange(place: place)
    result.entries = entries.map { Entry(key: $0.key, before: $0.after, after: $0.before) }
    (result.opened, result.closed) = (closed, opened)
    return result
  }
}

/// The links that wait in one version as far as a transaction has changed them, noted when first written.
final class WaitingRecorder: @unchecked Sendable {
  struct Touched: Hashable {
    let link: DanglingLinks.Link
    let key: DanglingLinks.Key
  }
  /// All of them as they were; nil while nothing was written.
  private(set) var before: DanglingLinks?
  private(set) var touched: Set<Touched> = []
  /// Lists of which slots were closed, or may have been forgotten.
  private(set) var lists: Set<DanglingLinks.Link> = []

  @inline(__always)
  func note(_ links: DanglingLinks, _ link: DanglingLinks.Link, _ key: DanglingLinks.Key) {
    if before == nil { before = links.withoutRecorder }
    touched.insert(Touched(link: link, key: key))
    lists.insert(link)
  }

  func note(_ links: DanglingLinks, list link: DanglingLinks.Link) {
    if before == nil { before = links.withoutRecorder }
    lists.insert(link)
  }

  /// Tells whether nothing was noted.
  var isEmpty: Bool { before == nil }

  /// Forgets what was noted.
  func reset() {
    before = nil
    touched.removeAll()
    lists.removeAll()
  }

  /// Returns the changes, in the order of types, rows and relations.
  func changes(to after: DanglingLinks, _ layout: StoreLayout) -> [RowWaitingChanges] {
    guard let before else { return [] }
    return DanglingLinks.changes(from: before, to: after, touched, lists, layout)
  }
}

/// The waiting links of one row that have changed.
struct RowWaitingChanges {
  let type: EntityTypeID
  let row: UInt32
  /// In the order of relations.
  var changes: [WaitingChange]
}

extension DanglingLinks {
  /// Returns the changes of some links and lists between two versions, in the order of types and rows.
  static func changes(
    from before: DanglingLinks, to after: DanglingLinks, _ touched: Set<WaitingRecorder.Touched>, _ lists: Set<Link>,
    _ layout: StoreLayout
  ) -> [RowWaitingChanges] {
    var changes: [Link: WaitingChange] = [:]
    func place(_ link: Link) -> Int { layout.relationPlaces[Int(link.relation.index)] }
    for found in touched {
      let (old, new) = (before.state(found.link, found.key), after.state(found.link, found.key))
      if old == new { continue }
      changes[found.link, default: WaitingChange(place: place(found.link))].entries
        .append(WaitingChange.Entry(key: found.key, before: old, after: new))
    }
    for link in lists {
      let (old, new) = (before.closedSlots(link), after.closedSlots(link))
      if old == new { continue }
      var change = changes[link] ?? WaitingChange(place: place(link))
      let (known, now) = (Set(old), Set(new))
      change.opened = old.filter { !now.contains($0) }
      change.closed = new.filter { !known.contains($0) }
      changes[link] = change
    }
    let ordered = changes.map { (type: layout[$0.key.relation].source, row: $0.key.source, change: $0.value) }
      .sorted { ($0.type.index, $0.row, $0.change.place) < ($1.type.index, $1.row, $1.change.place) }
    var result: [RowWaitingChanges] = []
    for (type, row, change) in ordered {
      var change = change
      change.entries.sort { $0.key < $1.key }
      if result.last?.type == type, result.last?.row == row {
        result[result.count - 1].changes.append(change)
      } else {
        result.append(RowWaitingChanges(type: type, row: row, changes: [change]))
      }
    }
    return result
  }

  /// Returns the changes of all links between two versions.
  static func changes(from before: DanglingLinks, to after: DanglingLinks, _ layout: StoreLayout) -> [RowWaitingChanges]
  {
    if before.isEmpty, after.isEmpty { return [] }
    var touched = before.allTouched
    touched.formUnion(after.allTouched)
    return changes(from: before, to: after, touched, Set(touched.map(\.link)), layout)
  }
}
