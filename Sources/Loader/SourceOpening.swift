import GQLBase
import GQLCatalog

/// From what names data to opened tables of records.
package struct SourceOpening {
  /// A list of the tables of the sources, and the schemas that databases among them bring along.
  package struct Opened {
    package var files: [LoadFile] = []
    /// Holds what was decided about the sources, a sentence each.
    package var notes: [String] = []
    /// Holds what was left out of the sources.
    package var warnings: [(source: SourceText, diagnostics: [Diagnostic])] = []
  }

  /// A set of bounds for the opening of sources.
  package struct Bounds {
    /// Holds the bytes that one compressed file may expand to.
    var expandedBytes: Int
    /// Holds the folder that all files must lie in; nil if they may lie anywhere.
    var root: String?
    var watch: LoadWatch
    /// Called with the path of each file before it is read.
    var opening: ((String) -> Void)?

    package init(
      expandedBytes: Int, root: String? = nil, watch: LoadWatch = LoadWatch(), opening: ((String) -> Void)? = nil
    ) {
      self.opening = opening
      self.expandedBytes = expandedBytes
      self.root = root
      self.watch = watch
    }
  }

  /// A name and a format that the user gave a source.
  private struct Naming {
    var name: String?
    var format: LoadFile.Format?
  }

  private let catalog: Catalog?
  private let types: SourceTypes?
  /// Holds the names that types of the schema have, in it or in data; nil without a schema.
  private let typeNames: Set<String>?
  /// Holds the names that types of the schema have in data.
  private let sources: Set<String>
  private let bounds: Bounds
  private var opened = Opened()
  /// Holds the names of tables of the SQLite files so far.
  private var tableNames = TableNames()

  private init(_ catalog: Catalog?, _ bounds: Bounds) {
    self.catalog = catalog
    self.bounds = bounds
    types = catalog.map { SourceTypes($0) }
    sources = Set(catalog?.types.compactMap(\.source) ?? [])
    typeNames = catalog.map {
      Set($0.types.filter { !$0.isElement }.map(\.name) + $0.types.compactMap(\.source))
    }
  }

  /// Opens sources. Directories give their files in the order of their names. Without a catalog, a SQLite file brings
  /// its own types.
  package static func open(
    _ sources: [LoadSource], for catalog: Catalog?, _ bounds: Bounds
  ) throws(LoadFailure) -> Opened {
    var opening = SourceOpening(catalog, bounds)
    for source in sources {
      switch source {
      case .bytes(let bytes, let format, let type, let name):
        let file = try TextEncoding.utf8(MappedFile(name: name, bytes: bytes), bounds.watch)
        try opening.add(file, DataFileName(stem: nil, format: format), Naming(name: type))
      case .path(let path, let name, let format): try opening.open(path, Naming(name: name, format: format))
      }
    }
    return opening.opened
  }

  // MARK: - Paths

  private mutating func open(_ path: String, _ naming: Naming) throws(LoadFailure) {
    if MappedFile.isFolder(path, followsLinks: true) { return try openDirectory(path, naming) }
    guard path != "-", PathPattern.isPattern(path), !MappedFile.exists(path) else { return try openFile(path, naming) }
    let paths: [String]
    do {
      paths = try PathPattern.paths(path, within: bounds.root)
    } catch {
      throw LoadFailure(
        code: LoadProblem.unsupported.code, error.message, help: "name fewer files, or put them together", file: path)
    }
    guard !paths.isEmpty else {
      throw LoadFailure(code: LoadProblem.noData.code, "no file is named like this", file: path)
    }
    for path in paths { try openFile(path, naming) }
  }

  private mutating func openFile(_ path: String, _ naming: Naming) throws(LoadFailure) {
    try bounds.watch.check(path)
    let isStream = path == "-" || MappedFile.stream(named: path) != nil
    if !isStream, try openDatabase(path) { return }
    let file = try content(path == "-" ? "/dev/stdin" : path, shownAs: path == "-" ? "<stdin>" : path)
    var name = DataFileName(path)
    if isStream { name.stem = "stdin" }
    if let format = naming.format { name.format = format }
    if name.format == nil { name.format = try format(of: file, name, path) }
    try add(file, name, naming)
  }

  /// Returns the format that a file without a known ending seems to have.
  private func format(of file: MappedFile, _ name: DataFileName, _ path: String) throws(LoadFailure) -> LoadFile.Format?
  {
    var scanner = JSONScanner(file.bytes)
    scanner.position = TextEncoding.start(of: file.bytes)
    switch scanner.peek() {
    case .object, .array: return nil
    default: break
    }
    if SQLiteConnection.isDatabase(file.bytes) {
      throw LoadFailure(
        code: LoadProblem.unsupported.code, "a SQLite file is read by its path only", file: file.name)
    }
    if name.mayBeText { return .csv() }
    throw LoadFailure(
      code: LoadProblem.unsupported.code, "this is no file of data",
      help: "data lies in .csv, .tsv, .json, .ndjson or SQLite files, also .gz or .zst; else give --input-format",
      file: path)
  }

  /// Opens the tables of a SQLite file; false for a file of another kind.
  private mutating func openDatabase(_ path: String) throws(LoadFailure) -> Bool {
    let file = try mapped(path, atMost: 16)
    guard SQLiteConnection.isDatabase(file.bytes) else {
      guard DataFileName.isDatabase(path) else { return false }
      throw LoadFailure(code: LoadProblem.unreadable.code, "this is no SQLite file", file: path)
    }
    do throws(SQLiteConnection.Failure) {
      let connection = try SQLiteConnection(path: path, bounds.watch)
      let schema = try SQLiteSchema(connection, path: path, isGiven: catalog != nil, &tableNames)
      let files = try SQLiteRecords(connection, schema, for: catalog, path: path).files()
      if files.isEmpty {
        throw SQLiteConnection.Failure(
          message: catalog == nil ? "there is no table in it" : "it has no table named for a type of the schema")
      }
      opened.files += files
      return true
    } catch {
      try bounds.watch.check(path)
      throw LoadFailure(code: error.problem.code, error.message, file: path)
    }
  }

  private mutating func openDirectory(_ path: String, _ naming: Naming) throws(LoadFailure) {
    let entries = MappedFile.directoryEntries(path) ?? []
    let prefix = path.hasSuffix("/") ? path : path + "/"
    let before = opened.files.count
    var count = 0
    for entry in entries {
      let name = DataFileName(entry)
      guard let stem = name.stem, name.format != nil, !name.isText, !entry.hasPrefix("."),
        !MappedFile.isFolder(prefix + entry, followsLinks: true)
      else { continue }
      if let typeNames, !typeNames.contains(stem) {
        guard name.format?.isCSV != true, !sources.isEmpty,
          holdsTypes(try content(prefix + entry, shownAs: prefix + entry), name)
        else {
          try refuseMisspelling(stem, entry, in: entries, file: prefix + entry)
          continue
        }
      }
      count += 1
      guard count <= PathPattern.mostFiles else {
        throw LoadFailure(
          code: LoadProblem.unsupported.code, "this directory has more than \(PathPattern.mostFiles) files of data",
          help: "put them together", file: path)
      }
      let file = try content(prefix + entry, shownAs: prefix + entry)
      // Without a schema, a file that is named for no type may hold anything.
      if typeNames == nil, !(stem.first?.isUppercase ?? false), !Self.holdsTables(file, name) {
        opened.notes.append("\(prefix)\(entry): passed over, because it holds no list of objects")
        continue
      }
      try add(file, name, naming)
    }
    if opened.files.count == before {
      throw LoadFailure(
        code: LoadProblem.noData.code,
        catalog == nil ? "this directory has no file of data" : "this directory has no file named for a type",
        help: "data lies in files such as User.ndjson, User.json or User.csv", file: path)
    }
  }

  /// Returns whether all that a file of JSON holds is called as the schema says of its types by `@source`. Names of
  /// types alone do not suffice: answers to queries have them, too.
  private func holdsTypes(_ file: MappedFile, _ name: DataFileName) -> Bool {
    let shape = JSONShape(file.bytes, isLines: name.format.map { $0 == .ndjson })
    guard shape.fault == nil, !shape.tables.isEmpty else { return false }
    return shape.tables.allSatisfy { table in
      var said = table.isNamedByKey ? table.key?.text : nil
      if said == nil, table.style != .plain {
        var records = JSONRecords(table, file.bytes)
        guard (try? records.next()) == true else { return false }
        said = records.name?.text
      }
      return said.map { sources.contains($0) || sources.contains("\(LoadFile.name(of: file.name))/\($0)") } ?? false
    }
  }

  private static func holdsTables(_ file: MappedFile, _ name: DataFileName) -> Bool {
    guard name.format == .json else { return true }
    let shape = JSONShape(file.bytes, isLines: nil)
    return shape.fault == nil && shape.tables.contains { $0.form != .one && $0.holdsObjects(file.bytes) }
  }

  /// Leaving out a file whose name is nearly that of a type without a file would lose its entities silently.
  private func refuseMisspelling(
    _ stem: String, _ entry: String, in entries: [String], file: String
  ) throws(LoadFailure) {
    let ending = entry.dropFirst(stem.count)
    let missing = (typeNames ?? []).filter { !entries.contains($0 + ending) }.sorted()
    guard stem.first?.isUppercase ?? false, let near = nearestNames(to: stem, in: missing).first else { return }
    throw LoadFailure(
      code: LoadProblem.unknownType.code, "the schema has no entity type '\(stem)'", help: "did you mean '\(near)'?",
      file: file)
  }

  // MARK: - Files

  private func mapped(_ path: String, shownAs name: String? = nil, atMost most: Int = .max - 1) throws(LoadFailure)
    -> MappedFile
  {
    bounds.opening?(path)
    do throws(MappedFile.Failure) {
      guard MappedFile.stream(named: path) != nil, bounds.root == nil else {
        return try MappedFile(path: path, shownAs: name, atMost: most, within: bounds.root)
      }
      // A stream need not end.
      let file = try MappedFile(path: path, shownAs: name, atMost: min(most, bounds.expandedBytes), bounds.watch)
      guard file.bytes.count <= bounds.expandedBytes else {
        throw MappedFile.Failure(
          message: "has more than \(bounds.expandedBytes) bytes, the limit 'expanded bytes' of a load")
      }
      return file
    } catch {
      try bounds.watch.check(name ?? path)
      throw LoadFailure(code: LoadProblem.unreadable.code, error.message, file: name ?? path)
    }
  }

  /// Returns the content of a file in UTF-8, expanded if it is compressed.
  private func content(_ path: String, shownAs name: String) throws(LoadFailure) -> MappedFile {
    try bounds.watch.check(name)
    bounds.watch.tellOpening(name)
    var file = try mapped(path, shownAs: name)
    if let compression = Compression(ofName: path) ?? Compression(of: file.bytes) {
      do {
        file = try compression.expand(file, limit: bounds.expandedBytes, bounds.watch).file(named: name)
      } catch {
        try bounds.watch.check(name)
        throw LoadFailure(code: LoadProblem.unreadable.code, error.message, file: name)
      }
    }
    return try TextEncoding.utf8(file, bounds.watch)
  }

  /// Adds the tables of a file.
  private mutating func add(_ file: MappedFile, _ name: DataFileName, _ naming: Naming) throws(LoadFailure) {
    let own = typeName(name, naming)
    let whole = naming.name == nil ? LoadFile.name(of: file.name) : nil
    switch name.format {
    case .csv(let separator):
      let dialect = CSVDialect(file.bytes, separator: separator, usual: name.separator)
      opened.files.append(LoadFile(file: file, layout: .csv(dialect), typeName: own, wholeName: whole))
      if dialect.separator != separator ?? name.separator {
        opened.notes.append("\(file.name): fields are separated by \(Self.word(for: dialect.separator))")
      }
    case .json, .ndjson, nil:
      let type = own.flatMap { types?.type(ofWhole: whole, named: $0) }.flatMap { catalog?[$0] }
      let shape = JSONShape(
        file.bytes, isLines: name.format.map { $0 == .ndjson },
        isField: type.map { type in { name in type.properties.contains { ($0.source ?? $0.name) == name } } },
        isType: own == nil ? types.map { types in { types.type(named: $0) != nil } } : nil,
        isTable: { key in (whole ?? own).map { sources.contains("\($0)/\(key)") } ?? false })
      // An object without members is one of tables, of which it has none, where no name makes it a record.
      if own == nil, shape.isEmptyObject { return }
      try add(shape, file, own, whole)
    }
  }

  private mutating func add(
    _ shape: JSONShape, _ file: MappedFile, _ own: String?, _ whole: String?
  ) throws(LoadFailure) {
    let named = shape.tables.filter(\.isNamedByKey)
    if whole == nil, own != nil, named.count > 1 {
      let keys = named.compactMap(\.key?.text).prefix(5).map { "'\($0)'" }.joined(separator: ", ")
      throw LoadFailure(
        code: LoadProblem.unsupported.code, "a name is for one table, and this file has \(named.count): \(keys)",
        help: "leave the name out", file: file.name)
    }
    for (index, table) in shape.tables.enumerated() {
      var opened = LoadFile(file: file, layout: .json(table), typeName: own, wholeName: whole)
      if let key = table.key?.text, table.isNamedByKey, own == nil || whole != nil {
        opened.typeName = key
        opened.wholeName = whole.map { "\($0)/\(key)" }
      }
      if let base = whole ?? own, let own, !table.keys.isEmpty {
        let place = LoadFile.Place(path: "\(base)/\(table.pathKey)", stem: own, keys: table.keys)
        if sources.contains(place.path) { opened.wholeName = place.path }
        opened.place = place
      }
      if index + 1 == shape.tables.count { opened.fault = shape.fault }
      self.opened.files.append(opened)
    }
    note(shape, file)
    warn(shape, file)
  }

  /// Warns of the members of a text beside its tables.
  private mutating func warn(_ shape: JSONShape, _ file: MappedFile) {
    guard let first = shape.leftOut.first else { return }
    let names = shape.leftOut.prefix(5).map { "'\($0.text)'" }.joined(separator: ", ")
    let rest = shape.leftOut.count > 5 ? ", …" : ""
    let failure = RecordFailure(
      .leftOut, "\(names)\(rest) \(shape.leftOut.count == 1 ? "is" : "are") left out: \(Self.place(of: shape))",
      at: first.range.lowerBound, to: first.range.upperBound)
    opened.warnings.append(Loader.diagnostic(failure, in: file, severity: .warning))
  }

  /// Returns where the records of a text lie, as it is said to people.
  private static func place(of shape: JSONShape) -> String {
    let keys = shape.tables.compactMap(\.key?.text).prefix(5).map { "'\($0)'" }
    if keys.isEmpty { return "the records are \(shape.tables.first?.form.words ?? "none")" }
    return "the records are the list\(keys.count > 1 ? "s" : "") at \(keys.joined(separator: ", "))"
  }

  /// Tells where the records of a file lie, where that is not said by its ending.
  private mutating func note(_ shape: JSONShape, _ file: MappedFile) {
    switch (shape.tables.first?.form, shape.tables.contains { $0.key != nil }) {
    case (nil, _), (.list, false), (.lines, false): break
    default: opened.notes.append("\(file.name): \(Self.place(of: shape))")
    }
  }

  /// Returns the name of the table of a file: the one that was given, else that of the file.
  private func typeName(_ name: DataFileName, _ naming: Naming) -> String? {
    if let given = naming.name { return given }
    guard let stem = name.stem, let types else { return name.stem }
    // The records of other files may say what they are.
    return types.type(named: stem) != nil || name.format?.isCSV ?? false ? stem : nil
  }

  private static func word(for separator: UInt8) -> String {
    separator == 0x09 ? "tabs" : "'\(String(UnicodeScalar(separator)))'"
  }
}
