import GQLCatalog
import GQLStore

/// Where the values of an answer lie, so that two answers can be compared without reading them.
package struct AnswerTrace {
  struct Level {
    let type: EntityTypeID
    let columns: [ColumnID]
    /// How many values without a column an entity has.
    let opaqueCount: Int
    /// The embedded objects that do not lie in columns alone.
    let objects: [ObjectProperty]
    /// The relations whose ids deleted entities are read with.
    let links: [DeletedLinks]
    let rows: [UInt32]
    /// Where the rows of each parent end; empty where all parents have all of them.
    let ends: [Int]
    /// The levels of what comes with the entities, in the order of the query; nil where nothing comes.
    var nested: [Int?] = []

    /// Whether it lies in a catalog as another one does in another catalog, which may have other types beside it. What
    /// embedded objects lead to is not looked at, so that there they are not the same.
    func isSame(_ other: Level, in catalog: Catalog, as old: Catalog) -> Bool {
      objects.isEmpty && columns == other.columns && catalog[type].name == old[other.type].name
        && (catalog.enums.starts(with: old.enums) || old.enums.starts(with: catalog.enums))
        && columns.allSatisfy { catalog[type][$0] == old[other.type][$0] }
        && links.count == other.links.count
        && zip(links, other.links).allSatisfy { $0.isSame($1, in: catalog, as: old) }
    }
  }

  /// The version in which the rows lie.
  private(set) var context: Context
  private let snapshot: Snapshot?
  private(set) var levels: [Level] = []

  init(_ context: Context) {
    self.context = context
    snapshot = context.storage.current
  }

  /// The same rows in a newer version, in which they have the same values.
  func moved(to context: Context) -> AnswerTrace {
    var trace = AnswerTrace(context)
    trace.levels = levels
    return trace
  }

  /// Adds a level; gives its number.
  mutating func add(
    _ type: EntityTypeID, _ columns: [ColumnID], opaqueCount: Int, _ objects: [ObjectProperty],
    _ links: [DeletedLinks], rows: [UInt32],
    ends: [Int]
  ) -> Int {
    levels.append(
      Level(
        type: type, columns: columns, opaqueCount: opaqueCount, objects: objects, links: links, rows: rows, ends: ends))
    return levels.count - 1
  }

  mutating func setNested(_ level: Int, _ nested: [Int?]) { levels[level].nested = nested }

  /// Whether an older answer to the same question has the same values.
  func isSame(as old: AnswerTrace) -> Bool {
    // A type that was not known had nothing.
    if levels.first?.rows.isEmpty != false, old.levels.first?.rows.isEmpty != false { return true }
    guard levels.count == old.levels.count, let snapshot, let before = old.snapshot else { return false }
    let isSameCatalog = snapshot.catalog.storesAlike(before.catalog)
    return zip(levels, old.levels).allSatisfy { level, oldLevel in
      guard level.type == oldLevel.type, level.rows.count == oldLevel.rows.count, level.ends == oldLevel.ends,
        isSameCatalog || level.isSame(oldLevel, in: snapshot.catalog, as: before.catalog)
      else { return false }
      let isInPlace = level.rows == oldLevel.rows
      for column in level.columns where !(isInPlace && snapshot.hasSameCells(level.type, column, as: before)) {
        for (row, oldRow) in zip(level.rows, oldLevel.rows)
        where !snapshot.hasSameValue(level.type, column, row, as: before, oldRow) {
          return false
        }
      }
      return (level.opaqueCount == 0 || hasSameOpaques(level, as: old, oldLevel))
        && level.objects.allSatisfy { hasSame($0, level, snapshot, oldLevel, before) }
        && zip(level.links, oldLevel.links).allSatisfy {
          isInPlace && $0.isUntouched(from: before, as: $1, to: snapshot)
            || hasSame($0, level, snapshot, $1, oldLevel, before)
        }
    }
  }

  /// Whether deleted entities are read with the same ids.
  private func hasSame(
    _ links: DeletedLinks, _ level: Level, _ snapshot: Snapshot, _ oldLinks: DeletedLinks, _ oldLevel: Level,
    _ before: Snapshot
  ) -> Bool {
    let target = links.relation.target
    return zip(level.rows, oldLevel.rows).allSatisfy { row, oldRow in
      let targets = snapshot.targetsWhenDeleted(links.relation.id, row)
      let oldTargets = before.targetsWhenDeleted(oldLinks.relation.id, oldRow)
      return targets.count == oldTargets.count
        && zip(targets, oldTargets).allSatisfy { snapshot.hasSameValue(target, links.id, $0, as: before, $1) }
    }
  }

  private func hasSame(
    _ object: ObjectProperty, _ level: Level, _ snapshot: Snapshot, _ oldLevel: Level, _ before: Snapshot
  ) -> Bool {
    zip(level.rows, oldLevel.rows).allSatisfy { row, oldRow in
      object.types.read(object.place, object.type, row, snapshot)
        .holds(in: object.types.read(object.place, object.type, oldRow, before))
    }
  }

  private func hasSameOpaques(_ level: Level, as old: AnswerTrace, _ oldLevel: Level) -> Bool {
    let (now, before) = (context.storage.opaques(of: level.type), old.context.storage.opaques(of: level.type))
    return zip(level.rows, oldLevel.rows).allSatisfy { row, oldRow in
      (0..<level.opaqueCount).allSatisfy { AnyOpaqueBox.areEqual(now?[row, $0], before?[oldRow, $0]) }
    }
  }
}

extension QueryReading {
  /// Adds entities that are read, and what comes with them; gives the number of their level. All of it was looked for.
  @discardableResult
  func trace(_ found: FoundRows, _ list: QueryList<Entity>, idsOnly: Bool, _ trace: inout AnswerTrace) -> Int {
    let columns = idsOnly ? [ColumnID(mapping.idColumn)] : valueColumns(of: list.attributes)
    let level = trace.add(
      mapping.type, columns, opaqueCount: idsOnly ? 0 : mapping.layout.opaqueCount,
      idsOnly ? [] : valueObjects(of: list.attributes), idsOnly ? [] : deletedLinks, rows: found.rows, ends: found.ends)
    if idsOnly || found.rows.isEmpty { return level }
    let parts = found.nested ?? []
    trace.setNested(level, zip(list.nested, parts).map { $0.trace($1, self, &trace) })
    return level
  }
}
