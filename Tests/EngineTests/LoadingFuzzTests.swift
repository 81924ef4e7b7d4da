import GQLite
import Testing

/// Damaged data: an error or a load, never a crash, and the database is whole afterwards.
@Suite struct LoadingFuzzTests {
  private static let schema = """
    enum E { RED GREEN }
    type A { city: String! geo: G }
    type G { lat: Float }
    type X {
      id: ID! s: String @index i: Int @index f: Float d: Decimal dt: DateTime u: UUID by: Bytes j: JSON e: E ls: [String!]
      a: A mail: String @unique x: X @relation(inverse: "xs") xs: [X!]! @relation(inverse: "x") ys: [Y!]!
    }
    type Y { id: ID! n: Int! }
    """
  private static let lines = Array(
    #"""
    {"id":1,"s":"text é \u00e9 \ud83d\ude00","i":-12,"f":1.5e3,"d":12.50,"dt":"2024-02-29T12:00:00Z","e":"RED","ls":["a","b"]}
    {"id":"two","u":"0f8fad5b-d9cb-469f-a165-70867728950e","by":"AQID","j":{"k":[1,null,true]},"a":{"city":"c","geo":{"lat":1}}}
    {"id":3,"x":{"id":4,"mail":"m@x","xs":[{"id":5,"s":"n"}]},"xs":[1,"two"],"ys":[{"id":1,"n":1},{"id":2,"n":2},1]}
    {"id":6,"mail":"n@x","x":1,"ys":[9]}

    """#.utf8)
  private static let table = Array(
    "id,s,i,a.city,a.geo.lat,ls,x,ys\r\n1,\"a \"\"b\"\", c\",7,c,1.5,\"[\"\"x\"\"]\",,1;2\r\n2,,-3,,,[],1,\r\n3,é,,d,,,2,3\r\n"
      .utf8)
  private static let interesting: [UInt8] =
    Array("{}[]\",:\\;.-+eE0189nutf \n\r\t".utf8) + [0, 0x7F, 0x80, 0xC3, 0xE2, 0xF0, 0xFF]

  @Test("mutated bytes", arguments: 1...8 as ClosedRange<UInt64>)
  func mutations(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let database = try Database(schema: Self.schema)
    try database.load([.lines("X", #"{"id":"kept"}"#)])
    for round in 0..<400 {
      let isTable = round % 3 == 0
      var bytes = isTable ? Self.table : Self.lines
      for _ in 0..<(1 + random.below(4)) { Self.mutate(&bytes, &random) }
      let source: DataSource =
        switch (isTable, random.below(4)) {
        case (true, _): .csv(type: "X", bytes: bytes)
        case (false, 0): .json(type: "X", bytes: [0x5B] + bytes.map { $0 == 0x0A ? 0x2C : $0 } + [0x5D])
        case (false, _): .ndjson(type: "X", bytes: bytes)
        }
      let trial = round % 10 == 0 ? database : try Database(schema: Self.schema)
      let before = trial.count(of: "X")
      do {
        try trial.load([source], options: LoadOptions(skipsBadRecords: random.chance(50)))
      } catch {
        #expect(trial.count(of: "X") == before)
      }
      if round % 4 == 0 || round % 10 == 0 {
        let found = trial.check()
        if found != [] {
          Issue.record("seed \(seed), round \(round): \(found)\n\(String(decoding: bytes, as: UTF8.self))")
          return
        }
        _ = try trial.query("{ X(orderBy: [s, -i], limit: 5) { ...* x { id } xs { id } ys { id n } } }")
      }
    }
    // Without a schema, anything may be inferred, or refused.
    for _ in 0..<60 {
      var bytes = Self.lines
      for _ in 0..<3 { Self.mutate(&bytes, &random) }
      let inferred = Database()
      if (try? inferred.load(
        [.ndjson(type: "X", bytes: bytes)], options: LoadOptions(skipsBadRecords: random.chance(50)))) != nil
      {
        #expect(inferred.check() == [])
        _ = try Database(schema: inferred.schema)
      }
    }
  }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    guard !bytes.isEmpty else { return }
    let place = random.below(bytes.count)
    switch random.below(6) {
    case 0: bytes[place] = random.pick(interesting)
    case 1: bytes.insert(random.pick(interesting), at: place)
    case 2: bytes.remove(at: place)
    case 3: bytes.removeLast(random.below(bytes.count))
    case 4:
      let end = min(bytes.count, place + random.below(40))
      bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count))
    default: bytes[place] ^= UInt8(1 << random.below(8))
    }
  }
}
