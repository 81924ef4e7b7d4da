import Foundation
import GQLDifferential
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Files whose rows are half folded when the process ends.
@Suite struct FoldingTests {
  /// A row that is gone has records in the log until all rows of its time are folded.
  @Test func purgedRowsWhileFolding() throws {
    let folder = try Folder()
    let (path, copy) = (folder.file("a.gqlite"), folder.file("copy.gqlite"))
    var options = StorageOptions(durability: .normal)
    options.folding.logBytes = 0
    options.folding.sliceRows = 1
    let database = try Database(path: path, schema: "type A { id: ID! n: Int }", storage: options)
    let everything = "{ A(orderBy: id, deleted: INCLUDE) { id n } }"
    var random = SeededRandom(seed: Tries.seed)
    for number in 1...80 {
      let ids = (0..<3).map { _ in 1 + random.below(8) }
      let rows = Set(ids).sorted().map { "{id: \($0), n: \(number)}" }.joined(separator: ", ")
      try database.run(
        random.chance(30)
          ? "mutation { deleteA(where: id == \(ids[0]), hard: true) }" : "mutation { upsertA(data: [\(rows)]) }")
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
      for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
      let opened = try Database(path: copy)
      #expect(try opened.run(everything) == database.run(everything), "after change \(number)")
      #expect(opened.check() == [])
    }
  }
}
