import GQLCatalog
import GQLStore

/// The entities of which a context's hooks know that they are being deleted. One deletion and those within its hooks share
/// them, in whatever copies of the context's storage they write.
final class DoomedRows: Sendable {
  private let rows = Guarded<Set<DeletedRow>>([])
  private let over = Guarded(false)

  /// Whether the deletion is over: copies of the context that its hooks have kept know it still.
  var isOver: Bool { over.withLock { $0 } }
  func end() { over.withLock { $0 = true } }

  func insert(_ row: DeletedRow) { rows.withLock { _ = $0.insert(row) } }
  func contains(_ row: DeletedRow) -> Bool { rows.withLock { $0.contains(row) } }
  func remove(_ gone: [DeletedRow]) { rows.withLock { $0.subtract(gone) } }
}

/// A deletion of which each entity that goes is told once, whatever the hooks do meanwhile.
///
/// Hooks may delete some of the others, take them out of the cascade, and add to it. So each is told when it is reached,
/// behind those that lead to it, if it is there still; and all is gone through again until nothing new is found. Who is
/// told is noted where deletions within hooks find it, which delete it, but do not tell it again.
struct LoudDeletion {
  private let type: EntityTypeID
  private let rows: [UInt32]
  private let doomed: DoomedRows
  private(set) var told: [(row: DeletedRow, entity: any DoomedEntity)] = []
  private var isOver = false

  /// How often hooks may add to what goes, and how many entities from the second time on: they may never come to an end.
  private static var mostRounds: Int { 64 }
  private static var mostAdded: Int { 100_000 }

  init(_ type: EntityTypeID, _ rows: [UInt32], _ doomed: DoomedRows) {
    self.type = type
    self.rows = rows
    self.doomed = doomed
  }

  /// Tells all that go. Complexity: O(*n*) in these and their links, for each time that hooks add to them.
  mutating func tell(_ context: inout Context) throws {
    var rounds = 0
    var added = 0
    while true {
      let found = try cascade(&context).filter { !doomed.contains($0) }
      if found.isEmpty { return }
      rounds += 1
      if rounds > 2 { added += found.count }
      guard rounds <= Self.mostRounds, added <= Self.mostAdded else {
        throw ModelError.endlessDeletion(context.storage.schema?.byNumber[Int(type.index)].name ?? "")
      }
      try tell(Set(found), &context)
    }
  }

  /// All that would go now.
  private func cascade(_ context: inout Context) throws -> [DeletedRow] {
    let live = context.liveRows(type, rows)
    if live.isEmpty { return [] }
    context.own()
    do { return try context.storage.writing.cascade(from: type, rows: live) } catch {
      throw context.storage.schema?.byNumber[Int(type.index)].error(error, in: context) ?? error
    }
  }

  /// Tells those of some that are still reached when it is their turn.
  private mutating func tell(_ found: Set<DeletedRow>, _ context: inout Context) throws {
    var met = Set<DeletedRow>(minimumCapacity: found.count)
    for row in rows {
      let root = DeletedRow(type: type, row: row)
      guard met.insert(root).inserted else { continue }
      var reached = [root]
      var next = 0
      while next < reached.count {
        let entity = reached[next]
        next += 1
        if found.contains(entity) { try tell(entity, &context) }
        // Not before its hook, which may take some out.
        for target in context.storage.current?.cascade(fromOnly: entity) ?? [] where met.insert(target).inserted {
          reached.append(target)
        }
      }
    }
  }

  private mutating func tell(_ row: DeletedRow, _ context: inout Context) throws {
    guard context.storage.current?.isLive(row.type, row.row) == true, !doomed.contains(row),
      let entity = try context.storage.schema?.byNumber[Int(row.type.index)].doom(row.row, context)
    else { return }
    doomed.insert(row)
    told.append((row, entity))
    try entity.willDelete(&context)
  }

  /// From now on they may be told again, if they come back.
  mutating func end() {
    if isOver { return }
    isOver = true
    doomed.remove(told.map(\.row))
  }
}
