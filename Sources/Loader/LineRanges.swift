import GQLBase

/// A sequence of ranges of lines of about one size, several at a time: as many as there are processors for.
struct LineRanges {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int
  private let size: Int
  private let width: Int
  private var isFirst = true

  /// - Parameters:
  ///   - size: How many bytes a range has at least, but the first, which has a part of it, and the last.
  ///   - width: How many ranges there are at a time, after the first, which is alone: what it shows helps to read others.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, size: Int, width: Int = ConcurrentWork.processorCount
  ) {
    self.bytes = bytes
    position = start
    self.size = size
    self.width = width
  }

  /// Returns the next ranges, one behind the other; nil after the last.
  mutating func next() -> [Range<Int>]? {
    var ranges: [Range<Int>] = []
    let count = isFirst ? 1 : width
    let size = isFirst ? size / 16 : size
    isFirst = false
    while ranges.count < count, position < bytes.count {
      let least = position + size
      let end = ByteSearch.firstIndex(of: 0x0A, in: bytes, from: least).map { $0 + 1 } ?? bytes.count
      ranges.append(position..<end)
      position = end
    }
    return ranges.isEmpty ? nil : ranges
  }
}
