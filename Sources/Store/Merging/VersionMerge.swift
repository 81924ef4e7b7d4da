import GQLCatalog

/// A choice between two sides of a merge.
package enum MergeSide: Sendable, Hashable { case mine, theirs }

/// A decision about a field that both sides have written.
package enum MergeDecision {
  case side(MergeSide)
  case value(Cell?)
  /// Lists are merged by element; of `unites`, each element stands once, and orders never contradict each other.
  case elements(unites: Bool)
  /// Nobody has decided.
  case conflict
}

/// A decider about fields that both sides have written.
package protocol MergeDeciding {
  /// Decides about a field that is no link.
  func decide(
    _ type: EntityTypeID, _ column: ColumnID, base: Cell?, mine: Cell?, theirs: Cell?
  ) -> MergeDecision
  /// Returns whether what both have added to a number is added up.
  func adds(_ type: EntityTypeID, _ column: ColumnID) -> Bool
  /// Decides about links: `.elements` for lists, unless something else is said.
  func decide(_ relation: Relation) -> MergeDecision
  /// Returns whether a side has written something of a row of the base that is in no column.
  func hasWrittenBesides(_ row: DeletedRow, _ side: MergeSide) -> Bool
}

/// A conflict between the two sides of a merge.
package struct StoreConflict: Sendable {
  package enum Kind: Sendable, Hashable {
    /// Both have written a field.
    case field
    /// One side has deleted the entity, and the other has written to it.
    case deleted
    /// Both have inserted an entity of one id.
    case inserted
    /// Both want a unique value.
    case key
    /// A link that must be there would be gone.
    case required
    /// A relation denies the deletion.
    case denied
  }
  package let kind: Kind
  package let type: EntityTypeID
  /// The row of the base and of mine.
  package let row: UInt32
  /// The row of theirs; nil where they have none.
  package let theirRow: UInt32?
  /// Nil for the entity itself.
  package let column: ColumnID?
  /// Tells whether what one side has deleted is only needed by the other, not written.
  package let isNeeded: Bool
  /// Which side it was decided for; nil where it is open.
  package let side: MergeSide?
  /// The sides that it can be decided for.
  package let ways: Set<MergeSide>
  /// The version that the row began with.
  package let base: Snapshot
}

