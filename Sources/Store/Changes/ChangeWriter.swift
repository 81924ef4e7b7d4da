import GQLBase
import GQLCatalog

/// Writes the bytes of a ``ChangeSet``. Types and the rows of each come in ascending order.
struct ChangeWriter: ~Copyable {
  private var output: ByteBuffer
  /// The type of the section that is open.
  private var type: Int?
  private var nextRow: UInt32 = 0

  init(capacity: Int = 256) { output = ByteBuffer(capacity: capacity) }

  var byteCount: Int { output.count }

  /// Returns the set, and begins another one.
  mutating func finish() -> ChangeSet {
    closeType()
    let bytes = output.withUnsafeBytes { ContiguousArray($0) }
    output.removeAll(keeping: 1 << 16)
    nextRow = 0
    return ChangeSet(bytes: bytes)
  }

  private mutating func closeType() {
    if type != nil { output.append(0) }
    type = nil
  }

  /// Adds what became of a row; nothing where that is nothing.
  ///
  /// - Parameters:
  ///   - waiting: What became of its links that wait, in the order of relations and keys.
  ///   - past: The mark of what becomes of its history; 0 for none.
  @inline(__always)
  mutating func add(
    _ layout: StoreLayout.TypeLayout, _ row: UInt32, before: some RowImage, after: some RowImage,
    waiting: ArraySlice<WaitingChange> = [], past: UInt64 = 0
  ) {
    let start = output.count
    let (typeBefore, rowBefore) = (type, nextRow)
    let number = Int(layout.id.index)
    if type != number {
      closeType()
      output.append(varint: UInt64(number) + 1)
      type = number
      nextRow = 0
    }
    output.append(varint: UInt64(row - nextRow) + 1)
    nextRow = row + 1
    // Two bytes, which are filled in at the end.
    let place = output.count
    output.append(0)
    output.append(0)
    var marks = before.status | after.status << 2
    if before.status != RowChangeStatus.void || after.status != RowChangeStatus.void {
      if addFields(layout, before, after) { marks |= RowChangeMarks.fields }
      if addLists(layout, before, after) { marks |= RowChangeMarks.lists }
      if before.status == RowChangeStatus.deleted || after.status == RowChangeStatus.deleted {
        if addRecord(before, after) { marks |= RowChangeMarks.record }
      }
      if addSuspended(layout, before, after) { marks |= RowChangeMarks.suspended }
    }
    if !waiting.isEmpty {
      add(waiting)
      marks |= RowChangeMarks.waiting
    }
    let goes = after.status == RowChangeStatus.void && before.status != RowChangeStatus.void
    if past != RowChangeMarks.kept || goes { marks |= past }
    if marks >> 4 == 0, before.status == after.status {
      output.truncate(to: start)
      (type, nextRow) = (typeBefore, rowBefore)
      return
    }
    output.replace(at: place, with: UInt8(truncatingIfNeeded: marks))
    output.replace(at: place + 1, with: UInt8(truncatingIfNeeded: marks >> 8))
  }

  // MARK: - Parts

  @inline(__always)
  private mutating func addFields(
    _ layout: StoreLayout.TypeLayout, _ before: some RowImage, _ after: some RowImage
  ) -> Bool {
    let start = output.count
    for number in layout.columns.indices {
      let kind = layout.columns[number].kind
      if kind == .references || layout.isFolded[number] { continue }
      let (old, new) = (before.cell(number), after.cell(number))
      if old == nil, new == nil { continue }
      let valueKind = ChangeValueKind(kind, elementIsText: layout.elementIsText[number])
      if let old, let new, valueKind.areEqual(old, new) { continue }
      output.append(varint: UInt64(number) + 1)
      var form = UInt8(valueKind.rawValue << 4)
      if let old { form |= 1 | (kind == .int64 && old.high != 0 ? 4 : 0) }
      if let new { form |= 2 | (kind == .int64 && new.high != 0 ? 8 : 0) }
      output.append(form)
      if let old { output.append(old, valueKind) }
      if let new { output.append(new, valueKind) }
    }
    if output.count == start { return false }
    output.append(0)
    return true
  }

