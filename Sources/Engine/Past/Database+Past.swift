import GQLBase
import GQLStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Database {
  /// The bytes of changes that are kept in memory, by which earlier versions are made again; 0 for none.
  ///
  /// A database in memory keeps none unless this is set, and can go back to the version that it had then. Of a database
  /// in a file it begins as `StorageOptions.recentVersions`. Where they take more, the oldest changes go.
  public var recentVersions: Int {
    get { past.limit }
    set {
      Standstill(database: self).run {
        // A storage that failed has nothing that is not seen.
        _ = (try? newestVersion()) ?? current
        let version = state.withLock { $0.version }
        past.keep(bytes: newValue, after: version, time: version == 0 ? .min : WallClock.now)
      }
    }
  }

  /// Returns a view of the data as it was in a version, under today's schema; see `docs/language.md`.
  ///
  /// Complexity: O(*n*) in the changes since then. A version that was viewed lately is there.
  ///
  /// - Throws: ``QueryError``, with the code `no-history` where the version is not kept, and `unknown-version` where
  ///   there is none of that number yet.
  public func view(version: Int64) throws(QueryError) -> DatabaseView {
    try PastReader(database: self).view(at: .version(version))
  }

  /// Returns a view of the data as it was at a time, under today's schema: the newest version that was committed then.
  ///
  /// - Throws: ``QueryError``, with the code `no-history` where no version of that time is kept.
  public func view(at date: Date) throws(QueryError) -> DatabaseView {
    try PastReader(database: self).view(at: PastMoment(date))
  }
}

extension PastMoment {
  /// Nil for a date that is none.
  init?(_ date: Date) {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded(.down)
    if microseconds.isNaN { return nil }
    self = .time(Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
  }
}