/// Brings what one version has changed since a base into another version that was made of that base.
///
/// What only one side has touched is applied, by field, by link and by element. The changes are made again by the calls
/// of a transaction, so that indexes, both directions of links and the rules of relations are kept as with any change.
/// Rows that both sides have added under one number are other entities: mine get new numbers.
package final class VersionMerge {
  typealias Row = DeletedRow

  let versions: MergeVersions
  let layout: StoreLayout
  let deciding: any MergeDeciding
  /// The side of conflicts that nothing else decides; nil leaves them open, and theirs as they are.
  let preference: MergeSide?
  let transaction: WriteTransaction
  /// What cells point to that are made on the way.
  let memory = ConversionArena()

  /// Rows that my side and the other one have changed.
  private(set) var myRows: [Row] = []
  var isMine: Set<Row> = []
  private(set) var isTheirs: Set<Row> = []
  /// My new entities, and others of mine that the newest version has no more.
  var insertions: [Row] = []
  /// Those of them that the base has, and that come as other rows.
  var reinserted: Set<Row> = []
  /// Entities that live on both sides, or do again.
  var changed: [Row] = []
  var restorations: [Row] = []
  var deletions: [(group: UInt64, row: Row)] = []
  /// Entities that were deleted before both sides began, and that I have deleted anew.
  var deletedAgain: [(group: UInt64, row: Row)] = []
  /// Entities that are not deleted, because the other side has written to them.
  var kept: Set<Row> = []
  /// Rows that I have erased, and that stay with all their links.
  var staying: Set<Row> = []
  /// By row and column: the side that the embedded object around the column was decided for.
  var settled: [Row: [Int: MergeSide]] = [:]
  /// Rows of which nothing is brought over.
  var ignored: Set<Row> = []
  /// The numbers that my new rows have got.
  var numbers: [Row: UInt32] = [:]
  /// My new rows that are the other side's, too, whose links to one stay.
  var yielding: Set<Row> = []
  /// Those of them that I have not written, and that bring nothing.
  var unwritten: Set<Row> = []
  /// Rows that lists of embedded objects leave, in the newest version.
  var superseded: [Row] = []
  /// Embedded objects of mine that the other side has no more.
  var lostObjects: [Row] = []
  var links = MergeLinks()

  package private(set) var conflicts: [StoreConflict] = []
  /// Rows of the result that are in conflict.
  package internal(set) var held: [DeletedRow: HeldRow] = [:]
  /// Tells whether the conflicts can be told again of a context that goes on from the result.
  package internal(set) var canBeHeld = true

  package init(
    _ versions: MergeVersions, into transaction: WriteTransaction, deciding: any MergeDeciding,
    preferring preference: MergeSide?
  ) {
    self.versions = versions
    self.deciding = deciding
    self.preference = preference
    self.transaction = transaction
    layout = transaction.layout
  }

  var ownedLists: OwnedLists { OwnedLists(of: self) }

  /// Returns whether some conflict is open.
  package var isOpen: Bool { conflicts.contains { $0.side == nil } }

  /// My rows that were brought over, with their numbers in the result.
  package var broughtRows: [(type: EntityTypeID, from: UInt32, to: UInt32)] {
    (insertions + changed).compactMap { row in
      if unwritten.contains(row) { return nil }
      if ignored.contains(row), !reinserted.contains(row) { return nil }
      return number(row.type, row.row).map {
        (type: row.type, from: versions.originals[row] ?? row.row, to: $0)
      }
    }
  }

  /// Returns whether numbers that I have changed are left out, because the other side does not have their entities.
  package var leavesNumbersOut: Bool {
    ignored.contains { row in
      if isNew(row) || reinserted.contains(row) || image(versions.mine, row).status != RowChangeStatus.live {
        return false
      }
      let type = layout.types[Int(row.type.index)]
      return type.columns.indices.contains { column in
        type.columns[column].type.isNumeric && !type.isFilled[column]
          && !areEqual(
            type, column, image(base(of: row, column), row).cell(column), image(versions.mine, row).cell(column))
      }
    }
  }

  /// Has no new row of the result get a number that the base has for a row which the other side does not have.
  private func reserveRows() throws(StoreProblem) {
    for (number, table) in versions.base.tables.enumerated() {
      let type = EntityTypeID(number)
      let count = table.slots - versions.theirs.table(type).slots
      if count > 0, !transaction.appendVoid(type, count: count) { throw .tooManyRows(type) }
    }
  }

  /// Applies my changes to the transaction, which began with the other side's version. It is to be dropped where a
  /// conflict is open.
  ///
  /// - Throws: ``StoreProblem`` for what no merge causes: too many rows, too long a text, or being stopped.
  package func run() throws(StoreProblem) {
    let base = versions.base
    try reserveRows()
    for (rows, version) in [(true, versions.mine), (false, versions.theirs)] {
      // Invariant: what is compared is well-formed.
      try? version.changes(since: base).forEachRow { type, row in
        let found = Row(type: EntityTypeID(type), row: row)
        // A link by an interface or union is one of the entity, whose own row it does not change.
        let owners = rows ? ownedLists.writtenOwners(found) : ownedLists.owners(of: found, in: version)
        for row in [found] + mirrored(found, in: version) + owners {
          if !rows { isTheirs.insert(row) } else if isMine.insert(row).inserted { myRows.append(row) }
        }
      }
    }
    for row in versions.held.keys where !isTheirs.contains(row) { isTheirs.insert(row) }
    EmbeddedObjects(of: self).compare()
    for row in myRows { ownedLists.compare(row) }
    for row in myRows where !isMirrored(row.type) { classify(row) }
    RequiredTargets(of: self).bringBack()
    ownedLists.followOwners(lostObjects)
    for row in insertions + changed {
      // What leads by an interface to what comes as another row leads there again.
      for row in reinserted.contains(row) ? withMirrors(row, in: versions.mine) : [row] { compareLinks(row) }
    }
    let components = self.components()
    RequiredTargets(of: self).keep()
    keep(components)
    for (group, row) in deletions where group != 0 && !ignored.contains(row) {
      compareDeleted(row)
      forgetWaiting(row)
    }
    unlinkRemoved()
    try deleteAll(components)
    try restoreKept()
    let freed = try freeKeys()
    try RestoredTargets(of: self).lead()
    var coming = Restorations(of: self)
    try coming.run()
    try replaceRestoredLists()
    try deleteAgain()
    // Links that I had taken away come back with what is restored.
    if !restorations.isEmpty { unlinkRemoved() }
    for row in changed { try mergeFields(row, freed: freed) }
    for row in insertions { try insert(row) }
    try linkAdded()
    let brought = (insertions + changed).filter { !unwritten.contains($0) }
    let listed = brought + ReturnedPlaces(of: self).holders().subtracting(brought).subtracting(unwritten)
    for row in listed { orderLists(row) }
    for row in brought { try bringWaiting(row) }
    for row in changed { stampUpdate(row) }
    try dropIncomplete()
    try bringDeleted()
    for row in listed { placeSuspended(row) }
  }

  // MARK: - Versions

  func image(_ version: Snapshot, _ row: Row) -> StoredRow { StoredRow(version.table(row.type), row.row) }
  /// The version that a row began with.
  func base(of row: Row) -> Snapshot { versions.held[row]?.whole ?? versions.base }
  /// The version that a field, or the links of a relation, began with.
  func base(of row: Row, _ column: Int) -> Snapshot {
    guard let held = versions.held[row] else { return versions.base }
    return held.whole ?? held.columns[ColumnID(column)] ?? versions.base
  }
  /// The targets that a row began with.
  func baseTargets(_ relation: Relation, of row: Row) -> [UInt32] {
    targets(base(of: row, Int(relation.column.index)), relation, row.row)
  }
  /// Returns whether a row of mine is not the base's, so that the other side's of its number is another one.
  func isNew(_ row: Row) -> Bool { versions.base.table(row.type).status(row.row) == RowChangeStatus.void }

  /// Returns whether a target of the base has gone for good in a version.
  func isErased(_ target: UInt32, _ relation: Relation, in version: Snapshot) -> Bool {
    let target = Row(type: relation.target, row: target)
    return !isNew(target) && image(version, target).status == RowChangeStatus.void
  }

  /// Returns whether a row of mine comes as a new one.
  func comesAnew(_ row: Row) -> Bool { isNew(row) || reinserted.contains(row) }

  /// Returns whether a type's rows mirror those of others, and come and go with them.
  func isMirrored(_ type: EntityTypeID) -> Bool {
    let type = layout.types[Int(type.index)]
    return !type.members.isEmpty || type.isHidden && !type.isElement
  }

  /// Returns the entity that a row of an interface or union mirrors; none for another row.
  func mirrored(_ row: Row, in version: Snapshot) -> [Row] {
    let members = layout.types[Int(row.type.index)].members
    if members.isEmpty { return [] }
    let stored = image(version, row)
    return members.compactMap { member in
      stored.cell(Int(member.column.index)).map {
        Row(type: member.target, row: UInt32(truncatingIfNeeded: $0.low))
      }
    }
  }

  func areEqual(_ type: StoreLayout.TypeLayout, _ column: Int, _ left: Cell?, _ right: Cell?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return ChangeValueKind(type.columns[column].kind, elementIsText: type.elementIsText[column]).areEqual(left, right)
  }

  /// Returns the targets of a row in a version, those that are deleted, and could come back, in their places.
  func targets(_ version: Snapshot, _ relation: Relation, _ row: UInt32) -> [UInt32] {
    StoredRow(version.table(relation.source), row).targets(
      relation, place: layout.relationPlaces[Int(relation.id.index)])
  }

  /// Returns the row of the result that a row of mine is; nil where it is not brought over.
  func number(_ type: EntityTypeID, _ row: UInt32) -> UInt32? {
    let found = Row(type: type, row: row)
    if let number = numbers[found] { return number }
    guard isMirrored(type) else { return isNew(found) ? nil : row }
    for member in layout.types[Int(type.index)].members {
      let stored = image(versions.mine, found)
      guard let cell = stored.cell(Int(member.column.index)) else { continue }
      guard let entity = number(member.target, UInt32(truncatingIfNeeded: cell.low)) else { return nil }
      return transaction.mirroredRow(member.target, entity, in: type)
    }
    return isNew(found) ? nil : row
  }

  // MARK: - Conflicts

  /// Notes a conflict, and returns the side that is taken.
  ///
  /// - Parameter allowsMine: Whether my side can be taken at all; where it is preferred and cannot, the conflict is open.
  /// - Parameter isNeeded: Whether what the other side has deleted is only needed.
  @discardableResult
  func note(
    _ kind: StoreConflict.Kind, _ row: Row, _ column: ColumnID? = nil, theirRow: UInt32? = nil,
    allowsMine: Bool = true, allowsTheirs: Bool = true, isNeeded: Bool = false
  ) -> MergeSide {
    let ways = Set((allowsMine ? [MergeSide.mine] : []) + (allowsTheirs ? [.theirs] : []))
    let side = preference.flatMap { ways.contains($0) ? $0 : nil }
    let isThere = !isNew(row) && versions.theirs.table(row.type).status(row.row) != RowChangeStatus.void
    conflicts.append(
      StoreConflict(
        kind: kind, type: row.type, row: row.row, theirRow: theirRow ?? (isThere ? row.row : nil), column: column,
        isNeeded: isNeeded, side: side, ways: ways, base: column.map { base(of: row, Int($0.index)) } ?? base(of: row)))
    switch kind {
    case .field where column != nil:
      guard !isNew(row), let column else { break }
      held[row, default: HeldRow()].columns[column] = base(of: row, Int(column.index))
    case .field, .deleted: if !isNew(row) { held[row, default: HeldRow()].whole = base(of: row) }
    case .inserted: if let theirRow { held[Row(type: row.type, row: theirRow)] = HeldRow(whole: base(of: row)) }
    case .key, .required, .denied: canBeHeld = false
    }
    return side ?? .theirs
  }
}

/// The links that a merge takes away and makes.
struct MergeLinks {
  /// A link in the direction that is written, see ``VersionMerge/link(_:_:_:)``.
  struct Link: Hashable {
    var relation: RelationID
    var source: UInt32
    var target: UInt32
  }
  /// By the numbers of the result.
  var removed: [Link] = []
  /// Those of them that were taken away.
  var unlinked: [Link] = []
  /// By my numbers.
  var added: [Link] = []
  /// Those of both that the other side's choice keeps from being changed.
  var blocked: Set<Link> = []
}
