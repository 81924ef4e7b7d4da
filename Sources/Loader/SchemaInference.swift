import GQLBase
import GQLCatalog
import GQLWriting

/// Infers a schema from records: what `gqlite schema` prints where no schema is given.
///
/// All records are read once, value by value, into shapes: what kinds of values a name has, whether one is missing. The
/// values themselves are remembered, by their hashes, only where a name is that of a key or a relation. A relation may
/// be to a type that is found inside of others; then the records are read a second time, with all names known.
package struct SchemaInference: Sendable {
  /// A type that records belong to.
  struct Draft: Sendable {
    /// Holds the name of the file, table or key; nil for nested objects that have an id.
    var source: String?
    /// Holds where its records lie in their file, if that must be told from a record.
    var place: LoadFile.Place?
    /// Holds what the type is called by, where the source is a whole name that tells it from another.
    var calledLike: String?
    var shape = ValueShape()
    /// Holds the type of a table of SQLite, whose fields the file says.
    var table: SchemaDraft.TypeDraft?
    var name = ""
    var identity = Identity.none
  }

  /// A member, or the number of the row, that tells the records of a type from each other.
  enum Identity: Equatable {
    /// Not decided yet.
    case none
    /// A member, as the field `id`.
    case id(Text)
    /// A member under its own name.
    case key(Text)
    case rowNumber

    var member: Text? {
      switch self {
      case .id(let name), .key(let name): name
      case .none, .rowNumber: nil
      }
    }
  }

  var types: [Draft] = []
  private var places: [String: Int] = [:]
  private(set) var reader: ShapeReader
  /// By type and column: what the caller says is the id.
  let ids: [String: String]
  /// Holds the first thing that could not be read.
  package internal(set) var problem: LoadFailure?
  var notes: [String] = []

  /// - Parameters:
  ///   - sources: The names of the types that are known beforehand.
  ///   - ids: By type, the column that is the id.
  init(_ sources: [String], wanted: Set<Text> = [], ids: [String: String] = [:]) {
    reader = ShapeReader(CollectedNames(types: sources, wanted: wanted.union(ids.values.map { Text($0) })))
    self.ids = ids
  }

  /// Returns whether no record was read.
  package var isEmpty: Bool { types.isEmpty }

  /// Returns the place of a type, which is added if it was not seen yet.
  @discardableResult
  mutating func declare(_ source: String) -> Int {
    if let index = places[source] { return index }
    types.append(Draft(source: source))
    places[source] = types.count - 1
    return types.count - 1
  }

  /// Says where the records of a type lie in their file.
  mutating func set(_ place: LoadFile.Place, of source: String) { types[declare(source)].place = place }

  /// Adds a type that is told by its source from another, which is called like it.
  mutating func declare(_ source: String, calledLike name: String) {
    types[declare(source)].calledLike = name
  }

  /// Adds a table of SQLite, whose records are looked at for the values of its keys and of columns that may relate.
  mutating func declare(_ table: SchemaDraft.TypeDraft, _ source: String) {
    let index = declare(source)
    types[index].table = table
    types[index].name = table.name
    types[index].identity = table.key.map { .id(Text($0)) } ?? .rowNumber
  }

  /// Returns whether a table of SQLite has that name.
  func isTable(_ source: String) -> Bool { places[source].map { types[$0].table != nil } ?? false }

  /// Declares the columns of a CSV file.
  mutating func declare(_ source: String, _ columns: inout CSVColumns) {
    let index = declare(source)
    columns.declare(in: &types[index].shape, &reader)
  }

  /// Notes a line of a CSV file as a record of the type at a place.
  mutating func note(
    _ place: Int, _ line: [CSVReader.Field], _ columns: CSVColumns, _ bytes: UnsafeBufferPointer<UInt8>,
    _ arena: StagingArena
  ) {
    columns.note(line, bytes, arena, in: &types[place].shape)
  }

  /// Notes a record of the type at a place, and the id that it has besides its members.
  mutating func note(
    _ place: Int, _ scanner: inout JSONScanner, id: JSONScanner?, named keyName: String, _ scratch: inout ByteBuffer
  ) throws(JSONScanner.Failure) {
    try reader.note(&scanner, in: &types[place].shape, &scratch, isNested: false)
    guard var id else { return }
    let member = reader.place(of: Text(keyName), in: &types[place].shape)
    guard member >= 0, types[place].shape.members[member].shape.values < types[place].shape.objects else { return }
    try reader.note(&id, in: &types[place].shape.members[member].shape, &scratch)
  }

  // MARK: - Parts

  /// Returns an inference that has read nothing, for a part of the records of one type or, without one, of any.
  ///
  /// - Parameter count: How many parts are read before they are merged: together they meet no more names than may be.
  func part(of source: String?, among count: Int) -> SchemaInference {
    var part = self
    if let source {
      part.types = places[source].map { [types[$0]] } ?? []
      part.places = part.types.isEmpty ? [:] : [source: 0]
    }
    for index in part.types.indices { part.types[index].shape = part.types[index].shape.emptied }
    part.reader.room = reader.room / count
    return part
  }

  /// Returns whether so many names were met that a part cannot be merged.
  var isFull: Bool { reader.room <= 0 }

  /// Adds the records of a part, as if they were read now.
  mutating func merge(_ part: SchemaInference) {
    for draft in part.types {
      guard let source = draft.source else { continue }
      let place = declare(source)
      types[place].calledLike = draft.calledLike
      reader.room -= types[place].shape.merge(draft.shape)
    }
  }

  /// Adds a type of nested objects.
  mutating func addNested(named name: String, _ shape: ValueShape, id: Text) -> Int {
    var draft = Draft(shape: shape, identity: .id(id))
    draft.name = name
    types.append(draft)
    return types.count - 1
  }

  /// Gives every type its name, and returns the names that are in use.
  mutating func nameTypes() -> UniqueNames {
    var names = UniqueNames(SourceNames.reservedTypes)
    for type in types { if let table = type.table { _ = names.take(table.name) } }
    types = namedTypes(&names, &notes)
    return names
  }

  /// Writes the types as a schema.
  func written(_ names: UniqueNames) throws(LoadFailure) -> InferredSchema {
    var writer = InferenceWriter(types, names)
    let sdl = try writer.sdl()
    return InferredSchema(sdl: sdl, notes: notes + writer.notes)
  }
}

