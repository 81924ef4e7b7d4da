import GQLBase

/// A reader of the records of a table in a JSON text, one by one.
///
/// ``next()`` leads to a record, whose object is then read with ``scanner``; ``end()`` follows it, or ``recover()``
/// where it could not be read.
struct JSONRecords: ~Copyable {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let table: JSONShape.Table
  /// Stands before the object of the record, and moves as it is read.
  var scanner: JSONScanner
  /// Marks where the text of the scanner begins in the file.
  private(set) var offset = 0
  /// Holds the name of its table that the record says.
  private(set) var name: JSONShape.Name?
  /// Returns the name of the field that ``id`` is the value of.
  var keyName: String { table.keyName }
  /// Stands before an id that does not lie in the object.
  private(set) var id: JSONScanner?
  /// Holds the scanner before the record as a whole.
  private var start: JSONScanner
  /// Marks where the record ends, if it does not end with its object.
  private var after: Int?
  private var scratch = ByteBuffer(capacity: 64)
  private var hasBegun = false

  /// - Parameter lines: Of a table of lines, the range of those that are read.
  init(_ table: JSONShape.Table, _ bytes: UnsafeBufferPointer<UInt8>, lines: Range<Int>? = nil) {
    var table = table
    if let lines { table.start = lines.lowerBound }
    let bytes = UnsafeBufferPointer(rebasing: bytes[..<(lines?.upperBound ?? bytes.count)])
    self.table = table
    self.bytes = bytes
    scanner = JSONScanner(bytes)
    scanner.position = table.start
    start = scanner
  }

  /// Returns where the reader stands in the file.
  var position: Int { scanner.position + offset }

  /// Leads to the next record; false after the last.
  ///
  /// - Throws: where the text around the records cannot be read, so that there is no next one.
  mutating func next() throws(RecordFailure) -> Bool {
    do throws(JSONScanner.Failure) {
      guard try advance() else { return false }
    } catch {
      throw RecordFailure(error, offset: offset)
    }
    start = scanner
    name = nil
    after = nil
    if table.style != .plain { inspect() }
    return true
  }

  private mutating func advance() throws(JSONScanner.Failure) -> Bool {
    switch table.form {
    case .lines: return advanceLine()
    case .sequence: return scanner.peek() != .end
    case .one:
      if hasBegun {
        try scanner.finish()
        return false
      }
      hasBegun = true
    case .list:
      if !hasBegun { try scanner.beginArray() }
      hasBegun = true
      guard try scanner.nextElement() else { return try isLeft() }
    case .keyed:
      if !hasBegun { try scanner.beginObject() }
      hasBegun = true
      scanner.skipSpace()
      var key = scanner
      guard try scanner.nextKey(&scratch) != nil else { return try isLeft() }
      if key.position < scanner.count, scanner.slice(key.position, key.position + 1).first == 0x2C { key.position += 1 }
      key.skipSpace()
      id = key
    }
    scanner.skipSpace()
    return true
  }

  /// Demands that nothing follows the table, if it is all of the text.
  private mutating func isLeft() throws(JSONScanner.Failure) -> Bool {
    if table.isWhole { try scanner.finish() }
    return false
  }

  private mutating func advanceLine() -> Bool {
    var position = hasBegun ? offset + scanner.count + 1 : table.start
    hasBegun = true
    while position < bytes.count {
      let end = ByteSearch.firstIndex(of: 0x0A, in: bytes, from: position) ?? bytes.count
      scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[position..<end]))
      offset = position
      if scanner.peek() != .end { return true }
      position = end + 1
    }
    return false
  }

  /// A member of a record that says something about the record as a whole.
  private enum Mark {
    case typename, model, key, fields

    init?(_ key: JSONText) {
      if key.bytes.equals("__typename") {
        self = .typename
      } else if key.bytes.equals("model") {
        self = .model
      } else if key.bytes.equals("pk") {
        self = .key
      } else if key.bytes.equals("fields") {
        self = .fields
      } else {
        return nil
      }
    }
  }

  /// Finds what the record says about itself. What is no object says nothing.
  private mutating func inspect() {
    var inner = scanner
    guard inner.peek() == .object, (try? inner.beginObject()) != nil else { return }
    var fields: JSONScanner?
    var key: JSONScanner?
    var model: JSONShape.Name?
    while let member = try? inner.nextKey(&scratch) {
      let mark = Mark(member)
      let kind = inner.peek()
      let value = inner
      switch (table.style, mark, kind) {
      case (.typed, .typename, .string):
        // Its fields are read once, by those who want them.
        name = text(&inner)
        return
      case (.model, .model, .string):
        model = text(&inner)
        guard model != nil else { return }
        continue
      case (.model, .fields, .object): fields = value
      case (.model, .key, _): key = kind == .null ? nil : value
      default: break
      }
      guard (try? inner.skipValue()) != nil else { return }
    }
    guard var found = model, let fields else { return }
    // `shop.order` is the model `order` of the application `shop`.
    if let dot = found.text.lastIndex(of: ".") { found.text = String(found.text[found.text.index(after: dot)...]) }
    name = found
    id = key
    after = inner.position
    scanner = fields
  }

  /// Reads the text that a scanner stands before.
  private mutating func text(_ value: inout JSONScanner) -> JSONShape.Name? {
    value.skipSpace()
    let start = value.position + offset
    guard let text = try? value.scanString(&scratch).string else { return nil }
    return JSONShape.Name(text: text, range: start..<value.position + offset)
  }

  /// Goes behind a record that was read.
  ///
  /// - Throws: where a line holds more.
  mutating func end() throws(RecordFailure) {
    let end = after ?? scanner.position
    scanner = start
    scanner.position = end
    guard table.form == .lines else { return }
    do {
      try scanner.finish()
    } catch {
      throw RecordFailure(error, offset: offset)
    }
  }

  /// Goes behind a record that could not be read; false where there is no telling where the next one begins.
  mutating func recover() -> Bool {
    if table.form == .lines { return true }
    scanner = start
    return (try? scanner.skipValue()) != nil
  }

  /// Returns what is wrong with the record as JSON, if anything.
  func fault() -> RecordFailure? {
    var scanner = start
    do throws(JSONScanner.Failure) {
      try scanner.skipValue()
      if table.form == .lines { try scanner.finish() }
      return nil
    } catch {
      return RecordFailure(error, offset: offset)
    }
  }
}
