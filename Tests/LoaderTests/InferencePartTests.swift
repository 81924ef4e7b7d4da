import GQLBase
import GQLDifferential
import Testing

@testable import GQLLoader

/// Lines that are read in parts, on several processors, give the schema that they give as a whole.
@Suite struct InferencePartTests {
  private func schema(
    _ tables: [(name: String, records: [String])], partBytes: Int, isList: Bool = false
  ) throws -> InferredSchema {
    let sources = tables.map { table in
      let text = isList ? "[" + table.records.joined(separator: ",\n") + "]" : table.records.joined(separator: "\n")
      return LoadSource.bytes(Array(text.utf8), isList ? .json : .ndjson, type: table.name, name: "\(table.name)")
    }
    let files = try SourceOpening.open(sources, for: nil, SourceOpening.Bounds(expandedBytes: 1 << 30)).files
    return try SchemaInference.schema(of: files, partBytes: partBytes)
  }

  /// A record with some of the names that inference looks at, in some order.
  private func record(_ number: Int, _ random: inout SeededRandom, style: Int) -> String {
    var members = ["\"n\":\(random.below(5))"]
    if style & 1 == 0 || !random.chance(3) { members.append("\"id\":\(random.chance(style & 2) ? 3 : number)") }
    if random.chance(60) { members.append("\"url\": \"https://host.example/\(number)\"") }
    if random.chance(30) { members.append("\"code\":\"c\(number)\"") }
    if random.chance(50) { members.append("\"other_id\":\(random.below(20))") }
    if random.chance(40) {
      members.append(
        "\"day\":\(random.pick(["\"2024-01-02\"", "null", "\"2024-01-03\"", random.chance(2) ? "\"soon\"" : "\"1999-12-31\""]))"
      )
    }
    if random.chance(40) {
      members.append("\"size\":\(random.pick(["1", "-0", "2.5", "1e3", random.chance(2) ? "1e999" : "7"]))")
    }
    if random.chance(20) {
      members.append("\"owner\":{\"id\":\(random.below(9)),\"name\":\"é\",\"x\(random.below(3))\":[1,null]}")
    }
    if random.chance(20) {
      members.append("\"tags\":[\(random.pick(["", "\"a\"", "1,2", "{\"k\":1}", "{\"id\":4,\"v\":true}"]))]")
    }
    if random.chance(1) { members.append("\"late\(random.below(4))\":true") }
    if random.chance(5) { members.append("\"\\u0069s\":true") }
    if random.chance(30) { members.shuffle(using: &random) }
    return "{" + members.joined(separator: random.pick([",", ", "])) + "}"
  }

  @Test("records that say their types, with broken ones among them", arguments: 0..<20 as Range<UInt64>)
  func typedRecords(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let records = (0..<80).map { number in
      let typename = number == 0 || random.chance(95) ? "\"__typename\":\"\(random.pick(["A", "B", "my type"]))\"," : ""
      return "{\(typename)" + record(number + 1, &random, style: 0).dropFirst()
    }
    let whole = try schema([("events", records)], partBytes: 100)
    // The names of types come in the order of their first records.
    #expect(whole.sdl.hasPrefix("type "))
    var broken = records
    for fault in [#"{"__typename":"Broken","id":1,"#, #"{"id":4,"__typename":5,}"#, "nonsense"] {
      broken.insert(fault, at: 1 + random.below(broken.count))
    }
    let found = try schema([("events", broken)], partBytes: 100)
    #expect(found.sdl == whole.sdl && found.notes == whole.notes, "seed \(seed)")
    // One that says no name is of the type of its file.
    let isUnnamed = records.contains { !$0.contains("__typename") }
    #expect(whole.sdl.contains("type Events") == isUnnamed, "seed \(seed)")
  }

  @Test("in parts, as a whole, as a list, and checked first", arguments: 0..<60 as Range<UInt64>)
  func partsAgree(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let style = random.below(4)
    let tables = ["items", "others"].map { name in
      (name: name, records: (0..<150).map { record($0 + 1, &random, style: style) })
    }
    let whole = try schema(tables, partBytes: 1 << 30)
    #expect(!whole.sdl.isEmpty)
    for bytes in [0, 100, 1_000, 5_000] {
      let parts = try schema(tables, partBytes: bytes)
      #expect(parts.sdl == whole.sdl && parts.notes == whole.notes, "seed \(seed), parts of \(bytes)")
    }
    let list = try schema(tables, partBytes: 1, isList: true)
    #expect(list.sdl == whole.sdl && list.notes == whole.notes, "seed \(seed)")
    // What is broken counts nowhere, and what was read with it counts once.
    let broken = tables.map { table in
      var records = table.records
      for fault in [#"{"id":77,"only":"here""#, "{\"id\":1,}", "nonsense", #"{"id":5,"text":"\q"}"#, "[1,2]", "", "12"]
      {
        records.insert(fault, at: random.below(records.count + 1))
      }
      return (name: table.name, records: records)
    }
    for bytes in [0, 1_000, 1 << 30] {
      let found = try schema(broken, partBytes: bytes)
      #expect(found.sdl == whole.sdl && found.notes == whole.notes, "seed \(seed), parts of \(bytes)")
    }
  }

  @Test("a range ends with a line, and all lines are in one", arguments: [0, 1, 7, 16, 100, 10_000])
  func ranges(_ size: Int) {
    let text = Array((0..<200).map { String(repeating: "x", count: $0 % 9) }.joined(separator: "\n").utf8)
    text.withUnsafeBufferPointer { bytes in
      for start in [0, 3, text.count] {
        var ranges = LineRanges(bytes, from: start, size: size, width: 3)
        var position = start
        while let next = ranges.next() {
          #expect(next.count <= 3)
          for range in next {
            #expect(range.lowerBound == position && !range.isEmpty)
            #expect(range.upperBound == bytes.count || bytes[range.upperBound - 1] == 0x0A)
            position = range.upperBound
          }
        }
        #expect(position == text.count)
      }
    }
  }

  @Test("more names than there may be are none, in parts as in a whole") func manyNames() throws {
    let records = (0..<60).map { record in
      "{\"id\":\(record)," + (0..<200).map { "\"k\(record * 200 + $0)\":1" }.joined(separator: ",") + "}"
    }
    let nested = records.map { "{\"inner\":\($0)}" }
    let whole = try schema([("nested", nested)], partBytes: 1 << 30)
    #expect(try schema([("nested", nested)], partBytes: 3_000).sdl == whole.sdl)
    #expect(whole.sdl.contains("inner: JSON!"))
    #expect(throws: LoadFailure.self) { try schema([("T", records)], partBytes: 3_000) }
    #expect(throws: LoadFailure.self) { try schema([("T", records)], partBytes: 1 << 30) }
  }
}
