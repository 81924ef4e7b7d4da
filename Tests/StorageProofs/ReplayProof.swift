import Foundation
import GQLDifferential
import GQLStorage
import GQLite

/// Random schemas and random changes, in a file and in memory: after each few changes a copy of the file, as a killed
/// process would leave it, is opened and answers as memory does, with its rows in the log, in tables, or in both.
package enum ReplayProof {
  /// Makes random changes and opens the file again, so many times; some of them with each schema.
  package static func run(replays: Int, seed: UInt64, jobs: Int) -> ProofReport {
    let parts = Proofs.parts(replays, of: 20)
    return .trying("replays", parts: parts.count, jobs: jobs) { part, report in
      let seed = seed &* 1_000_000 &+ UInt64(part)
      var replay = try Replay(seed)
      report.count("schemas")
      do {
        for step in 0..<parts[part] {
          if let problem = try replay.step() {
            return report.fail("seed \(seed), step \(step): \(problem)\n\(replay.model.sdl)")
          }
          report.count("replays")
        }
        if let problem = try replay.exportProblem() {
          report.fail("seed \(seed), export: \(problem)\n\(replay.model.sdl)")
        }
      } catch { report.fail("seed \(seed): \(error)\n\(replay.history.suffix(5))\n\(replay.model.sdl)") }
    }
  }
}

private struct Replay {
  let folder: Folder
  let path: String
  var model: Model
  var random: SeededRandom
  var database: Database?
  let twin: Database
  var options = StorageOptions(durability: .normal, allowsLoss: true)
  var now: Int64 = 1_700_000_000_000_000
  var isWider = false
  var history: [String] = []

  init(_ seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    folder = try Folder(syncs: false)
    path = folder.file("replayed.gqlite")
    model = Model.random(&random, allowsLarge: false)
    options.folding.logBytes = random.pick([0, 500, 3_000, 16 << 20])
    options.folding.sliceRows = random.pick([1, 2, 7, 100])
    options.folding.largeCommit = random.pick([200, 4 << 20, 4 << 20])
    if random.chance(20) { options.durability = .full }
    database = try Database(path: path, schema: model.sdl, storage: options)
    twin = try Database(schema: model.sdl)
  }

  private var all: String {
    let parts = model.entities.map { shape in
      var names = shape.fields.map { field in
        switch field.kind {
        case .embedded, .embeddedList: "\(field.name) { a b c }"
        default: field.name
        }
      }
      names += shape.relations.map { relation in
        "\(relation.name) { __typename \(model.shape(relation.target)?.role == .union ? "" : "id") }"
      }
      if isWider, shape.name == model.entities.first?.name { names.append("zz") }
      names += ["_status", "_createdAt", "_updatedAt"]
      return "\(shape.name)(orderBy: id, deleted: INCLUDE) { \(names.joined(separator: " ")) }"
    }
    return "{ " + parts.joined(separator: "\n") + " }"
  }

  mutating func step() throws -> String? {
    for _ in 0..<(1 + random.below(4)) {
      now += Int64(1 + random.below(3_000_000))
      if let problem = try change() { return problem }
    }
    if let problem = try database.flatMap({ try difference($0, "the same database") }) { return problem }
    switch random.below(6) {
    case 0...2: return try database.flatMap { try copied($0) }
    case 3 where random.chance(25):
      if let problem = try database.flatMap({ try renamed($0) }) { return problem }
      database = nil
      return try reopened("renamed")
    case 3:
      try database?.close()
      database = nil
      return try reopened("closed")
    case 4:
      database = nil
      return try reopened("dropped")
    default:
      try database?.reopen()
      return try database.flatMap { try difference($0, "reopened") }
    }
  }

  private mutating func reopened(_ how: String) throws -> String? {
    if random.chance(30) {
      options.folding.logBytes = random.pick([0, 500, 3_000, 16 << 20])
      options.folding.sliceRows = random.pick([1, 2, 7, 100])
    }
    let again = try Database(path: path, storage: options)
    database = again
    return try difference(again, how)
  }

  /// Opens a copy, as it is on the disk now.
  private func copied(_ database: Database, changingTo schema: String? = nil) throws -> String? {
    let copy = folder.file("copy.gqlite")
    try FileManager.default.copyDatabase(path, to: copy)
    let opened = try Database(path: copy, schema: schema, storage: options)
    if let problem = try difference(opened, "a copy") { return problem }
    try opened.close()
    return try difference(Database(path: copy), "a copy that was closed")
  }

