import Foundation
import GQLEngine
import GQLStorage
import GQLite
import StorageProofs
import Synchronization
import Testing

/// What readers see while changes are on their way to the storage.
@Suite struct VisibilityTests {
  private static let schema = """
    type User { id: Int! name: String @index posts: [Post!]! @relation(inverse: "author") }
    type Post { id: Int! text: String! author: User @relation(inverse: "posts") tags: [String!] }
    """
  /// Point mutations: others would wait for the gate.
  private static let statements = [
    "mutation { insertUser(data: {id: 10, name: \"ten\"}) { id } }",
    "mutation { insertPost(data: {id: 10, text: \"new\", author: 10, tags: [\"a\", \"b\"]}) { id } }",
    "mutation { updatePost(where: id == 1, set: {text: \"changed\", tags: [\"c\"]}) { id } }",
    "mutation { updateUser(where: id == 1, set: {name: null}) { id } }",
    "mutation { deletePost(where: id == 2) { id } }",
    "mutation { updatePost(where: id == 3, set: {tags: [\"z\"]}) { id } }",
    "mutation { deleteUser(where: id == 4) { id } }",
    "mutation { insertPost(data: {id: 11, text: \"newer\", author: 10}) { id } }",
    "mutation { deletePost(where: id == 10) { id } }",
    "mutation { upsertUser(data: {id: 11, name: \"eleven\"}) { id } }",
  ]
  private static let question =
    "{ User(orderBy: id) { id name posts { id } } Post(orderBy: id) { id text author { id } tags } n: count(Post) d: Post(deleted: ONLY) { id } }"

  private func fill(_ database: Database) throws {
    for id in 1...4 {
      try database.run("mutation { insertUser(data: {id: \(id), name: \"user \(id)\"}) { id } }")
      try database.run("mutation { insertPost(data: {id: \(id), text: \"post\", author: \(id)}) { id } }")
    }
  }

  /// A statement after one that failed half way finds what was kept before it.
  @Test func nothingIsLostAfterAFailure() throws {
    let database = try Database(MemoryBackend(), schema: Self.schema, storage: StorageOptions(durability: .normal))
    try fill(database)
    try database.run("mutation { insertUser(data: {id: 10}) }")
    #expect(throws: QueryError.self) { try database.run("mutation { insertUser(data: [{id: 11}, {id: 1}]) }") }
    #expect(try database.run("mutation { deleteUser(where: id == 10) }").jsonString == #"{"deleteUser":1}"#)
    #expect(
      try database.run("{ User(orderBy: id) { id } }").jsonString
        == #"{"User":[{"id":1},{"id":2},{"id":3},{"id":4}]}"#)
  }

