import GQLBase
import GQLite

/// The schema, the data and the documents that a command line names.
struct Session {
  var schemaPath: String?
  /// The database that is named, if one is: what documents change is kept in it.
  let databasePath: String?
  /// The branch of it that documents run in; nil for the database itself.
  private let branchName: String?
  private let isReadOnly: Bool
  /// Tells whether the database is followed, whoever writes to it.
  private let follows: Bool
  /// Lists what the command line names as data.
  let data: [DataArgument]
  private let inputFormat: DataFormat?
  var skipsBadRecords: Bool
  /// Tells whether what was decided about the data is told.
  private let isVerbose: Bool
  /// By type: the column that is its id, where there is no schema.
  private let ids: [String: String]
  var dialect: QueryDialect
  /// What documents and their runs may take.
  var limits: QueryLimits
  /// Tells whether the documents are not trusted.
  private let isServing: Bool
  /// The folder that documents may name data in, links followed; nil where none is given.
  private let dataRoot: String?
  private var hasData = false
  private var hasTold = false
  private var cached: (key: String, database: Database)?
  private var branch: Branch?
  /// Lists what failed to load, of which some files may not have been looked at.
  private var unloadedPaths: [String] = []
  /// Lists what was read.
  private let files = ReadFiles()
  /// Nanoseconds that the last load took.
  private(set) var loadTime: UInt64 = 0

  /// - Parameters:
  ///   - follows: Indicates whether a database is followed.
  ///   - reads: Indicates whether it is only read, so that another process may write to it meanwhile.
  init(_ arguments: inout Arguments, follows: Bool = false, reads: Bool = false) throws {
    self.follows = follows
    schemaPath = try arguments.value("schema")
    inputFormat = try arguments.value("input-format").map { name throws(UsageError) in
      guard let format = DataFormat(rawValue: name == "jsonl" ? "ndjson" : name) else {
        throw UsageError("--input-format is csv, tsv, json or ndjson, not '\(name)'")
      }
      return format
    }
    let hasQuery =
      arguments.has("expression") || arguments.operands.contains { Self.isText($0, besideData: false) }
    let flag = try arguments.value("db")
    let isReadOnly = arguments.flag("read-only")
    self.isReadOnly = isReadOnly || reads
    let operands = arguments.takeOperands { Database.isDatabase(path: $0) ? $0 : nil }
    guard operands.count + (flag == nil ? 0 : 1) < 2 else { throw UsageError("two databases are named", help: nil) }
    databasePath = flag ?? operands.first
    branchName = try arguments.value("branch")
    if branchName != nil, databasePath == nil {
      throw UsageError("--branch is for a database: name one with --db FILE")
    }
    if isReadOnly, databasePath == nil { throw UsageError("--read-only is for a database: name one with --db FILE") }
    data =
      arguments.values("data").map(DataArgument.init(flag:))
      + (try arguments.takeOperands { [inputFormat] in
        try DataArgument(operand: $0, readsStreams: hasQuery, hasFormat: inputFormat != nil)
      })
    guard data.filter(\.isStandardInput).count < 2 else {
      throw UsageError("standard input is named as data twice", help: nil)
    }
    if databasePath != nil, !data.isEmpty {
      throw UsageError(
        "data beside a database: bring it into the database first", help: "gqlite import --db FILE PATH…")
    }
    if databasePath != nil, schemaPath != nil {
      throw UsageError(
        "the schema of a database is in its file", help: "gqlite schema --db FILE --to NEW --apply changes it")
    }
    skipsBadRecords = arguments.flag("skip-bad")
    isVerbose = arguments.flag("verbose")
    ids = try Self.ids(&arguments)
    dialect = try Self.dialect(&arguments)
    let profile = try arguments.value("limits")
    isServing = profile == "serve"
    limits = try Self.limits(&arguments, profile)
    dataRoot = try arguments.value("data-root").map { path throws(UsageError) in
      guard let root = FileBytes.folder(path) else {
        throw UsageError("--data-root is a folder, not '\(path)'")
      }
      return root
    }
  }

