import Foundation
import GQLite
import Testing

/// GraphQL's reference implementation for Python as a client: it builds its schema from our introspection.
private enum GraphQLClient {
  static let isInstalled = run("import graphql.language", []) == 0

  static func run(_ script: String, _ arguments: [String], output: URL? = nil) -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script] + arguments
    if output == nil { process.standardError = FileHandle.nullDevice }
    process.standardOutput = FileHandle.nullDevice
    do {
      if let output { process.standardOutput = try FileHandle(forWritingTo: output) }
      try process.run()
    } catch {
      return -1
    }
    process.waitUntilExit()
    return process.terminationStatus
  }

  static let introspectionQuery = """
    import graphql
    print(graphql.get_introspection_query(
      descriptions=True, specified_by_url=True, directive_is_repeatable=True, schema_description=True,
      input_value_deprecation=True, input_object_one_of=True))
    """

  /// Builds a schema from the first file, validates the documents of the second (a JSON list) against it, and prints
  /// a line for each: `OK`, or what is wrong.
  static let validation = """
    import sys, json, graphql
    schema = graphql.build_client_schema(json.load(open(sys.argv[1])))
    graphql.assert_valid_schema(schema)
    # What it prints is a schema again, the same.
    text = graphql.print_schema(schema)
    assert graphql.print_schema(graphql.build_schema(text)) == text
    for document in json.load(open(sys.argv[2])):
      try:
        errors = graphql.validate(schema, graphql.parse(document))
        print('OK' if not errors else '; '.join(error.message.replace('\\n', ' ') for error in errors))
      except graphql.GraphQLSyntaxError:
        print('SYNTAX')
    """

  /// Reads the schema of the first file, builds one from the second and one from the third, which must be the same.
  static let schemas = """
    import sys, json, graphql
    graphql.parse(open(sys.argv[1]).read())
    api = graphql.build_schema(open(sys.argv[2]).read())
    errors = graphql.validate_schema(api)
    client = graphql.build_client_schema(json.load(open(sys.argv[3])))
    def text(schema):
      return graphql.print_schema(graphql.lexicographic_sort_schema(schema))
    print('\\n'.join(error.message for error in errors) if errors else 'OK' if text(api) == text(client) else 'OTHER')
    """
}

@Suite struct IntrospectionClientTests {
  private static let corpus = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../Corpus").standardizedFileURL

  private static func database(_ name: String) throws -> Database {
    let file = corpus.appending(path: "data/\(name)/schema.graphql")
    return try Database(schema: String(contentsOf: file, encoding: .utf8))
  }

  private static func isValid(_ text: String, _ database: Database) -> Bool { codes(text, database).isEmpty }

  /// The codes of what is wrong with a document.
  private static func codes(_ text: String, _ database: Database) -> [String] {
    do {
      let document = try QueryDocument(name: "test", bytes: Array(text.utf8), dialect: .graphql)
      _ = try database.prepareAll(document)
      return []
    } catch {
      return error.problems.map(\.code)
    }
  }

  /// What a schema with types can tell; other rules, such as that a limit is not negative, a client does not know.
  private static let codesOfTypes: Set<String> = [
    "unknown-field", "unknown-name", "unknown-argument", "unknown-type", "unknown-operator", "unknown-enum-value",
    "wrong-type", "wrong-variable-type", "wrong-filter", "wrong-order", "not-input-type", "unknown-directive",
    "arguments-on-value", "selection-on-value", "missing-selection", "impossible-fragment", "conflicting-fields",
  ]