/// A rule for the names of columns whose values are remembered.
struct CollectedNames {
  /// Holds the names of types, in the singular too, without case and underscores.
  private var types: Set<String> = []
  private let wanted: Set<Text>
  static let ids = ["id", "ID", "Id", "_id", "pk"].map { Text($0) }
  /// Holds the names of ids of objects in records.
  static let nestedIDs = ids.filter { $0 != "pk" }
  private static let keys: Set<String> = ["key", "url", "uuid", "code"]

  init(types: [String], wanted: Set<Text>) {
    self.wanted = wanted
    for type in types {
      let name = SourceNames.type(type)
      self.types.insert(SourceNames.plain(name))
      self.types.insert(SourceNames.plain(SourceNames.singular(name)))
    }
  }

  func contains(_ name: Text, in shape: ValueShape) -> Bool {
    if wanted.contains(name) || Self.ids.contains(name) { return true }
    let text = name.string
    if Self.keys.contains(text.lowercased()) { return !Self.ids.contains { shape.place(of: $0) != nil } }
    let base = SourceNames.withoutIDEnding(text) ?? text
    let plain = SourceNames.plain(base)
    return types.contains(plain) || types.contains(SourceNames.singular(plain))
      || plain.hasSuffix("list") && types.contains(String(plain.dropLast(4)))
  }

  /// Returns whether a column is a key by its name alone: those of `<type>_id` are one of the type.
  static func isKey(_ name: String) -> Bool { keys.contains(name.lowercased()) }
}

/// Reads values into shapes where they stand: a tree of them would take many times their size.
struct ShapeReader {
  let names: CollectedNames
  /// Counts the names that may still be met: each takes much more memory than its bytes.
  var room = 200_000
  static let mostMembers = SchemaInference.mostFields

  init(_ names: CollectedNames) { self.names = names }

