import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLParser
import GQLQuery
import GQLStore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An in-memory store of typed, related entities, and the evaluator of queries over it.
///
/// Any number of threads may query while one loads: a run sees the version that was current when it began, whole.
///
/// ```swift
/// let database = try Database(schema: "type User { id: ID! name: String! age: Int @index }")
/// try database.load([.ndjson(type: "User", bytes: Array(#"{"id": 1, "name": "Ada", "age": 36}"#.utf8))])
/// let answer = try database.run("query($min: Int!) { User(where: age > $min) { name } }", ["min": 30])
/// ```
public final class Database: Sendable {
  struct State {
    var snapshot: Snapshot
    /// Whether the schema was given; one that was not is inferred from the first load.
    var hasSchema: Bool
    /// What the schema says that is ignored or not wise; nil for nothing.
    var schemaWarnings: QueryError?
    /// What another module keeps with the data.
    var companion: (any SnapshotCompanion)?
    /// What was committed since `snapshot`, and is published with the next look. Nil while a transaction runs.
    var open: OpenVersion?
    /// The number of the last transaction, `open` included in memory, and not where data is kept.
    var version: Int64 = 0
    /// Indicates whether somebody has looked at what was kept since a version was last cut.
    var isLookedAt = false
    var numbering = RowNumbering()
  }
  let state: Lock<State>
  private let limitState = Lock<QueryLimits>(.standard)
  /// Held by the one writer. Of a Bool, because Thread Sanitizer takes an access to a value of no size for one to what
  /// lies at its address.
  let writer = Lock<Bool>(false)
  /// The thread that holds `writer`, so that waiting for itself is told instead of waited for.
  let writingThread = Atomic<UInt>(0)
  /// What was prepared lately.
  private let recent: RecentTexts
  /// What the program has registered.
  let registry = Lock(Registry())
  /// Tells those who follow the data.
  package let live = LiveNotifier()
  /// Keeps what is committed; nil for a database in memory.
  let committer: Committer?
  /// The changes by which earlier versions are made again.
  let past = RecentVersions()
  /// Holds what another module keeps with the database.
  package let attachment = Attachment()
  /// The indexes that are built while queries run.
  let indexBuilding = Lock(IndexBuilding())
  /// Where the data comes from, of an ``EditingContext``; nil for other databases.
  let editing: EditingOrigin?
  let branchTable = BranchTable()

  /// An empty database without a schema: the first load infers one.
  public init() {
    (committer, editing, recent) = (nil, nil, RecentTexts())
    state = Lock(State(snapshot: Snapshot.empty(Catalog()), hasSchema: false))
  }

  /// An empty database with a schema in GraphQL's schema definition language.
  ///
  /// - Throws: ``QueryError`` with every problem of the schema.
  public init(schema: String, name: String = "schema.graphql") throws(QueryError) {
    let (catalog, warnings) = try Self.catalog(of: [SourceText(name: name, text: schema)])
    (committer, editing, recent) = (nil, nil, RecentTexts())
    state = Lock(State(snapshot: Snapshot.empty(catalog), hasSchema: true, schemaWarnings: warnings))
    past.keepHistory(of: catalog, isInMemory: true, from: .ever)
  }

  /// An empty database with a schema that lies in several texts, a later one extending the earlier ones. Limits below the
  /// standard are for documents; those above it hold for schemas, too.
  package init(
    schemaTexts: [(name: String, bytes: [UInt8])], limits: QueryLimits = .standard
  ) throws(QueryError) {
    let sources = schemaTexts.map { SourceText(name: $0.name, bytes: $0.bytes) }
    let (catalog, warnings) = try Self.catalog(of: sources, limits: limits)
    (committer, editing, recent) = (nil, nil, RecentTexts())
    state = Lock(State(snapshot: Snapshot.empty(catalog), hasSchema: true, schemaWarnings: warnings))
    past.keepHistory(of: catalog, isInMemory: true, from: .ever)
  }

