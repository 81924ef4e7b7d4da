/// An array whose copies share all but what one of them writes: a tree of three levels.
///
/// ```
///   top ─▶ 128 leaves each ─▶ 128 elements each
/// ```
/// Complexity: O(1) to read and to write, and after a copy O(count / 16,384) more for the first write, with some hundred
/// elements and references copied; an array of one block would copy all.
package struct PersistentArray<Element: Sendable>: Sendable {
  private typealias Leaf = ContiguousArray<Element>
  private static var bits: Int { 7 }
  private static var mask: Int { 1 << bits - 1 }

  private var top: ContiguousArray<ContiguousArray<Leaf>> = []
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ element: Element) {
    if count & Self.mask == 0 {
      if count & (1 << (2 * Self.bits) - 1) == 0 { top.append([]) }
      top[top.count - 1].append([])
    }
    top[count >> (2 * Self.bits)][count >> Self.bits & Self.mask].append(element)
    count += 1
  }

  package mutating func popLast() -> Element? {
    if count == 0 { return nil }
    count -= 1
    let (group, leaf) = (count >> (2 * Self.bits), count >> Self.bits & Self.mask)
    let last = top[group][leaf].removeLast()
    if count & Self.mask == 0 {
      top[group].removeLast()
      if leaf == 0 { top.removeLast() }
    }
    return last
  }

  package subscript(_ index: Int) -> Element {
    get { top[index >> (2 * Self.bits)][index >> Self.bits & Self.mask][index & Self.mask] }
    _modify { yield &top[index >> (2 * Self.bits)][index >> Self.bits & Self.mask][index & Self.mask] }
  }
}
