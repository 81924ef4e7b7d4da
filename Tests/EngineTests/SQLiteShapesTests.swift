import GQLite
import Testing

/// SQLite files of every shape: encodings, nulls, many columns, names that hide others.
@Suite struct SQLiteShapesTests {
  private func loaded(_ sql: String) throws -> Database {
    let folder = try TemporaryFolder()
    let database = Database()
    try database.load(path: folder.sqlite("data.sqlite", sql))
    #expect(database.check() == [])
    return database
  }

  private static let texts = """
    CREATE TABLE person (id TEXT PRIMARY KEY, name TEXT, at DATETIME, picture BLOB, any, boss TEXT REFERENCES person(id));
    CREATE TABLE "Größe" ("Wert €" TEXT);
    CREATE TABLE tag (id TEXT PRIMARY KEY);
    CREATE TABLE person_tag (person TEXT REFERENCES person(id), tag TEXT REFERENCES tag(id));
    INSERT INTO person VALUES
      ('käse', 'Müller €😀 and a name that lies in no small buffer', '2014-12-09 13:50:51', x'00ff', 5, NULL),
      ('b', '', '2014-12-09T13:50:51+02:00', x'', 'text', 'käse');
    INSERT INTO "Größe" VALUES ('groß');
    INSERT INTO tag VALUES ('ü');
    INSERT INTO person_tag VALUES ('käse', 'ü'), ('b', 'ü');
    """

  @Test("texts load alike in all encodings", arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func encodings(_ encoding: String) throws {
    let database = try loaded("PRAGMA encoding = '\(encoding)'; \(Self.texts)")
    #expect(
      try database.query("{ Person { id name at picture any boss { id } tags { id } } Tag { persons { id } } }")
        .jsonString
        == #"{"Person":[{"id":"käse","name":"Müller €😀 and a name that lies in no small buffer","#
        + #""at":"2014-12-09T13:50:51Z","picture":"AP8=","any":"5","boss":null,"tags":[{"id":"ü"}]},"#
        + #"{"id":"b","name":"","at":"2014-12-09T11:50:51Z","picture":"","any":"text","boss":{"id":"käse"},"#
        + #""tags":[{"id":"ü"}]}],"Tag":[{"persons":[{"id":"käse"},{"id":"b"}]}]}"#)
    #expect(try database.query("{ Grosse { wert } }").jsonString == #"{"Grosse":[{"wert":"groß"}]}"#)
  }

  @Test("what may be null is nullable, whether or not there is a null") func nullability() throws {
    let database = try loaded(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, t TEXT, i INTEGER, r REAL, b BLOB, d DATE, n TEXT NOT NULL,
        m INTEGER NOT NULL, a INTEGER REFERENCES a(id), c INTEGER NOT NULL REFERENCES a(id));
      INSERT INTO a VALUES (1, 't', 1, 1.5, x'00', '2020-01-02', 'n', 1, 1, 1);
      CREATE TABLE e (id INTEGER PRIMARY KEY, t TEXT, n TEXT NOT NULL);
      """)
    for line in [
      "t: String", "i: Int", "r: Float", "b: Bytes", "d: Date", "n: String!", "m: Int!",
      #"a: A @relation(inverse: "as")"#, #"c: A! @relation(inverse: "asByC")"#,
    ] { #expect(database.schema.contains("  \(line)\n"), "\(line)\nin\n\(database.schema)") }
    #expect(database.schema.contains("type E @source(name: \"e\") {\n  id: ID!\n  t: String\n  n: String!\n}"))
  }

  @Test("whole numbers beyond 2^53 keep their digits beside fractions") func longIntegers() throws {
    let database = try loaded(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, d, s, f, i);
      INSERT INTO a VALUES (1, 9007199254740993, -9007199254740993, 9007199254740992, 9007199254740993),
        (2, 1.5, 1e300, 0.5, 2);
      """)
    for line in ["d: Decimal", "s: String", "f: Float", "i: Int"] {
      #expect(database.schema.contains("  \(line)\n"), "\(line)\nin\n\(database.schema)")
    }
    #expect(
      try database.query("{ A { d s f i } }").jsonString
        == #"{"A":[{"d":9007199254740993,"s":"-9007199254740993","f":9007199254740992,"i":9007199254740993},"#
        + #"{"d":1.5,"s":"1e+300","f":0.5,"i":2}]}"#)
  }

