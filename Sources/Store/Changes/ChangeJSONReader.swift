import GQLBase
import GQLCatalog

extension ChangeJSON {
  /// Reads what ``append(_:between:to:)`` writes, in any order of rows and members. Ids of entities are passed over.
  ///
  /// - Throws: ``ChangeJSONFailure`` where the text is not JSON, or says something that a change set cannot. Whether the
  ///   set fits a version is found when it is applied.
  package func changes(_ text: UnsafeRawBufferPointer) throws(ChangeJSONFailure) -> ChangeSet {
    try ChangeJSONReader(self, text).run()
  }
}

/// Reads the rows of one change set from JSON.
private final class ChangeJSONReader {
  private let coder: ChangeJSON
  private var scanner: JSONScanner
  private var scratch = ByteBuffer()
  /// Holds the memory that the values of one field point to.
  private let memory = ConversionArena()
  /// Holds, for each row that was read, the bytes of its marks and parts.
  private var output = ByteBuffer(capacity: 1024)
  private var rows: [(type: Int, row: UInt32, bytes: Range<Int>, offset: Int)] = []
  // The row at hand.
  private var type = 0
  private var before: UInt64 = 0
  private var after: UInt64 = 0
  private var marks: UInt64 = 0

  init(_ coder: ChangeJSON, _ text: UnsafeRawBufferPointer) {
    self.coder = coder
    scanner = JSONScanner(text)
  }

  private var layout: StoreLayout.TypeLayout { coder.layout.types[type] }

  func run() throws(ChangeJSONFailure) -> ChangeSet {
    try forEachElement { (offset) throws(ChangeJSONFailure) in try self.readRow(offset) }
    try scan { (scanner) throws(JSONScanner.Failure) in try scanner.finish() }
    return try assembled()
  }

  /// The rows in their order.
  private func assembled() throws(ChangeJSONFailure) -> ChangeSet {
    rows.sort { ($0.type, $0.row, $0.offset) < ($1.type, $1.row, $1.offset) }
    var result = ByteBuffer(capacity: output.count + 16)
    for (index, row) in rows.enumerated() {
      var next: UInt32 = 0
      if index > 0, rows[index - 1].type == row.type {
        guard rows[index - 1].row < row.row else { throw failure("this row changes twice", at: row.offset) }
        next = rows[index - 1].row + 1
      } else {
        if index > 0 { result.append(0) }
        result.append(varint: UInt64(row.type) + 1)
      }
      result.append(varint: UInt64(row.row - next) + 1)
      output.withUnsafeBytes { result.append(UnsafeRawBufferPointer(rebasing: $0[row.bytes])) }
    }
    if !rows.isEmpty { result.append(0) }
    return ChangeSet(bytes: result.withUnsafeBytes { ContiguousArray($0) })
  }

  // MARK: - JSON

  private func failure(_ message: String, at offset: Int) -> ChangeJSONFailure {
    ChangeJSONFailure(offset: offset, message: message)
  }

  private func scan<Result>(
    _ body: (inout JSONScanner) throws(JSONScanner.Failure) -> Result
  ) throws(ChangeJSONFailure) -> Result {
    do throws(JSONScanner.Failure) {
      return try body(&scanner)
    } catch {
      throw ChangeJSONFailure(error)
    }
  }

  /// Where the next value begins.
  private var place: Int {
    scanner.skipSpace()
    return scanner.position
  }

  /// Calls with the offset of each element of a list, which `body` reads.
  private func forEachElement(
    _ body: (Int) throws(ChangeJSONFailure) -> Void
  ) throws(ChangeJSONFailure) {
    try scan { (scanner) throws(JSONScanner.Failure) in try scanner.beginArray() }
    while try scan({ (scanner) throws(JSONScanner.Failure) in try scanner.nextElement() }) { try body(place) }
  }

