import Foundation
import GQLite
import Testing

/// SQLite files as data: types from tables, relations from foreign keys and junction tables.
@Suite struct SQLiteLoadingTests {
  private func file(_ sql: String, in folder: TemporaryFolder, name: String = "shop.sqlite") throws -> String {
    try folder.sqlite(name, sql)
  }

  static let shop = """
    CREATE TABLE maker (maker_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, founded DATE, seen DATETIME);
    CREATE TABLE product (
      id INTEGER PRIMARY KEY, "Display Name" VARCHAR(20) NOT NULL, price DECIMAL(10,2), in_stock BOOLEAN NOT NULL,
      weight REAL, picture BLOB, extra JSON, odd, maker_id INTEGER REFERENCES maker ON DELETE CASCADE);
    CREATE INDEX product_price ON product(price);
    CREATE INDEX product_both ON product(price, weight);
    CREATE TABLE tag (code TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE product_tag (product_id INTEGER REFERENCES product(id), tag TEXT REFERENCES tag(code),
      PRIMARY KEY (product_id, tag));
    CREATE TABLE stock (place TEXT, product INTEGER REFERENCES product(id), n INTEGER, PRIMARY KEY (place, product));
    CREATE TABLE note (body TEXT);
    CREATE VIEW cheap AS SELECT * FROM product WHERE price < 1;
    INSERT INTO maker VALUES (7, 'Acme', '1921-05-01', '2020-01-02 03:04:05'), (8, 'Éclair "2"', NULL, NULL);
    INSERT INTO product VALUES (1, 'Nut', 0.1, 1, 2.5, x'00ff', '{"a": [1,2]}', 5, 7),
      (2, 'Bolt', 12, 0, 3, NULL, NULL, 'text', 8), (3, 'Cog', NULL, 1, NULL, NULL, '[]', NULL, NULL);
    INSERT INTO tag VALUES ('steel'), ('m6');
    INSERT INTO product_tag VALUES (1, 'steel'), (1, 'm6'), (3, 'm6');
    INSERT INTO stock VALUES ('Ulm', 1, 10), ('Ulm', 2, 20);
    INSERT INTO note VALUES ('first'), ('second');
    """

  @Test("a file brings its own schema") func schema() throws {
    let folder = try TemporaryFolder()
    let database = Database()
    try database.load(path: file(Self.shop, in: folder))
    let expected = [
      #"type Maker @source(name: "maker") {"#, "id: ID!", "name: String! @unique", "founded: Date", "seen: DateTime",
      #"products: [Product!]! @relation(inverse: "maker", onDelete: CASCADE)"#,
      #"displayName: String! @source(name: "Display Name")"#,
      "price: Decimal @index", #"inStock: Boolean! @source(name: "in_stock")"#, "weight: Float", "picture: Bytes",
      "extra: JSON", "odd: String",
      #"maker: Maker @relation(inverse: "products""#, #"tags: [Tag!]! @relation(inverse: "products")"#,
      #"type Stock @source(name: "stock") {"#,
      #"product: Product! @relation(inverse: "stocks")"#, "n: Int", #"type Note @source(name: "note") {"#,
      "body: String",
    ]
    for line in expected { #expect(database.schema.contains(line), "\(line)\nin\n\(database.schema)") }
    #expect(!database.schema.contains("Cheap") && !database.schema.contains("ProductTag"))
  }

  @Test("its rows answer queries") func rows() throws {
    let folder = try TemporaryFolder()
    let database = Database()
    let report = try database.load(path: file(Self.shop, in: folder))
    #expect(report.danglingLinks == 0)
    #expect(database.check().isEmpty)
    let answer = try database.query(
      """
      { Product { id displayName price inStock weight picture extra odd maker { name founded seen } tags { id } }
        Stock { id product { displayName } n } Note { id body } Maker(where: some(products, inStock)) { id } }
      """)
    #expect(
      answer.jsonString == """
        {"Product":[{"id":1,"displayName":"Nut","price":0.1,"inStock":true,"weight":2.5,"picture":"AP8=",\
        "extra":{"a":[1,2]},"odd":"5","maker":{"name":"Acme","founded":"1921-05-01","seen":"2020-01-02T03:04:05Z"},\
        "tags":[{"id":"steel"},{"id":"m6"}]},{"id":2,"displayName":"Bolt","price":12,"inStock":false,"weight":3,\
        "picture":null,"extra":null,"odd":"text","maker":{"name":"Éclair \\"2\\"","founded":null,"seen":null},"tags":[]},\
        {"id":3,"displayName":"Cog","price":null,"inStock":true,"weight":null,"picture":null,"extra":[],"odd":null,\
        "maker":null,"tags":[{"id":"m6"}]}],\
        "Stock":[{"id":"Ulm/1","product":{"displayName":"Nut"},"n":10},{"id":"Ulm/2","product":{"displayName":"Bolt"},"n":20}],\
        "Note":[{"id":1,"body":"first"},{"id":2,"body":"second"}],"Maker":[{"id":7}]}
        """)
  }

