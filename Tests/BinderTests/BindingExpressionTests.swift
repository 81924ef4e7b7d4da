import GQLBase
import GQLCatalog
import GQLParser
import Testing
@testable import GQLBinder
@testable import GQLQuery

@Suite struct BindingExpressionTests {
  @Test(arguments: [
    ("age >= 18 and status == ACTIVE", "(age >= 18 and status == ACTIVE)"),
    ("age > 1 or age < 0 or age == 5", "(age > 1 or age < 0 or age == 5)"),
    ("not (age >= 18)", "not(age >= 18)"),
    ("age == null", "isNull(age)"),
    ("null != age", "not(isNull(age))"),
    ("age is not null", "not(isNull(age))"),
    ("age < null", "null"),
    ("age == 18.5", "age == 18.5m"),
    ("score > 5", "score > 5.0f"),
    ("score > 9007199254740993", "score > 9007199254740993m"),
    ("balance == 0.1", "balance == 0.1m"),
    ("age == score", "age == score"),
    ("age + 1 > 2", "(age + 1) > 2"),
    ("age * 1.5 > score", "(Float(age) * 1.5f) > score"),
    ("balance * 1.1 > 3", "(balance * 1.1m) > 3m"),
    ("age / 2 == 1", "(age / 2) == 1.0f"),
    ("-age == -3", "-age == -3"),
    ("id == 7", "id == #7"),
    ("id == \"7\"", "id == #7"),
    ("id == firstName", "String(id) == firstName"),
    ("firstName + \" \" + lastName == \"a b\"", #"((firstName + " ") + lastName) == "a b""#),
    ("born == \"1970-01-02\"", "born == d1"),
    ("seen > \"1970-01-01T00:00:01Z\"", "seen > t1000000"),
    ("seen > \"1970-01-02\"", "seen > t86400000000"),
    ("status == Status.BANNED", "status == BANNED"),
    ("ACTIVE == status", "ACTIVE == status"),
    ("status in [ACTIVE, BANNED]", "status in [ACTIVE, BANNED]"),
    ("age in [1, 2]", "age in [1, 2]"),
    ("age in 1..5", "isTrue(age in 1..5)"),
    ("age not in 1..<age + 2", "not(isTrue(age in 1..<(age + 2)))"),
    ("\"x\" in tags", #""x" in tags"#),
    ("tags contains \"x\"", #"tags has "x""#),
    ("tags == [\"a\"]", #"tags == ["a"]"#),
    ("tags[0] == \"x\"", #"tags[0] == "x""#),
    ("firstName contains \"x\"", #"firstName contains "x""#),
    ("firstName not startsWith \"x\"", #"not(firstName startsWith "x")"#),
    ("firstName like \"a%\"", #"firstName like "a%""#),
    ("firstName ilike \"a%\"", #"firstName ilike "a%""#),
    ("firstName =~ \"^a\"", #"firstName =~ "^a""#),
    ("firstName !~ \"^a\"", #"not(firstName =~ "^a")"#),
    ("email == \"A@B\"", #"email~ == "a@b""#),
    ("email contains \"A\"", #"email~ contains "a""#),
    ("email in [\"A\", firstName]", #"email~ in ["a", fold(firstName)]"#),
    ("email =~ \"A\"", #"email =~ "A""#),
    ("firstName == email", "fold(firstName) == email~"),
    ("collate(firstName, CI) == \"ÄX\"", #"fold(firstName) == "äx""#),
    ("address.city == \"x\"", #"address.city == "x""#),
    ("address.zip.code == 1", "address.zip.code == 1"),
    ("address is null", "not(isTrue(address))"),
    ("exists(address)", "not(not(isTrue(address)))"),
    ("data.a.b == 1", #"data["a"]["b"] == json 1"#),
    ("data[0] == \"x\"", #"data[0] == json "x""#),
    ("boss.boss.age == 1", "boss.boss.age == 1"),
    ("boss is null", "isNull(<.0:User.boss>)"),
    ("boss == .", "<.0:User.boss> == <.0:User>"),
    ("boss == \"7\"", "boss.id == #7"),
    ("boss.id in [\"1\", 2]", "boss.id in [#1, #2]"),
    ("boss in [., boss.boss]", "(<.0:User.boss> == <.0:User> or <.0:User.boss> == <.0:User.boss.boss>)"),
    ("age ?? 0 + 1 > 3", "age ?? (0 + 1) > 3"),
    ("(age ?? score) > 3", "Float(age) ?? score > 3.0f"),
    ("coalesce(age, boss.age, 1) > 3", "age ?? boss.age ?? 1 > 3"),
    ("age as String == \"1\"", #"(age as String) == "1""#),
    ("int(score) == 1", "(score as Int) == 1"),
    ("if(age > 1, status, BANNED) == ACTIVE", "if(age > 1, status, BANNED) == ACTIVE"),
    ("nullif(age, 3) == 2", "if(age == 3, null, age) == 2"),
    ("lower(firstName) == \"x\"", #"lower(firstName) == "x""#),
    ("length(firstName) > length(tags)", "length(firstName) > length(tags)"),
    ("!(age == 1)", "not(age == 1)"),
    (".MINOR", "MINOR"),
    ("seen < now()", "seen < $now()"),
  ])
  func condition(_ text: String, _ expected: String) {
    let actual = BindingFixture.condition(text)
    #expect(actual == expected, "\(text)")
  }

  @Test(arguments: [
    ("some(messages, text contains \"x\")", #"some(.0:User→messages | text contains "x")"#),
    ("some(messages)", "exists(.0:User→messages)"),
    ("exists(messages)", "exists(.0:User→messages)"),
    ("every(messages, likes > 2)", "every(.0:User→messages | likes > 2)"),
    ("none(messages)", "none(.0:User→messages)"),
    ("one(messages, likes > age)", "wrong"),
    ("one(messages, likes > ^.age)", "one(.0:User→messages | likes > age^)"),
    ("some(boss, age > 3)", "some(.0:User→boss | age > 3)"),
    ("exists(boss)", "not(isNull(<.0:User.boss>))"),
    ("count(messages) > 3", "count(.0:User→messages) > 3"),
    ("count(messages(where: likes > 2, limit: age)) > 3", "count(.0:User→messages where likes > 2 limit age) > 3"),
    ("sum(messages.likes) > 3", "sum(.0:User→messages | likes) > 3"),
    ("sum(messages, likes * 2) > 3", "sum(.0:User→messages | (likes * 2)) > 3"),
    ("avg(messages.likes) > 3", "avg(.0:User→messages | likes) > 3.0f"),
    ("max(messages, length(text)) == age", "max(.0:User→messages | length(text)) == age"),
    ("count(messages.likes) > 3", "count(.0:User→messages where not(isNull(likes))) > 3"),
    (
      "count(messages(where: likes > 1).likes) > 3",
      "count(.0:User→messages where (likes > 1 and not(isNull(likes)))) > 3"
    ),
    ("count(chats.messages.author) > 3", "count(((.0:User→chats)→→messages)→→author) > 3"),
    (
      "count(chats(where: title == \"x\").messages(where: author == ^)) > 1",
      #"count((.0:User→chats where title == "x")→→messages where <.0:Message.author> == <.1:User>) > 1"#
    ),
    (
      "some(chats, some(messages, author == ^^))",
      "some(.0:User→chats | some(.0:Chat→messages | <.0:Message.author> == <.2:User>))"
    ),
    ("count(friends(where: .status == ^.status)) > 1", "count(.0:User→friends where status == status^) > 1"),
    ("age > avg(User.age)", "age > avg(User | age)"),
    ("age == max(User(where: status == ^.status).age)", "age == max(User where status == status^ | age)"),
    ("count(User) > 5", "count(User) > 5"),
    ("\"x\" in messages.text", #"some(.0:User→messages | text == "x")"#),
    ("ACTIVE in staff.status", "some(.0:User→staff | status == ACTIVE)"),
    ("firstName in messages.text", "some(.0:User→messages | text == firstName^)"),
    (". in boss.staff", "some(.0:User.boss→staff | <.0:User> == <.1:User>)"),
    ("every(Chat, . in ^.chats)", "every(Chat | some(.1:User→chats | <.0:Chat> == <.1:Chat>))"),
    ("exists(messages.likes)", "some(.0:User→messages | not(isNull(likes)))"),
  ])
  func sets(_ text: String, _ expected: String) {
    let actual = BindingFixture.condition(text)
    if expected == "wrong" {
      #expect(actual.hasPrefix("unknown-name"), "\(actual)")
    } else {
      #expect(actual == expected, "\(text)")
    }
  }

  @Test(arguments: [
    ("{age: {gte: 18, lt: 65}}", "age >= 18 and age < 65"),
    ("{age: {eq: null}}", "age == null"),
    ("{age: {isNull: true}, status: {in: [ACTIVE]}}", "age is null and status in [ACTIVE]"),
    ("{or: [{age: {gt: 1}}, {firstName: {contains: \"x\"}}]}", "age > 1 or firstName contains \"x\""),
    ("{not: {email: {eq: \"A\"}}}", "not (email == \"A\")"),
    ("{chats: {some: {title: {contains: \"x\"}}}}", "some(chats, title contains \"x\")"),
    ("{chats: {none: {}}}", "none(chats)"),
    ("{messages: {count: {gt: 3}}}", "count(messages) > 3"),
    ("{boss: {age: {notIn: [1, 2]}}}", "boss.age not in [1, 2]"),
    ("{boss: {isNull: true}}", "boss is null"),
    ("{address: {city: {startsWith: \"x\"}}}", "address.city startsWith \"x\""),
    ("{tags: {contains: \"x\"}}", "tags contains \"x\""),
    ("{firstName: {regex: \"^x\"}} and age > 3", "firstName =~ \"^x\" and age > 3"),
  ])
  func objectFormBindsToTheSamePredicate(_ object: String, _ expression: String) {
    #expect(BindingFixture.condition(object) == BindingFixture.condition(expression))
  }

  @Test func emptyFilterIsNoCondition() {
    #expect(BindingFixture.describe("{ User(where: {}) { id } }") == "User: many User {id: id}")
    #expect(BindingFixture.describe("{ User(where: {age: {}}) { id } }") == "User: many User {id: id}")
    #expect(BindingFixture.condition("{or: []}") == "false")
  }

  @Test func filterVariable() throws {
    let text = "query($f: UserFilter, $n: Int) { User(where: $f and age > $n) { id } }"
    let document = parse(SourceText(name: "q", text: text)).output
    let operation = try #require(operations(of: document).first)
    let bound = bind(document, operation: operation, catalog: BindingFixture.catalog).output
    #expect(bound?.structuralParameters == ["f"])
    let json = try JSONValue.parse(
      Array(#"{"status": {"eq": "ACTIVE"}, "chats": {"some": {"title": {"eq": "x"}}}}"#.utf8))
    var options = BindingOptions()
    options.structuralValues = ["f": RawValue(json)]
    #expect(
      BindingFixture.describe(text, options: options)
        == #"User: many User where (status == ACTIVE and some(.0:User→chats | title == "x") and age > $n) {id: id}"#)
    #expect(BindingFixture.describe(text) == "User: many User where (true and age > $n) {id: id}")
  }

  @Test func absentVariableIsAnAbsentKey() throws {
    let text = "query($min: Int, $max: Int!) { User(where: {age: {gte: $min, lt: $max}}) { id } }"
    let document = parse(SourceText(name: "q", text: text)).output
    let operation = try #require(operations(of: document).first)
    let bound = bind(document, operation: operation, catalog: BindingFixture.catalog).output
    #expect(bound?.structuralParameters == ["min"])
    #expect(BindingFixture.describe(text) == "User: many User where age < $max {id: id}")
    var options = BindingOptions()
    options.structuralValues = ["min": .integer("3")]
    #expect(
      BindingFixture.describe(text, options: options)
        == "User: many User where (age >= $min and age < $max) {id: id}")
  }

  @Test(arguments: [
    ("name", "lastName"), ("-age", "age desc"), ("[lastName, -age]", "lastName, age desc"),
    ("desc(age, nulls: FIRST)", "age desc nulls first"), ("asc(age)", "age"), ("email", "email~"),
    ("collate(lastName, CI)", "fold(lastName)"), ("boss.age", "boss.age"), ("{age: DESC}", "age desc"),
    ("[{boss: {lastName: ASC}}, {address: {city: DESC}}]", "boss.lastName, address.city desc"),
    ("-count(messages)", "count(.0:User→messages) desc"), ("boss", "boss.id"), ("age + 1", "(age + 1)"),
  ])
  func order(_ text: String, _ expected: String) {
    let term = text == "name" ? "lastName" : text
    #expect(
      BindingFixture.describe("{ User(orderBy: \(term)) { id } }") == "User: many User order \(expected) {id: id}")
  }

  @Test func orderVariable() throws {
    let text = "query($o: [UserOrder!]) { User(orderBy: $o) { id } }"
    var options = BindingOptions()
    let json = try JSONValue.parse(Array(#"[{"age": "DESC"}, {"boss": {"lastName": "ASC"}}]"#.utf8))
    options.structuralValues = ["o": RawValue(json)]
    #expect(
      BindingFixture.describe(text, options: options) == "User: many User order age desc, boss.lastName {id: id}")
    #expect(BindingFixture.describe(text) == "User: many User {id: id}")
  }
}