  /// Calls with each key of an object, of which each comes once, and with its value's offset; `body` reads the value.
  private func forEachKey(
    _ body: (String, Int) throws(ChangeJSONFailure) -> Void
  ) throws(ChangeJSONFailure) {
    var seen: Set<String> = []
    try scan { (scanner) throws(JSONScanner.Failure) in try scanner.beginObject() }
    while let key = try scan({ (scanner) throws(JSONScanner.Failure) in
      try scanner.nextKey(&self.scratch)?.string
    }) {
      guard seen.insert(key).inserted else { throw failure("'\(key)' is in the object twice", at: place) }
      try body(key, place)
    }
  }

  private func skip() throws(ChangeJSONFailure) {
    try scan { (scanner) throws(JSONScanner.Failure) in try scanner.skipValue() }
  }

  private func readString() throws(ChangeJSONFailure) -> String {
    try scan { (scanner) throws(JSONScanner.Failure) in try scanner.scanString(&self.scratch).string }
  }

  private func readBool() throws(ChangeJSONFailure) -> Bool {
    try scan { (scanner) throws(JSONScanner.Failure) in try scanner.scanBool() }
  }

  /// Reads a whole number up to one.
  private func readNumber(upTo most: UInt64) throws(ChangeJSONFailure) -> UInt64 {
    let offset = place
    let number = try scan { (scanner) throws(JSONScanner.Failure) in try scanner.scanNumber().int64 }
    guard let number, let value = UInt64(exactly: number), value <= most else {
      throw failure("expected a whole number from 0 to \(most)", at: offset)
    }
    return value
  }

  private static let mostRow = UInt64(PageLayout.maximumRows) - 1

  private func readRowNumber() throws(ChangeJSONFailure) -> UInt32 {
    UInt32(truncatingIfNeeded: try readNumber(upTo: Self.mostRow))
  }

  private func unknown(_ key: String, at offset: Int) -> ChangeJSONFailure {
    failure("'\(key)' is not known here", at: offset)
  }

  private func missing(_ key: String, at offset: Int) -> ChangeJSONFailure {
    failure("'\(key)' is missing", at: offset)
  }

  private func readType() throws(ChangeJSONFailure) -> Int {
    let offset = place
    let name = try readString()
    guard let number = coder.types[name] else { throw failure("there is no type '\(name)'", at: offset) }
    return number
  }

  // MARK: - Rows

  private func readRow(_ offset: Int) throws(ChangeJSONFailure) {
    // What says how the others are read may stand behind them.
    let start = scanner
    var (found, row): (Int?, UInt32?) = (nil, nil)
    var kind: RowChangeKind?
    var isDeleted = false
    try forEachKey { (key, place) throws(ChangeJSONFailure) in
      switch key {
      case "type": found = try self.readType()
      case "row": row = try self.readRowNumber()
      case "change":
        let name = try self.readString()
        kind = RowChangeKind(rawValue: name)
        if kind == nil { throw self.failure("there is no change '\(name)'", at: place) }
      case "deleted": isDeleted = try self.readBool()
      default: try self.skip()
      }
    }
    guard let found else { throw missing("type", at: offset) }
    guard let row else { throw missing("row", at: offset) }
    guard let kind else { throw missing("change", at: offset) }
    guard let statuses = kind.statuses(isDeleted: isDeleted) else {
      throw failure("'deleted' does not go with the change '\(kind.rawValue)'", at: offset)
    }
    type = found
    (before, after) = statuses
    scanner = start
    try readParts(row, offset)
  }

