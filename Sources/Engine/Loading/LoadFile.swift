import GQLBase
import GQLCatalog

/// One source of records, opened.
struct LoadFile {
  enum Format { case ndjson, json, csv }
  var file: MappedFile
  var format: Format
  /// The type that the file is named for.
  var type: EntityTypeID?
  /// The type's name, for inference without a schema.
  var typeName: String?

  /// Opens sources. Directories give their files in the order of their names.
  static func open(_ sources: [DataSource], typeNames: Set<String>?) throws(QueryError) -> [LoadFile] {
    var files: [LoadFile] = []
    for source in sources {
      switch source {
      case .ndjson(let type, let bytes, let name):
        files.append(LoadFile(file: MappedFile(name: name, bytes: bytes), format: .ndjson, typeName: type))
      case .json(let type, let bytes, let name):
        files.append(LoadFile(file: MappedFile(name: name, bytes: bytes), format: .json, typeName: type))
      case .csv(let type, let bytes, let name):
        files.append(LoadFile(file: MappedFile(name: name, bytes: bytes), format: .csv, typeName: type))
      case .values(let type, let values):
        var buffer = ByteBuffer(capacity: 1024)
        buffer.append(json: JSONValue.array(values.map(\.json)))
        files.append(
          LoadFile(
            file: MappedFile(name: "values of \(type)", bytes: buffer.takeArray()), format: .json, typeName: type))
      case .path(let path):
        files += try open(path, typeNames: typeNames)
      }
    }
    return files
  }

  private static func open(_ path: String, typeNames: Set<String>?) throws(QueryError) -> [LoadFile] {
    guard let entries = MappedFile.directoryEntries(path) else { return [try openFile(path, typeNames: typeNames)] }
    var files: [LoadFile] = []
    let prefix = path.hasSuffix("/") ? path : path + "/"
    for entry in entries {
      guard let (stem, format) = split(entry) else {
        if let stem = compressedStem(entry), typeNames?.contains(stem) ?? true {
          throw QueryError(
            code: LoadProblem.unsupported.code, "compressed data is not supported yet", file: prefix + entry)
        }
        continue
      }
      // A directory may hold other things, such as a schema or questions; without a schema, types begin in upper case.
      guard typeNames?.contains(stem) ?? (stem.first?.isUppercase ?? false) else {
        try refuseMisspelling(stem, entry, in: entries, typeNames: typeNames ?? [], file: prefix + entry)
        continue
      }
      files.append(LoadFile(file: try mapped(prefix + entry), format: format, typeName: stem))
    }
    if files.isEmpty {
      throw QueryError(
        code: LoadProblem.noData.code, "this directory has no file named for a type",
        help: "data lies in files such as User.ndjson, User.json or User.csv", file: path)
    }
    return files
  }

  /// Leaving out a file whose name is nearly that of a type without a file would lose its entities silently.
  private static func refuseMisspelling(
    _ stem: String, _ entry: String, in entries: [String], typeNames: Set<String>, file: String
  ) throws(QueryError) {
    let ending = entry.dropFirst(stem.count)
    let missing = typeNames.filter { !entries.contains($0 + ending) }.sorted()
    guard stem.first?.isUppercase ?? false, let near = nearestNames(to: stem, in: missing).first else { return }
    throw QueryError(
      code: LoadProblem.unknownType.code, "the schema has no entity type '\(stem)'", help: "did you mean '\(near)'?",
      file: file)
  }

  private static func openFile(_ path: String, typeNames: Set<String>?) throws(QueryError) -> LoadFile {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if compressedStem(name) != nil {
      throw QueryError(code: LoadProblem.unsupported.code, "compressed data is not supported yet", file: path)
    }
    guard let (stem, format) = split(name) else {
      // What is not there has no wrong ending.
      _ = try mapped(path)
      throw QueryError(
        code: LoadProblem.unsupported.code, "this is no file of data",
        help: "data lies in files that end in .ndjson, .jsonl, .json or .csv", file: path)
    }
    var type: String?
    if let typeNames {
      if typeNames.contains(stem) || format == .csv { type = stem }
    } else if stem.first?.isUppercase ?? false || format == .csv {
      type = stem
    }
    return LoadFile(file: try mapped(path), format: format, typeName: type)
  }

  private static func mapped(_ path: String) throws(QueryError) -> MappedFile {
    do {
      return try MappedFile(path: path)
    } catch {
      throw QueryError(code: LoadProblem.unreadable.code, error.message, file: path)
    }
  }

  private static func split(_ name: String) -> (stem: String, format: Format)? {
    for (suffix, format) in [(".ndjson", Format.ndjson), (".jsonl", .ndjson), (".json", .json), (".csv", .csv)]
    where name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count {
      return (String(name.dropLast(suffix.count)), format)
    }
    return nil
  }

  private static func compressedStem(_ name: String) -> String? {
    for suffix in [".gz", ".zst"] where name.hasSuffix(suffix) {
      return split(String(name.dropLast(suffix.count)))?.stem
    }
    return nil
  }

  /// Finds each file's type in the schema.
  static func resolve(_ files: [LoadFile], in catalog: Catalog) throws(QueryError) -> [LoadFile] {
    var resolved: [LoadFile] = []
    for var file in files {
      if let name = file.typeName {
        guard let type = catalog.type(named: name) else {
          throw QueryError(
            code: LoadProblem.unknownType.code, "the schema has no entity type '\(name)'",
            help: nearestNames(to: name, in: catalog.types.map(\.name)).first.map { "did you mean '\($0)'?" },
            file: file.file.name)
        }
        file.type = type.id
      }
      resolved.append(file)
    }
    return resolved
  }
}
