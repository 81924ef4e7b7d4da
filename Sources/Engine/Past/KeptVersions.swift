import GQLCatalog
import GQLStore

/// The versions of entities, as tables beside those of the newest data, from the first query that asks for them on.
final class KeptVersions: Sendable {
  /// Tables of versions up to a version of the data.
  struct Made: Sendable {
    /// The data with the tables beside it.
    var snapshot: Snapshot
    /// The data alone.
    var newest: Snapshot
    var version: Int64
    /// Indicates whether the list of changes is there, too.
    var hasChanges: Bool
    /// The beginnings of the past, by type.
    var starts: [HistoryStart?]
    /// That of the rows of the newest data.
    var numbering: RowNumbering
  }
  private struct State {
    /// By the version of the catalog that it was made of.
    var catalog: (version: UInt64, catalog: VersionCatalog)?
    var made: Made?
  }
  private let state = Lock(State())

  /// Returns a catalog with the types of versions beside its own.
  func catalog(of base: Catalog) -> VersionCatalog {
    if let known = state.withLock({ $0.catalog }), known.version == base.version { return known.catalog }
    let made = VersionCatalog(base)
    return state.withLock { state in
      if let known = state.catalog, known.version == base.version { return known.catalog }
      state = State(catalog: (base.version, made))
      return made
    }
  }

  func made(_ catalog: VersionCatalog) -> Made? {
    state.withLock { $0.made }.flatMap { $0.snapshot.catalog.version == catalog.catalog.version ? $0 : nil }
  }

  func keep(_ made: Made) {
    let old = state.withLock { state -> Made? in
      guard state.catalog?.catalog.catalog.version == made.snapshot.catalog.version,
        made.version >= state.made?.version ?? 0, made.hasChanges || state.made?.hasChanges != true
      else { return nil }
      let old = state.made
      state.made = made
      return old
    }
    withExtendedLifetime(old) {}
  }

  /// Forgets the versions, some of which are not to be read any more.
  func forget() {
    let old = state.withLock { state in
      let old = state.made
      state.made = nil
      return old
    }
    withExtendedLifetime(old) {}
  }
}
