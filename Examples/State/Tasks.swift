import Foundation
import GQLiteState

@Model(id: 2)
final class Task {
  @Property(id: 1) var title: String
  @Property(id: 2) var isDone: Bool
  @Property(id: 3) var steps: [String]
  @Reference(id: 4) var follows: Task?
}

/// A list of tasks in a file: a draft that is committed as a whole, what was there before, what is deleted and comes back.
func tasks() throws -> [String] {
  let folder = FileManager.default.temporaryDirectory.appending(path: "tasks-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let database = try SQLiteHistoryDatabase(path: folder.appending(path: "tasks.gqlite").path)
  var lines: [String] = []

  let shopping = Task.create(in: database, id: 1, title: "shop", isDone: false, steps: ["bread", "tea"])
  let before = Date()

  let draft = database.createEditingContext()
  let cooking = Task.create(in: draft, id: 2, title: "cook", isDone: false, steps: [], follows: shopping)
  cooking.follows?.steps.append("rice")
  lines.append("\(shopping.steps.count) steps, \(database.all(of: Task.self).count) task")
  draft.commitChanges()
  lines.append("\(shopping.steps.count) steps, \(database.all(of: Task.self).count) tasks")

  shopping.isDone = true
  shopping.delete()
  let open = QueryDescriptor<Task>(filter: { !$0.isDone }, sortBy: { $0.title })
  lines.append(open.results(in: database).map { "\($0.title) after \($0.follows?.status ?? .created)" }.joined())
  lines.append(open.results(in: database.view(at: before)).map { "\($0.title): \($0.steps)" }.joined())
  shopping.insert()
  lines.append(try database.gqlite.run("{ Task(where: isDone) { title steps } }").jsonString)
  if let error = database.errors.last { lines.append("\(error)") }
  try database.close()
  return lines
}
