extension BTreeReader {
  /// Where a range begins or ends.
  private enum CutMode {
    /// Before all entries whose components are not below the cells.
    case before
    /// Behind all entries whose components are not above the cells.
    case after
    /// Behind all entries with the equal components and an ordered text that begins with the cell.
    case afterPrefix
    /// Behind the entries with the equal components whose ordered component is not null.
    case beforeNulls
  }

  /// How many entries of the main tree are before the cut at the equal components and the `ordered` cell, if any.
  private func rank(_ bounds: BTreeBounds, ordered: Cell?, _ mode: CutMode) -> Int {
    let equal = bounds.equal
    let equalCount = bounds.equalCount
    let first: Cell
    if let equal, equalCount > 0 { first = equal[0] } else if let ordered { first = ordered } else { return 0 }
    let image = KeyOrder.image(components[0].kind, first)
    let isWhole = equalCount + (ordered == nil ? 0 : 1) == 1 && mode != .beforeNulls
    if isWhole && mode != .afterPrefix && KeyOrder.isExact(components[0].kind) {
      return mode == .before ? rank(main) { $0.images[$1] < image } : rank(main) { $0.images[$1] <= image }
    }
    // A text that begins with the prefix may have a larger image.
    let comparesImages = !(mode == .afterPrefix && equalCount == 0)
    return rank(main) { node, index in
      if comparesImages {
        let other = node.images[index]
        if other != image { return other < image }
      }
      return isBefore(node.rows[index], equal, equalCount, ordered, mode)
    }
  }

  private func isBefore(
    _ row: UInt32, _ equal: UnsafePointer<Cell>?, _ equalCount: Int, _ ordered: Cell?, _ mode: CutMode
  ) -> Bool {
    if let equal {
      for index in 0..<equalCount {
        let component = components[index]
        if component.isNull(columns, row) { return false }
        let order = KeyOrder.compare(component.kind, component.cell(columns, row), equal[index])
        if order != 0 { return order < 0 }
      }
    }
    guard equalCount < componentCount else { return mode != .before }
    let component = components[equalCount]
    if mode == .beforeNulls { return !component.isNull(columns, row) }
    guard let ordered else { return mode != .before }
    if component.isNull(columns, row) { return false }
    let cell = component.cell(columns, row)
    if mode == .afterPrefix {
      let prefix = TextView(ordered)
      return TextView(cell).compare(prefix, limit: prefix.count) <= 0
    }
    let order = KeyOrder.compare(component.kind, cell, ordered)
    return order != 0 ? order < 0 : mode == .after
  }

  /// Where the entries of the bounds lie: numbers in the main tree, and those with null as ordered component, which
  /// are in the main tree too behind equal components, else the whole tree of nulls.
  private func ranges(
    _ bounds: BTreeBounds
  ) -> (values: Range<Int>, nulls: Range<Int>, nullsAreInMain: Bool) {
    let hasNulls = bounds.includesNulls || bounds.onlyNulls
    var start = 0
    var end = main.count
    var nulls = 0..<0
    let nullsAreInMain = bounds.equalCount > 0
    if bounds.equalCount > 0 {
      start = rank(bounds, ordered: nil, .before)
      let all = rank(bounds, ordered: nil, .after)
      end = bounds.equalCount < componentCount ? rank(bounds, ordered: nil, .beforeNulls) : all
      if hasNulls { nulls = end..<max(end, all) }
    } else if hasNulls {
      nulls = 0..<self.nulls.count
    }
    if bounds.onlyNulls { return (0..<0, nulls, nullsAreInMain) }
    if bounds.equalCount < componentCount {
      if let prefix = bounds.textPrefix {
        start = rank(bounds, ordered: prefix, .before)
        end = rank(bounds, ordered: prefix, .afterPrefix)
      } else {
        if let lower = bounds.lower { start = rank(bounds, ordered: lower, bounds.lowerInclusive ? .before : .after) }
        if let upper = bounds.upper { end = rank(bounds, ordered: upper, bounds.upperInclusive ? .after : .before) }
      }
    }
    return (start..<max(start, end), nulls, nullsAreInMain)
  }

  /// How many entries lie within the bounds. Complexity: O(log n).
  @usableFromInline package func count(_ bounds: BTreeBounds) -> Int {
    let ranges = ranges(bounds)
    return ranges.values.count + ranges.nulls.count
  }

  /// Writes the rows of the bounds in list order, from the one with number `skip` on, at most `limit`; gives how many.
  /// Complexity: O(log n + result).
  @usableFromInline package func walk(
    _ bounds: BTreeBounds, descending: Bool, skip: Int, limit: Int, into rows: UnsafeMutablePointer<UInt32>
  ) -> Int {
    let ranges = ranges(bounds)
    var skip = max(0, skip)
    var done = 0
    if skip < ranges.values.count {
      done = walk(
        main, ranges.values, isNulls: false, descending: descending, skip: skip, limit: max(0, limit), into: rows)
      skip = 0
    } else {
      skip -= ranges.values.count
    }
    if done < limit && skip < ranges.nulls.count {
      done += walk(
        ranges.nullsAreInMain ? main : nulls, ranges.nulls, isNulls: !ranges.nullsAreInMain, descending: descending,
        skip: skip, limit: limit - done, into: rows + done)
    }
    return done
  }

