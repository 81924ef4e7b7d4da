import GQLPlanner
import GQLRewriter
import GQLite

/// What running a query came to.
package enum Outcome: Equatable, Sendable {
  case answer(String)
  case failure(code: String, message: String)
  /// The reference evaluator's arithmetic does not reach so far.
  case beyondModel
  /// Shrinking made no query.
  case malformed

  package var text: String {
    switch self {
    case .answer(let text): text
    case .failure(let code, let message): "error[\(code)]: \(message)"
    case .beyondModel: "beyond the model"
    case .malformed: "malformed"
    }
  }
}

/// Two answers to one query that should be one.
package struct Difference: Sendable {
  package enum Side: Equatable, Sendable {
    case reference
    /// The document was refused, with this code.
    case refused(String)
    case plan(String)
    case using(String)
    /// This text of the same shape.
    case shared(String)
    case sqlite
    case load
  }
  package var side: Side
  package var expected: String
  package var got: String
}

/// A model in an engine.
package final class Subject {
  package private(set) var model: Model
  package let database: Database
  private(set) var evaluator: ReferenceEvaluator
  private(set) var oracle: SQLiteOracle?
  /// Queries that SQLite answered too.
  private(set) var toldBySQLite = 0

  /// - Parameter database: An empty database with the model's schema, or nil for one in memory.
  package init(_ model: Model, in database: Database? = nil, recentVersions: Int = 0) throws {
    self.model = model
    evaluator = ReferenceEvaluator(model: model)
    oracle = SQLiteOracle(model)
    self.database = try database ?? Database(schema: model.sdl)
    self.database.recentVersions = recentVersions
    try self.database.load([.ndjson(bytes: Array(model.ndjson.utf8), name: "data.ndjson")])
  }

  /// Changes the data; what the engine says to it if it refuses.
  func change(_ random: inout SeededRandom) -> String? {
    var changed = model
    let changes = changed.changes(&random)
    for change in changes {
      do {
        _ = try database.query(change.text, change.variables)
      } catch {
        return "\(change.text) with \(change.variables): \(error)"
      }
    }
    model = changed
    evaluator = ReferenceEvaluator(model: changed)
    oracle = SQLiteOracle(changed)
    let problems = database.check()
    return problems.isEmpty ? nil : "after \(changes.map(\.text)): \(problems)"
  }

  package static let plans: [PlannerOptions] =
    [PlannerOptions(forcing: .scanOnly), PlannerOptions(rowsBeforeRetreat: 1)]
    + (1...4).map { PlannerOptions(forcing: .alternative($0)) }
    + (1...5).map { PlannerOptions(forcing: .perturbed(seed: UInt64($0))) }
    + RewriteRule.allCases.map { PlannerOptions(disabledRules: [$0]) }
    + [
      PlannerOptions(disabledRules: Set(RewriteRule.allCases)),
      PlannerOptions(disabledRules: Set(RewriteRule.allCases), forcing: .scanOnly),
    ]

  private static let runtimeCodes = [
    "overflow", "division-by-zero", "conversion", "out-of-domain", "missing-parameter",
  ]

  static let accesses = ["SCAN", "ID", "HASH", "BTREE", "FULLTEXT", "TRIGRAM", "ELEMENTS"]

  func reference(_ query: Node) -> Outcome {
    evaluator.latitude.mayFail = false
    do {
      return .answer(try evaluator.answer(query))
    } catch ReferenceFailure.runtime(let code) {
      return .failure(code: code, message: "")
    } catch ReferenceFailure.beyondModel {
      return .beyondModel
    } catch {
      return .malformed
    }
  }

  /// The first difference between what is expected, the engine's own plan, and others.
  func difference(
    _ query: Node, _ expected: Outcome, plans: [PlannerOptions], accesses: [String]
  ) -> Difference? {
    guard expected != .malformed else { return nil }
    let mayFail = evaluator.latitude.mayFail
    let prepared: PreparedQuery
    do {
      prepared = try database.prepare(query.text)
    } catch {
      let problem = error.problems.first { $0.severity == .error } ?? error.problems.first
      return Difference(
        side: .refused(problem?.code ?? ""), expected: expected.text, got: problem?.message ?? "refused")
    }
    let values = query.variables
    let answer = Self.outcome { () throws(QueryError) in try prepared.run(values) }
    if let difference = Self.difference(expected, answer, mayFail: mayFail) { return difference }
    if let told = oracle?.answer(query) {
      toldBySQLite += 1
      if .answer(told) != answer { return Difference(side: .sqlite, expected: told, got: answer.text) }
    }
    for plan in plans {
      let other = Self.outcome { () throws(QueryError) in try prepared.run(values, planner: plan) }
      if other != answer { return Difference(side: .plan("\(plan)"), expected: answer.text, got: other.text) }
    }
    for access in accesses {
      guard let forced = query.using(access) else { break }
      let other: Outcome
      do {
        let prepared = try database.prepare(forced.text)
        other = Self.outcome { () throws(QueryError) in try prepared.run(values) }
      } catch { continue }
      if case .failure("access-not-possible", _) = other { continue }
      if case .failure(let code, _) = other, case .failure(code, _) = answer { continue }
      if other != answer { return Difference(side: .using(access), expected: answer.text, got: other.text) }
    }
    return sharedDifference(query.text, values)
  }

  /// The first text of the query's shape, with other literals, whose answer or error is another one where the text may
  /// share an operation than where it is prepared alone.
  private func sharedDifference(_ text: String, _ values: [String: Value]) -> Difference? {
    for variant in LiteralVariants(text) {
      func outcome(_ prepare: () throws(QueryError) -> PreparedQuery?) -> String {
        do {
          return try prepare()?.run(values).jsonString ?? "none"
        } catch {
          return error.description
        }
      }
      let alone = outcome { () throws(QueryError) in try database.prepareAll(variant).first }
      let shared = outcome { () throws(QueryError) in try database.prepare(variant) }
      if alone != shared { return Difference(side: .shared(variant), expected: alone, got: shared) }
    }
    return nil
  }

  static func outcome(_ run: () throws(QueryError) -> Answer) -> Outcome {
    do {
      return .answer(try run().jsonString)
    } catch {
      let problem = error.problems.first
      return .failure(code: problem?.code ?? "", message: problem?.message ?? "")
    }
  }

  /// Of several errors any may be the one that is told.
  private static func difference(_ expected: Outcome, _ answer: Outcome, mayFail: Bool) -> Difference? {
    switch (expected, answer) {
    case (.beyondModel, _): return nil
    case (.answer(let expected), .answer(let got)) where expected == withoutCursors(got): return nil
    case (.failure, .failure(let code, _)) where runtimeCodes.contains(code): return nil
    case (.answer, .failure(let code, _)) where mayFail && runtimeCodes.contains(code): return nil
    default: return Difference(side: .reference, expected: expected.text, got: answer.text)
    }
  }

  /// Cursors are the engine's own; the reference evaluator writes empty texts.
  static func withoutCursors(_ answer: String) -> String {
    guard answer.contains("\"_cursor\":\"") else { return answer }
    return answer.replacing(/"_cursor":"[^"]*"/, with: "\"_cursor\":\"\"")
  }
}

