import Foundation
import GQLiteModels

@EntityModel
struct Note {
  let id: String
  var title: String
}

@EntityModel(was: "Note")
struct Memo {
  let id: String
  @Field(was: "title") var name: String
  @Field(3) var stars: Int?
}

/// Models in a file, and what the next version of the program reads.
func fileLines() throws -> [String] {
  let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let path = folder.appending(path: "notes.gqlite").path
  var lines: [String] = []
  do {
    let database = try Database(path: path, models: [Note.self])
    try Note(id: "1", title: "kept").save(to: database)
    lines.append(try database.run("{ Note { title } }").jsonString)
    try database.close()
  }
  let database = try Database(path: path, models: [Memo.self])
  lines += try Memo.query().results(in: database).map(\.name)
  try database.close()
  return lines
}
