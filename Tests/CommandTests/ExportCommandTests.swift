import Foundation
import GQLite
import Testing

/// `gqlite export`, and databases that are made of what it writes.
@Suite struct ExportCommandTests {
  private static let schema = """
    enum Kind { BOOK LAMP }
    interface Named { name: String! }
    type Place { city: String! zip: Int tags: [String!] link: Maker rooms: [Room!] }
    type Room { n: Int! inner: [Room] who: Maker }
    type Maker implements Named {
      id: ID!
      name: String!
      address: Place
      places: [Place!]
      products: [Product!]! @relation(inverse: "maker")
    }
    type Country @id(fields: ["code", "number"]) {
      code: String!
      number: Int!
      name: String = "unknown"
      products: [Product] @relation(inverse: "countries")
    }
    type Product implements Named {
      id: ID!
      maker: Maker @relation(inverse: "products")
      name: String! @collate(CI) @index
      price: Decimal
      kind: Kind = LAMP
      tags: [String!]
      sizes: [Float]
      made: DateTime
      day: Date
      span: Duration
      isSold: Boolean
      data: JSON
      raw: Bytes
      matrix: [[Int]]
      similar: [Product] @relation(inverse: "similarTo")
      similarTo: [Product] @relation(inverse: "similar")
      friends: [Product] @relation(inverse: "friends")
      fan: Named
      fans: [Named]
      countries: [Country] @relation(inverse: "products")
    }
    """

  private static let makers = """
    insertMaker(data: [
      {id: "m2", name: "B", address: {city: "Ulm", zip: 1, link: {id: "m2"}, rooms: [
        {n: 2, inner: [{n: 3}], who: {id: "m2"}}, {n: 1}]}, places: [{city: "A"}, {city: "B", rooms: [{n: 9}]}]},
      {id: "m1", name: "Ada & Söhne"}]) { id }
    insertCountry(data: [{code: "FR", number: 2, name: null}, {code: "DE", number: 1}]) { code }
    """
  private static let products = [
    """
    insertProduct(data: {id: 2, name: "Book", tags: [], kind: null, span: "PT5M", matrix: [[1, 2], [3]]}) { id }
    """,
    """
    insertProduct(data: {id: 1, name: "Lamp", price: 19.50, kind: BOOK, tags: ["a", "b\\"c"], sizes: [1.5, null, -0.25],
      made: "2026-01-02T03:04:05.678901Z", day: "1969-12-31", isSold: true, data: {a: [1, null]}, raw: "AAEC/w=="}) { id }
    """,
    "insertProduct(data: {id: 10, name: \"Ten\"}) { id }",
    "insertProduct(data: {id: \"x\", name: \"\", price: 0.10}) { id }",
  ]
  private static let links = """
    updateProduct(where: id == 1, set: {
      similar: [{id: 10}, {id: 2}], friends: [{id: "x"}, {id: 2}], countries: [{code: "FR", number: 2}, {code: "DE", number: 1}],
      fan: {__typename: "Maker", id: "m1"},
      fans: [{__typename: "Product", id: 10}, {__typename: "Maker", id: "m2"}, {__typename: "Product", id: 1}]}) { id }
    updateMaker(where: id == "m1", set: {products: [{id: 10}, {id: 1}, {id: 2}]}) { id }
    deleteProduct(where: id == "x") { id }
    """

  /// A database whose products came in an order.
  private static func fill(_ scratch: Scratch, _ name: String, _ order: [Int]) throws {
    let database = try Database(path: scratch.url.appending(path: name).path, schema: schema)
    try database.run("mutation { \(makers) }")
    for index in order { try database.run("mutation { \(products[index]) }") }
    try database.run("mutation { \(links) }")
    try database.close()
  }

