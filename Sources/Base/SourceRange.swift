/// A half-open range of UTF-8 offsets into one ``SourceText``.
package struct SourceRange: Hashable, Sendable {
  package var start: UInt32
  package var end: UInt32

  package init(start: UInt32, end: UInt32) {
    self.start = start
    self.end = end
  }

  /// The empty range at `offset`.
  package init(at offset: UInt32) {
    self.init(start: offset, end: offset)
  }

  package var isEmpty: Bool { start >= end }
  package var count: Int { Int(end) - Int(start) }

  /// The smallest range that covers both.
  package func union(_ other: SourceRange) -> SourceRange {
    SourceRange(start: min(start, other.start), end: max(end, other.end))
  }
}
