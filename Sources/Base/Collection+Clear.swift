extension RangeReplaceableCollection where Self: RandomAccessCollection & BidirectionalCollection {
  /// Removes all elements and keeps their memory, as `removeAll(keepingCapacity:)` does: a few one after another, which is
  /// quicker, and none at once.
  @inlinable @inline(__always)
  package mutating func clear() {
    if count > 4 { return removeAll(keepingCapacity: true) }
    while !isEmpty { removeLast() }
  }
}
