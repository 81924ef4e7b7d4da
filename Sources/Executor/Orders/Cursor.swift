import GQLBase
import GQLCatalog
import GQLStore

/// What is wrong with a cursor.
package enum CursorFault: Sendable, Hashable {
  case malformed, version, otherList
}

/// A place in a list: behind one of its members.
///
/// ```
/// version │ fingerprint │ for each order term: 0, or 1 and the value │ row │ neighbors: count, rows │ check sum
/// ```
/// in base64 with the letters that URLs allow. The row decides between members with equal terms in canonical order.
/// In a list of links it is the member's place in the run that decides, which the row finds as long as it is linked;
/// else the nearest of the members that stood before it.
struct Cursor {
  static let version: UInt8 = 1
  /// How many rows that stood before the member are kept.
  static let neighbors = 6
  /// A cursor cannot be longer: key values have no limit of their own, but what passes through a variable has.
  static let maximumBytes = 1 << 20

  /// In the form of cells; nil for null. Texts live in the scratch memory of the run.
  var keys: [Cell?] = []
  var row: UInt32 = 0
  var neighbors: [UInt32] = []

  // MARK: - Writing

  static func begin(_ fingerprint: UInt64, into bytes: inout ByteBuffer) {
    bytes.append(version)
    append(fingerprint, 8, to: &bytes)
  }

  /// Appends an order term's value.
  static func append(_ cell: Cell?, _ type: ValueType, to bytes: inout ByteBuffer) {
    guard let cell else { return bytes.append(0) }
    bytes.append(1)
    switch ColumnKind(type) {
    case .int64, .float64, .byte, .code, .reference: append(cell.low, 8, to: &bytes)
    case .decimal:
      var text = ByteBuffer(capacity: 48)
      text.append(decimal: cell.decimal)
      append(count: text.count, to: &bytes)
      bytes.append(text.start, text.count)
    case .text, .wordList, .wideList, .references:
      TextView(cell).withBytes { start, count in
        append(count: count, to: &bytes)
        bytes.append(start, count)
      }
    }
  }

