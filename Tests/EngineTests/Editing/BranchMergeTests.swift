import GQLite
import Testing

/// Tests what a second merge of a branch into another one brings.
@Suite struct BranchMergeTests {
  private let database: Database
  private let draft: Branch
  private let other: Branch

  init() throws {
    database = try Database(
      schema: "type Page { id: ID! title: String views: Int! = 0 @merge(by: SUM) }")
    try database.run("mutation { insertPage(data: [{id: 1}, {id: 2}]) }")
    (draft, other) = (try database.branch("draft"), try database.branch("other"))
  }

  private func add(_ number: Int) -> String {
    "mutation { updatePage(where: id == 1, set: {views: views + \(number)}) }"
  }
  private func views(_ context: EditingContext) throws -> String {
    try context.run("{ views := Page(orderBy: id).views }").jsonString
  }
  private func views(_ first: Int) -> String { #"{"views":[\#(first),0]}"# }

  private func code(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as QueryError {
      return error.problems.first?.code
    } catch {
      return "\(error)"
    }
  }

  @Test("what was merged is not added again") func twice() throws {
    try draft.run(add(3))
    try other.run(add(10))
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try views(other) == views(13))
    }
    try draft.run(add(2))
    try draft.run(#"mutation { updatePage(where: id == 1, set: {title: "t"}) }"#)
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(
        try other.run("{ page(id: 1) { title views } }").jsonString == #"{"page":{"title":"t","views":15}}"#)
    }
    // What is taken back is taken away.
    for _ in 1...3 { try draft.undo() }
    #expect(!draft.hasChanges)
    try draft.merge(into: other)
    #expect(try views(other) == views(10))
    // It goes on so when the other one is in the database.
    try other.merge(into: database)
    try draft.run(add(1))
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try views(other) == views(11))
    }
    #expect(database.check() == [] && other.database.check() == [])
  }

  @Test("what cannot be told apart is refused") func refreshed() throws {
    try draft.run(add(3))
    try draft.merge(into: other)
    try draft.run(add(2))
    try database.run(add(100))
    try draft.refresh()
    #expect(try views(draft) == views(105))
    #expect(code { try draft.merge(into: other) } == "merged-branch")
    #expect(try views(other) == views(3))
    // A branch that begins again has nothing in common with what was merged.
    try draft.discard()
    try draft.run(add(1))
    try draft.merge(into: other)
    #expect(try views(other) == views(104))
  }

  @Test("a branch that has no change which was not merged is refreshed with what was") func refreshedAsMerged() throws {
    try draft.run(add(3))
    try draft.merge(into: other)
    try database.run(add(100))
    try draft.refresh()
    #expect(try views(draft) == views(103))
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try views(other) == views(103))
    }
    try draft.run(add(2))
    try draft.merge(into: other)
    #expect(try views(other) == views(105))
  }

  @Test("what both add to an entity that was brought is added once") func inserted() throws {
    try draft.run("mutation { insertPage(data: {id: 9, views: 7}) }")
    try other.run("mutation { insertPage(data: {id: 8, views: 1}) }")
    try draft.merge(into: other)
    try draft.run("mutation { updatePage(where: id == 9, set: {views: views + 1}) }")
    try other.run("mutation { updatePage(where: id == 9, set: {views: views + 10}) }")
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try other.run("{ page(id: 9) { views } }").jsonString == #"{"page":{"views":18}}"#)
    }
  }

  @Test("what was merged does not come back to its branch") func back() throws {
    try draft.run(add(3))
    try other.run(add(10))
    try draft.merge(into: other)
    try draft.run(add(1))
    for _ in 1...2 {
      try other.merge(into: draft)
      #expect(try views(draft) == views(14))
    }
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try views(other) == views(14))
    }
    try other.run(add(100))
    try draft.run(add(1000))
    try other.merge(into: draft)
    #expect(try views(draft) == views(1114))
    try draft.merge(into: other)
    #expect(try views(other) == views(1114))
  }

  @Test("what comes by a third branch comes once") func third() throws {
    let third = try database.branch("third")
    try draft.run(add(3))
    try draft.merge(into: other)
    try other.merge(into: third)
    try draft.merge(into: third)
    #expect(try views(third) == views(3))
    try draft.run(add(1))
    try other.run(add(10))
    for _ in 1...2 {
      try draft.merge(into: third)
      #expect(try views(third) == views(4))
    }
    // Both have more of the branch than the merge before of the two.
    for _ in 1...2 {
      try other.merge(into: third)
      #expect(try views(third) == views(14))
    }
  }

  @Test("what two branches have of a third is not added up") func common() throws {
    let third = try database.branch("third")
    try third.run(add(3))
    try third.merge(into: draft)
    try third.run(add(4))
    try third.merge(into: other)
    try draft.run(add(10))
    try other.run(add(100))
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try views(other) == views(117))
    }
  }

  @Test("versions of which neither has the other are refused") func crossed() throws {
    let third = try database.branch("third")
    try draft.run(add(1))
    try draft.merge(into: other)
    try third.run(add(3))
    try third.merge(into: draft)
    try third.merge(into: other)
    #expect(code { try draft.merge(into: other) } == "merged-branch")
    #expect(try views(other) == views(4))
  }

  @Test("the database may change between, and numbers come once") func moved() throws {
    try draft.run(add(3))
    try draft.merge(into: other)
    try database.run(add(100))
    try draft.run(add(1))
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try views(other) == views(104))
    }
    // The other one begins later than the branch, which cannot be told apart.
    #expect(code { try other.merge(into: draft) } == "merged-branch")
    #expect(try views(draft) == views(4))
  }

  @Test("fields without a sum are merged as often as wanted") func others() throws {
    try draft.run(#"mutation { updatePage(where: id == 1, set: {title: "a"}) insertPage(data: {id: 3, views: 7}) }"#)
    try draft.merge(into: other)
    try database.run(add(100))
    try draft.refresh()
    try draft.run(#"mutation { updatePage(where: id == 1, set: {title: "b"}) }"#)
    try draft.merge(into: other, conflicts: .mine)
    #expect(
      try other.run("{ Page(orderBy: id) { title views } }").jsonString
        == #"{"Page":[{"title":"b","views":100},{"title":null,"views":0},{"title":null,"views":7}]}"#)
  }

  @Test("a merge that is taken back, or dropped, can be made again") func takenBack() throws {
    try draft.run(add(3))
    try draft.merge(into: other)
    #expect(try views(other) == views(3))
    try other.undo()
    #expect(try views(other) == views(0))
    try draft.merge(into: other)
    #expect(try views(other) == views(3))
    try other.discard()
    #expect(try views(other) == views(0))
    try draft.merge(into: other)
    #expect(try views(other) == views(3))
    // What the database has is not dropped with the branch.
    try other.merge(into: database)
    try other.run(add(10))
    try other.discard()
    try draft.merge(into: other)
    #expect(try views(other) == views(3))
  }

  @Test("an earlier merge that was taken back, and not the last, is refused") func earlier() throws {
    let second = "mutation { updatePage(where: id == 2, set: {views: views + 3}) }"
    try draft.run(add(5))
    try draft.merge(into: other)
    let first = other.database.version
    try draft.run(second)
    try draft.merge(into: other)
    try other.database.undo(first)
    #expect(try other.run("{ views := Page(orderBy: id).views }").jsonString == #"{"views":[0,3]}"#)
    #expect(code { try draft.merge(into: other) } == "merged-branch")
    #expect(try other.run("{ views := Page(orderBy: id).views }").jsonString == #"{"views":[0,3]}"#)
    // It is known again once both are taken back, or neither.
    try other.database.undo(other.database.version)
    try draft.merge(into: other)
    #expect(try other.run("{ views := Page(orderBy: id).views }").jsonString == #"{"views":[5,3]}"#)
  }

  @Test("a merge that is taken back and done again is there once") func redone() throws {
    try draft.run(add(5))
    try draft.merge(into: other)
    try other.database.undo(1)
    try draft.merge(into: other)
    #expect(try views(other) == views(5))
    try other.database.undo(3)
    #expect(try views(other) == views(0))
    // Does the first one again.
    try other.database.undo(2)
    #expect(try views(other) == views(5))
    let refused = code { try draft.merge(into: other) }
    #expect(refused == nil || refused == "merged-branch")
    #expect(try views(other) == views(5))
  }

  @Test("what takes a merge back among other things, or in part, is refused") func mixed() throws {
    try draft.run(add(5))
    try draft.merge(into: other)
    try other.run("mutation { a: _undo(version: 1) b: insertPage(data: {id: 7}) { id } }")
    #expect(try other.run("{ views := Page(orderBy: id).views }").jsonString == #"{"views":[0,0,0]}"#)
    #expect(code { try draft.merge(into: other) } == "merged-branch")
    // It is known again where there is nothing of it.
    try other.discard()
    try draft.merge(into: other)
    #expect(try views(other) == views(5))
    try draft.run("mutation { updatePage(where: id == 2, set: {views: views + 3}) }")
    try draft.merge(into: other)
    let merged = other.database.version
    try other.run("mutation { updatePage(where: id == 2, set: {views: views + 1}) }")
    try other.discard()
    try draft.merge(into: other)
    #expect(try other.run("{ views := Page(orderBy: id).views }").jsonString == #"{"views":[5,3]}"#)
    let again = other.database.version
    #expect(again > merged)
    try other.run("mutation { updatePage(where: id == 2, set: {views: views + 1}) }")
    try other.database.undo(again, only: .untouched)
    #expect(try other.run("{ views := Page(orderBy: id).views }").jsonString == #"{"views":[0,4]}"#)
    #expect(code { try draft.merge(into: other) } == "merged-branch")
  }

  @Test("what the database has of a merge stays when the rest is dropped") func savedAndDropped() throws {
    try draft.run(add(5))
    try draft.merge(into: other)
    try other.merge(into: database)
    try draft.run(add(2))
    try draft.merge(into: other)
    #expect(try views(other) == views(7))
    try other.discard()
    #expect(try views(other) == views(5))
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try views(other) == views(7))
    }
    // To drop them can be taken back, too.
    try other.discard()
    try other.database.undo(other.database.version)
    #expect(try views(other) == views(7))
    try draft.merge(into: other)
    #expect(try views(other) == views(7))
  }

  @Test("what was added and taken back before the branch was refreshed is refused") func takenBackInSource() throws {
    try draft.run(add(5))
    try draft.merge(into: other)
    try draft.run(add(-5))
    try database.run("mutation { insertPage(data: {id: 3}) }")
    try draft.refresh()
    #expect(code { try draft.merge(into: other) } == "merged-branch")
    #expect(try views(other) == views(5))
  }

  @Test("what a branch adds after it was refreshed comes, where it had added nothing before") func addedLater() throws {
    try draft.run(#"mutation { updatePage(where: id == 1, set: {title: "t"}) }"#)
    try draft.merge(into: other)
    try database.run("mutation { insertPage(data: {id: 3}) }")
    try draft.refresh()
    try draft.run(add(5))
    for _ in 1...2 {
      try draft.merge(into: other)
      #expect(try other.run("{ page(id: 1) { title views } }").jsonString == #"{"page":{"title":"t","views":5}}"#)
    }
  }

  @Test("what was not brought because the other one had deleted it is not taken for there") func deletedThere() throws {
    try draft.run(add(5))
    try draft.run("mutation { insertPage(data: {id: 9}) }")
    try other.run("mutation { deletePage(where: id == 1) }")
    let deletion = other.database.version
    try draft.merge(into: other, conflicts: .theirs)
    try other.database.undo(deletion)
    #expect(try other.run("{ views := Page(orderBy: id).views }").jsonString == #"{"views":[0,0,0]}"#)
    #expect(code { try draft.merge(into: other) } == "merged-branch")
  }

  @Test("a refreshed branch whose merge is taken back gets it again") func refreshedAndTakenBack() throws {
    try draft.run(add(5))
    try draft.merge(into: other)
    try database.run("mutation { insertPage(data: {id: 3}) }")
    try other.refresh()
    try other.database.undo(1)
    #expect(try other.run("{ page(id: 1) { views } }").jsonString == #"{"page":{"views":0}}"#)
    try draft.merge(into: other)
    #expect(try other.run("{ page(id: 1) { views } }").jsonString == #"{"page":{"views":5}}"#)
  }

  @Test("many merges leave a short list, and the last is known") func many() throws {
    for number in 1...200 {
      try draft.run(add(1))
      try draft.merge(into: other)
      if number % 50 == 0 {
        try other.undo()
        try draft.merge(into: other)
      }
    }
    #expect(try views(other) == views(200))
    try draft.merge(into: other)
    #expect(try views(other) == views(200))
  }

  @Test("a rule that the schema gets later adds nothing twice") func laterRule() throws {
    let plain = try Database(schema: "type Page { id: ID! views: Int! = 0 }")
    try plain.run("mutation { insertPage(data: {id: 1, views: 10}) }")
    let (draft, other) = (try plain.branch("draft"), try plain.branch("other"))
    try draft.run(add(5))
    try draft.merge(into: other)
    try plain.changeSchema(to: "type Page { id: ID! views: Int! = 0 @merge(by: SUM) }")
    let refused = code { try draft.merge(into: other) }
    #expect(refused == nil || refused == "merged-branch")
    #expect(try other.run("{ page(id: 1) { views } }").jsonString == #"{"page":{"views":15}}"#)
  }

  @Test("a branch that is made again under its name is another one for a context") func madeAgain() throws {
    let context = database.edit(.snapshot)
    try draft.run(add(3))
    try draft.merge(into: context)
    try draft.drop()
    let again = try database.branch("draft")
    try again.run(add(4))
    try again.merge(into: context)
    #expect(try views(context) == views(7))
  }

  @Test("into a context", arguments: [EditingMode.live, .snapshot]) func context(_ mode: EditingMode) throws {
    let context = database.edit(mode)
    try draft.run(add(3))
    for _ in 1...2 {
      try draft.merge(into: context)
      #expect(try views(context) == views(3))
    }
    try draft.run(add(1))
    try draft.merge(into: context)
    #expect(try views(context) == views(4))
    try context.discard()
    #expect(try views(context) == views(0))
    try draft.merge(into: context)
    #expect(try views(context) == views(4))
    try context.save()
    try draft.merge(into: context)
    #expect(try views(context) == views(4))
    #expect(try database.run("{ page(id: 1) { views } }").jsonString == #"{"page":{"views":4}}"#)
  }
}