  /// The files of a folder, by name.
  private static func files(_ scratch: Scratch, _ folder: String) throws -> [String: String] {
    var found: [String: String] = [:]
    let path = scratch.url.appending(path: folder).path
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      found[name] = try scratch.read("\(folder)/\(name)")
    }
    return found
  }

  @Test("an export is the same for equal databases, and makes an equal one") func roundTrip() throws {
    let folder = try Scratch()
    try Self.fill(folder, "a.gqlite", [0, 1, 2, 3])
    try Self.fill(folder, "b.gqlite", [3, 2, 0, 1])
    let done = try folder.gqlite("export", "a.gqlite", "a")
    #expect(done.status == 0 && done.output == "Maker: 2\nCountry: 2\nProduct: 3\n")
    #expect(done.errors == "gqlite: note: deleted entities are not exported: 1\n")
    #expect(try folder.gqlite("export", "--db", "b.gqlite", "b").status == 0)
    let files = try Self.files(folder, "a")
    #expect(try Self.files(folder, "b") == files)
    #expect(files.keys.sorted() == ["Country.ndjson", "Maker.ndjson", "Product.ndjson", "schema.graphql"])
    #expect(
      files["Product.ndjson"] == """
        {"id":1,"maker":"m1","name":"Lamp","price":19.50,"kind":"BOOK","tags":["a","b\\"c"],"sizes":[1.5,null,-0.25],\
        "made":"2026-01-02T03:04:05.678901Z","day":"1969-12-31","isSold":true,"data":{"a":[1,null]},"raw":"AAEC/w==",\
        "similar":[10,2],"friends":[2],"fan":{"__typename":"Maker","id":"m1"},"fans":[{"__typename":"Product","id":10},\
        {"__typename":"Maker","id":"m2"},{"__typename":"Product","id":1}],\
        "countries":[{"code":"FR","number":2},{"code":"DE","number":1}]}
        {"id":2,"maker":"m1","name":"Book","kind":null,"tags":[],"span":"PT5M","matrix":[[1,2],[3]],"similarTo":[1],\
        "friends":[1]}
        {"id":10,"maker":"m1","name":"Ten","kind":"LAMP","similarTo":[1]}

        """)
    #expect(
      files["Maker.ndjson"] == """
        {"id":"m1","name":"Ada & Söhne","products":[10,1,2]}
        {"id":"m2","name":"B","address":{"city":"Ulm","zip":1,"link":"m2","rooms":[{"n":2,"inner":[{"n":3}],"who":"m2"},\
        {"n":1}]},"places":[{"city":"A"},{"city":"B","rooms":[{"n":9}]}]}

        """)
    #expect(
      files["Country.ndjson"] == """
        {"code":"DE","number":1,"name":"unknown","products":[1]}
        {"code":"FR","number":2,"name":null,"products":[1]}

        """)
    // By import alone, and into a database that is there.
    #expect(try folder.gqlite("import", "--db", "c.gqlite", "a").status == 0)
    #expect(try folder.gqlite("init", "d.gqlite", "--schema", "a/schema.graphql").status == 0)
    #expect(try folder.gqlite("import", "--db", "d.gqlite", "a").errors == "")
    for name in ["c", "d"] {
      #expect(try folder.gqlite("export", "\(name).gqlite", name).status == 0)
      #expect(try Self.files(folder, name) == files)
      #expect(try folder.gqlite("verify", "\(name).gqlite").status == 0)
    }
  }

  @Test("an export is whole, or not there") func wholeOrNothing() throws {
    let folder = try Scratch()
    try folder.write("s.graphql", "type A { id: ID! n: Int @source(name: \"a\") m: Int @source(name: \"a\") }")
    #expect(try folder.gqlite("init", "a.gqlite", "--schema", "s.graphql").status == 0)
    #expect(try folder.gqlite("a.gqlite", "mutation { insertA(data: {id: 1, n: 2, m: 2}) { id } }").status == 0)
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "out"), withIntermediateDirectories: true)
    #expect(try folder.gqlite("export", "a.gqlite", "out").status == 0)
    #expect(try folder.read("out/A.ndjson") == "{\"id\":1,\"a\":2}\n")
    let refused = try folder.gqlite("export", "a.gqlite", "out")
    #expect(refused.status == 2 && refused.errors.contains("--replace"))
    // What one value cannot say.
    #expect(try folder.gqlite("a.gqlite", "mutation { updateA(where: id == 1, set: {m: 3}) { id } }").status == 0)
    let failed = try folder.gqlite("export", "a.gqlite", "out", "--replace")
    #expect(failed.status == 1 && failed.errors.contains("error[unsupported-data]: 'A.m' has another value than 'n'"))
    #expect(try folder.read("out/A.ndjson") == "{\"id\":1,\"a\":2}\n")
    #expect(try folder.gqlite("a.gqlite", "mutation { updateA(where: id == 1, set: {n: 3}) { id } }").status == 0)
    #expect(try folder.gqlite("export", "a.gqlite", "out", "--replace").status == 0)
    #expect(try folder.read("out/A.ndjson") == "{\"id\":1,\"a\":3}\n")
    try folder.write("out/notes.txt", "mine")
    let foreign = try folder.gqlite("export", "a.gqlite", "out", "--replace")
    #expect(foreign.status == 1 && foreign.errors.contains("error[unreadable-file]: out: the folder holds 'notes.txt'"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.filter { $0.contains(".tmp") } == [])
  }

  @Test("an export that finds no room names the file that it was to have") func noRoom() throws {
    let folder = try Scratch()
    let text = String(repeating: "x", count: 1000)
    try folder.write("A.ndjson", (0..<200).map { "{\"id\":\($0),\"s\":\"\(text)\"}\n" }.joined())
    #expect(try folder.gqlite("import", "--db", "a.gqlite", "A.ndjson").status == 0)
    // Files may have so many half kibibytes.
    let failed = try Gqlite.run(
      URL(filePath: "/bin/sh"), ["-c", "ulimit -f 128; exec '\(Gqlite.binary.path)' export a.gqlite out"],
      in: folder.url)
    #expect(failed.status == 1 && failed.errors.hasPrefix("error[unreadable-file]: out/A.ndjson: "), "\(failed)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.filter { $0.contains("out") } == [])
  }

  @Test(
    "only an export is replaced",
    arguments: [
      ["my-log.ndjson"], ["Log.ndjson"], ["schema.graphql", "my-log.ndjson"],
      ["schema.graphql", "A.ndjson", ".hidden"], ["schema.graphql", "sub.ndjson/A.ndjson"], ["schema.graphql/A.ndjson"],
    ]) func foreignFolders(_ files: [String]) throws
  {
    let folder = try Scratch()
    try folder.write("s.graphql", "type A { id: ID! }")
    #expect(try folder.gqlite("init", "a.gqlite", "--schema", "s.graphql").status == 0)
    for file in files { try folder.write("out/\(file)", "mine") }
    let refused = try folder.gqlite("export", "a.gqlite", "out", "--replace")
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.errors.hasPrefix("error[unreadable-file]: out: the folder holds '"), "\(refused)")
    for file in files { #expect(try folder.read("out/\(file)") == "mine") }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.filter { $0.contains(".tmp") } == [])
  }

  @Test("what a killed export has left goes with the next one") func remains() throws {
    let folder = try Scratch()
    try folder.write("s.graphql", "type A { id: ID! }")
    #expect(try folder.gqlite("init", "a.gqlite", "--schema", "s.graphql").status == 0)
    func make(_ name: String) throws {
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: name), withIntermediateDirectories: true)
      try folder.write("\(name)/schema.graphql", "type A { id: ID! }")
      try folder.write("\(name)/A.ndjson", "{\"id\":1}\n")
    }
    // Of the same folder, of others, and one that a process writes now.
    let gone = [".out.77.tmp", ".out.78.tmp"]
    let kept = [".out.tmp", ".out.x1.tmp", ".outer.79.tmp", ".out.80.tmp"]
    for name in gone + kept { try make(name) }
    let descriptor = open(folder.url.appending(path: ".out.80.tmp").path, O_RDONLY)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    defer { close(descriptor) }
    #expect(try folder.gqlite("export", "a.gqlite", "out").status == 0)
    for name in gone { #expect(!folder.exists(name), "\(name)") }
    for name in kept { #expect(folder.exists(name), "\(name)") }
    // One that was put aside, for a folder that is there.
    try make(".out.81.tmp.old")
    #expect(try folder.gqlite("export", "a.gqlite", "out", "--replace").status == 0)
    #expect(try folder.read("out/A.ndjson") == "")
    #expect(!folder.exists(".out.81.tmp.old"))
    // And one that is the folder itself.
    try make(".new.82.tmp.old")
    #expect(try folder.gqlite("export", "a.gqlite", "new").status != 0)
    #expect(try folder.read("new/A.ndjson") == "{\"id\":1}\n")
    #expect(try folder.gqlite("export", "a.gqlite", "new", "--replace").status == 0)
    #expect(try folder.read("new/A.ndjson") == "")
  }

  @Test("what cannot be exported is said") func refusals() throws {
    let folder = try Scratch()
    try folder.write("s.graphql", "type `../A` { id: ID! } type B { id: ID! }")
    #expect(try folder.gqlite("init", "a.gqlite", "--schema", "s.graphql").status == 0)
    let named = try folder.gqlite("export", "a.gqlite", "out")
    #expect(named.status == 1 && !folder.exists("out"))
    #expect(named.errors.hasPrefix("error[unsupported-data]: there is no name of a file"))
    #expect(named.errors.contains("'../A'"))
    try folder.write("t.graphql", "type A { id: ID! b: A }")
    try folder.write("A.ndjson", "{\"id\":1,\"b\":7}\n")
    #expect(try folder.gqlite("init", "t.gqlite", "--schema", "t.graphql").status == 0)
    #expect(try folder.gqlite("import", "--db", "t.gqlite", "A.ndjson").status == 0)
    let waiting = try folder.gqlite("export", "t.gqlite", "t")
    #expect(waiting.status == 0)
    #expect(waiting.errors == "gqlite: note: links that wait for an entity are not exported: 1\n")
    #expect(try folder.read("t/A.ndjson") == "{\"id\":1}\n")
    #expect(try folder.gqlite("export", "missing.gqlite", "x").status == 1)
    #expect(try folder.gqlite("export", "a.gqlite", "no/such/folder").status == 1)
    #expect(try folder.gqlite("export", "a.gqlite", "s.graphql").status == 1)
    #expect(try folder.gqlite("export", "a.gqlite").status == 2)
    #expect(try folder.gqlite("export", "--help").output.hasPrefix("usage: gqlite export FILE DIR"))
  }
}
