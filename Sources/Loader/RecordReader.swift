import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Reads JSON objects into a ``RecordStage`` by the layouts of their types.
struct RecordReader: ~Copyable {
  let layouts: [RecordLayout]
  let arena: StagingArena
  let now: Int64
  var stage = RecordStage()
  var scratch = ByteBuffer(capacity: 1024)
  /// Holds the elements of the list that is being read, and whether each has a value.
  var listCells = ByteBuffer(capacity: 1024)
  var listValidity = ByteBuffer(capacity: 128)
  private var seen: [Bool] = []
  /// Holds the names of embedded types whose objects stand in lists.
  private let elementNames: Set<String>
  /// Holds the types by the names that data gives them.
  private let names: SourceTypes
  /// Stands before the id of the record that is read, until its object is entered.
  private var outerID: (scanner: JSONScanner, name: String)?
  /// Holds the type that the top-level record says itself by a name, by which it was found.
  private var said: (name: String, owner: String)?
  /// Holds the first non-null field of the top-level record that has no value.
  var missing: String?

  init(layouts: [RecordLayout], names: SourceTypes, arena: StagingArena, now: Int64) {
    self.layouts = layouts
    self.names = names
    elementNames = Set(layouts.filter { !$0.isEntity && !$0.isAbstract }.map(\.name))
    self.arena = arena
    self.now = now
  }

  /// Forgets the record before.
  ///
  /// - Parameter keepsTexts: Whether records that are on their way into the store still use the memory of its texts.
  mutating func removeAll(keepsTexts: Bool = false) {
    stage.removeAll()
    if !keepsTexts { arena.removeAll() }
    scratch.removeAll(keeping: 1 << 16)
  }

  /// Adds an empty record of its own and returns its number.
  mutating func beginRow(_ type: EntityTypeID, start: Int = 0, end: Int? = nil) -> Int {
    missing = nil
    return stage.begin(
      type, columns: layouts[Int(type.index)].columnCount, role: .row,
      origin: RecordStage.Origin(start: start, end: end))
  }

  /// Reads the object that `scanner` stands before. Offsets in failures count from `offset`.
  ///
  /// - Parameters:
  ///   - id: Stands before the id, if it does not lie in the object.
  ///   - keyName: The name of the field that it is the value of; `id` for the one that is the type's id.
  ///   - name: The name that the record says of its type, if it was found by it.
  mutating func readRecord(
    _ type: EntityTypeID, _ scanner: inout JSONScanner, offset: Int, isTopLevel: Bool, id: JSONScanner? = nil,
    keyName: String = "id", name: String? = nil
  ) throws(RecordFailure) -> Int {
    let layout = layouts[Int(type.index)]
    if isTopLevel { said = name.map { ($0, layout.name) } }
    scanner.skipSpace()
    let start = scanner.position + offset
    let record =
      isTopLevel
      ? beginRow(type, start: start)
      : stage.begin(type, columns: layout.columnCount, role: .fragment, origin: RecordStage.Origin(start: start))
    let base = stage.records[record].base
    outerID = id.map { ($0, keyName) }
    let named = try readFields(layout.slots, &scanner, offset: offset, base: base, record: record, owner: layout.name)
    stage.records[record].origin.end = scanner.position + offset
    for column in layout.keyColumns where !stage.valid[base + column] && !layout.numbersRows {
      throw RecordFailure(.missingID, "this '\(layout.name)' has no id", at: start, to: start + 1)
    }
    // Where a type has nothing but its id, its nested objects are entities all the same. So are objects with a key of
    // several fields, which is no value that could be looked up later.
    if !isTopLevel, layout.keyColumns.count == 1, named <= 1, layout.slots.count > 1 {
      stage.records[record].role = .reference
    }
    if isTopLevel, let missing {
      throw RecordFailure(
        .missingValue, "'\(missing)' is non-null and has no value", at: start, to: scanner.position + offset)
    }
    return record
  }

  /// Returns the type of entities that a `__typename` names.
  func type(called name: String) -> EntityTypeID? {
    let type = names.type(ofSource: name) ?? names.type(ofSource: SourceNames.legalType(name))
    return type.flatMap { layouts[Int($0.index)].isEntity ? $0 : nil }
  }

  /// A `__typename` must be the type that the place of the object says; that of an embedded object says nothing more.
  private mutating func checkTypename(
    _ scanner: inout JSONScanner, offset: Int, owner: String
  ) throws(RecordFailure) {
    do {
      scanner.skipSpace()
      let start = scanner.position
      guard scanner.peek() == .string, !owner.utf8.contains(UInt8(ascii: ".")) else {
        return try scanner.skipValue()
      }
      let name = try scanner.scanString(&scratch).string
      guard name != owner, !elementNames.contains(owner), said.map({ $0 != (name, owner) }) ?? true else { return }
      if let type = type(called: name), layouts[Int(type.index)].name == owner { return }
      throw RecordFailure(
        .wrongType, "this object is of the type '\(name)', but stands where '\(owner)' is wanted",
        at: start + offset, to: scanner.position + offset)
    } catch {
      throw RecordFailure(error, at: scanner.position, offset: offset)
    }
  }

