import GQLBase
import GQLCatalog
import GQLStore

/// Puts the records of files into a transaction: rows first, then links.
///
/// A good load is fast because nothing is looked up twice: indexes and relations are built at the end. Where bad
/// records are to be skipped, each is checked on its own as it comes.
struct Loader: ~Copyable {
  let catalog: Catalog
  let transaction: WriteTransaction
  let options: LoadOptions
  let arena = LoadArena()
  var reader: RecordReader
  var report = LoadReport()
  private var pending: [PendingLinks]
  private let baseSlots: [Int]
  /// For each type and new row: whether a record of its own defined it, and where that record is.
  private var origins: [ContiguousArray<Origin>]
  private var diagnostics: [(source: SourceText, diagnostics: [Diagnostic])] = []
  /// For each relation that must have a target, the rows whose target is named but not there.
  private var dangling: [RelationID: Set<UInt32>] = [:]
  private var records = 0
  private var readBytes = 0
  private var totalBytes = 0
  private static let reportedWarnings = 20

  private struct Origin {
    var file: Int32
    var isTopLevel: Bool
    var isIncomplete: Bool
    /// Whether the row was taken back, because its record was bad.
    var isRemoved = false
    var offset: Int
  }

  private struct PendingLinks {
    var sources: ContiguousArray<UInt32> = []
    var targets: ContiguousArray<Cell> = []
    var isRow: ContiguousArray<Bool> = []
    /// For a relation to an interface or union: the type of each target, where it is known.
    var types: ContiguousArray<EntityTypeID?> = []
  }

  init(catalog: Catalog, transaction: WriteTransaction, options: LoadOptions, now: Int64) {
    self.catalog = catalog
    self.transaction = transaction
    self.options = options
    reader = RecordReader(
      layouts: catalog.types.map { RecordLayout($0, catalog: catalog) }, arena: arena, now: now)
    pending = Array(repeating: PendingLinks(), count: catalog.relations.count)
    baseSlots = catalog.types.map { transaction.slotCount($0.id) }
    origins = Array(repeating: [], count: catalog.types.count)
  }

  /// Loads files. The transaction must be dropped if it throws.
  mutating func load(_ files: [LoadFile]) throws(QueryError) {
    defer { reader.stage.deallocate() }
    let before = catalog.types.map { transaction.liveCount($0.id) }
    totalBytes = files.reduce(0) { $0 + $1.file.bytes.count }
    if !options.skipsBadRecords { transaction.beginBulk() }
    for index in files.indices {
      do {
        try load(files[index], number: index)
      } catch {
        throw queryError(error, in: files[index].file)
      }
      readBytes += files[index].file.bytes.count
      tellProgress(files[index].file.name, force: true)
    }
    try resolveLinks(files)
    if !options.skipsBadRecords {
      do {
        try transaction.endBulk()
      } catch {
        throw storeError(error, files)
      }
    }
    try checkComplete(files)
    for (type, count) in zip(catalog.types, before) where type.kind == .entity {
      report.inserted.append(LoadReport.Count(type: type.name, count: transaction.liveCount(type.id) - count))
    }
    let warnings = QueryError(diagnostics)
    report.warnings = warnings.problems
    report.warningText = warnings.description
  }

  // MARK: - Files

  private mutating func load(_ file: LoadFile, number: Int) throws(RecordFailure) {
    switch file.format {
    case .ndjson: try loadLines(file, number)
    case .json: try loadJSON(file, number)
    case .csv: try loadCSV(file, number)
    }
  }

