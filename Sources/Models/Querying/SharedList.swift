/// A list to which elements are added one by one, each time as a new value: versions of it lie in one array.
struct SharedList<Element: Sendable>: Sendable {
  private let all: Guarded<[Element]>
  /// How many of them are this version's.
  let count: Int
  /// Up to here each version has an array of its own, so that what is derived of a value that is kept is not.
  private static var smallest: Int { 16 }

  init(_ elements: [Element] = []) {
    all = Guarded(elements)
    count = elements.count
  }

  private init(_ all: Guarded<[Element]>, count: Int) {
    self.all = all
    self.count = count
  }

  var elements: [Element] { all.withLock { $0.count == count ? $0 : Array($0[..<count]) } }

  /// With further elements. Complexity: O(*n*) in these, as long as only the newest version gets any.
  func appending(_ more: [Element]) -> Self {
    let isTaken =
      count >= Self.smallest
      && all.withLock { elements in
        if elements.count != count { return false }
        elements += more
        return true
      }
    return isTaken ? Self(all, count: count + more.count) : Self(elements + more)
  }
}
