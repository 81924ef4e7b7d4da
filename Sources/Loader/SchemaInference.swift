import GQLBase
import GQLCatalog

/// Infers a schema from data: what `gqlite schema` prints where no schema is given.
///
/// A field's type is the narrowest that holds all its values: Boolean, Int, Float, Date, DateTime (in any form that is
/// read), UUID (only where the text is in the form that it would print in), String, a list of one of these, else JSON. It is non-null where every
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
    /// A column of a CSV file, whose cells are all texts at first.
    var isOfCSV = false
    /// Hashes of the texts and digits.
    var ids: Set<Int> = []
    var element: [Shape] = []
    var members: [(name: Text, shape: Shape)] = []
    var memberIndex: [Text: Int] = [:]

    mutating func noteNull() {
      nulls += 1
      values += 1
    }

    mutating func noteBoolean() {
      booleans += 1
      values += 1
    }

    mutating func note(_ number: JSONNumber) {
      if number.int64 != nil { integers += 1 } else { numbers += 1 }
      values += 1
      note(id: number.bytes)
    }

    mutating func note(text: UnsafeBufferPointer<UInt8>) {
      strings += 1
      values += 1
      note(id: text)
      if isDate { isDate = CivilTime.parseDate(text) != nil }
      if isDateTime { isDateTime = CivilTime.parseDateTime(text) != nil }
      if isUUID { isUUID = UUIDText.normalize(text).map { $0.elementsEqual(text) } ?? false }
    }

    private mutating func note(id: UnsafeBufferPointer<UInt8>) {
      var hasher = Hasher()
      hasher.combine(bytes: UnsafeRawBufferPointer(id))
      let hash = hasher.finalize()
      if ids.count < SchemaInference.keptIDs { ids.insert(hash) } else if !ids.contains(hash) { isLarge = true }
    }
  }

  private(set) var types: [(name: String, shape: Shape)] = []
  /// The first thing that could not be read.
  package internal(set) var problem: LoadFailure?
  private var typeIndex: [String: Int] = [:]
  private var embeddedNames: Set<String> = []
  /// Relations stay recognisable up to this many distinct values a field.
  private static let keptIDs = 100_000

  package init() {}

  /// Whether no record was read.
  package var isEmpty: Bool { types.isEmpty }

  /// Adds to the type what `body` notes of a record. The load reports types that cannot be.
  mutating func note<E: Error>(_ type: String, _ body: (inout Shape) throws(E) -> Void) throws(E) {
    guard Self.isTypeName(type) else { return }
    let index = declare(type)
    try body(&types[index].shape)
  }

  /// The place of a type, which is new if it was not seen yet.
  @discardableResult
  mutating func declare(_ type: String) -> Int {
    if let index = typeIndex[type] { return index }
    types.append((type, Shape()))
    typeIndex[type] = types.count - 1
    return types.count - 1
  }

  /// Declares the fields of a type: a line of names is no record, but says what fields there are.
  mutating func declare(_ type: String, _ columns: CSVColumns) {
    let index = declare(type)
    Self.declare(columns, in: &types[index].shape)
  }

  private static func declare(_ columns: CSVColumns, in shape: inout Shape) {
    for field in columns.fields where isFieldName(field.name.string) {
      let place = place(of: field.name, in: &shape)
      shape.members[place].shape.isOfCSV = true
      declare(field.inner, in: &shape.members[place].shape)
    }
  }

  private static func place(of name: Text, in shape: inout Shape) -> Int {
    if let place = shape.memberIndex[name] { return place }
    shape.members.append((name, Shape()))
    shape.memberIndex[name] = shape.members.count - 1
    return shape.members.count - 1
  }

  /// Notes a value that was found to be JSON. It is read where it stands: a tree of it would take many times its size.
  static func note(
    _ scanner: inout JSONScanner, _ scratch: inout ByteBuffer, in shape: inout Shape
  ) throws(JSONScanner.Failure) {
    switch scanner.peek() {
    case .null, .end, .invalid:
      try scanner.scanNull()
      shape.noteNull()
    case .boolean:
      _ = try scanner.scanBool()
      shape.noteBoolean()
    case .number: shape.note(try scanner.scanNumber())
    case .string: shape.note(text: try scanner.scanString(&scratch).bytes)
    case .array:
      shape.lists += 1
      shape.values += 1
      if shape.element.isEmpty { shape.element.append(Shape()) }
      try scanner.beginArray()
      while try scanner.nextElement() { try note(&scanner, &scratch, in: &shape.element[0]) }
    case .object:
      shape.objects += 1
      shape.values += 1
      try scanner.beginObject()
      while let key = try scanner.nextKey(&scratch)?.text {
        let known = shape.memberIndex[key]
        // The load says where a name is that no field can have.
        guard known != nil || isFieldName(key.string) else {
          try scanner.skipValue()
          continue
        }
        let place = known ?? place(of: key, in: &shape)
        try note(&scanner, &scratch, in: &shape.members[place].shape)
      }
    }
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
      let index = place(of: member.name, in: &shape)
      merge(member.shape, into: &shape.members[index].shape)
    }
  }

  private mutating func definition(
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
      let isComplete = shape.objects > 0 && member.shape.nulls == 0 && member.shape.values >= shape.objects
      text += "  \(field): \(typeOf(member, owner: name, isComplete: isComplete, &embedded))\n"
    }
    return text + "}\n\n"
  }

  private mutating func typeOf(
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
    if shape.objects > 0 || !shape.members.isEmpty {
      guard shape.objects + shape.nulls == shape.values, !shape.members.isEmpty else { return "JSON" + mark }
      let name = unused(owner + Self.typeName(member.name.string))
      embedded.append((name, shape))
      return name + mark
    }
    return Self.scalar(shape) + mark
  }

  /// A name for an embedded type that no other type has: `a-b` and `a_b` are one otherwise.
  private mutating func unused(_ name: String) -> String {
    var result = name
    var number = 2
    while typeIndex[result] != nil || !embeddedNames.insert(result).inserted {
      result = "\(name)\(number)"
      number += 1
    }
    return result
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
    guard shape.strings == present else { return shape.isOfCSV && shape.lists + shape.objects == 0 ? "String" : "JSON" }
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
    let upper = safe.prefix(1).uppercased() + safe.dropFirst()
    if isTypeName(upper) { return upper }
    return upper.first?.isLetter ?? false ? upper + "2" : "T" + upper
  }

  /// Whether a schema can have a type of that name.
  static func isTypeName(_ name: String) -> Bool {
    isPlain(name) && !name.hasPrefix("__") && !EntityType.reservedNames.contains(name)
  }

  /// Whether a schema can have a field of that name, in backquotes where it must be.
  private static func isFieldName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix("__") && !Property.reservedNames.contains(name)
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x60 && $0 != 0x7F }
  }

  private static func fieldName(_ name: String) -> String { isPlain(name) ? name : "`\(name)`" }

  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.unicodeScalars.allSatisfy(isNameScalar)
      && !(name.unicodeScalars.first.map { ("0"..."9").contains($0) } ?? true)
  }

  private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
  }
}
