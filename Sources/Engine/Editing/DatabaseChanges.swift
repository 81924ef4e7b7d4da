import GQLBase
import GQLCatalog
import GQLStore

/// The changes that lead from one version of a database to another.
///
/// ```swift
/// for change in draft.changes.entities { print(change.kind, change.type, change.id) }
/// ```
public struct DatabaseChanges: Sendable, CustomStringConvertible {
  /// A change of one entity.
  public struct Entity: Sendable, Hashable {
    /// A kind of change.
    public enum Kind: String, Sendable, Hashable {
      /// The entity is new.
      case insert
      /// Some of its fields have other values.
      case update
      /// It was deleted, and can be restored.
      case delete
      /// It was deleted before, and is there again.
      case restore
      /// It is gone for good.
      case purge
    }
    /// A change of a field; links are ids, and values of what is not there are null.
    public struct Field: Sendable, Hashable {
      /// The name of the field, with those of the embedded objects around it: `address.city`.
      public let name: String
      /// The value before.
      public let old: Value
      /// The value after.
      public let new: Value
    }
    /// The name of the type.
    public let type: String
    /// The id of the entity; an object where it has several fields.
    public let id: Value
    /// A kind of change of an entity.
    public let kind: Kind
    /// Lists the fields that have changed, without the times that each change writes.
    public let fields: [Field]
  }

  let before: Snapshot
  let after: Snapshot
  let changes: ChangeSet
  /// Indicates whether a value has changed that is in no column.
  private var hasValuesWithoutColumn: Bool

  /// - Parameters:
  ///   - before: A version with the columns of `after`.
  ///   - after: The version that the changes lead to.
  init(from before: Snapshot, to after: Snapshot, hasValuesWithoutColumn: Bool = false) {
    self.before = before
    self.after = after
    self.hasValuesWithoutColumn = hasValuesWithoutColumn
    changes = before === after ? ChangeSet() : after.changes(since: before)
  }

  /// Notes where my side has changed what is in no column: of rows whose time was written.
  mutating func note(_ companions: MergeCompanions) {
    if companions.mine == nil { return }
    // Invariant: what is compared is well-formed.
    try? changes.forEachRow { number, row in
      if hasValuesWithoutColumn { return }
      hasValuesWithoutColumn = companions.hasChanged(DeletedRow(type: EntityTypeID(number), row: row), .mine)
    }
  }

  /// Indicates whether nothing has changed, but for the times that each change writes. Properties without a column count.
  public var isEmpty: Bool {
    if hasValuesWithoutColumn { return false }
    if changes.isEmpty { return true }
    var isEmpty = true
    // Invariant: what is compared is well-formed.
    try? changes.forEachChange { change in
      let type = EntityTypeID(change.type)
      isEmpty =
        isEmpty && !change.hasOtherStatus && !change.hasOtherRecords && change.lists.isEmpty
        && change.fields.allSatisfy { after.catalog.isTime(type, ColumnID($0.column)) }
    }
    return isEmpty
  }

  /// Lists the entities that have changed, in the order of types, and as they were inserted. Where only properties without
  /// a column have, an entity is not in it.
  public var entities: [Entity] {
    var result: [Entity] = []
    let (old, new) = (EntityReader(before), EntityReader(after))
    // Invariant: as above.
    try? changes.forEachRow { number, row in
      let type = after.catalog.types[number]
      if type.kind != .entity { return }
      guard let kind = Self.kind(before.status(type.id, row), after.status(type.id, row)) else { return }
      let reader = kind == .purge ? old : new
      var fields: [Entity.Field] = []
      for (name, column) in new.columns(of: type) {
        let values = (old.value(type.id, row, column), new.value(type.id, row, column))
        if values.0 != values.1 { fields.append(Entity.Field(name: name, old: values.0, new: values.1)) }
      }
      if kind == .update, fields.isEmpty { return }
      result.append(Entity(type: type.name, id: reader.id(type.id, row), kind: kind, fields: fields))
    }
    return result
  }

  private static func kind(_ before: UInt8, _ after: UInt8) -> Entity.Kind? {
    switch (before, after) {
    case (0, 1): .insert
    case (1, 1): .update
    case (1, 2): .delete
    case (2, 1): .restore
    case (1, 0), (2, 0): .purge
    default: nil
    }
  }

  /// The changes as JSON, in the lossless form of `gqlite log --format json`: a list with an object for each row.
  public var json: String {
    var output = ByteBuffer()
    // Invariant: as above.
    try? ChangeJSON(after).append(changes, between: (before, after), to: &output)
    return output.string
  }

