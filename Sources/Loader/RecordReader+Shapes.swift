import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Links to interfaces and unions, and lists of lists.
extension RecordReader {
  /// An id, which is looked up in all types, or an object that says its type.
  mutating func readLink(
    _ relation: RelationID, abstract target: EntityTypeID, _ slot: RecordLayout.Slot, _ scanner: inout JSONScanner,
    offset: Int, record: Int, owner: String
  ) throws(RecordFailure) {
    guard scanner.peek() == .object else {
      let (_, key) = try readScalar(
        layouts[Int(target.index)].keyTarget, slot, &scanner, offset: offset, owner: owner)
      stage.link(record, relation, to: .key(key, at: stage.records[record].origin))
      return
    }
    let type = try typename(scanner, offset: offset, among: target)
    let nested = try readRecord(type, &scanner, offset: offset, isTopLevel: false)
    stage.link(record, relation, to: .record(nested))
  }

  /// Finds `__typename` in an object without moving the caller's scanner: any entity type, or one of those that belong
  /// to an interface or union.
  mutating func typename(
    _ scanner: JSONScanner, offset: Int, among abstract: EntityTypeID?
  ) throws(RecordFailure) -> EntityTypeID {
    var scanner = scanner
    scanner.skipSpace()
    let start = scanner.position
    do {
      try scanner.beginObject()
      while let key = try scanner.nextKey(&scratch) {
        guard key.bytes.equals("__typename") else {
          try scanner.skipValue()
          continue
        }
        scanner.skipSpace()
        let place = scanner.position
        let name = try scanner.scanString(&scratch).string
        if let type = type(called: name) {
          guard let abstract, !layouts[Int(abstract.index)].members.contains(type) else { return type }
          throw RecordFailure(
            .wrongType, "a '\(name)' is never a '\(layouts[Int(abstract.index)].name)'", at: place + offset,
            to: scanner.position + offset)
        }
        throw unknownType(name, at: place + offset, to: scanner.position + offset)
      }
    } catch {
      throw RecordFailure(error, at: start, offset: offset)
    }
    throw RecordFailure(
      .unknownType, "this object does not say its type", at: start + offset,
      help: abstract == nil ? "add \"__typename\", or name the file for its type" : "add \"__typename\"")
  }

  func unknownType(_ name: String, at start: Int, to end: Int) -> RecordFailure {
    let known = layouts.filter(\.isEntity).map(\.name)
    return RecordFailure(
      .unknownType, "the schema has no entity type '\(name)'", at: start, to: end,
      help: nearestNames(to: name, in: known).first.map { "did you mean '\($0)'?" })
  }

  /// Checks a list of lists by its declared type; it is stored as it is written.
  mutating func checkNested(
    _ element: RecordLayout.Target, _ nonNull: ArraySlice<Bool>, _ slot: RecordLayout.Slot,
    _ scanner: inout JSONScanner, offset: Int, owner: String
  ) throws(RecordFailure) {
    scanner.skipSpace()
    let start = scanner.position
    guard scanner.peek() == .array else { throw wrongType(slot, owner, &scanner, start, offset) }
    do {
      try scanner.beginArray()
      while try scanner.nextElement() {
        scanner.skipSpace()
        let place = scanner.position
        if scanner.peek() == .null {
          try scanner.scanNull()
          guard nonNull.first ?? false else { continue }
          throw RecordFailure(
            .missingValue, "an element of '\(owner).\(slot.name.string)' is non-null", at: place + offset,
            to: scanner.position + offset)
        }
        if nonNull.count > 1 {
          try checkNested(element, nonNull.dropFirst(), slot, &scanner, offset: offset, owner: owner)
        } else {
          _ = try readScalar(element, slot, &scanner, offset: offset, owner: owner)
        }
      }
    } catch {
      throw RecordFailure(error, at: start, offset: offset)
    }
  }
}