  /// A database that begins with what a snapshot holds.
  package init(_ snapshot: Snapshot, companion: (any SnapshotCompanion)? = nil) {
    (committer, editing, recent) = (nil, nil, RecentTexts())
    state = Lock(State(snapshot: snapshot, hasSchema: true, companion: companion))
    past.keepHistory(of: snapshot.catalog, isInMemory: true, from: .ever)
  }

  /// The database of an editing context.
  ///
  /// - Parameter version: The number of its last transaction, of a branch, which keeps what is committed.
  init(
    editing origin: EditingOrigin, _ begin: (snapshot: Snapshot, companion: (any SnapshotCompanion)?, hasSchema: Bool),
    version: Int64 = 0
  ) {
    (editing, recent) = (origin, origin.parent.recent)
    let kept = past
    committer = origin.log.map { Committer($0, version: version, refusal: origin.parent.committer?.refusal, kept) }
    state = Lock(
      State(snapshot: begin.snapshot, hasSchema: begin.hasSchema, companion: begin.companion, version: version))
    committer?.live = live
    limitState.withLock { $0 = origin.parent.limits }
    var known = origin.parent.registry.withLock { $0 }
    known.undo = [EditingOrigin.undoOrigin: UndoHistory()]
    registry.withLock { $0 = known }
    // A branch that others have changed is as it is since its last change; its log knows what was before.
    let time = origin.log?.versions?.record.time ?? .min
    past.keep(bytes: 64 << 20, after: version, time: version == 0 ? .min : time)
  }

  /// A database that begins with what a storage keeps, and has it keep what is committed.
  ///
  /// - Parameters:
  ///   - refusal: The error that whoever writes gets, where nothing may be written.
  ///   - isFollowing: Whether others write to the storage meanwhile, see ``refresh()``.
  package init(
    _ stored: StoredVersion, storage: any CommitStorage, refusal: QueryError? = nil, isFollowing: Bool = false,
    recentVersions: Int = 0
  ) {
    (editing, recent) = (nil, RecentTexts())
    committer = Committer(storage, version: stored.version, refusal: refusal, isFollowing: isFollowing, past)
    state = Lock(State(snapshot: stored.snapshot, hasSchema: stored.hasSchema, version: stored.version))
    committer?.live = live
    past.begin(with: stored, bytes: recentVersions)
    // Not the database: whatever is referred to weakly is counted slowly.
    committer?.fold = { [state, writer] (committer) throws(QueryError) -> Bool in
      try committer.fold(state, writer)
    }
    buildIndexes()
  }

  /// The version that queries started now will see.
  package var currentSnapshot: Snapshot { current }

  /// Parses and builds a schema that lies in several texts.
  package static func catalog(
    of sources: [SourceText], limits: QueryLimits = .standard
  ) throws(QueryError) -> (catalog: Catalog, warnings: QueryError?) {
    var catalog: Catalog?
    var warnings: [(source: SourceText, diagnostics: [Diagnostic])] = []
    for source in sources {
      let parsed = parse(source, limits: limits.parserOfSchema)
      if parsed.hasErrors { throw QueryError(parsed.diagnostics.filter { $0.severity == .error }, in: source) }
      let built = buildCatalog(parsed.output, extending: catalog, problems: max(1, limits.problems))
      if built.hasErrors { throw QueryError(built.diagnostics.filter { $0.severity == .error }, in: source) }
      catalog = built.output
      if !built.diagnostics.isEmpty { warnings.append((source, built.diagnostics)) }
    }
    var result = catalog ?? Catalog()
    result.version = Catalog.nextVersion()
    result.moment = WallClock.now
    return (result, warnings.isEmpty ? nil : QueryError(warnings))
  }

  /// Bounds documents prepared from now on, and their runs.
  public var limits: QueryLimits {
    get { limitState.withLock { $0 } }
    set {
      limitState.withLock { $0 = newValue }
      forgetTexts()
    }
  }

