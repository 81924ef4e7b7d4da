import GQLCatalog
import GQLExecutor
import GQLStore

/// What another module keeps with the data of a database, published together with a snapshot.
package protocol SnapshotCompanion: AnyObject, Sendable {
  /// What is to be kept with the same data under another catalog. Asked at every change of the catalog, so that what one
  /// change takes away, a later one does not bring back.
  func moved(to catalog: Catalog) -> any SnapshotCompanion
  /// The name of a property whose values no column holds, so that no file can; nil if there is none.
  var propertyWithoutColumn: String? { get }
  /// Returns whether what belongs to a row is other than what belonged to it in an earlier version of the same data.
  func hasChanged(_ row: DeletedRow, since base: (any SnapshotCompanion)?) -> Bool
  /// What is to be kept with the result of a merge: what another has, and of this one's what belongs to some of its rows,
  /// which have the numbers `to` in the result, and has changed since a version that both began with.
  func merged(
    into other: (any SnapshotCompanion)?, rows: [(type: EntityTypeID, from: UInt32, to: UInt32)],
    since base: (any SnapshotCompanion)?
  ) -> any SnapshotCompanion
}

/// Those who are told that a database has a new version, and of what data.
struct CommitWatchers {
  struct Watch {
    let body: @Sendable () -> Void
    /// The data that it is told of, as it was in a version; nil for all.
    var dependence: (footprint: Footprint, snapshot: Snapshot)?
  }
  private var watches: [UInt64: Watch] = [:]
  private var last: UInt64 = 0
  /// Those that were added, removed, or look at other data.
  private var changed: Set<UInt64> = []

  mutating func add(_ body: @escaping @Sendable () -> Void) -> UInt64 {
    last += 1
    watches[last] = Watch(body: body)
    changed.insert(last)
    return last
  }

  mutating func remove(_ number: UInt64) {
    watches[number] = nil
    changed.insert(number)
  }

  mutating func narrow(_ number: UInt64, to dependence: (footprint: Footprint, snapshot: Snapshot)?) {
    if watches[number] == nil { return }
    watches[number]?.dependence = dependence
    changed.insert(number)
  }

  var isEmpty: Bool { watches.isEmpty }

  /// Takes out those that have changed; nil for one that was removed.
  mutating func takeChanged() -> [(number: UInt64, watch: Watch?)] {
    if changed.isEmpty { return [] }
    defer { changed.removeAll() }
    return changed.map { number in
      defer { watches[number]?.dependence = nil }
      return (number, watches[number])
    }
  }
}

/// As long as it lives, its closure is called after new versions of a database.
package final class CommitWatch: Sendable {
  private let notifier: LiveNotifier
  private let number: UInt64

  /// Calls `body` after new versions of a database, on the thread that tells all who follow it. What is committed while
  /// it is called comes as one.
  package init(_ database: Database, _ body: @escaping @Sendable () -> Void) {
    notifier = database.live
    number = notifier.watch(database, body)
  }

  deinit { notifier.unwatch(number) }

  /// Has the closure called only after changes of some data, which were looked at in a version; nil for all.
  package func narrow(to dependence: (footprint: Footprint, snapshot: Snapshot)?) {
    notifier.narrow(number, to: dependence)
  }
}

extension Database {
  /// Returns once those who follow the database were told of all that was committed before. Not to be called by them.
  package func waitUntilTold() { live.wait() }
}
