/// Identifies an entity type within one ``Catalog``.
@usableFromInline package struct EntityTypeID: Hashable, Comparable, Sendable {
  @usableFromInline package let index: Int32
  @inlinable package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// Identifies a property within its entity type or embedded type.
@usableFromInline package struct PropertyID: Hashable, Sendable {
  @usableFromInline package let index: Int32
  @inlinable package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
}

/// Identifies a stored column within its entity type.
@usableFromInline package struct ColumnID: Hashable, Comparable, Sendable {
  @usableFromInline package let index: Int32
  @inlinable package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// Identifies one direction of a relation within one ``Catalog``.
@usableFromInline package struct RelationID: Hashable, Sendable {
  @usableFromInline package let index: Int32
  @inlinable package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
}

/// Identifies an index within one ``Catalog``.
@usableFromInline package struct IndexID: Hashable, Comparable, Sendable {
  @usableFromInline package let index: Int32
  @inlinable package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.index < right.index }
}

/// Identifies an enum type within one ``Catalog``.
@usableFromInline package struct EnumTypeID: Hashable, Sendable {
  @usableFromInline package let index: Int32
  @inlinable package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
}

/// Identifies an embedded type (an object type without an id) within one ``Catalog``.
@usableFromInline package struct EmbeddedTypeID: Hashable, Sendable {
  @usableFromInline package let index: Int32
  @inlinable package init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
}
