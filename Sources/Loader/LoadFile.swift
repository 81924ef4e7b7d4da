import GQLBase
import GQLCatalog

/// One source of records, opened.
package struct LoadFile {
  /// How the records are written.
  package enum Format: Sendable { case ndjson, json, csv }
  package var file: MappedFile
  var format: Format
  /// The type that the file is named for.
  var type: EntityTypeID?
  /// The type's name, for inference without a schema.
  var typeName: String?
  /// Without a schema: the type that a table of SQLite declares.
  var table: SchemaDraft.TypeDraft?

  /// What bounds the opening of sources.
  package struct Bounds {
    /// The bytes that one compressed file may expand to.
    var expandedBytes: Int
    /// The folder that all files must lie in; nil if they may lie anywhere.
    var root: String?
    var interruption: Interruption?

    package init(expandedBytes: Int, root: String? = nil, interruption: Interruption? = nil) {
      self.expandedBytes = expandedBytes
      self.root = root
      self.interruption = interruption
    }

    /// - Throws: where the time is over, or the load was cancelled.
    func check(_ file: String) throws(LoadFailure) {
      guard let diagnostic = interruption?.diagnostic(at: SourceRange(at: 0)) else { return }
      throw LoadFailure([(SourceText(name: file, bytes: []), [diagnostic])])
    }
  }

  /// Opens sources. Directories give their files in the order of their names. Without a catalog, a SQLite file brings
  /// its own types.
  package static func open(
    _ sources: [LoadSource], for catalog: Catalog?, _ bounds: Bounds
  ) throws(LoadFailure) -> [LoadFile] {
    let typeNames = catalog.map {
      Set($0.types.filter { !$0.isElement }.map(\.name) + $0.types.compactMap(\.source))
    }
    var files: [LoadFile] = []
    var names = TableNames()
    for source in sources {
      if case .path(let path) = source, let tables = try openDatabase(path, for: catalog, &names, bounds) {
        files += tables
      } else {
        files += try open([source], typeNames: typeNames, bounds)
      }
    }
    return files
  }

  private static func openDatabase(
    _ path: String, for catalog: Catalog?, _ names: inout TableNames, _ bounds: Bounds
  ) throws(LoadFailure) -> [LoadFile]? {
    guard [".sqlite", ".sqlite3", ".db", ".db3"].contains(where: { path.hasSuffix($0) }),
      MappedFile.directoryEntries(path) == nil
    else { return nil }
    let file = try mapped(path, bounds, atMost: 16)
    guard SQLiteConnection.isDatabase(file.bytes) else {
      throw LoadFailure(code: LoadProblem.unreadable.code, "this is no SQLite file", file: path)
    }
    do throws(SQLiteConnection.Failure) {
      let connection = try SQLiteConnection(path: path, bounds.interruption)
      let schema = try SQLiteSchema(connection, path: path, &names)
      let files = try SQLiteRecords(connection, schema, for: catalog, path: path).files()
      if files.isEmpty {
        throw SQLiteConnection.Failure(
          message: catalog == nil ? "there is no table in it" : "it has no table named for a type of the schema")
      }
      return files
    } catch {
      try bounds.check(path)
      throw LoadFailure(code: LoadProblem.unreadable.code, error.message, file: path)
    }
  }

  private static func open(
    _ sources: [LoadSource], typeNames: Set<String>?, _ bounds: Bounds
  ) throws(LoadFailure) -> [LoadFile] {
    var files: [LoadFile] = []
    for source in sources {
      switch source {
      case .bytes(let bytes, let format, let type, let name):
        files.append(LoadFile(file: MappedFile(name: name, bytes: bytes), format: format, typeName: type))
      case .path(let path):
        files += try open(path, typeNames: typeNames, bounds)
      }
    }
    return files
  }

  private static func open(
    _ path: String, typeNames: Set<String>?, _ bounds: Bounds
  ) throws(LoadFailure) -> [LoadFile] {
    guard let entries = MappedFile.directoryEntries(path) else {
      return [try openFile(path, typeNames: typeNames, bounds)]
    }
    var files: [LoadFile] = []
    let prefix = path.hasSuffix("/") ? path : path + "/"
    for entry in entries {
      guard let (stem, format) = split(Compression.split(entry)?.stem ?? entry) else { continue }
      // A directory may hold other things, such as a schema or questions; without a schema, types begin in upper case.
      guard typeNames?.contains(stem) ?? (stem.first?.isUppercase ?? false) else {
        try refuseMisspelling(stem, entry, in: entries, typeNames: typeNames ?? [], file: prefix + entry)
        continue
      }
      files.append(LoadFile(file: try content(prefix + entry, bounds), format: format, typeName: stem))
    }
    if files.isEmpty {
      throw LoadFailure(
        code: LoadProblem.noData.code, "this directory has no file named for a type",
        help: "data lies in files such as User.ndjson, User.json or User.csv", file: path)
    }
    return files
  }

  /// Leaving out a file whose name is nearly that of a type without a file would lose its entities silently.
  private static func refuseMisspelling(
    _ stem: String, _ entry: String, in entries: [String], typeNames: Set<String>, file: String
  ) throws(LoadFailure) {
    let ending = entry.dropFirst(stem.count)
    let missing = typeNames.filter { !entries.contains($0 + ending) }.sorted()
    guard stem.first?.isUppercase ?? false, let near = nearestNames(to: stem, in: missing).first else { return }
    throw LoadFailure(
      code: LoadProblem.unknownType.code, "the schema has no entity type '\(stem)'", help: "did you mean '\(near)'?",
      file: file)
  }

  private static func openFile(
    _ path: String, typeNames: Set<String>?, _ bounds: Bounds
  ) throws(LoadFailure) -> LoadFile {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let (stem, format) = split(Compression.split(name)?.stem ?? name) else {
      // What is not there has no wrong ending.
      _ = try mapped(path, bounds, atMost: 0)
      throw LoadFailure(
        code: LoadProblem.unsupported.code, "this is no file of data",
        help: "data lies in files that end in .ndjson, .jsonl, .json or .csv (and .gz or .zst), or in .sqlite",
        file: path)
    }
    var type: String?
    if let typeNames {
      if typeNames.contains(stem) || format == .csv { type = stem }
    } else if stem.first?.isUppercase ?? false || format == .csv {
      type = stem
    }
    return LoadFile(file: try content(path, bounds), format: format, typeName: type)
  }

  private static func mapped(
    _ path: String, _ bounds: Bounds, atMost most: Int = .max - 1
  ) throws(LoadFailure) -> MappedFile {
    do {
      return try MappedFile(path: path, atMost: most, within: bounds.root)
    } catch {
      throw LoadFailure(code: LoadProblem.unreadable.code, error.message, file: path)
    }
  }

  private static func split(_ name: String) -> (stem: String, format: Format)? {
    for (suffix, format) in [(".ndjson", Format.ndjson), (".jsonl", .ndjson), (".json", .json), (".csv", .csv)]
    where name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count {
      return (String(name.dropLast(suffix.count)), format)
    }
    return nil
  }

  /// The content of a file, expanded if it is compressed.
  private static func content(_ path: String, _ bounds: Bounds) throws(LoadFailure) -> MappedFile {
    try bounds.check(path)
    let file = try mapped(path, bounds)
    guard let (_, compression) = Compression.split(path) else { return file }
    do {
      return try compression.expand(file.bytes, limit: bounds.expandedBytes, bounds.interruption).file(named: path)
    } catch {
      try bounds.check(path)
      throw LoadFailure(code: LoadProblem.unreadable.code, error.message, file: path)
    }
  }

  /// Finds each file's type in the schema.
  package static func resolve(_ files: [LoadFile], in catalog: Catalog) throws(LoadFailure) -> [LoadFile] {
    let types = SourceTypes(catalog)
    var resolved: [LoadFile] = []
    for var file in files {
      if let name = file.typeName {
        guard let type = types.type(ofFile: file.file.name, named: name) else {
          throw LoadFailure(
            code: LoadProblem.unknownType.code, "the schema has no entity type '\(name)'",
            help: nearestNames(to: name, in: catalog.types.map(\.name)).first.map { "did you mean '\($0)'?" },
            file: file.file.name)
        }
        file.type = type
      }
      resolved.append(file)
    }
    return resolved
  }
}
