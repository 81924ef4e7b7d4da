import GQLBase
import GQLite

/// The schema, the data and the documents that a command line names.
struct Session {
  var schemaPath: String?
  var dataPaths: [String]
  var skipsBadRecords: Bool
  var dialect: QueryDialect
  /// What documents and their runs may take.
  var limits: QueryLimits
  private var cached: (key: String, database: Database)?
  /// Nanoseconds that the last load took.
  private(set) var loadTime: UInt64 = 0

  init(_ arguments: inout Arguments) throws {
    schemaPath = try arguments.value("schema")
    dataPaths = arguments.values("data")
    skipsBadRecords = arguments.flag("skip-bad")
    dialect = try Self.dialect(&arguments)
    limits = try Self.limits(&arguments)
  }

  /// `--limits serve --limit time=2000`.
  static func limits(_ arguments: inout Arguments) throws(UsageError) -> QueryLimits {
    var limits: QueryLimits
    switch try arguments.value("limits") {
    case nil, "standard": limits = .standard
    case "serve": limits = .serve
    case let other?: throw UsageError("--limits is 'standard' or 'serve', not '\(other)'")
    }
    for text in arguments.values("limit") {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let value = Int(parts[1]), value >= 0 else {
        throw UsageError("--limit takes a name and a number, as in --limit tokens=5000, not '\(text)'")
      }
      guard limits.set(parts[0], to: value) else {
        let near = nearestNames(to: parts[0], in: QueryLimits.names).first
        throw UsageError(
          "there is no limit '\(parts[0])'",
          help: near.map { "did you mean '\($0)'?" } ?? "limits are \(QueryLimits.names.joined(separator: ", "))")
      }
      if let fault = limits.fault { throw UsageError(fault) }
    }
    return limits
  }

  static func dialect(_ arguments: inout Arguments) throws -> QueryDialect {
    let isStrict = arguments.flag("graphql-strict")
    guard let name = try arguments.value("dialect") else { return isStrict ? .graphqlStrict : .extended }
    guard let dialect = QueryDialect(rawValue: name) else {
      throw UsageError("--dialect is 'extended', 'graphql' or 'graphql-strict', not '\(name)'")
    }
    guard isStrict else { return dialect }
    if dialect == .extended { throw UsageError("--graphql-strict has no extensions: leave '--dialect extended' out") }
    return .graphqlStrict
  }

  /// The documents that a command line names: files, `-` for standard input, `-e TEXT`.
  static func documents(_ arguments: inout Arguments, command: String) throws -> [(name: String, bytes: [UInt8])] {
    var documents: [(name: String, bytes: [UInt8])] = []
    for text in arguments.values("expression") { documents.append(("-e", Array(text.utf8))) }
    for operand in arguments.operands {
      documents.append((operand == "-" ? "<stdin>" : operand, try read(operand)))
    }
    guard !documents.isEmpty else {
      throw UsageError("no document: name a file, '-' or -e TEXT", help: "try 'gqlite \(command) --help'")
    }
    return documents
  }

  /// The bytes of a file or of standard input.
  static func read(_ path: String) throws(QueryError) -> [UInt8] {
    try FileBytes.read(path == "-" ? "/dev/stdin" : path, shownAs: path == "-" ? "<stdin>" : path)
  }

  /// The database that a document runs on: the flags' schema and data, the document's own types and `@data`.
  mutating func database(for document: QueryDocument?, directory: String?) throws(QueryError) -> Database {
    var paths = dataPaths
    if let document, let directory, paths.isEmpty {
      paths = document.dataPaths.map { $0.hasPrefix("/") ? $0 : Self.join(directory, $0) }
    }
    var schema = schemaPath
    if schema == nil {
      schema = paths.lazy.map { Self.join($0, "schema.graphql") }.first { FileBytes.exists($0) }
    }
    let ownTypes = document.flatMap { $0.definesTypes ? $0 : nil }
    let key = ([schema ?? ""] + paths + [ownTypes.map { String(decoding: $0.schemaBytes, as: UTF8.self) } ?? ""])
      .joined(separator: "\n")
    if let cached, cached.key == key { return cached.database }
    let database = try Self.open(schema: schema, document: ownTypes, limits: limits)
    if let warnings = database.schemaWarningReport { Process.report(warnings) }
    let start = MonotonicClock.now
    if !paths.isEmpty {
      let showsProgress = Terminal.standardError.isTerminal
      var options = LoadOptions(skipsBadRecords: skipsBadRecords)
      if showsProgress { options.progress = { ProgressLine.show($0) } }
      let report: LoadReport
      do {
        report = try database.load(paths.map { .path($0) }, options: options)
        ProgressLine.clear()
      } catch {
        ProgressLine.clear()
        throw error
      }
      if !report.warningText.isEmpty { Terminal.standardError.write(report.warningText) }
      if report.skippedRecords > 0 {
        let count = report.skippedRecords
        Terminal.standardError.write("gqlite: \(count) bad record\(count == 1 ? " was" : "s were") left out\n")
      }
    }
    loadTime = MonotonicClock.now - start
    cached = (key, database)
    return database
  }

  /// An empty database with the schema that the file and the document's own types make, if there is any.
  private static func open(
    schema: String?, document: QueryDocument?, limits: QueryLimits
  ) throws(QueryError) -> Database {
    var texts: [(name: String, bytes: [UInt8])] = []
    if let schema { texts.append((schema, try read(schema))) }
    if let document { texts.append((document.sourceName, document.schemaBytes)) }
    if texts.isEmpty { return Database() }
    return try Database(schemaTexts: texts, limits: limits)
  }

  static func join(_ directory: String, _ path: String) -> String {
    if directory.isEmpty || directory == "." { return path }
    return directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }

  /// The folder of a path; empty for one without.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// How far a long load has come, on one line of a terminal.
enum ProgressLine {
  // Safe because the command loads one database at a time, and a load tells its progress on the calling thread.
  nonisolated(unsafe) private static var isShown = false
  nonisolated(unsafe) private static var started: UInt64 = 0

  static func show(_ progress: LoadProgress) {
    if started == 0 { started = MonotonicClock.now }
    // Short loads show nothing.
    guard MonotonicClock.now - started > 500_000_000, progress.totalBytes > 0 else { return }
    let percent = min(100, progress.bytes * 100 / progress.totalBytes)
    Terminal.standardError.write("\r\u{1B}[K\(progress.file): \(progress.records) records, \(percent) %")
    isShown = true
  }

  static func clear() {
    if isShown { Terminal.standardError.write("\r\u{1B}[K") }
    isShown = false
    started = 0
  }
}
