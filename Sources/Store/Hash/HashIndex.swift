#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One version of a hash index, see ``HashPage``. Written only by the transaction whose stamp it carries.
final class HashIndex: @unchecked Sendable {
  let layout: KeyLayout
  let isUnique: Bool
  let stamp: UInt64
  let pages: NodeDirectory
  @exclusivity(unchecked) private(set) var table: UnsafeMutablePointer<UnsafeRawPointer?>
  @exclusivity(unchecked) private(set) var depth: UInt32
  @exclusivity(unchecked) var distinctKeys: Int
  /// Rows by posting number; in a unique index only those of a past in which values were not unique yet.
  @exclusivity(unchecked) private(set) var postings: ColumnStore
  @exclusivity(unchecked) private var freePostings: PersistentArray<UInt32>
  /// What ``touch(_:)`` has read last; it has no meaning.
  @exclusivity(unchecked) private var warmed: UInt64 = 0

  private static let firstSlots = 8
  /// Why 1,024: a copied page costs 8 KiB, and a million keys need a table of 2,048 addresses.
  private static let pageSlots = 1024
  private static let maximumDepth: UInt32 = 20

  init(layout: KeyLayout, isUnique: Bool, stamp: UInt64) {
    self.layout = layout
    self.isUnique = isUnique
    self.stamp = stamp
    pages = NodeDirectory(stamp: stamp)
    table = PagePool.allocate(UnsafeRawPointer?.self, capacity: 1)
    depth = 0
    distinctKeys = 0
    freePostings = PersistentArray()
    postings = ColumnStore(kind: .references, elementIsText: false, stamp: stamp, slot: nil)
    let page = makePage(slots: Self.firstSlots, depth: 0)
    table.initialize(to: UnsafeRawPointer(page))
  }

  init(copying other: HashIndex, keys: KeyLayout? = nil, stamp: UInt64) {
    layout = keys ?? other.layout
    isUnique = other.isUnique
    self.stamp = stamp
    pages = NodeDirectory(copying: other.pages, stamp: stamp)
    table = PagePool.allocate(UnsafeRawPointer?.self, capacity: 1 << Int(other.depth))
    table.initialize(from: other.table, count: 1 << Int(other.depth))
    depth = other.depth
    distinctKeys = other.distinctKeys
    freePostings = other.freePostings
    postings = ColumnStore(copying: other.postings, stamp: stamp, slot: nil)
  }

  deinit { PagePool.deallocate(table, capacity: 1 << Int(depth)) }

  func reader(_ columns: UnsafePointer<ColumnReader>) -> HashIndexReader {
    HashIndexReader(
      table: UnsafePointer(table), depth: depth, layout: layout, columns: columns, postings: postings.reader,
      distinctKeys: distinctKeys)
  }

  var byteCount: Int { pages.byteCount + (8 << Int(depth)) + postings.byteCount }
  /// Rows in postings of two and more.
  var postedRows: Int { postings.linkCount }

  // MARK: - Pages

  private func makePage(slots: Int, depth: UInt32) -> UnsafeMutableRawPointer {
    let page = Page(byteCount: HashPage.slotsOffset + slots * 8, stamp: stamp)
    Self.format(page, slots: slots, depth: depth, number: pages.count)
    pages.append(page)
    return page.base
  }

  private static func format(_ page: Page, slots: Int, depth: UInt32, number: Int) {
    memset(page.base + HashPage.slotsOffset, 0xFF, slots * 8)
    page.base.storeBytes(of: UInt32(slots - 1), toByteOffset: 4, as: UInt32.self)
    page.base.storeBytes(of: depth, toByteOffset: 16, as: UInt32.self)
    page.base.storeBytes(of: UInt32(truncatingIfNeeded: number), toByteOffset: 20, as: UInt32.self)
  }

  static func depth(_ page: UnsafeRawPointer) -> UInt32 { (page + 16).load(as: UInt32.self) }
  static func number(_ page: UnsafeRawPointer) -> Int { Int((page + 20).load(as: UInt32.self)) }
  static func mask(_ page: UnsafeRawPointer) -> Int { Int((page + 4).load(as: UInt32.self)) }
  static func count(_ page: UnsafeRawPointer) -> Int { Int(page.load(as: UInt32.self)) }

  func tableIndex(_ tag: UInt32) -> Int { Int(UInt64(tag) &>> UInt64(32 - depth)) }

  /// Points all prefixes of the page at `address`.
  private func redirect(_ tag: UInt32, pageDepth: UInt32, to address: UnsafeMutableRawPointer) {
    let span = 1 << Int(depth - pageDepth)
    let first = tableIndex(tag) & ~(span - 1)
    for index in first..<(first + span) { table[index] = UnsafeRawPointer(address) }
  }

