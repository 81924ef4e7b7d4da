import GQLStore

/// A record of the rows that an answer was written of, level by level. Kept for a run whose answer is watched.
package final class LevelTrace {
  /// By selection: the rows of its members.
  package private(set) var rows: ContiguousArray<ContiguousArray<UInt32>>
  /// By selection: whether there are more rows than are kept.
  package private(set) var isPartial: ContiguousArray<Bool>
  private let keepsList: Bool
  /// The rows of the first selection, where these are more than a level keeps; nil where they are too many.
  private var long: ContiguousArray<UInt32>?
  /// Rows that a level keeps.
  private static let most = 4096
  /// Rows of a list that is kept whole.
  private static let mostListed = 1 << 20

  /// A hash of all rows, by which two traces of one plan are most certainly told apart.
  package var hash: UInt64 {
    var hash = KeyHash.seed
    for (number, rows) in rows.enumerated() {
      hash = KeyHash.combine(hash, UInt64(truncatingIfNeeded: isPartial[number] ? -1 : rows.count))
      for row in rows { hash = KeyHash.combine(hash, KeyHash.word(UInt64(row), KeyHash.seed)) }
    }
    return hash
  }

  /// The rows of the first selection, however many; nil where they were not asked for, or are too many.
  package var list: ContiguousArray<UInt32>? {
    guard keepsList, let isPartial = isPartial.first else { return nil }
    return isPartial ? long : rows.first
  }

  /// - Parameter keepsList: Keeps all rows of the first selection.
  package init(selections: Int, keepsList: Bool = false) {
    self.keepsList = keepsList
    rows = ContiguousArray(repeating: [], count: selections)
    isPartial = ContiguousArray(repeating: false, count: selections)
  }

  func note(_ selection: Int, _ members: borrowing RowBuffer) {
    note(selection, UnsafeBufferPointer(start: members.base, count: members.count))
  }

  package func note(_ selection: Int, _ members: UnsafeBufferPointer<UInt32>) {
    if isPartial[selection] { return noteLong(selection, members) }
    if rows[selection].count + members.count > Self.most {
      isPartial[selection] = true
      if keepsList, selection == 0 { long = rows[0] }
      noteLong(selection, members)
      rows[selection] = []
      return
    }
    rows[selection].append(contentsOf: members)
  }

  private func noteLong(_ selection: Int, _ members: UnsafeBufferPointer<UInt32>) {
    guard selection == 0, let count = long?.count else { return }
    if count + members.count > Self.mostListed { long = nil } else { long?.append(contentsOf: members) }
  }

  func note(_ selection: Int, _ row: UInt32) { if row != PageLayout.noRow { rows[selection].append(row) } }
}
