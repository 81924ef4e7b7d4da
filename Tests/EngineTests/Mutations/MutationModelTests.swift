import Foundation
import Testing

@testable import GQLEngine

/// Random mutations over random schemas against a model of dictionaries: answers, errors and the whole state.
@Suite struct MutationModelTests {
  /// `GQLITE_SEED` runs one other seed, `GQLITE_CASES` other numbers of schemas.
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["GQLITE_SEED"].flatMap { UInt64($0) } ?? 1
    let count = environment["GQLITE_CASES"].flatMap { UInt64($0) } ?? 40
    return environment["GQLITE_SEED"] == nil ? Array(1...max(1, count)) : [first]
  }()

  @Test(arguments: seeds) func mutationsDoWhatTheModelSays(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let schema = ModelSchema(&random)
    var run = try MutationModelRun(schema: schema, seed: seed, random: random)
    for number in 1...25 {
      guard try run.step(number) else { return }
    }
  }

  /// The same where the state is looked at only now and then, so that statements are committed behind each other into
  /// one version, and what fails half way is taken out of it again.
  @Test(arguments: seeds) func mutationsThatNobodyLooksAtDoWhatTheModelSays(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed &+ 100_000)
    var schema = ModelSchema(&random)
    // Where the program decides about unique values, no statement is one that is committed so.
    if seed % 8 != 0 { schema.decidesNothing() }
    var run = try MutationModelRun(schema: schema, seed: seed, random: random, looks: 10)
    run.statements.areNarrow = true
    for number in 1...120 {
      guard try run.step(number) else { return }
    }
  }
}

private struct Rollback: Error {}

/// A database beside its model.
struct MutationModelRun {
  let schema: ModelSchema
  let seed: UInt64
  let database: Database
  let whole: PreparedQuery
  var statements: RandomStatements
  var state: ModelState
  /// In how many of a hundred steps the whole state is compared.
  let looks: Int
  private let dump: ModelDump
  private let printer: ModelPrinter
  /// What an operation said, for messages.
  private var texts: [String] = []

  init(schema: ModelSchema, seed: UInt64, random: SeededRandom, looks: Int = 100) throws {
    self.schema = schema
    self.looks = looks
    self.seed = seed
    do {
      database = try Database(schema: schema.sdl)
    } catch {
      Issue.record("seed \(seed): \(error)\n\(schema.sdl)")
      throw error
    }
    try database.register(function: "bump") { (value: Int64, step: Int64) in value + step }
    for type in schema.types {
      for key in type.keys where key.isDecided {
        let names = key.fields.map { type.fields[$0].name }.joined(separator: ",")
        try database.onConflict("\(type.name).\(names)") { existing, _ in
          let id = existing["row"]?.string.flatMap { row in
            existing["number"]?.int.flatMap { ModelType.id(row: row, number: Int($0)) }
          }
          switch ModelKey.decision(id ?? Int(existing["id"]?.int ?? 0)) {
          case .fail: return .fail
          case .keep: return .keep
          case .replace: return .replace
          case .patch: return .patch
          }
        }
      }
    }
    dump = ModelDump(schema: schema)
    printer = ModelPrinter(schema: schema)
    whole = try database.prepare(dump.query)
    statements = RandomStatements(schema: schema, random: random)
    state = ModelState(schema)
  }

  /// False where the model and the database part.
  mutating func step(_ number: Int) throws -> Bool {
    state.now = number
    texts = []
    let database = database
    let isCompared = looks == 100 || statements.random.chance(looks)
    let before = isCompared ? database.current : nil
    let digest = before?.memoryDigest
    let options = RunOptions(now: Int64(number) * 1_000_000)
    // An operation by itself, several in a transaction, or several that are taken back.
    let kind = statements.random.below(statements.areNarrow ? 40 : 10)
    var after = state
    var isRefused = false
    if !(7..<10).contains(kind) {
      guard let done = try run(&after, { try database.prepare($0).run($1, options: options) }) else { return false }
      isRefused = !done
    } else {
      var same = true
      do {
        try database.transaction { transaction in
          for _ in 0..<(1 + statements.random.below(3)) {
            let done = try run(&after) { try transaction.run($0, $1, options: options) }
            guard let done else { return same = false }
            // A failure fails the transaction, even where nobody throws.
            if !done {
              isRefused = true
              return
            }
          }
          if kind == 9 {
            isRefused = true
            throw Rollback()
          }
        }
        if isRefused { return fail("a transaction with a failed operation was committed") }
      } catch {
        if !isRefused { return fail("the transaction threw \(error)") }
      }
      guard same else { return false }
    }
    if !isRefused { state = after }
    guard let before else { return true }
    if isRefused, database.current !== before || before.memoryDigest != digest {
      return fail("a failure left a trace")
    }
    return try compare()
  }