  private func readParts(_ row: UInt32, _ offset: Int) throws(ChangeJSONFailure) {
    var parts: [(mark: UInt64, bytes: [UInt8])] = []
    var past: UInt64 = 0
    func add(_ mark: UInt64, _ bytes: [UInt8]) { if !bytes.isEmpty { parts.append((mark, bytes)) } }
    try forEachKey { (key, place) throws(ChangeJSONFailure) in
      switch key {
      case "type", "row", "change", "deleted", "id": try self.skip()
      case "erased": if try self.readBool() { past |= RowChangeMarks.erased }
      case "kept": if try self.readBool() { past |= RowChangeMarks.kept }
      case "fields": add(RowChangeMarks.fields, try self.readFields())
      case "lists": add(RowChangeMarks.lists, try self.readLists())
      case "record": add(RowChangeMarks.record, try self.readRecord())
      case "suspended": add(RowChangeMarks.suspended, try self.readSuspended())
      case "waiting": add(RowChangeMarks.waiting, try self.readWaiting())
      default: throw self.unknown(key, at: place)
      }
    }
    // Nothing changes then.
    if parts.isEmpty, before == after, past == 0 { return }
    let marks = parts.reduce(before | after << 2 | past) { $0 | $1.mark }
    let start = output.count
    output.append(UInt8(truncatingIfNeeded: marks))
    output.append(UInt8(truncatingIfNeeded: marks >> 8))
    // The marks are in the order of the parts.
    for part in parts.sorted(by: { $0.mark < $1.mark }) { output.append(part.bytes) }
    rows.append((type, row, start..<output.count, offset))
  }

  /// Joins parts in the order of their numbers, with the zero that ends them; nothing where there are none.
  private func joined(_ parts: [(number: Int, bytes: [UInt8])]) -> [UInt8] {
    if parts.isEmpty { return [] }
    var result = ByteBuffer()
    for part in parts.sorted(by: { $0.number < $1.number }) {
      result.append(varint: UInt64(part.number) + 1)
      result.append(part.bytes)
    }
    result.append(0)
    return result.takeArray()
  }

  // MARK: - Fields and lists

  private func readFields() throws(ChangeJSONFailure) -> [UInt8] {
    var parts: [(number: Int, bytes: [UInt8])] = []
    try forEachKey { (name, offset) throws(ChangeJSONFailure) in
      guard let column = self.coder.columns[self.type][name], self.layout.columns[column].kind != .references else {
        throw self.failure("'\(self.coder.catalog.types[self.type].name)' has no field '\(name)'", at: offset)
      }
      let bytes = try self.readField(column, offset)
      if !bytes.isEmpty { parts.append((column, bytes)) }
    }
    return joined(parts)
  }

  private func readField(_ column: Int, _ offset: Int) throws(ChangeJSONFailure) -> [UInt8] {
    memory.removeAll()
    let kind = ChangeValueKind(layout.columns[column].kind, elementIsText: layout.elementIsText[column])
    var (old, new): (Cell?, Cell?) = (nil, nil)
    try forEachKey { (key, place) throws(ChangeJSONFailure) in
      switch key {
      case "old": old = try self.readValue(column)
      case "new": new = try self.readValue(column)
      default: throw self.unknown(key, at: place)
      }
    }
    if old != nil, before == RowChangeStatus.void { throw failure("a void row has no old value", at: offset) }
    if new != nil, after == RowChangeStatus.void { throw failure("a void row has no new value", at: offset) }
    if old == nil, new == nil { return [] }
    if let old, let new, kind.areEqual(old, new) { return [] }
    var form = UInt8(kind.rawValue << 4)
    if let old { form |= 1 | (kind == .word && old.high != 0 ? 4 : 0) }
    if let new { form |= 2 | (kind == .word && new.high != 0 ? 8 : 0) }
    var result = ByteBuffer()
    result.append(form)
    if let old { result.append(old, kind) }
    if let new { result.append(new, kind) }
    return result.takeArray()
  }

  private func readValue(_ column: Int) throws(ChangeJSONFailure) -> Cell? {
    let descriptor = layout.columns[column]
    guard descriptor.kind == .reference else {
      return try ChangeValueText.read(descriptor.type, coder.catalog, &scanner, memory)
    }
    if scanner.peek() == .null {
      try skip()
      return nil
    }
    return Cell(low: UInt64(try readLink()))
  }

