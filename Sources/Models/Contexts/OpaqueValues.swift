/// A value that has no column, whatever its type.
class AnyOpaqueBox: @unchecked Sendable {
  /// Whether another box certainly has an equal value.
  func isEqual(to other: AnyObject) -> Bool { self === other }
}

/// A value that has no column.
final class OpaqueBox<Value>: AnyOpaqueBox, @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }

  override func isEqual(to other: AnyObject) -> Bool {
    if self === other { return true }
    guard let value = value as? any Equatable, let other = other as? OpaqueBox<Value> else { return false }
    func equals<Compared: Equatable>(_ value: Compared) -> Bool { other.value as? Compared == value }
    return equals(value)
  }
}

extension AnyOpaqueBox {
  /// Returns whether two values without a column are certainly equal, or both are not there.
  static func areEqual(_ left: AnyObject?, _ right: AnyObject?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left as AnyOpaqueBox, let right?): left.isEqual(to: right)
    default: false
    }
  }
}

/// The values without a column of all rows of a type: pages that versions share until one of them writes.
struct OpaqueValues: @unchecked Sendable {
  private final class Page {
    var values: [AnyObject?]
    init(_ values: [AnyObject?]) { self.values = values }
  }
  private static var pageRows: Int { 256 }

  /// Values a row.
  let width: Int
  private var pages: [Page] = []

  init(width: Int) { self.width = width }

  subscript(_ row: UInt32, _ number: Int) -> AnyObject? {
    let page = Int(row) / Self.pageRows
    guard page < pages.count else { return nil }
    return pages[page].values[Int(row) % Self.pageRows * width + number]
  }

  mutating func set(_ row: UInt32, _ values: [AnyObject?]) {
    let number = Int(row) / Self.pageRows
    while pages.count <= number { pages.append(Page(Array(repeating: nil, count: Self.pageRows * width))) }
    if !isKnownUniquelyReferenced(&pages[number]) { pages[number] = Page(pages[number].values) }
    let start = Int(row) % Self.pageRows * width
    for (index, value) in values.enumerated() where index < width { pages[number].values[start + index] = value }
  }
}