  private mutating func loadLines(_ file: LoadFile, _ number: Int) throws(RecordFailure) {
    let bytes = file.file.bytes
    var position = 0
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      let line = UnsafeBufferPointer(rebasing: bytes[position..<end])
      var scanner = JSONScanner(line)
      if scanner.peek() != .end {
        do throws(RecordFailure) {
          try loadLine(&scanner, file, number, offset: position)
        } catch {
          try skip(error, file.file)
        }
      }
      position = end + 1
      tellProgress(file.file.name, at: position)
    }
  }

  private mutating func loadLine(
    _ scanner: inout JSONScanner, _ file: LoadFile, _ number: Int, offset: Int
  ) throws(RecordFailure) {
    try loadObject(&scanner, file, number, offset: offset)
    do {
      try scanner.finish()
    } catch {
      throw RecordFailure(.invalidJSON, error.problem.message, at: error.offset + offset)
    }
    try insertStage(number)
  }

  private mutating func loadJSON(_ file: LoadFile, _ number: Int) throws(RecordFailure) {
    var scanner = JSONScanner(file.file.bytes)
    if file.file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { scanner.position = 3 }
    do {
      switch scanner.peek() {
      case .array:
        guard try loadArray(&scanner, file, number, type: file.type) else { return }
      case .object where file.type == nil:
        var scratch = ByteBuffer(capacity: 256)
        try scanner.beginObject()
        while true {
          scanner.skipSpace()
          let start = scanner.position
          guard let key = try scanner.nextKey(&scratch) else { break }
          guard let type = catalog.type(named: key.string) else {
            let place = RecordReader.keyRange(scanner, from: start)
            throw reader.unknownType(key.string, at: place.lowerBound, to: place.upperBound)
          }
          guard try loadArray(&scanner, file, number, type: type.id) else { return }
        }
      case .object:
        try loadObject(&scanner, file, number, offset: 0)
        try insertStage(number)
      case .end: return
      default:
        throw RecordFailure(.notAnObject, "expected a list of objects", at: scanner.position)
      }
      try scanner.finish()
    } catch let failure as JSONScanner.Failure {
      throw RecordFailure(.invalidJSON, failure.problem.message, at: failure.offset)
    } catch let failure as RecordFailure {
      throw failure
    } catch {
      throw RecordFailure(.invalidJSON, "\(error)", at: 0)
    }
  }

  /// Loads a list of objects; false if the rest of the file cannot be read, which was counted then.
  private mutating func loadArray(
    _ scanner: inout JSONScanner, _ file: LoadFile, _ number: Int, type: EntityTypeID?
  ) throws(RecordFailure) -> Bool {
    var file = file
    file.type = type
    do {
      try scanner.beginArray()
      while try scanner.nextElement() {
        scanner.skipSpace()
        let retry = scanner
        do throws(RecordFailure) {
          try loadObject(&scanner, file, number, offset: 0)
          try insertStage(number)
        } catch {
          try skip(error, file.file)
          scanner = retry
          // Behind what is not JSON there is no telling where the next record begins.
          guard (try? scanner.skipValue()) != nil else { return false }
        }
        tellProgress(file.file.name, at: scanner.position)
      }
      return true
    } catch let failure as JSONScanner.Failure {
      try skip(RecordFailure(.invalidJSON, failure.problem.message, at: failure.offset), file.file)
      return false
    } catch let failure as RecordFailure {
      throw failure
    } catch {
      throw RecordFailure(.invalidJSON, "\(error)", at: scanner.position)
    }
  }

  private mutating func loadCSV(_ file: LoadFile, _ number: Int) throws(RecordFailure) {
    let bytes = file.file.bytes
    guard let type = file.type, !catalog[type].isAbstract else {
      throw RecordFailure(.unknownType, "a CSV file is named for its type", at: 0)
    }
    var csv = CSVReader(bytes)
    var fields: [CSVReader.Field] = []
    while !csv.isAtEnd, fields.isEmpty { try csv.nextLine(into: &fields) }
    let names = fields.map { field in
      (
        text: String(decoding: field.decoded ?? Array(bytes[field.start..<field.end]), as: UTF8.self),
        start: field.start, end: field.end
      )
    }
    let columns = try reader.csvColumns(names, type)
    while !csv.isAtEnd {
      reader.stage.removeAll()
      do throws(RecordFailure) {
        do throws(RecordFailure) {
          try csv.nextLine(into: &fields)
        } catch {
          csv.skipLine()
          throw error
        }
        if fields.isEmpty { continue }
        try reader.readLine(fields, columns, type, bytes)
        try insertStage(number)
      } catch {
        try skip(error, file.file)
      }
      tellProgress(file.file.name, at: csv.position)
    }
  }

  /// Reads one top-level object into the stage.
  private mutating func loadObject(
    _ scanner: inout JSONScanner, _ file: LoadFile, _ number: Int, offset: Int
  ) throws(RecordFailure) {
    reader.stage.removeAll()
    guard scanner.peek() == .object else {
      throw RecordFailure(.notAnObject, "expected an object", at: scanner.position + offset)
    }
    let type: EntityTypeID
    if let known = file.type, !catalog[known].isAbstract {
      type = known
    } else {
      type = try reader.typename(scanner, offset: offset, among: file.type)
    }
    _ = try reader.readRecord(type, &scanner, offset: offset, isTopLevel: true)
  }

  // MARK: - Rows

  /// Puts what is staged into the transaction: all of it or nothing.
  private mutating func insertStage(_ file: Int) throws(RecordFailure) {
    var rows = ContiguousArray<UInt32>()
    rows.reserveCapacity(reader.stage.records.count)
    for index in reader.stage.records.indices {
      do throws(RecordFailure) {
        rows.append(try insert(index, file: file))
      } catch {
        if options.skipsBadRecords { removeInserted(rows) }
        throw error
      }
    }
    for link in reader.stage.links {
      let relation = Int(link.relation.index)
      pending[relation].sources.append(rows[link.record])
      if catalog[catalog[link.relation].target].isAbstract { pending[relation].types.append(link.type) }
      if link.isRecord, !reader.stage.records[Int(link.key.low)].isBareID {
        pending[relation].targets.append(Cell(low: UInt64(rows[Int(link.key.low)])))
        pending[relation].isRow.append(true)
      } else if link.isRecord {
        let target = reader.stage.records[Int(link.key.low)]
        let keyColumn = reader.layouts[target.layout].keyColumns[0]
        pending[relation].targets.append(reader.stage.cells[target.base + keyColumn])
        pending[relation].isRow.append(false)
      } else {
        pending[relation].targets.append(link.key)
        pending[relation].isRow.append(false)
      }
    }
    records += 1
  }

  /// Takes back the rows that a record which is to be skipped has put in; those that it has patched keep the patch.
  private mutating func removeInserted(_ rows: ContiguousArray<UInt32>) {
    for (record, row) in zip(reader.stage.records, rows) {
      let position = Int(row) - baseSlots[record.layout]
      guard row != PageLayout.noRow, origins[record.layout].indices.contains(position),
        origins[record.layout][position].offset == record.start, !origins[record.layout][position].isRemoved
      else { continue }
      _ = try? transaction.delete(reader.layouts[record.layout].type, row)
      origins[record.layout][position].isRemoved = true
    }
  }

  private mutating func insert(_ index: Int, file: Int) throws(RecordFailure) -> UInt32 {
    let record = reader.stage.records[index]
    let layout = reader.layouts[record.layout]
    // A bare id in a link is looked up with all other links, at the end.
    if record.isBareID, layout.keyColumns.count == 1 { return PageLayout.noRow }
    let cells = reader.stage.cells + record.base
    let valid = reader.stage.valid + record.base
    do {
      let row = try transaction.insert(layout.type, cells: cells, valid: valid)
      origins[record.layout].append(
        Origin(
          file: Int32(file), isTopLevel: record.isTopLevel, isIncomplete: record.missing != nil || record.lacksLink,
          offset: record.start))
      return row
    } catch .uniqueViolation(index: let violated, existing: let existing, row: _)
      where violated == catalog[layout.type].primaryIndex
    {
      return try merge(record, layout, into: existing)
    } catch {
      throw RecordFailure(
        .uniqueViolation, StoreMessages.describe(error, catalog: catalog, transaction: transaction), at: record.start,
        to: record.end)
    }
  }

  /// A second object with an id that is there: an error between records of their own, else a patch.
  private mutating func merge(
    _ record: RecordStage.Record, _ layout: RecordLayout, into row: UInt32
  ) throws(RecordFailure) -> UInt32 {
    let base = baseSlots[record.layout]
    let isDefined = Int(row) < base || origins[record.layout][Int(row) - base].isTopLevel
    if record.isTopLevel, isDefined {
      throw RecordFailure(
        .duplicateID,
        "a second '\(layout.name)' with "
          + StoreMessages.key(layout.type, layout.keyColumns, of: row, catalog: catalog, transaction: transaction),
        at: record.start, to: record.end)
    }
    for column in 0..<layout.columnCount
    where reader.stage.given[record.base + column] && reader.stage.valid[record.base + column] {
      if layout.keyColumns.contains(column) { continue }
      do {
        try transaction.update(layout.type, row, ColumnID(column), reader.stage.cells[record.base + column])
      } catch {
        throw RecordFailure(
          .uniqueViolation, StoreMessages.describe(error, catalog: catalog, transaction: transaction),
          at: record.start, to: record.end)
      }
    }
    if record.isTopLevel {
      origins[record.layout][Int(row) - base].isTopLevel = true
      origins[record.layout][Int(row) - base].isIncomplete = record.lacksLink
    }
    return row
  }

  /// Nested objects may come before the record that completes them; at the end everything must be complete.
  private mutating func checkComplete(_ files: [LoadFile]) throws(QueryError) {
    for (index, type) in catalog.types.enumerated() {
      for (position, origin) in origins[index].enumerated() where origin.isIncomplete && !origin.isRemoved {
        let row = UInt32(truncatingIfNeeded: baseSlots[index] + position)
        guard transaction.isLive(type.id, row) else { continue }
        guard let field = missingField(of: type, row) else { continue }
        let file = files[Int(origin.file)].file
        let failure = RecordFailure(
          .missingValue, "'\(type.name).\(field)' is non-null and has no value", at: origin.offset)
        do throws(RecordFailure) {
          try skip(failure, file)
        } catch {
          throw queryError(error, in: file)
        }
        // What others must link to cannot go: the data is then bad as a whole.
        guard !transaction.isLive(type.id, row) || (try? transaction.delete(type.id, row)) != nil else {
          throw queryError(failure, in: file)
        }
      }
    }
  }

  /// The first non-null field of an entity that has no value; a link that is named but dangling counts as one.
  private func missingField(of type: EntityType, _ row: UInt32) -> String? {
    for column in type.columns where column.isNonNull && column.foldedFrom == nil {
      if column.kind == .references || column.kind == .reference { continue }
      if column.id == type.createdColumn || column.id == type.updatedColumn { continue }
      if transaction.column(type.id, column.id).isNull(row) { return column.name }
    }
    for relation in catalog.relations where relation.source == type.id && relation.isRequired {
      // A required field of an embedded object is required where the object is there.
      if let presence = relation.presence, transaction.column(type.id, presence).byte(row) == 0 { continue }
      guard let property = relation.property, !(dangling[relation.id]?.contains(row) ?? false) else { continue }
      if transaction.column(type.id, relation.column).reference(row) == PageLayout.noRow { return type[property].name }
    }
    return nil
  }

  // MARK: - Links

  private mutating func resolveLinks(_ files: [LoadFile]) throws(QueryError) {
    for relation in catalog.relations {
      let links = pending[Int(relation.id.index)]
      guard !links.sources.isEmpty else { continue }
      var missing: [Cell] = []
      for index in links.sources.indices {
        let target: UInt32?
        if !links.types.isEmpty {
          switch try resolve(
            links.targets[index], links.isRow[index], as: links.types[index], relation, from: links.sources[index])
          {
          case .row(let row): target = row
          case .waiting:
            missing.append(links.targets[index])
            if relation.isRequired { dangling[relation.id, default: []].insert(links.sources[index]) }
            continue
          case .refused: continue
          }
        } else if links.isRow[index] {
          target = UInt32(truncatingIfNeeded: links.targets[index].low)
        } else {
          target = withUnsafePointer(to: links.targets[index]) { transaction.findRow(relation.target, key: $0) }
        }
        guard let target else {
          missing.append(links.targets[index])
          if relation.isRequired { dangling[relation.id, default: []].insert(links.sources[index]) }
          transaction.rememberDangling(relation.id, source: links.sources[index], key: links.targets[index])
          continue
        }
        if options.skipsBadRecords {
          do {
            try transaction.appendReference(relation.id, source: links.sources[index], target: target)
          } catch {
            throw QueryError(
              code: LoadProblem.uniqueViolation.code,
              StoreMessages.describe(error, catalog: catalog, transaction: transaction))
          }
        } else {
          transaction.linkBulk(relation.id, source: links.sources[index], target: target)
        }
      }
      pending[Int(relation.id.index)] = PendingLinks()
      if !missing.isEmpty { warnDangling(relation, missing) }
    }
  }

  private enum LinkTarget {
    case row(UInt32)
    /// It may come.
    case waiting
    /// It was reported.
    case refused
  }

  /// The row of an interface or union that a link leads to.
  private mutating func resolve(
    _ key: Cell, _ isRow: Bool, as type: EntityTypeID?, _ relation: Relation, from source: UInt32
  ) throws(QueryError) -> LinkTarget {
    if isRow, let type {
      return transaction.mirroredRow(type, UInt32(truncatingIfNeeded: key.low), in: relation.target).map { .row($0) }
        ?? .refused
    }
    let members = catalog[relation.target].members.map(\.type).filter { type == nil || $0 == type }
    var found: [(type: EntityTypeID, row: UInt32)] = []
    for member in members {
      guard let cell = self.key(key, of: member, isTyped: type != nil) else { continue }
      if let row = withUnsafePointer(to: cell, { transaction.findRow(member, key: $0) }) { found.append((member, row)) }
    }
    if found.count > 1 {
      let names = found.map { "'\(catalog[$0.type].name)'" }.joined(separator: " and ")
      let field = relation.property.map { catalog[relation.source][$0].name } ?? "?"
      let id = TextView(key).withBytes {
        String(decoding: UnsafeRawBufferPointer(start: $0, count: min($1, 80)), as: UTF8.self)
      }
      let message = "'\(catalog[relation.source].name).\(field)' links to '\(id)', which is the id of \(names)"
      let help = "give an object that says its type, as in {\"__typename\": …, \"id\": …}"
      guard options.skipsBadRecords else {
        throw QueryError(code: LoadProblem.ambiguousLink.code, message, help: help)
      }
      diagnostics.append(
        (
          SourceText(name: "", bytes: []),
          [Diagnostic(LoadProblem.ambiguousLink.code, severity: .warning, message, at: SourceRange(at: 0), help: help)]
        ))
      return .refused
    }
    if let only = found.first {
      return transaction.mirroredRow(only.type, only.row, in: relation.target).map { .row($0) } ?? .refused
    }
    for member in members {
      guard let cell = self.key(key, of: member, isTyped: type != nil) else { continue }
      transaction.rememberDangling(relation.id, source: source, member, key: cell)
    }
    return .waiting
  }

  /// A key that was read as an ID as one of a type; nil where it cannot be one.
  private func key(_ cell: Cell, of type: EntityTypeID, isTyped: Bool) -> Cell? {
    let layout = reader.layouts[Int(type.index)]
    guard layout.keyColumns.count == 1 else { return nil }
    if isTyped { return cell }
    switch catalog[type].columns[layout.keyColumns[0]].kind {
    case .text: return cell
    case .int64:
      let text = TextView(cell).withBytes {
        String(decoding: UnsafeRawBufferPointer(start: $0, count: $1), as: UTF8.self)
      }
      return Int64(text).map { Cell($0) }
    default: return nil
    }
  }

  private mutating func warnDangling(_ relation: Relation, _ missing: [Cell]) {
    report.danglingLinks += missing.count
    let source = catalog[relation.source]
    let name = relation.property.map { source[$0].name } ?? "?"
    let target = catalog[relation.target]
    let isText = catalog[target.primaryIndex].columns.first.map { target[$0].kind == .text } ?? true
    let shown = missing.prefix(3).map { cell in
      isText
        ? TextView(cell).withBytes { String(decoding: UnsafeRawBufferPointer(start: $0, count: $1), as: UTF8.self) }
        : "\(cell.int)"
    }
    let ids = shown.joined(separator: ", ") + (missing.count > 3 ? ", …" : "")
    let noun = missing.count == 1 ? "1 link" : "\(missing.count) links"
    diagnostics.append(
      (
        SourceText(name: "", bytes: []),
        [
          Diagnostic(
            LoadProblem.danglingLink.code, severity: .warning,
            "\(noun) of '\(source.name).\(name)' to a '\(target.name)' that is not there: \(ids)",
            at: SourceRange(at: 0))
        ]
      ))
  }

  // MARK: - Failures

  /// Counts and keeps the first of bad records, if they are to be skipped; else throws them on.
  private mutating func skip(_ failure: RecordFailure, _ file: MappedFile) throws(RecordFailure) {
    guard options.skipsBadRecords else { throw failure }
    report.skippedRecords += 1
    if report.skippedRecords <= Self.reportedWarnings {
      diagnostics.append(Self.diagnostic(failure, in: file, severity: .warning))
    }
  }

  private func queryError(_ failure: RecordFailure, in file: MappedFile) -> QueryError {
    QueryError([Self.diagnostic(failure, in: file, severity: .error)])
  }

  private func storeError(_ problem: StoreProblem, _ files: [LoadFile]) -> QueryError {
    let message = StoreMessages.describe(problem, catalog: catalog, transaction: transaction)
    if case .uniqueViolation(let index, _, let row?) = problem {
      let type = Int(catalog[index].type.index)
      let position = Int(row) - baseSlots[type]
      if origins[type].indices.contains(position) {
        let origin = origins[type][position]
        return queryError(
          RecordFailure(.uniqueViolation, message, at: origin.offset), in: files[Int(origin.file)].file)
      }
    }
    return QueryError(code: LoadProblem.uniqueViolation.code, message)
  }

  /// Shows only the line of the failure: the file may be large.
  private static func diagnostic(
    _ failure: RecordFailure, in file: MappedFile, severity: Diagnostic.Severity
  ) -> (source: SourceText, diagnostics: [Diagnostic]) {
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
    let lineEnd = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
    let shownEnd = min(lineEnd, max(start + 200, lineStart + 4096))
    let source = SourceText(name: file.name, bytes: Array(bytes[lineStart..<shownEnd]), firstLine: line)
    let range = SourceRange(
      start: UInt32(clamping: start - lineStart), end: UInt32(clamping: min(failure.end, shownEnd) - lineStart))
    return (
      source,
      [Diagnostic(failure.problem.code, severity: severity, failure.message, at: range, help: failure.help)]
    )
  }

  private func tellProgress(_ file: String, at position: Int = 0, force: Bool = false) {
    guard let progress = options.progress, force || records & 0xFFFF == 0 else { return }
    progress(LoadProgress(file: file, bytes: readBytes + position, totalBytes: totalBytes, records: records))
  }
}