  /// - Parameter isNested: Whether the value lies in a record, where an object of an id alone is a link.
  mutating func note(
    _ scanner: inout JSONScanner, in shape: inout ValueShape, _ scratch: inout ByteBuffer, isNested: Bool = true
  ) throws(JSONScanner.Failure) {
    let kind = scanner.peek()
    let start = scanner.position
    switch kind {
    case .null, .end, .invalid:
      try scanner.scanNull()
      shape.noteNull()
    case .boolean:
      try scanner.skipValue()
      shape.note(.boolean, scanner.slice(start, scanner.position))
    case .number: shape.note(try scanner.scanNumber())
    case .string where shape.isSettledText:
      try scanner.skipString()
      shape.values += 1
    case .string:
      let text = try scanner.scanString(&scratch).bytes
      shape.note(shape.kinds.contains(.text) ? .text : .ofText(text), text)
    case .array:
      shape.kinds.insert(.list)
      shape.values += 1
      if shape.element.isEmpty {
        var element = ValueShape()
        if shape.distinct != nil { element.distinct = ValueSet() }
        shape.element.append(element)
      }
      try scanner.beginArray()
      while try scanner.nextElement() { try note(&scanner, in: &shape.element[0], &scratch) }
    case .object:
      if isNested, try noteBareObject(&scanner, in: &shape, &scratch) { return }
      try noteObject(&scanner, in: &shape, &scratch)
    }
  }

  /// Notes an object that has nothing but an id; false where it is another one, which is left to be read.
  private mutating func noteBareObject(
    _ scanner: inout JSONScanner, in shape: inout ValueShape, _ scratch: inout ByteBuffer
  ) throws(JSONScanner.Failure) -> Bool {
    var rest = scanner
    var found: (name: Text, value: JSONScanner)?
    var typename: String?
    try rest.beginObject()
    while let key = try rest.nextKey(&scratch) {
      if key.bytes.equals("__typename"), rest.peek() == .string {
        typename = try rest.scanString(&scratch).string
        continue
      }
      guard found == nil, let name = CollectedNames.nestedIDs.first(where: { $0.bytes.elementsEqual(key.bytes) })
      else { return false }
      let kind = rest.peek()
      guard kind == .string || kind == .number else { return false }
      found = (name, rest)
      try rest.skipValue()
    }
    guard let (name, start) = found, room > 0 else { return false }
    var value = start
    scanner = rest
    shape.kinds.insert(.object)
    shape.values += 1
    shape.noteTypename(typename)
    shape.bare.count += 1
    let before = shape.bare.ids.count
    let place = shape.bare.place(of: name)
    room -= shape.bare.ids.count - before
    try note(&value, in: &shape.bare.ids[place].shape, &scratch)
    return true
  }

  private mutating func noteObject(
    _ scanner: inout JSONScanner, in shape: inout ValueShape, _ scratch: inout ByteBuffer
  ) throws(JSONScanner.Failure) {
    shape.kinds.insert(.object)
    shape.values += 1
    shape.objects += 1
    var expected = 0
    try scanner.beginObject()
    while true {
      // Objects of one kind have their keys in one order.
      if expected < shape.members.count, scanner.passKey(shape.members[expected].key) {
        try note(&scanner, in: &shape.members[expected].shape, &scratch)
        expected += 1
        continue
      }
      guard let key = try scanner.nextKey(&scratch) else { return }
      if key.bytes.equals("__typename") {
        if scanner.peek() == .string {
          shape.noteTypename(try scanner.scanString(&scratch).string)
        } else {
          try scanner.skipValue()
        }
        continue
      }
      let place = shape.isMap ? -1 : place(of: key.text, in: &shape)
      guard place >= 0 else {
        try scanner.skipValue()
        continue
      }
      expected = place + 1
      try note(&scanner, in: &shape.members[place].shape, &scratch)
    }
  }

  /// Returns the place of a member, which is new if it was not seen yet; -1 where an object has too many.
  mutating func place(of name: Text, in shape: inout ValueShape) -> Int {
    if let place = shape.place(of: name) { return place }
    guard shape.members.count < Self.mostMembers, room > 0 else {
      shape.isMap = true
      shape.removeMembers()
      return -1
    }
    room -= 1
    return shape.add(name, isCollected: names.contains(name, in: shape))
  }
}
