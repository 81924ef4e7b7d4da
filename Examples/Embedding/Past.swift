import Foundation
import GQLite

/// Goes back to earlier versions, and takes changes back.
func lookBack() throws {
  let database = try Database(schema: "type Note { id: ID! text: String! }")
  database.recentVersions = 64 << 20
  try database.run(#"mutation { insertNote(data: {id: 1, text: "draft"}) }"#)
  let first = database.version
  try database.run(#"mutation { updateNote(where: id == 1, set: {text: "final"}) }"#)
  let question = "{ note(id: 1) { text } }"
  let before = try database.view(version: first)
  print(try database.prepare(question).run(on: before).jsonString)
  print(try database.run("query @asOf(version: \(first)) \(question)").jsonString)
  print(try database.prepare(question).run(on: database.view(at: Date.now)).jsonString)

  let stack = database.undoStack(for: "editor")
  let rename = RunOptions(origin: "editor", action: "Rename")
  try database.run(#"mutation { updateNote(where: id == 1, set: {text: "renamed"}) }"#, options: rename)
  print(stack.undoNames)
  try stack.undo()
  print(try database.run(question).jsonString, stack.redoNames)
  try stack.redo()
  do throws(QueryError) {
    try database.undo(first)
  } catch {
    print(error.problems[0].code, error.problems[0].message)
  }
}
