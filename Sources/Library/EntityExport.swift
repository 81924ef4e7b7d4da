import GQLBase
import GQLCatalog
import GQLEngine
import GQLLoader
import GQLStore

/// The live entities of one version as lines of JSON that a load reads again: those of each type in the order of their
/// primary keys, with links as ids. Two versions with equal content have equal lines, whatever their rows.
struct EntityExport: ~Copyable {
  /// A field of an entity, of an embedded object, or of an element of a list of these.
  private struct Slot {
    /// The name that data gives it.
    let key: String
    let name: String
    let storage: PropertyStorage
    /// Indicates whether a record that does not name it has null there.
    let isNullWithoutName: Bool
    /// Of an embedded object.
    var fields: [Slot] = []
    /// Indicates whether a field before it has the same name in data.
    var isFollower = false
  }

  private let snapshot: Snapshot
  private let catalog: Catalog
  private var output = ByteBuffer(capacity: 1 << 16)
  /// By type.
  private let slots: [[Slot]]
  /// Levels of objects that are open: a text of JSON has so many at most.
  private var depth = 0
  private static let mostLevels = 500

  init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    let catalog = snapshot.catalog
    self.catalog = catalog
    slots = catalog.types.map { type in
      Self.marked(
        type.properties.map {
          Self.slot($0.name, source: $0.source, $0.storage, hasDefault: $0.defaultValue != nil, catalog)
        })
    }
  }

  private static func slot(
    _ name: String, source: String?, _ storage: PropertyStorage, hasDefault: Bool, _ catalog: Catalog
  ) -> Slot {
    var slot = Slot(key: source ?? name, name: name, storage: storage, isNullWithoutName: !hasDefault)
    if case .embedded(let id, presence: _, fields: let storages) = storage {
      slot.fields = marked(
        zip(catalog[id].fields, storages).map {
          Self.slot($0.name, source: $0.source, $1, hasDefault: $0.defaultValue != nil, catalog)
        })
    }
    return slot
  }

  /// Marks the fields that share a name in data with one before them.
  private static func marked(_ slots: [Slot]) -> [Slot] {
    var seen: Set<String> = []
    return slots.map { slot in
      var slot = slot
      slot.isFollower = !seen.insert(slot.key).inserted
      return slot
    }
  }

  /// Calls with the lines of a type, a part at a time.
  mutating func write(_ type: EntityType, _ body: ([UInt8]) throws(QueryError) -> Void) throws(QueryError) {
    for row in rows(of: type) {
      try append(slots[Int(type.id.index)], type, row)
      output.append(0x0A)
      if output.count >= 1 << 16 { try body(output.takeArray()) }
    }
    if !output.isEmpty { try body(output.takeArray()) }
  }

  // MARK: - Order

  /// The live rows of a type, in the order of their keys.
  private func rows(of type: EntityType) -> [UInt32] {
    let end = UInt32(truncatingIfNeeded: snapshot.slotCount(type.id))
    var rows = (0..<end).filter { snapshot.isLive(type.id, $0) }
    let parts = catalog[type.primaryIndex].columns.compactMap { column in
      snapshot.keyOrder(type.id, column)
    }
    func isBefore(_ left: UInt32, _ right: UInt32) -> Bool {
      for part in parts {
        let order = part.compare(left, right)
        if order != 0 { return order < 0 }
      }
      return left < right
    }
    // Most are in order as they are.
    if zip(rows, rows.dropFirst()).allSatisfy({ isBefore($0, $1) }) { return rows }
    rows.sort(by: isBefore)
    return rows
  }

  // MARK: - Objects

  private mutating func append(_ slots: [Slot], _ type: EntityType, _ row: UInt32) throws(QueryError) {
    guard depth < Self.mostLevels else {
      throw QueryError(
        code: LoadProblem.tooLarge.code, "an object of '\(type.name)' is nested more deeply than data may be")
    }
    depth += 1
    let open = output.count
    for slot in slots {
      let start = output.count
      output.append(start == open ? 0x7B : 0x2C)
      output.append(json: slot.key)
      output.append(0x3A)
      let value = output.count
      let isWritten = try append(slot, type, row)
      if slot.isFollower {
        try checkLeader(of: slot, slots, type, row, isWritten ? value..<output.count : nil)
        output.truncate(to: start)
      } else if !isWritten {
        output.truncate(to: start)
      }
    }
    if output.count == open { output.append(0x7B) }
    output.append(0x7D)
    depth -= 1
  }

  /// Checks that a field that shares its name in data with others has their value: data gives all by one.
  private mutating func checkLeader(
    of slot: Slot, _ slots: [Slot], _ type: EntityType, _ row: UInt32, _ value: Range<Int>?
  ) throws(QueryError) {
    guard let value, let leader = slots.first(where: { $0.key == slot.key }) else { return }
    let start = output.count
    _ = try append(leader, type, row)
    if areSame(value, start..<output.count) { return }
    throw QueryError(
      code: LoadProblem.unsupported.code,
      "'\(type.name).\(slot.name)' has another value than '\(leader.name)', whose '@source' it shares",
      help: "give one of them another '@source'")
  }

  /// Returns whether two values that were written say the same, an id with quotes or without.
  private func areSame(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    output.withUnsafeBytes { bytes in
      let (left, right) = (bytes[left], bytes[right])
      return left.elementsEqual(right) || left.filter { $0 != 0x22 }.elementsEqual(right.filter { $0 != 0x22 })
    }
  }

  /// Appends the value of a field. Returns false where a record without it says the same; what was appended is void then.
  private mutating func append(_ slot: Slot, _ type: EntityType, _ row: UInt32) throws(QueryError) -> Bool {
    switch slot.storage {
    case .column(let column, folded: _):
      if try append(column, type, row) { return true }
    case .embedded(_, presence: let presence, fields: _):
      let reader = snapshot.column(type.id, presence)
      if !reader.isNull(row), reader.byte(row) != 0 {
        try append(slot.fields, type, row)
        return true
      }
    case .relation(let id): return try append(catalog[id], row)
    case .members, .computed: return false
    }
    output.append("null")
    return !slot.isNullWithoutName
  }

  /// Returns false for null, of which nothing is appended.
  private mutating func append(_ column: ColumnID, _ type: EntityType, _ row: UInt32) throws(QueryError) -> Bool {
    let reader = snapshot.column(type.id, column)
    if reader.isNull(row) { return false }
    let cell = reader.cell(row, kind: type[column].kind)
    return CellJSON.append(cell, type[column].type, catalog, to: &output)
  }

  // MARK: - Links

  private mutating func append(_ relation: Relation, _ row: UInt32) throws(QueryError) -> Bool {
    let reader = snapshot.column(relation.source, relation.column)
    guard relation.isToMany else {
      let target = reader.reference(row)
      if target == PageLayout.noRow { return false }
      try append(link: target, relation.target)
      return true
    }
    // The run is the snapshot's, which outlives the loop.
    let targets = reader.references(row)
    if targets.isEmpty { return false }
    output.append(0x5B)
    for (index, target) in targets.enumerated() {
      if index > 0 { output.append(0x2C) }
      try append(link: target, relation.target)
    }
    output.append(0x5D)
    return true
  }

  private mutating func append(link row: UInt32, _ target: EntityTypeID) throws(QueryError) {
    let type = catalog[target]
    if type.isElement { return try append(slots[Int(target.index)], type, row) }
    if type.isAbstract {
      for member in type.members {
        let found = snapshot.column(target, catalog[member.relation].column).reference(row)
        if found == PageLayout.noRow { continue }
        return try append(key: catalog[member.type], found, namingType: true)
      }
    }
    try append(key: type, row, namingType: false)
  }

  /// Appends the id of an entity; an object where it has several fields, or where the type is to be said.
  private mutating func append(key type: EntityType, _ row: UInt32, namingType: Bool) throws(QueryError) {
    let isObject = namingType || type.idProperties.count != 1
    if isObject {
      output.append(0x7B)
      if namingType {
        output.append("\"__typename\":")
        output.append(json: type.name)
      }
    }
    for (index, id) in type.idProperties.enumerated() {
      guard case .column(let column, folded: _) = type[id].storage else { continue }
      if isObject {
        if index > 0 || namingType { output.append(0x2C) }
        output.append(json: type[id].source ?? type[id].name)
        output.append(0x3A)
      }
      if try !append(column, type, row) { output.append("null") }
    }
    if isObject { output.append(0x7D) }
  }
}
