import GQLite

/// Many random databases with many random queries each.
package struct Campaign: Sendable {
  package var queries = 50
  /// How many of the plans a query is run under; every tenth runs under all.
  package var plans = 3

  /// Documents of very many `let`s or conditions for each database.
  package var wideDocuments = 2

  /// Whether some databases have more rows than a batch and a page hold.
  package var allowsLarge = true

  package init() {}

  package struct Result: Sendable {
    package var queries = 0
    package var runs = 0
    /// Queries that only plans were compared for.
    package var beyondModel = 0
    package var failures = 0
    /// Queries that SQLite answered too.
    package var toldBySQLite = 0
    package var reports: [String] = []

    package init() {}

    package mutating func add(_ other: Result) {
      queries += other.queries
      runs += other.runs
      beyondModel += other.beyondModel
      failures += other.failures
      toldBySQLite += other.toldBySQLite
      reports += other.reports
    }
  }

  /// One database; stops at its first difference.
  package func run(seed: UInt64) -> Result {
    var result = Result()
    var random = SeededRandom(seed: seed)
    let model = Model.random(&random, allowsLarge: allowsLarge)
    let subject: Subject
    do {
      subject = try Subject(model)
    } catch {
      result.reports.append("seed \(seed): the data does not load: \(error)\n\(model.sdl)")
      return result
    }
    let problems = subject.database.check()
    if !problems.isEmpty { result.reports.append("seed \(seed): the store is inconsistent: \(problems)\n\(model.sdl)") }
    if let report = compareAll(seed, subject, &random, &result) { result.reports.append(report) }
    result.toldBySQLite = subject.toldBySQLite
    if let wide = WideDocuments(subject, &random) {
      for _ in 0..<wideDocuments where result.reports.isEmpty {
        result.queries += 1
        if let difference = wide.difference(&random) {
          result.reports.append("seed \(seed), wide: \(difference)\nschema\n\(subject.model.sdl)")
        }
      }
    }
    return result
  }

  /// The first difference, if there is one.
  private func compareAll(
    _ seed: UInt64, _ subject: Subject, _ random: inout SeededRandom, _ result: inout Result
  ) -> String? {
    var generator = QueryGenerator(subject.model, random)
    var hasChanged = false
    var number = 0
    var waiting: [(list: PagedList, cursors: [CursorPlace])] = []
    let turn = queries / 2
    while number < queries {
      // From the middle on, the data are others; cursors of before go on there.
      if number >= turn, !hasChanged {
        hasChanged = true
        for _ in 0..<4 {
          guard let list = generator.anyPagedList() else { continue }
          waiting.append((list, subject.cursors(of: list, &generator.random)))
        }
        if let problem = subject.change(&generator.random) {
          return "seed \(seed), change: \(problem)\n\(subject.model.sdl)\(subject.model.ndjson)"
        }
        generator.model = subject.model
      }
      var group = [number % 4 == 3 ? generator.plainQuery() : generator.query()]
      if number % 10 == 9, let list = generator.anyPagedList() {
        let cursors = subject.cursors(of: list, &generator.random)
        group = [list.query([])] + subject.pages(of: list, cursors, &generator.random)
      } else if let paged = waiting.popLast() {
        group = subject.pages(of: paged.list, paged.cursors, &generator.random)
      }
      for query in group {
        if let difference = compare(query, number, subject, &generator.random, &result) {
          return report(seed, number, subject, query, difference)
        }
        number += 1
      }
    }
    return nil
  }

  private func compare(
    _ query: Node, _ number: Int, _ subject: Subject, _ random: inout SeededRandom, _ result: inout Result
  ) -> Difference? {
    var plans = Subject.plans
    var accesses = Subject.accesses
    if number % 10 != 0 {
      plans = (0..<self.plans).map { _ in random.pick(Subject.plans) }
      accesses = [random.pick(Subject.accesses)]
    }
    result.queries += 1
    result.runs += 1 + plans.count
    let expected = subject.reference(query)
    switch expected {
    case .beyondModel: result.beyondModel += 1
    case .failure: result.failures += 1
    case .malformed: return Difference(side: .reference, expected: "a query", got: Outcome.malformed.text)
    case .answer: break
    }
    return subject.difference(query, expected, plans: plans, accesses: accesses)
  }

  private func report(_ seed: UInt64, _ number: Int, _ subject: Subject, _ query: Node, _ found: Difference) -> String {
    let (small, difference) = subject.shrunk(query, found)
    return """
      seed \(seed), query \(number), \(difference.side)
      query    \(small.text)
      from     \(query.text)
      with     \(small.variables)
      expected \(difference.expected)
      got      \(difference.got)
      schema
      \(subject.model.sdl)data
      \(subject.model.ndjson)
      """
  }
}