  @inline(__always)
  private mutating func addLists(
    _ layout: StoreLayout.TypeLayout, _ before: some RowImage, _ after: some RowImage
  ) -> Bool {
    let start = output.count
    for number in layout.listColumns {
      let (old, new) = (before.run(number), after.run(number))
      if old.isEmpty, new.isEmpty { continue }
      let edit = ListEdit(from: old, to: new)
      if edit.takenOut.isEmpty, edit.putIn.isEmpty { continue }
      output.append(varint: UInt64(number) + 1)
      output.append(varint: UInt64(edit.kept))
      output.append(varint: UInt64(edit.takenOut.count))
      output.append(varint: UInt64(edit.putIn.count))
      output.append(rows: edit.takenOut)
      output.append(rows: edit.putIn)
    }
    if output.count == start { return false }
    output.append(0)
    return true
  }

  private mutating func addRecord(_ before: some RowImage, _ after: some RowImage) -> Bool {
    before.withRecord { old in after.withRecord { new in addWords(old, new, prefix: nil) } }
  }

  private mutating func addSuspended(
    _ layout: StoreLayout.TypeLayout, _ before: some RowImage, _ after: some RowImage
  ) -> Bool {
    var isAny = false
    for place in layout.relations.indices {
      let isAdded = before.withSuspended(place) { old in
        after.withSuspended(place) { new in
          old.isEmpty && new.isEmpty ? false : addWords(old, new, prefix: UInt64(place) + 1)
        }
      }
      if isAdded { isAny = true }
    }
    if isAny { output.append(0) }
    return isAny
  }

  private mutating func addWords(
    _ old: UnsafeBufferPointer<UInt32>, _ new: UnsafeBufferPointer<UInt32>, prefix: UInt64?
  ) -> Bool {
    if old.elementsEqual(new) { return false }
    if let prefix { output.append(varint: prefix) }
    output.append(words: old)
    output.append(words: new)
    return true
  }

  private mutating func add(_ waiting: ArraySlice<WaitingChange>) {
    for change in waiting { output.append(waiting: change) }
    output.append(0)
  }
}

extension ByteBuffer {
  /// Appends what became of the waiting links of one relation.
  mutating func append(waiting change: WaitingChange) {
    append(varint: UInt64(change.place) + 1)
    for entry in change.entries {
      append(varint: UInt64(entry.key.type.index) + 1)
      append(varint: entry.key.word)
      append(varint: UInt64(entry.key.text.count))
      entry.key.text.withUnsafeBytes { append($0) }
      append((entry.before == nil ? 0 : 1) | (entry.after == nil ? 0 : 2))
      for state in [entry.before, entry.after] {
        guard let state else { continue }
        append(varint: state.sequence << 2 | (state.isClaim ? 2 : 0) | (state.slot == nil ? 0 : 1))
        if let slot = state.slot { append(varint: UInt64(slot)) }
      }
    }
    append(0)
    for slots in [change.opened, change.closed] {
      append(varint: UInt64(slots.count))
      for slot in slots { append(varint: UInt64(slot)) }
    }
  }
}

/// How a list becomes another: some rows of it, after those that stay in front, make way for others.
struct ListEdit {
  /// How many rows at the front stay.
  let kept: Int
  let takenOut: UnsafeBufferPointer<UInt32>
  let putIn: UnsafeBufferPointer<UInt32>

  /// Finds the shortest edit of this form. Complexity: O(*n*); O(1) where one list continues the other in place.
  init(from old: UnsafeBufferPointer<UInt32>, to new: UnsafeBufferPointer<UInt32>) {
    let shorter = min(old.count, new.count)
    var front = 0
    if old.baseAddress == new.baseAddress {
      // Of one block, no place changes that either looks at.
      front = shorter
    } else {
      while front < shorter, old[front] == new[front] { front += 1 }
    }
    var back = 0
    while back < shorter - front, old[old.count - 1 - back] == new[new.count - 1 - back] { back += 1 }
    kept = front
    takenOut = UnsafeBufferPointer(rebasing: old[front..<(old.count - back)])
    putIn = UnsafeBufferPointer(rebasing: new[front..<(new.count - back)])
  }
}