  /// Calls with the JSON of each row, as ``json`` has them.
  package func forEachRow(_ body: (UnsafeRawBufferPointer) -> Void) {
    // Invariant: as above.
    try? ChangeJSON(after).forEachRow(of: changes, between: (before, after), body)
  }

  /// A line for each entity: `update User 7: name`.
  public var description: String {
    entities.map { change in
      let names = change.kind == .update ? ": " + change.fields.map(\.name).joined(separator: ", ") : ""
      return "\(change.kind.rawValue) \(change.type) \(change.id.json.json)\(names)"
    }.joined(separator: "\n")
  }
}

/// Reads values of entities of a version as a program gets them.
struct EntityReader {
  private let snapshot: Snapshot
  private var catalog: Catalog { snapshot.catalog }

  init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// Returns the columns that are fields of a type, with their names.
  func columns(of type: EntityType) -> [(name: String, column: ColumnID)] {
    var links: [ColumnID: Relation] = [:]
    for relation in catalog.relations where relation.source == type.id { links[relation.column] = relation }
    return type.columns.compactMap { column in
      if column.foldedFrom != nil || catalog.isTime(type.id, column.id) { return nil }
      if let relation = links[column.id], relation.isMirror || relation.property == nil { return nil }
      return (column.name, column.id)
    }
  }

  /// Returns the id of a row: an object where it has several fields, null where there is none.
  func id(_ type: EntityTypeID, _ row: UInt32) -> Value {
    let type = catalog[type]
    if type.isAbstract {
      for member in type.members {
        let column = catalog[member.relation].column
        let target = snapshot.readers(type.id)[Int(column.index)].reference(row)
        if target != PageLayout.noRow { return id(member.type, target) }
      }
      return .null
    }
    guard type.kind == .entity, !type.indexes.isEmpty, snapshot.status(type.id, row) != 0 else { return .null }
    let columns = catalog[type.primaryIndex].columns.map { type[$0].foldedFrom ?? $0 }
    if columns.count == 1 { return value(type.id, row, columns[0]) }
    return .object(columns.map { Value.Member(type[$0].name, value(type.id, row, $0)) })
  }

  /// Returns the value of a field of a row: ids of links, and null for a row that is not there.
  func value(_ type: EntityTypeID, _ row: UInt32, _ column: ColumnID) -> Value {
    guard snapshot.status(type, row) != 0 else { return .null }
    let descriptor = catalog[type][column]
    let reader = snapshot.readers(type)[Int(column.index)]
    guard descriptor.kind == .reference || descriptor.kind == .references else {
      if reader.isNull(row) { return .null }
      return Self.value(reader.cell(row, kind: descriptor.kind), descriptor, catalog)
    }
    guard let relation = catalog.relations.first(where: { $0.source == type && $0.column == column }) else {
      return .null
    }
    if descriptor.kind == .reference {
      let target = reader.reference(row)
      return target == PageLayout.noRow ? .null : id(relation.target, target)
    }
    let isOwned = catalog[relation.target].isElement
    return .list(reader.references(row).map { isOwned ? object(relation.target, $0) : id(relation.target, $0) })
  }

  /// Returns the value of a field as ``value(_:_:_:)`` does, and of an embedded object all that it holds.
  func whole(_ type: EntityTypeID, _ row: UInt32, _ column: ColumnID) -> Value {
    let columns = columns(of: catalog[type])
    let prefix = catalog[type][column].name + "."
    // The column of an object says whether it is there; those of its fields have its name, a dot and theirs.
    let inner = columns.filter { $0.name.hasPrefix(prefix) }
    if inner.isEmpty { return value(type, row, column) }
    if value(type, row, column) == .null { return .null }
    return .object(
      inner.compactMap { field in
        let name = String(field.name.dropFirst(prefix.count))
        return name.contains(".") ? nil : Value.Member(name, whole(type, row, field.column))
      })
  }

  private func object(_ type: EntityTypeID, _ row: UInt32) -> Value {
    .object(columns(of: catalog[type]).map { Value.Member($0.name, value(type, row, $0.column)) })
  }

  /// Returns the value of a cell that is no link; null for none.
  static func value(_ cell: Cell?, _ column: ColumnDescriptor, _ catalog: Catalog) -> Value {
    guard let cell else { return .null }
    var output = ByteBuffer()
    guard CellJSON.append(cell, column.type, catalog, to: &output) else { return .null }
    return (try? Value(json: output.takeArray())) ?? .null
  }
}
