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

/// As long as it lives, its closure is called after each new version of a database.
package final class CommitWatch: Sendable {
  private let database: Database
  private let number: UInt64

  fileprivate init(_ database: Database, _ number: UInt64) {
    self.database = database
    self.number = number
  }

  deinit { database.watchers.withLock { $0.remove(number) } }
}

extension Database {
  /// Calls `body` after each new version, in the thread that wrote it, while others wait to write: it must be short, and
  /// must not write.
  package func watchCommits(_ body: @escaping @Sendable () -> Void) -> CommitWatch {
    CommitWatch(self, watchers.withLock { $0.add(body) })
  }

  func tellWatchers() {
    // Outside of the lock, because what is called may look at the database.
    for body in watchers.withLock({ $0.all }) { body() }
  }
}
