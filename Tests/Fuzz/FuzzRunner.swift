import GQLBase
import GQLEngine
import GQLite

/// A runner of inputs through every stage, as a server of untrusted documents does it. It reports what must not be.
package struct FuzzRunner: Sendable {
  /// What became of an input, for counts.
  package enum Outcome: Sendable, Hashable {
    case refused, answered
    /// A fault of the engine.
    case wrong(String)
  }

  private let seeds: [FuzzSeed]
  /// Limits of untrusted documents, with less time.
  private let options: RunOptions

  package init(_ corpus: FuzzCorpus, timeout: Duration = .seconds(2)) {
    seeds = corpus.seeds
    var limits = QueryLimits.serve
    limits.time = timeout
    options = RunOptions(limits: limits, now: 1_700_000_000_000_000)
  }

  private static let limits = QueryLimits.serve

  package func run(_ input: FuzzInput) -> Outcome {
    do throws(QueryError) {
      let document = try QueryDocument(
        name: "input", bytes: input.bytes, dialect: input.dialect, limits: Self.limits, options: options)
      if input.choice % 4 == 0, let fault = formatting(input) { return .wrong(fault) }
      let database: Database?
      do throws(QueryError) {
        database = try self.database(for: input, document)
      } catch {
        // Schemas and data have the limits of the database.
        return fault(of: error, input, problems: QueryLimits.standard.problems).map { .wrong($0) } ?? .refused
      }
      guard let database else { return .refused }
      return try run(document, on: database, input)
    } catch {
      return fault(of: error, input, problems: Self.limits.problems).map { .wrong($0) } ?? .refused
    }
  }

  private func run(_ document: QueryDocument, on database: Database, _ input: FuzzInput) throws(QueryError) -> Outcome {
    if input.choice & 0x70 == 0 { _ = try database.check(document) }
    var given: Value?
    if let variables = input.variables { given = try Value(json: variables, name: "vars") }
    for query in try database.prepareAll(document, options: options) {
      var values: [String: Value] = [:]
      for variable in query.variables {
        if let value = given?[variable.name] { values[variable.name] = value }
      }
      if input.choice & 0x700 == 0 { _ = try query.explain(values, costs: input.choice & 0x800 == 0) }
      let answer = try query.run(values, options: options)
      do {
        _ = try JSONValue.parse(answer.utf8)
      } catch {
        return .wrong("the answer is not JSON: \(answer.jsonString.prefix(2000))")
      }
    }
    if document.hasMutations, input.choice & 0xF000 == 0 {
      let faults = database.check()
      if !faults.isEmpty { return .wrong("the store is inconsistent: \(faults.prefix(5))") }
    }
    return .answered
  }

  /// The database of the golden document; one of its own for a document that defines types or changes data.
  private func database(for input: FuzzInput, _ document: QueryDocument) throws(QueryError) -> Database? {
    let seed = seeds[input.seed]
    if document.definesTypes {
      var texts: [(name: String, bytes: [UInt8])] = []
      if let schema = seed.schema { texts.append(schema) }
      texts.append((document.sourceName, document.schemaBytes))
      let database = try Database(schemaTexts: texts)
      if !seed.data.isEmpty, input.choice & 0x10000 == 0 {
        try database.load(seed.data.map { .path($0) }, options: LoadOptions(skipsBadRecords: true))
      }
      return database
    }
    guard let database = seed.database else { return nil }
    return document.hasMutations ? Database(database.currentSnapshot) : database
  }

  /// What is wrong with the canonical form of a document that parses: it parses, and is its own canonical form.
  private func formatting(_ input: FuzzInput) -> String? {
    guard let once = try? QueryDocument.formatted(name: "input", bytes: input.bytes, dialect: input.dialect) else {
      return nil
    }
    guard let twice = try? QueryDocument.formatted(name: "formatted", bytes: once, dialect: input.dialect) else {
      return "the formatted document does not parse: \(String(decoding: once, as: UTF8.self))"
    }
    guard once != twice else { return nil }
    return
      "formatting twice differs: \(String(decoding: once, as: UTF8.self))\n--\n\(String(decoding: twice, as: UTF8.self))"
  }

  /// What is wrong with an error: each problem has a code and words, and a place that lies in the document.
  private func fault(of error: QueryError, _ input: FuzzInput, problems most: Int) -> String? {
    if error.problems.isEmpty { return "an error without a problem" }
    if error.problems.count > most + 2 { return "\(error.problems.count) problems are reported" }
    for problem in error.problems {
      if problem.code.isEmpty || problem.message.isEmpty { return "a problem without code or words: \(problem)" }
      if problem.code == "internal" || problem.code == "command-failed" { return "\(problem)" }
      if problem.file == "input", let range = problem.range,
        range.lowerBound < 0 || range.upperBound > input.bytes.count
      {
        return "a place beyond the document: \(problem)"
      }
    }
    return nil
  }
}
