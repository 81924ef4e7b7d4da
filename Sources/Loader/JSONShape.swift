import GQLBase

/// A description of where records lie in a JSON text: in one table, or in several.
///
/// One description of it serves the inference of a schema and the load.
struct JSONShape {
  /// A name in the text, and where it stands: keys without their quotes.
  struct Name {
    var text: String
    var range: Range<Int>
  }

  /// Records that lie together.
  struct Table {
    enum Form {
      /// A record a line.
      case lines
      /// A list, whose elements are the records.
      case list
      /// Values behind each other, with or without white space between.
      case sequence
      /// One object.
      case one
      /// An object, whose members are the records, each named for its id.
      case keyed
    }
    /// A way in which records say of which type they are.
    enum Style {
      case plain
      /// `__typename` is the name of a record's type.
      case typed
      /// `{"model": "shop.order", "pk": 1, "fields": {…}}`, as Django writes fixtures.
      case model
    }
    var form: Form
    var style = Style.plain
    /// Marks where the first record, the list or the object begins.
    var start: Int
    /// Holds the key that the list or the object stands at.
    var key: Name?
    /// Indicates whether the table is named for its key, rather than for the file.
    var isNamedByKey = false
    /// Indicates whether only white space may follow.
    var isWhole = true
    /// Holds the name under which the records of an object have their keys: `id`, or another where one of them has an
    /// `id` of its own.
    var keyName = "id"
    /// Holds the keys that tell the table from a record: its own and those of the tables beside it, or those of its
    /// records.
    var keys: Set<String> = []
  }

  var tables: [Table] = []
  /// Holds what is wrong between the tables or behind them.
  var fault: RecordFailure?
  /// Holds the members beside the tables that no table takes, but those that usually stand in envelopes.
  private(set) var leftOut: [Name] = []

  /// Keys of lists that say nothing about what lies in them.
  private static let envelopes: Set<String> = [
    "data", "docs", "documents", "elements", "entries", "features", "hits", "items", "list", "nodes", "objects",
    "payload", "records", "response", "result", "results", "rows", "value", "values", "_embedded",
  ]
  /// Members of envelopes that say something about the list, rather than about what is in it, without case and what
  /// stands between words.
  private static let usual: Set<String> = [
    "apiversion", "attribution", "bbox", "code", "copyright", "count", "crs", "currentpage", "cursor", "error",
    "errors", "etag", "generated", "generatedat", "hasmore", "hasnext", "hasprevious", "href", "incompleteresults",
    "info", "kind", "lastpage", "license", "limit", "links", "maxscore", "message", "meta", "metadata", "next",
    "nextcursor", "nextpage", "nextpagetoken", "nexttoken", "object", "offset", "ok", "page", "pagecount", "pageinfo",
    "pagenumber", "pages", "pagesize", "pagination", "paging", "params", "perpage", "prev", "previous", "previouspage",
    "prevpage", "query", "request", "requestid", "schema", "self", "size", "skip", "status", "statuscode", "success",
    "timedout", "timestamp", "took", "total", "totalcount", "totalhits", "totalitems", "totalpages", "totalrecords",
    "totalresults", "totalsize", "truncated", "type", "version", "warnings",
  ]
  /// Limits the objects inside each other that are looked into for lists.
  private static let deepest = 4
  /// Limits the tables that are looked for in one object.
  private static let mostTables = 1_000
  /// Limits the members that tell whether an object is a table by ids.
  private static let comparedMembers = 1000

