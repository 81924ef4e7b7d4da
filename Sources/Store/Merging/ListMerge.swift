/// A merge of two lists that were made of one, by element: what either side has added is there, and what either has removed
/// is gone.
package struct ListMerge<Element: Hashable> {
  /// The elements in their order. Each stands once.
  package private(set) var elements: [Element] = []
  /// Tells whether the two sides have put elements that all know in orders that differ.
  package let isContradictory: Bool

  /// Merges lists in which each element stands once.
  ///
  /// An added element stands after the neighbor that both sides know. Where both have added something there, what is of
  /// `theirs` comes first, because it was there earlier.
  ///
  /// - Parameter prefersMine: The order that counts where the two contradict each other.
  package init(base: [Element], mine: [Element], theirs: [Element], prefersMine: Bool) {
    let (inBase, inMine, inTheirs) = (Set(base), Set(mine), Set(theirs))
    func isKnown(_ element: Element) -> Bool {
      inBase.contains(element) && inMine.contains(element) && inTheirs.contains(element)
    }
    let known = base.filter(isKnown)
    let (myOrder, theirOrder) = (mine.filter(isKnown), theirs.filter(isKnown))
    let (isMoved, isMovedByThem) = (myOrder != known, theirOrder != known)
    isContradictory = isMoved && isMovedByThem && myOrder != theirOrder
    let leadsMine = isContradictory ? prefersMine : isMoved
    if leadsMine {
      weave(other: theirs, inOther: inTheirs, into: mine, inLead: inMine, inBase)
    } else {
      weave(other: mine, inOther: inMine, into: theirs, inLead: inTheirs, inBase)
    }
  }

  private mutating func weave(
    other: [Element], inOther: Set<Element>, into lead: [Element], inLead: Set<Element>, _ inBase: Set<Element>
  ) {
    // By neighbor: what the other side has added after it; nil is the front.
    var additions: [Element?: [Element]] = [:]
    var neighbor: Element?
    for element in other {
      if inLead.contains(element) {
        neighbor = element
      } else if !inBase.contains(element) {
        additions[neighbor, default: []].append(element)
      }
    }
    var pending = additions[nil] ?? []
    for element in lead {
      if inOther.contains(element) {
        elements += pending
        elements.append(element)
        pending = additions[element] ?? []
      } else if !inBase.contains(element) {
        elements.append(element)
      }
    }
    elements += pending
  }
}