  /// Reads the row of a link; its id is passed over.
  private func readLink() throws(ChangeJSONFailure) -> UInt32 {
    let offset = place
    var row: UInt32?
    try forEachKey { (key, place) throws(ChangeJSONFailure) in
      switch key {
      case "row": row = try self.readRowNumber()
      case "id": try self.skip()
      default: throw self.unknown(key, at: place)
      }
    }
    guard let row else { throw missing("row", at: offset) }
    return row
  }

  private func readLinks() throws(ChangeJSONFailure) -> [UInt32] {
    var rows: [UInt32] = []
    try forEachElement { (_) throws(ChangeJSONFailure) in rows.append(try self.readLink()) }
    return rows
  }

  private func readLists() throws(ChangeJSONFailure) -> [UInt8] {
    var parts: [(number: Int, bytes: [UInt8])] = []
    try forEachKey { (name, offset) throws(ChangeJSONFailure) in
      guard let column = self.coder.columns[self.type][name], self.layout.columns[column].kind == .references else {
        throw self.failure("'\(self.coder.catalog.types[self.type].name)' has no list '\(name)'", at: offset)
      }
      var kept: UInt64?
      var (out, put): ([UInt32], [UInt32]) = ([], [])
      try self.forEachKey { (key, place) throws(ChangeJSONFailure) in
        switch key {
        case "at": kept = try self.readNumber(upTo: Self.mostRow)
        case "out": out = try self.readLinks()
        case "in": put = try self.readLinks()
        default: throw self.unknown(key, at: place)
        }
      }
      guard let kept else { throw self.missing("at", at: offset) }
      if out == put { return }
      var result = ByteBuffer()
      result.append(varint: kept)
      result.append(varint: UInt64(out.count))
      result.append(varint: UInt64(put.count))
      out.withUnsafeBufferPointer { result.append(rows: $0) }
      put.withUnsafeBufferPointer { result.append(rows: $0) }
      parts.append((column, result.takeArray()))
    }
    return joined(parts)
  }

  // MARK: - Words

  /// Reads what words say before and after; nothing where they are the same.
  private func readBeforeAndAfter(
    _ body: () throws(ChangeJSONFailure) -> ContiguousArray<UInt32>
  ) throws(ChangeJSONFailure) -> [UInt8] {
    var (old, new): (ContiguousArray<UInt32>, ContiguousArray<UInt32>) = ([], [])
    try forEachKey { (key, place) throws(ChangeJSONFailure) in
      switch key {
      case "old": old = try body()
      case "new": new = try body()
      default: throw self.unknown(key, at: place)
      }
    }
    if old == new { return [] }
    var result = ByteBuffer()
    old.withUnsafeBufferPointer { result.append(words: $0) }
    new.withUnsafeBufferPointer { result.append(words: $0) }
    return result.takeArray()
  }

  private func readRecord() throws(ChangeJSONFailure) -> [UInt8] {
    try readBeforeAndAfter { () throws(ChangeJSONFailure) in
      if self.scanner.peek() == .null {
        try self.skip()
        return []
      }
      return try self.readRecordWords()
    }
  }

  private func readRecordWords() throws(ChangeJSONFailure) -> ContiguousArray<UInt32> {
    let offset = place
    var deletion: UInt64?
    var isFromElsewhere = false
    var words: ContiguousArray<UInt32>?
    var links: ContiguousArray<UInt32> = []
    try forEachKey { (key, place) throws(ChangeJSONFailure) in
      switch key {
      case "deletion": deletion = try self.readNumber(upTo: UInt64(Int64.max))
      case "elsewhere": isFromElsewhere = try self.readBool()
      case "links": links = try self.readRecordLinks()
      case "words":
        var found: ContiguousArray<UInt32> = []
        try self.forEachElement { (_) throws(ChangeJSONFailure) in
          found.append(UInt32(truncatingIfNeeded: try self.readNumber(upTo: UInt64(UInt32.max))))
        }
        words = found
      default: throw self.unknown(key, at: place)
      }
    }
    if let words {
      guard deletion == nil, links.isEmpty, !isFromElsewhere else {
        throw failure("'words' stand alone", at: offset)
      }
      return words
    }
    guard let deletion else { throw missing("deletion", at: offset) }
    let record = DeletionRecord(deletion: deletion)
    return (isFromElsewhere ? record.fromElsewhere : record).words + links
  }