  /// Reads the members of an object; gives the number of members that are fields.
  private mutating func readFields(
    _ slots: [RecordLayout.Slot], _ scanner: inout JSONScanner, offset: Int, base: Int, record: Int, owner: String
  ) throws(RecordFailure) -> Int {
    let seenBase = seen.count
    seen.append(contentsOf: repeatElement(false, count: slots.count))
    defer { seen.removeLast(seen.count - seenBase) }
    var expected = 0
    var named = 0
    let id = outerID
    outerID = nil
    do {
      try scanner.beginObject()
      while true {
        scanner.skipSpace()
        let keyStart = scanner.position
        guard let key = try scanner.nextKey(&scratch) else { break }
        guard let slot = Self.find(key, in: slots, expected: expected) else {
          if key.bytes.equals("__typename") {
            try checkTypename(&scanner, offset: offset, owner: owner)
            continue
          }
          let name = key.string
          let place = Self.keyRange(scanner, from: keyStart)
          throw RecordFailure(
            unknownField: name, of: owner, near: slots, at: place.lowerBound + offset, to: place.upperBound + offset)
        }
        if seen[seenBase + slot] {
          let place = Self.keyRange(scanner, from: keyStart)
          throw RecordFailure(
            .repeatedField, "'\(owner).\(slots[slot].name.string)' is given twice", at: place.lowerBound + offset,
            to: place.upperBound + offset)
        }
        named += 1
        let value = scanner
        var next: Int? = slot
        while let place = next {
          scanner = value
          seen[seenBase + place] = true
          try readValue(slots[place], &scanner, offset: offset, base: base, record: record, owner: owner)
          expected = place + 1
          next = slots[place].next
        }
      }
    } catch {
      throw RecordFailure(error, at: scanner.position, offset: offset)
    }
    if let id {
      var next = id.name == "id" ? keySlot(record) : slots.firstIndex { $0.source == Text(id.name) && !$0.isFollower }
      while let slot = next, !seen[seenBase + slot] {
        var value = id.scanner
        seen[seenBase + slot] = true
        try readValue(slots[slot], &value, offset: offset, base: base, record: record, owner: owner)
        next = slots[slot].next
      }
    }
    for index in slots.indices where !seen[seenBase + index] {
      applyDefault(slots[index], base: base, record: record, owner: owner)
    }
    return named
  }

  /// Returns the field of a record that is its id.
  private func keySlot(_ record: Int) -> Int? {
    let layout = layouts[Int(stage.records[record].type.index)]
    guard layout.keyColumns.count == 1 else { return nil }
    return layout.slots.firstIndex {
      if case .scalar(_, layout.keyColumns[0]) = $0.target { true } else { false }
    }
  }

  /// Returns where the key stands, without its quotes, that the scanner has read since `start`.
  static func keyRange(_ scanner: JSONScanner, from start: Int) -> Range<Int> {
    let bytes = scanner.slice(start, scanner.position)
    guard let first = bytes.firstIndex(of: 0x22), let last = bytes.lastIndex(of: 0x22), first < last else {
      return start..<scanner.position
    }
    let shift = start - bytes.startIndex
    return first + 1 + shift..<last + shift
  }

  private static func find(_ key: JSONText, in slots: [RecordLayout.Slot], expected: Int) -> Int? {
    if expected < slots.count, !slots[expected].isFollower, slots[expected].isNamed(key) { return expected }
    for index in slots.indices where slots[index].isNamed(key) { return index }
    for index in slots.indices where matches(key, slots[index].name) { return index }
    return nil
  }

  @inline(__always)
  private static func matches(_ key: JSONText, _ name: Text) -> Bool {
    guard key.count == name.count else { return false }
    return name.bytes.withUnsafeBufferPointer { bytes in
      for index in 0..<key.count where bytes[index] != key.start[index] { return false }
      return true
    }
  }

  /// Applies what a property is where its record does not name it.
  mutating func applyDefault(_ slot: RecordLayout.Slot, base: Int, record: Int, owner: String) {
    if let (column, cell) = slot.defaultCell {
      stage.set(base + column, cell)
      markDefault(base + column)
      return
    }
    switch (slot.defaultValue, slot.target) {
    case (.now?, .scalar(let scalar, let column)):
      stage.set(base + column, Cell(scalar == .date ? CivilTime.date(ofDateTime: now) : now))
      markDefault(base + column)
      return
    default: break
    }
    guard slot.isNonNull else { return }
    switch slot.target {
    case .relation(_, _, isToMany: true): return
    case .relation where slot.hasOtherSide: stage.records[record].isIncomplete = true
    case .list(_, _, let column, _):
      // An absent list is an empty one: there is nothing that it could leave unknown.
      stage.set(base + column, Cell(low: UInt64(UInt(bitPattern: arena.allocate(16))), high: 0))
      markDefault(base + column)
    case .computed: return
    case .relation, .scalar, .enumeration, .embedded, .json, .nested:
      noteMissing(slot, record, owner)
    }
  }

