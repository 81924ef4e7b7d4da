import GQLCatalog

/// What another module keeps with the data of a database, published together with a snapshot.
package protocol SnapshotCompanion: AnyObject, Sendable {
  /// What is to be kept with the same data under another catalog. Asked at every change of the catalog, so that what one
  /// change takes away, a later one does not bring back.
  func moved(to catalog: Catalog) -> any SnapshotCompanion
  /// The name of a property whose values no column holds, so that no file can; nil if there is none.
  var propertyWithoutColumn: String? { get }
}

/// Who is told that a database has a new version.
struct CommitWatchers {
  private var bodies: [UInt64: @Sendable () -> Void] = [:]
  private var last: UInt64 = 0

  mutating func add(_ body: @escaping @Sendable () -> Void) -> UInt64 {
    last += 1
    bodies[last] = body
    return last
  }

  mutating func remove(_ number: UInt64) { bodies[number] = nil }
  var isEmpty: Bool { bodies.isEmpty }
  var all: [@Sendable () -> Void] { Array(bodies.values) }
}

/// As long as it lives, its closure is called after new versions of a database.
package final class CommitWatch: Sendable {
  private let notifier: LiveNotifier
  private let number: UInt64

  fileprivate init(_ notifier: LiveNotifier, _ number: UInt64) {
    self.notifier = notifier
    self.number = number
  }

  deinit { notifier.unwatch(number) }
}

extension Database {
  /// Calls `body` after new versions, on the thread that tells all who follow the database. What is committed while it
  /// is called comes as one.
  package func watchCommits(_ body: @escaping @Sendable () -> Void) -> CommitWatch {
    CommitWatch(live, live.watch(self, body))
  }

  /// Returns once those who follow the database were told of all that was committed before. Not to be called by them.
  package func waitUntilTold() { live.wait() }
}