  /// Reads the links that a record names, in the order in which they stand there.
  private func readRecordLinks() throws(ChangeJSONFailure) -> ContiguousArray<UInt32> {
    var words: ContiguousArray<UInt32> = []
    try forEachKey { (name, offset) throws(ChangeJSONFailure) in
      let place = try self.relation(name, offset).place
      let rows = try self.readLinks()
      if rows.isEmpty { return }
      words += [UInt32(truncatingIfNeeded: place), UInt32(truncatingIfNeeded: rows.count)]
      words += rows
    }
    return words
  }

  private func relation(
    _ name: String, _ offset: Int
  ) throws(ChangeJSONFailure) -> (place: Int, relation: Relation) {
    guard let found = coder.relation(type, named: name) else {
      throw failure("'\(coder.catalog.types[type].name)' has no relation '\(name)'", at: offset)
    }
    return found
  }

  private func readSuspended() throws(ChangeJSONFailure) -> [UInt8] {
    var parts: [(number: Int, bytes: [UInt8])] = []
    try forEachKey { (name, offset) throws(ChangeJSONFailure) in
      let place = try self.relation(name, offset).place
      let bytes = try self.readBeforeAndAfter { () throws(ChangeJSONFailure) in
        var words: ContiguousArray<UInt32> = []
        try self.forEachElement { (offset) throws(ChangeJSONFailure) in
          let (at, row) = try self.readPlacedLink(offset)
          words += [at, row]
        }
        return words
      }
      if !bytes.isEmpty { parts.append((place, bytes)) }
    }
    return joined(parts)
  }

  private func readPlacedLink(_ offset: Int) throws(ChangeJSONFailure) -> (at: UInt32, row: UInt32) {
    var (at, row): (UInt32?, UInt32?) = (nil, nil)
    try forEachKey { (key, place) throws(ChangeJSONFailure) in
      switch key {
      case "at": at = UInt32(truncatingIfNeeded: try self.readNumber(upTo: UInt64(UInt32.max)))
      case "row": row = try self.readRowNumber()
      case "id": try self.skip()
      default: throw self.unknown(key, at: place)
      }
    }
    guard let at else { throw missing("at", at: offset) }
    guard let row else { throw missing("row", at: offset) }
    return (at, row)
  }

  // MARK: - Links that wait

  private func readWaiting() throws(ChangeJSONFailure) -> [UInt8] {
    var changes: [WaitingChange] = []
    try forEachKey { (name, offset) throws(ChangeJSONFailure) in
      var change = WaitingChange(place: try self.relation(name, offset).place)
      try self.forEachKey { (key, place) throws(ChangeJSONFailure) in
        switch key {
        case "keys":
          try self.forEachElement { (offset) throws(ChangeJSONFailure) in
            if let entry = try self.readEntry(offset) { change.entries.append(entry) }
          }
        case "opened": change.opened = try self.readSlots()
        case "closed": change.closed = try self.readSlots()
        default: throw self.unknown(key, at: place)
        }
      }
      change.entries.sort { $0.key < $1.key }
      for (entry, next) in zip(change.entries, change.entries.dropFirst()) where entry.key == next.key {
        throw self.failure("one key is in the list twice", at: offset)
      }
      if !change.isEmpty { changes.append(change) }
    }
    if changes.isEmpty { return [] }
    var result = ByteBuffer()
    for change in changes.sorted(by: { $0.place < $1.place }) { result.append(waiting: change) }
    result.append(0)
    return result.takeArray()
  }