  @Test("with a schema its tables fill the types that are named like them") func givenSchema() throws {
    let folder = try TemporaryFolder()
    let database = try Database(
      schema: """
        type Tag { code: ID! @id products: [Product!]! @relation(inverse: "tags") }
        type Product {
          id: ID! displayName: String! price: Float inStock: Int! weight: Decimal picture: Bytes extra: JSON odd: JSON
          maker: Maker tags: [Tag!]!
        }
        type Maker { makerId: ID! @id name: String! founded: String seen: String }
        """)
    try database.load(path: file(Self.shop, in: folder))
    #expect(
      try database.query("{ Tag { code products { id } } Product { inStock maker { makerId seen } } }").jsonString
        == """
        {"Tag":[{"code":"m6","products":[{"id":1},{"id":3}]},{"code":"steel","products":[{"id":1}]}],\
        "Product":[{"inStock":1,"maker":{"makerId":7,"seen":"2020-01-02 03:04:05"}},\
        {"inStock":0,"maker":{"makerId":8,"seen":null}},{"inStock":1,"maker":null}]}
        """)
    let narrow = try Database(schema: "type Note { id: ID! }")
    let path = try file(Self.shop, in: folder, name: "again.db")
    #expect(problem { try narrow.load(path: path) }?.code == "unknown-field")
    let other = try Database(schema: "type Nothing { id: ID! }")
    #expect(problem { try other.load(path: path) }?.message.contains("no table") == true)
  }

  @Test("tables named like what the language has already get a number") func reservedNames() throws {
    let folder = try TemporaryFolder()
    let database = Database()
    let sql = """
      CREATE TABLE date (id INTEGER PRIMARY KEY, day TEXT); INSERT INTO date VALUES (1, 'Monday');
      CREATE TABLE "query" (id INTEGER PRIMARY KEY, asked INTEGER REFERENCES date(id)); INSERT INTO "query" VALUES (5, 1);
      """
    try database.load(path: file(sql, in: folder))
    let answer = try database.query("{ Query2 { id asked { day } } Date2 { queries { id } } }")
    #expect(
      String(decoding: answer.utf8, as: UTF8.self)
        == #"{"Query2":[{"id":5,"asked":{"day":"Monday"}}],"Date2":[{"queries":[{"id":5}]}]}"#)
  }

  @Test("pairs of which one side is not there are told, whichever it is") func absentSides() throws {
    let folder = try TemporaryFolder()
    let path = try file(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY);
      CREATE TABLE a_b (a INTEGER REFERENCES a(id), b INTEGER REFERENCES b(id));
      INSERT INTO a VALUES (1); INSERT INTO b VALUES (1), (2); INSERT INTO a_b VALUES (1, 1), (9, 1), (1, 8), (1, 2);
      """, in: folder)
    let database = Database()
    #expect(try database.load(path: path).danglingLinks == 2)
    #expect(
      try database.query("{ A { id bs { id } } B { id as { id } } }").jsonString
        == #"{"A":[{"id":1,"bs":[{"id":1},{"id":2}]}],"B":[{"id":1,"as":[{"id":1}]},{"id":2,"as":[{"id":1}]}]}"#)
  }

  @Test("files that are no SQLite files, or damaged ones, are refused") func damaged() throws {
    let folder = try TemporaryFolder()
    let wrong = try folder.write("wrong.sqlite", "not a database")
    #expect(problem { try Database().load(path: wrong) }?.code == "unreadable-file")
    let empty = try file("", in: folder, name: "empty.db")
    #expect(problem { try Database().load(path: empty) }?.code == "unreadable-file")
    let path = try file(Self.shop, in: folder)
    var bytes = try Data(contentsOf: URL(filePath: path))
    for index in stride(from: 100, to: bytes.count, by: 3) { bytes[index] = bytes[index] &* 31 &+ 7 }
    let broken = folder.url.appending(path: "broken.sqlite")
    try bytes.write(to: broken)
    #expect(problem { try Database().load(path: broken.path) } != nil)
  }

  @Test("the questions of a real file have the same answers as those of its records")
  func realData() throws {
    guard let shared = Folders.shared else {
      print("skipped: no shared data")
      return
    }
    let schema = Folders.repository.appending(path: "Tests/Corpus/real/chinook/schema.graphql")
    let text = try String(contentsOf: schema, encoding: .utf8)
    let imported = try Database(schema: text)
    try imported.load(path: shared.appending(path: "data/chinook/raw/Chinook_Sqlite.sqlite").path)
    let loaded = try Database(schema: text)
    try loaded.load(path: shared.appending(path: "data/chinook").path)
    for type in [
      "Artist", "Album", "Genre", "MediaType", "Track", "Playlist", "Employee", "Customer", "Invoice", "InvoiceLine",
    ] {
      let query = "{ \(type)(orderBy: id) { ...* } n: count(\(type)) }"
      #expect(try imported.query(query).jsonString == loaded.query(query).jsonString, "\(type)")
    }
    let links =
      "{ Playlist(orderBy: id) { id tracks(orderBy: id) } Employee(orderBy: id) { reportsTo { id } customers { id } } }"
    #expect(try imported.query(links).jsonString == loaded.query(links).jsonString)
  }
}
