import Foundation
import Testing

/// Files with bytes changed, cut off and repeated: the command answers or refuses, and it ends.
@Suite struct DamagedFileTests {
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("T.ndjson", lines), ("T.json", Array("[{\"id\":1,\"s\":\"é\",\"n\":[1,2]},{\"id\":2,\"t\":{\"id\":1}}]".utf8)),
    ("all.json", Array(#"{"T":[{"id":1,"u":5}],"U":[{"id":5,"a":{"b":"2014-12-09 13:50:51"}}]}"#.utf8)),
    ("T.csv", Array("\u{FEFF}id,s,a.b,\"l\"\r\n1,\"x \"\"y\"\"\",1e3,\"[1,2]\"\r\n2,,,\r\n".utf8)),
    ("T.ndjson.gz", DataFiles.gzip), ("T.ndjson.zst", DataFiles.zstd), ("T.db", DataFiles.sqlite),
    ("T.sqlite", DataFiles.sqlite),
    (
      "schema.graphql",
      Array("enum E { A B } type T @index(fields: [\"s\"]) { id: ID! s: String e: E = A t: T }\n".utf8)
    ),
    ("v.json", Array("\u{FEFF}{\"a\": [1, 2.5e3, {\"b\": \"\\u00e9\", \"c\": null}]}".utf8)),
  ]
  private static let lines = Array(
    "{\"id\":1,\"s\":\"a \\u00e9 \\ud83d\\ude00\",\"n\":-1.5e3,\"a\":{\"b\":[1,null]}}\n{\"id\":\"x\",\"t\":1}\n".utf8)

  @Test("random damage", .timeLimit(.minutes(5))) func damage() throws {
    var random = Generator(state: 18)
    let folder = try Scratch()
    for round in 0..<250 {
      let (name, good) = Self.files[round % Self.files.count]
      var bytes = good
      for _ in 0...Int(random.next() % 4) { Self.damage(&bytes, &random) }
      try folder.write(name, bytes)
      var arguments = ["--data", name, "-e", "{ n: count(T) T { ...* } }"]
      if name.hasSuffix("graphql") { arguments = ["--schema", name, "-e", "{ T { ...* } }"] }
      if name == "v.json" { arguments = ["--vars", name, "-e", "query($a: JSON) { a := $a }"] }
      if round % 3 == 0, name != "v.json" { arguments.append("--skip-bad") }
      let result = try Gqlite.run(arguments, in: folder.url, patience: 60)
      let isGood = result.status == 0 || ((1...2).contains(result.status) && !result.errors.isEmpty)
      let size = "\(bytes.count) bytes: \(Data(bytes).base64EncodedString())"
      #expect(isGood, "round \(round), \(name), status \(result.status), \(size)\n\(result.errors)")
      try FileManager.default.removeItem(at: folder.url.appending(path: name))
    }
  }

  private static func damage(_ bytes: inout [UInt8], _ random: inout Generator) {
    guard !bytes.isEmpty else { return }
    let place = Int(random.next() % UInt64(bytes.count))
    let count = min(bytes.count - place, 1 + Int(random.next() % 40))
    switch random.next() % 6 {
    case 0: bytes[place] ^= UInt8(1 << (random.next() % 8))
    case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 2: bytes[place] = [0, 0xFF, 0x22, 0x7B, 0x5B, 0x2C, 0x0A, 0x5C][Int(random.next() % 8)]
    case 3: bytes.removeLast(bytes.count - place)
    case 4: bytes.removeSubrange(place..<place + count)
    default: bytes.insert(contentsOf: bytes[place..<place + count], at: Int(random.next() % UInt64(bytes.count)))
    }
  }

  /// The same numbers each time.
  private struct Generator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = state
      word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
      return word ^ word >> 31
    }
  }
}