  /// Runs a random operation on both; nil where they part, else whether it was done.
  private mutating func run(
    _ after: inout ModelState, _ body: (String, [String: Value]) throws -> Answer
  ) throws -> Bool? {
    let operation = statements.operation(after)
    let (text, variables) = printer.document(operation)
    texts.append("\(text)\n\(variables)")
    var applied: [(statement: ModelStatement, outcome: ModelState.Outcome, after: ModelState)] = []
    var refusal: ModelRefusal?
    let start = after
    do {
      for statement in operation { applied.append((statement, try after.apply(statement), after)) }
    } catch {
      refusal = error as? ModelRefusal
      after = start
    }
    guard case .object(let members) = try Value(json: Array(variables.utf8)) else { return nil }
    do {
      let answer = try body(text, Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) }))
      if let refusal {
        _ = fail("it should be refused with \(refusal.codes.sorted())")
        return nil
      }
      let expected = dump.answer(applied)
      guard answer.jsonString == expected else {
        _ = fail("the answer is\n\(difference(answer.jsonString, expected))")
        return nil
      }
      return true
    } catch let error as QueryError {
      let codes = Set(error.problems.map(\.code))
      // Nulls that a document says are found before anything runs, even where it would find no entity.
      let checked: Set<String> = ["null-for-non-null", "missing-value"]
      if refusal.map({ !codes.isDisjoint(with: $0.codes) }) ?? false
        || codes.isSubset(of: checked) && refusesNull(operation)
      {
        after = start
        return false
      }
      _ = fail("it is refused with \(error)\n\(refusal.map { "not \($0.codes.sorted())" } ?? "but is right")")
      return nil
    }
  }

  /// Whether some row or change says null for what must have a value.
  private func refusesNull(_ operation: [ModelStatement]) -> Bool {
    operation.contains { statement in
      let fields = schema.types[statement.type].fields
      func isNull(_ rows: [ModelRow]) -> Bool {
        rows.contains { row in
          row.fields.contains { fields[$0.place].isRequired && $0.value == nil }
            || row.links.contains { $0.targets == nil && schema.relations[$0.relation].isRequired }
            || fields.indices.contains { place in
              fields[place].isRequired && fields[place].standard == nil && !row.fields.contains { $0.place == place }
            }
        }
      }
      switch statement.change {
      case .insert(let rows), .upsert(let rows, _, _, _, _): return isNull(rows)
      case .update(_, _, let set, let links):
        return links.contains { $0.targets == nil && schema.relations[$0.relation].isRequired }
          || set.contains { if case .value(nil) = $0.value { fields[$0.place].isRequired } else { false } }
      default: return false
      }
    }
  }

  // MARK: - Comparing

  private mutating func compare() throws -> Bool {
    let found = try whole.run().jsonString
    let expected = dump.answer(state)
    guard found == expected else { return fail("the data is\n\(difference(found, expected))") }
    let inconsistent = database.check()
    guard inconsistent.isEmpty else { return fail("\(inconsistent) in\n\(found)") }
    return try compareIndexes()
  }

  /// Whatever index finds them, the entities are the same.
  private mutating func compareIndexes() throws -> Bool {
    var fields: [String] = []
    var expected: [String] = []
    for (number, type) in schema.types.enumerated() {
      for (place, field) in type.fields.enumerated() where field.index != nil && statements.random.chance(30) {
        let known = state.living(number).compactMap { $0.fields[place] }.randomElement(using: &statements.random)
        let value = known ?? field.kind.value(&statements.random)
        let ids = state.living(number).filter { $0.fields[place]?.key == value.key }.map { "{\(type.json(id: $0.id))}" }
        for access in ["SCAN", field.index == .hash ? "HASH" : nil, field.index == .btree ? "BTREE" : nil, ""] {
          guard let access else { continue }
          let using = access.isEmpty ? "" : " @using(access: \(access))"
          let key = "q\(fields.count)"
          fields.append(
            "\(key): \(type.name)(where: \(field.name) == \(value.literal))\(using) { \(type.idSelection) }")
          expected.append("\"\(key)\":[\(ids.joined(separator: ","))]")
        }
      }
    }
    guard !fields.isEmpty else { return true }
    let query = "{ \(fields.joined(separator: " ")) }"
    let found = try database.query(query).jsonString
    guard found == "{\(expected.joined(separator: ","))}" else {
      return fail("\(query)\nfinds\n\(found)\nbut should find\n\(expected.joined(separator: ","))")
    }
    return true
  }

  /// Where two texts part.
  private func difference(_ found: String, _ expected: String) -> String {
    let common = zip(found, expected).prefix { $0 == $1 }.count
    return "\(found)\nbut should be, from character \(common) on,\n"
      + "…\(String(found.dropFirst(max(0, common - 60)).prefix(200)))\n…"
      + "\(String(expected.dropFirst(max(0, common - 60)).prefix(200)))"
  }

  private func fail(_ message: String) -> Bool {
    Issue.record("seed \(seed), operation \(state.now)\n\(schema.sdl)\n\(texts.joined(separator: "\n"))\n\(message)")
    return false
  }
}