  private mutating func noteMissing(_ slot: RecordLayout.Slot, _ record: Int, _ owner: String) {
    if stage.records[record].role != .row {
      stage.records[record].isIncomplete = true
    } else if missing == nil {
      missing = "\(owner).\(slot.name.string)"
    }
  }

  private mutating func markDefault(_ index: Int) { stage.given[index] = false }

  mutating func readValue(
    _ slot: RecordLayout.Slot, _ scanner: inout JSONScanner, offset: Int, base: Int, record: Int, owner: String
  ) throws(RecordFailure) {
    do {
      let kind = scanner.peek()
      let start = scanner.position
      if case .computed = slot.target {
        try scanner.skipValue()
        throw RecordFailure(
          .unknownField, "'\(owner).\(slot.name.string)' is computed, so data cannot give it", at: start + offset,
          to: scanner.position + offset)
      }
      if kind == .null {
        try scanner.scanNull()
        if slot.isNonNull {
          if case .relation(_, _, isToMany: true) = slot.target { return }
          if stage.records[record].role == .row {
            throw RecordFailure(
              .missingValue, "'\(owner).\(slot.name.string)' is non-null", at: start + offset,
              to: scanner.position + offset)
          }
          noteMissing(slot, record, owner)
        }
        return
      }
      switch slot.target {
      case .scalar, .enumeration:
        let (column, cell) = try readScalar(slot.target, slot, &scanner, offset: offset, owner: owner)
        stage.set(base + column, cell)
      case .json(let column):
        try scanner.skipValue()
        stage.set(base + column, jsonCell(scanner, from: start))
      case .computed: break
      case .nested(let element, let nonNull, let column):
        try checkNested(element, nonNull[...], slot, &scanner, offset: offset, owner: owner)
        stage.set(base + column, jsonCell(scanner, from: start))
      case .list(let element, let isWide, let column, let elementNonNull):
        let cell = try readList(
          element, isWide: isWide, elementNonNull: elementNonNull, slot, &scanner, offset: offset, owner: owner)
        stage.set(base + column, cell)
      case .embedded(let presence, let fields):
        guard kind == .object else { throw wrongType(slot, owner, &scanner, start, offset) }
        stage.set(base + presence, Cell(low: 1))
        _ = try readFields(
          fields, &scanner, offset: offset, base: base, record: record, owner: slot.path)
      case .relation(let relation, let target, let isToMany):
        if isToMany {
          guard kind == .array else { throw wrongType(slot, owner, &scanner, start, offset) }
          try scanner.beginArray()
          while try scanner.nextElement() {
            try readLink(relation, target, slot, &scanner, offset: offset, record: record, owner: owner)
          }
        } else {
          try readLink(relation, target, slot, &scanner, offset: offset, record: record, owner: owner)
        }
      }
    } catch {
      throw RecordFailure(error, at: scanner.position, offset: offset)
    }
  }

  private mutating func readLink(
    _ relation: RelationID, _ target: EntityTypeID, _ slot: RecordLayout.Slot, _ scanner: inout JSONScanner,
    offset: Int, record: Int, owner: String
  ) throws(RecordFailure) {
    let kind = scanner.peek()
    if layouts[Int(target.index)].isAbstract {
      return try readLink(relation, abstract: target, slot, &scanner, offset: offset, record: record, owner: owner)
    }
    if kind == .object {
      let nested = try readRecord(target, &scanner, offset: offset, isTopLevel: false)
      stage.link(record, relation, to: .record(nested))
      return
    }
    let layout = layouts[Int(target.index)]
    if layout.keyColumns.isEmpty {
      throw wrongType(
        slot, owner, &scanner, scanner.position, offset, because: kind == .null ? "null as an element" : nil)
    }
    guard layout.keyColumns.count == 1 else {
      throw RecordFailure(
        .wrongType,
        "'\(owner).\(slot.name.string)' links to '\(layout.name)', whose key has several parts: give an object",
        at: scanner.position + offset)
    }
    let (_, key) = try readScalar(layout.keyTarget, slot, &scanner, offset: offset, owner: owner)
    stage.link(record, relation, to: .key(key, at: stage.records[record].origin))
  }

  /// Returns the error for a value that the type of its field does not take; skips the value to find its end.
  func wrongType(
    _ slot: RecordLayout.Slot, _ owner: String, _ scanner: inout JSONScanner, _ start: Int, _ offset: Int,
    because detail: String? = nil, as problem: LoadProblem = .wrongType
  ) -> RecordFailure {
    scanner.position = start
    let kind = scanner.peek()
    if kind == .end || kind == .invalid {
      return RecordFailure(
        .invalidJSON, "expected a value for '\(owner).\(slot.name.string)'", at: scanner.position + offset)
    }
    try? scanner.skipValue()
    let found =
      switch kind {
      case .object: "an object"
      case .array: "a list"
      case .string: "a string"
      case .number: "a number"
      case .boolean: "a truth value"
      case .null: "null"
      case .end, .invalid: "no JSON value"
      }
    return RecordFailure(
      problem, "'\(owner).\(slot.name.string)' is \(slot.typeName), not \(detail ?? found)", at: start + offset,
      to: scanner.position + offset)
  }
}
