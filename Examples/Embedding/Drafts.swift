import GQLite

/// An editor: it works on a draft, takes steps back, and saves beside others who write meanwhile.
struct PageEditor {
  private let database: Database
  private let draft: EditingContext

  init(_ database: Database) {
    self.database = database
    draft = database.edit()
  }

  func setTitle(_ title: String, of page: Int64) throws {
    try draft.run(
      "mutation($id: ID!, $title: String!) { updatePage(where: id == $id, set: {title: $title}) }",
      ["id": .int(page), "title": .string(title)], options: RunOptions(action: "Rename"))
  }

  func setTags(_ tags: [String], of page: Int64) throws {
    try draft.run(
      "mutation($id: ID!, $tags: [String!]!) { updatePage(where: id == $id, set: {tags: $tags}) }",
      ["id": .int(page), "tags": .list(tags.map { .string($0) })], options: RunOptions(action: "Tag"))
  }

  /// The title of the window.
  var summary: String {
    let steps = draft.undoStack.undoNames.compactMap(\.self).joined(separator: ", ")
    return draft.hasChanges ? "edited (\(steps))" : "saved"
  }

  func undo() throws { try draft.undo() }
  func redo() throws { try draft.redo() }

  func show() throws -> String { try draft.run("{ Page(orderBy: id) { id title tags views } }").jsonString }

  /// Saves; where others have written the same, `ask` decides for each field.
  func save(asking ask: ([String]) -> MergeChoice) throws -> MergeReport {
    do throws(QueryError) {
      return try draft.save(action: "Edit pages")
    } catch {
      guard error.problems.allSatisfy({ $0.code == "merge-conflict" }) else { throw error }
      return try draft.save(conflicts: ask(error.problems.map(\.message)), action: "Edit pages")
    }
  }
}

/// Edits pages while somebody else does.
func edit() throws {
  let database = try Database(
    schema: "type Page { id: ID! title: String! tags: [String!]! views: Int! @merge(by: SUM) }")
  try database.run(#"mutation { insertPage(data: [{id: 1, title: "Start", tags: ["a"], views: 0}]) }"#)
  let editor = PageEditor(database)
  try editor.setTitle("Welcome", of: 1)
  try editor.setTags(["a", "new"], of: 1)
  print(editor.summary)
  try editor.undo()
  print(editor.summary)
  try editor.redo()
  // Others go on meanwhile, and the draft shows what they do where it has not written.
  try database.run(#"mutation { updatePage(where: id == 1, set: {title: "Home", tags: ["z", "a"], views: 7}) }"#)
  print(try editor.show())
  let report = try editor.save { conflicts in
    print(conflicts.joined(separator: "\n"))
    return .mine
  }
  print(report.applied)
  print(try database.run("{ Page { title tags views } }").jsonString)
  try keepBranch(of: database)
  try draft()
}

/// Keeps a draft by its name.
private func keepBranch(of database: Database) throws {
  let branch = try database.branch("spring")
  try branch.run("mutation { updatePage(where: id == 1, set: {title: \"Spring\"}) }")
  try database.run("mutation { updatePage(where: id == 1, set: {views: views + 1}) }")
  for found in try database.branches { print(found.name, found.base, found.changes) }
  print(branch.changes)
  let merged = try branch.merge(into: database)
  print(merged.version, branch.hasChanges)
  try branch.drop()
}

/// Shows a draft, step by step.
private func draft() throws {
  let database = try Database(
    schema: "type User { id: ID! name: String! age: Int tags: [String!] text: String }")
  try database.run(#"mutation { insertUser(data: {id: 7, name: "Anna", age: 30, text: "a"}) }"#)

  let draft = database.edit()
  try draft.run(#"mutation { updateUser(where: id == 7, set: {name: "Ann"}) }"#)
  print(draft.changes)
  try database.run("mutation { updateUser(where: id == 7, set: {age: 31}) }")
  print(try draft.run("{ user(id: 7) { name age } }").jsonString)
  let report = try draft.save()
  print(report.version, report.conflicts.count, draft.hasChanges)

  let other = database.edit(.snapshot)
  try other.run(#"mutation { updateUser(where: id == 7, set: {name: "Annie"}) }"#)
  try database.run(#"mutation { updateUser(where: id == 7, set: {name: "Anne"}) }"#)
  do throws(QueryError) {
    try other.save()
  } catch {
    print(error.problems[0].code, error.problems[0].message)
  }
  for conflict in try other.save(conflicts: .mine).conflicts {
    print(conflict.type, conflict.id, conflict.field ?? "", conflict.base, conflict.mine, conflict.theirs)
  }

  try database.onMerge("User.text") { base, mine, theirs in
    .string([theirs, mine].compactMap(\.string).joined(separator: "\n"))
  }
}
