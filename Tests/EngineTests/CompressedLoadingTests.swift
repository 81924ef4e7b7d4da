import Foundation
import GQLite
import Testing

/// Compressed files: the bytes below were made by the gzip module of Python and the tool zstd, two members each.
@Suite struct CompressedLoadingTests {
  static let gzip =
    "H4sIAAAAAAACA6tWykxRslIw1FFQykvMTQUylRxTEpVquQAfOY3WGQAAAB+LCAAAAAAAAgOrVspMUbJSMNJRUMpLzE0FMpWc8pOUarkALAj63xkAAAA="
  static let zstd =
    "KLUv/QRYyQAAeyJpZCI6IDEsICJuYW1lIjogIkFkYSJ9CodnizYotS/9BFjJAAB7ImlkIjogMiwgIm5hbWUiOiAiQm9iIn0KkExgNg=="

  private func write(_ bytes: Data, as name: String, in folder: TemporaryFolder) throws -> String {
    let file = folder.url.appending(path: name)
    try bytes.write(to: file)
    return file.path
  }

  @Test("several members are one content", arguments: [("gz", gzip), ("zst", zstd)])
  func expands(_ ending: String, _ base64: String) throws {
    let folder = try TemporaryFolder()
    let bytes = try #require(Data(base64Encoded: base64))
    let path = try write(bytes, as: "User.ndjson.\(ending)", in: folder)
    for source in [path, folder.path] {
      let database = try Database(schema: "type User { id: ID! name: String! }")
      try database.load(path: source)
      #expect(
        try database.query("{ User { id name } }").jsonString
          == #"{"User":[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]}"#)
    }
    let inferred = Database()
    try inferred.load(path: folder.path)
    #expect(try inferred.query("{ n: count(User) }").jsonString == #"{"n":2}"#)
  }

  @Test("data cut off anywhere is refused, never half loaded", arguments: [("gz", gzip), ("zst", zstd)])
  func cutOff(_ ending: String, _ base64: String) throws {
    let folder = try TemporaryFolder()
    let bytes = try #require(Data(base64Encoded: base64))
    // The end of the first member is a good end.
    let half = bytes.count / 2
    for count in 0..<bytes.count where count != half && abs(count - half) > 4 {
      let path = try write(bytes.prefix(count), as: "User.ndjson.\(ending)", in: folder)
      let database = try Database(schema: "type User { id: ID! name: String! }")
      let found = problem { try database.load(path: path) }
      #expect(found?.code == "unreadable-file" && found?.file == path, "\(count) bytes")
      #expect(database.count(of: "User") == 0)
    }
  }

  @Test("bytes that are something else are refused", arguments: ["gz", "zst"])
  func damaged(_ ending: String) throws {
    let folder = try TemporaryFolder()
    let path = try write(Data("no such thing".utf8), as: "User.ndjson.\(ending)", in: folder)
    let database = try Database(schema: "type User { id: ID! name: String! }")
    #expect(problem { try database.load(path: path) }?.code == "unreadable-file")
  }

  @Test("a small file that holds more than the limit is refused", arguments: [("gz", gzip), ("zst", zstd)])
  func limit(_ ending: String, _ base64: String) throws {
    let folder = try TemporaryFolder()
    let path = try write(try #require(Data(base64Encoded: base64)), as: "User.ndjson.\(ending)", in: folder)
    let database = try Database(schema: "type User { id: ID! name: String! }")
    let found = problem { try database.load(path: path, options: LoadOptions(maximumExpandedBytes: 49)) }
    #expect(found?.message.contains("expanded bytes") == true)
    try database.load(path: path, options: LoadOptions(maximumExpandedBytes: 50))
    #expect(database.count(of: "User") == 2)
  }
}