  /// Texts are prepared anew, because what they are prepared with has changed.
  func forgetTexts() { recent.removeAll() }

  /// The version that queries started now will see.
  var current: Snapshot {
    if let editing { editing.follow(self) }
    // What is not kept yet is not seen. Where what others keep cannot be read, what is there is seen.
    if let committer {
      if committer.following != nil { _ = try? refresh() }
      return state.keptVersion(committer)
    }
    if let snapshot = state.withLock({ $0.open == nil ? $0.snapshot : nil }) { return snapshot }
    return state.withPublished { $0.snapshot }
  }

  /// The schema as it is now. Looking at it is no look at the data.
  package var catalog: Catalog { state.withLock { $0.snapshot.catalog } }

  /// A version, what another module keeps with it, whether there is a schema, and the version's number.
  package typealias Published = (
    snapshot: Snapshot, companion: (any SnapshotCompanion)?, hasSchema: Bool, version: Int64
  )

  /// The version that queries started now will see.
  package var published: Published {
    if let editing { editing.follow(self) }
    if let committer {
      if committer.following != nil { _ = try? refresh() }
      let (published, old) = state.withLock { state in
        let old = state.publishKept(committer)
        return ((state.snapshot, state.companion, state.hasSchema, state.version), old)
      }
      return withExtendedLifetime(old) { published }
    }
    return state.withPublished { ($0.snapshot, $0.companion, $0.hasSchema, $0.version) }
  }
  /// The schema as SDL: the one given, or the one inferred.
  public var schema: String { printSchema(catalog) }

  /// Lists what of the schema is ignored or is likely not meant: an unknown directive, or two fields that look like
  /// the two sides of one relation.
  public var schemaWarnings: [QueryError.Problem] { schemaWarningReport?.problems ?? [] }

  /// ``schemaWarnings`` as shown to people, with places and help; empty if there are none.
  public var schemaWarningText: String { schemaWarningReport?.description ?? "" }

  /// ``schemaWarnings`` in every form; nil if there are none.
  package var schemaWarningReport: QueryError? { state.withLock { $0.schemaWarnings } }

  /// The number of entities of a type; nil if the schema has no such type.
  public func count(of type: String) -> Int? {
    let snapshot = current
    return snapshot.catalog.type(named: type).map { snapshot.liveCount($0.id) }
  }

  /// A view of the data as it is now, which later loads do not change.
  public func view() -> DatabaseView {
    let (newest, numbering) = numbered
    return DatabaseView(
      snapshot: newest.snapshot, companion: newest.companion, version: newest.version, numbering: numbering)
  }

  /// Compares every index, relation and count with a full scan, and tells what does not agree: nothing, ever.
  ///
  /// Complexity: O(*n* log *n*) in the number of entities.
  public func check() -> [String] { view().check() }

  /// Puts a function into the catalog, in the place of one of its name. The data stays; plans are made anew.
  func install(_ function: RegisteredFunction) {
    Standstill(database: self).run {
      // A storage that failed has nothing that is not seen.
      let base = (try? newestVersion()) ?? current
      var catalog = base.catalog
      catalog.functions.removeAll { $0.name == function.name }
      catalog.functions.append(function)
      catalog.version = Catalog.nextVersion()
      let changed = base.with(catalog)
      let companion = state.withLock { $0.companion }?.moved(to: catalog)
      state.withLock {
        $0.snapshot = changed
        $0.companion = companion
      }
    }
    live.noteCommit()
  }

  // MARK: - Querying

  private var preparer: OperationPreparer {
    // What is prepared is of the schema that it will be run with.
    editing?.follow(self)
    return OperationPreparer(database: self)
  }

