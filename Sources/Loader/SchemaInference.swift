import GQLBase

/// Infers a schema from data: what `gqlite schema` prints where no schema is given.
///
/// A field's type is the narrowest that holds all its values: Boolean, Int, Float, Date, DateTime, UUID (only where the
/// text is in the form that it would print in), String, a list of one of these, else JSON. It is non-null where every
/// record has a value. An object with an id is an entity; one without is an embedded object. A field named for a type
/// (`author` is not, `user`, `users` and `userList` are) whose values are all ids of it is a relation.
package struct SchemaInference {
  /// What was seen of the values of one field.
  struct Shape {
    var nulls = 0
    var booleans = 0
    var integers = 0
    var numbers = 0
    var strings = 0
    var lists = 0
    var objects = 0
    var isDate = true
    var isDateTime = true
    var isUUID = true
    var isLarge = false
    var values = 0
    var ids: Set<Text> = []
    var element: [Shape] = []
    var members: [(name: Text, shape: Shape)] = []
    var memberIndex: [Text: Int] = [:]
  }

  private(set) var types: [(name: String, shape: Shape)] = []
  private var typeIndex: [String: Int] = [:]
  /// Relations stay recognisable up to this many distinct values a field.
  private static let keptIDs = 100_000

  package init() {}

  /// Whether no record was read.
  package var isEmpty: Bool { types.isEmpty }

  /// Adds a record of a type.
  mutating func add(_ type: String, _ record: JSONValue) {
    let index = declare(type)
    Self.note(record, in: &types[index].shape, depth: 0)
  }

  /// The place of a type, which is new if it was not seen yet.
  @discardableResult
  private mutating func declare(_ type: String) -> Int {
    if let index = typeIndex[type] { return index }
    types.append((type, Shape()))
    typeIndex[type] = types.count - 1
    return types.count - 1
  }

  private static func note(_ value: JSONValue, in shape: inout Shape, depth: Int) {
    switch value {
    case .null: shape.nulls += 1
    case .bool: shape.booleans += 1
    case .number(let digits):
      if Int64(digits.string) != nil { shape.integers += 1 } else { shape.numbers += 1 }
      note(id: digits, in: &shape)
    case .string(let text):
      shape.strings += 1
      note(id: text, in: &shape)
      guard shape.isDate || shape.isDateTime || shape.isUUID else { break }
      text.bytes.withUnsafeBufferPointer { bytes in
        if shape.isDate { shape.isDate = roundTrips(bytes, CivilTime.parseDate(bytes)) { $0.append(date: $1) } }
        if shape.isDateTime {
          shape.isDateTime = roundTrips(bytes, CivilTime.parseDateTime(bytes)) { $0.append(dateTime: $1) }
        }
        if shape.isUUID { shape.isUUID = UUIDText.normalize(bytes).map { $0.elementsEqual(bytes) } ?? false }
      }
    case .array(let elements):
      shape.lists += 1
      if shape.element.isEmpty { shape.element.append(Shape()) }
      for element in elements { note(element, in: &shape.element[0], depth: depth + 1) }
    case .object(let members):
      shape.objects += 1
      for member in members where member.key != "__typename" {
        let index = shape.memberIndex[member.key] ?? shape.members.count
        if index == shape.members.count {
          shape.members.append((member.key, Shape()))
          shape.memberIndex[member.key] = index
        }
        note(member.value, in: &shape.members[index].shape, depth: depth + 1)
      }
    }
    shape.values += 1
  }

  private static func note(id: Text, in shape: inout Shape) {
    if shape.ids.count < keptIDs { shape.ids.insert(id) } else if !shape.ids.contains(id) { shape.isLarge = true }
  }

  private static func roundTrips(
    _ bytes: UnsafeBufferPointer<UInt8>, _ value: Int64?, _ print: (inout ByteBuffer, Int64) -> Void
  ) -> Bool {
    guard let value else { return false }
    var buffer = ByteBuffer(capacity: 40)
    print(&buffer, value)
    let printed = buffer.takeArray()
    return printed.count == bytes.count + 2 && printed.dropFirst().dropLast().elementsEqual(bytes)
  }

  // MARK: - Writing SDL

  /// The schema as SDL.
  package mutating func sdl() -> String {
    liftEntities()
    var embedded: [(name: String, shape: Shape)] = []
    var text = ""
    for (name, shape) in types {
      text += definition(name, shape, isEntity: true, &embedded)
    }
    var next = 0
    while next < embedded.count {
      text += definition(embedded[next].name, embedded[next].shape, isEntity: false, &embedded)
      next += 1
    }
    return text
  }

  /// Makes types of nested objects that have an id.
  private mutating func liftEntities() {
    var index = 0
    while index < types.count {
      for member in types[index].shape.members {
        let shape = member.shape.lists > 0 ? member.shape.element.first : member.shape
        guard let shape, shape.objects > 0, shape.memberIndex["id"] != nil else { continue }
        let name = target(member.name)?.name ?? Self.typeName(Self.singular(member.name.string))
        let position = typeIndex[name] ?? types.count
        if position == types.count {
          types.append((name, Shape()))
          typeIndex[name] = position
        }
        Self.merge(shape, into: &types[position].shape)
      }
      index += 1
    }
  }

  private static func merge(_ other: Shape, into shape: inout Shape) {
    shape.nulls += other.nulls
    shape.booleans += other.booleans
    shape.integers += other.integers
    shape.numbers += other.numbers
    shape.strings += other.strings
    shape.lists += other.lists
    shape.objects += other.objects
    shape.values += other.values
    shape.isDate = shape.isDate && other.isDate
    shape.isDateTime = shape.isDateTime && other.isDateTime
    shape.isUUID = shape.isUUID && other.isUUID
    shape.isLarge = shape.isLarge || other.isLarge
    shape.ids.formUnion(other.ids)
    if let element = other.element.first {
      if shape.element.isEmpty { shape.element.append(Shape()) }
      merge(element, into: &shape.element[0])
    }
    for member in other.members {
      let index = shape.memberIndex[member.name] ?? shape.members.count
      if index == shape.members.count {
        shape.members.append((member.name, Shape()))
        shape.memberIndex[member.name] = index
      }
      merge(member.shape, into: &shape.members[index].shape)
    }
  }

  private func definition(
    _ name: String, _ shape: Shape, isEntity: Bool, _ embedded: inout [(name: String, shape: Shape)]
  ) -> String {
    var text = "type \(name) {\n"
    // Records without ids are then reported by the load, each with its place.
    if isEntity, shape.memberIndex["id"] == nil { text += "  id: ID!\n" }
    var members = shape.members
    if isEntity, let index = members.firstIndex(where: { $0.name == "id" }) {
      members.swapAt(0, index)
      if index > 1 { members[1...index] = [members[index]] + members[1..<index] }
    }
    for member in members {
      let field = Self.fieldName(member.name.string)
      if isEntity, member.name == "id" {
        text += "  id: ID!\n"
        continue
      }
      let isComplete = member.shape.nulls == 0 && member.shape.values >= shape.objects
      text += "  \(field): \(typeOf(member, owner: name, isComplete: isComplete, &embedded))\n"
    }
    return text + "}\n\n"
  }

  private func typeOf(
    _ member: (name: Text, shape: Shape), owner: String, isComplete: Bool,
    _ embedded: inout [(name: String, shape: Shape)]
  ) -> String {
    let shape = member.shape
    let mark = isComplete ? "!" : ""
    if shape.lists > 0 {
      guard shape.lists + shape.nulls == shape.values, let element = shape.element.first else { return "JSON" + mark }
      if let related = relation(member.name, element) { return "[\(related)!]!" }
      guard element.objects == 0, element.lists == 0 else { return "JSON" + mark }
      let scalar = Self.scalar(element)
      return "[\(scalar)\(element.nulls == 0 ? "!" : "")]" + mark
    }
    if let related = relation(member.name, shape) { return related + mark }
    if shape.objects > 0 {
      guard shape.objects + shape.nulls == shape.values, !shape.members.isEmpty else { return "JSON" + mark }
      let name = owner + Self.typeName(member.name.string)
      embedded.append((name, shape))
      return name + mark
    }
    return Self.scalar(shape) + mark
  }

  /// The entity type that a field links to: by name, and by ids that are all there.
  private func relation(_ name: Text, _ shape: Shape) -> String? {
    if shape.objects > 0, shape.memberIndex["id"] != nil {
      return target(name)?.name ?? Self.typeName(Self.singular(name.string))
    }
    guard shape.integers + shape.strings > 0, shape.booleans + shape.numbers + shape.lists + shape.objects == 0,
      let target = target(name), let key = target.shape.memberIndex["id"]
    else { return nil }
    let ids = target.shape.members[key].shape
    return ids.isLarge || shape.isLarge || shape.ids.isSubset(of: ids.ids) ? target.name : nil
  }

  private func target(_ field: Text) -> (name: String, shape: Shape)? {
    let name = field.string.lowercased()
    return types.first { type in
      let type = type.name.lowercased()
      return name == type || Self.singular(name) == type || name == type + "list"
    }
  }

  private static func scalar(_ shape: Shape) -> String {
    let present = shape.values - shape.nulls
    if present == 0 { return "JSON" }
    if shape.booleans == present { return "Boolean" }
    if shape.integers == present { return "Int" }
    if shape.integers + shape.numbers == present { return "Float" }
    guard shape.strings == present else { return "JSON" }
    if shape.isDate { return "Date" }
    if shape.isDateTime { return "DateTime" }
    return shape.isUUID ? "UUID" : "String"
  }

  static func singular(_ name: String) -> String {
    if name.hasSuffix("ies"), name.count > 3 { return name.dropLast(3) + "y" }
    for suffix in ["sses", "xes", "ches", "shes"] where name.hasSuffix(suffix) { return String(name.dropLast(2)) }
    return name.hasSuffix("s") && !name.hasSuffix("ss") && name.count > 1 ? String(name.dropLast()) : name
  }

  private static func typeName(_ name: String) -> String {
    let safe = String(String.UnicodeScalarView(name.unicodeScalars.map { isNameScalar($0) ? $0 : "_" }))
    return safe.prefix(1).uppercased() + safe.dropFirst()
  }

  private static func fieldName(_ name: String) -> String {
    let isPlain =
      !name.isEmpty && name.unicodeScalars.allSatisfy(isNameScalar)
      && !(name.unicodeScalars.first.map { ("0"..."9").contains($0) } ?? true)
    return isPlain ? name : "`" + name.replacing("`", with: "'").replacing("\n", with: " ") + "`"
  }

  private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
  }
}

