import Foundation
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Changes that are made without waiting for the disk.
@Suite struct SubmissionTests {
  private static let insertion = "mutation($id: Int!) { insertA(data: {id: $id}) { id } }"

  @Test func areKeptInOrder() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: "type A { id: Int! n: Int }")
    let query = try database.prepare(Self.insertion)
    let submissions = try (0..<3000).map { try query.submit(["id": .int(Int64($0))]) }
    for (number, submission) in submissions.enumerated() where number % 100 == 0 || number == 2999 {
      #expect(try submission.answer().jsonString == "{\"insertA\":[{\"id\":\(number)}]}")
      #expect(database.version >= Int64(number + 1))
      // What is seen is a prefix of what was made.
      let count = try database.run("{ n: count(A) m: max(A.id) }").jsonString
      let parts = count.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
      #expect(parts.count == 2 && parts[0] == parts[1] + 1 && parts[0] > number)
    }
    #expect(database.version == 3000)
    #expect(try Database(path: path, storage: StorageOptions(access: .read)).count(of: "A") == 3000)
    // What is refused is told at once, and changes nothing.
    #expect(throws: QueryError.self) { try query.submit(["id": 7]) }
    #expect(
      try database.submit("mutation { updateA(where: id >= 0, set: {n: 1}) { n } }").answer().jsonString.count > 3000)
    #expect(try database.submit("{ n: count(A) }").answer().jsonString == "{\"n\":3000}")
    try database.close()
    #expect(throws: QueryError.self) { try query.submit(["id": 3001]).answer() }
  }

  /// Nobody asks for an answer: the changes are kept all the same.
  @Test func areKeptWithoutAnybodyWaiting() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: "type A { id: Int! }")
    let query = try database.prepare(Self.insertion)
    for number in 0..<500 { _ = try query.submit(["id": .int(Int64(number))]) }
    let follower = try Database(path: path, storage: StorageOptions(access: .follow))
    let end = Date(timeIntervalSinceNow: 60)
    while follower.count(of: "A") != 500, Date() < end { usleep(1000) }
    #expect(follower.count(of: "A") == 500)
  }

  /// A disk that fails is told to whoever asks, and what was kept before is there.
  @Test func failures() throws {
    let folder = try Folder()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    let database = try Database(path: folder.file("a.gqlite"), schema: "type A { id: Int! }")
    let query = try database.prepare(Self.insertion)
    disk.fail(at: 40, isFull: true, isLasting: true)
    var submissions: [Submission] = []
    do {
      for number in 0..<2000 { submissions.append(try query.submit(["id": .int(Int64(number))])) }
    } catch { #expect(error.problems.first?.code == "storage-full") }
    var kept = 0
    for submission in submissions {
      do {
        _ = try submission.answer()
        kept += 1
      } catch { #expect(error.problems.first?.code == "storage-full") }
    }
    #expect(kept < 2000)
    #expect(database.count(of: "A") == kept)
    disk.recover()
    try database.reopen()
    // A commit that failed may be there.
    #expect((database.count(of: "A") ?? 0) >= kept)
  }

  @Test func inMemory() throws {
    let database = try Database(schema: "type A { id: Int! }")
    #expect(
      try database.submit("mutation { insertA(data: {id: 1}) { id } }").answer().jsonString
        == "{\"insertA\":[{\"id\":1}]}")
  }
}
