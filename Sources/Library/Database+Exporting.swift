import GQLBase
import GQLCatalog
import GQLEngine
import GQLLoader
import GQLStore

/// A report of what an export wrote, and of what files of data cannot say.
package struct ExportReport {
  /// How many entities of each type were written, in the schema's order.
  package let written: [(type: String, count: Int)]
  /// Counts the deleted entities that are kept.
  package let deleted: Int
  /// Counts the links that wait for an entity.
  package let waiting: Int
}

extension Database {
  /// Writes the schema and all entities into a folder of files that a load reads: `schema.graphql`, and a file of lines
  /// of JSON for each type. Equal databases have equal files.
  ///
  /// The folder appears when all of it is written. It may be there if it is empty.
  ///
  /// - Parameter replaces: Whether it may hold an export, which is replaced then.
  /// - Throws: ``QueryError`` with the system's reason; also where the folder holds anything else.
  @discardableResult
  package func export(
    to path: String, replacing replaces: Bool = false
  ) throws(QueryError) -> ExportReport {
    let snapshot = currentSnapshot
    let types = snapshot.catalog.types.filter { $0.kind == .entity }
    let folder = try FolderReplacement(path) { replaces ? Self.firstForeign(in: $0) : FileBytes.names(in: $0).first }
    let schema = try folder.file(Self.schemaName)
    try schema.write(Array(Database(snapshot).schema.utf8))
    try schema.commit()
    var writer = EntityExport(snapshot)
    let names = SourceTypes(snapshot.catalog)
    var taken: Set<String> = []
    for type in types {
      let file = try folder.file(Self.fileName(of: type, names, &taken))
      try writer.write(type) { (bytes) throws(QueryError) in try file.write(bytes) }
      try file.commit()
    }
    try folder.commit()
    return ExportReport(
      written: types.map { ($0.name, snapshot.liveCount($0.id)) },
      deleted: types.reduce(0) { $0 + snapshot.deletedCount($1.id) }, waiting: snapshot.danglingCount)
  }

  private static let schemaName = "schema.graphql"
  private static let dataEnding = ".ndjson"

  /// Returns the first name in a folder that is not of an export; nil where an export is all that it holds. Every export
  /// has a schema: without one, no file is of an export.
  private static func firstForeign(in folder: String) -> String? {
    let names = FileBytes.names(in: folder)
    guard names.contains(schemaName) else { return names.first }
    return names.first { name in
      guard MappedFile.isPlainFile("\(folder)/\(name)") else { return true }
      return name != schemaName && !(name.hasSuffix(dataEnding) && isStem(String(name.dropLast(dataEnding.count))))
    }
  }

  /// Returns whether a text may be the name of a file of an export, without its ending.
  private static func isStem(_ text: String) -> Bool { GraphQLName.isValid(text) && text.utf8.count <= 200 }

  /// The name of a type's file, by which a load finds the type.
  private static func fileName(
    of type: EntityType, _ types: SourceTypes, _ taken: inout Set<String>
  ) throws(QueryError) -> String {
    // Names of a schema may hold any character.
    for name in [type.name, type.source] {
      guard let name, isStem(name), types.type(named: name) == type.id,
        taken.insert(name).inserted
      else { continue }
      return name + dataEnding
    }
    throw QueryError(
      code: LoadProblem.unsupported.code, "there is no name of a file by which a load finds the type '\(type.name)'",
      help: "give the type a '@source(name:)' of letters")
  }
}
