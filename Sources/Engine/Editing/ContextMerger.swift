import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Brings the changes of a context into the newest version of what it was made of.
struct ContextMerger {
  /// A result of saving.
  struct Saved {
    var snapshot: Snapshot
    var companion: (any SnapshotCompanion)?
    var numbering: RowNumbering
    var report: MergeReport
  }

  /// A result of merging into a version.
  struct Merged {
    var snapshot: Snapshot
    var companion: (any SnapshotCompanion)?
    /// The other side's version under the schema of the result.
    var theirs: Snapshot
    var conflicts: [MergeConflict]
    var held: [DeletedRow: HeldRow]
    var heldCompanions: [DeletedRow: MergeCompanions.Held]
    var canBeHeld: Bool
    /// Indicates whether a value was brought that is in no column.
    var bringsValuesWithoutColumn: Bool
    /// Whether numbers were left out that the context has changed.
    var leavesNumbersOut: Bool
    var isOpen: Bool

    /// The changes to the other side.
    var applied: DatabaseChanges {
      DatabaseChanges(from: theirs, to: snapshot, hasValuesWithoutColumn: bringsValuesWithoutColumn)
    }
  }

  let parent: Database
  let known: EditingOrigin.Progress
  let mine: Snapshot
  let companion: (any SnapshotCompanion)?
  /// A version later than the base that the other side has, too; nil for none.
  var ancestor: MergeVersions.Ancestor?

  init(
    parent: Database, _ known: EditingOrigin.Progress, mine: Snapshot, _ companion: (any SnapshotCompanion)?
  ) {
    self.parent = parent
    self.known = known
    self.mine = mine
    self.companion = companion
  }

  /// Saves the changes. Called by the parent's writer.
  ///
  /// - Parameter deciding: Called before anything is kept where conflicts are decided.
  func save(_ choice: MergeChoice, deciding: () -> Void = {}) throws(QueryError) -> Saved {
    let theirs = try parent.newestVersion()
    let (theirCompanion, numbering) = parent.state.withLock { ($0.companion, $0.numbering) }
    if isUnmoved(theirs, numbering) {
      let base = theirs === known.base ? Self.fitted(theirs, to: mine) ?? mine : theirs
      var applied = DatabaseChanges(from: base, to: mine)
      let companions = MergeCompanions(base: known.companion, mine: companion)
      applied.note(companions.moved(from: known.base.catalog, to: mine.catalog))
      return try publish(mine, companion ?? theirCompanion, numbering, applied, [])
    }
    let merged = try merge(into: theirs, theirCompanion, choice, numbering)
    if merged.isOpen { throw EditingProblem.conflicts(merged.conflicts, .saving(choice)).error }
    if !merged.conflicts.isEmpty { deciding() }
    return try publish(merged.snapshot, merged.companion, numbering, merged.applied, merged.conflicts)
  }

  /// Returns whether nobody has changed what the context began with, so that its version is the newest one.
  private func isUnmoved(_ theirs: Snapshot, _ numbering: RowNumbering) -> Bool {
    guard known.held.isEmpty, numbering == known.numbering else { return false }
    if theirs === known.base { return true }
    return theirs.catalog.version == known.base.catalog.version && theirs.hasLayout(of: known.base)
      && mine.hasLayout(of: theirs) && theirs.changes(since: known.base).isEmpty
  }

  /// Publishes a result with its companion. Called by the writer of the database.
  static func publish(
    _ snapshot: Snapshot, _ companion: (any SnapshotCompanion)?, in database: Database
  ) throws(QueryError) {
    if let companion {
      try database.publish(snapshot, companion: companion)
    } else {
      try database.publish(snapshot)
    }
  }

  private func publish(
    _ snapshot: Snapshot, _ companion: (any SnapshotCompanion)?, _ numbering: RowNumbering, _ applied: DatabaseChanges,
    _ conflicts: [MergeConflict]
  ) throws(QueryError) -> Saved {
    let newest = parent.unfollowed.snapshot
    // What was written back, or has yielded, is no transaction.
    if applied.isEmpty, snapshot.hasLayout(of: newest) {
      return Saved(
        snapshot: newest, companion: companion, numbering: numbering,
        report: MergeReport(version: parent.version, applied: applied, conflicts: conflicts))
    }
    try Self.publish(snapshot, companion, in: parent)
    let version = parent.committer?.appliedNumber ?? parent.version
    return Saved(
      snapshot: snapshot, companion: companion, numbering: numbering,
      report: MergeReport(version: version, applied: applied, conflicts: conflicts))
  }

