/// Sixteen pages of a directory, shared between versions.
final class PageSegment: @unchecked Sendable {
  static let capacity = 16
  @exclusivity(unchecked) var pages: [Page]
  let stamp: UInt64

  init(pages: [Page], stamp: UInt64) {
    self.pages = pages
    self.stamp = stamp
  }
}

extension [PageSegment] {
  /// The segment, which only `stamp` may write: a copy in its place if another version shares it.
  mutating func owned(_ number: Int, by stamp: UInt64) -> PageSegment {
    let segment = self[number]
    if segment.stamp == stamp { return segment }
    let copy = PageSegment(pages: segment.pages, stamp: stamp)
    self[number] = copy
    return copy
  }
}
