import GQLBase
import GQLEngine
import GQLite

/// A golden document that inputs are made of, with the database it runs on.
struct FuzzSeed: Sendable {
  var path: String
  var bytes: [UInt8]
  var dialect: QueryDialect
  var variables: [UInt8]?
  /// The data of the case; nil where its schema or data is itself the fault.
  var database: Database?
  /// The schema that the header of the case names. A document that defines types extends it.
  var schema: (name: String, bytes: [UInt8])?
  /// Files to load into a database that the document itself describes; empty where they are large.
  var data: [String]
}

/// Every golden document under some folders, and the tokens and numbers that mutations put into them.
package struct FuzzCorpus: Sendable {
  let seeds: [FuzzSeed]

  /// The number of documents.
  package var count: Int { seeds.count }

  /// Reads the golden documents at `paths`. Cases whose data is not there are left out.
  ///
  /// - Throws: ``QueryError`` if a path cannot be read.
  package init(paths: [String]) throws(QueryError) {
    var seeds: [FuzzSeed] = []
    var databases = GoldenDatabases()
    for path in paths {
      for file in try GoldenRunner.cases(at: path) {
        let golden = try GoldenCase(path: file)
        guard golden.missingRequirement == nil else { continue }
        seeds.append(try Self.seed(golden, &databases))
      }
    }
    self.seeds = seeds
  }

  private static func seed(
    _ golden: GoldenCase, _ databases: inout GoldenDatabases
  ) throws(QueryError) -> FuzzSeed {
    let dialect = golden.value("dialect").flatMap { QueryDialect(rawValue: $0) } ?? .extended
    var seed = FuzzSeed(
      path: golden.path, bytes: golden.bytes, dialect: dialect, variables: golden.value("vars").map { Array($0.utf8) },
      data: [])
    if let schema = golden.value("schema").map({ golden.resolve($0) }),
      let bytes = try? FileBytes.read(schema, atMost: 1 << 20)
    {
      seed.schema = (schema, bytes)
    }
    guard let document = try? QueryDocument(name: "seed", bytes: golden.bytes, dialect: dialect) else {
      seed.database = Database()
      return seed
    }
    seed.database = try? databases.database(for: golden, document)
    if document.definesTypes {
      let data = golden.value("data").map { [golden.resolve($0)] } ?? document.dataPaths.map { golden.resolve($0) }
      seed.data = data.filter { ((try? FileBytes.read($0, atMost: 16 << 10)).map(\.count) ?? .max) < 16 << 10 }
    }
    return seed
  }
}