extension Node {
  /// The values of the variables.
  package var variables: [String: Value] {
    var values: [String: Value] = [:]
    forEach { node in
      switch node.form {
      case .variable(let name, _, let datum): values[name] = datum.value
      case .cursor(let name, let place): values[name] = .string(place.text)
      case .conditional(let name, _, let flag): values[name] = .bool(flag)
      case .filterVariable(let name, _): values[name] = node.children.first?.objectForm?.value ?? .null
      case .orderObject(let name?, _): values[name] = node.orderObject.map { .list([$0.value]) } ?? .null
      case .nothing(.given(let name, _)): values[name] = .null
      default: break
      }
    }
    return values
  }

  /// The query with an access path asked for on its first list; nil if it has none.
  func using(_ access: String) -> Node? {
    var query = self
    for (place, root) in children.enumerated() {
      guard case .field(let name, _) = root.form, name.first?.isUppercase ?? false else { continue }
      var forced = root
      forced.children.removeAll { if case .using = $0.form { true } else { false } }
      let index = forced.children.firstIndex { if case .selections = $0.form { true } else { false } }
      forced.children.insert(Node(.using(access)), at: index ?? forced.children.count)
      query.children[place] = forced
      return query
    }
    return nil
  }
}

extension Datum {
  var value: Value {
    switch self {
    case .null, .entity: return .null
    case .object(let members): return .object(members.map { Value.Member($0.name, $0.value.value) })
    case .bool(let flag): return .bool(flag)
    case .int(let number): return .int(Int64(number))
    case .float(let number): return .double(number)
    case .decimal(let number): return .number(number.text)
    case .text(let text), .symbol(_, let text), .id(let text, _): return .string(text)
    case .date(let number): return .string(CivilCalendar.dateText(number))
    case .time(let seconds): return .string(CivilCalendar.timeText(seconds))
    case .duration(let seconds): return .string(CivilCalendar.durationText(seconds))
    case .list(let elements): return .list(elements.map(\.value))
    }
  }
}
