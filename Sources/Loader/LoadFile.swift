import GQLBase
import GQLCatalog

/// A table of records in an opened source. A file may hold several.
package struct LoadFile {
  /// A form of files.
  package enum Format: Sendable, Equatable {
    case ndjson, json
    /// With the separator of the fields where it is said.
    case csv(separator: UInt8? = nil)

    var isCSV: Bool { if case .csv = self { true } else { false } }
  }

  /// A place of records in a file, and how they are written there.
  enum Layout {
    case json(JSONShape.Table)
    case csv(CSVDialect)
    case rows(SQLiteTableSource)
  }

  package var file: MappedFile
  var layout: Layout
  /// Holds the type that the table is named for. Where it is a table of SQLite and there is a schema, it is known
  /// beforehand.
  var type: EntityTypeID?
  /// Holds the name of the table: that of the file or key it comes from, or the one that was given. Nil where only the
  /// records say what they are.
  var typeName: String?
  /// Without a schema: the type that a table of SQLite declares.
  var table: SchemaDraft.TypeDraft?
  /// Holds the name that tells the table from others called like it: that of its file with the ending, and its key. Nil
  /// where the name of the table was given.
  var wholeName: String?
  /// A place of a table in a file of JSON that may also be one record.
  struct Place {
    /// Holds the name of the file, or the one that was given, and the key.
    var path: String
    /// Holds the name of the type that the file is named for.
    var stem: String
    /// Holds the keys of which that type may have fields: with them, the file would be a record of it.
    var keys: Set<String>
  }
  var place: Place?
  /// Holds what is wrong behind the table.
  var fault: RecordFailure?

  init(file: MappedFile, layout: Layout, typeName: String?, wholeName: String? = nil) {
    self.file = file
    self.layout = layout
    self.typeName = typeName
    self.wholeName = wholeName
  }

  /// Returns how many bytes the files of tables have; the tables of one file stand together.
  static func byteCount(_ files: [LoadFile]) -> Int {
    files.indices.reduce(0) { $0 + (endsFile($1, files) ? files[$1].file.size : 0) }
  }

  /// Returns whether no further table of the same file follows.
  static func endsFile(_ index: Int, _ files: [LoadFile]) -> Bool {
    index + 1 == files.count || files[index].file !== files[index + 1].file
  }

  /// Returns whether the records say of which table they are.
  var recordsAreNamed: Bool {
    if case .json(let table) = layout { table.style != .plain } else { false }
  }

  /// Returns whether the table is called as its key, rather than as its file.
  var isNamedByKey: Bool {
    if case .json(let table) = layout { table.isNamedByKey } else { false }
  }

  /// Returns the name that tells records which say their type from others that are called like it.
  func wholeName(ofRecords name: String) -> String { "\(LoadFile.name(of: file.name))/\(name)" }

  /// Finds each table's type in the schema.
  package static func resolve(_ files: [LoadFile], in catalog: Catalog) throws(LoadFailure) -> [LoadFile] {
    let types = SourceTypes(catalog)
    var resolved: [LoadFile] = []
    for var file in files {
      if file.type == nil, let name = file.typeName {
        if let type = types.type(ofWhole: file.wholeName, named: name) {
          file.type = type
        } else if !file.recordsAreNamed {
          throw unknownType(name, file, catalog)
        }
      }
      resolved.append(file)
    }
    return resolved
  }

  private static func unknownType(_ name: String, _ file: LoadFile, _ catalog: Catalog) -> LoadFailure {
    let help = nearestNames(to: name, in: catalog.types.map(\.name)).first.map { "did you mean '\($0)'?" }
    let message = "the schema has no entity type '\(name)'"
    guard case .json(let table) = file.layout, table.isNamedByKey, let key = table.key else {
      return LoadFailure(code: LoadProblem.unknownType.code, message, help: help, file: file.file.name)
    }
    let failure = RecordFailure(.unknownType, message, at: key.range.lowerBound, to: key.range.upperBound, help: help)
    return LoadFailure([Loader.diagnostic(failure, in: file.file, severity: .error)])
  }
}
