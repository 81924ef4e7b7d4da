import GQLBase
import GQLStore
import Testing

@testable import GQLEngine

/// Types and fields that get another name, and keep what they hold.
@Suite struct SchemaRenamingTests {
  private static let library = """
    type Author { id: ID!  name: String @index  books: [Book] @relation(inverse: "writer") }
    type Book { id: ID!  title: String! @unique  pages: Int  writer: Author }
    """
  private static let data =
    #"{"Author":[{"id":"a","name":"Ada"}],"Book":[{"id":1,"title":"One","pages":7,"writer":"a"},{"id":2,"title":"Two","writer":"a"},{"id":3,"title":"Three"}]}"#

  @Test("values, nulls and indexes of a field stay") func field() throws {
    let fixture = try SchemaChangeFixture(Self.library, Self.data)
    let change = try fixture.change(
      to: """
        type Author { id: ID!  fullName: String @index @was(name: "name")  books: [Book] @relation(inverse: "writer") }
        type Book { id: ID!  name: String! @unique @was(name: "title")  size: Int @was(name: "pages")  writer: Author }
        """)
    #expect(
      change.description == """
        ~ field 'Author.fullName' is renamed from 'name'
        ~ field 'Book.name' is renamed from 'title'
        ~ field 'Book.size' is renamed from 'pages'

        """)
    #expect(
      try fixture.answer("{ Book(orderBy: id) { name size } book(name: \"Two\") { writer { fullName } } }")
        == #"{"Book":[{"name":"One","size":7},{"name":"Two","size":null},{"name":"Three","size":null}],"book":{"writer":{"fullName":"Ada"}}}"#
    )
  }

  @Test("links of either side stay", arguments: [true, false]) func links(_ isFirst: Bool) throws {
    let fixture = try SchemaChangeFixture(Self.library, Self.data, "mutation { deleteBook(where: id == 2) { id } }")
    let (books, writer) = isFirst ? ("works", "writer") : ("books", "author")
    try fixture.change(
      to: """
        type Author {
          id: ID!  name: String @index  \(books): [Book] \(isFirst ? "@was(name: \"books\")" : "") @relation(inverse: "\(writer)")
        }
        type Book { id: ID!  title: String! @unique  pages: Int  \(writer): Author \(isFirst ? "" : "@was(name: \"writer\")") }
        """)
    let question = "{ Author { \(books) { id } } book(id: 1) { \(writer) { id } } }"
    let answer =
      #"{"Author":[{"BOOKS":[{"id":1}]}],"book":{"WRITER":{"id":"a"}}}"#.replacing("BOOKS", with: books)
      .replacing("WRITER", with: writer)
    #expect(try fixture.answer(question) == answer)
    _ = try fixture.answer("mutation { restoreBook(where: id == 2) { id } }")
    #expect(
      try fixture.answer("{ Author { \(books)(orderBy: id) { id } } }")
        == #"{"Author":[{"BOOKS":[{"id":1},{"id":2}]}]}"#.replacing("BOOKS", with: books))
    #expect(fixture.database.check() == [])
  }

  @Test("a one-way relation, and links that wait, go by the new names") func waiting() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  b: B } type B { id: ID! }", #"{"A":[{"id":1,"b":7},{"id":2,"b":8}],"B":[{"id":8}]}"#)
    let change = try fixture.change(
      to:
        "type Owner @was(name: \"A\") { id: ID!  thing: Thing @was(name: \"b\") } type Thing @was(name: \"B\") { id: ID! }"
    )
    #expect(
      change.description == """
        ~ type 'Owner' is renamed from 'A'
        ~ field 'Owner.thing' is renamed from 'b'
        ~ type 'Thing' is renamed from 'B'

        """)
    _ = try fixture.answer("mutation { insertThing(data: {id: 7}) { id } }")
    #expect(
      try fixture.answer("{ Owner { id thing { id } } }")
        == #"{"Owner":[{"id":1,"thing":{"id":7}},{"id":2,"thing":{"id":8}}]}"#)
  }

  @Test("values of enums are renamed in columns, lists, lists of lists and defaults") func enumValues() throws {
    let fixture = try SchemaChangeFixture(
      """
      enum Kind { BOOK LAMP RUG }
      type Item { id: ID!  kind: Kind @index  all: [Kind!]  grid: [[Kind]]  usual: Kind @default(value: LAMP)  box: Box }
      type Box { of: Kind }
      """,
      #"{"Item":[{"id":1,"kind":"BOOK","all":["LAMP","BOOK"],"grid":[["LAMP",null],["BOOK"]],"box":{"of":"LAMP"}},"#
        + #"{"id":2,"kind":"LAMP"},{"id":3,"kind":"RUG"}]}"#)
    let change = try fixture.change(
      to: """
        enum Kind { VOLUME @was(name: "BOOK") LIGHT @was(name: "CANDLE") @was(name: "LAMP") RUG }
        type Item { id: ID!  kind: Kind @index  all: [Kind!]  grid: [[Kind]]  usual: Kind @default(value: LIGHT)  box: Box }
        type Box { of: Kind }
        """)
    #expect(
      change.description == """
        ~ enum value 'Kind.VOLUME' is renamed from 'BOOK'
        ~ enum value 'Kind.LIGHT' is renamed from 'LAMP'

        """)
    #expect(change.losses.isEmpty)
    #expect(
      try fixture.answer(
        "{ Item(orderBy: id) { kind all grid usual box { of } } n: Item(where: kind == LIGHT) { id } }")
        == #"{"Item":[{"kind":"VOLUME","all":["LIGHT","VOLUME"],"grid":[["LIGHT",null],["VOLUME"]],"usual":"LIGHT","#
        + #""box":{"of":"LIGHT"}},{"kind":"LIGHT","all":null,"grid":null,"usual":"LIGHT","box":null},"#
        + #"{"kind":"RUG","all":null,"grid":null,"usual":"LIGHT","box":null}],"n":[{"id":2}]}"#)
    // With another order, a new value in between, and the enum renamed as well.
    try fixture.change(
      to: """
        enum Sort @was(name: "Kind") { RUG NEW LIGHT VOLUMES @was(name: "VOLUME") }
        type Item { id: ID!  kind: Sort @index  all: [Sort!]  grid: [[Sort]]  usual: Sort @default(value: LIGHT)  box: Box }
        type Box { of: Sort }
        """)
    #expect(
      try fixture.answer("{ Item(orderBy: kind) { id kind all grid box { of } } }")
        == #"{"Item":[{"id":3,"kind":"RUG","all":null,"grid":null,"box":null},"#
        + #"{"id":2,"kind":"LIGHT","all":null,"grid":null,"box":null},"#
        + #"{"id":1,"kind":"VOLUMES","all":["LIGHT","VOLUMES"],"grid":[["LIGHT",null],["VOLUMES"]],"#
        + #""box":{"of":"LIGHT"}}]}"#
    )
    #expect(fixture.database.check() == [])
  }

  @Test("a value whose former name is still there is no other one") func enumValueIsStillThere() throws {
    let fixture = try SchemaChangeFixture("enum K { A } type T { id: ID!  k: K }", #"{"T":[{"id":1,"k":"A"}]}"#)
    #expect(
      try fixture.refusal(of: "enum K { A B @was(name: \"A\") } type T { id: ID!  k: K }")
        == ["rename-conflict: 'K.B' was 'A', but 'A' is still there"])
    #expect(
      try fixture.refusal(of: "enum K { B } type T { id: ID!  k: K }")
        == ["data-loss: enum value 'K.A' is removed: 1 value of 'T.k' would be lost"])
  }

  @Test("fields of embedded objects, and of lists of them") func embedded() throws {
    let fixture = try SchemaChangeFixture(
      """
      type User { id: ID!  home: Address  all: [Address!]! }
      type Address { city: String!  place: Place }
      type Place { x: Int  user: User }
      """,
      #"{"User":[{"id":1,"home":{"city":"Bonn","place":{"x":5,"user":1}},"all":[{"city":"Ulm","place":{"x":6}}]}]}"#)
    let change = try fixture.change(
      to: """
        type User { id: ID!  flat: Home @was(name: "home")  all: [Home!]! }
        type Home @was(name: "Address") { town: String! @was(name: "city")  place: Place }
        type Place { y: Int @was(name: "x")  who: User @was(name: "user") }
        """)
    #expect(change.losses.isEmpty && change.differences.allSatisfy { $0.kind == .changed })
    #expect(change.description.contains("~ field 'Home.town' is renamed from 'city'\n"))
    #expect(
      try fixture.answer("{ User { flat { town place { y who { id } } } all { town place { y } } } }")
        == #"{"User":[{"flat":{"town":"Bonn","place":{"y":5,"who":{"id":1}}},"all":[{"town":"Ulm","place":{"y":6}}]}]}"#
    )
  }

  @Test("interfaces and enums") func others() throws {
    let fixture = try SchemaChangeFixture(
      """
      enum Kind { A B }
      interface Named { id: ID!  name: String }
      type X implements Named { id: ID!  name: String  kind: Kind }
      type Y { id: ID!  named: Named }
      """, #"{"X":[{"id":1,"name":"n","kind":"B"}],"Y":[{"id":2,"named":1}]}"#)
    let change = try fixture.change(
      to: """
        enum Sort @was(name: "Kind") { A B }
        interface Thing @was(name: "Named") { id: ID!  name: String }
        type Z implements Thing @was(name: "X") { id: ID!  name: String  sort: Sort @was(name: "kind") }
        type Y { id: ID!  named: Thing }
        """)
    #expect(change.differences.allSatisfy { $0.kind == .changed })
    #expect(change.losses.isEmpty)
    #expect(
      try fixture.answer("{ Thing { __typename name } Z { sort } Y { named { name } } }")
        == #"{"Thing":[{"__typename":"Z","name":"n"}],"Z":[{"sort":"B"}],"Y":[{"named":{"name":"n"}}]}"#)
  }

  @Test("a directive whose name is no more does nothing, and several are tried") func chains() throws {
    let fixture = try SchemaChangeFixture("type A { id: ID!  b: Int }", #"{"A":[{"id":1,"b":5}]}"#)
    let third = "type A { id: ID!  d: Int @was(name: \"a\") @was(name: \"b\") @was(name: \"c\") }"
    try fixture.change(to: third)
    #expect(try fixture.answer("{ A { d } }") == #"{"A":[{"d":5}]}"#)
    #expect(try fixture.change(to: third).isEmpty)
    // A new field may have an old name from then on.
    try fixture.change(to: "type A { id: ID!  d: Int @was(name: \"b\")  b: String = \"new\" }")
    #expect(try fixture.answer("{ A { d b } }") == #"{"A":[{"d":5,"b":"new"}]}"#)
    // And both are there already.
    #expect(try fixture.change(to: "type A { id: ID!  d: Int @was(name: \"b\")  b: String = \"new\" }").isEmpty)
    #expect(
      try fixture.refusal(of: "type A { id: ID!  d: Int @was(name: \"b\") }")
        == ["data-loss: field 'A.b' is removed: 1 value would be lost"])
  }

  @Test("a field of an interface goes with those of its types") func interfaceFields() throws {
    let fixture = try SchemaChangeFixture(
      "interface N { id: ID!  name: String } type A implements N { id: ID!  name: String @collate(CI) @index }",
      #"{"A":[{"id":1,"name":"X"}]}"#)
    let change = try fixture.change(
      to: """
        interface N { id: ID!  title: String }
        type A implements N { id: ID!  title: String @was(name: "name") @collate(CI) @index }
        """)
    #expect(change.losses.isEmpty)
    #expect(try fixture.answer("{ N(where: title == \"x\") { title } }") == #"{"N":[{"title":"X"}]}"#)
  }

  @Test("a key is renamed, alone and of several fields") func keys() throws {
    let fixture = try SchemaChangeFixture(
      "type A { id: ID!  n: Int } type B @id(fields: [\"x\", \"y\"]) { x: Int!  y: Int!  a: A }",
      #"{"A":[{"id":1,"n":5}],"B":[{"x":1,"y":2,"a":1}]}"#)
    let change = try fixture.change(
      to: """
        type A { key: ID! @id @was(name: "id")  n: Int }
        type B @id(fields: ["x", "z"]) { x: Int!  z: Int! @was(name: "y")  a: A }
        """)
    #expect(change.description == "~ field 'A.key' is renamed from 'id'\n~ field 'B.z' is renamed from 'y'\n")
    #expect(
      try fixture.answer("{ a(key: 1) { n } b(x: 1, z: 2) { a { key } } }")
        == #"{"a":{"n":5},"b":{"a":{"key":1}}}"#)
  }

  @Test("a type of its own goes with the name") func conversion() throws {
    let fixture = try SchemaChangeFixture("type A { id: ID!  n: Int }", #"{"A":[{"id":1,"n":5},{"id":2,"n":6}]}"#)
    try fixture.change(to: "type A { id: ID!  m: String! @was(name: \"n\") }")
    #expect(try fixture.answer("{ A { m } }") == #"{"A":[{"m":"5"},{"m":"6"}]}"#)
  }

  @Test("what a directive names must be gone") func stillThere() throws {
    let fixture = try SchemaChangeFixture("type A { id: ID!  a: Int } type B { id: ID! }", #"{"A":[{"id":1,"a":5}]}"#)
    #expect(
      try fixture.refusal(of: "type A { id: ID!  a: Int  b: Int @was(name: \"a\") } type B { id: ID! }")
        == ["rename-conflict: 'A.b' was 'a', but 'a' is still there"])
    #expect(
      try fixture.refusal(of: "type A { id: ID!  a: Int } type B { id: ID! } type C @was(name: \"B\") { id: ID! }")
        == ["rename-conflict: 'C' was 'B', but 'B' is still there"])
    let found = problem {
      try fixture.database.changeSchema(to: "type A { id: ID!\n  a: Int  b: Int @was(name: \"a\") } type B { id: ID! }")
    }
    #expect(found?.line == 2 && found?.column == 29 && found?.help != nil)
  }

  @Test("numbers tell what is the same") func numbers() throws {
    let fixture = try SchemaChangeFixture(
      "type A @number(value: 1) { id: ID!  a: Int @number(value: 1)  b: Int @number(value: 2)  c: Int }",
      #"{"A":[{"id":1,"a":5,"b":6,"c":7}]}"#)
    // Two fields exchange their names.
    let change = try fixture.change(
      to:
        "type X @number(value: 1) { id: ID!  b: Int @number(value: 1)  a: Int @number(value: 2)  c: Int @number(value: 3) }"
    )
    #expect(
      change.description == """
        ~ type 'X' is renamed from 'A'
        ~ field 'X.b' is renamed from 'a'
        ~ field 'X.a' is renamed from 'b'
        ~ field 'X.c' has the number 3

        """)
    #expect(try fixture.answer("{ X { a b c } }") == #"{"X":[{"a":6,"b":5,"c":7}]}"#)
    func refusal(_ fields: String) throws -> [String] {
      try fixture.refusal(of: "type X @number(value: 1) { id: ID!  \(fields) }")
    }
    #expect(
      try refusal("b: Int @number(value: 1)  a: Int @number(value: 2)  c: Int @number(value: 4)")
        == ["number-conflict: 'X.c' has the number 4, but it had 3 before"])
    #expect(
      try refusal("b: Int  d: Int @number(value: 1)  a: Int @number(value: 2)  c: Int @number(value: 3)")
        == ["number-conflict: 'X.d' has the number 1, which belongs to 'b'"])
    #expect(
      try refusal("a: Int @number(value: 1)  c: Int @number(value: 3)")
        == ["number-conflict: 'X.a' has the number 1 of 'b', but there was another 'X.a'"])
    // A name that has become free.
    try fixture.change(
      to: "type X @number(value: 1) { id: ID!  b: Int @number(value: 4)  z: Int @number(value: 1)  a: Int  c: Int }")
    #expect(try fixture.answer("{ X { z a b } }") == #"{"X":[{"z":5,"a":6,"b":null}]}"#)
  }

  @Test("a root name that was made of the type's follows it") func roots() throws {
    let fixture = try SchemaChangeFixture("type sheep { id: ID! } type User @root(one: \"u\") { id: ID! }")
    let change = try fixture.change(
      to: "type Goat @was(name: \"sheep\") { id: ID! } type Person @was(name: \"User\") @root(one: \"u\") { id: ID! }")
    #expect(
      change.description == "~ type 'Goat' is renamed from 'sheep'\n~ type 'Person' is renamed from 'User'\n")
  }
}
