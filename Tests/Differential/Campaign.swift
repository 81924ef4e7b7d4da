import GQLite

/// Many random databases with many random queries each.
package struct Campaign: Sendable {
  package var queries = 50
  /// How many of the plans a query is run under; every tenth runs under all.
  package var plans = 3

  /// Whether some databases have more rows than a batch and a page hold.
  package var allowsLarge = true

  package init() {}

  package struct Result: Sendable {
    package var queries = 0
    package var runs = 0
    /// Queries that only plans were compared for.
    package var beyondModel = 0
    package var failures = 0
    package var reports: [String] = []

    package init() {}

    package mutating func add(_ other: Result) {
      queries += other.queries
      runs += other.runs
      beyondModel += other.beyondModel
      failures += other.failures
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
    var generator = QueryGenerator(model, random)
    for number in 0..<queries {
      let query = generator.query()
      var plans = Subject.plans
      var accesses = Subject.accesses
      if number % 10 != 0 {
        plans = (0..<self.plans).map { _ in generator.random.pick(Subject.plans) }
        accesses = [generator.random.pick(Subject.accesses)]
      }
      result.queries += 1
      result.runs += 1 + plans.count
      let expected = subject.reference(query)
      if expected == .beyondModel { result.beyondModel += 1 }
      if case .failure = expected { result.failures += 1 }
      if expected == .malformed { result.reports.append("seed \(seed), query \(number): malformed: \(query.text)") }
      if let difference = subject.difference(query, plans: plans, accesses: accesses) {
        result.reports.append(report(seed, number, subject, query, difference))
        return result
      }
    }
    return result
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
