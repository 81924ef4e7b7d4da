import GQLite

/// Documents with very many `let`s or conditions, with and without limits. They give what narrow documents give that
/// say the same, or the error of a limit.
struct WideDocuments {
  private let database: Database
  private let type: String
  /// The Int fields of the type.
  private let fields: [String]

  /// Errors that limits give.
  private static let limitCodes: Set<String> = [
    "memory", "timeout", "limit-exceeded", "field-limit", "expansion-limit", "too-many-tokens", "document-too-long",
  ]

  /// Nil if no type has an Int.
  init?(_ subject: Subject, _ random: inout SeededRandom) {
    func ints(_ shape: Shape) -> [String] {
      shape.fields.filter { $0.kind == .int && $0.computed == nil }.map(\.name)
    }
    let types = subject.model.entities.filter { !ints($0).isEmpty }
    guard !types.isEmpty else { return nil }
    let shape = random.pick(types)
    database = subject.database
    type = shape.name
    fields = ints(shape)
  }

  /// The first difference, if there is one.
  func difference(_ random: inout SeededRandom) -> String? {
    random.chance(40) ? lets(&random) : conditions(&random)
  }

  // MARK: - Documents

  /// Of many `let`s, which may stand on others, a few are selected.
  private func lets(_ random: inout SeededRandom) -> String? {
    let count = 1 << (4 + random.below(9))
    var values: [String] = []
    var written: [String] = []
    for number in 0..<count {
      // Chains are short, because what stands on others is put in their places.
      let base = number % 8 != 0 && random.chance(50) ? number - 1 : nil
      let (start, change) = (random.pick(fields), " + \(random.below(100))")
      values.append((base.map { values[$0] } ?? start) + change)
      written.append("let v\(number) := \(base.map { "v\($0)" } ?? start)\(change)")
    }
    let selected = (0..<3).map { _ in random.below(count) }
    func document(_ lets: [String], _ value: (Int) -> String) -> String {
      let selections = selected.enumerated().map { "x\($0.offset) := \(value($0.element))" }
      return "{ \(type) { \((lets + selections).joined(separator: " ")) } }"
    }
    return compare(document(written) { "v\($0)" }, rows(document([]) { values[$0] }, .standard), &random)
  }

  /// Many conditions keep the rows for which, looked at one by one, all of them hold, or one of them does.
  private func conditions(_ random: inout SeededRandom) -> String? {
    let isConjunction = random.chance(70)
    let count = 1 << (4 + random.below(random.chance(20) ? 9 : 7))
    let (outer, inner) = isConjunction ? (" and ", " or ") : (" or ", " and ")
    var parts: [String] = []
    for _ in 0..<count {
      let tests = (0..<(1 + random.below(3))).map { _ in
        "\(random.pick(fields)) \(random.pick(["==", "!=", "<", ">="])) \(random.below(40) - 20)"
      }
      parts.append("(\(tests.joined(separator: inner)))")
    }
    let shown = fields.map { "\($0) := \($0)" }.joined(separator: " ")
    let truths = parts.indices.map { "p\($0) := \(parts[$0])" }.joined(separator: " ")
    var expected = rows("{ \(type) { \(shown) \(truths) } }", .standard)
    if case .rows(let all) = expected {
      let kept = all.filter { row in
        parts.indices.allSatisfy { (row["p\($0)"]?.bool == true) == isConjunction } == isConjunction
      }
      expected = .rows(
        kept.map { row in .object(fields.map { Value.Member($0, row[$0] ?? .null) }) })
    }
    return compare("{ \(type)(where: \(parts.joined(separator: outer))) { \(shown) } }", expected, &random)
  }

  // MARK: - Running

  private enum Outcome: Equatable {
    case rows([Value])
    case failure(String)
  }

  private func rows(_ document: String, _ limits: QueryLimits) -> Outcome {
    do {
      return .rows(try database.query(document, options: RunOptions(limits: limits)).value[type]?.list ?? [])
    } catch {
      return .failure(error.problems.first { $0.severity == .error }?.code ?? "none")
    }
  }

  /// A document without limits, and under some.
  private func compare(_ document: String, _ expected: Outcome, _ random: inout SeededRandom) -> String? {
    func report(_ got: Outcome, _ limits: String) -> String {
      "\(document)\n\(limits)\nexpected \(expected)\ngot      \(got)"
    }
    let free = rows(document, .standard)
    if free != expected { return report(free, "without limits") }
    for _ in 0..<3 {
      var limits = random.chance(50) ? QueryLimits.serve : .standard
      limits.memory = 1 << (10 + random.below(18))
      if random.chance(40) { limits.time = .microseconds(1 << random.below(20)) }
      if random.chance(30) { limits.fields = 1 << random.below(12) }
      if random.chance(30) { limits.expansion = 1 << random.below(16) }
      if random.chance(30) { limits.tokens = 1 << random.below(16) }
      let got = rows(document, limits)
      if got == expected { continue }
      if case .failure(let code) = got, Self.limitCodes.contains(code) { continue }
      return report(got, "\(limits)")
    }
    return nil
  }
}
