import Foundation
import GQLite

extension Benchmark {
  private static let entities = 100_000
  private static let changes = 100_000

  /// Measures keeping versions and going back to them: `--only state`, without the social network.
  func measurePast() throws {
    func database(keeping bytes: Int) throws -> (database: Database, update: PreparedQuery) {
      let database = try Database(schema: "type Note { id: ID! value: Int! @index text: String! }")
      let rows = (0..<Self.entities).map { #"{"id": \#($0), "value": \#($0), "text": "note number \#($0)"}"# }
      try database.load([.ndjson(type: "Note", text: rows.joined(separator: "\n"))])
      database.recentVersions = bytes
      let update = try database.prepare(
        "mutation($id: ID!, $value: Int!) { updateNote(where: id == $id, set: {value: $value}) }")
      return (database, update)
    }
    func change(_ update: PreparedQuery, _ range: Range<Int>) throws -> Double {
      try Self.seconds {
        for number in range {
          try update.run([
            "id": .int(Int64(number * 7919 % Self.entities)), "value": .int(Int64(number * 31 % 1_000_003)),
          ])
        }
      }
    }
    let (plain, plainUpdate) = try database(keeping: 0)
    let (kept, keptUpdate) = try database(keeping: 1 << 30)
    // By turns, so that both meet what the machine does meanwhile.
    var (without, with) = (Double.infinity, Double.infinity)
    let first = kept.version
    let step = Self.changes / 10
    for turn in 0..<10 {
      without = min(without, try change(plainUpdate, turn * step..<(turn + 1) * step) / Double(step))
      with = min(with, try change(keptUpdate, turn * step..<(turn + 1) * step) / Double(step))
    }
    Self.show("state_write", "an update, no versions kept", without * 1e6, "µs")
    Self.show("state_write_kept", "the same, versions kept", with * 1e6, "µs")

    let question = try kept.prepare("{ n: count(Note(where: value < 1000)) note(id: 7) { value } }")
    let now = try Self.seconds { _ = try question.run() }
    let far = try Self.seconds { _ = try kept.view(version: first) }
    let again = try Self.shortest(1_000) { _ = try kept.view(version: first) }
    let farAnswer = try Self.shortest(1_000) { _ = try question.run(on: kept.view(version: first)) }
    let nowAnswer = try Self.shortest(1_000) { _ = try question.run() }
    Self.show("state_back_far", "the version \(Self.changes) changes back, at first", far * 1e3, "ms")
    Self.show("state_back_again", "the same again", again * 1e6, "µs")
    Self.show("state_query_far", "a query of it", farAnswer * 1e6, "µs")
    Self.show("state_query_now", "the same query of the newest version", nowAnswer * 1e6, "µs")
    let newest = kept.version
    var near = Double.infinity
    for back in 1...200 {
      near = min(near, try Self.seconds { _ = try kept.view(version: newest - Int64(back)) })
    }
    Self.show("state_back_near", "the version one change from one that is there, at first", near * 1e6, "µs")
    var read = Double.infinity
    for number in 0..<200 {
      _ = try question.run()
      let before = kept.version
      _ = try change(keptUpdate, number..<number + 1)
      _ = try question.run()
      read = min(read, try Self.seconds { _ = try kept.view(version: before) })
    }
    Self.show("state_back_read", "the version one change back, where the data is read after each", read * 1e6, "µs")
    let undone = try Self.shortest(200) { try kept.undo(kept.version) }
    Self.show("state_undo", "undoing the newest change", undone * 1e6, "µs")

    // How many versions a mebibyte holds.
    let (bounded, boundedUpdate) = try database(keeping: 1 << 20)
    _ = try change(boundedUpdate, 0..<50_000)
    var (low, high) = (Int64(0), bounded.version)
    while low < high {
      let middle = (low + high) / 2
      if (try? bounded.view(version: middle)) == nil { low = middle + 1 } else { high = middle }
    }
    Self.show(
      "state_bytes", "bytes kept of an update of one field", Double(1 << 20) / Double(bounded.version - low), "bytes")
    withExtendedLifetime((plain, now)) {}
    try measureDrafts(kept)
  }

  /// Measures editing contexts.
  private func measureDrafts(_ database: Database) throws {
    database.recentVersions = 0
    let made = Self.shortest(10_000) { _ = database.edit() }
    Self.show("state_draft", "making an editing context", made * 1e6, "µs")
    let read = "{ note(id: 7) { value } }"
    let draft = database.edit()
    try draft.run(#"mutation { updateNote(where: id == 9, set: {text: "mine"}) }"#)
    let own = try draft.prepare(read)
    let plain = try database.prepare(read)
    let here = try Self.shortest(10_000) { _ = try own.run() }
    let there = try Self.shortest(10_000) { _ = try plain.run() }
    Self.show("state_draft_read", "a read of a live context, when nothing has moved", here * 1e6, "µs")
    Self.show("state_plain_read", "the same of its database", there * 1e6, "µs")
    var (alone, merged, count) = (Double.infinity, Double.infinity, 0)
    for turn in 0..<20 {
      for moves in [false, true] {
        let draft = database.edit(.snapshot)
        let update = try draft.prepare(
          "mutation($id: ID!, $text: String!) { updateNote(where: id == $id, set: {text: $text}) }")
        for id in 0..<1_000 {
          try update.run(["id": .int(Int64(turn * 1_000 + id)), "text": .string("draft \(turn) \(moves)")])
        }
        count = draft.changes.entities.count
        if moves { try database.run(#"mutation { updateNote(where: id == 3, set: {text: "theirs"}) }"#) }
        let time = try Self.seconds { try draft.save(conflicts: .mine) }
        if moves { merged = min(merged, time) } else { alone = min(alone, time) }
      }
    }
    Self.show("state_save", "saving \(count) changes, nothing has moved", alone * 1e3, "ms")
    Self.show("state_save_merged", "the same, merged", merged * 1e3, "ms")
  }

  /// Measures the history of a type, and going back by it: `--only state`.
  func measureHistory() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func schema(_ directive: String) -> String {
      "type Note \(directive) { id: ID! value: Int! @index text: String! }"
    }
    let rows = (0..<Self.entities).map { #"{"id": \#($0), "value": \#($0), "text": "note number \#($0)"}"# }
    func load(_ database: Database) throws -> Int64 {
      try database.load([.ndjson(type: "Note", text: rows.joined(separator: "\n"))])
      return database.version
    }
    func change(_ database: Database) throws -> Double {
      let update = try database.prepare(
        "mutation($id: ID!, $value: Int!) { updateNote(where: id == $id, set: {value: $value}) }")
      return try Self.seconds {
        for number in 0..<Self.changes {
          try update.run([
            "id": .int(Int64(number * 7919 % Self.entities)), "value": .int(Int64(number * 31 % 1_000_003)),
          ])
        }
      }
    }
    let memory = try Database(schema: schema("@history"))
    let first = try load(memory)
    let time = try change(memory)
    Self.show("state_history", "an update of a type with a history", time / Double(Self.changes) * 1e6, "µs")
    try measureFar(memory, first, "memory")
    try measureVersions(memory)
    // What the changes add to a compact file.
    var growths: [Int] = []
    for directive in ["", "@history"] {
      let path = folder.appendingPathComponent("a\(growths.count).gqlite").path
      func size() throws -> Int { try Data(contentsOf: URL(filePath: path)).count }
      let options = StorageOptions(durability: .memory, recentVersions: 0)
      let database = try Database(path: path, schema: schema(directive), storage: options)
      let first = try load(database)
      try database.compact()
      let before = try size()
      _ = try change(database)
      try database.close()
      let again = try Database(path: path, storage: options)
      if !directive.isEmpty { try measureFar(again, first, "a file") }
      try again.compact()
      try again.close()
      growths.append(try size() - before)
    }
    let bytes = Double(growths[1] - growths[0]) / Double(Self.changes)
    Self.show("state_file_bytes", "bytes in a file of a version of one field", bytes, "bytes")
  }

  private func measureFar(_ database: Database, _ version: Int64, _ place: String) throws {
    let far = try Self.seconds { _ = try database.view(version: version) }
    let again = try Self.shortest(1_000) { _ = try database.view(version: version) }
    Self.show("state_records", "the version \(Self.changes) changes back, by records in \(place)", far * 1e3, "ms")
    Self.show("state_records_again", "the same again", again * 1e6, "µs")
  }

  /// Measures the versions of an entity, of those that a database has had.
  private func measureVersions(_ database: Database) throws {
    let update = try database.prepare("mutation($value: Int!) { updateNote(where: id == 7, set: {value: $value}) }")
    for value in 1...10 { try update.run(["value": .int(Int64(-value))]) }
    let question = try database.prepare(
      "{ note(id: 7) { _versions(orderBy: -_version, limit: 10) { value _version _from } } }")
    let made = try Self.seconds { _ = try question.run() }
    let answer = try Value(json: question.run().jsonString)["note"]?["_versions"]?.list ?? []
    guard answer.map({ $0["value"]?.int }) == (1...10).reversed().map({ Int64(-$0) }) else {
      throw Failure("the versions of an entity are wrong")
    }
    let again = try Self.shortest(1_000) { _ = try question.run() }
    var next = Double.infinity
    for value in 0..<200 {
      try update.run(["value": .int(Int64(value))])
      next = min(next, try Self.seconds { _ = try question.run() })
    }
    Self.show("state_versions", "the first question for versions, which makes them all", made * 1e3, "ms")
    Self.show("state_ten", "ten versions of an entity", again * 1e6, "µs")
    Self.show("state_ten_next", "the same after a change", next * 1e6, "µs")
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    let time = start.duration(to: .now).components
    return Double(time.seconds) + Double(time.attoseconds) / 1e18
  }

  private static func shortest(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<count { least = min(least, try seconds(body)) }
    return least
  }

  private static func show(_ name: String, _ summary: String, _ value: Double, _ unit: String) {
    print(
      "\(name.padding(toLength: 18, withPad: " ", startingAt: 0)) \(String(format: "%10.2f", value)) \(unit)  \(summary)"
    )
  }
}
