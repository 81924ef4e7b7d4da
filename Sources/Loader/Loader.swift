import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Puts the records of files into a transaction: rows first, then links.
///
/// A good load is fast because nothing is looked up twice: indexes and relations are built at the end. Where bad
/// records are to be skipped, each is checked on its own as it comes.
package struct Loader: ~Copyable {
  let catalog: Catalog
  let transaction: WriteTransaction
  /// Go on behind a bad record and count it, instead of failing as a whole.
  let skipsBadRecords: Bool
  /// Indicates whether nobody wrote the schema: it was made from the records that can be read.
  let isInferred: Bool
  let watch: LoadWatch
  let arena = StagingArena()
  var reader: RecordReader
  var writer: EntityWriter
  /// Holds what was done so far.
  package internal(set) var outcome = LoadOutcome()
  /// Holds the types that names of files and keys lead to.
  let sourceTypes: SourceTypes
  /// By name: the types that records of the current file say.
  var recordTypes: [String: EntityTypeID] = [:]
  var records = 0
  /// Counts how often a record was gone past, for the next look at the time.
  private var looks = 0
  var readBytes = 0
  /// Holds the file that is being read.
  private var current: MappedFile?
  /// Bytes of the store that are counted against the memory of the load.
  private var countedBytes = 0
  var totalBytes = 0
  static let reportedWarnings = 20

  package init(
    catalog: Catalog, transaction: WriteTransaction, skipsBadRecords: Bool, isInferred: Bool = false,
    watch: LoadWatch = LoadWatch()
  ) {
    self.catalog = catalog
    self.transaction = transaction
    self.skipsBadRecords = skipsBadRecords
    self.isInferred = isInferred
    self.watch = watch
    sourceTypes = SourceTypes(catalog)
    let layouts = EntityLayouts(catalog)
    reader = RecordReader(
      layouts: catalog.types.map { RecordLayout($0, layouts[$0.id], catalog: catalog) }, names: sourceTypes,
      arena: arena, now: transaction.now)
    writer = EntityWriter(transaction, layouts, leavesOutBad: skipsBadRecords, memory: arena)
  }

  /// Loads files. The transaction must be dropped if it throws.
  package mutating func load(_ files: [LoadFile]) throws(LoadFailure) {
    guard watch.interruption?.memory != nil else { return try loadAll(files) }
    try transaction.countingPages { () throws(LoadFailure) in try loadAll(files) }
  }

  private mutating func loadAll(_ files: [LoadFile]) throws(LoadFailure) {
    let before = catalog.types.map { transaction.liveCount($0.id) }
    totalBytes = LoadFile.byteCount(files)
    if !skipsBadRecords { transaction.beginBulk() }
    for index in files.indices {
      current = files[index].file
      do {
        try load(files[index], number: index)
      } catch  where error.problem == .interrupted {
        throw interrupted(in: files[index].file)
      } catch {
        throw loadFailure(error, in: files[index].file)
      }
      guard LoadFile.endsFile(index, files) else { continue }
      readBytes += files[index].file.size
      tellProgress(files[index].file.name)
    }
    if isDue, let last = files.last { throw interrupted(in: last.file) }
    watch.progress?(
      LoadPosition(
        step: .connecting, file: files.last?.file.name ?? "", bytes: readBytes, totalBytes: totalBytes, records: records
      ))
    do throws(WriteProblem) {
      try writer.resolveLinks()
    } catch {
      throw loadFailure(error)
    }
    takeNotes()
    if isDue, let last = files.last { throw interrupted(in: last.file) }
    if !skipsBadRecords {
      do {
        try transaction.endBulk()
      } catch {
        throw storeError(error, files)
      }
      if isDue, let last = files.last { throw interrupted(in: last.file) }
    }
    try complete(files)
    takeNotes()
    for (type, count) in zip(catalog.types, before) where type.kind == .entity {
      outcome.inserted.append((type.id, transaction.liveCount(type.id) - count))
    }
  }

  // MARK: - Failures

  /// Counts and keeps the first of bad records, if they are to be skipped; else throws them on.
  mutating func skip(_ failure: RecordFailure, _ file: MappedFile) throws(RecordFailure) {
    guard skipsBadRecords, failure.problem != .interrupted, failure.file == nil else { throw failure }
    outcome.skippedRecords += 1
    if outcome.skippedRecords <= Self.reportedWarnings {
      outcome.warnings.append(Self.diagnostic(failure, in: file, severity: .warning))
    }
  }

  func loadFailure(_ failure: RecordFailure, in file: MappedFile) -> LoadFailure {
    if let file = failure.file { return LoadFailure(code: failure.problem.code, failure.message, file: file) }
    return LoadFailure([Self.diagnostic(failure, in: file, severity: .error)])
  }

  func storeError(_ problem: StoreProblem, _ files: [LoadFile]) -> LoadFailure {
    let message = StoreMessages.describe(problem, catalog: catalog, transaction: transaction)
    let place: (type: EntityTypeID, row: UInt32)?
    var kind = LoadProblem.uniqueViolation
    switch problem {
    case .uniqueViolation(let index, _, let row): place = row.map { (catalog[index].type, $0) }
    case .contradiction(let found):
      place = (catalog[found.writer].source, found.writerRow)
      kind = .contradictingLinks
    default: place = nil
    }
    if let place, let found = writer.place(of: place.row, place.type) {
      return loadFailure(RecordFailure(kind, message, at: found.start), in: files[found.source].file)
    }
    return LoadFailure(code: kind.code, message)
  }

  /// Shows only the line of the failure: the file may be large. Of a row its number is shown.
  static func diagnostic(
    _ failure: RecordFailure, in file: MappedFile, severity: Diagnostic.Severity
  ) -> (source: SourceText, diagnostics: [Diagnostic]) {
    if file.isMadeOfRows {
      let place = SourceText(name: "\(file.name), row \(failure.start + 1)", bytes: [])
      let problem = Diagnostic(
        failure.problem.code, severity: severity, failure.message, at: SourceRange(at: 0), help: failure.help)
      return (place, [problem])
    }
    let bytes = file.bytes
    var start = min(failure.start, bytes.count)
    // What is missing at the end is shown behind the last text: an empty last line would show nothing.
    if start == bytes.count {
      while start > 0, bytes[start - 1] == 0x0A || bytes[start - 1] == 0x0D || bytes[start - 1] == 0x20 { start -= 1 }
    }
    var line = 1
    var lineStart = 0
    for index in 0..<start where bytes[index] == 0x0A {
      line += 1
      lineStart = index + 1
    }
    let lineEnd = ByteSearch.firstIndex(of: 0x0A, in: bytes, from: start) ?? bytes.count
    let shownEnd = min(lineEnd, max(start + 200, lineStart + 4096))
    let source = SourceText(name: file.name, bytes: Array(bytes[lineStart..<shownEnd]), firstLine: line)
    let range = SourceRange(
      start: UInt32(clamping: start - lineStart), end: UInt32(clamping: min(failure.end, shownEnd) - lineStart))
    return (
      source,
      [Diagnostic(failure.problem.code, severity: severity, failure.message, at: range, help: failure.help)]
    )
  }

  /// Tells the progress now and then, and looks more often at what may end the load.
  ///
  /// - Throws: a failure `.interrupted` where the load is to end.
  @inline(__always)
  mutating func lookAround(_ file: String, at position: Int, after passed: Int = 1) throws(RecordFailure) {
    // Records that are skipped take time, too.
    let before = looks
    looks &+= passed
    guard before >> 8 != looks >> 8 else { return }
    current?.release(upTo: position)
    if before >> 16 != looks >> 16 { tellProgress(file, at: position) }
    if isDue { throw RecordFailure(.interrupted, "", at: position) }
  }

  private var isDue: Bool {
    mutating get {
      guard let interruption = watch.interruption else { return false }
      if interruption.memory != nil {
        let bytes = transaction.pageBytes + transaction.writtenBytes
        interruption.take(bytes - countedBytes)
        countedBytes = bytes
      }
      return interruption.isDue
    }
  }

  private func interrupted(in file: MappedFile) -> LoadFailure { watch.interrupted(file.name) }

  private func tellProgress(_ file: String, at position: Int = 0) {
    watch.progress?(LoadPosition(file: file, bytes: readBytes + position, totalBytes: totalBytes, records: records))
  }
}