  /// Each statement alone, and those that gather behind it, are seen when they are kept, though nobody looked before.
  @Test func nothingIsSeenBeforeItIsKept() throws {
    for first in Self.statements.indices {
      let backend = GatedBackend()
      let database = try Database(backend, schema: Self.schema, storage: StorageOptions(durability: .normal))
      let model = try Database(schema: Self.schema)
      try fill(database)
      try fill(model)
      for statement in Self.statements[..<first] {
        try database.run(statement)
        try model.run(statement)
      }
      let before = try model.run(Self.question)
      backend.shut()
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = try? database.run(Self.statements[first])
        done.signal()
      }
      backend.waitUntilSomebodyWaits()
      #expect(try database.run(Self.question) == before)
      try model.run(Self.statements[first])
      var submissions: [Submission] = []
      for statement in Self.statements[(first + 1)...] {
        submissions.append(try database.submit(statement))
        try model.run(statement)
        #expect(try database.run(Self.question) == before)
      }
      #expect(database.check() == [])
      backend.letPass()
      done.wait()
      for submission in submissions { _ = try submission.answer() }
      #expect(try database.run(Self.question) == model.run(Self.question))
      #expect(database.check() == [])
      try database.close()
      #expect(try Database(backend).run(Self.question) == model.run(Self.question))
    }
  }

  /// Whoever looks takes back many statements that are not kept.
  @Test func manyThatAreNotKept() throws {
    let backend = GatedBackend()
    let database = try Database(backend, schema: Self.schema, storage: StorageOptions(durability: .normal))
    try fill(database)
    backend.shut()
    let insert = try database.prepare("mutation($id: Int!) { insertUser(data: {id: $id}) { id } }")
    var submissions = [try insert.submit(["id": 100])]
    backend.waitUntilSomebodyWaits()
    for id in 101..<300 { submissions.append(try insert.submit(["id": .int(Int64(id))])) }
    #expect(database.count(of: "User") == 4)
    #expect(database.version == 8)
    backend.letPass()
    for submission in submissions { _ = try submission.answer() }
    #expect(database.count(of: "User") == 204)
    #expect(database.version == 208)
  }

  /// What a writer is told of is seen, and what it is not told of is not, whatever fails.
  @Test(arguments: [StorageOptions.Durability.full, .normal, .memory])
  func failures(_ durability: StorageOptions.Durability) throws {
    for failing in [1, 2, 5, 9] {
      let backend = GatedBackend()
      var options = StorageOptions(durability: durability)
      options.folding.logBytes = 200
      let database = try Database(backend, schema: Self.schema, storage: options)
      try fill(database)
      backend.fail(after: failing)
      var kept = 4
      do {
        for id in 100..<200 {
          try database.run("mutation { insertUser(data: {id: \(id)}) { id } }")
          kept += 1
        }
        Issue.record("nothing has failed")
      } catch { #expect(error.problems.first?.code == "storage-failed") }
      #expect(database.count(of: "User") == kept)
      #expect(throws: QueryError.self) { try database.run("mutation { insertUser(data: {id: 999}) { id } }") }
      #expect(database.count(of: "User") == kept)
      backend.fail(after: nil)
      try database.reopen()
      let after = try #require(database.count(of: "User"))
      #expect(durability == .memory ? after <= kept : after == kept)
      try database.run("mutation { insertUser(data: {id: 999}) { id } }")
      #expect(database.count(of: "User") == after + 1)
      #expect(database.check() == [])
    }
  }

  /// Threads that write and look at once: each sees what it was told of, and what was seen stays.
  @Test(arguments: [StorageOptions.Durability.full, .normal, .memory])
  func threads(_ durability: StorageOptions.Durability) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    var options = StorageOptions(durability: durability)
    options.folding.logBytes = 4000
    options.folding.sliceRows = 7
    options.folding.delay = 1
    let database = try Database(path: path, schema: "type A { id: Int! n: Int! }", storage: options)
    let problems = Mutex<[String]>([])
    let insert = try database.prepare("mutation($id: Int!, $n: Int!) { insertA(data: {id: $id, n: $n}) { id } }")
    let look = try database.prepare("query($id: Int!) { a: A(where: id == $id) { n } n: count(A) }")
    let update = try database.prepare("mutation($id: Int!) { updateA(where: id == $id, set: {n: n + 1}) { n } }")
    inThreads(6) { thread in
      do {
        var most = 0
        for number in 0..<150 {
          let id = Value.int(Int64(thread * 1000 + number / 2))
          if thread < 4 {
            if number % 2 == 0 { try insert.run(["id": id, "n": 0]) } else { try update.run(["id": id]) }
          }
          if thread >= 4 || number % 5 == 0 {
            let parts = try look.run(["id": id]).jsonString.split { !$0.isNumber }.compactMap { Int($0) }
            if thread < 4, parts.first != number % 2 { problems.withLock { $0.append("\(thread) \(number) \(parts)") } }
            if let count = parts.last, count < most { problems.withLock { $0.append("\(count) after \(most)") } }
            most = parts.last ?? 0
          }
        }
      } catch { problems.withLock { $0.append("\(error)") } }
    }
    #expect(problems.withLock { $0 } == [])
    #expect(database.count(of: "A") == 300)
    #expect(database.version == 600)
    try database.flush()
    #expect(try Database(path: path, storage: StorageOptions(access: .read)).count(of: "A") == 300)
    try database.close()
    #expect(try Database.verify(path: path) == [])
  }

  /// Who watches is told after commits, and sees them then.
  @Test(arguments: [StorageOptions.Durability.full, .normal, .memory])
  func watching(_ durability: StorageOptions.Durability) throws {
    let options = StorageOptions(durability: durability)
    let database = try Database(MemoryBackend(), schema: Self.schema, storage: options)
    let seen = Mutex<[Int]>([])
    let watch = CommitWatch(database) { [weak database] in
      seen.withLock { $0.append(database?.count(of: "User") ?? -1) }
    }
    for id in 0..<20 { try database.run("mutation { insertUser(data: {id: \(id)}) { id } }") }
    try database.transaction { _ = try $0.run("mutation { insertUser(data: {id: 20}) { id } }") }
    for id in 21..<25 { try database.run("mutation { insertUser(data: {id: \(id)}) { id } }") }
    try withExtendedLifetime(watch) {
      try database.flush()
      database.waitUntilTold()
    }
    let told = seen.withLock { $0 }
    #expect(told == told.sorted() && told.last == 25)
  }

  /// Those who write while another's commit fails are refused, and nothing of theirs is there when writing goes on.
  @Test func whatIsLostStaysLost() throws {
    for round in 0..<60 {
      let backend = GatedBackend()
      let database = try Database(backend, schema: Self.schema, storage: StorageOptions(durability: .normal))
      try fill(database)
      let insert = try database.prepare("mutation($id: Int!) { insertUser(data: {id: $id}) { id } }")
      backend.fail(after: 2 + round % 7)
      inThreads(8) { thread in
        for number in 0..<40 {
          do { try insert.run(["id": .int(Int64(100 + thread * 100 + number))]) } catch { break }
        }
      }
      let seen = try database.run("{ User(orderBy: id) { id } }").jsonString
      backend.fail(after: nil)
      try database.reopen()
      #expect(try database.run("{ User(orderBy: id) { id } }").jsonString == seen)
      try insert.run(["id": 9999])
      let all = try database.run("{ User(orderBy: id) { id } }").jsonString
      #expect(all == seen.replacingOccurrences(of: "]}", with: #",{"id":9999}]}"#))
      try database.close()
      let again = try Database(backend, schema: Self.schema)
      #expect(try again.run("{ User(orderBy: id) { id } }").jsonString == all)
      #expect(again.check() == [])
    }
  }

  private func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      Thread.detachNewThread {
        body(number)
        group.leave()
      }
    }
    group.wait()
  }

  /// What gathers in memory is written by whatever promises it, and once.
  @Test func gathering() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let options = StorageOptions(durability: .memory)
    let database = try Database(path: path, schema: "type A { id: Int! n: Int }", storage: options)
    func written() throws -> Int? { try Database(path: path, storage: StorageOptions(access: .read)).count(of: "A") }
    for id in 0..<10 { try database.run("mutation { insertA(data: {id: \(id)}) { id } }") }
    try database.transaction { for id in 10..<20 { try $0.run("mutation { insertA(data: {id: \(id)}) { id } }") } }
    #expect(database.version == 11)
    #expect(try written() == 0)
    try database.flush()
    #expect(try written() == 20)
    try database.run("mutation { insertA(data: {id: 20}) { id } }")
    try database.reopen()
    #expect(try written() == 21)
    try database.run("mutation { insertA(data: {id: 21}) { id } }")
    try database.compact()
    #expect(try written() == 22)
    try database.run("mutation { insertA(data: {id: 22}) { id } }")
    try database.changeSchema(to: "type A { id: Int! n: Int m: Int }")
    #expect(try written() == 23)
    _ = try database.submit("mutation { insertA(data: {id: 23, m: 1}) { id } }").answer()
    #expect(try written() == 23)
    try database.close()
    #expect(try written() == 24)
    #expect(try Database.verify(path: path) == [])
  }
}