  /// Merges the changes into a version of the parent.
  func merge(
    into newest: Snapshot, _ theirCompanion: (any SnapshotCompanion)?, _ choice: MergeChoice, _ numbering: RowNumbering
  ) throws(QueryError) -> Merged {
    if numbering != known.numbering { throw EditingProblem.renumbered.error }
    let (versions, theirs) = try fitted(to: newest)
    let companions = MergeCompanions(
      base: known.companion, mine: companion, theirs: theirCompanion, held: known.heldCompanions
    ).moved(to: theirs.catalog)
    let decider = MergeDecider(
      theirs.catalog, handlers: parent.registry.withLock { $0.merges }, companions: companions)
    let transaction = WriteTransaction(theirs, fold: foldText)
    transaction.now = WallClock.now
    let preference: MergeSide? =
      switch choice {
      case .fail: nil
      case .mine: .mine
      case .theirs: .theirs
      }
    let merge = VersionMerge(versions, into: transaction, deciding: decider, preferring: preference)
    do throws(StoreProblem) {
      try merge.run()
    } catch {
      let message = StoreMessages.describe(error, catalog: theirs.catalog, transaction: transaction)
      throw QueryError(code: .tooLarge, message)
    }
    if let failure = decider.failure { throw failure }
    let brought = merge.broughtRows
    var bringsValuesWithoutColumn = false
    for row in brought where companions.hasChanged(DeletedRow(type: row.type, row: row.from), .mine) {
      bringsValuesWithoutColumn = true
      // Of what has no column only the time tells that it is other.
      if transaction.isLive(row.type, row.to) { transaction.stamp(row.type, row.to) }
    }
    let snapshot = transaction.commit()
    let conflicts = merge.conflicts.enumerated().sorted { left, right in
      (left.element.type, left.element.row, left.offset) < (right.element.type, right.element.row, right.offset)
    }.map { conflict($0.element, versions) }
    return Merged(
      snapshot: snapshot, companion: companions.merged(brought), theirs: theirs, conflicts: conflicts,
      held: merge.held, heldCompanions: companions.holding(merge.held), canBeHeld: merge.canBeHeld,
      bringsValuesWithoutColumn: bringsValuesWithoutColumn, leavesNumbersOut: merge.leavesNumbersOut,
      isOpen: merge.isOpen)
  }

  private func conflict(_ found: StoreConflict, _ versions: MergeVersions) -> MergeConflict {
    let (base, mine, theirs) = (
      EntityReader(found.base), EntityReader(versions.mine), EntityReader(versions.theirs)
    )
    let type = versions.mine.catalog[found.type]
    let isElement = found.kind == .deleted || found.kind == .inserted
    func value(_ reader: EntityReader, _ row: UInt32?, _ version: Snapshot) -> Value {
      guard let row, let column = found.column else { return .null }
      return isElement && version.status(found.type, row) != 1 ? .null : reader.whole(found.type, row, column)
    }
    let id = mine.id(found.type, found.row)
    return MergeConflict(
      type: type.name, id: id == .null ? base.id(found.type, found.row) : id,
      field: found.column.map { type[$0].name }, base: value(base, found.row, found.base),
      mine: value(mine, found.row, versions.mine), theirs: value(theirs, found.theirRow, versions.theirs),
      kind: MergeConflict.Kind(found.kind),
      resolved: found.side.map { $0 == .mine ? .mine : .theirs } ?? .open, isNeeded: found.isNeeded,
      ways: Set(found.ways.map { $0 == .mine ? .mine : .theirs }))
  }

  /// Indicates whether there is a number to which both sides may add.
  var addsAnywhere: Bool { MergeDecider(mine.catalog, handlers: [:]).addsAnywhere }

  /// Indicates whether the context has changed numbers of entities that its base has.
  var hasChangedNumbers: Bool {
    guard let base = Self.fitted(known.base, to: mine) else { return true }
    var hasChanged = false
    // Invariant: what is compared is well-formed.
    try? mine.changes(since: base).forEachChange { change in
      let type = EntityTypeID(change.type)
      if hasChanged || base.status(type, change.row) == 0 { return }
      hasChanged = change.fields.contains { mine.catalog[type][ColumnID($0.column)].type.isNumeric }
    }
    return hasChanged
  }