  private func difference(_ database: Database, _ how: String) throws -> String? {
    let problems = database.check()
    if !problems.isEmpty { return "\(how), check: \(problems.prefix(3))\n\(history.suffix(6))" }
    let (found, wanted) = (try database.run(all).jsonString, try twin.run(all).jsonString)
    return found == wanted ? nil : "\(how): \(Proofs.firstDifference(found, wanted))\n\(history.suffix(6))"
  }

  /// What is wrong with the live entities as files that are loaded again.
  func exportProblem() throws -> String? {
    var texts: [[String: String]] = []
    var source = twin
    for name in ["first", "second"] {
      let path = folder.file(name)
      try source.export(to: path)
      var files: [String: String] = [:]
      for file in try FileManager.default.contentsOfDirectory(atPath: path) {
        files[file] = try String(contentsOfFile: path + "/" + file, encoding: .utf8)
      }
      texts.append(files)
      let next = try Database(schema: files["schema.graphql"] ?? "")
      try next.load(path: path)
      let problems = next.check()
      if !problems.isEmpty { return "\(problems.prefix(3))" }
      source = next
    }
    for (file, text) in texts[0] where texts[1][file] != text {
      return "\(file): \(Proofs.firstDifference(texts[1][file] ?? "", text))"
    }
    return nil
  }

  // MARK: - Changes

  /// Makes one change in both; what is refused is refused in both.
  private mutating func change() throws -> String? {
    guard let database else { return "no database" }
    let shape = random.pick(model.entities)
    let id = "\(1 + random.below(30))"
    if random.chance(8) { return try load(database) }
    if random.chance(3) { return try changeSchema(database) }
    var texts: [(String, [String: Value])] = []
    for _ in 0..<(random.chance(15) ? 3 : 1) {
      texts.append(try statement(random.chance(70) ? shape : random.pick(model.entities), id))
    }
    let (isTransaction, now) = (texts.count > 1, now)
    func run(_ database: Database) -> String {
      let options = RunOptions(now: now)
      do {
        guard isTransaction else { return try database.run(texts[0].0, texts[0].1, options: options).jsonString }
        return try database.transaction { transaction in
          var answers = ""
          for (text, variables) in texts {
            answers += try transaction.run(text, variables, options: options).jsonString
          }
          return answers
        }
      } catch let error as QueryError {
        return error.problems.map(\.code).joined(separator: " ")
      } catch { return "\(error)" }
    }
    history.append("\(texts)")
    let (found, wanted) = (run(database), run(twin))
    return found == wanted ? nil : "\(texts) answered \(found), and \(wanted) in memory"
  }