extension SchemaInference {
  /// Reads all records of the files; what cannot be read is left for the load to report.
  package mutating func read(_ files: [LoadFile]) {
    for file in files {
      // A file without records has a type all the same.
      if let type = file.typeName { declare(type) }
      switch file.format {
      case .ndjson: readLines(file)
      case .json: readJSON(file)
      case .csv: readCSV(file)
      }
    }
  }

  private mutating func readLines(_ file: LoadFile) {
    let bytes = file.file.bytes
    var position = Self.textStart(bytes)
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      if let record = try? JSONValue.parse(UnsafeBufferPointer(rebasing: bytes[position..<end])) {
        add(record, file)
      }
      position = end + 1
    }
  }

  /// Behind a byte order mark.
  private static func textStart(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  private mutating func readJSON(_ file: LoadFile) {
    let bytes = file.file.bytes
    guard let value = try? JSONValue.parse(UnsafeBufferPointer(rebasing: bytes[Self.textStart(bytes)...])) else {
      return
    }
    switch value {
    case .array(let records): for record in records { add(record, file) }
    case .object(let members) where file.typeName == nil:
      for member in members {
        guard case .array(let records) = member.value else { continue }
        for record in records { add(member.key.string, record) }
      }
    default: add(value, file)
    }
  }

  private mutating func add(_ record: JSONValue, _ file: LoadFile) {
    guard case .object = record else { return }
    if let type = file.typeName {
      add(type, record)
    } else if case .string(let type)? = record["__typename"] {
      add(type.string, record)
    }
  }

  private mutating func readCSV(_ file: LoadFile) {
    guard let type = file.typeName else { return }
    var csv = CSVReader(file.file.bytes)
    var fields: [CSVReader.Field] = []
    guard (try? csv.nextLine(into: &fields)) != nil else { return }
    func text(_ field: CSVReader.Field) -> Text {
      Text(field.decoded ?? Array(file.file.bytes[field.start..<field.end]))
    }
    let names = fields.map(text)
    while !csv.isAtEnd {
      guard (try? csv.nextLine(into: &fields)) != nil else {
        csv.skipLine()
        continue
      }
      guard fields.count == names.count else { continue }
      add(
        type,
        .object(
          zip(names, fields).map { name, field in
            JSONValue.Member(name, Self.csvValue(text(field), isQuoted: field.isQuoted))
          }))
    }
  }

  private static func csvValue(_ text: Text, isQuoted: Bool) -> JSONValue {
    if text.isEmpty { return isQuoted ? .string(text) : .null }
    if text == "true" || text == "false" { return .bool(text == "true") }
    // Only what a JSON number could be: `007` and `+1` are texts.
    if case .number(let digits)? = try? JSONValue.parse(Array(text.bytes)) { return .number(digits) }
    return .string(text)
  }
}
