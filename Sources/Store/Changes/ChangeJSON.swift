import GQLBase
import GQLCatalog

/// A coder of change sets as JSON: a list with an object for each row, which names types, fields and relations.
///
/// ```
/// {"type": "Item", "row": 0, "id": 1, "change": "update", "fields": {"n": {"old": 5, "new": 6}}}
/// ```
/// The form is lossless: reading it again leads to the same bytes. `id` is for people, and is passed over where the
/// form is read. See `docs/format.md` for each part.
package struct ChangeJSON: Sendable {
  let catalog: Catalog
  let layout: StoreLayout
  /// The numbers of types, by name.
  let types: [String: Int]
  /// By type: the numbers of columns, by name; without folded texts, which no change names.
  let columns: [[String: Int]]
  /// By type: the columns of the primary key; empty where there is none, or where it has a link.
  let keys: [[Int]]

  /// Codes changes of versions that have the layout of a version.
  package init(_ snapshot: Snapshot) {
    catalog = snapshot.catalog
    layout = snapshot.layout
    var types: [String: Int] = [:]
    var columns: [[String: Int]] = []
    var keys: [[Int]] = []
    for (number, type) in catalog.types.enumerated() {
      types[type.name] = number
      var names: [String: Int] = [:]
      for column in type.columns where column.foldedFrom == nil { names[column.name] = Int(column.id.index) }
      columns.append(names)
      keys.append(Self.key(type, catalog))
    }
    self.types = types
    self.columns = columns
    self.keys = keys
  }

  private static func key(_ type: EntityType, _ catalog: Catalog) -> [Int] {
    guard type.kind == .entity, let index = type.indexes.first.map({ catalog[$0] }), index.isPrimary else { return [] }
    // A key is compared by its folded text, and shown as it is written.
    return index.columns.map { Int((type[$0].foldedFrom ?? $0).index) }
  }

  func columnName(_ type: Int, _ column: Int) -> String { layout.types[type].columns[column].name }

  /// The name of the relation at a place among those of a type; nil where there is none.
  func relationName(_ type: Int, _ place: Int) -> String? {
    let relations = layout.types[type].relations
    return relations.indices.contains(place) ? columnName(type, Int(relations[place].column.index)) : nil
  }

  /// The relation of a name, and its place among those of a type.
  func relation(_ type: Int, named name: String) -> (place: Int, relation: Relation)? {
    guard let column = columns[type][name] else { return nil }
    return layout.types[type].relations.enumerated().first { Int($0.element.column.index) == column }
      .map { (place: $0.offset, relation: $0.element) }
  }
}

/// A fault in the JSON of a change set.
package struct ChangeJSONFailure: Error, Hashable, Sendable {
  /// The offset of what is wrong, in bytes.
  package var offset: Int
  /// A sentence without a full stop.
  package var message: String
}

/// A kind of change of a row, and the statuses that it leads from and to.
enum RowChangeKind: String, CaseIterable {
  case insert
  case update
  case delete
  case restore
  case purge
  /// The row is void before and after: only links that wait change.
  case none

  /// The statuses before and after. Of an entity that is deleted where others live, `isDeleted`.
  func statuses(isDeleted: Bool) -> (before: UInt64, after: UInt64)? {
    let usual = isDeleted ? RowChangeStatus.deleted : RowChangeStatus.live
    switch self {
    case .insert: return (RowChangeStatus.void, usual)
    case .update: return (usual, usual)
    case .purge: return (usual, RowChangeStatus.void)
    case .delete: return isDeleted ? nil : (RowChangeStatus.live, RowChangeStatus.deleted)
    case .restore: return isDeleted ? nil : (RowChangeStatus.deleted, RowChangeStatus.live)
    case .none: return isDeleted ? nil : (RowChangeStatus.void, RowChangeStatus.void)
    }
  }

  /// The kind of a change between two statuses.
  static func of(_ before: UInt64, _ after: UInt64) -> (kind: RowChangeKind, isDeleted: Bool) {
    for kind in allCases {
      for isDeleted in [false, true] {
        if let found = kind.statuses(isDeleted: isDeleted), found == (before, after) { return (kind, isDeleted) }
      }
    }
    return (.none, false)
  }
}