  private func readSlots() throws(ChangeJSONFailure) -> [UInt32] {
    var slots: [UInt32] = []
    try forEachElement { (offset) throws(ChangeJSONFailure) in
      let slot = try self.readRowNumber()
      if let last = slots.last, last >= slot { throw self.failure("slots ascend", at: offset) }
      slots.append(slot)
    }
    return slots
  }

  /// Reads a key with what is known of it before and after; nil where that is the same.
  private func readEntry(_ offset: Int) throws(ChangeJSONFailure) -> WaitingChange.Entry? {
    let start = scanner
    var target: Int?
    try forEachKey { (key, _) throws(ChangeJSONFailure) in
      if key == "type" { target = try self.readType() } else { try self.skip() }
    }
    guard let target else { throw missing("type", at: offset) }
    scanner = start
    memory.removeAll()
    var id: DanglingLinks.Key?
    var (word, text): (UInt64?, ContiguousArray<UInt8>?) = (nil, nil)
    var (old, new): (DanglingLinks.State?, DanglingLinks.State?) = (nil, nil)
    try forEachKey { (key, place) throws(ChangeJSONFailure) in
      switch key {
      case "type": try self.skip()
      case "id": id = try self.readKey(EntityTypeID(target), place)
      case "word": word = try self.readWord()
      case "text":
        let text64 = try self.readString()
        guard let bytes = Base64.decode(text64) else { throw self.failure("this is no Base64", at: place) }
        text = ContiguousArray(bytes)
      case "old": old = try self.readState(place)
      case "new": new = try self.readState(place)
      default: throw self.unknown(key, at: place)
      }
    }
    if let word, let text, id == nil {
      id = DanglingLinks.Key(EntityTypeID(target), word: word, text: text)
    } else if word != nil || text != nil {
      throw failure("'word' and 'text' stand together, without 'id'", at: offset)
    }
    guard let id else { throw missing("id", at: offset) }
    return old == new ? nil : WaitingChange.Entry(key: id, before: old, after: new)
  }

  private func readWord() throws(ChangeJSONFailure) -> UInt64 {
    let offset = place
    let number = try scan { (scanner) throws(JSONScanner.Failure) in try scanner.scanNumber().int64 }
    guard let number else { throw failure("expected a whole number of 64 bits", at: offset) }
    return UInt64(bitPattern: number)
  }

  private func readKey(_ target: EntityTypeID, _ offset: Int) throws(ChangeJSONFailure) -> DanglingLinks.Key {
    guard let (column, kind) = coder.waitingKey(target) else {
      throw failure("a key of '\(coder.catalog[target].name)' is said by 'word' and 'text'", at: offset)
    }
    switch kind {
    case .text, .id: return DanglingLinks.Key(target, word: 0, text: ContiguousArray(try readString().utf8))
    default:
      guard let cell = try ChangeValueText.read(column.type, coder.catalog, &scanner, memory) else {
        throw failure("a key is not null", at: offset)
      }
      return DanglingLinks.Key(target, kind, cell)
    }
  }

  private func readState(_ offset: Int) throws(ChangeJSONFailure) -> DanglingLinks.State {
    var (sequence, slot): (UInt64?, UInt32?) = (nil, nil)
    var isClaim = false
    try forEachKey { (key, place) throws(ChangeJSONFailure) in
      switch key {
      case "sequence": sequence = try self.readNumber(upTo: 1 << 62 - 1)
      case "claim": isClaim = try self.readBool()
      case "slot": slot = try self.readRowNumber()
      default: throw self.unknown(key, at: place)
      }
    }
    guard let sequence else { throw missing("sequence", at: offset) }
    return DanglingLinks.State(slot: slot, isClaim: isClaim, sequence: sequence)
  }
}

extension Base64 {
  fileprivate static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode($0) }
  }
}
