/// A list to which elements are added one by one, each time as a new value: versions of a long one lie in one array.
struct SharedList<Element: Sendable>: Sendable {
  /// Of a short one. It has an array of its own, so that what is derived of a value that is kept is not.
  private let own: [Element]
  private let shared: Guarded<[Element]>?
  /// How many of them are this version's.
  let count: Int
  private static var longestOwn: Int { 16 }

  init(_ elements: [Element] = []) {
    count = elements.count
    shared = count > Self.longestOwn ? Guarded(elements) : nil
    own = shared == nil ? elements : []
  }

  private init(_ shared: Guarded<[Element]>, count: Int) {
    own = []
    self.shared = shared
    self.count = count
  }

  var elements: [Element] { shared?.withLock { $0.count == count ? $0 : Array($0[..<count]) } ?? own }

  /// With further elements. Complexity: O(*n*) in these, as long as only the newest version gets any.
  func appending(_ more: [Element]) -> Self {
    let isTaken = shared?.withLock { elements in
      if elements.count != count { return false }
      elements += more
      return true
    }
    if isTaken == true, let shared { return Self(shared, count: count + more.count) }
    return Self(elements + more)
  }
}
