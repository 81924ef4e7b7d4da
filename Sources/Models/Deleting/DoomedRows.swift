import Foundation
import GQLCatalog
import GQLStore

/// The entities of which a context's hooks know that they are being deleted. One deletion and those within its hooks share
/// them, in whatever copies of the context's storage they write; not with those that other threads make in copies.
final class DoomedRows: Sendable {
  private struct State {
    var rows: Set<DeletedRow> = []
    /// Of which hooks have asked that they go: they do when the deletion does that runs innermost.
    var asked: [DeletedRow] = []
    var isAsked: Set<DeletedRow> = []
    var isOver = false
  }
  private let state = Guarded(State())
  private let thread = ObjectIdentifier(Thread.current)

  /// Whether the deletion is not over, and this is within it: copies of the context that its hooks have kept, or have
  /// given away, know it still.
  var isRunningHere: Bool { thread == ObjectIdentifier(Thread.current) && !state.withLock { $0.isOver } }
  func end() { state.withLock { $0.isOver = true } }

  func insert(_ row: DeletedRow) { state.withLock { _ = $0.rows.insert(row) } }
  func contains(_ row: DeletedRow) -> Bool { state.withLock { $0.rows.contains(row) } }

  /// A deletion that has told some is over; of what hooks have asked for, that which was asked before it began is left.
  func end(of told: [DeletedRow], asked: Int) {
    state.withLock { state in
      state.rows.subtract(told)
      state.isAsked.subtract(state.asked[asked...])
      state.asked.removeSubrange(asked...)
    }
  }

  // MARK: - What hooks ask for

  var askedCount: Int { state.withLock { $0.asked.count } }

  /// What was asked for behind the first so many, which become all.
  func asked(behind count: inout Int) -> [DeletedRow] {
    state.withLock { state in
      defer { count = state.asked.count }
      return Array(state.asked[count...])
    }
  }

  /// Whether entities go with the deletion that runs: they are told already, and lead to others that are not.
  func postpones(_ entities: [DeletedRow], _ tables: (any StoreTables)?) -> Bool {
    state.withLock { state in
      guard let tables, entities.allSatisfy(state.rows.contains) else { return false }
      let new = entities.filter { !state.isAsked.contains($0) }
      if new.isEmpty { return true }
      if !leadsBeyond(new, state.rows, tables) { return false }
      state.asked += new
      state.isAsked.formUnion(new)
      return true
    }
  }

  /// Whether the rules lead from entities to such that are not among some. Complexity: O(*n*) in what is gone through
  /// until one is found.
  private func leadsBeyond(_ entities: [DeletedRow], _ some: Set<DeletedRow>, _ tables: any StoreTables) -> Bool {
    var met = Set(entities)
    var reached = entities
    while let entity = reached.popLast() {
      var counts: [Int] = []
      for target in tables.cascade(fromOnly: entity, behind: &counts) where met.insert(target).inserted {
        if !some.contains(target) { return true }
        reached.append(target)
      }
    }
    return false
  }
}
