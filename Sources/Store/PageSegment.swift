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
    segment.pages.touchHeaders()
    let copy = PageSegment(pages: segment.pages, stamp: stamp)
    self[number] = copy
    return copy
  }
}

extension Array where Element: AnyObject {
  /// Reads the headers of the objects, none of which waits for another; counting references, as copying the array
  /// does, would wait for each.
  @inline(__always)
  func touchHeaders() {
    var touched: UInt = 0
    withUnsafeBufferPointer { objects in
      guard let start = objects.baseAddress else { return }
      // Safe because an element is the address of an object, which the array holds, and its header has a word.
      let addresses = UnsafeRawPointer(start).assumingMemoryBound(to: UnsafeRawPointer.self)
      for index in 0..<objects.count { touched |= addresses[index].load(as: UInt.self) }
    }
    // Why the test, which cannot fail: what nobody looks at is not read.
    precondition(isEmpty || touched != 0, "objects have headers")
  }
}
