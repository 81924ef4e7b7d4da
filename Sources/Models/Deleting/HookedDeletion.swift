import GQLCatalog
import GQLStore

/// A deletion of which each entity that goes is told once, whatever the hooks do meanwhile.
///
/// Hooks may delete some of the others, take them out of the cascade, and add to it. So each is told when it is reached,
/// behind those that lead to it, if it is there still; and all is gone through again until nothing new is found. Who is
/// told is noted where deletions within hooks find it, which delete it, but do not tell it again; one of which hooks ask
/// that it goes while it is told with others goes with these.
struct HookedDeletion {
  /// What goes by itself, not by a rule: what was asked for at first, and what hooks have asked for meanwhile.
  private(set) var roots: [DeletedRow]
  /// How many are postponed that are not this deletion's, and how many with its own that were seen.
  let outerPostponed: Int
  private var postponed: Int
  private let cascaded: CascadeSet
  private(set) var told: [(row: DeletedRow, entity: any CascadedEntity, isKept: Bool)] = []
  private var isOver = false
  /// Who may be told without being counted: what would go at first, and what the hooks of that have added.
  private var expected: Set<DeletedRow> = []
  private var added = 0
  private var visited = 0

  /// How often all may be gone through again, where hooks add what is found in no other way.
  private static var mostPasses: Int { 64 }
  /// How many of those that were found to have more targets are looked at again behind each hook.
  private static var watched: Int { 16 }

  /// A deletion within which others begin, with so many that are postponed already. It is to be ended. Precondition: one
  /// entity or more, each once.
  init(_ entities: [DeletedRow], _ cascaded: CascadeSet, behind postponed: Int) {
    roots = entities
    self.cascaded = cascaded
    outerPostponed = postponed
    self.postponed = postponed
    cascaded.begin()
  }

  /// Tells all that go. What hooks add is told behind what would have gone without them.
  ///
  /// Complexity: O(*n*) in these and their links; once more for each time that something new is found at an entity that
  /// is neither new itself nor one of the last that were seen to grow.
  mutating func tell(_ context: inout Context) throws {
    let first = try cascade(&context)
    if first.isEmpty { return }
    expected = Set(first)
    try tell(only: expected, &context)
    var isSecond = true
    while true {
      addPostponed(context)
      let found = try cascade(&context).filter { !cascaded.contains($0) }
      if found.isEmpty { return }
      if isSecond { expected.formUnion(found) }
      isSecond = false
      try tell(only: nil, &context)
    }
  }

  private mutating func addPostponed(_ context: Context) {
    // What was undone is not asked for any more.
    let more = context.storage.postponed.rows(behind: postponed)
    postponed = context.storage.postponed.count
    if more.isEmpty { return }
    let known = Set(roots)
    roots += more.filter { !known.contains($0) }
  }

  /// All that would go now.
  private func cascade(_ context: inout Context) throws -> [DeletedRow] {
    let live = context.live(roots)
    guard let first = live.first else { return [] }
    context.own()
    do { return try context.storage.writing.cascade(from: live) } catch {
      throw context.storage.schema?.byNumber[Int(first.type.index)].error(error, in: context) ?? error
    }
  }

  /// One that is reached, and how many targets of each of its relations were reached from it.
  private struct Reached {
    let entity: DeletedRow
    /// The place of the one that leads to it; its own where none does.
    let owner: Int
    var counts: [Int] = []
  }

  /// Goes through all, and tells those that are not told yet, or of them only some.
  private mutating func tell(only some: Set<DeletedRow>?, _ context: inout Context) throws {
    var met = Set<DeletedRow>(minimumCapacity: expected.count)
    for root in roots {
      guard met.insert(root).inserted else { continue }
      var reached = [Reached(entity: root, owner: 0)]
      // The last ones that had something new, the last one first.
      var growing: [Int] = []
      var next = 0
      while next < reached.count {
        let entity = reached[next].entity
        let isNew = try some?.contains(entity) != false && tell(entity, &context)
        if some == nil {
          try count(entity, isNew: isNew, context)
          if isNew { note(reached[next].owner, &growing) }
        }
        // Not before its hook, which may take some out.
        extend(next, &reached, &met, &context)
        if some == nil, isNew { for place in growing { extend(place, &reached, &met, &context) } }
        next += 1
      }
    }
  }

  private func note(_ place: Int, _ growing: inout [Int]) {
    if growing.first == place { return }
    growing.removeAll { $0 == place }
    growing.insert(place, at: 0)
    if growing.count > Self.watched { growing.removeLast() }
  }

  /// Adds what one that is reached leads to now, behind what it led to before.
  private func extend(
    _ place: Int, _ reached: inout [Reached], _ met: inout Set<DeletedRow>, _ context: inout Context
  ) {
    let found = context.written()?.cascade(fromOnly: reached[place].entity, behind: &reached[place].counts) ?? []
    for target in found where met.insert(target).inserted { reached.append(Reached(entity: target, owner: place)) }
  }

  /// Stops what seems to have no end.
  private mutating func count(_ entity: DeletedRow, isNew: Bool, _ context: Context) throws {
    visited += 1
    if isNew, !expected.contains(entity) { added += 1 }
    let most = DeletionLimit.added
    if added > most || visited > Self.mostPasses * max(most, told.count) {
      let type = roots.first.flatMap { context.storage.schema?.byNumber[Int($0.type.index)].name }
      throw ModelError.endlessDeletion(type ?? "")
    }
  }

  /// Tells an entity that it goes; false if it is told already, or gone.
  private mutating func tell(_ row: DeletedRow, _ context: inout Context) throws -> Bool {
    guard let tables = context.written(), tables.isLive(row.type, row.row), !cascaded.contains(row),
      let entity = try context.storage.schema?.byNumber[Int(row.type.index)].cascadedEntity(
        row.row, tables, context.storage)
    else { return false }
    cascaded.insert(row)
    let place = told.count
    told.append((row, entity, true))
    try entity.willDelete(&context)
    told[place].isKept = try entity.isKept(&context)
    return true
  }

  /// From now on they may be told again, if they come back.
  mutating func end() {
    if isOver { return }
    isOver = true
    cascaded.end(of: told.map(\.row))
  }
}

/// Where a deletion is taken for one that has no end.
package enum DeletionLimit {
  /// How many entities may be added by hooks of such that hooks have added: a million of them, with what is remembered of
  /// each, take some hundred megabytes. What the hooks of others add is not counted, because it is of one step.
  @TaskLocal package static var added = 1_000_000
}