  // MARK: - Schemas

  /// Returns the versions under one schema: that of the parent, or the context's if the parent's has stayed.
  private func fitted(to newest: Snapshot) throws(QueryError) -> (versions: MergeVersions, theirs: Snapshot) {
    let hasStayed = Self.isOfOneSchema(known.base, newest)
    if !hasStayed, known.base.catalog.version == newest.catalog.version { throw EditingProblem.renumbered.error }
    let target = hasStayed ? mine : newest
    var fittedVersions: [ObjectIdentifier: Snapshot] = [:]
    func fit(_ version: Snapshot, losesNothing: Bool = false) throws(QueryError) -> Snapshot {
      if let found = fittedVersions[ObjectIdentifier(version)] { return found }
      guard !Self.isOfOneSchema(version, target) else { return version }
      let found = try Self.evolved(version, to: target)
      fittedVersions[ObjectIdentifier(version)] = found.snapshot
      return found.snapshot
    }
    if !hasStayed { try refuseLoss(target) }
    let theirs = try fit(newest)
    var held: [DeletedRow: HeldRow] = [:]
    for (row, known) in known.held {
      held[row] = try known.mapVersions { (version) throws(QueryError) in try fit(version) }
    }
    let versions = MergeVersions(base: try fit(known.base), mine: try fit(mine), theirs: theirs, held: held)
    guard let ancestor else { return (versions, theirs) }
    let fitted = MergeVersions.Ancestor(try fit(ancestor.version), ancestor.numbering)
    do throws(ChangeProblem) {
      return (try versions.goingOn(from: fitted), theirs)
    } catch {
      // Invariant: versions of one schema fit each other, so there are too many rows.
      throw QueryError(code: .tooLarge, "the rows of both sides have no numbers beside each other")
    }
  }

  /// Refuses where the new schema loses something that is only in the context.
  func refuseLoss(_ target: Snapshot) throws(QueryError) {
    let (before, after) = (try Self.evolved(known.base, to: target).change, try Self.evolved(mine, to: target).change)
    let lost = Set(before.losses.map(\.message))
    // What does not fit must not come into the database; what is lost is lost there, too.
    if let new = after.conflicts.first ?? after.losses.first(where: { !lost.contains($0.message) }) {
      throw EditingProblem.otherSchema(new.message).error
    }
    // What is lost of fields that have gone may be what the context has written.
    let gone = before.losses.filter { !$0.name.isEmpty }.map(\.name)
    if gone.isEmpty { return }
    for change in DatabaseChanges(from: Self.fitted(known.base, to: mine) ?? mine, to: mine).entities {
      let fields = change.fields.map { "\(change.type).\($0.name)" }
      if let name = ([change.type] + fields).first(where: gone.contains) {
        throw EditingProblem.otherSchema("'\(name)' is gone").error
      }
    }
  }

  /// Returns whether rows of two versions can be compared cell by cell.
  static func isOfOneSchema(_ left: Snapshot, _ right: Snapshot) -> Bool { left.hasLayout(of: right) }

  /// Returns a version under the schema of another one; nil where it does not fit.
  static func fitted(_ version: Snapshot, to other: Snapshot) -> Snapshot? {
    isOfOneSchema(version, other) ? version : try? evolved(version, to: other).snapshot
  }

  /// Returns a version under the schema of another one.
  static func evolved(_ version: Snapshot, to other: Snapshot) throws(QueryError) -> SchemaEvolution {
    do throws(QueryError) {
      return try SchemaEvolution(
        version, to: other.catalog, in: SourceText(name: "schema", bytes: []), limits: .standard, RunOptions())
    } catch {
      throw EditingProblem.otherSchema(error.problems.first?.message ?? "").error
    }
  }
}

extension MergeConflict.Kind {
  fileprivate init(_ kind: StoreConflict.Kind) {
    switch kind {
    case .field: self = .field
    case .deleted: self = .deleted
    case .inserted: self = .inserted
    case .key: self = .key
    case .required: self = .required
    case .denied: self = .denied
    }
  }
}