  private func writablePage(_ tag: UInt32) -> UnsafeMutableRawPointer {
    // Safe because the table has an address for each prefix of a tag.
    let base = table[tableIndex(tag)].unsafelyUnwrapped
    if base.load(fromByteOffset: PageLayout.stampOffset, as: UInt64.self) == stamp {
      return UnsafeMutableRawPointer(mutating: base)
    }
    let copy = pages.writableBase(Self.number(base))
    redirect(tag, pageDepth: Self.depth(base), to: copy)
    return copy
  }

  private static func place(_ page: UnsafeMutableRawPointer, _ slot: UInt64) {
    let mask = Self.mask(page)
    let slots = page + HashPage.slotsOffset
    var index = Int(UInt32(truncatingIfNeeded: slot)) & mask
    while (slots + index &* 8).load(as: UInt64.self) != HashPage.empty { index = (index &+ 1) & mask }
    (slots + index &* 8).storeBytes(of: slot, as: UInt64.self)
    page.storeBytes(of: UInt32(count(page) + 1), as: UInt32.self)
  }

  func insertSlot(tag: UInt32, payload: UInt32) {
    var page = writablePage(tag)
    while (Self.count(page) + 1) * 5 > (Self.mask(page) + 1) * 4 {
      makeRoom(page, tag)
      page = writablePage(tag)
    }
    Self.place(page, UInt64(payload) << 32 | UInt64(tag))
  }

  /// The payload with the tag that `isSame` accepts; nil if there is none, and `row` is there now.
  func findOrPlace(tag: UInt32, row: UInt32, isSame: (UInt32) -> Bool) -> UInt32? {
    while true {
      let page = writablePage(tag)
      let mask = Self.mask(page)
      let slots = page + HashPage.slotsOffset
      var index = Int(tag) & mask
      while true {
        let slot = (slots + index &* 8).load(as: UInt64.self)
        if slot == HashPage.empty { break }
        let payload = UInt32(truncatingIfNeeded: slot >> 32)
        if UInt32(truncatingIfNeeded: slot) == tag, isSame(payload) { return payload }
        index = (index &+ 1) & mask
      }
      if (Self.count(page) + 1) * 5 > (mask + 1) * 4 {
        makeRoom(page, tag)
        continue
      }
      (slots + index &* 8).storeBytes(of: UInt64(row) << 32 | UInt64(tag), as: UInt64.self)
      page.storeBytes(of: UInt32(Self.count(page) + 1), as: UInt32.self)
      distinctKeys += 1
      return nil
    }
  }

  /// Reads where the tags lie, so that none of the reads waits for another.
  func touch(_ tags: UnsafeBufferPointer<UInt32>) {
    var touched: UInt64 = 0
    for tag in tags {
      // Safe because the table has an address for each prefix of a tag.
      let page = table[tableIndex(tag)].unsafelyUnwrapped
      touched |= (page + (HashPage.slotsOffset + (Int(tag) & Self.mask(page)) &* 8)).load(as: UInt64.self)
    }
    warmed |= touched
  }

  /// Splits the page or, while it is small or cannot split, doubles its slots.
  private func makeRoom(_ page: UnsafeMutableRawPointer, _ tag: UInt32) {
    let slots = Self.mask(page) + 1
    let pageDepth = Self.depth(page)
    let number = Self.number(page)
    // Why the bound by the number of pages: tags of one beginning must not double the table without end.
    let canSplit = pageDepth < Self.maximumDepth && (1 << Int(pageDepth)) <= 64 * pages.count
    let old = pages.page(number)
    if slots < Self.pageSlots || !canSplit {
      let grown = Page(byteCount: HashPage.slotsOffset + slots * 16, stamp: stamp)
      Self.format(grown, slots: slots * 2, depth: pageDepth, number: number)
      Self.move(from: old, to: grown) { _ in true }
      pages.replace(number, with: grown)
      redirect(tag, pageDepth: pageDepth, to: grown.base)
      return
    }
    if pageDepth == depth { doubleTable() }
    let bit: UInt32 = 1 << (31 - pageDepth)
    let low = Page(byteCount: HashPage.slotsOffset + slots * 8, stamp: stamp)
    Self.format(low, slots: slots, depth: pageDepth + 1, number: number)
    Self.move(from: old, to: low) { $0 & bit == 0 }
    let high = makePage(slots: slots, depth: pageDepth + 1)
    Self.move(from: old, to: high) { $0 & bit != 0 }
    pages.replace(number, with: low)
    redirect(tag & ~bit, pageDepth: pageDepth + 1, to: low.base)
    redirect(tag | bit, pageDepth: pageDepth + 1, to: high)
  }

  private static func move(from old: Page, to new: Page, where isTaken: (UInt32) -> Bool) {
    move(from: old, to: new.base, where: isTaken)
  }