  /// Prepares the only operation of a document, or the one named. Of the options, what bounds the time holds.
  ///
  /// - Throws: ``QueryError`` with every problem of the document.
  public func prepare(
    _ text: String, operation: String? = nil, name: String = "query", options: RunOptions = RunOptions()
  ) throws(QueryError) -> PreparedQuery {
    var text = text
    editing?.follow(self)
    let version = state.withLock { $0.snapshot.catalog.version }
    guard operation == nil, let found = text.withUTF8({ recent.find($0, name: name, catalogVersion: version) }) else {
      return try prepare(preparer.document(text, name, options), operation: operation, options: options)
    }
    if let known = found.known { return PreparedQuery(known.operation, database: self, known.shared) }
    let unknown = recent.unknown(SourceText(name: name, text: text), found.key, limits.parser.lexer)
    if let (operation, text) = recent.share(unknown, catalog) { return PreparedQuery(operation, database: self, text) }
    let (only, query) = try preparer.onlyOperation(of: preparer.document(unknown, options), options)
    recent.add(only, query, unknown, catalog)
    return PreparedQuery(only, database: self)
  }

  /// Prepares the only operation of a parsed document, or the one named.
  ///
  /// - Throws: ``QueryError`` with every problem of the document.
  package func prepare(
    _ document: QueryDocument, operation: String?, options: RunOptions = RunOptions()
  ) throws(QueryError) -> PreparedQuery {
    guard let operation else {
      return PreparedQuery(try preparer.onlyOperation(of: document, options).operation, database: self)
    }
    let all = try prepareAll(document, options: options)
    guard let found = all.first(where: { $0.name == operation }) else {
      throw document.unknownOperationError(operation)
    }
    return found
  }

  /// Prepares all operations of a document, in its order. Of the options, what bounds the time holds.
  ///
  /// - Throws: ``QueryError`` with every problem of the document.
  public func prepareAll(
    _ text: String, name: String = "query", options: RunOptions = RunOptions()
  ) throws(QueryError) -> [PreparedQuery] {
    try prepareAll(preparer.document(text, name, options), options: options)
  }

  /// Binds every operation of a document; gives its warnings, nil if there are none.
  ///
  /// - Throws: ``QueryError`` with every problem.
  package func check(_ document: QueryDocument) throws(QueryError) -> QueryError? {
    let warnings = try preparer.bound(document, RunOptions()).warnings
    return warnings.isEmpty ? nil : QueryError(warnings, in: document.source)
  }

  /// Prepares all operations of a parsed document, in its order.
  ///
  /// - Throws: ``QueryError`` with every problem of the document.
  package func prepareAll(
    _ document: QueryDocument, options: RunOptions = RunOptions()
  ) throws(QueryError) -> [PreparedQuery] {
    try preparer.operations(of: document, options).map { PreparedQuery($0.operation, database: self) }
  }
}

/// One version of a database, kept: queries run on it see the same data however often they run.
public struct DatabaseView: Sendable {
  package let snapshot: Snapshot
  /// The data that another module keeps beside the store; nil for none.
  package let companion: (any SnapshotCompanion)?
  /// The number of the last transaction that it has in it; nil for a view of data that no database counts.
  public let version: Int64?

  /// That of the rows; nil where they are of no database.
  let numbering: RowNumbering?

  package init(snapshot: Snapshot, companion: (any SnapshotCompanion)? = nil) {
    self.init(snapshot: snapshot, companion: companion, version: nil, numbering: nil)
  }

  init(
    snapshot: Snapshot, companion: (any SnapshotCompanion)?, version: Int64?, numbering: RowNumbering?
  ) {
    self.snapshot = snapshot
    self.companion = companion
    self.version = version
    self.numbering = numbering
  }

  /// The number of entities of a type; nil if the schema has no such type.
  public func count(of type: String) -> Int? {
    snapshot.catalog.type(named: type).map { snapshot.liveCount($0.id) }
  }

  /// Compares indexes, relations and counts with a full scan, as ``Database/check()`` does.
  package func check() -> [String] { snapshot.check(fold: foldText).map { $0.sentence(in: snapshot) } }
}
