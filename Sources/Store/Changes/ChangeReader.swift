import GQLBase
import GQLCatalog

/// Reads the bytes of a ``ChangeSet``, of which nothing is trusted.
struct ChangeReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  /// The bytes must outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset >= bytes.count }
  private var left: Int { bytes.count - offset }

  var malformed: ChangeProblem { .malformed(offset: offset) }
  var otherLayout: ChangeProblem { .otherLayout(offset: offset) }

  /// Goes back to an earlier offset.
  mutating func rewind(to offset: Int) { self.offset = offset }

  // MARK: - Numbers

  @inline(__always)
  mutating func byte() throws(ChangeProblem) -> UInt8 {
    guard offset < bytes.count else { throw malformed }
    defer { offset += 1 }
    return bytes[offset]
  }

  @inline(__always)
  mutating func varint() throws(ChangeProblem) -> UInt64 {
    let first = try byte()
    if first < 0x80 { return UInt64(first) }
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while true {
      let next = try byte()
      // Ten groups, of which the last has one bit; none of the later ones is empty at the end.
      if shift == 63, next > 1 { throw malformed }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 {
        if next == 0 { throw malformed }
        return value
      }
      shift += 7
      if shift > 63 { throw malformed }
    }
  }

  mutating func zigzag() throws(ChangeProblem) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func row() throws(ChangeProblem) -> UInt32 {
    let value = try varint()
    guard value < UInt64(PageLayout.maximumRows) else { throw malformed }
    return UInt32(truncatingIfNeeded: value)
  }

  /// A number of things of which each has a byte at least.
  mutating func count() throws(ChangeProblem) -> Int {
    let value = try varint()
    guard value <= UInt64(left) else { throw malformed }
    return Int(value)
  }

  /// A small number that is written one greater; nil for the zero that ends a list.
  @inline(__always)
  mutating func next() throws(ChangeProblem) -> Int? {
    let value = try varint()
    guard value <= 1 << 31 else { throw malformed }
    return value == 0 ? nil : Int(value) - 1
  }

  mutating func marks() throws(ChangeProblem) -> RowChangeMarks {
    let word = UInt64(try byte()) | UInt64(try byte()) << 8
    guard word & ~RowChangeMarks.all == 0, word & 3 != 3, word >> 2 & 3 != 3 else { throw malformed }
    let marks = RowChangeMarks(word: word)
    let goes = marks.after == RowChangeStatus.void && marks.before != RowChangeStatus.void
    if marks.has(RowChangeMarks.kept), !goes || marks.has(RowChangeMarks.erased) { throw malformed }
    // A row that was void and is void has no content; it may not even be there. Links may have waited at it.
    if marks.before == RowChangeStatus.void, marks.after == RowChangeStatus.void,
      word & RowChangeMarks.content != 0
    {
      throw malformed
    }
    return marks
  }

  private mutating func word() throws(ChangeProblem) -> UInt64 {
    guard left >= 8, let start = bytes.baseAddress else { throw malformed }
    defer { offset += 8 }
    return UInt64(littleEndian: (start + offset).loadUnaligned(as: UInt64.self))
  }

  // MARK: - Rows

  /// The next row of a type's section, after the one before; nil at its end.
  @inline(__always)
  mutating func row(after next: UInt32) throws(ChangeProblem) -> UInt32? {
    let distance = try varint()
    if distance == 0 { return nil }
    let row = UInt64(next) + distance - 1
    guard distance <= UInt64(PageLayout.maximumRows), row < UInt64(PageLayout.maximumRows) else { throw malformed }
    return UInt32(truncatingIfNeeded: row)
  }

  /// Passes over what became of a row, after its marks. Calls with each column of a field that changes.
  mutating func skipRow(
    _ marks: RowChangeMarks, _ words: inout ContiguousArray<UInt32>, _ note: (Int) -> Void
  ) throws(ChangeProblem) {
    if marks.has(RowChangeMarks.fields) {
      while let column = try next() {
        note(column)
        let form = try form()
        if form.hasBefore { try skip(form.kind, isFine: form.beforeIsFine) }
        if form.hasAfter { try skip(form.kind, isFine: form.afterIsFine) }
      }
    }
    if marks.has(RowChangeMarks.lists) {
      while try next() != nil {
        let list = try list()
        for _ in 0..<(list.takenOut + list.putIn) { _ = try varint() }
      }
    }
    if marks.has(RowChangeMarks.record) { for _ in 0..<2 { try self.words(into: &words) } }
    if marks.has(RowChangeMarks.suspended) {
      while try next() != nil { for _ in 0..<2 { try self.words(into: &words) } }
    }
    if marks.has(RowChangeMarks.waiting) { while let place = try next() { _ = try waiting(place: place) } }
  }

  // MARK: - Values

  /// The form of a field's values.
  struct Form {
    let kind: ChangeValueKind
    let hasBefore: Bool
    let hasAfter: Bool
    let beforeIsFine: Bool
    let afterIsFine: Bool
  }

  @inline(__always)
  mutating func form() throws(ChangeProblem) -> Form {
    let byte = try byte()
    guard let kind = ChangeValueKind(rawValue: UInt64(byte >> 4)), byte & 3 != 0 else { throw malformed }
    if byte & 12 != 0, kind != .word { throw malformed }
    if byte & 5 == 4 || byte & 10 == 8 { throw malformed }
    return Form(
      kind: kind, hasBefore: byte & 1 != 0, hasAfter: byte & 2 != 0, beforeIsFine: byte & 4 != 0,
      afterIsFine: byte & 8 != 0)
  }

  /// A value, with what it points to where it lies in the bytes, or in scratch memory.
  @inline(__always)
  mutating func value(
    _ kind: ChangeValueKind, isFine: Bool, _ scratch: borrowing ChangeScratch
  ) throws(ChangeProblem) -> Cell {
    switch kind {
    case .word: return Cell(low: UInt64(bitPattern: try zigzag()), high: isFine ? UInt64(bitPattern: try zigzag()) : 0)
    case .float: return Cell(low: try word())
    case .decimal: return Cell(low: try word(), high: try word())
    case .byte:
      let value = try varint()
      guard value <= 1 else { throw malformed }
      return Cell(low: value)
    case .code:
      let value = try varint()
      guard value <= UInt64(UInt16.max) else { throw malformed }
      return Cell(low: value)
    case .row: return Cell(low: UInt64(try row()))
    case .text: return try text().cell
    case .wordList, .wideList, .textList: return try list(kind, scratch)
    }
  }

  private mutating func text() throws(ChangeProblem) -> TextView {
    let head = try varint()
    let count = head >> 1
    guard count <= UInt64(left), count <= UInt64(TextView.maximumLength), let start = bytes.baseAddress else {
      throw malformed
    }
    defer { offset += Int(count) }
    // Whether it needs escapes is not said: it follows from the text.
    let flags = (head & 1 != 0 ? TextView.numberFlag : 0) | TextView.escapeFlag(start + offset, Int(count))
    return TextView(start + offset, count: Int(count), flags: flags)
  }

  /// Elements of one list that are read: nulls take a bit in the bytes, and 17 bytes in memory.
  private static let mostElements: UInt64 = 1 << 26

  private mutating func list(_ kind: ChangeValueKind, _ scratch: borrowing ChangeScratch) throws(ChangeProblem) -> Cell
  {
    let number = try varint()
    // Eight elements have a byte of marks at least.
    guard number <= UInt64(left) * 8, number <= Self.mostElements else { throw malformed }
    let count = Int(number)
    if count == 0 { return Cell(low: 0) }
    let width = kind == .wordList ? 8 : 16
    let start = scratch.allocate(count * (width + 1))
    let marks = offset
    let markBytes = (count + 7) / 8
    guard left >= markBytes else { throw malformed }
    offset += markBytes
    for index in 0..<count {
      let isValid = bytes[marks + index / 8] >> UInt8(index & 7) & 1
      (start + (count * width + index)).storeBytes(of: isValid, as: UInt8.self)
      var element = Cell(low: 0)
      if isValid != 0 {
        switch kind {
        case .textList: element = try text().cell
        case .wideList: element = Cell(low: try word(), high: try word())
        default: element = Cell(low: try word())
        }
      }
      (start + index * width).storeBytes(of: element.low, as: UInt64.self)
      if width == 16 { (start + (index * width + 8)).storeBytes(of: element.high, as: UInt64.self) }
    }
    return Cell(low: UInt64(UInt(bitPattern: start)), high: number)
  }

  /// Reads the next field of a row, and passes over its values; nil at the end. The bytes are those of its form and values.
  mutating func nextField() throws(ChangeProblem) -> (column: Int, bytes: Range<Int>, hasAfter: Bool)? {
    guard let column = try next() else { return nil }
    let start = offset
    let form = try form()
    if form.hasBefore { try skip(form.kind, isFine: form.beforeIsFine) }
    if form.hasAfter { try skip(form.kind, isFine: form.afterIsFine) }
    return (column, start..<offset, form.hasAfter)
  }

  /// Returns whether a field leads to a list with nulls among its elements. The bytes are those of its form and values.
  static func hasNull(_ field: UnsafeRawBufferPointer) throws(ChangeProblem) -> Bool {
    var reader = ChangeReader(field)
    let form = try reader.form()
    if form.hasBefore { try reader.skip(form.kind, isFine: form.beforeIsFine) }
    guard form.hasAfter else { return false }
    switch form.kind {
    case .wordList, .wideList, .textList: break
    case .word, .float, .byte, .code, .decimal, .text, .row: throw reader.otherLayout
    }
    let number = try reader.varint()
    let marks = reader.offset
    guard number <= UInt64(reader.left) * 8 else { throw reader.malformed }
    return (0..<Int(number)).contains { field[marks + $0 / 8] >> UInt8($0 & 7) & 1 == 0 }
  }

  /// Passes over a value.
  mutating func skip(_ kind: ChangeValueKind, isFine: Bool) throws(ChangeProblem) {
    switch kind {
    case .word:
      _ = try varint()
      if isFine { _ = try varint() }
    case .byte, .code, .row: _ = try varint()
    case .float: try skip(8)
    case .decimal: try skip(16)
    case .text: try skip(Int(truncatingIfNeeded: try varint() >> 1))
    case .wordList, .wideList, .textList:
      let number = try varint()
      guard number <= UInt64(left) * 8 else { throw malformed }
      let marks = offset
      try skip((Int(number) + 7) / 8)
      for index in 0..<Int(number) where bytes[marks + index / 8] >> UInt8(index & 7) & 1 != 0 {
        switch kind {
        case .textList: try skip(Int(truncatingIfNeeded: try varint() >> 1))
        case .wideList: try skip(16)
        default: try skip(8)
        }
      }
    }
  }

  private mutating func skip(_ count: Int) throws(ChangeProblem) {
    guard count >= 0, count <= left else { throw malformed }
    offset += count
  }

  /// Rows, each written as its distance from the one before.
  mutating func rows(_ count: Int, into rows: inout ContiguousArray<UInt32>) throws(ChangeProblem) {
    var previous: Int64 = 0
    for _ in 0..<count {
      previous += try zigzag()
      guard previous >= 0, previous < Int64(PageLayout.maximumRows) else { throw malformed }
      rows.append(UInt32(truncatingIfNeeded: previous))
    }
  }

  mutating func words(into words: inout ContiguousArray<UInt32>) throws(ChangeProblem) {
    let count = try count()
    words.removeAll(keepingCapacity: true)
    words.reserveCapacity(count)
    for _ in 0..<count {
      let word = try varint()
      guard word <= UInt64(UInt32.max) else { throw malformed }
      words.append(UInt32(truncatingIfNeeded: word))
    }
  }

  // MARK: - Parts

  /// The edit of a list, after its column's number.
  struct List {
    let kept: Int
    let takenOut: Int
    let putIn: Int
  }

  mutating func list() throws(ChangeProblem) -> List {
    let kept = try varint()
    guard kept < UInt64(PageLayout.maximumRows) else { throw malformed }
    let (takenOut, putIn) = (try count(), try count())
    guard takenOut + putIn > 0 else { throw malformed }
    return List(kept: Int(kept), takenOut: takenOut, putIn: putIn)
  }

  /// Reads the changes of the waiting links of a relation, after its place's number.
  mutating func waiting(place: Int) throws(ChangeProblem) -> WaitingChange {
    var change = WaitingChange(place: place)
    while let type = try next() {
      let word = try varint()
      let count = try count()
      guard left >= count else { throw malformed }
      let text = ContiguousArray(bytes[offset..<(offset + count)])
      offset += count
      let form = try byte()
      guard form & ~3 == 0, form != 0 else { throw malformed }
      var entry = WaitingChange.Entry(
        key: DanglingLinks.Key(EntityTypeID(type), word: word, text: text), before: nil, after: nil)
      if form & 1 != 0 { entry.before = try waitingState() }
      if form & 2 != 0 { entry.after = try waitingState() }
      change.entries.append(entry)
    }
    for isOpened in [true, false] {
      var slots: [UInt32] = []
      for _ in 0..<(try count()) { slots.append(try row()) }
      if isOpened { change.opened = slots } else { change.closed = slots }
    }
    return change
  }

  private mutating func waitingState() throws(ChangeProblem) -> DanglingLinks.State {
    let head = try varint()
    return DanglingLinks.State(
      slot: head & 1 == 0 ? nil : try row(), isClaim: head & 2 != 0, sequence: head >> 2)
  }
}

/// Memory for what the values of one row point to.
struct ChangeScratch: ~Copyable {
  private final class Blocks {
    @exclusivity(unchecked) var starts: [UnsafeMutableRawPointer] = []
    deinit { for start in starts { start.deallocate() } }
  }
  private let blocks = Blocks()

  func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let start = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 16), alignment: 16)
    blocks.starts.append(start)
    return start
  }

  /// Frees what was allocated.
  func reset() {
    if blocks.starts.isEmpty { return }
    for start in blocks.starts { start.deallocate() }
    blocks.starts.removeAll(keepingCapacity: true)
  }
}
