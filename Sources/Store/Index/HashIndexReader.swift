/// What a hash index has under a key.
@frozen @usableFromInline package enum IndexRows {
  case none
  case one(UInt32)
  /// Ascending, at least two.
  case many(UnsafeBufferPointer<UInt32>)
}

/// The read side of a hash index, over raw addresses. Valid as long as the ``Snapshot`` that gave it.
///
/// A key is one cell per component in the form of the index's columns, none null. Texts compare without flags,
/// decimals by value, doubles as numbers.
@frozen @usableFromInline package struct HashIndexReader: @unchecked Sendable {
  @usableFromInline package let distinctKeys: Int

  /// The row of the key (the first one, where the index is not unique), or `PageLayout.noRow`.
  @inlinable package func find(_ key: UnsafePointer<Cell>) -> UInt32 { preconditionFailure() }
  /// The rows of the key, ascending.
  @inlinable package func rows(_ key: UnsafePointer<Cell>) -> IndexRows { preconditionFailure() }
  @inlinable package func count(_ key: UnsafePointer<Cell>) -> Int { preconditionFailure() }
}
