/// Which entries of a B-tree are asked for: those with equal leading components, and of them those whose next
/// component, called the *ordered* one, lies within bounds.
///
/// Without bounds, prefix, and with `includesNulls`, all entries with the equal components. Cells are in the form of
/// the index's columns; texts must stay where they are during the call.
@frozen @usableFromInline package struct BTreeBounds {
  /// The leading components, none of them null; the memory is the caller's.
  @usableFromInline package var equal: UnsafePointer<Cell>?
  @usableFromInline package var equalCount: Int
  @usableFromInline package var lower: Cell?
  @usableFromInline package var lowerInclusive: Bool
  @usableFromInline package var upper: Cell?
  @usableFromInline package var upperInclusive: Bool
  /// What the text of the ordered component begins with (String and UUID columns: bytes); excludes bounds.
  @usableFromInline package var textPrefix: Cell?
  /// Entries whose ordered component is null belong too, after all others whatever the direction.
  @usableFromInline package var includesNulls: Bool
  /// Only the entries whose ordered component is null.
  @usableFromInline package var onlyNulls: Bool

  /// Everything that has a non-null ordered component, until narrowed.
  @inlinable package init(
    equal: UnsafePointer<Cell>? = nil, equalCount: Int = 0, lower: Cell? = nil, lowerInclusive: Bool = true,
    upper: Cell? = nil, upperInclusive: Bool = true, textPrefix: Cell? = nil, includesNulls: Bool = false,
    onlyNulls: Bool = false
  ) {
    self.equal = equal
    self.equalCount = equalCount
    self.lower = lower
    self.lowerInclusive = lowerInclusive
    self.upper = upper
    self.upperInclusive = upperInclusive
    self.textPrefix = textPrefix
    self.includesNulls = includesNulls
    self.onlyNulls = onlyNulls
  }
}