  static func append(count: Int, to bytes: inout ByteBuffer) {
    var rest = UInt64(max(count, 0))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  private static func append(_ word: UInt64, _ count: Int, to bytes: inout ByteBuffer) {
    for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(place * 8))) }
  }

  /// Adds the check sum and appends the letters, with quotes.
  static func finish(_ bytes: inout ByteBuffer, into output: inout ByteBuffer) {
    append(UInt64(checkSum(UnsafeRawBufferPointer(start: bytes.start, count: bytes.count))), 4, to: &bytes)
    output.append(0x22)
    let start = output.count
    Base64.encode(UnsafeRawBufferPointer(start: bytes.start, count: bytes.count), into: &output)
    while output.count > start, (output.start + (output.count - 1)).load(as: UInt8.self) == 0x3D {
      output.truncate(to: output.count - 1)
    }
    for place in start..<output.count {
      switch (output.start + place).load(as: UInt8.self) {
      case 0x2B: output.overwrite(place, 0x2D)
      case 0x2F: output.overwrite(place, 0x5F)
      default: break
      }
    }
    output.append(0x22)
  }

  /// FNV-1a: against mistakes, not against malice, which may only find another place in the same list.
  private static func checkSum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var hash: UInt32 = 0x811C_9DC5
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return hash
  }

  // MARK: - Reading

  /// The bytes of a cursor's letters; nil if these are none.
  private static func bytes(_ cell: Cell) -> [UInt8]? {
    TextView(cell).withBytes { start, count in
      guard count >= 16, count <= maximumBytes, count % 4 != 1 else { return nil }
      var letters = [UInt8](repeating: 0x3D, count: (count + 3) / 4 * 4)
      for place in 0..<count {
        let letter = (start + place).load(as: UInt8.self)
        switch letter {
        case 0x2D: letters[place] = 0x2B
        case 0x5F: letters[place] = 0x2F
        case 0x2B, 0x2F, 0x3D: return nil
        default: letters[place] = letter
        }
      }
      return letters.withUnsafeBufferPointer { Base64.decode($0) }
    }
  }

  /// Reads a cursor of a list with this fingerprint and order.
  init(_ cell: Cell, _ fingerprint: UInt64, _ order: CompiledOrder?, _ scratch: ScratchArena) throws(CursorFailure) {
    guard let bytes = Cursor.bytes(cell) else { throw CursorFailure(.malformed) }
    var reader = Reader(bytes: bytes, end: bytes.count - 4)
    guard reader.end >= 9 else { throw CursorFailure(.malformed) }
    let sum = bytes.withUnsafeBytes { Cursor.checkSum(UnsafeRawBufferPointer(rebasing: $0[..<(bytes.count - 4)])) }
    let written = bytes[(bytes.count - 4)...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard sum == written else { throw CursorFailure(.malformed) }
    guard bytes[0] == Cursor.version else { throw CursorFailure(.version) }
    reader.place = 1
    guard reader.word() == fingerprint else { throw CursorFailure(.otherList) }
    for term in order?.terms ?? [] {
      switch reader.byte() {
      case 0: keys.append(nil)
      case 1:
        guard let cell = reader.cell(term.type, scratch) else { throw CursorFailure(.malformed) }
        keys.append(cell)
      default: throw CursorFailure(.malformed)
      }
    }
    guard let row = reader.row(), let count = reader.count(), count <= Cursor.neighbors else {
      throw CursorFailure(.malformed)
    }
    self.row = row
    for _ in 0..<count {
      guard let row = reader.row() else { throw CursorFailure(.malformed) }
      neighbors.append(row)
    }
    guard reader.place == reader.end else { throw CursorFailure(.malformed) }
  }

  struct CursorFailure: Error {
    var fault: CursorFault
    init(_ fault: CursorFault) { self.fault = fault }
  }

  private struct Reader {
    let bytes: [UInt8]
    let end: Int
    var place = 0

    init(bytes: [UInt8], end: Int) {
      self.bytes = bytes
      self.end = end
    }

    mutating func byte() -> UInt8? {
      guard place < end else { return nil }
      place += 1
      return bytes[place - 1]
    }

    mutating func word() -> UInt64? {
      guard end - place >= 8 else { return nil }
      var word: UInt64 = 0
      for index in 0..<8 { word |= UInt64(bytes[place + index]) << UInt64(index * 8) }
      place += 8
      return word
    }

    mutating func count() -> Int? {
      var result: UInt64 = 0
      for shift in stride(from: 0, to: 35, by: 7) {
        guard let byte = byte() else { return nil }
        result |= UInt64(byte & 0x7F) << UInt64(shift)
        if byte & 0x80 == 0 { return Int(result) }
      }
      return nil
    }

    mutating func row() -> UInt32? { count().flatMap { UInt32(exactly: $0) } }

    /// Mutations may nest deeper than the scanner goes; behind that a text that is no JSON does no harm.
    private static func isJSON(_ text: [UInt8]) -> Bool {
      do throws(JSONScanner.Failure) { _ = try JSONValue.parse(text) } catch { return error.problem == .tooDeep }
      return true
    }

    mutating func cell(_ type: ValueType, _ scratch: ScratchArena) -> Cell? {
      switch ColumnKind(type) {
      case .int64: return word().map { Cell(low: $0) }
      case .float64:
        guard let word = word(), Double(bitPattern: word).isFinite else { return nil }
        return Cell(low: word)
      case .byte: return word().flatMap { $0 <= 1 ? Cell(low: $0) : nil }
      case .code: return word().flatMap { $0 <= UInt64(UInt16.max) ? Cell(low: $0) : nil }
      case .reference: return word().flatMap { $0 <= UInt64(UInt32.max) ? Cell(low: $0) : nil }
      case .decimal, .text, .wordList, .wideList, .references:
        guard let count = count(), count <= end - place else { return nil }
        let text = Array(bytes[place..<(place + count)])
        place += count
        switch type {
        case .scalar(.decimal): return Decimal(parsing: String(decoding: text, as: UTF8.self)).map { Cell($0) }
        case .scalar(.json): if !Self.isJSON(text) { return nil }
        default: break
        }
        if case .list = type { return nil }
        let copy = scratch.allocate(count)
        text.withUnsafeBytes { source in
          if let start = source.baseAddress { copy.copyMemory(from: start, byteCount: count) }
        }
        return TextView(copy, count: count).cell
      }
    }
  }
}
