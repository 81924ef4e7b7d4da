import GQLBinder
import GQLCatalog
import GQLStore

/// What becomes of records with a change of the schema.
///
/// The records of a type go on where its relations and the types of its fields stay as they are. Fields may come, go, and be
/// renamed.
package struct HistoryMapping: Sendable {
  package struct Former: Sendable {
    /// The type's number before.
    package var type: Int
    /// By column before: the column now; nil for one that has gone.
    package var columns: [Int?]
    /// Indicates whether records stay as they are.
    package var isSame: Bool

    /// Returns the content of a record with the columns' numbers now; nil where nothing is left of it.
    package func translated(_ content: some Collection<UInt8>) -> ContiguousArray<UInt8>? {
      RowRecords.content(content, columns: columns)
    }
  }
  /// By type now: what it was; nil where its records do not go on.
  package private(set) var types: [Former?]

  package init(from old: Catalog, to new: Catalog) {
    let (before, after) = (HistoryTypes(old), HistoryTypes(new))
    types = Array(repeating: nil, count: new.types.count)
    if !before.isAny || !after.isAny { return }
    let renamed = CatalogRenaming(from: old, to: new).catalog
    for type in new.types {
      let number = Int(type.id.index)
      guard after[number] != nil,
        let former = renamed.types.first(where: { $0.name == type.name && $0.kind == type.kind }),
        let past = before[Int(former.id.index)], past.isLeftOut.count == former.columns.count
      else { continue }
      types[number] = Self.former(former, renamed, type, new)
    }
  }

  private static func former(
    _ former: EntityType, _ renamed: Catalog, _ type: EntityType, _ new: Catalog
  ) -> Former? {
    let (old, now) = (relations(of: former, renamed), relations(of: type, new))
    guard old == now else { return nil }
    var columns: [Int?] = []
    for column in former.columns {
      guard let place = type.columns.firstIndex(where: { $0.name == column.name }) else {
        columns.append(nil)
        continue
      }
      let found = type.columns[place]
      guard found.kind == column.kind, renamed.storedText(column.type) == new.storedText(found.type) else { return nil }
      columns.append(place)
    }
    let isSame = columns.enumerated().allSatisfy { $0.element == $0.offset }
    return Former(type: Int(former.id.index), columns: columns, isSame: isSame)
  }

  /// The relations of a type in their order, which records of deletions name by their places.
  private static func relations(of type: EntityType, _ catalog: Catalog) -> [String] {
    catalog.relations.filter { $0.source == type.id }.map { relation in
      "\(type[relation.column].name) \(catalog[relation.target].name) \(relation.isToMany)"
    }
  }
}

extension Catalog {
  /// Words that differ where cells of a type are not the same values.
  fileprivate func storedText(_ type: ValueType) -> String {
    switch type {
    case .enumeration(let id): "enum \(self[id].values)"
    case .entity(let id): "entity \(self[id].name)"
    case .list(let element): "[\(storedText(element))]"
    default: "\(type)"
    }
  }
}
