/// Where the data of a catalog comes from in the catalog before it: types, columns and directions of relations.
package struct CatalogMapping: Sendable, Hashable {
  /// Where the cells of a column come from.
  package struct Column: Sendable, Hashable {
    /// What people call it: `User.address.city`.
    package var path: String
    /// Nil where there was none.
    package var old: ColumnID?
    /// How its cells change; nil where they stay as they are.
    package var conversion: Conversion?
    /// What its JSON values are put together from; nil where each comes from one cell.
    package var composition: Composition?
    /// What rows without a value get.
    package var fill: DefaultValue?
    /// The new column of presence of the embedded object around; rows without the object have no value.
    package var presence: ColumnID?
    /// Whether it must have a value and did not have to.
    package var isRequired: Bool

    package init(
      path: String, old: ColumnID? = nil, conversion: Conversion? = nil, composition: Composition? = nil,
      fill: DefaultValue? = nil, presence: ColumnID? = nil, isRequired: Bool = false
    ) {
      self.path = path
      self.old = old
      self.conversion = conversion
      self.composition = composition
      self.fill = fill
      self.presence = presence
      self.isRequired = isRequired
    }
  }

  /// The types, each in the terms of its own catalog.
  package struct Conversion: Sendable, Hashable {
    package var from: TypeSignature
    package var to: TypeSignature
    package init(from: TypeSignature, to: TypeSignature) {
      self.from = from
      self.to = to
    }
  }

  /// JSON values that are made of more than one cell of the old data.
  package indirect enum Composition: Sendable, Hashable {
    /// The values of a column, of this type.
    case value(ColumnID, TypeSignature)
    /// An embedded object, null where the column of presence is not true.
    case object(presence: ColumnID, [Member])
    /// What a direction leads to, by its ids: one, or a list.
    case ids(RelationID)
    /// A list of embedded objects.
    case elements(RelationID, [Member])

    package struct Member: Sendable, Hashable {
      package var name: String
      package var value: Composition
      package init(_ name: String, _ value: Composition) {
        self.name = name
        self.value = value
      }
    }
  }

  /// A field whose values go.
  package struct RemovedField: Sendable, Hashable {
    package var path: String
    /// In the old catalog.
    package var type: EntityTypeID
    package var column: ColumnID
    /// Where the values are links.
    package var relation: RelationID?
    /// What the new schema has in its place; nil if it has no such field.
    package var replacement: String?
    package init(
      path: String, type: EntityTypeID, column: ColumnID, relation: RelationID? = nil, replacement: String? = nil
    ) {
      self.path = path
      self.type = type
      self.column = column
      self.relation = relation
      self.replacement = replacement
    }
  }

  /// By new type: the old one.
  package var oldTypes: [EntityTypeID?]
  /// By old type: the new one.
  package var newTypes: [EntityTypeID?]
  /// By new type and column; nil for columns of links and of folded text.
  package var columns: [[Column?]]
  /// By new direction: the old ones whose links it takes, in order.
  package var links: [[RelationID]]
  /// By new direction: the old one of the same field; nil where there was none, or its links cannot follow.
  package var sameFields: [RelationID?]
  /// By new direction: what people call it, `User.chats`; the other direction's name where it has none itself.
  package var linkPaths: [String]
  package var removedFields: [RemovedField] = []
  /// By old enum: its values, under the names that the new catalog gives them.
  package let enumValues: [[String]]

  /// - Parameter old: With the names that the new catalog gives.
  package init(from old: Catalog, to new: Catalog) {
    enumValues = old.enums.map(\.values)
    oldTypes = Array(repeating: nil, count: new.types.count)
    newTypes = Array(repeating: nil, count: old.types.count)
    columns = new.types.map { Array(repeating: nil, count: $0.columns.count) }
    links = Array(repeating: [], count: new.relations.count)
    sameFields = Array(repeating: nil, count: new.relations.count)
    linkPaths = Array(repeating: "", count: new.relations.count)
  }
}
