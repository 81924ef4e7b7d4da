import Foundation
import GQLite

/// A database that keeps its data in a file.
func keepData() throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "gqlite-example-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  // Two runs of one program: the second sees what the first has written.
  for _ in 1...2 { print(try countRun(folder.appending(path: "runs.gqlite").path)) }
  let path = folder.appending(path: "shop.gqlite").path
  try makeFile(path)
  try changeFile(path)
  try readFile(path)
}

/// Counts the runs of a program in a file.
private func countRun(_ path: String) throws -> String {
  let database = try Database(path: path, schema: "type Counter { id: ID! runs: Int! }")
  let answer = try database.run(
    "mutation { upsertCounter(data: {id: 1, runs: 1}, set: {runs: old.runs + 1}) { runs } }")
  try database.close()
  return answer.jsonString
}

private func makeFile(_ path: String) throws {
  let schema = "type Product { id: ID! name: String! price: Decimal! }"
  let database = try Database(path: path, schema: schema)
  try database.run(#"mutation { insertProduct(data: {id: 1, name: "Lamp", price: 19.5}) { id } }"#)
  try database.close()
}

/// Writes with a wait for the disk at the end only, goes on after a failure, and makes a copy.
private func changeFile(_ path: String) throws {
  let options = StorageOptions(durability: .normal)
  let database = try Database(path: path, storage: options)
  try database.run("mutation { updateProduct(where: id == 1, set: {price: 18}) { id } }")
  try database.flush()
  print(database.version)

  do throws(QueryError) {
    try database.run(#"mutation { insertProduct(data: {id: 2, name: "Rug", price: 80}) { id } }"#)
  } catch {
    guard error.problems.contains(where: { $0.code.hasPrefix("storage-") }) else { throw error }
    try database.reopen()
    print(try database.run("{ Product(where: id == 2) { name } }").jsonString)
  }
  try database.backup(to: path + ".backup")

  let insert = try database.prepare(
    #"mutation($id: ID!) { insertProduct(data: {id: $id, name: "Rug", price: 80}) { id } }"#)
  let submissions = try (10..<20).map { try insert.submit(["id": .int($0)]) }
  for submission in submissions { print(try submission.answer().jsonString) }

  let follower = try Database(path: path, storage: StorageOptions(access: .follow))
  try database.run("mutation { updateProduct(where: id == 1, set: {price: 17}) { id } }")
  print(try follower.run("{ Product { name price } }").jsonString)

  try database.compact()
  try database.close()
}

/// Reads what another database may be writing.
private func readFile(_ path: String) throws {
  let reader = try Database(path: path, storage: StorageOptions(access: .read))
  print(try reader.run("{ Product { name } }").jsonString)
}
