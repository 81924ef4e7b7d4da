import GQLBase
import GQLCatalog
import GQLParser
import Testing
@testable import GQLBinder

@Suite struct BindingSelectionTests {
  @Test(arguments: [
    ("{ User { id n: firstName } }", "User: many User {id: id n: firstName}"),
    ("{ people { id } }", "people: many User {id: id}"),
    ("{ user(id: 7) { id } }", "user: one User#id(#7) {id: id}"),
    ("{ me(email: \"A@b\") { id } }", #"me: one User#email("a@b") {id: id}"#),
    ("query($e: String) { user(email: $e) { id } }", "user: one User#email(fold($e)) {id: id}"),
    ("{ User }", "User: many User = id"),
    ("{ User { boss staff } }", "User: many User {boss: boss.id staff: many .0:User→staff = id}"),
    (
      "{ User { chats(where: count(users) > ^.age, limit: age) { title boss: users(offset: 1) { id } } } }",
      "User: many User {chats: many .0:User→chats where count(.0:Chat→users) > age^ limit age "
        + "{title: title boss: many .0:Chat→users offset 1 {id: id}}}"
    ),
    (
      "{ User { __typename address { city zip { code } } } }",
      "User: many User {__typename: 'User' address: (address)?{city: address.city zip: (address.zip)?{code: address.zip.code}}}"
    ),
    (
      "{ User { address } }",
      "User: many User {address: (address)?{street: address.street city: address.city zip: (address.zip)?{code: address.zip.code}}}"
    ),
    ("{ n: count(Chat) m := max(User.age) }", "n: count(Chat) m: max(User | age)"),
    (
      "{ User { full := firstName + lastName ok: (age > 3) n: count(chats) } }",
      "User: many User {full: (firstName + lastName) ok: age > 3 n: count(.0:User→chats)}"
    ),
    ("{ User { b := boss.boss } }", "User: many User {b: boss.boss.id}"),
    ("{ User { b := boss { age } } }", "User: many User {b: one .0:User→boss {age: age}}"),
    (
      "{ User { last := messages(limit: 1) { text } } }",
      "User: many User {last: many .0:User→messages limit 1 {text: text}}"
    ),
    ("{ Chat { * } }", "Chat: many Chat {id: id title: title}"),
    (
      "{ Message { ...** } }",
      "Message: many Message {id: id text: text likes: likes author: one .0:Message→author "
        + "{id: id email: email firstName: firstName lastName: lastName age: age score: score balance: balance "
        + "status: status MINOR: MINOR address: (address)?{street: address.street city: address.city "
        + "zip: (address.zip)?{code: address.zip.code}} tags: tags data: data born: born seen: seen} "
        + "chat: one .0:Message→chat {id: id title: title}}"
    ),
    (
      "{ User { ...F age ... on User { score } } } fragment F on User { id age }",
      "User: many User {id: id age: age score: score}"
    ),
    (
      "{ User { ...F(n: 5) } } fragment F($n: Int = 1, $s: Status) on User { x := age + $n staff(where: status == $s, limit: $n) { id } }",
      "User: many User {x: (age + 5) staff: many .0:User→staff where status == null limit 5 {id: id}}"
    ),
    (
      "{ User { ...F(s: BANNED) } } fragment F($n: Int = 1, $s: Status) on User { x := age + $n ok := status == $s }",
      "User: many User {x: (age + 1) ok: status == BANNED}"
    ),
    ("{ User { boss { id } boss { age } } }", "User: many User {boss: one .0:User→boss {id: id age: age}}"),
    (
      "query($a: Boolean!, $b: Boolean!) { User { id @include(if: $a) age @skip(if: $b) } }",
      "User: many User {id @($a): id age @(not(isTrue($b))): age}"
    ),
    (
      "query($a: Boolean!, $b: Boolean!) { User { age @include(if: $a) ... @include(if: $b) { age } } }",
      "User: many User {age @(($a or $b)): age}"
    ),
    (
      "query($a: Boolean!) { User { boss @include(if: $a) { id } boss { age } } }",
      "User: many User {boss: one .0:User→boss {id @($a): id age: age}}"
    ),
    ("{ User { id @skip(if: true) age @include(if: true) } }", "User: many User {age: age}"),
    (
      "{ User(where: adult, orderBy: old) { let adult := age >= 18 let old := -1 * age x := adult } }",
      "User: many User where age >= 18 order (-1 * age) {x: age >= 18}"
    ),
    (
      "{ User { let mine := age staff(where: age > mine) { d := age - mine } } }",
      "User: many User {staff: many .0:User→staff where age > age^ {d: (age - age^)}}"
    ),
    (
      "{ let recent := Message(where: likes > 1) User { n := count(recent) some := . in recent.author } }",
      "User: many User {n: count(Message where likes > 1) "
        + "some: some((Message where likes > 1)→→author | <.0:User> == <.1:User>)}"
    ),
    ("{ User(distinctOn: [email, boss]) { id } }", "User: many User distinct email~, boss.id {id: id}"),
    ("{ User @using(access: BTREE, index: \"User.age\") { id } }", "User: many User using BTREE age {id: id}"),
    (
      "{ User { x := {a: age, b: [1, firstName]} } }",
      "User: many User {x: {a: JSON(age), b: JSON([json 1, JSON(firstName)])}}"
    ),
    ("{ __typename }", "__typename: 'Query'"),
  ])
  func query(_ text: String, _ expected: String) {
    let normalized = expected.replacing("JSON([json 1, JSON(firstName)])", with: "[json 1, JSON(firstName)]")
    #expect(BindingFixture.describe(text) == normalized)
  }

  @Test func parentsStandBeforeChildren() throws {
    let bound = BindingFixture.bind(
      "{ User(where: some(chats, some(messages, likes > 1))) { chats(where: some(users)) { messages { id } } } }")
    let query = try #require(bound.output)
    for (index, selection) in query.selections.enumerated() {
      guard case .object(let fields) = selection.shape else { continue }
      for case .many(let inner) in fields.map(\.content) {
        #expect(inner.index > index)
        #expect(query[inner].set.index > selection.set.index)
      }
    }
  }

  @Test func checkedDocument() {
    let text = "query A($x: Int) { User { id } } { Chat { id } } fragment F on User { id } query A { User { id } }"
    let document = parse(SourceText(name: "q", text: text)).output
    let lints = checkDocument(document, catalog: BindingFixture.catalog)
    #expect(
      lints.diagnostics.map { "\($0.severity) \($0.code)" }
        == ["warning unused-variable", "warning unused-fragment", "error duplicate-definition"])
    #expect(lints.output.count == 3)
    let strict = checkDocument(document, catalog: BindingFixture.catalog, options: BindingOptions(dialect: .graphql))
    #expect(
      strict.diagnostics.map { "\($0.severity) \($0.code)" }
        == ["error unused-variable", "error lone-anonymous", "error unused-fragment", "error duplicate-definition"])
  }

  @Test func deepAndWideDocumentsEnd() {
    var text = "{ User { let a0 := age"
    for index in 1...60 { text += " let a\(index) := a\(index - 1) + a\(index - 1)" }
    text += " x := a60 } }"
    #expect(BindingFixture.codes(text).contains("expansion-limit"))

    var chain = "{ User { let a0 := age"
    for index in 1...400 { chain += " let a\(index) := a\(index - 1)" }
    #expect(BindingFixture.codes(chain + " x := a400 } }") == ["depth-limit"])

    var bomb = "{ User { ...F0 } }"
    for index in 0..<30 {
      bomb += " fragment F\(index) on User { a: boss { ...F\(index + 1) } b: boss { ...F\(index + 1) } }"
    }
    bomb += " fragment F30 on User { id }"
    #expect(BindingFixture.codes(bomb).contains("expansion-limit"))

    let terms = (0..<400).map { "age == \($0)" }.joined(separator: " or ")
    #expect(BindingFixture.codes("{ User(where: \(terms)) { id } }") == [])
    let sum = (0..<400).map { "\($0)" }.joined(separator: " + ")
    #expect(BindingFixture.codes("{ User(where: age > \(sum)) { id } }") == ["depth-limit"])
  }

  @Test func constantExpressionAsDefault() throws {
    let bound = BindingFixture.bind(
      "query($n: Int = (20 + 5), $d: Float = (0.5 * 3), $s: String = (\"a\" + \"b\")) { User(limit: $n) { x := $d y := $s } }"
    )
    #expect(bound.diagnostics == [])
    let query = try #require(bound.output)
    #expect(
      query.parameters.map(\.defaultValue) == [
        .int(25), .float(1.5), .string("ab"),
      ])
    #expect(
      BindingFixture.codes("query($n: Int = (9223372036854775807 + 1)) { User(limit: $n) { id } }") == ["wrong-default"]
    )
  }

  @Test func variableCoercion() throws {
    let bound = try #require(
      BindingFixture.bind(
        "query($ids: [ID!]!, $n: Int = 3, $s: Status, $d: Decimal, $a: Address) { User(where: id in $ids and age > $n and status == $s and balance > $d) { id } }"
      ).output)
    func run(_ json: String) throws -> Analyzed<[Value?]> {
      guard case .object(let members) = try JSONValue.parse(Array(json.utf8)) else { return Analyzed([], []) }
      var inputs: [String: VariableInput] = [:]
      for member in members { inputs[member.key.string] = .json(member.value) }
      return coerceVariables(inputs, for: bound.parameters, catalog: BindingFixture.catalog)
    }
    let good = try run(#"{"ids": "x", "s": "BANNED", "d": 0.10, "a": {"city": "y"}, "other": 1}"#)
    #expect(good.diagnostics == [])
    #expect(
      good.output == [
        .list([.id("x", isNumber: false)]), .int(3), .enumeration(EnumTypeID(0), code: 2),
        .decimal(try #require(Decimal(parsing: "0.1"))), .object([Value.Member("city", .string("y"))]),
      ])
    let bad = try run(#"{"ids": ["a", "b", null], "n": 1.5, "s": "ACTVE", "d": "x", "a": {"street": "s"}}"#)
    #expect(
      bad.diagnostics.map { String($0.message.prefix { $0 != ":" }) } == ["$ids[2]", "$n", "$s", "$d", "$a.city"])
    #expect(bad.diagnostics.map(\.help)[2] == "did you mean 'ACTIVE'?")
    #expect(try run("{}").diagnostics.map(\.code.rawValue) == ["missing-variable"])
  }
}
