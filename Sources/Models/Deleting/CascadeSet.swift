import Foundation
import GQLCatalog
import GQLStore

/// The entities of which a context's hooks know that they are being deleted. One deletion and those within its hooks share
/// them, in whatever copies of the context's storage they write; not with those that other threads make in copies.
final class CascadeSet: Sendable {
  private struct State {
    var rows: Set<DeletedRow> = []
    /// How many deletions run within each other.
    var depth = 0
    var isOver = false
  }
  private let state = Guarded(State())
  private let thread = ObjectIdentifier(Thread.current)

  /// How many deletions may run within each other that hooks ask for of entities that were told: each stands on the stack.
  private static var mostWithin: Int { 8 }

  /// Whether the deletion is not over, and this is within it: copies of the context that its hooks have kept, or have
  /// given away, know it still.
  var isRunningHere: Bool { thread == ObjectIdentifier(Thread.current) && !state.withLock { $0.isOver } }
  func end() { state.withLock { $0.isOver = true } }

  func insert(_ row: DeletedRow) { state.withLock { _ = $0.rows.insert(row) } }
  func contains(_ row: DeletedRow) -> Bool { state.withLock { $0.rows.contains(row) } }

  /// A deletion begins to tell.
  func begin() { state.withLock { $0.depth += 1 } }

  /// A deletion that has told some is over.
  func end(of told: [DeletedRow]) {
    state.withLock { state in
      state.rows.subtract(told)
      state.depth -= 1
    }
  }

  /// Whether entities must go with the deletion that runs, because too many stand on the stack: they are told already, and
  /// lead to others that are not.
  func mustPostpone(_ entities: [DeletedRow], _ tables: (any StoreTables)?) -> Bool {
    state.withLock { state in
      guard state.depth >= Self.mostWithin, let tables, entities.allSatisfy(state.rows.contains) else { return false }
      return leadsBeyond(entities, state.rows, tables)
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
