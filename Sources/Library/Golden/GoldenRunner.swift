import GQLBase
import GQLEngine
import GQLLoader
import GQLPlanner

/// Runs golden files, as `gqlite test` does and as this package's own tests do.
package struct GoldenRunner {
  package private(set) var passed = 0
  package private(set) var failed = 0
  package private(set) var skipped = 0
  private let updates: Bool
  private let planner: PlannerOptions?
  private var databases = GoldenDatabases()

  /// - Parameters:
  ///   - updates: whether what came out is written over what was expected.
  ///   - planner: how plans are chosen, for tests that the answer is the same under every plan. Only answers are
  ///     compared then.
  /// Bytes of an expectation that are read.
  private static let longestExpectation = 1 << 30

  package init(updates: Bool, planner: PlannerOptions? = nil) {
    self.updates = updates
    self.planner = planner
  }

  /// The `.query` files at a path, sorted.
  ///
  /// - Throws: ``QueryError`` if there is nothing at the path.
  package static func cases(at path: String) throws(QueryError) -> [String] {
    guard let entries = MappedFile.directoryEntries(path) else {
      guard FileBytes.exists(path) else {
        throw QueryError(code: LoadProblem.unreadable.code, "there is no such file", file: path)
      }
      return path.hasSuffix(".query") ? [path] : []
    }
    var cases: [String] = []
    for entry in entries where !entry.hasPrefix(".") {
      let child = path.hasSuffix("/") ? path + entry : path + "/" + entry
      if entry.hasSuffix(".query") {
        cases.append(child)
      } else if MappedFile.directoryEntries(child) != nil {
        cases += try Self.cases(at: child)
      }
    }
    return cases
  }

  /// Expected files that no `.query` stands beside.
  package static func orphans(at path: String) throws(QueryError) -> [String] {
    guard let entries = MappedFile.directoryEntries(path) else { return [] }
    var orphans: [String] = []
    for entry in entries where !entry.hasPrefix(".") {
      let child = path.hasSuffix("/") ? path + entry : path + "/" + entry
      if MappedFile.directoryEntries(child) != nil {
        orphans += try Self.orphans(at: child)
      } else if [".bound", ".plan", ".diagnostics"].contains(where: entry.hasSuffix),
        let dot = child.lastIndex(of: "."),
        !FileBytes.exists(child[..<dot] + ".query")
      {
        orphans.append(child)
      }
    }
    return orphans
  }

  /// Runs the cases at a path; `report` is told of each failure and each skipped case, a diff included.
  package mutating func run(_ path: String, report: (String) -> Void) throws(QueryError) {
    for file in try Self.cases(at: path) {
      let golden: GoldenCase
      do throws(QueryError) {
        golden = try GoldenCase(path: file)
      } catch {
        failed += 1
        report("FAILED \(file)\n\(error.description)")
        continue
      }
      if let missing = golden.missingRequirement {
        skipped += 1
        report("skipped \(file): \(missing) is not there\n")
        continue
      }
      // A query without expectations is an example, not a test; with --update it becomes one.
      var stages = planner == nil ? golden.stages : golden.stages.filter { $0 == .json }
      if stages.isEmpty {
        guard updates else { continue }
        stages = [.json]
      }
      for stage in stages {
        let actual = outcome(golden, stage)
        check(golden, stage, actual, report)
      }
    }
    for orphan in try Self.orphans(at: path) {
      failed += 1
      report("FAILED \(orphan): no .query stands beside it\n")
    }
  }

  private mutating func check(
    _ golden: GoldenCase, _ stage: GoldenCase.Stage, _ outcome: Outcome, _ report: (String) -> Void
  ) {
    let file = golden.file(stage)
    let bytes = (try? FileBytes.read(file, atMost: Self.longestExpectation)) ?? []
    let read = String(decoding: bytes, as: UTF8.self)
    let expected = stage == .json ? Self.laidOut(read) : read
    // Problems are text, whatever was expected; they are never written as an answer.
    let isAnswer = stage == .json && !outcome.isProblem
    let actual = isAnswer ? Self.laidOut(outcome.text) : outcome.text
    if expected == actual, isAnswer || stage != .json {
      passed += 1
    } else if updates, isAnswer || stage != .json, (try? FileBytes.write(Array(outcome.text.utf8), to: file)) != nil {
      passed += 1
      report("updated \(file)\n")
    } else {
      failed += 1
      report("FAILED \(file)\n\(UnifiedDiff.text(expected, actual))")
    }
  }

  /// Returns answers with one layout: white space between tokens does not matter.
  private static func laidOut(_ text: String) -> String {
    let pretty = String(decoding: PrettyJSON.format(Array(text.utf8)), as: UTF8.self)
    return pretty.isEmpty || pretty.hasSuffix("\n") ? pretty : pretty + "\n"
  }

  /// The result of a stage.
  private struct Outcome {
    /// Answers, a plan, or the text of problems.
    var text: String
    /// Whether an error kept the stage from its result.
    var isProblem = false
  }

  private mutating func outcome(_ golden: GoldenCase, _ stage: GoldenCase.Stage) -> Outcome {
    do throws(QueryError) {
      let dialect = golden.value("dialect").flatMap { QueryDialect(rawValue: $0) } ?? .extended
      let name = golden.path.split(separator: "/").last.map(String.init) ?? golden.path
      let document = try QueryDocument(name: name, bytes: golden.bytes, dialect: dialect)
      let database = try databases.database(for: golden, document)
      let variables = try golden.value("vars").map { text throws(QueryError) in
        try Value(json: Array(text.utf8), name: "vars")
      }
      let options = RunOptions(now: golden.value("now").flatMap { DateTimeText.microseconds($0) })
      var text = ""
      if stage == .diagnostics {
        if document.definesTypes { text = database.schemaWarningText }
        if let warnings = try database.check(document) { text += warnings.description }
      }
      for query in try database.prepareAll(document) {
        if let operation = golden.value("operation"), query.name != operation { continue }
        var values: [String: Value] = [:]
        for variable in query.variables {
          if let value = variables?[variable.name] { values[variable.name] = value }
        }
        switch stage {
        case .json:
          let answer =
            if let planner {
              try query.run(values, planner: planner, now: options.now)
            } else {
              try query.run(values, options: options)
            }
          text += String(decoding: answer.prettyUTF8, as: UTF8.self) + "\n"
        case .bound: text += try query.explainBound(values)
        case .plan: text += try query.explain(values, figures: golden.figures(database.catalog))
        case .diagnostics: _ = try query.run(values, options: options)
        }
      }
      return Outcome(text: text)
    } catch {
      // Files are named as the header names them, wherever the test runs.
      return Outcome(text: error.description.replacing(golden.folder, with: ""), isProblem: true)
    }
  }
}