  /// `--id Order.number`: by type, the column that is the id.
  private static func ids(_ arguments: inout Arguments) throws(UsageError) -> [String: String] {
    var ids: [String: String] = [:]
    for text in arguments.values("id") {
      let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw UsageError("--id takes a type and its column, as in --id Order.number, not '\(text)'")
      }
      guard ids.updateValue(parts[1], forKey: parts[0]) == nil else {
        throw UsageError("--id is given twice for '\(parts[0])'")
      }
    }
    return ids
  }

  /// `--limits serve --limit time=2000`.
  static func limits(_ arguments: inout Arguments, _ profile: String?) throws(UsageError) -> QueryLimits {
    var limits: QueryLimits
    switch profile {
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

  /// The documents that a command line names: files, `-` for standard input, texts, `-e TEXT`. Without any, standard
  /// input is the document, unless it is data, a terminal or empty.
  func documents(_ arguments: inout Arguments, command: String) throws -> [(name: String, bytes: [UInt8])] {
    var documents: [(name: String, bytes: [UInt8])] = []
    let expressions = arguments.values("expression")
    for (index, text) in expressions.enumerated() {
      documents.append((expressions.count > 1 ? "-e \(index + 1)" : "-e", Array(text.utf8)))
    }
    var operands = arguments.operands
    let readsData = data.contains { $0.isStandardInput }
    let isImplied = documents.isEmpty && operands.isEmpty && !readsData && !Terminal.standardInput.isTerminal
    if isImplied { operands = ["-"] }
    if readsData, operands.contains("-") {
      throw UsageError("standard input is data and a document: name a file for one of them", help: nil)
    }
    let texts = operands.filter { Self.isText($0, besideData: !data.isEmpty || databasePath != nil) }
    for absent in data where absent.isAbsent {
      if let error = Self.mistake(absent.path) { throw error }
    }
    var number = 0
    for operand in operands {
      if Self.isText(operand, besideData: !data.isEmpty || databasePath != nil) {
        number += 1
        documents.append((texts.count > 1 ? "query \(number)" : "query", Array(operand.utf8)))
        continue
      }
      if operand != "-", !FileBytes.exists(operand), let error = Self.mistake(operand) { throw error }
      let bytes = try read(operand, atMost: limits.documentBytes)
      if !bytes.isEmpty || !isImplied { documents.append((operand == "-" ? "<stdin>" : operand, bytes)) }
    }
    guard !documents.isEmpty else {
      if let absent = data.first(where: \.isAbsent) { throw UsageError("there is no file '\(absent.path)'", help: nil) }
      throw UsageError(
        data.isEmpty ? "no document: name a file, '-' or -e TEXT" : "no document: write a query, as '{ … }'",
        help: data.isEmpty ? "try 'gqlite \(command) --help'" : "'gqlite schema \(data[0].path)' shows what there is")
    }
    return documents
  }

  /// Refuses to write answers over what they come from, by whatever name: data, the database and what lies beside it,
  /// documents, schemas and variables. What is data is known after loading only.
  func checkIsNotRead(_ output: String) throws(UsageError) {
    guard output != "-", !FileBytes.isStream(output), let place = FilePlace(output) else { return }
    func isRead(_ paths: some Sequence<String>, at place: FilePlace) -> Bool {
      paths.contains { FilePlace($0)?.isSame(as: place) ?? false }
    }
    let help = "name another file after -o"
    let databases = databasePath.map { [$0] } ?? []
    let dataFiles = data.map(\.path) + files.data + unloadedPaths.flatMap { FileBytes.files(at: $0) }
    if isRead(databases, at: place) { throw UsageError("'\(output)' belongs to the database", help: help) }
    if isRead(dataFiles, at: place) { throw UsageError("'\(output)' is data, which is never written to", help: help) }
    if isRead(files.others + (schemaPath.map { [$0] } ?? []), at: place) {
      throw UsageError("'\(output)' is read, and not written to", help: help)
    }
    for suffix in ["-wal", "-shm", "-journal", "-lock"] where place.path.hasSuffix(suffix) {
      let owner = String(place.path.dropLast(suffix.count))
      guard let ownerPlace = FilePlace(owner) else { continue }
      guard isRead(databases, at: ownerPlace) || isRead(dataFiles, at: ownerPlace) && DataArgument.isSQLite(owner)
      else {
        continue
      }
      throw UsageError("'\(output)' belongs to the database", help: help)
    }
  }

  /// Reads all documents, whatever is wrong with some of them.
  func parse(
    _ documents: [(name: String, bytes: [UInt8])], _ options: RunOptions
  ) -> [Result<QueryDocument, QueryError>] {
    documents.map { name, bytes in
      do throws(QueryError) {
        return .success(
          try QueryDocument(name: name, bytes: bytes, dialect: dialect, limits: limits, options: options))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Returns whether an argument is a document itself: there is no file of that name, and it begins as a document, or
  /// looks like no path and has a blank or stands beside data. What it is instead is the parser's to say.
  private static func isText(_ operand: String, besideData: Bool) -> Bool {
    guard !FileBytes.exists(operand), operand != "-", !operand.isEmpty else { return false }
    if DocumentText.begins(operand.utf8) { return true }
    return (besideData || operand.utf8.contains(UInt8(ascii: " "))) && !DocumentText.isPath(operand)
  }

  /// Finds what was meant by an argument that is neither a file nor a document; nil where nothing is known but that.
  private static func mistake(_ path: String) -> UsageError? {
    if path.isEmpty { return UsageError("an argument is empty", help: "a query begins with '{'") }
    if !DocumentText.isPath(path), path.contains("{") {
      return UsageError("this is neither a file nor a query: \(path.prefix(60))", help: "a query begins with '{'")
    }
    let folder = directory(of: path)
    let name = folder.isEmpty ? path : String(path.dropFirst(folder.hasSuffix("/") ? folder.count : folder.count + 1))
    let near = nearestNames(to: name, in: FileBytes.names(in: folder.isEmpty ? "." : folder))
    return didYouMean(near.map { join(folder, $0) }).map { UsageError("there is no file '\(path)'", help: $0) }
  }

  /// Reads a file or standard input, over which no answer is written then; of a longer one, one byte more than what is
  /// taken.
  func read(_ path: String, atMost most: Int, within root: String? = nil) throws(QueryError) -> [UInt8] {
    files.note(path == "-" ? "/dev/stdin" : path)
    return try Self.read(path, atMost: most, within: root)
  }

  /// Reads a file or standard input for a command that writes no answer; of a longer one, one byte more than what is
  /// taken.
  static func read(_ path: String, atMost most: Int, within root: String? = nil) throws(QueryError) -> [UInt8] {
    try FileBytes.read(
      path == "-" ? "/dev/stdin" : path, shownAs: path == "-" ? "<stdin>" : path, atMost: most, within: root)
  }

  /// Reads a schema; of a longer one than a schema may be, one byte more.
  func readSchema(_ path: String, in root: String? = nil) throws(QueryError) -> [UInt8] {
    try read(path, atMost: max(limits.documentBytes, QueryLimits.standard.documentBytes), within: root)
  }

  /// Returns the database that a document runs on, as ``database(for:directory:_:)``.
  mutating func database(for document: QueryDocument?, directory: String?) throws(QueryError) -> Database {
    var options = RunOptions()
    return try database(for: document, directory: directory, &options)
  }

  /// Returns the database that a document runs on: the flags' schema and data, the document's own types and `@data`.
  ///
  /// - Parameter options: The run's. A time-out that is given covers loading; `started` is set where one begins here.
  mutating func database(
    for document: QueryDocument?, directory: String?, _ options: inout RunOptions
  ) throws(QueryError) -> Database {
    let database = try loaded(for: document, directory: directory, &options)
    // The operations of a document run one after the other.
    if document?.looksBack ?? false, database.recentVersions == 0 { database.recentVersions = 64 << 20 }
    return database
  }

  private mutating func loaded(
    for document: QueryDocument?, directory: String?, _ options: inout RunOptions
  ) throws(QueryError) -> Database {
    if let databasePath { return try open(databasePath) }
    var sources = data.map { DataSource.file(path: $0.path, name: $0.name, format: inputFormat) }
    var paths = data.map(\.path)
    var root: String?
    var isNamedByDocument = false
    if let document, let directory, paths.isEmpty {
      paths = try allowed(document.dataPaths, of: document, in: directory)
      sources = paths.map { .path($0) }
      root = dataRoot
      isNamedByDocument = !paths.isEmpty
    }
    if options.timeout == nil, isNamedByDocument { options.timeout = limits.time }
    if options.timeout != nil { options.started = MonotonicClock.now }
    var schema = schemaPath
    if schema == nil {
      schema = paths.lazy.map { Self.join($0, "schema.graphql") }.first { FileBytes.exists($0) }
    }
    let ownTypes = document.flatMap { $0.definesTypes ? $0 : nil }
    let typeText = ownTypes.map { String(decoding: $0.schemaBytes, as: UTF8.self) }
    let key = ([schema ?? ""] + paths + data.compactMap(\.name) + [typeText ?? ""]).joined(separator: "\n")
    hasData = hasData || !paths.isEmpty
    if let cached, cached.key == key { return cached.database }
    if let copied = try copy(paths) {
      cached = (key, copied)
      return copied
    }
    let database = try open(schema: schema, document: ownTypes, in: root)
    if let warnings = database.schemaWarningReport { Process.report(warnings) }
    let start = MonotonicClock.now
    if !paths.isEmpty {
      let showsProgress = Terminal.standardError.isTerminal
      var loading = LoadOptions(skipsBadRecords: skipsBadRecords)
      loading.run = options
      loading.root = root
      loading.ids = ids
      loading.opening = { [files] in files.noteData($0) }
      if showsProgress { loading.progress = { ProgressLine.show($0) } }
      let report: LoadReport
      do {
        report = try database.load(sources, options: loading)
        ProgressLine.clear()
      } catch {
        ProgressLine.clear()
        unloadedPaths += paths
        throw error
      }
      if isVerbose { for note in report.notes { Process.tell(note) } }
      Terminal.standardError.write(Process.diagnosticsAsJSON ? report.warningLines : report.warningText)
      if report.skippedRecords > 0 {
        let count = report.skippedRecords
        Process.tell("\(count) bad record\(count == 1 ? " was" : "s were") left out")
      }
    }
    loadTime = MonotonicClock.now - start
    cached = (key, database)
    return database
  }

  /// The database of a file, which keeps what is changed.
  private mutating func open(_ path: String) throws(QueryError) -> Database {
    if let branch { return branch.database }
    if let cached { return cached.database }
    let options = StorageOptions(access: follows ? .follow : isReadOnly ? .read : .write, creates: false)
    let database = try Database(path: path, storage: options)
    database.limits = limits
    // Not before the branch is there: documents that follow must not run in the database itself.
    if let branchName { branch = try database.branch(branchName, creates: false) }
    cached = (path, database)
    return branch?.database ?? database
  }

  /// A copy of a database that is named as data; nil where none is.
  private func copy(_ paths: [String]) throws(QueryError) -> Database? {
    guard let path = paths.first(where: { Database.isDatabase(path: $0) }) else { return nil }
    guard paths.count == 1 else {
      throw QueryError(
        code: "unsupported-data", "a database cannot be read beside other data", help: "gqlite import --db FILE PATH…",
        file: path)
    }
    let database = try Database(copying: path)
    database.limits = limits
    return database
  }

  /// Leaves the database in order, if one was opened.
  func close() throws(QueryError) { try cached?.database.close() }

  /// Says that there is no data, where a document fails because it asks for some.
  func tellThatNoDataIsGiven(_ error: QueryError) {
    guard databasePath == nil, data.isEmpty, schemaPath == nil, !hasData, !Process.diagnosticsAsJSON,
      error.problems.contains(where: { ["unknown-field", "unknown-name"].contains($0.code) })
    else { return }
    Terminal.standardError.write("gqlite: no data was given; name it before the query: gqlite people.csv '{ … }'\n")
  }

  /// Says that a subscription was answered once.
  func tellThatItAnswersOnce() {
    Process.tell("this is the first answer; 'gqlite live --db FILE' prints later ones", after: "note: ")
  }

  /// Says once that what a mutation changed ends with the process, where there are files that it may seem to change.
  mutating func tellThatNothingIsKept() {
    guard hasData, !hasTold else { return }
    hasTold = true
    let database = data.first { Database.isDatabase(path: $0.path) }
    Process.tell(
      database.map { "the changes are not kept; 'gqlite --db \($0.path)' keeps them" }
        ?? "the changes are not kept; files of data are read, never written", after: "note: ")
  }

  /// An empty database with the schema that the file and the document's own types make, if there is any.
  private func open(
    schema: String?, document: QueryDocument?, in root: String?
  ) throws(QueryError) -> Database {
    var texts: [(name: String, bytes: [UInt8])] = []
    // A schema beside the data of a document lies in its folder, too.
    if let schema { texts.append((schema, try readSchema(schema, in: schema == schemaPath ? nil : root))) }
    if let document { texts.append((document.sourceName, document.schemaBytes)) }
    if texts.isEmpty { return Database() }
    return try Database(schemaTexts: texts, limits: limits)
  }

  /// Returns where the data lies that a document names.
  ///
  /// - Throws: ``QueryError`` at the first path that documents must not name.
  private func allowed(
    _ written: [String], of document: QueryDocument, in directory: String
  ) throws(QueryError) -> [String] {
    guard !written.isEmpty else { return [] }
    if isServing, dataRoot == nil {
      throw document.dataNotAllowedError(
        nil, "documents must not name data under '--limits serve'",
        help: "name a folder that they may name data in: --data-root DIR")
    }
    var paths: [String] = []
    for path in written {
      let joined = path.hasPrefix("/") ? path : Self.join(directory, path)
      if let dataRoot, !FileBytes.leads(FileBytes.patternFolder(joined) ?? joined, into: dataRoot) {
        throw document.dataNotAllowedError(
          path, "there is no such data in the folder of '--data-root'",
          help: "paths are relative to the document, and links are followed")
      }
      paths.append(joined)
    }
    return paths
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
    guard MonotonicClock.now - started > 500_000_000 else { return }
    let percent = progress.totalBytes > 0 ? min(100, progress.bytes * 100 / progress.totalBytes) : 0
    let text =
      switch progress.step {
      case .opening: "\(progress.file): reading"
      case .inferring: "\(progress.file): finding types, \(percent) %"
      case .loading: "\(progress.file): \(progress.records) records, \(percent) %"
      case .connecting: "\(progress.records) records: connecting"
      }
    let cut = DisplayText(text).cut(to: max(1, (Terminal.standardError.columns ?? 80) - 1))
    Terminal.standardError.write("\r\u{1B}[K\(cut.text)")
    isShown = true
  }

  static func clear() {
    if isShown { Terminal.standardError.write("\r\u{1B}[K") }
    isShown = false
    started = 0
  }
}
