import Foundation
import GQLite

/// A file of many rows: importing, opening, opening after a kill, following.
extension DurabilityBenchmark {
  private static let messages = """
    type Message {
      id: Int! chat: Int! @index author: Int! createdAt: DateTime! @index likes: Int! text: String!
    }
    """

  func makeRows() throws {
    let ndjson = path("Message.ndjson")
    try Data().write(to: URL(filePath: ndjson))
    let file = try FileHandle(forWritingTo: URL(filePath: ndjson))
    var lines = ""
    for id in 0..<rows {
      let text = "message \(id) with some words that make it as long as most messages are"
      lines +=
        "{\"id\":\(id),\"chat\":\(id * 7919 % 50_000),\"author\":\(id * 104_729 % 100_000),"
        + "\"createdAt\":\"2026-01-01T00:\(String(format: "%02d:%02d", id / 60 % 60, id % 60))Z\",\"likes\":\(id % 100),\"text\":\"\(text)\"}\n"
      // Many rows would take as much memory as the database that is measured.
      if lines.utf8.count > 1 << 20 || id == rows - 1 {
        try file.write(contentsOf: Data(lines.utf8))
        lines.removeAll(keepingCapacity: true)
      }
    }
    try file.close()
    let database = try Database(path: path("rows.gqlite"), schema: Self.messages)
    let seconds = try Self.time { try database.load(path: ndjson) }
    print("importing \(rows) rows, in seconds", Self.number(seconds))
    try database.close()
    try FileManager.default.removeItem(atPath: ndjson)
  }

  func opening() throws {
    let sqlite = try SQLiteEvents.messages(path("rows.sqlite"), rows)
    let (opened, keyed, ready) = try openings(path("rows.gqlite"))
    print(
      "opening, in seconds", Self.number(opened), " first query by key after", Self.number(keyed),
      " all indexes after", Self.number(ready))
    let size = try FileManager.default.attributesOfItem(atPath: path("rows.gqlite"))[.size] as? Int ?? 0
    print(
      "bytes of the file, of SQLite's plain table:", size, sqlite, " ratio", Self.number(Double(size) / Double(sqlite)))
    // A copy of the file and its write-ahead log while it is open is what a kill leaves.
    let database = try Database(path: path("rows.gqlite"), storage: StorageOptions(durability: .normal))
    let query = try database.prepare(
      "mutation($id: Int!) { updateMessage(where: id == $id, set: {likes: 1000}) { id } }")
    let updates = min(rows, 50_000)
    for number in 0..<updates { _ = try query.run(["id": .int(Int64(number * 7919 % rows))]) }
    // Within a transaction, so that nothing is folded into the file meanwhile.
    try database.transaction { _ in
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path("rows.gqlite") + suffix, toPath: path("killed.gqlite") + suffix)
      }
    }
    try database.close()
    let after = try openings(path("killed.gqlite"), closing: false)
    print(
      "opening after a kill with \(updates) commits in the log, in seconds more", Self.number(after.opened - opened))
  }

  private func openings(_ path: String, closing: Bool = true) throws -> (opened: Double, keyed: Double, ready: Double) {
    var (opened, keyed, ready): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<3 {
      let start = ContinuousClock.now
      func elapsed() -> Double { (ContinuousClock.now - start) / .seconds(1) }
      let options = StorageOptions(access: closing ? .write : .read)
      let database = try Database(path: path, storage: options)
      opened.append(elapsed())
      _ = try database.run("{ Message(where: id == \(rows / 2)) { text } }")
      keyed.append(elapsed())
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        await database.ready()
        done.signal()
      }
      done.wait()
      ready.append(elapsed())
      guard try database.run("{ n: count(Message) }").jsonString == "{\"n\":\(rows)}" else {
        throw Failure("rows are missing")
      }
      try database.close()
    }
    return (Self.median(opened), Self.median(keyed), Self.median(ready))
  }

  // MARK: - Following

  func following() throws {
    let file = path("rows.gqlite")
    let writer = try Database(path: file)
    let follower = try Database(path: file, storage: StorageOptions(access: .follow))
    let looks = 20_000
    let idle = try Self.time { for _ in 0..<looks { try follower.refresh() } }
    print("a follower that finds nothing new, in µs", Self.number(idle / Double(looks) * 1e6))
    let count = min(rows / 10, 100_000)
    for (name, condition) in [("in order", "id < \(count)"), ("spread", "id % 10 == 3")] {
      let changed = try writer.run(
        "mutation { updateMessage(where: \(condition), set: {likes: 5000, chat: 7}) { id } }")
      guard changed.jsonString.count > count * 4 else { throw Failure("too few are changed") }
      let seconds = try Self.time { try follower.refresh() }
      let query = "{ n: count(Message(where: likes == 5000)) s: sum(Message.chat) }"
      guard try follower.run(query) == writer.run(query) else { throw Failure("a follower sees something else") }
      print(
        "a follower that finds \(count) changes, \(name), in seconds", Self.number(seconds), " a change, in µs",
        Self.number(seconds / Double(count) * 1e6))
    }
    try follower.close()
    try writer.close()
  }

  // MARK: - Full text

  /// Single insertions into a full-text index, in memory.
  func fullText() throws {
    let database = try Database(schema: "type Note { id: Int! text: String! @fulltext(language: \"en\") }")
    let query = try database.prepare(
      "mutation($id: Int!, $text: String!) { insertNote(data: {id: $id, text: $text}) { id } }")
    let words = (0..<5_000).map { "word\($0 * 7919 % 5_000)" }
    var found: [Double] = []
    for number in 0..<20_000 {
      let text = (0..<12).map { words[(number * 31 + $0 * $0 * 97) % words.count] }.joined(separator: " ")
      found.append(try Self.time { _ = try query.run(["id": .int(Int64(number)), "text": .string(text)]) })
    }
    guard try database.run("{ n: count(Note(where: text matches \"word7\")) }").jsonString != "{\"n\":0}" else {
      throw Failure("nothing is found")
    }
    for (name, part) in [("the first 10,000", found[..<10_000]), ("the next 10,000", found[10_000...])] {
      let sorted = part.sorted()
      print(
        "single insertions into a full-text index, \(name), in µs: median", Self.number(Self.median(sorted) * 1e6),
        " 99.9 %", Self.number(sorted[sorted.count * 999 / 1000] * 1e6))
    }
  }
}