  private static func move(from old: Page, to new: UnsafeMutableRawPointer, where isTaken: (UInt32) -> Bool) {
    let slots = old.base + HashPage.slotsOffset
    for index in 0...mask(old.base) {
      let slot = (slots + index &* 8).load(as: UInt64.self)
      if slot != HashPage.empty && isTaken(UInt32(truncatingIfNeeded: slot)) { place(new, slot) }
    }
  }

  private func doubleTable() {
    let count = 1 << Int(depth)
    let doubled = PagePool.allocate(UnsafeRawPointer?.self, capacity: count * 2)
    for index in 0..<count {
      (doubled + index * 2).initialize(to: table[index])
      (doubled + index * 2 + 1).initialize(to: table[index])
    }
    PagePool.deallocate(table, capacity: count)
    table = doubled
    depth += 1
  }

  /// The index of the slot that `isWanted` accepts, among those with the tag.
  static func slotIndex(
    _ page: UnsafeRawPointer, _ tag: UInt32, where isWanted: (UInt32) -> Bool
  ) -> Int? {
    let mask = mask(page)
    let slots = page + HashPage.slotsOffset
    var index = Int(tag) & mask
    while true {
      let slot = (slots + index &* 8).load(as: UInt64.self)
      if slot == HashPage.empty { return nil }
      if UInt32(truncatingIfNeeded: slot) == tag && isWanted(UInt32(truncatingIfNeeded: slot >> 32)) { return index }
      index = (index &+ 1) & mask
    }
  }

  /// Empties a slot and moves those behind it that would no longer be found.
  private static func clearSlot(_ page: UnsafeMutableRawPointer, _ index: Int) {
    let mask = mask(page)
    let slots = page + HashPage.slotsOffset
    var hole = index
    var next = (hole + 1) & mask
    while true {
      let slot = (slots + next &* 8).load(as: UInt64.self)
      if slot == HashPage.empty { break }
      let home = Int(UInt32(truncatingIfNeeded: slot)) & mask
      if (next &- home) & mask >= (next &- hole) & mask {
        (slots + hole &* 8).storeBytes(of: slot, as: UInt64.self)
        hole = next
      }
      next = (next + 1) & mask
    }
    (slots + hole &* 8).storeBytes(of: HashPage.empty, as: UInt64.self)
    page.storeBytes(of: UInt32(count(page) - 1), as: UInt32.self)
  }

  private func replacePayload(tag: UInt32, _ old: UInt32, with new: UInt32) {
    let page = writablePage(tag)
    if let index = Self.slotIndex(page, tag, where: { $0 == old }) {
      (page + HashPage.slotsOffset + index * 8).storeBytes(
        of: UInt64(new) << 32 | UInt64(tag), as: UInt64.self)
    }
  }

  // MARK: - Entries

  func makePosting() -> UInt32 {
    if let free = freePostings.popLast() { return free }
    let id = UInt32(truncatingIfNeeded: postings.count)
    postings.append(nil)
    return id
  }

  /// Adds a row whose key is in the columns. Precondition: no component is null; no equal key in a unique index, unless
  /// it `mayRepeat`.
  func insertKey(
    _ key: UnsafePointer<Cell>, of row: UInt32, columns: UnsafePointer<ColumnReader>, mayRepeat: Bool = false
  ) {
    let reader = reader(columns)
    let tag = KeyHash.tag(reader.hash(key))
    if isUnique, !mayRepeat {
      insertSlot(tag: tag, payload: row)
      distinctKeys += 1
      return
    }
    let payload = reader.payload(key, tag: tag)
    if payload == .max {
      insertSlot(tag: tag, payload: row)
      distinctKeys += 1
    } else if payload & HashPage.postingFlag == 0 {
      let posting = makePosting()
      postings.appendToRun(posting, min(payload, row))
      postings.appendToRun(posting, max(payload, row))
      replacePayload(tag: tag, payload, with: posting | HashPage.postingFlag)
    } else {
      postings.insertIntoAscendingRun(payload & ~HashPage.postingFlag, row)
    }
  }

  /// Removes a row, whose key must still be in the columns, if it is there.
  func removeKey(_ key: UnsafePointer<Cell>, of row: UInt32, columns: UnsafePointer<ColumnReader>) {
    let reader = reader(columns)
    let tag = KeyHash.tag(reader.hash(key))
    let payload = reader.payload(key, tag: tag)
    if payload == .max { return }
    if payload & HashPage.postingFlag == 0 {
      guard payload == row else { return }
      let page = writablePage(tag)
      guard let index = Self.slotIndex(page, tag, where: { $0 == row }) else { return }
      Self.clearSlot(page, index)
      distinctKeys -= 1
      return
    }
    let posting = payload & ~HashPage.postingFlag
    guard postings.removeFromAscendingRun(posting, row) else { return }
    let rest = postings.reader.references(posting)
    if rest.count == 1 {
      replacePayload(tag: tag, payload, with: rest[0])
      postings.removeFromRun(posting, rest[0])
      freePostings.append(posting)
    }
  }
}
