/// Identifies an entity type within one ``Catalog``.
package struct EntityTypeID: Hashable, Comparable, Sendable {
  package let index: Int32
  package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
  package static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// Identifies a property within its entity type or embedded type.
package struct PropertyID: Hashable, Sendable {
  package let index: Int32
  package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
}

/// Identifies a stored column within its entity type.
package struct ColumnID: Hashable, Comparable, Sendable {
  package let index: Int32
  package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
  package static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// Identifies one direction of a relation within one ``Catalog``.
package struct RelationID: Hashable, Sendable {
  package let index: Int32
  package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
}

/// Identifies an index within one ``Catalog``.
package struct IndexID: Hashable, Comparable, Sendable {
  package let index: Int32
  package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
  package static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// Identifies an enum type within one ``Catalog``.
package struct EnumTypeID: Hashable, Sendable {
  package let index: Int32
  package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
}

/// Identifies an embedded type (an object type without an id) within one ``Catalog``.
package struct EmbeddedTypeID: Hashable, Sendable {
  package let index: Int32
  package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
}
