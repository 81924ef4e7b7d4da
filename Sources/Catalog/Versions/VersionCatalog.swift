/// A catalog with hidden types beside those of another one: the versions of entities whose history is kept.
///
/// A type `User` of which a history is kept gets a type `UserVersion` with the fields of the user as they stood, links as
/// ids, and `_version`, `_from`, `_until`, `_change`, `_changed` and `_origin`; the user gets a field `_versions` that
/// leads there.
/// Types, columns, relations and indexes of the other catalog keep their numbers, so that its tables are read as they are.
package struct VersionCatalog: Sendable {
  package let catalog: Catalog
  /// Those of the types that have versions.
  package let types: [VersionedType]
  /// The type of changes; nil where there are no versions.
  package let changes: ChangeType?

  /// - Parameter base: The catalog of a store.
  package init(_ base: Catalog) {
    var builder = VersionCatalogBuilder(base)
    builder.addAll()
    catalog = builder.catalog
    types = builder.types
    changes = builder.changes
  }

  /// The names of the fields that versions have beside those of their entity.
  package static let fieldNames = ["_version", "_from", "_until", "_change", "_changed", "_origin"]
  /// The field of an entity that leads to its versions.
  package static let listName = "_versions"
  /// The argument of a root field for a list of the versions of all entities.
  package static let argumentName = "versions"
  /// The root field of the changes of all entities whose history is kept.
  package static let changesName = "_changes"
}

/// The hidden types of changes, which are made of versions.
package struct ChangeType: Sendable {
  package let type: EntityTypeID
  /// The relation from a change to its fields.
  package let fields: RelationID
  /// The columns of `version`, `time`, `type`, `id`, `change` and `origin`.
  package let version: ColumnID
  package let time: ColumnID
  package let typeName: ColumnID
  package let key: ColumnID
  package let change: ColumnID
  package let origin: ColumnID
  /// The hidden column of the row of the version.
  package let row: ColumnID
  /// The type of fields, and the columns of `name`, `old` and `new`.
  package let field: EntityTypeID
  package let name: ColumnID
  package let old: ColumnID
  package let new: ColumnID
}

/// A type of entities, and the hidden type of their versions.
package struct VersionedType: Sendable {
  /// The value of a column of versions.
  package enum Source: Sendable {
    /// The cell of a column of the entity.
    case column(Int)
    /// The id of what a relation leads to, or a list of ids. Of a key of several fields that is a list as JSON.
    case ids(Relation, [IDRoute])
    /// Something that only the version has.
    case none

    package var isOfLinks: Bool { if case .ids = self { true } else { false } }
  }

  /// A way to the id of a linked row: where the row mirrors those of several types, one way for each.
  package struct IDRoute: Sendable {
    /// The column of the mirroring row that leads to the entity.
    package var through: Int?
    package var type: Int
    /// The columns of the key.
    package var columns: [Int]
  }

  package let type: EntityTypeID
  package let versions: EntityTypeID
  /// The relation from an entity to its versions.
  package let relation: RelationID
  /// By column of the versions.
  package let sources: [Source]
  /// The fields that the entity has too, each with its columns of the versions.
  package let fields: [(name: String, columns: [Int])]
  /// The hidden column of the entity's row, which tells versions of one id from each other.
  package let row: ColumnID
  /// The columns of `_version`, `_from`, `_until`, `_change`, `_changed` and `_origin`.
  package let number: ColumnID
  package let from: ColumnID
  package let until: ColumnID
  package let change: ColumnID
  package let changed: ColumnID
  package let origin: ColumnID
}

/// A change that has made a version of an entity, in the order of the values of its enum.
package enum VersionChange: String, Sendable, CaseIterable {
  case created = "CREATED"
  case updated = "UPDATED"
  case deleted = "DELETED"
  case restored = "RESTORED"

  package var code: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
