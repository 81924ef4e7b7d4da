import GQLPlanner
import GQLite

/// Random changes of random databases: the answers of an earlier version are the bytes that it gave when it was new, under
/// every plan.
package struct PastCampaign: Sendable {
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
      let subject = try Subject(Model.random(&random, allowsLarge: false), recentVersions: 64 << 20)
      if let report = try run(subject, random, &result) { result.reports.append("seed \(seed): \(report)") }
    } catch {
      result.reports.append("seed \(seed): \(error)")
    }
    return result
  }

  private func run(_ subject: Subject, _ random: SeededRandom, _ result: inout Result) throws -> String? {
    var generator = QueryGenerator(subject.model, random)
    var notes: [Note] = []
    var versions: Set<Int64> = []
    for look in 0..<looks {
      if look > 0, let problem = subject.change(&generator.random) { return problem }
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
    // Ways lead from one to another in any order.
    notes.shuffle(using: &generator.random)
    for note in notes {
      if let difference = try difference(note, subject, &generator.random) {
        return """
          version \(note.version) of \(subject.database.version), \(difference)
          query    \(note.query.text)
          with     \(note.query.variables)
          schema
          \(subject.model.sdl)
          """
      }
      result.answers += 1
    }
    return try undone(subject, &generator, &result)
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

  private func difference(_ note: Note, _ subject: Subject, _ random: inout SeededRandom) throws -> String? {
    let prepared = try subject.database.prepare(note.query.text)
    if random.chance(10) {
      let problems = try subject.database.view(version: note.version).check()
      if !problems.isEmpty { return "the version is inconsistent: \(problems.prefix(3))" }
    }
    let values = note.query.variables
    for plan in [PlannerOptions(), random.pick(Subject.plans), random.pick(Subject.plans)] {
      let view = try subject.database.view(version: note.version)
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
