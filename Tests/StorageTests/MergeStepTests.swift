import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Saving a branch while the disk fails: what is noted of its merges is noted in the same step.
@Suite struct MergeStepTests {
  private static let schema = "type Page { id: ID! title: String views: Int! = 0 @merge(by: SUM) }"

  @Test("a branch whose conflicts were decided is never there without a note of it") func decided() throws {
    var (saved, unsaved) = (0, 0)
    for call in 0..<200 {
      let folder = try Folder()
      let path = folder.file("a.gqlite")
      let disk = WatchedDisk(folder.path)
      defer { disk.forget() }
      let database = try Database(path: path, schema: Self.schema)
      try database.run("mutation { insertPage(data: {id: 1}) }")
      let (draft, other) = (try database.branch("draft"), try database.branch("other"))
      try draft.run("mutation { updatePage(where: id == 1, set: {views: views + 3}) }")
      try draft.merge(into: other)
      try other.run(#"mutation { updatePage(where: id == 1, set: {title: "o"}) }"#)
      try database.run(#"mutation { updatePage(where: id == 1, set: {title: "d"}) }"#)
      disk.fail(at: call, isFull: false, isLasting: true)
      _ = try? other.merge(into: database, conflicts: .mine)
      let failures = disk.failures
      disk.recover()
      try? database.close()
      let again = try Database(path: path)
      let target = try again.branch("other", creates: false)
      let source = try again.branch("draft", creates: false)
      let views = try again.run("{ page(id: 1) { views } }").jsonString
      if target.hasChanges {
        unsaved += 1
        #expect(views == #"{"page":{"views":0}}"#)
      } else {
        saved += 1
        #expect(views == #"{"page":{"views":3}}"#)
        do {
          try source.merge(into: target)
          Issue.record("call \(call): what was merged may be gone, and is not known to be")
        } catch {
          #expect(error.problems.first?.code == "merged-branch")
        }
      }
      if failures == 0 { break }
    }
    #expect(saved > 0 && unsaved > 0)
  }
}