  private mutating func statement(_ shape: Shape, _ id: String) throws -> (String, [String: Value]) {
    let type = shape.name
    let key = "\"\(id)\""
    switch random.below(10) {
    case 0...2:
      var rows: [String] = []
      for _ in 0..<random.pick([1, 1, 3]) { rows.append(row(shape, 1 + random.below(30))) }
      return (
        "mutation($d: [\(type)Input!]!) { upsert\(type)(data: $d) { id } }",
        ["d": try Value(json: "[\(rows.joined(separator: ","))]")]
      )
    case 3...5:
      var kept = members(shape, 1 + random.below(30)).filter { $0.name != "id" && random.chance(35) }
      if kept.isEmpty { kept = [("key", "\"k\(id)\"")] }
      let object = kept.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",")
      return (
        "mutation($d: \(type)Input!) { update\(type)(where: id == \(key), set: $d) { id } }",
        ["d": try Value(json: "{\(object)}")]
      )
    case 6:
      let condition = random.chance(70) ? "id == \(key)" : "key > \"k\(random.below(300))\""
      return ("mutation { delete\(type)(where: \(condition)) { id } }", [:])
    case 7:
      let condition = random.chance(50) ? "id == \(key)" : "key != \"k1\""
      return ("mutation { restore\(type)(where: \(condition)) { id } }", [:])
    case 8: return ("mutation { delete\(type)(where: id == \(key), hard: true) { id } }", [:])
    default:
      guard let relation = shape.relations.filter(\.isMany).randomElement(using: &random) else {
        return ("mutation { update\(type)(where: id == \(key), set: {key: \"k\(id)x\"}) { id } }", [:])
      }
      let targets = (0..<random.below(4)).map { _ in "\"\(1 + random.below(30))\"" }.joined(separator: ", ")
      let change = "{\(random.pick(["append", "remove", "set"])): [\(targets)]}"
      return ("mutation { update\(type)(where: id == \(key), set: {\(relation.name): \(change)}) { id } }", [:])
    }
  }

  private mutating func row(_ shape: Shape, _ id: Int) -> String {
    "{" + members(shape, id).map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
  }

  private mutating func members(_ shape: Shape, _ id: Int) -> [(name: String, json: String)] {
    let values = Model.values(of: shape, id, hasTextIds: false, &random)
    var members = values.keys.sorted().map { (name: $0, json: values[$0]?.json ?? "null") }
    for relation in shape.relations where random.chance(40) {
      let ids = (0..<random.below(4)).map { _ in "\(1 + random.below(30))" }
      members.append((relation.name, relation.isMany ? "[\(ids.joined(separator: ","))]" : ids.first ?? "null"))
    }
    return members
  }

  /// A load of rows whose links lead to what is there, or has not come yet.
  private mutating func load(_ database: Database) throws -> String? {
    var lines = ""
    let shape = random.pick(model.entities)
    for _ in 0..<(1 + random.below(12)) { lines += row(shape, 1 + random.below(60)) + "\n" }
    var loading = LoadOptions()
    loading.now = now
    func run(_ database: Database) -> String {
      do {
        _ = try database.load([.ndjson(type: shape.name, bytes: Array(lines.utf8))], options: loading)
        return "loaded"
      } catch { return error.problems.map(\.code).joined(separator: " ") }
    }
    history.append("load \(shape.name) \(lines)")
    let (found, wanted) = (run(database), run(twin))
    return found == wanted ? nil : "a load: \(found), and \(wanted) in memory"
  }

  /// Gives types and fields other names, and their own again. In memory nothing happens.
  private mutating func renamed(_ database: Database) throws -> String? {
    history.append("renamed")
    for (next, isBack) in [("x", false), ("", true)] {
      let schema = schema(withNames: next, isBack ? "x" : "")
      let change = try database.changeSchema(to: schema)
      if let other = change.differences.first(where: { $0.kind != .changed && !$0.name.hasPrefix("N0") }) {
        return "renamed: \(other.message)\n\(schema)"
      }
      let problems = database.check()
      if !problems.isEmpty { return "renamed, check: \(problems.prefix(3))\n\(schema)" }
      if !isBack, let problem = try copied(database, changingTo: self.schema(withNames: "", "x")) { return problem }
    }
    return try difference(database, "renamed")
  }

  /// The schema with a suffix behind names, which had another one before.
  private func schema(withNames suffix: String, _ former: String) -> String {
    let shared = Set(
      model.shapes.filter { $0.role == .interface }.flatMap { $0.fields.map(\.name) + $0.relations.map(\.name) })
    var names = Set(model.shapes.map(\.name))
    for shape in model.shapes where shape.role != .interface {
      names.formUnion(shape.fields.filter { !$0.isComputed }.map(\.name))
      names.formUnion(shape.relations.map(\.name))
    }
    names.subtract(shared.union(["id", "key"]))
    let named = schemaText.replacing(#/[A-Za-z]\w*/#) { word in
      names.contains(String(word.output)) ? word.output + suffix : word.output
    }
    var isInterface = false
    return named.split(separator: "\n").map { line -> String in
      let words = line.split(separator: " ")
      guard let name = words.dropFirst(line.hasPrefix(" ") ? 0 : 1).first?.prefix(while: { $0 != ":" }) else {
        return String(line)
      }
      if !line.hasPrefix(" ") { isInterface = line.hasPrefix("interface") }
      let before = name.dropLast(suffix.count)
      guard names.contains(String(before)), !line.contains("@computed"), !(isInterface && line.hasPrefix(" ")) else {
        return String(line)
      }
      let was = " @was(name: \"\(before + former)\")"
      if line.hasPrefix(" ") { return line + was }
      let end = line.lastIndex(of: "{") ?? line.firstIndex(of: "=") ?? line.endIndex
      return line[..<end] + was + " " + line[end...]
    }.joined(separator: "\n")
  }

  private mutating func changeSchema(_ database: Database) throws -> String? {
    isWider.toggle()
    history.append("schema \(isWider)")
    let options = RunOptions(now: now)
    try database.changeSchema(to: schemaText, allowingLoss: true, options: options)
    try twin.changeSchema(to: schemaText, allowingLoss: true, options: options)
    return nil
  }

  private var schemaText: String {
    var schema = model.sdl
    if isWider, let name = model.entities.first?.name, let place = schema.range(of: "type \(name)"),
      let brace = schema[place.upperBound...].firstIndex(of: "{")
    {
      schema.insert(contentsOf: "\n  zz: Int = 5 @index\n", at: schema.index(after: brace))
    }
    return schema
  }
}
