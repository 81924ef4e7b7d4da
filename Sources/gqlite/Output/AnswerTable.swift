import GQLBase
import GQLite

/// A list of an answer, or its values that are no lists, as rows and columns.
///
/// A nested object has its fields in columns of their own, `author.name`. Lists are cells, written as JSON.
struct AnswerTable {
  struct Column {
    let name: String
    /// Whether a row may lack the key.
    let isConditional: Bool
  }

  /// What stands in front of the table where an answer has several; nil for values without a list.
  private(set) var title: String?
  private(set) var columns: [Column] = []
  /// Where the keys of objects go: the first one is the row itself.
  private var objects: [ObjectLayout] = []
  /// Whether an element is the only cell of its row.
  private var isPlain = false
  private var source: AnswerReader.Cell
  private var isList: Bool

  /// Names of columns take memory for each level that they are under, so they have a limit; deeper objects are JSON.
  private static let maximumNameBytes = 1 << 16

  /// A table of the elements of a list, or of one object.
  private init(title: String?, name: String, _ shape: AnswerShape, source: AnswerReader.Cell, isList: Bool) {
    self.title = title
    self.source = source
    self.isList = isList
    var room = Self.maximumNameBytes
    if case .object(let members) = shape, !members.isEmpty {
      add(members, prefix: "", isConditional: false, &room)
    } else {
      isPlain = true
      columns = [Column(name: name, isConditional: false)]
    }
  }

  @discardableResult
  private mutating func add(
    _ members: [AnswerShape.Member], prefix: String, isConditional: Bool, _ room: inout Int
  ) -> Int {
    let place = objects.count
    objects.append(ObjectLayout())
    var layout = ObjectLayout()
    for member in members {
      let name = prefix + member.key
      let isConditional = isConditional || member.isConditional
      if case .object(let inner) = member.shape, !inner.isEmpty, Self.fits(inner, under: name, &room) {
        let object = add(inner, prefix: name + ".", isConditional: isConditional, &room)
        layout.add(member.key, .object(object))
      } else {
        layout.add(member.key, .column(columns.count))
        columns.append(Column(name: name, isConditional: isConditional))
      }
    }
    objects[place] = layout
    return place
  }

  private static func fits(_ members: [AnswerShape.Member], under name: String, _ room: inout Int) -> Bool {
    let needed = members.count * (name.utf8.count + 1)
    guard needed <= room else { return false }
    room -= needed
    return true
  }

  /// Makes the tables of an answer: one row of all values that are no lists, then each list.
  static func tables(_ reader: AnswerReader, _ shape: [AnswerShape.Member]) throws(JSONScanner.Failure) -> [AnswerTable]
  {
    var found: [[UInt8]: AnswerReader.Cell] = [:]
    try reader.forEachMember(of: reader.root) { (key, cell) throws(JSONScanner.Failure) in found[Array(key)] = cell }
    var values: [AnswerShape.Member] = []
    var lists: [AnswerTable] = []
    var single: AnswerTable?
    for member in shape {
      guard let cell = found[Array(member.key.utf8)] else { continue }
      switch member.shape {
      case .list(let element):
        lists.append(AnswerTable(title: member.key, name: member.key, element, source: cell, isList: true))
      case .value where cell.kind == .list:
        lists.append(AnswerTable(title: member.key, name: member.key, .value, source: cell, isList: true))
      case .value, .object:
        values.append(member)
        single = AnswerTable(title: member.key, name: member.key, member.shape, source: cell, isList: false)
      }
    }
    // One object alone needs no name before those of its fields.
    if values.count > 1 {
      single = AnswerTable(title: nil, name: "", .object(values), source: reader.root, isList: false)
    }
    if case .value? = values.first?.shape { single?.title = nil }
    var tables = [single].compactMap { $0 } + lists
    if tables.count == 1 { tables[0].title = nil }
    return tables
  }

  /// Leaves columns out that no row has, of those that a row may lack; an empty list keeps all.
  mutating func removeMissingColumns(_ reader: AnswerReader) throws(JSONScanner.Failure) {
    guard columns.contains(where: \.isConditional) else { return }
    var isPresent = columns.map { !$0.isConditional }
    var isEmpty = true
    try forEachRow(reader) { (row) throws(JSONScanner.Failure) in
      isEmpty = false
      for index in row.indices where row[index].kind != .missing { isPresent[index] = true }
    }
    guard !isEmpty, isPresent.contains(true) else { return }
    var numbers: [Int?] = []
    var kept: [Column] = []
    for (index, column) in columns.enumerated() {
      numbers.append(isPresent[index] ? kept.count : nil)
      if isPresent[index] { kept.append(column) }
    }
    columns = kept
    for index in objects.indices { objects[index].renumber(numbers) }
  }

  /// Reads the rows in their order, a cell for each column.
  func forEachRow(
    _ reader: AnswerReader, _ body: ([AnswerReader.Cell]) throws(JSONScanner.Failure) -> Void
  ) throws(JSONScanner.Failure) {
    let empty = [AnswerReader.Cell](repeating: AnswerReader.Cell(), count: columns.count)
    guard isList else {
      // An object that is not there is no row.
      if source.kind == .null, !isPlain { return }
      var row = empty
      try read(source, reader, &row)
      return try body(row)
    }
    guard source.kind == .list else { return }
    var row = empty
    try reader.forEachElement(of: source) { (element) throws(JSONScanner.Failure) in
      for index in row.indices { row[index] = AnswerReader.Cell() }
      try read(element, reader, &row)
      try body(row)
    }
  }

  private func read(
    _ element: AnswerReader.Cell, _ reader: AnswerReader, _ row: inout [AnswerReader.Cell]
  ) throws(JSONScanner.Failure) {
    if isPlain {
      row[0] = element
    } else {
      try read(element, into: 0, reader, &row)
    }
  }

  private func read(
    _ element: AnswerReader.Cell, into object: Int, _ reader: AnswerReader, _ row: inout [AnswerReader.Cell]
  ) throws(JSONScanner.Failure) {
    guard element.kind == .object else { return }
    let layout = objects[object]
    var next = 0
    try reader.forEachMember(of: element) { (key, cell) throws(JSONScanner.Failure) in
      switch layout.target(of: key, &next) {
      case .column(let column): row[column] = cell
      case .object(let inner): try read(cell, into: inner, reader, &row)
      case nil: break
      }
    }
  }
}

/// Where the values of an object's keys go.
private struct ObjectLayout {
  enum Target {
    case column(Int)
    case object(Int)
  }

  private var keys: [[UInt8]] = []
  private var targets: [Target?] = []
  private var places: [[UInt8]: Int] = [:]

  mutating func add(_ key: String, _ target: Target) {
    let key = Array(key.utf8)
    places[key] = keys.count
    keys.append(key)
    targets.append(target)
  }

  /// Gives columns other numbers; nil removes one.
  mutating func renumber(_ numbers: [Int?]) {
    targets = targets.map { target in
      guard case .column(let column)? = target else { return target }
      return numbers[column].map { .column($0) }
    }
  }

  /// Returns where the value of a key goes. Keys mostly come in order, so the search begins at `next`.
  func target(of key: UnsafeBufferPointer<UInt8>, _ next: inout Int) -> Target? {
    if next >= keys.count || !keys[next].elementsEqual(key) {
      guard let place = places[Array(key)] else { return nil }
      next = place
    }
    next += 1
    return targets[next - 1]
  }
}
