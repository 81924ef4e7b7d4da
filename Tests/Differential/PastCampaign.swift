import Foundation
import GQLEngine
import GQLPlanner
import GQLStorage
import GQLite

/// Random changes of random databases: the answers of an earlier version are the bytes that it gave when it was new, under
/// every plan. Some databases keep their recent versions, others the histories of their types, in memory or in a file.
package struct PastCampaign: Sendable {
  private enum Keeping: CaseIterable {
    case recent, records, file
  }
  /// Versions at which answers are noted.
  package var looks = 6
  /// Answers that are noted in each of them.
  package var queries = 10

  package init() {}

  package struct Result: Sendable {
    /// Answers of earlier versions that were compared.
    package var answers = 0
    package var versions = 0
    package var reports: [String] = []

    package init() {}

    package mutating func add(_ other: Result) {
      answers += other.answers
      versions += other.versions
      reports += other.reports
    }
  }

  /// An answer, and the version that gave it.
  private struct Note {
    var query: Node
    var version: Int64
    var answer: Outcome
  }

  /// One database; stops at its first difference.
  package func run(seed: UInt64) -> Result {
    var result = Result()
    var random = SeededRandom(seed: seed)
    do {
      let keeping = Keeping.allCases[Int(seed % UInt64(Keeping.allCases.count))]
      var model = Model.random(&random, allowsLarge: false)
      if keeping == .recent {
        let subject = try Subject(model, recentVersions: 64 << 20)
        let report = try run(subject, { $0 }, random, &result, undoes: true)
        if let report { result.reports.append("seed \(seed): \(report)") }
        return result
      }
      for index in model.shapes.indices where model.shapes[index].role == .entity {
        model.shapes[index].directives += " @history"
      }
      if let report = try run(keepingHistory: model, isInFile: keeping == .file, random, &result) {
        result.reports.append("seed \(seed): \(report)")
      }
    } catch {
      result.reports.append("seed \(seed): \(error)")
    }
    return result
  }

  /// A database whose types have a history, and that keeps no version otherwise.
  private func run(
    keepingHistory model: Model, isInFile: Bool, _ random: SeededRandom, _ result: inout Result
  ) throws -> String? {
    // Changes are kept as long as one is taken back.
    let recent = 64 << 20
    if !isInFile {
      return try run(
        Subject(model, recentVersions: recent),
        { database in
          database.recentVersions = 0
          return database
        }, random, &result, undoes: false)
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("past-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("a.gqlite").path
    var random = random
    var options = StorageOptions(durability: random.pick([.full, .normal, .memory]), recentVersions: 0)
    options.folding.logBytes = random.pick([0, 500, 1 << 20])
    options.folding.keptBytes = random.pick([0, 2000, 1 << 20])
    options.folding.largeCommit = random.pick([100, 1 << 20])
    options.folding.sliceRows = random.pick([1, 100])
    options.folding.delay = 0
    let database = try Database(path: path, schema: model.sdl, storage: options)
    let fixed = options
    return try run(
      Subject(model, in: database, recentVersions: recent),
      { database in
        if random.chance(30) { try database.compact() }
        try database.close()
        let problems = try Database.verify(path: path)
        if !problems.isEmpty { throw QueryError(code: "storage-corrupt", problems.joined(separator: ", ")) }
        return try Database(path: path, storage: fixed)
      }, random, &result, undoes: false)
  }

  /// - Parameter reopen: Makes the database that answers, of the one that was changed.
  private func run(
    _ subject: Subject, _ reopen: (Database) throws -> Database, _ random: SeededRandom, _ result: inout Result,
    undoes: Bool
  ) throws -> String? {
    var generator = QueryGenerator(subject.model, random)
    var notes: [Note] = []
    var versions: Set<Int64> = []
    for look in 0..<looks + (undoes ? 0 : 1) {
      if look == looks {
        // What has come with the last change goes again, and stays in the past.
        let report = try subject.database.undo(subject.database.version)
        if !report.conflicts.isEmpty { return "undoing the last change: \(report.conflicts)" }
      } else if look > 0, let problem = subject.change(&generator.random) {
        return problem
      }
      generator.model = subject.model
      versions.insert(subject.database.version)
      for _ in 0..<queries {
        let query = generator.query()
        guard let prepared = try? subject.database.prepare(query.text) else { continue }
        let answer = Subject.outcome { () throws(QueryError) in try prepared.run(query.variables, options: Self.now) }
        notes.append(Note(query: query, version: subject.database.version, answer: answer))
      }
    }
    result.versions += versions.count
    if !undoes, generator.random.chance(70) {
      // The model still has what was undone: who would be linked to that does not come.
      for change in subject.model.passing(&generator.random) {
        do throws(QueryError) {
          try subject.database.run(change.text, change.variables)
        } catch {
          guard error.problems.first?.code == "unknown-id" else { throw error }
          break
        }
      }
    }
    // Ways lead from one to another in any order.
    notes.shuffle(using: &generator.random)
    let database = try reopen(subject.database)
    for note in notes {
      if let difference = try difference(note, database, &generator.random) {
        return """
          version \(note.version) of \(database.version), \(difference)
          query    \(note.query.text)
          with     \(note.query.variables)
          schema
          \(subject.model.sdl)
          """
      }
      result.answers += 1
    }
    return try undoes ? undone(subject, &generator, &result) : erased(database, &generator, &result)
  }

  /// Forgets the past of a type: each version stays consistent, and gives one answer under all plans.
  private func erased(_ database: Database, _ generator: inout QueryGenerator, _ result: inout Result) throws -> String?
  {
    let types = generator.model.shapes.filter { $0.role == .entity }.map(\.name)
    if types.isEmpty { return nil }
    let type = generator.random.pick(types)
    try database.run("mutation { erase\(type)(where: true, all: true) }")
    for _ in 0..<3 {
      let version = Int64(generator.random.below(Int(database.version) + 1))
      let view = try database.view(version: version)
      let problems = view.check()
      let words = "version \(version) of \(database.version), after the past of \(type) was erased"
      if !problems.isEmpty { return "\(words): \(problems.prefix(3))\n\(generator.model.sdl)" }
      for _ in 0..<3 {
        let query = generator.query()
        guard let prepared = try? database.prepare(query.text) else { continue }
        let answers = [PlannerOptions(), generator.random.pick(Subject.plans)].map { plan in
          Subject.outcome { () throws(QueryError) in
            try prepared.run(query.variables, on: view, planner: plan, now: Self.now.now)
          }
        }
        if case .failure = answers[0] { continue }
        if answers[0] != answers[1] {
          return """
            \(words)
            expected \(answers[0].text)
            got      \(answers[1].text)
            query    \(query.text)
            with     \(query.variables)
            \(generator.model.sdl)
            """
        }
        result.answers += 1
      }
    }
    return nil
  }

  /// Takes changes back: the answers are those of before, but for times. Of some that others have written over, the rest.
  private func undone(_ subject: Subject, _ generator: inout QueryGenerator, _ result: inout Result) throws -> String? {
    var queries: [(Node, Outcome)] = []
    for _ in 0..<self.queries {
      let query = generator.query()
      if query.text.contains("_updatedAt") { continue }
      guard let prepared = try? subject.database.prepare(query.text) else { continue }
      queries.append(
        (query, Subject.outcome { () throws(QueryError) in try prepared.run(query.variables, options: Self.now) }))
    }
    let before = subject.database.version
    if let problem = subject.change(&generator.random) { return problem }
    let last = subject.database.version
    for version in stride(from: last, to: before, by: -1) {
      let report = try subject.database.undo(version)
      if !report.conflicts.isEmpty { return "undoing \(version) of \(last): \(report.conflicts)" }
    }
    for (query, expected) in queries {
      let prepared = try subject.database.prepare(query.text)
      let answer = Subject.outcome { () throws(QueryError) in
        try prepared.run(query.variables, options: Self.now)
      }
      if answer != expected {
        return "undone \(before)...\(last)\nexpected \(expected.text)\ngot      \(answer.text)\nquery    \(query.text)"
      }
      result.answers += 1
    }
    for _ in 0..<4 {
      let version = Int64(1 + generator.random.below(Int(last)))
      do {
        try subject.database.undo(version, only: .untouched)
      } catch {
        // It was taken back before.
        if error.problems.first?.code != "undo-conflict" { return "undoing \(version): \(error)" }
      }
      let problems = subject.database.check()
      if !problems.isEmpty { return "undone \(version): \(problems.prefix(3))\n\(subject.model.sdl)" }
    }
    return nil
  }

  private static let now = RunOptions(now: 1_700_000_000_000_000)

  private func difference(_ note: Note, _ database: Database, _ random: inout SeededRandom) throws -> String? {
    let prepared = try database.prepare(note.query.text)
    if random.chance(10) {
      let problems = try database.view(version: note.version).check()
      if !problems.isEmpty { return "the version is inconsistent: \(problems.prefix(3))" }
    }
    let values = note.query.variables
    for plan in [PlannerOptions(), random.pick(Subject.plans), random.pick(Subject.plans)] {
      let view = try database.view(version: note.version)
      let answer = Subject.outcome { () throws(QueryError) in
        try prepared.run(values, on: view, planner: plan, now: Self.now.now)
      }
      if answer == note.answer { continue }
      if case .failure(let code, _) = answer, case .failure(code, _) = note.answer { continue }
      return "under \(plan)\nexpected \(note.answer.text)\ngot      \(answer.text)"
    }
    return nil
  }
}