  /// Finds the tables of a text.
  ///
  /// - Parameters:
  ///   - isLines: Whether the text is said to have a record a line.
  ///   - isField: Whether the schema's type for the file has a field of that name; nil where there is no such type.
  ///   - isType: Whether the schema has a type of that name; nil where the file is named for one, or there is no schema.
  ///   - isTable: Whether the schema says that there is a table in the file at that key, `*` for the records of an object.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, isLines: Bool?, isField: ((String) -> Bool)? = nil,
    isType: ((String) -> Bool)? = nil, isTable: (String) -> Bool = { _ in false }
  ) {
    var scanner = JSONScanner(bytes)
    scanner.position = TextEncoding.start(of: bytes)
    let kind = scanner.peek()
    let start = scanner.position
    switch kind {
    case .array where isLines != true || Self.isListOfObjects(scanner):
      tables = [Table(form: .list, start: start)]
    case .object:
      findObject(scanner, bytes, isLines: isLines, isField, isType, isTable)
    default: tables = [Table(form: isLines == true ? .lines : .sequence, start: start)]
    }
    for index in tables.indices { tables[index].style = Self.style(of: tables[index], bytes) }
  }

  /// Indicates whether the text is an object without members.
  private(set) var isEmptyObject = false

  // MARK: - Texts that begin with an object

  private mutating func findObject(
    _ scanner: JSONScanner, _ bytes: UnsafeBufferPointer<UInt8>, isLines: Bool?, _ isField: ((String) -> Bool)?,
    _ isType: ((String) -> Bool)?, _ isTable: (String) -> Bool
  ) {
    let start = scanner.position
    let lineEnd = ByteSearch.firstIndex(of: 0x0A, in: bytes, from: start) ?? bytes.count
    var line = JSONScanner(UnsafeBufferPointer(rebasing: bytes[start..<lineEnd]))
    let isLine = (try? line.skipValue()) != nil && line.peek() == .end
    var rest = scanner
    rest.position = lineEnd
    if isLine, isLines == true || rest.peek() != .end {
      tables = [Table(form: .lines, start: start)]
      return
    }
    var whole = scanner
    let isWhole = (try? whole.skipValue()) != nil
    if isWhole, whole.peek() != .end, whole.peek() == .object {
      tables = [Table(form: .sequence, start: start)]
    } else if !isWhole, isLines == true {
      tables = [Table(form: .lines, start: start)]
    } else {
      findTables(bytes, at: start, isField, isType, isTable)
    }
  }

  /// A key, and what stands there.
  private struct Member {
    enum Kind { case records, emptyList, object, null, other }
    var key: Name
    var kind: Kind
    var start: Int
  }

  private mutating func findTables(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ isField: ((String) -> Bool)?,
    _ isType: ((String) -> Bool)?, _ isTable: (String) -> Bool
  ) {
    var scanner = Self.scanner(bytes, at: start)
    let (members, failure) = Self.members(&scanner)
    var found = Self.tables(of: members, bytes, at: start, depth: 0, &leftOut)
    // An object whose type has such fields is a record, unless the schema says that it is none.
    if let isField, found.contains(where: { $0.keys.contains(where: isField) }),
      !found.contains(where: { isTable($0.pathKey) })
    {
      found = []
    }
    if found.isEmpty { leftOut = [] }
    // One that names a type holds tables, even if they are none.
    if found.isEmpty, let isType, members.contains(where: { isType($0.key.text) }) {
      found = members.map { Table(form: .list, start: $0.start, key: $0.key, isNamedByKey: true) }
    }
    if found.isEmpty {
      isEmptyObject = members.isEmpty && failure == nil
      tables = [Table(form: .one, start: start)]
      return
    }
    for index in found.indices { found[index].isWhole = false }
    tables = found
    if let failure {
      // A list that breaks off is reported by its reader.
      var last = Self.scanner(bytes, at: found.last?.start ?? start)
      guard (try? last.skipValue()) != nil else { return }
      fault = RecordFailure(failure, offset: 0)
      return
    }
    do {
      try scanner.finish()
    } catch {
      fault = RecordFailure(error, offset: 0)
    }
  }

  private static func scanner(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> JSONScanner {
    var scanner = JSONScanner(bytes)
    scanner.position = position
    return scanner
  }

  /// Returns the members of an object up to the first that cannot be read, which is the last of them.
  private static func members(_ scanner: inout JSONScanner) -> ([Member], JSONScanner.Failure?) {
    var members: [Member] = []
    var scratch = ByteBuffer(capacity: 64)
    do throws(JSONScanner.Failure) {
      try scanner.beginObject()
      while true {
        scanner.skipSpace()
        let start = scanner.position
        guard let key = try scanner.nextKey(&scratch)?.string else { break }
        let range = RecordReader.keyRange(scanner, from: start)
        let kind = kind(scanner)
        scanner.skipSpace()
        members.append(Member(key: Name(text: key, range: range), kind: kind, start: scanner.position))
        try scanner.skipValue()
      }
      return (members, nil)
    } catch {
      return (members, error)
    }
  }

  private static func kind(_ scanner: JSONScanner) -> Member.Kind {
    var scanner = scanner
    switch scanner.peek() {
    case .object: return .object
    case .null: return .null
    case .array:
      do {
        try scanner.beginArray()
        guard try scanner.nextElement() else { return .emptyList }
        return scanner.peek() == .object ? .records : .other
      } catch {
        return .emptyList
      }
    default: return .other
    }
  }

  private static func isListOfObjects(_ scanner: JSONScanner) -> Bool { kind(scanner) == .records }

  /// Returns the tables in an object; none where it is a record.
  ///
  /// - Parameter leftOut: Receives the members beside them.
  private static func tables(
    of members: [Member], _ bytes: UnsafeBufferPointer<UInt8>, at start: Int, depth: Int, _ leftOut: inout [Name]
  ) -> [Table] {
    if members.contains(where: {
      ($0.kind == .other || $0.kind == .null) && CollectedNames.ids.contains(Text($0.key.text))
    }) {
      return []
    }
    let lists = members.filter { $0.kind == .records || $0.kind == .emptyList }
    let records = lists.filter { $0.kind == .records }
    let areAllLists = lists.count == members.count
    func tables(_ lists: [Member], isNamed: Bool) -> [Table] {
      let keys = Set(lists.map(\.key.text))
      leaveOut(members.filter { !keys.contains($0.key.text) })
      return lists.map {
        Table(form: .list, start: $0.start, key: $0.key, isNamedByKey: isNamed, keys: keys)
      }
    }
    func leaveOut(_ members: [Member]) {
      for member in members where member.kind != .null && member.kind != .emptyList {
        let isMark = member.key.text.first.map { "_@$".contains($0) } ?? true
        if !isMark, !usual.contains(SourceNames.plain(member.key.text)) { leftOut.append(member.key) }
      }
    }
    if records.count > 1 || areAllLists && lists.count > 1 {
      // So many lists are rather the values of one table by names.
      return lists.count > mostTables ? [] : tables(lists, isNamed: true)
    }
    let only = records.first ?? lists.first { areAllLists || envelopes.contains($0.key.text) }
    if let only { return tables([only], isNamed: areAllLists && !envelopes.contains(only.key.text)) }
    let objects = members.filter { $0.kind == .object }
    if isKeyed(members, bytes) {
      let keys = Set(members.map(\.key.text))
      return [Table(form: .keyed, start: start, keyName: keyName(members, bytes), keys: keys)]
    }
    guard depth < deepest else { return [] }
    guard let inner = members.count == 1 ? objects.first : objects.first(where: { envelopes.contains($0.key.text) })
    else { return [] }
    var scanner = scanner(bytes, at: inner.start)
    let (found, failure) = Self.members(&scanner)
    guard failure == nil else { return [] }
    leaveOut(members.filter { $0.start != inner.start })
    return Self.tables(of: found, bytes, at: inner.start, depth: depth + 1, &leftOut)
  }

  /// Returns the name for the keys of records: `id` or, where a record has an `id` that is not its key, the first of
  /// `key`, `key2`, … that no record has.
  private static func keyName(_ members: [Member], _ bytes: UnsafeBufferPointer<UInt8>) -> String {
    var names: Set<String> = []
    var hasOther = false
    var scratch = ByteBuffer(capacity: 64)
    for member in members {
      var scanner = scanner(bytes, at: member.start)
      do throws(JSONScanner.Failure) {
        try scanner.beginObject()
        while let key = try scanner.nextKey(&scratch) {
          if key.bytes.starts(with: "key".utf8) { names.insert(key.string) }
          let isID = key.bytes.equals("id")
          scanner.skipSpace()
          let start = scanner.position
          if isID, scanner.peek() == .string {
            if try scanner.scanString(&scratch).string != member.key.text { hasOther = true }
            continue
          }
          try scanner.skipValue()
          let value = scanner.slice(start, scanner.position)
          if isID, !value.elementsEqual(member.key.text.utf8) { hasOther = true }
        }
      } catch {
        return "id"
      }
    }
    guard hasOther else { return "id" }
    var name = "key"
    var number = 1
    while names.contains(name) {
      number += 1
      name = "key\(number)"
    }
    return name
  }

  /// Returns whether members are records named for their ids: at least three, all of them objects, which share at least
  /// half of their fields.
  private static func isKeyed(_ members: [Member], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard members.count >= 3, members.allSatisfy({ $0.kind == .object }) else { return false }
    var all: Set<String> = []
    var common: Set<String>?
    var scratch = ByteBuffer(capacity: 64)
    for member in members.prefix(comparedMembers) {
      var scanner = scanner(bytes, at: member.start)
      var keys: Set<String> = []
      do throws(JSONScanner.Failure) {
        try scanner.beginObject()
        while let key = try scanner.nextKey(&scratch)?.string {
          keys.insert(key)
          try scanner.skipValue()
        }
      } catch {
        return false
      }
      if keys.isEmpty { return false }
      all.formUnion(keys)
      common = common?.intersection(keys) ?? keys
    }
    return (common?.count ?? 0) * 2 >= all.count
  }

  // MARK: - What records say

  /// Returns what the first record of a table says about itself.
  private static func style(of table: Table, _ bytes: UnsafeBufferPointer<UInt8>) -> Table.Style {
    var scanner = scanner(bytes, at: table.start)
    var scratch = ByteBuffer(capacity: 64)
    do throws(JSONScanner.Failure) {
      switch table.form {
      case .list:
        try scanner.beginArray()
        guard try scanner.nextElement() else { return .plain }
      case .keyed:
        try scanner.beginObject()
        guard try scanner.nextKey(&scratch) != nil else { return .plain }
      case .lines, .sequence, .one: break
      }
      guard scanner.peek() == .object else { return .plain }
      var isTyped = false
      var isModel = true
      var named: Set<String> = []
      try scanner.beginObject()
      while let key = try scanner.nextKey(&scratch)?.string {
        let kind = scanner.peek()
        if key == "__typename", kind == .string { isTyped = true }
        switch key {
        case "model": isModel = isModel && kind == .string
        case "fields": isModel = isModel && kind == .object
        case "pk": break
        default: isModel = false
        }
        named.insert(key)
        try scanner.skipValue()
      }
      if isModel, named.contains("model"), named.contains("fields") { return .model }
      return isTyped ? .typed : .plain
    } catch {
      return .plain
    }
  }
}

extension JSONShape.Table {
  /// Returns the key that the table has in the whole name of its type.
  var pathKey: String { key?.text ?? "*" }

  /// Returns whether its first element is an object, or there is none.
  func holdsObjects(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(bytes)
    scanner.position = start
    guard form == .list else { return scanner.peek() == .object }
    do throws(JSONScanner.Failure) {
      try scanner.beginArray()
      guard try scanner.nextElement() else { return true }
      return scanner.peek() == .object
    } catch {
      return false
    }
  }
}

extension JSONShape.Table.Form {
  /// Returns the form as it is said to people.
  var words: String {
    switch self {
    case .lines: "an object a line"
    case .list: "a list"
    case .sequence: "objects one after the other"
    case .one: "one object"
    case .keyed: "the objects of one object, whose keys are their ids"
    }
  }
}
