import GQLBase
import GQLLexer
import GQLParser
import Testing

@Suite struct FormatterTests {
  @Test func layout() {
    let text = """
      #!/usr/bin/env gqlite
      query   Seniors($min:Int=30){User(where:age>=$min and status==ACTIVE,orderBy:[lastName,-age],limit:10){ # who
      id,fullName:=firstName+" "+lastName


      n:count(messages) # how many
      # the rest
      chats(where:some(messages,text matches "swift database"), orderBy: -lastMessageAt, after: $cursor, limit: 25){title}
      }}
      type   User @fulltext(fields:["name"]) { "an id" id:ID! # key
        status:Status=ACTIVE@index(kind:HASH) }
      """
    let expected = """
      #!/usr/bin/env gqlite
      query Seniors($min: Int = 30) {
        User(where: age >= $min and status == ACTIVE, orderBy: [lastName, -age], limit: 10) { # who
          id
          fullName := firstName + " " + lastName

          n: count(messages) # how many
          # the rest
          chats(
            where: some(messages, text matches "swift database")
            orderBy: -lastMessageAt
            after: $cursor
            limit: 25
          ) {
            title
          }
        }
      }

      type User @fulltext(fields: ["name"]) {
        "an id"
        id: ID! # key
        status: Status = ACTIVE @index(kind: HASH)
      }

      """
    let formatted = format(SourceText(text))
    #expect(formatted.diagnostics.isEmpty)
    #expect(formatted.output == expected)
    #expect(format(SourceText(expected)).output == expected)
  }

  @Test func aTextWithErrorsStaysAsItIs() {
    let text = "{   a(b 1)  }"
    #expect(format(SourceText(text)).output == text)
    #expect(format(SourceText(text)).hasErrors)
  }

  /// Whatever stands on the lines before: formatting what was formatted changes nothing.
  @Test func commentsAfterTheBracketOfAnObject() {
    let text = "{ a(x: [{f: 1}, {# c\ne: 2}, {g: 3}]) { id } }"
    let once = format(SourceText(text)).output
    #expect(once.contains("{ # c\n"))
    #expect(format(SourceText(once)).output == once)
  }

  /// A comment behind any token survives, and a second run changes nothing.
  @Test func commentsAnywhere() {
    let texts = [
      "query Q($a: [Int!]! = [1 2] @d, $b: T) @e(f: 1) { x: y(z: {a: 1, b: [c d]}) @g { h } ...F ... on T { i } }",
      "{ a(x: [{f: 1}, {e: 2}, {g: 3}]) { id } }",
      "{ x := f(a, b and c, d: [e (g or h)]) + .i[0].j(k: 1) { l } let m := not n n: (o is not null) ...* }",
      "extend type T implements A & B @c { d(e: F = 1, g: H): [I!]! = J @k \"m\" n: O }",
      "directive @a(b: C, d: E) repeatable on FIELD | QUERY schema { query: Q } union U = A | B",
      "func f(a: T = (1 + 2), b: U): V = a * b enum E { A \"b\" B @c } input I { a: B = {c: [d]} }",
      "\"\"\"desc\"\"\" fragment F($a: B = 1) on T { * a { b } } { a } { b(c: [], d: {}) }",
    ]
    for text in texts {
      let tree = parse(SourceText(text)).output
      let tokens = tokenize(SourceText(text)).output
      for index in 0..<tokens.count {
        let place = Int(tokens.starts[index])
        for comment in ["# c\n", "\n# c\n\n# d\n", "\n\n# c\n"] {
          var bytes = Array(text.utf8)
          bytes.insert(contentsOf: comment.utf8, at: place)
          // What must touch, as a point and its name, is parted by the comment.
          guard parse(SourceText(name: "query", bytes: bytes)).output.isSameTree(as: tree) else { continue }
          let once = format(SourceText(name: "query", bytes: bytes))
          let twice = format(SourceText(once.output))
          let shown = String(decoding: bytes, as: UTF8.self)
          if once.output != twice.output { Issue.record("\(shown)\nonce\n\(once.output)\ntwice\n\(twice.output)") }
          if !parse(SourceText(once.output)).output.isSameTree(as: tree) { Issue.record("\(shown)\n\(once.output)") }
          let count = once.output.utf8.count { $0 == UInt8(ascii: "#") }
          if count != comment.utf8.count(where: { $0 == UInt8(ascii: "#") }) {
            Issue.record("\(shown)\n\(once.output)")
          }
        }
      }
    }
  }
}
