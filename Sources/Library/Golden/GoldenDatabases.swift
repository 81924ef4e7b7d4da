import GQLBase
import GQLEngine

/// A cache of the databases that golden cases run on. Cases with one schema and the same data share one.
package struct GoldenDatabases {
  private var opened: [String: Result<Database, QueryError>] = [:]

  package init() {}

  /// Returns the database of a case: its schema, with its data loaded. Mutating documents get one of their own.
  ///
  /// - Throws: ``QueryError`` if the schema or the data has a fault.
  package mutating func database(for golden: GoldenCase, _ document: QueryDocument) throws(QueryError) -> Database {
    let data =
      golden.value("data").map { [golden.resolve($0)] } ?? document.dataPaths.map { golden.resolve($0) }
    var schema = golden.value("schema").map { golden.resolve($0) }
    if schema == nil { schema = data.lazy.map { $0 + "/schema.graphql" }.first { FileBytes.exists($0) } }
    let isOwn = document.definesTypes
    let skips = golden.value("skip-bad") == "true"
    let now = golden.value("now").flatMap { DateTimeText.microseconds($0) }
    let key = ([schema ?? "", "\(skips)", golden.value("now") ?? ""] + data + [isOwn ? golden.path : ""]).joined(
      separator: "\n")
    // What changes data gets data of its own.
    if let known = opened[key], !document.hasMutations { return try known.get() }
    let result: Result<Database, QueryError>
    do {
      var texts: [(name: String, bytes: [UInt8])] = []
      if let schema {
        texts.append((Self.name(schema), try FileBytes.read(schema, atMost: QueryLimits.standard.documentBytes)))
      }
      if isOwn { texts.append((document.sourceName, document.schemaBytes)) }
      let database = texts.isEmpty ? Database() : try Database(schemaTexts: texts)
      if !data.isEmpty {
        try database.load(data.map { .path($0) }, options: LoadOptions(skipsBadRecords: skips, now: now))
      }
      if document.looksBack { database.recentVersions = 64 << 20 }
      result = .success(database)
    } catch {
      result = .failure(error)
    }
    if !document.hasMutations { opened[key] = result }
    return try result.get()
  }

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
