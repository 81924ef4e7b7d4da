import Foundation
import SocialNetwork

extension Benchmark {
  /// Writes the data for other programs.
  func write(to directory: String) throws {
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (type, bytes) in network.ndjson() { try Data(bytes).write(to: folder.appending(path: "\(type).ndjson")) }
    try Data(SocialNetwork.schema.utf8).write(to: folder.appending(path: "schema.graphql"))
  }

  /// Writes what other programs need to check or time the same queries: `<name>.query`, `<name>.vars.json` (a list of
  /// variable sets) and `<name>.json` (SQLite's answer to the first set).
  func writeAnswers(to directory: String) throws {
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    try write(to: directory)
    let sqlite = try SQLiteDatabase()
    try SQLiteLoading.load(sqlite, network: network)
    try sqlite.execute(SQLiteLoading.extraIndexes)
    for query in QueryCases(network).all where options.includes(query.name) {
      let answer = try sqlite.prepare(query.sql[0]).answer(query.sets[0]) { Data($0) }
      let sets = query.sets.map { set in
        "{" + zip(query.parameters, set).map { "\"\($0)\":\($1.json)" }.joined(separator: ",") + "}"
      }
      try Data((query.document + "\n").utf8).write(to: folder.appending(path: "\(query.name).query"))
      try Data("[\(sets.joined(separator: ",\n"))]\n".utf8).write(to: folder.appending(path: "\(query.name).vars.json"))
      try (answer + Data("\n".utf8)).write(to: folder.appending(path: "\(query.name).json"))
    }
  }
}

extension Parameter {
  fileprivate var json: String {
    switch self {
    case .integer(let number): "\(number)"
    // Parameters are names, moments and words of the generator: nothing in them needs an escape.
    case .text(let text): "\"\(text)\""
    case .integers(let numbers): "[\(numbers.map(String.init).joined(separator: ","))]"
    }
  }
}