  private func walk(
    _ root: BTreeRoot, _ range: Range<Int>, isNulls: Bool, descending: Bool, skip: Int, limit: Int,
    into rows: UnsafeMutablePointer<UInt32>
  ) -> Int {
    let count = min(limit, range.count - skip)
    if count <= 0 { return 0 }
    if !descending || (isNulls && componentCount == 1) {
      copy(root.node, from: range.lowerBound + skip, count: count, rows: rows, images: nil)
      return count
    }
    var end = range.upperBound
    var done = 0
    if skip > 0 {
      // The walk begins somewhere inside a group of equal keys.
      let entry = entry(root, at: end - 1 - skip)
      let groupStart = max(range.lowerBound, groupStart(root, entry, isNulls: isNulls))
      let groupEnd = min(end, groupEnd(root, entry, isNulls: isNulls))
      let first = groupStart + (skip - (end - groupEnd))
      done = min(count, groupEnd - first)
      copy(root.node, from: first, count: done, rows: rows, images: nil)
      end = groupStart
    }
    let capacity = 256
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: capacity) { imageBuffer in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: capacity) { rowBuffer in
        // Safe because the capacity is not zero.
        let images = imageBuffer.baseAddress.unsafelyUnwrapped
        let block = rowBuffer.baseAddress.unsafelyUnwrapped
        while done < count {
          let size = min(capacity, end - range.lowerBound, count - done + 1)
          copy(root.node, from: end - size, count: size, rows: block, images: images)
          let used = emitGroups(
            root, range.lowerBound, images, block, size: size, blockStart: end - size, isNulls: isNulls,
            into: rows + done, limit: count - done)
          done += used.rows
          end = used.end
        }
      }
    }
    return count
  }

  /// Writes the groups of a block from the last one on, each in ascending order of rows; gives how many rows, and the
  /// number of the first entry of the last group written.
  private func emitGroups(
    _ root: BTreeRoot, _ lowest: Int, _ images: UnsafePointer<UInt64>, _ block: UnsafePointer<UInt32>, size: Int,
    blockStart: Int, isNulls: Bool, into rows: UnsafeMutablePointer<UInt32>, limit: Int
  ) -> (rows: Int, end: Int) {
    var done = 0
    var end = size
    while end > 0 && done < limit {
      var start = end - 1
      while start > 0 && images[start - 1] == images[start]
        && compareEqualImages(block[start - 1], block[start], isNulls: isNulls) == 0
      {
        start -= 1
      }
      if start == 0 && blockStart > lowest {
        // The group may begin before the block. What was written already comes first.
        if done > 0 && end < size { return (done, blockStart + end) }
        let entry = BTreeEntry(image: images[0], row: block[0])
        let groupStart = max(lowest, groupStart(root, entry, isNulls: isNulls))
        let taken = min(limit - done, blockStart + end - groupStart)
        copy(root.node, from: groupStart, count: taken, rows: rows + done, images: nil)
        return (done + taken, groupStart)
      }
      let taken = min(limit - done, end - start)
      for index in 0..<taken { rows[done + index] = block[start + index] }
      done += taken
      end = start
    }
    return (done, blockStart + end)
  }
}

/// The first entries of keys of a B-tree, each sought after the one before.
package struct BTreeGroups {
  private let reader: BTreeReader
  private let components: Int
  private var parts: [(root: BTreeRoot, range: Range<Int>, isNulls: Bool)]

  fileprivate init(
    _ reader: BTreeReader, components: Int, _ parts: [(root: BTreeRoot, range: Range<Int>, isNulls: Bool)]
  ) {
    self.reader = reader
    self.components = components
    // The last one is gone through first.
    self.parts = parts.reversed()
  }

  /// Returns the row of the next key's first entry.
  ///
  /// Complexity: O(log *n*).
  package mutating func next() -> UInt32? {
    while let (root, range, isNulls) = parts.last {
      parts.removeLast()
      if range.isEmpty { continue }
      let entry = reader.entry(root, at: range.lowerBound)
      let end = min(range.upperBound, reader.groupEnd(root, entry, components: components, isNulls: isNulls))
      if end < range.upperBound { parts.append((root, end..<range.upperBound, isNulls)) }
      return entry.row
    }
    return nil
  }
}

extension BTreeReader {
  /// Returns the first entries within the bounds of those that agree in so many leading components, in list order.
  package func groups(_ bounds: BTreeBounds, components: Int) -> BTreeGroups {
    let ranges = ranges(bounds)
    return BTreeGroups(
      self, components: components,
      [
        (main, ranges.values, false),
        (ranges.nullsAreInMain ? main : nulls, ranges.nulls, !ranges.nullsAreInMain),
      ])
  }

  /// Returns how many entries have leading components that are not greater than those of `entry`.
  fileprivate func groupEnd(_ root: BTreeRoot, _ entry: BTreeEntry, components count: Int, isNulls: Bool) -> Int {
    let isExact = count == 1 && (isNulls || KeyOrder.isExact(components[0].kind))
    return rank(root) { node, index in
      let image = node.images[index]
      if image != entry.image { return image < entry.image }
      return isExact || compareKeys(node.rows[index], entry.row, from: isNulls ? 1 : 0, to: count) <= 0
    }
  }
}