  /// SQLite enforces foreign keys only where a program asks for it.
  @Test("values of foreign keys that lead nowhere stay readable") func danglingKeys() throws {
    let folder = try TemporaryFolder()
    let path = try folder.sqlite(
      "visits.db",
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE room (code TEXT PRIMARY KEY);
      CREATE TABLE visit (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id),
        room TEXT REFERENCES room(code), guest INTEGER REFERENCES person(id), cost INT);
      INSERT INTO person VALUES (1, 'A');
      INSERT INTO room VALUES ('r');
      INSERT INTO visit VALUES (1, 1, 'r', 1, 10), (2, 7, 'x', NULL, 5), (3, 8, NULL, 1, 6);
      """)
    let database = Database()
    try database.load(path: path)
    let query =
      "{ Visit(groupBy: personId) { personId s: sum(cost) } "
      + "all: Visit { person { name } roomId room { id } guest { id } } }"
    let expected =
      #"{"Visit":[{"personId":1,"s":10},{"personId":7,"s":5},{"personId":8,"s":6}],"#
      + #""all":[{"person":{"name":"A"},"roomId":"r","room":{"id":"r"},"guest":{"id":1}},"#
      + #"{"person":null,"roomId":"x","room":null,"guest":null},"#
      + #"{"person":null,"roomId":null,"room":null,"guest":{"id":1}}]}"#
    #expect(try database.query(query).jsonString == expected)
    #expect(!database.schema.contains("guestId"))
    // The same with the schema that is printed.
    let again = try Database(schema: database.schema)
    try again.load(path: path)
    #expect(try again.query(query).jsonString == expected)
  }

  @Test("columns of SQLite relate to other files under their own names") func otherFiles() throws {
    let folder = try TemporaryFolder()
    let payments = try folder.sqlite(
      "payments.db",
      """
      CREATE TABLE payments (id INTEGER PRIMARY KEY, customer TEXT, agent TEXT, total INT);
      INSERT INTO payments VALUES (1, 'a', 'a', 3), (2, 'b', 'z', 4);
      """)
    let customers = try folder.write("customers.csv", "id,name\na,Ann\nb,Bo\n")
    let agents = try folder.write("agents.csv", "id,name\na,Al\nb,Bea\n")
    let database = Database()
    try database.load([.path(payments), .path(customers), .path(agents)])
    #expect(
      try database.query("{ Payments { customer { name } agentId agent { name } } }").jsonString
        == #"{"Payments":[{"customer":{"name":"Ann"},"agentId":"a","agent":{"name":"Al"}},"#
        + #"{"customer":{"name":"Bo"},"agentId":"z","agent":null}]}"#)
  }

  @Test("infinite numbers are texts, and messages name a row") func infinite() throws {
    let folder = try TemporaryFolder()
    let path = try folder.sqlite(
      "n.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, r REAL); INSERT INTO t VALUES (1, 1.5), (2, 9e999), (3, -9e999);"
    )
    let database = Database()
    try database.load(path: path)
    #expect(try database.query("{ T { r } }").jsonString == #"{"T":[{"r":"1.5"},{"r":"Inf"},{"r":"-Inf"}]}"#)
    let typed = try Database(schema: "type T { id: ID! r: Float }")
    #expect(throws: QueryError.self) { try typed.load(path: path) }
    do { try typed.load(path: path) } catch {
      let text = error.description
      #expect(
        text.contains("'T.r' is Float, not 'Inf'") && text.contains("n.db/t, row 2") && !text.contains("{"), "\(text)")
    }
  }

  /// SQLite lets primary keys hold NULL unless they are integers.
  @Test("a row whose key is NULL has the number of its row for it") func nullKeys() throws {
    let folder = try TemporaryFolder()
    for (name, columns, ids) in [
      ("one", "code TEXT PRIMARY KEY, x TEXT", ##"[{"id":"a"},{"id":"#2"},{"id":"#3"},{"id":"NULL"}]"##),
      (
        "two", "code TEXT, x TEXT, PRIMARY KEY (code, x)",
        ##"[{"id":"a/x"},{"id":"#2/y"},{"id":"#3/z"},{"id":"NULL/v"}]"##
      ),
    ] {
      let path = try folder.sqlite(
        "\(name).db",
        "CREATE TABLE t (\(columns)); INSERT INTO t VALUES ('a', 'x'), (NULL, 'y'), (NULL, 'z'), ('NULL', 'v');")
      let database = Database()
      try database.load(path: path)
      #expect(try database.query("{ T { id } }").jsonString == "{\"T\":\(ids)}")
      #expect(database.check() == [])
    }
  }

  @Test("a row whose key is NULL is never taken for one that has such a key") func nullKeysLikeOthers() throws {
    let one = try loaded(
      """
      CREATE TABLE t (code TEXT PRIMARY KEY, x TEXT);
      CREATE TABLE u (id INTEGER PRIMARY KEY, t TEXT REFERENCES t(code));
      CREATE TABLE v (id INTEGER PRIMARY KEY);
      CREATE TABLE t_v (t TEXT REFERENCES t(code), v INTEGER REFERENCES v(id));
      INSERT INTO t VALUES (NULL, 'a'), ('#1', 'b'), (NULL, 'c');
      INSERT INTO u VALUES (1, '#1'), (2, '##3');
      INSERT INTO v VALUES (7);
      INSERT INTO t_v VALUES ('###1', 7);
      """)
    #expect(
      try one.query("{ T { id x us { id } } U { t { x } } V { ts { x } } }").jsonString
        == #####"{"T":[{"id":"####1","x":"a","us":[]},{"id":"#1","x":"b","us":[{"id":1}]},{"id":"####3","x":"c","us":[]}],"#####
        + #####""U":[{"t":{"x":"b"}},{"t":null}],"V":[{"ts":[]}]}"#####)
    let two = try loaded(
      """
      CREATE TABLE t (a TEXT, b TEXT, x TEXT, PRIMARY KEY (a, b));
      INSERT INTO t VALUES (NULL, 'b', 'a'), ('#1', 'b', 'b'), ('a', NULL, 'c'), ('a', '#3', 'd'), ('a', '##3', 'e');
      """)
    #expect(
      try two.query("{ T { id x } }").jsonString
        == #####"{"T":[{"id":"###1/b","x":"a"},{"id":"#1/b","x":"b"},{"id":"a/###3","x":"c"},{"id":"a/#3","x":"d"},"#####
        + #####"{"id":"a/##3","x":"e"}]}"#####)
  }

  /// Rows are read in runs of 1,024.
  @Test("what a column refuses in some rows is read as JSON is, whichever row it is") func oddValues() throws {
    let folder = try TemporaryFolder()
    let path = try folder.sqlite(
      "odd.db",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, i, f, d, s, b, e, l, j);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      INSERT INTO t SELECT i, CASE WHEN i % 7 = 0 THEN i * 1.0 ELSE i END, CASE WHEN i % 2 = 0 THEN i ELSE i + 0.5 END,
        CASE i % 3 WHEN 0 THEN i WHEN 1 THEN i || '.25' ELSE i + 0.5 END,
        CASE i % 4 WHEN 0 THEN i WHEN 1 THEN 'text ' || i WHEN 2 THEN i + 0.5 ELSE x'4142' END, x'00ff', 'two',
        '[1, ' || i || ']', CASE i % 2 WHEN 0 THEN '{"a": ' || i || '}' ELSE i END FROM n;
      """)
    let schema =
      "type T { id: Int! i: Int f: Float d: Decimal s: String b: Bytes e: E l: [Int!] j: JSON } enum E { one two }"
    let database = try Database(schema: schema)
    try database.load(path: path)
    #expect(
      try database.query("{ T(where: id >= 2097, limit: 4) { ...* } n: count(T) i: sum(T.i) }").jsonString
        == #"{"T":[{"id":2097,"i":2097,"f":2097.5,"d":2097,"s":"text 2097","b":"AP8=","e":"two","l":[1,2097],"j":2097},"#
        + #"{"id":2098,"i":2098,"f":2098,"d":2098.25,"s":"2098.5","b":"AP8=","e":"two","l":[1,2098],"j":{"a":2098}},"#
        + #"{"id":2099,"i":2099,"f":2099.5,"d":2099.5,"s":"QUI=","b":"AP8=","e":"two","l":[1,2099],"j":2099},"#
        + #"{"id":2100,"i":2100,"f":2100,"d":2100,"s":"2100","b":"AP8=","e":"two","l":[1,2100],"j":{"a":2100}}],"#
        + #""n":2500,"i":3126250}"#)
    let narrow = try Database(schema: schema.replacing("d: Decimal", with: "d: Int"))
    #expect(problem { try narrow.load(path: path) }?.message.contains("'T.d' is Int") == true)
    var options = LoadOptions()
    options.skipsBadRecords = true
    let report = try narrow.load([.path(path)], options: options)
    #expect(report.skippedRecords == 1667 && report.inserted.first?.count == 833)
  }

  @Test("different keys of several columns have different ids") func jointKeys() throws {
    let folder = try TemporaryFolder()
    let path = try folder.sqlite(
      "k.db",
      #"""
      CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (a, b));
      INSERT INTO t VALUES ('x', 'y/z'), ('x/y', 'z'), ('p\', 'q'), ('p', '\q');
      CREATE TABLE u (id INTEGER PRIMARY KEY, a TEXT, b TEXT, FOREIGN KEY (a, b) REFERENCES t (a, b));
      INSERT INTO u VALUES (1, 'x/y', 'z');
      """#)
    let database = Database()
    try database.load(path: path)
    #expect(
      try database.query("{ T { id } U { t { a b } } }").jsonString
        == #"{"T":[{"id":"x/y\\/z"},{"id":"x\\/y/z"},{"id":"p\\\\/q"},{"id":"p/\\\\q"}],"U":[{"t":{"a":"x/y","b":"z"}}]}"#
    )
  }

  @Test(
    "as many columns as a table can have",
    arguments: [")", ", PRIMARY KEY (c0))", ", PRIMARY KEY (c0, c1999))", ", PRIMARY KEY (c1, c0)) WITHOUT ROWID"])
  func columns(_ key: String) throws {
    let names = (0..<2000).map { "c\($0)" }
    let rows = (0..<3).map { row in "(" + names.map { "'\($0)/\(row)'" }.joined(separator: ",") + ")" }
    let database = try loaded(
      """
      CREATE TABLE t (\(names.joined(separator: " TEXT,")) TEXT\(key);
      CREATE INDEX i ON t(c1999 DESC);
      INSERT INTO t VALUES \(rows.reversed().joined(separator: ","));
      """)
    #expect(
      try database.query("{ T(orderBy: c1998) { c1 c1000 c1998 } n: count(T(where: c1997 == \"c1997/2\")) }").jsonString
        == #"{"T":[{"c1":"c1/0","c1000":"c1000/0","c1998":"c1998/0"},{"c1":"c1/1","c1000":"c1000/1","c1998":"c1998/1"},"#
        + #"{"c1":"c1/2","c1000":"c1000/2","c1998":"c1998/2"}],"n":1}"#)
    if key == ")" {
      // The number of the row and the last column come from two statements.
      #expect(
        try database.query("{ T(orderBy: id) { id c0 c1999 } }").jsonString
          == #"{"T":[{"id":1,"c0":"c0/2","c1999":"c1999/2"},{"id":2,"c0":"c0/1","c1999":"c1999/1"},"#
          + #"{"id":3,"c0":"c0/0","c1999":"c1999/0"}]}"#)
    }
  }

  @Test(
    "columns that are named like the number of a row do not hide it",
    arguments: ["rowid", "ROWID TEXT, oid", "rowid TEXT, _rowid_ TEXT, oid"])
  func hiddenNumbers(_ names: String) throws {
    let count = names.split(separator: ",").count
    let row = Array(repeating: "NULL", count: count).joined(separator: ",")
    let database = try loaded("CREATE TABLE t (\(names) TEXT, n INT); INSERT INTO t VALUES (\(row), 7), (\(row), 8);")
    #expect(try database.query("{ T { id n } }").jsonString == #"{"T":[{"id":1,"n":7},{"id":2,"n":8}]}"#)
  }

  @Test("a schema's key is the column of its name where a table declares none") func undeclaredKeys() throws {
    let folder = try TemporaryFolder()
    func load(_ name: String, _ schema: String, _ sql: String) throws -> Database {
      let database = try Database(schema: schema)
      try database.load(path: folder.sqlite(name, sql))
      #expect(database.check() == [])
      return database
    }
    let plain = "type T { id: ID! n: Int parent: T id2: String }"
    let database = try load(
      "a.db", plain,
      """
      CREATE TABLE t (n INT, ID, parent, id2 TEXT);
      INSERT INTO t VALUES (5, 'b', NULL, 'x'), (6, 7, 'b', NULL);
      """)
    #expect(
      try database.query("{ T { id n id2 parent { n } } }").jsonString
        == #"{"T":[{"id":"b","n":5,"id2":"x","parent":null},{"id":7,"n":6,"id2":null,"parent":{"n":5}}]}"#)
    let named = try load(
      "b.db", #"type T { key: ID! @id @source(name: "code") n: Int }"#,
      "CREATE TABLE t (n INT, code TEXT, key TEXT); INSERT INTO t VALUES (5, 'b', 'c');")
    #expect(try named.query("{ T { key n } }").jsonString == #"{"T":[{"key":"b","n":5}]}"#)
    let linked = try load(
      "f.db", "type T { id: ID! n: Int } type U { tId: ID! @id t: T m: Int }",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, n INT);
      CREATE TABLE u (t_id INT REFERENCES t(id), m INT);
      INSERT INTO t VALUES (3, 5);
      INSERT INTO u VALUES (3, 7);
      """)
    #expect(try linked.query("{ U { tId t { n } m } }").jsonString == #"{"U":[{"tId":3,"t":{"n":5},"m":7}]}"#)
    // Without a column for it the key is the number of the row.
    let numbered = try load("c.db", "type T { id: ID! n: Int }", "CREATE TABLE t (n INT); INSERT INTO t VALUES (5);")
    #expect(try numbered.query("{ T { id n } }").jsonString == #"{"T":[{"id":1,"n":5}]}"#)
    for (name, rows, code) in [
      ("d.db", "('b', 5), (NULL, 6)", "missing-value"), ("e.db", "('b', 5), ('b', 6)", "unique-violation"),
    ] {
      let error = #expect(throws: QueryError.self) {
        _ = try load(name, plain, "CREATE TABLE t (id, n INT); INSERT INTO t VALUES \(rows);")
      }
      #expect(error?.problems.first?.code == code)
    }
  }

  @Test("a column whose texts are all times in a form that is read is a DateTime, unless it is declared to be a text")
  func times() throws {
    let database = try loaded(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a, b DATETIME, c TIMESTAMP, d, e, f TEXT, g);
      INSERT INTO t VALUES (1, '2014-12-09T13:50:51.5Z', '2014-12-09T13:50:51+02:00', '2014-12-09 13:50:51',
        '2014-12-09', '2014-12-09', '2014-12-09 13:50:51', '2014-12-09 13:50:51'),
        (2, '2014-12-09 13:50:00.125', NULL, '2014-12-09 13:50:51.250', '2014-12-10', '2014-12-09T00:00:00Z', '', 'then');
      """)
    for line in ["a: DateTime", "b: DateTime", "c: DateTime", "d: Date", "e: String", "f: String", "g: String"] {
      #expect(database.schema.contains("  \(line)\n"), "\(line)\nin\n\(database.schema)")
    }
    #expect(
      try database.query("{ T { a b c d } }").jsonString
        == #"{"T":[{"a":"2014-12-09T13:50:51.500Z","b":"2014-12-09T11:50:51Z","c":"2014-12-09T13:50:51Z","#
        + #""d":"2014-12-09"},{"a":"2014-12-09T13:50:00.125Z","b":null,"c":"2014-12-09T13:50:51.250Z","#
        + #""d":"2014-12-10"}]}"#)
  }
}
