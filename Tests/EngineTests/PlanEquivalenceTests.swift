import Foundation
import GQLPlanner
import GQLite
import Testing

/// Every query of the corpus and of the examples gives the same bytes under every plan.
@Suite struct PlanEquivalenceTests {
  private static let options: [PlannerOptions] =
    [.scanOnly, .alternative(1), .alternative(2), .alternative(3), .alternative(4)].map { PlannerOptions(forcing: $0) }
    + (1...6).map { PlannerOptions(forcing: .perturbed(seed: UInt64($0))) }
    + RewriteRule.allCases.map { PlannerOptions(disabledRules: [$0]) }
    + [PlannerOptions(disabledRules: Set(RewriteRule.allCases), forcing: .scanOnly)]

  private static let areas: [String] = {
    let corpus = Folders.repository.appending(path: "Tests/Corpus").path
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: corpus)) ?? []
    return entries.filter { $0 != "data" && !$0.hasPrefix(".") }.sorted().map { "Tests/Corpus/" + $0 } + ["Examples"]
  }()

  @Test("all plans", arguments: areas) func area(_ area: String) throws {
    var databases: [String: Database] = [:]
    for path in try GoldenRunner.cases(at: Folders.repository.appending(path: area).path) {
      let golden = try GoldenCase(path: path)
      // A query that forces an access path itself leaves no choice.
      if golden.missingRequirement != nil || String(decoding: golden.bytes, as: UTF8.self).contains("@using") {
        continue
      }
      let dialect = golden.value("dialect").flatMap { QueryDialect(rawValue: $0) } ?? .extended
      guard let document = try? QueryDocument(name: path, bytes: golden.bytes, dialect: dialect) else { continue }
      let data = golden.value("data").map { [golden.resolve($0)] } ?? document.dataPaths.map { golden.resolve($0) }
      let schema = golden.value("schema").map { golden.resolve($0) } ?? data.first.map { $0 + "/schema.graphql" }
      let key = document.definesTypes ? path : ([schema ?? ""] + data).joined(separator: "\n")
      guard let database = databases[key] ?? (try? Self.open(schema, data, document)) else { continue }
      databases[key] = database
      guard let queries = try? database.prepareAll(document) else { continue }
      let given = try golden.value("vars").map { try Value(json: Array($0.utf8)) }
      for query in queries {
        if let operation = golden.value("operation"), query.name != operation { continue }
        var values: [String: Value] = [:]
        for variable in query.variables { values[variable.name] = given?[variable.name] }
        let expected = Self.outcome { try query.run(values) }
        for option in Self.options {
          let actual = Self.outcome { try query.run(values, planner: option) }
          // A plan that is forced may find another of several errors first; an error it is all the same.
          #expect(
            expected == actual || (expected.hasPrefix("error") && actual.hasPrefix("error")), "\(path) under \(option)")
        }
      }
    }
  }

  private static func outcome(_ body: () throws -> Answer) -> String {
    do { return try body().jsonString } catch { return "error \(error)" }
  }

  private static func open(_ schema: String?, _ data: [String], _ document: QueryDocument) throws -> Database {
    var texts: [(name: String, bytes: [UInt8])] = []
    if let schema, FileManager.default.fileExists(atPath: schema) { texts.append((schema, try FileBytes.read(schema))) }
    if document.definesTypes { texts.append((document.sourceName, document.schemaBytes)) }
    let database = texts.isEmpty ? Database() : try Database(schemaTexts: texts)
    if !data.isEmpty { try database.load(data.map { .path($0) }, options: LoadOptions(skipsBadRecords: true)) }
    return database
  }
}
