import GQLCatalog

/// The versions of a merge. All have columns of one schema.
package struct MergeVersions {
  /// A version that both sides have, and that is no older than the base.
  package struct Ancestor {
    /// A side of which it is an earlier version, so that its rows have the numbers that they have there.
    package enum Numbering: Sendable { case mine, theirs, other }

    package let version: Snapshot
    package let numbering: Numbering

    package init(_ version: Snapshot, _ numbering: Numbering) {
      self.version = version
      self.numbering = numbering
    }
  }

  package private(set) var base: Snapshot
  package private(set) var mine: Snapshot
  package let theirs: Snapshot
  /// Rows of `base` that were in conflict when it became the base.
  package var held: [DeletedRow: HeldRow]
  /// By rows of mine that have got other numbers: those that they had.
  package private(set) var originals: [DeletedRow: UInt32] = [:]

  package init(base: Snapshot, mine: Snapshot, theirs: Snapshot, held: [DeletedRow: HeldRow] = [:]) {
    self.base = base
    self.mine = mine
    self.theirs = theirs
    self.held = held
  }

  /// Returns the versions with a later base: a version that both sides have. What is new in it since the base has the
  /// numbers of theirs, in mine too. So it is compared row by row, and only what came later counts.
  ///
  /// Complexity: O(*n*) in what has changed since the base.
  package func goingOn(from ancestor: Ancestor) throws(ChangeProblem) -> MergeVersions {
    var result = self
    let isTheirs = ancestor.numbering == .theirs
    let isMine = ancestor.numbering == .mine
    var numbers = MergeNumbers(since: base, beside: isTheirs ? [theirs, ancestor.version] : [theirs])
    let known =
      isTheirs
      ? [:] : CommonRows(of: ancestor.version, in: theirs, since: base, beside: isMine ? [mine] : []).numbers
    numbers.add(ancestor.version) { isTheirs ? $0.row : known[$0] }
    result.base = try numbers.renumbered(ancestor.version)
    if isMine {
      numbers.add(mine) { _ in nil }
    } else {
      let common = CommonRows(of: mine, in: ancestor.version, since: base).numbers
      var others = MergeNumbers(since: base, following: numbers)
      others.add(mine) { row in common[row].flatMap { numbers[DeletedRow(type: row.type, row: $0)] } }
      numbers = others
    }
    result.mine = try numbers.renumbered(mine)
    for (row, number) in numbers.numbers where mine.table(row.type).status(row.row) != RowChangeStatus.void {
      result.originals[DeletedRow(type: row.type, row: number)] = row.row
    }
    return result
  }
}
