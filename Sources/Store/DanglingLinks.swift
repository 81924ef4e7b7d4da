import GQLBase
import GQLCatalog

/// Links whose targets do not exist yet, by the type and the primary key of the target.
///
/// ```
///   key ─▶ first … last     an entry is in two lists: of those that wait for its key, in the order remembered,
///   link ─▶ first           and of those of its link, which may wait for several keys
/// ```
/// Adding and removing one takes the same time however many wait for its key, and however many keys its link waits for;
/// versions share what neither of them has written, but for the places of one list, which are one block.
///
/// An entry of a list knows its place in it, so that the list gets the order in which it was written, in whatever order
/// the targets come.
struct DanglingLinks: Sendable {
  struct Link: Sendable, Hashable {
    var relation: RelationID
    var source: UInt32
  }
  /// The primary key of a target, with its type.
  struct Key: Hashable, Comparable, Sendable {
    var type: EntityTypeID
    let word: UInt64
    let text: ContiguousArray<UInt8>

    init(_ type: EntityTypeID, word: UInt64, text: ContiguousArray<UInt8>) {
      self.type = type
      self.word = word
      self.text = text
    }

    static func < (left: Key, right: Key) -> Bool {
      if left.type != right.type { return left.type < right.type }
      if left.word != right.word { return left.word < right.word }
      return left.text.lexicographicallyPrecedes(right.text)
    }

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
        // One for all forms of a value, 1.5 and 1.50.
        let (significand, scale) = PackedDecimal(cell).shortest
        word = UInt64(truncatingIfNeeded: significand)
        let rest = UInt64(truncatingIfNeeded: significand >> 64)
        text = withUnsafeBytes(of: rest.littleEndian) { ContiguousArray($0) } + [UInt8(truncatingIfNeeded: scale)]
      }
    }
  }
  private struct Entry: Sendable {
    var link: Link
    /// In `keys`.
    var key: Int32
    /// Where it is to stand in its list, the links that wait counted, as a slot of ``WaitingPlaces``; nil at the end.
    var slot: UInt32?
    /// Orders the links that wait for one key.
    var sequence: UInt64
    /// The neighbors in both lists, `none` at the ends. Of a free entry, `next` is the next free one.
    var previous = DanglingLinks.none
    var next = DanglingLinks.none
    var previousOfLink = DanglingLinks.none
    var nextOfLink = DanglingLinks.none
  }
  /// What waits for one key; a free one has no entries, and its `last` is the next free one.
  private struct Waiting: Sendable {
    var key: Key
    var first = DanglingLinks.none
    var last = DanglingLinks.none
  }
  /// The state of a link that waits for a key, in a form that other versions understand.
  struct State: Equatable, Sendable {
    var slot: UInt32?
    var isClaim: Bool
    var sequence: UInt64
  }
  /// What tells an entry from the others.
  private struct Place: Hashable, Sendable {
    var key: Int32
    var link: Link
  }

  private struct Claim: Hashable, Sendable {
    var key: Int32
    var relation: RelationID
  }

  private static let none: Int32 = -1

  private var entries = PersistentArray<Entry>()
  private var firstFree = DanglingLinks.none
  private var places = PersistentDictionary<Place, Int32>()
  private var keys = PersistentArray<Waiting>()
  private var firstFreeKey = DanglingLinks.none
  private var numbers = PersistentDictionary<Key, Int32>()
  /// The first entry of each link.
  private var firstOfLink = PersistentDictionary<Link, Int32>()
  /// The places of what waits of each list, where some have one.
  private var waitingPlaces = PersistentDictionary<Link, WaitingPlaces>()
  /// The entry that alone may wait for a key, by key and relation: its source says whose the target will be.
  private var claims = PersistentDictionary<Claim, Int32>()
  /// That of the link that is added next.
  private var nextSequence: UInt64 = 0
  /// Notes what was there before a change; nil where nobody asks.
  var recorder: WaitingRecorder?

  var count: Int { places.count }
  var isEmpty: Bool { places.isEmpty }

  // MARK: - Adding

  /// Where the link waits for the key already, it only gets a place, if it has none. One that `isClaim` takes the target
  /// away from the one before it, as it would if the target were there.
  mutating func add(
    _ link: Link, to type: EntityTypeID, _ kind: KeyKind, _ key: Cell, place: UInt32? = nil, isClaim: Bool = false
  ) {
    let key = Key(type, kind, key)
    if isClaim, let number = numbers[key], let other = claims[Claim(key: number, relation: link.relation)] {
      let entry = entries[Int(other)]
      if entry.link != link {
        recorder?.note(self, entry.link, key)
        let place = self.place(of: entry)
        remove(other)
        if let place { close(entry.link, place: place) }
      }
    }
    recorder?.note(self, link, key)
    add(link, key, place, isClaim: isClaim)
  }

  private mutating func add(_ link: Link, _ key: Key, _ listPlace: UInt32?, isClaim: Bool) {
    let number = numbers[key] ?? addKey(key)
    let entry = firstFree == Self.none ? Int32(truncatingIfNeeded: entries.count) : firstFree
    let place = Place(key: number, link: link)
    if let known = places[place] {
      if let listPlace, entries[Int(known)].slot == nil { entries[Int(known)].slot = takeSlot(link, listPlace) }
      if isClaim { claims[Claim(key: number, relation: link.relation)] = known }
      return
    }
    // More do not fit into the numbers; a link that is not remembered reads as absent, as it did before.
    guard entries.count < Int(Int32.max) || firstFree != Self.none else { return }
    places[place] = entry
    if isClaim { claims[Claim(key: number, relation: link.relation)] = entry }
    let slot = listPlace.map { takeSlot(link, $0) }
    insert(Entry(link: link, key: number, slot: slot, sequence: nextSequence), at: entry)
    nextSequence += 1
  }

  /// Puts an entry at a free place into the lists of its key and of its link.
  private mutating func insert(_ made: Entry, at entry: Int32) {
    var made = made
    let (link, number) = (made.link, made.key)
    // Nearly always behind the last one.
    made.previous = keys[Int(number)].last
    while made.previous != Self.none, entries[Int(made.previous)].sequence > made.sequence {
      made.next = made.previous
      made.previous = entries[Int(made.previous)].previous
    }
    if let first = firstOfLink[link] {
      made.nextOfLink = first
      entries[Int(first)].previousOfLink = entry
    }
    firstOfLink[link] = entry
    if entry == firstFree {
      firstFree = entries[Int(entry)].next
      entries[Int(entry)] = made
    } else {
      entries.append(made)
    }
    if made.previous == Self.none {
      keys[Int(number)].first = entry
    } else {
      entries[Int(made.previous)].next = entry
    }
    if made.next == Self.none {
      keys[Int(number)].last = entry
    } else {
      entries[Int(made.next)].previous = entry
    }
  }

  private mutating func takeSlot(_ link: Link, _ place: UInt32) -> UInt32 {
    let slot = waitingPlaces[link]?.slot(of: place) ?? place
    updatePlaces(link) { $0.insert(slot) }
    return slot
  }

  private mutating func addKey(_ key: Key) -> Int32 {
    let number: Int32
    if firstFreeKey != Self.none {
      number = firstFreeKey
      firstFreeKey = keys[Int(number)].last
      keys[Int(number)] = Waiting(key: key)
    } else {
      number = Int32(truncatingIfNeeded: keys.count)
      keys.append(Waiting(key: key))
    }
    numbers[key] = number
    return number
  }

  // MARK: - Removing

  /// The number under which links wait for a key, as long as one does; nil if none does.
  func number(_ type: EntityTypeID, _ kind: KeyKind, _ key: Cell) -> Int32? {
    isEmpty ? nil : numbers[Key(type, kind, key)]
  }

  /// The link that has waited longest. Precondition: one waits under the number.
  func first(_ number: Int32) -> Link { entries[Int(keys[Int(number)].first)].link }

  /// Takes the link that has waited longest. Precondition: one waits under the number.
  mutating func takeFirst(_ number: Int32) -> (link: Link, place: UInt32?) {
    let entry = keys[Int(number)].first
    let (link, place) = (entries[Int(entry)].link, place(of: entries[Int(entry)]))
    recorder?.note(self, link, keys[Int(number)].key)
    remove(entry)
    return (link, place)
  }

  /// The links that wait under a number, that which has waited longest first.
  func links(_ number: Int32) -> [(link: Link, place: UInt32?)] {
    var found: [(link: Link, place: UInt32?)] = []
    var next = keys[Int(number)].first
    while next != Self.none {
      let entry = entries[Int(next)]
      found.append((entry.link, place(of: entry)))
      next = entry.next
    }
    return found
  }

  /// Whether a link waits for any key.
  func waits(_ link: Link) -> Bool { !isEmpty && firstOfLink[link] != nil }

  /// Whether a key is claimed by who alone can be linked with it.
  func isClaimed(_ relation: RelationID, _ type: EntityTypeID, _ kind: KeyKind, _ key: Cell) -> Bool {
    number(type, kind, key).map { claims[Claim(key: $0, relation: relation)] != nil } ?? false
  }

  /// Whether links wait under a number still. Precondition: none was added since one did.
  func isWaiting(_ number: Int32) -> Bool {
    Int(number) < keys.count && keys[Int(number)].first != Self.none
  }

  private func place(of entry: Entry) -> UInt32? {
    entry.slot.map { slot in waitingPlaces[entry.link]?.place(of: slot) ?? slot }
  }

  /// How many links stand before a place of a list that do not wait. Complexity: O(place / 64).
  func index(_ link: Link, of place: UInt32) -> Int { waitingPlaces[link]?.index(of: place) ?? Int(place) }

  /// The number of places of a list that wait.
  func waitingCount(_ link: Link) -> Int { waitingPlaces[link]?.count ?? 0 }

  /// Whether places of a list wait: then what leaves the list is to be told.
  func hasPlaces(_ link: Link) -> Bool { !waitingPlaces.isEmpty && waitingPlaces[link] != nil }

  /// The link behind so many that do not wait has left the list. Complexity: O(index / 64).
  mutating func close(_ link: Link, index: Int) {
    recorder?.note(self, list: link)
    _ = waitingPlaces.update(link) { $0.close(index: index) }
  }

  /// What waited for a place does not come. Complexity: O(place / 64).
  mutating func close(_ link: Link, place: UInt32) {
    recorder?.note(self, list: link)
    _ = waitingPlaces.update(link) { $0.close(place: place) }
  }

  /// Forgets that a link waits for a key.
  mutating func remove(_ link: Link, to type: EntityTypeID, _ kind: KeyKind, _ key: Cell) {
    guard let number = number(type, kind, key), let entry = places[Place(key: number, link: link)] else { return }
    recorder?.note(self, link, keys[Int(number)].key)
    remove(entry)
  }

  /// Forgets that a link waits for a key, under the types at which it could be; what waits behind it moves up.
  mutating func take(_ link: Link, to types: [(type: EntityTypeID, kind: KeyKind)], _ key: Cell) {
    var place: UInt32?
    for (type, kind) in types {
      guard let number = number(type, kind, key), let entry = places[Place(key: number, link: link)] else { continue }
      place = self.place(of: entries[Int(entry)])
      recorder?.note(self, link, keys[Int(number)].key)
      remove(entry)
    }
    if let place { close(link, place: place) }
  }

  /// Forgets all keys that a link waits for. Complexity: O(*n*) in these.
  mutating func removeAll(_ link: Link) {
    if isEmpty { return }
    while let entry = firstOfLink[link] {
      recorder?.note(self, link, keys[Int(entries[Int(entry)].key)].key)
      remove(entry)
    }
  }

  /// Forgets all keys that a link waits for but some, of which it forgets the places: they keep their turn among those
  /// that wait for the same key. Complexity: O(*n*) in all of these.
  mutating func removeAll(_ link: Link, except kept: [(type: EntityTypeID, kind: KeyKind, key: Cell)]) {
    let numbers = Set(kept.compactMap { number($0.type, $0.kind, $0.key) })
    if numbers.isEmpty { return removeAll(link) }
    var next = firstOfLink[link] ?? Self.none
    while next != Self.none {
      let entry = next
      next = entries[Int(entry)].nextOfLink
      recorder?.note(self, link, keys[Int(entries[Int(entry)].key)].key)
      if numbers.contains(entries[Int(entry)].key) {
        entries[Int(entry)].slot = nil
      } else {
        remove(entry)
        // None was kept, and nothing is left.
        if isEmpty { return }
      }
    }
    waitingPlaces[link] = nil
  }

  private mutating func remove(_ number: Int32) {
    let entry = entries[Int(number)]
    places[Place(key: entry.key, link: entry.link)] = nil
    if entry.previous != Self.none { entries[Int(entry.previous)].next = entry.next }
    if entry.next != Self.none { entries[Int(entry.next)].previous = entry.previous }
    let key = Int(entry.key)
    if !claims.isEmpty {
      let claim = Claim(key: entry.key, relation: entry.link.relation)
      if claims[claim] == number { claims[claim] = nil }
    }
    if keys[key].first == number { keys[key].first = entry.next }
    if keys[key].last == number { keys[key].last = entry.previous }
    if keys[key].first == Self.none {
      numbers[keys[key].key] = nil
      keys[key].last = firstFreeKey
      firstFreeKey = entry.key
    }
    if entry.nextOfLink != Self.none { entries[Int(entry.nextOfLink)].previousOfLink = entry.previousOfLink }
    if entry.previousOfLink != Self.none {
      entries[Int(entry.previousOfLink)].nextOfLink = entry.nextOfLink
    } else {
      firstOfLink[entry.link] = entry.nextOfLink == Self.none ? nil : entry.nextOfLink
    }
    if let slot = entry.slot {
      _ = waitingPlaces.update(entry.link) { $0.remove(slot) }
      if firstOfLink[entry.link] == nil { waitingPlaces[entry.link] = nil }
    }
    entries[Int(number)].next = firstFree
    firstFree = number
    // Nothing of many that waited is kept.
    if places.isEmpty {
      let recorder = recorder
      self = DanglingLinks()
      self.recorder = recorder
    }
  }

  // MARK: - Change sets

  /// Returns the links without a recorder of changes.
  var withoutRecorder: DanglingLinks {
    var copy = self
    copy.recorder = nil
    return copy
  }

  /// Returns the state of a link that waits for a key; nil if it does not.
  func state(_ link: Link, _ key: Key) -> State? {
    guard let number = numbers[key], let entry = places[Place(key: number, link: link)] else { return nil }
    let found = entries[Int(entry)]
    return State(
      slot: found.slot, isClaim: claims[Claim(key: number, relation: link.relation)] == entry, sequence: found.sequence)
  }

  /// All keys that a link waits for, with what is known of it there.
  func states(of link: Link) -> [(key: Key, state: State)] {
    var found: [(key: Key, state: State)] = []
    var next = isEmpty ? Self.none : firstOfLink[link] ?? Self.none
    while next != Self.none {
      let entry = entries[Int(next)]
      let key = keys[Int(entry.key)].key
      if let state = state(link, key) { found.append((key, state)) }
      next = entry.nextOfLink
    }
    return found
  }

  /// The slots of a list that are closed, ascending.
  func closedSlots(_ link: Link) -> [UInt32] { waitingPlaces[link]?.closedSlots ?? [] }

  /// All links with the keys that they wait for.
  var allTouched: Set<WaitingRecorder.Touched> {
    var result: Set<WaitingRecorder.Touched> = []
    for number in 0..<keys.count {
      var next = keys[number].first
      while next != Self.none {
        result.insert(WaitingRecorder.Touched(link: entries[Int(next)].link, key: keys[number].key))
        next = entries[Int(next)].next
      }
    }
    return result
  }

  /// Makes what is known of a link and a key what another version says; nil where it does not wait there.
  mutating func set(_ link: Link, _ key: Key, _ state: State?) {
    recorder?.note(self, link, key)
    if let number = numbers[key], let entry = places[Place(key: number, link: link)] { remove(entry) }
    guard let state else { return }
    let number = numbers[key] ?? addKey(key)
    let entry = firstFree == Self.none ? Int32(truncatingIfNeeded: entries.count) : firstFree
    guard entries.count < Int(Int32.max) || firstFree != Self.none else { return }
    places[Place(key: number, link: link)] = entry
    if state.isClaim { claims[Claim(key: number, relation: link.relation)] = entry }
    if let slot = state.slot { updatePlaces(link) { $0.insert(slot) } }
    insert(Entry(link: link, key: number, slot: state.slot, sequence: state.sequence), at: entry)
    nextSequence = max(nextSequence, state.sequence &+ 1)
  }

  /// Makes the closed slots of a list what another version says. What waits in it is right already.
  mutating func setClosed(_ link: Link, opened: [UInt32], closed: [UInt32]) {
    if opened.isEmpty, closed.isEmpty { return }
    recorder?.note(self, list: link)
    updatePlaces(link) { $0.setClosed(opened: opened, closed: closed) }
    if firstOfLink[link] == nil { waitingPlaces[link] = nil }
  }

  private mutating func updatePlaces(_ link: Link, _ body: (inout WaitingPlaces) -> Void) {
    if waitingPlaces.update(link, body) != nil { return }
    var places = WaitingPlaces()
    body(&places)
    waitingPlaces[link] = places
  }

  // MARK: - Another catalog

  /// The links in the terms of another catalog: `place` gives the types under which each waits from now on, with the
  /// link itself; none where it is lost.
  func mapped<Failure: Error>(
    _ place: (EntityTypeID, Link) throws(Failure) -> [(type: EntityTypeID, link: Link)]
  ) throws(Failure) -> (DanglingLinks, lost: Int) {
    var result = DanglingLinks()
    var known = Set<Link>()
    var lost = Set<Link>()
    // By type, so that what waits under one key has an order.
    let order = (0..<keys.count).filter { keys[$0].first != Self.none }
      .sorted { (keys[$0].key.type, $0) < (keys[$1].key.type, $1) }
    for number in order {
      var key = keys[number].key
      let type = key.type
      var next = keys[number].first
      while next != Self.none {
        let entry = entries[Int(next)]
        let isClaim = claims[Claim(key: entry.key, relation: entry.link.relation)] == next
        next = entry.next
        let places = try place(type, entry.link)
        if places.isEmpty { lost.insert(entry.link) } else { known.insert(entry.link) }
        for (type, link) in places {
          key.type = type
          result.add(link, key, self.place(of: entry), isClaim: isClaim)
        }
      }
    }
    return (result, lost.subtracting(known).count)
  }
}