  /// The verdict of the client on each document.
  private func verdicts(_ documents: [String], _ database: Database) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let query = folder.appending(path: "query")
    let schema = folder.appending(path: "schema")
    let list = folder.appending(path: "documents")
    let lines = folder.appending(path: "verdicts")
    for file in [query, lines] { try Data().write(to: file) }
    try #require(GraphQLClient.run(GraphQLClient.introspectionQuery, [], output: query) == 0)
    let text = try Array(Data(contentsOf: query))
    var answers: [String] = []
    for dialect in [QueryDialect.graphql, .extended] {
      let document = try QueryDocument(name: "introspection", bytes: text, dialect: dialect)
      for operation in try database.prepareAll(document) {
        answers.append(String(decoding: try operation.run().utf8, as: UTF8.self))
      }
    }
    let answer = try #require(answers.first)
    #expect(answers == [answer, answer])
    try answer.write(to: schema, atomically: true, encoding: .utf8)
    try JSONEncoder().encode(documents).write(to: list)
    try #require(
      GraphQLClient.run(GraphQLClient.validation, [schema.path, list.path], output: lines) == 0,
      "the schema is not valid")
    return try String(contentsOf: lines, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Operations over the data set `team`, and whether they are valid.
  static let operations: [(text: String, isValid: Bool)] = [
    ("{ Person { id name } }", true),
    ("{ Person(where: {age: {gte: 30}}, orderBy: [{age: DESC}, {name: ASC}], limit: 3, offset: 1) { id } }", true),
    ("{ Person(where: {or: [{status: {eq: ACTIVE}}, {projects: {some: {title: {contains: \"a\"}}}}]}) { id } }", true),
    ("{ Person(where: {not: {team: {name: {in: [\"Red\", \"Blue\"]}}}}) { id team { name } } }", true),
    ("{ Person(where: {reports: {count: {gt: 1}, none: {age: {lt: 20}}}}) { id } }", true),
    (
      "{ Person(where: {address: {city: {startsWith: \"O\"}, geo: {lat: {gt: 1.5}}}}) { address { city geo { lat } } } }",
      true
    ),
    ("{ Person(where: {tags: {contains: \"a\"}, scores: {isNull: false}}) { tags scores } }", true),
    ("{ Person(where: {tags: {eq: [\"a\", \"b\"]}, scores: {ne: [1, null, 3]}}) { id } }", true),
    ("{ Person(where: {boss: {isNull: true}, address: {isNull: false}, born: {gte: \"1990-01-01\"}}) { id } }", true),
    ("{ Person(where: {email: {eq: null}, salary: {notIn: [1.5, 2]}, name: {ilike: \"a%\"}}) { id } }", true),
    ("{ Person(where: {name: {regex: \"^A\"}, id: {in: [1, \"2\"]}, active: {eq: true}}) { id } }", true),
    ("{ Person(orderBy: {team: {name: ASC}, address: {geo: {lat: DESC}}}) { id } }", true),
    ("{ Person(distinctOn: [team, level], orderBy: [{level: ASC}]) { id } }", true),
    ("{ person(id: 1) { name } byMail: person(email: \"a@b.c\") { name } }", true),
    ("{ everybody(where: {age: {gt: 1}}) { id } crew(id: \"t1\") { name } project(code: \"X-1\") { title } }", true),
    ("{ Team { members(where: {age: {gt: 20}}, orderBy: {age: ASC}, limit: 2) { name boss { name } } } }", true),
    (
      "query($f: PersonFilter, $o: [PersonOrder!], $n: Int = 3) { Person(where: $f, orderBy: $o, limit: $n) { id } }",
      true
    ),
    ("query($a: Int, $l: [Level]) { Person(where: {age: {gte: $a}, level: {in: $l}}) { id } }", true),
    ("query($s: StringFilter, $f: PersonFilter!) { Person(where: {name: $s, and: [$f]}) { id } }", true),
    ("query($f: PersonFilter!) { Team(where: {members: {every: $f}}) { id } }", true),
    (
      "query($g: GeoFilter, $a: AddressFilter, $t: StringListFilter) { Person(where: {or: [{address: $a}, {address: {geo: $g}}, {tags: $t}]}) { id } }",
      true
    ),
    ("query($d: SortDirection, $k: [PersonField!]) { Person(orderBy: [{age: $d}], distinctOn: $k) { id } }", true),
    (
      "query($id: ID!) { person(id: $id) { ...P } } fragment P on Person { id friends { ...Q } } fragment Q on Person { name }",
      true
    ),
    ("{ Person { __typename ... on Person { id } } __typename __schema { types { name } } }", true),
    ("query($n: String!) { __type(name: $n) { fields(includeDeprecated: true) { name } } }", true),
    ("query($i: Boolean!) { Person @include(if: $i) { id @skip(if: $i) name } }", true),
    ("{ Person(where: {level: {gte: SENIOR, ne: LEAD}}) @using(access: SCAN) { id level } }", true),
    ("{ Person(groupBy: [level]) { level _items(limit: 1) { id } } }", true),
    ("query($c: Cursor) { Person(after: $c, limit: 2) { _cursor id } }", true),
    ("{ Person { reports @recurse(depth: 2) { id _depth _cycle } } }", true),
    (
      "mutation { insertPerson(data: [{id: 9, name: \"N\", team: {id: \"t1\"}, projects: {append: [{id: \"x\"}]}}]) "
        + "{ id _inserted } }", true
    ),
    ("mutation($d: [PersonInput!]!) { upsertPerson(data: $d, on: [\"email\"], strategy: PATCH) { id } }", true),
    ("mutation { updatePerson(where: {age: {lt: 18}}, set: {status: AWAY, tags: [\"x\"]}) { id } }", true),
    (
      "mutation { deletePerson(where: {id: {eq: 7}}, hard: true) { id } restorePerson(where: {id: {eq: 7}}) { id } }",
      true
    ),
    ("mutation { insertPersn(data: []) { id } }", false),
    ("mutation { updatePerson(where: {age: {lt: 18}}, set: {stat: AWAY}) { id } }", false),
    ("mutation { upsertPerson(data: [], strategy: MERGE) { id } }", false),
    ("mutation { insertPerson { id } }", false),
    ("mutation { deletePerson(where: {nam: {eq: 1}}) { id } }", false),
    ("mutation { __schema { queryType { name } } }", false),
    (
      "{ Person(where: {_createdAt: {gt: \"2020-01-01T00:00:00Z\"}, _status: {eq: CREATED}}, orderBy: [{_updatedAt: DESC}]) "
        + "{ _status _createdAt } }", true
    ),
    ("{ Person(deleted: ONLY) { id _updatedAt } }", true),
    // Unknown names.
    ("{ Persons { id } }", false),
    ("{ Person { nam } }", false),
    ("{ Person(wher: {}) { id } }", false),
    ("{ Person(where: {nam: {eq: \"x\"}}) { id } }", false),
    ("{ Person(where: {name: {equals: \"x\"}}) { id } }", false),
    ("{ Person(where: {team: {nam: {eq: \"x\"}}}) { id } }", false),
    ("{ Person(where: {friends: {all: {id: {eq: 1}}}}) { id } }", false),
    ("{ Person(where: {friends: {name: {eq: \"x\"}}}) { id } }", false),
    ("{ Person(orderBy: [{nam: ASC}]) { id } }", false),
    ("{ Person(orderBy: [{age: UP}]) { id } }", false),
    ("{ Person(orderBy: [{friends: ASC}]) { id } }", false),
    ("{ Person(distinctOn: [nam]) { id } }", false),
    ("{ Person { ... on Team { id } } }", false),
    ("{ Person { ...F } }", false),
    ("query($f: PersonFilters) { Person(where: $f) { id } }", false),
    ("{ Person @foo { id } }", false),
    ("{ Person @using(access: FAST) { id } }", false),
    ("{ __type { name } }", false),
    ("{ __schema { typs { name } } }", false),
    // Wrong shapes and types.
    ("{ Person }", false),
    ("{ Person { id { x } } }", false),
    ("{ Person { team } }", false),
    ("{ Person(limit: \"x\") { id } }", false),
    ("{ Person(limit: 1.5) { id } }", false),
    ("{ Person(where: {age: 5}) { id } }", false),
    ("{ Person(where: {age: {eq: \"x\"}}) { id } }", false),
    ("{ Person(where: {name: {eq: 5}}) { id } }", false),
    ("{ Person(where: {age: {contains: 5}}) { id } }", false),
    ("{ Person(where: {status: {eq: \"ACTIVE\"}}) { id } }", false),
    ("{ Person(where: {status: {eq: AWAKE}}) { id } }", false),
    ("{ Person(where: {boss: {isNull: 1}}) { id } }", false),
    ("{ Person(where: [1]) { id } }", false),
    ("{ person(name: \"x\") { id } }", false),
    ("{ crew { id } }", false),
    ("query($f: TeamFilter) { Person(where: $f) { id } }", false),
    ("query($s: IntFilter) { Person(where: {name: $s}) { id } }", false),
    ("query($o: [TeamOrder!]) { Person(orderBy: $o) { id } }", false),
    ("query($i: Boolean) { Person @include(if: $i) { id } }", false),
    ("query($n: String) { __type(name: $n) { name } }", false),
    ("query($p: Person) { Person { id } }", false),
    ("{ Person { n: name n: age } }", false),
    ("{ Person { friends(limit: 1) { id } friends(limit: 2) { id } } }", false),
    ("query($n: Int) { Person { id } }", false),
    ("{ Person(limit: $n) { id } }", false),
    ("{ Person { id } } fragment Unused on Person { id }", false),
  ]

  @Test(
    "a client that builds its schema from introspection judges operations as we do",
    .enabled(if: GraphQLClient.isInstalled, "python3 with graphql-core is not there"))
  func operationsAreJudgedAlike() throws {
    let database = try Self.database("team")
    let verdicts = try verdicts(Self.operations.map(\.text), database)
    try #require(verdicts.count == Self.operations.count)
    for ((text, isValid), verdict) in zip(Self.operations, verdicts) {
      #expect((verdict == "OK") == isValid, "the client says of \(text): \(verdict)")
      #expect(Self.isValid(text, database) == isValid, "\(text)")
    }
  }

  @Test(
    "what a client finds valid in the corpus runs here",
    .enabled(if: GraphQLClient.isInstalled, "python3 with graphql-core is not there"))
  func corpusIsJudgedAlike() throws {
    let database = try Self.database("team")
    var documents: [String] = []
    let files = FileManager.default.enumerator(at: Self.corpus, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "query", let text = try? String(contentsOf: file, encoding: .utf8),
        text.contains("# data: ../data/team")
      else { continue }
      documents.append(text)
    }
    documents.sort()
    let verdicts = try verdicts(documents, database)
    try #require(verdicts.count == documents.count)
    var valid = 0
    for (text, verdict) in zip(documents, verdicts) where verdict == "OK" {
      valid += 1
      #expect(Self.codesOfTypes.isDisjoint(with: Self.codes(text, database)), "\(text)")
    }
    #expect(valid >= 5)
  }

  @Test(
    "every schema of the corpus gives a valid client schema",
    .enabled(if: GraphQLClient.isInstalled, "python3 with graphql-core is not there"),
    arguments: ["ambiguous", "forms", "scalars", "shapes", "shelf", "shop", "team", "values", "zoo"])
  func schemasAreValid(_ name: String) throws {
    #expect(try verdicts(["{ __typename }"], Self.database(name)) == ["OK"])
  }

  @Test(
    "names that clash or that GraphQL cannot write do no harm",
    .enabled(if: GraphQLClient.isInstalled, "python3 with graphql-core is not there"))
  func oddSchemasAreValid() throws {
    let schema = """
      type User { id: ID! name: String and: Int or: Int not: Int isNull: Boolean `first name`: String true: Int }
      type UserFilter { id: ID! user: User users: [User!]! }
      type UserList { id: ID! eq: Int }
      type StringFilter { a: Int }
      type `Two Words` { id: ID! user: User }
      enum SortDirection { ASC UP `a b` }
      enum `Odd Enum` { A }
      type Odd { id: ID! `bad name`: Int holder: Holder odd: `Odd Enum` `two`: `Two Words` direction: SortDirection }
      type Holder { `x y`: Int inner: Inner }
      type Inner { `z z`: Int }
      type Subscription_ { id: ID! }
      """
    let database = try Database(schema: schema)
    let operations = [
      ("{ User(where: {isNull: {eq: true}, and: [{name: {eq: \"x\"}}]}) { id and or not } }", true),
      ("{ UserFilter(where: {user: {name: {eq: \"x\"}}}) { id users { name } } }", true),
      ("query($f: UserFilter_) { User(where: $f) { id } }", true),
      ("query($s: StringFilter_) { User(where: {name: $s}) { id } }", true),
      ("query($d: SortDirection_) { Odd(orderBy: [{id: $d}]) { id } }", true),
      ("{ Odd(where: {direction: {eq: UP}}, orderBy: [{direction: DESC}]) { direction } }", true),
    ]
    let verdicts = try verdicts(operations.map(\.0), database)
    for ((text, isValid), verdict) in zip(operations, verdicts) {
      #expect((verdict == "OK") == isValid, "the client says of \(text): \(verdict)")
      #expect(Self.isValid(text, database) == isValid, "\(text)")
    }
  }

  /// What the client says of the three forms in which a schema is printed.
  private func verdict(_ database: Database) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["schema", "api", "introspection", "verdict"].map { folder.appending(path: $0) }
    try Data(database.schema.utf8).write(to: files[0])
    try Data(database.apiSchema.utf8).write(to: files[1])
    try Data(database.introspection().utf8).write(to: files[2])
    try Data().write(to: files[3])
    guard GraphQLClient.run(GraphQLClient.schemas, files[..<3].map(\.path), output: files[3]) == 0 else {
      return "the client stopped"
    }
    return try String(contentsOf: files[3], encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test(
    "a client reads the schema, its API and its introspection, and the last two are one",
    .enabled(if: GraphQLClient.isInstalled, "python3 with graphql-core is not there"),
    arguments: ["ambiguous", "forms", "scalars", "shapes", "shelf", "shop", "team", "values", "zoo"])
  func printedSchemasAreRead(_ name: String) throws {
    let database = try Self.database(name)
    #expect(try verdict(database) == "OK")
    #expect(try Database(schema: database.schema).schema == database.schema)
  }

  @Test(
    "what GraphQL has no syntax for is written in directives",
    .enabled(if: GraphQLClient.isInstalled, "python3 with graphql-core is not there"))
  func everythingIsRead() throws {
    let schema = """
      enum State { OPEN DONE }
      input Note { text: String = "x" }
      directive @mark(level: Int = 1) on FIELD
      "A place."
      type Place { city: String! = "Oslo" deep: [[[[Int!]!]!]!] }
      interface Named @root(many: "names") { name: String! }
      union Any = Task | Person
      type Task implements Named @index(fields: ["state", "due"]) {
        id: ID!
        name: String! @collate(CI) @unique
        state: State! = OPEN
        due: DateTime @default(value: now())
        day: Date @default(value: now())
        count: Int = -3
        price: Decimal = 1.50
        tags: [String!] = ["a", "b"]
        extra: JSON = {a: [1, {b: null}]}
        place: Place
        owner: Person @relation(inverse: "tasks", onDelete: CASCADE)
        label: String! @computed(as: "name + \\"!\\"")
        old: Int @deprecated(reason: "Use \\"count\\".")
      }
      type Person implements Named { id: ID! name: String! @fulltext(language: "en") tasks: [Task!]! }
      type Mutation_ { id: ID! }
      type Query { open: [Task!]! }
      """
    let database = try Database(schema: schema)
    #expect(try verdict(database) == "OK")
    let printed = database.schema
    for part in [
      "@collate(locale: CI)", "@default(value: now)", "@default(value: OPEN)", "@default(value: {a: [1, {b: null}]})",
    ] { #expect(printed.contains(part), "\(printed)") }
    #expect(try Database(schema: printed).schema == printed)
    let change = try database.schemaChange(to: printed)
    #expect(change.description == "", "\(change.description)")
  }

  @Test("a field of the type DateTime or Date may have the default 'now'") func now() throws {
    let database = try Database(
      schema: "enum E { now } type T { id: ID! at: DateTime @default(value: now) e: E @default(value: now) }")
    let options = RunOptions(now: DateTimeText.microseconds("2024-05-01T12:00:00Z"))
    let document = try QueryDocument(
      name: "m", bytes: Array("mutation { insertT(data: {id: 1}) { at e } }".utf8), dialect: .extended)
    let answer = try database.prepareAll(document)[0].run(options: options)
    #expect(answer.jsonString == #"{"insertT":[{"at":"2024-05-01T12:00:00Z","e":"now"}]}"#)
    #expect(throws: QueryError.self) {
      try Database(schema: "type T { id: ID! n: String @default(value: now) }")
    }
  }
}
