import GQLite
import StorageProofs
import Testing

/// Tests that lists of every kind are in a file what they were before.
@Suite struct ListKindTests {
  private static let schema = """
    enum Mood { HAPPY SAD }
    type D {
      id: ID! bytes: [Bytes] texts: [String] ids: [ID] ints: [Int] floats: [Float] decimals: [Decimal] flags: [Boolean]
      moods: [Mood] dates: [Date] times: [DateTime] spans: [Duration] uuids: [UUID]
    }
    """
  private static let written = #"""
    mutation { insertD(data: [{
      id: 1, bytes: ["AAAA", null, "", "AA==", "AAA="], texts: ["a\"b", "", null, "]"], ids: ["7", 7, null],
      ints: [1, null, -9223372036854775808], floats: [0.5, null, -0.0], decimals: [1.50, null], flags: [true, null, false],
      moods: [SAD, null, HAPPY], dates: ["2024-02-29", null], times: ["2024-02-29T12:00:00Z", null],
      spans: ["PT1H", null], uuids: ["123e4567-e89b-12d3-a456-426614174000", null]
    }, {id: 2, bytes: [], texts: []}, {id: 3, bytes: [""]}, {id: 4, bytes: ["", ""]}]) }
    """#
  private static let read = """
    { D(orderBy: id) { id bytes texts ids ints floats decimals flags moods dates times spans uuids } }
    """

  @Test func areReadAgain() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    var database = try Database(path: path, schema: Self.schema)
    try database.run(Self.written)
    let before = try database.run(Self.read).jsonString
    #expect(before.contains(#""bytes":["AAAA",null,"","AA==","AAA="]"#))
    for compacts in [false, true] {
      if compacts { try database.compact() }
      try database.close()
      #expect(try Database.verify(path: path) == [])
      database = try Database(path: path)
      #expect(try database.run(Self.read).jsonString == before)
    }
  }

  /// Each quote was written twice, which no reader took.
  @Test func bytesWithDoubledQuotesAreRead() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    var database = try Database(path: path, schema: "type D { id: ID! b: [Bytes] }")
    try database.run(#"mutation { insertD(data: {id: 1, b: ["AAAA", null, ""]}) }"#)
    try database.compact()
    let before = try database.run("{ D { id b } }").jsonString
    try database.close()
    // A row with its checksum, as it was written then.
    try RawFile.execute(
      path,
      #"""
      UPDATE gqlite_t1 SET v = 1, sum = 3230641137, f2 = '[""AAAA"",null,""""]', f3 = 1795896517339070, f4 = 1795896517339070;
      UPDATE gqlite_type SET sum = 3230641137
      """#)
    database = try Database(path: path)
    #expect(try database.run("{ D { id b } }").jsonString == before)
    try database.run(#"mutation { updateD(where: id == 1, set: {b: ["AA=="]}) }"#)
    try database.close()
    database = try Database(path: path)
    #expect(try database.run("{ d(id: 1) { b } }").jsonString == #"{"d":{"b":["AA=="]}}"#)
  }
}
