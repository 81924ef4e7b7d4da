import GQLBase
import GQLExecutor
import GQLStore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One writer at a time, and the version that it leaves.
extension Database {
  /// Runs `body` as the one writer. What was committed before is published, so that readers do not wait for `body`.
  package func exclusively<Output>(_ body: () throws -> Output) throws -> Output {
    try asWriter {
      _ = try newestVersion()
      return try body()
    }
  }

  /// Runs `body` as the one writer.
  func asWriter<Output>(_ body: () throws -> Output) throws -> Output {
    let (output, ticket) = try asWriterWithTicket(body)
    // Others write meanwhile, and share what is waited for.
    if let ticket { try wait(for: ticket) }
    return output
  }

  /// Runs `body` as the one writer. What it has changed is kept when the ticket is waited for; nil for a database in
  /// memory.
  func asWriterWithTicket<Output>(_ body: () throws -> Output) throws -> (Output, Committer.Ticket?) {
    try refuseNested()
    return try writer.withLock { _ in
      writingThread.store(Self.thread, ordering: .relaxed)
      defer { writingThread.store(0, ordering: .relaxed) }
      try editing?.prepareToWrite(self)
      let before = committer?.applied
      let output = try body()
      return (output, before.flatMap { committer?.applied(since: $0) })
    }
  }

  /// Puts what `body` makes of the newest version in its place, as one change.
  ///
  /// - Parameter body: gets the newest version, and whether there is a schema.
  ///   `rewrites` says that rows have other numbers in what it makes.
  ///   `time` is when it is made; nil for now.
  package func replacing<Output>(
    rewrites: Bool = false, time: Int64? = nil,
    _ body: (_ base: Snapshot, _ hasSchema: Bool) throws(QueryError) -> (snapshot: Snapshot, output: Output)
  ) throws(QueryError) -> Output {
    try refuseNested()
    return try writer.withLock { (_) throws(QueryError) -> Output in
      writingThread.store(Self.thread, ordering: .relaxed)
      defer { writingThread.store(0, ordering: .relaxed) }
      try editing?.prepareToWrite(self)
      _ = try newestVersion()
      let (base, _, hasSchema, _) = published
      let made = try body(base, hasSchema)
      let version = try VersionKeeper(database: self).keep(made.snapshot, rewrites: rewrites, time: time)
      let old = state.withLock { state in
        let old = state.snapshot
        state.snapshot = made.snapshot
        state.version = version
        state.hasSchema = true
        if rewrites { state.numbering = RowNumbering() }
        return old
      }
      withExtendedLifetime(old) { live.note(made.snapshot, version, of: self) }
      return made.output
    }
  }

  static var thread: UInt {
    // A number on some systems, an address on others.
    withUnsafeBytes(of: pthread_self()) { $0.load(as: UInt.self) }
  }

  /// Throws where the thread is the writer already, and would wait for itself.
  package func refuseNested() throws(QueryError) {
    guard writingThread.load(ordering: .relaxed) == Self.thread || editing?.isWrittenHere ?? false else { return }
    throw QueryError(
      [MutationProblem(.nestedTransaction, at: SourceRange(at: 0)).diagnostic], in: SourceText(name: "", bytes: []))
  }

  /// - Parameters:
  ///   - time: When it was made; nil for now.
  ///   - isTransaction: Whether it has changed something, rather than left behind what is superseded.
  func publish(_ snapshot: Snapshot, time: Int64? = nil, isTransaction: Bool = true) throws(QueryError) {
    let version = try VersionKeeper(database: self).keep(snapshot, time: time)
    // What only the old version holds is freed behind the lock, for which readers wait.
    let old = state.withLock { state in
      let old = state.snapshot
      state.snapshot = snapshot
      if isTransaction { state.version = version }
      // A draft may have brought the first one.
      state.hasSchema = state.hasSchema || !snapshot.catalog.types.isEmpty
      return old
    }
    if old.catalog.version != snapshot.catalog.version { forgetTexts() }
    withExtendedLifetime(old) { if isTransaction { live.note(snapshot, version, of: self) } else { live.noteCommit() } }
  }

  /// Publishes a snapshot with what another module keeps with it. Called within ``exclusively(_:)``.
  ///
  /// - Throws: where it cannot be kept; nothing is published then.
  package func publish(_ snapshot: Snapshot, companion: any SnapshotCompanion) throws(QueryError) {
    if isDurable, let name = companion.propertyWithoutColumn { throw QueryError.notStorable(property: name) }
    let version = try VersionKeeper(database: self).keep(snapshot)
    let old = state.withLock { state in
      let old = state.snapshot
      state.snapshot = snapshot
      state.version = version
      state.companion = companion
      state.hasSchema = true
      return old
    }
    if old.catalog.version != snapshot.catalog.version { forgetTexts() }
    withExtendedLifetime(old) { live.note(snapshot, version, of: self) }
  }

  /// Publishes a snapshot with another schema, and forgets what was prepared with the one before. Called within
  /// ``exclusively(_:)``.
  func publish(_ snapshot: Snapshot, warnings: QueryError?, allowingLoss: Bool) throws(QueryError) {
    let version = try VersionKeeper(database: self).keep(snapshot, allowingLoss: allowingLoss)
    let companion = state.withLock { $0.companion }?.moved(to: snapshot.catalog)
    let old = state.withLock { state in
      let old = state.snapshot
      state = State(
        snapshot: snapshot, hasSchema: true, schemaWarnings: warnings, companion: companion, version: version,
        numbering: state.numbering)
      return old
    }
    withExtendedLifetime(old) {
      forgetTexts()
      live.noteCommit()
    }
  }
}

extension QueryError {
  /// The error that a property has no column.
  package static func notStorable(property: String) -> QueryError {
    QueryError(
      code: "not-storable", "'\(property)' has no column, so that no file can hold it", help: "make its type Codable")
  }
}

/// A state in which nobody puts another version of a database in place.
struct Standstill {
  let database: Database

  /// Runs `body` as the one writer, who may be the caller already; of a follower, while it takes nothing up.
  func run(_ body: () -> Void) {
    if let committer = database.committer, committer.following != nil {
      return (try? database.alone(committer) { body() }) ?? ()
    }
    if database.writingThread.load(ordering: .relaxed) == Database.thread { return body() }
    database.writer.withLock { _ in body() }
  }
}
