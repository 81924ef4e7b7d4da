import GQLCatalog
import GQLStore

/// Links of one relation until all rows are there: to rows that are known, or to keys.
struct PendingLinks {
  /// Holds the source in the high half; in the low one the target, or ``PageLayout/noRow`` where it is looked for.
  private var pairs = WordList()
  /// Of the targets that are looked for, in their order.
  private(set) var keys: ContiguousArray<Cell> = []
  /// For a relation to an interface or union: the type of each target, where it is known.
  var types: ContiguousArray<EntityTypeID?> = []

  var count: Int { pairs.count }

  mutating func append(_ source: UInt32, target: UInt32) { pairs.append(UInt64(source) << 32 | UInt64(target)) }

  mutating func append(_ source: UInt32, key: Cell) {
    append(source, target: PageLayout.noRow)
    keys.append(key)
  }

  func source(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: pairs[index] >> 32) }

  /// Returns the target's row; nil where its key is the next one of ``keys``.
  func target(_ index: Int) -> UInt32? {
    let row = UInt32(truncatingIfNeeded: pairs[index])
    return row == PageLayout.noRow ? nil : row
  }
}
