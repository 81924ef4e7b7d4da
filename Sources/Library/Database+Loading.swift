import GQLBase
import GQLCatalog
import GQLEngine
import GQLLoader
import GQLStore

extension Database {
  /// Loads data; all of it or, where that fails, nothing.
  ///
  /// Entities are inserted: an id that is there already is an error. Nested objects become entities of their own, stored
  /// once. Links to ids that are not there are counted and told, and connect when the entity comes.
  ///
  /// - Throws: ``QueryError`` with the file, line and column of the first bad record.
  @discardableResult
  public func load(_ sources: [DataSource], options: LoadOptions = LoadOptions()) throws(QueryError) -> LoadReport {
    try replacing { (current, hasSchema) throws(QueryError) in
      // The time starts here.
      let interruption = options.run.loading
      let watch = LoadWatch(interruption, options.progress.map { tell in { tell(LoadProgress($0)) } })
      var notes: [String] = []
      var warnings: [(source: SourceText, diagnostics: [Diagnostic])] = []
      let (base, files) = try open(
        sources, options, watch, on: current, hasSchema: hasSchema, notes: &notes, warnings: &warnings)
      let transaction = WriteTransaction(base, fold: foldText)
      transaction.now = options.now ?? WallClock.now
      var loader = Loader(
        catalog: base.catalog, transaction: transaction, skipsBadRecords: options.skipsBadRecords,
        isInferred: !hasSchema, watch: watch)
      try told { () throws(LoadFailure) in try loader.load(files) }
      return (transaction.commit(), LoadReport(loader.outcome, base.catalog, notes: notes, warnings: warnings))
    }
  }

  /// Loads one file or directory; see ``load(_:options:)``.
  @discardableResult
  public func load(path: String, options: LoadOptions = LoadOptions()) throws(QueryError) -> LoadReport {
    try load([.path(path)], options: options)
  }

  /// The files, and what they are added to: without a schema, nothing, with a schema inferred from them.
  private func open(
    _ sources: [DataSource], _ options: LoadOptions, _ watch: LoadWatch, on snapshot: Snapshot,
    hasSchema: Bool, notes: inout [String], warnings: inout [(source: SourceText, diagnostics: [Diagnostic])]
  ) throws(QueryError) -> (base: Snapshot, files: [LoadFile]) {
    let bounds = SourceOpening.Bounds(
      expandedBytes: options.maximumExpandedBytes, root: options.root, watch: watch, opening: options.opening)
    let opened = try told { () throws(LoadFailure) in
      try SourceOpening.open(sources.map(\.source), for: hasSchema ? snapshot.catalog : nil, bounds)
    }
    notes = opened.notes
    warnings = opened.warnings
    let files = opened.files
    let base =
      hasSchema
      ? snapshot : try inferred(from: files, options, watch, &notes, functions: snapshot.catalog.functions)
    return (base, try told { () throws(LoadFailure) in try LoadFile.resolve(files, in: base.catalog) })
  }

  private func told<Output>(_ body: () throws(LoadFailure) -> Output) throws(QueryError) -> Output {
    do {
      return try body()
    } catch {
      throw QueryError(error)
    }
  }

  private func inferred(
    from files: [LoadFile], _ options: LoadOptions, _ watch: LoadWatch, _ notes: inout [String],
    functions: [RegisteredFunction]
  ) throws(QueryError) -> Snapshot {
    let schema = try told { () throws(LoadFailure) in
      try SchemaInference.schema(of: files, ids: options.ids, watch)
    }
    guard !schema.sdl.isEmpty else {
      throw QueryError(
        code: LoadProblem.noData.code, "there are no records from which a schema could be inferred",
        help: "name the file for its type, as in User.ndjson, or give a schema",
        file: files.first?.file.name ?? "")
    }
    notes += schema.notes
    // Nobody wrote it, so its warnings would be of no use, and errors that point into it neither.
    var catalog: Catalog
    do {
      var limits = QueryLimits.standard
      limits.documentBytes = 1 << 28
      limits.tokens = 1 << 24
      catalog = try Self.catalog(of: [SourceText(name: "", text: schema.sdl)], limits: limits).catalog
    } catch {
      throw QueryError(
        code: LoadProblem.unsupported.code,
        "no schema can be made of this data: \(error.problems.first?.message ?? "")",
        help: "give one with --schema", file: files.first?.file.name ?? "")
    }
    catalog.functions = functions
    return Snapshot.empty(catalog)
  }
}

extension LoadReport {
  init(
    _ outcome: LoadOutcome, _ catalog: Catalog, notes: [String],
    warnings opened: [(source: SourceText, diagnostics: [Diagnostic])]
  ) {
    self.notes = notes
    inserted = outcome.inserted.map { Count(type: catalog[$0.type].name, count: $0.count) }
    skippedRecords = outcome.skippedRecords
    danglingLinks = outcome.danglingLinks
    let told = QueryError(opened + outcome.warnings)
    warnings = told.problems
    warningText = told.description
    warningLines = told.jsonLines
  }
}