/// A place in memory that lets nobody append while it is closed.
private final class GatedBackend: StorageBackend, @unchecked Sendable {
  private struct Broken: Error {}
  private let place = MemoryBackend()
  private let gate = NSCondition()
  private var isClosed = false
  private var waiting = 0
  private var left: Int?

  var name: String { "the gate" }
  var isTransactional: Bool { place.isTransactional }

  func shut() { gate.withLock { isClosed = true } }
  func letPass() {
    gate.withLock {
      isClosed = false
      gate.broadcast()
    }
  }
  func waitUntilSomebodyWaits() { gate.withLock { while waiting == 0 { gate.wait() } } }
  /// Has every append after some fail.
  func fail(after count: Int?) { gate.withLock { left = count } }

  func append(_ records: [StorageRecord]) throws {
    try gate.withLock {
      waiting += 1
      gate.broadcast()
      while isClosed { gate.wait() }
      waiting -= 1
      if let count = left {
        if count == 0 { throw Broken() }
        left = count - 1
      }
    }
    try place.append(records)
  }

  func open(_ options: StorageOptions) throws { try place.open(options) }
  func read(into reader: StorageReader) throws { try place.read(into: reader) }
  func records(after version: Int64) throws -> [StorageRecord]? { try place.records(after: version) }
  func write(_ rows: StorageRows, holding version: StoragePoint?) throws { try place.write(rows, holding: version) }
  func forget(through version: Int64) throws { try place.forget(through: version) }
  func replace(_ state: StorageState, with rows: StorageRows) throws { try place.replace(state, with: rows) }
  func close() throws { try place.close() }
  func abandon() { place.abandon() }
}
