import GQLite
import GQLiteModels
import Testing

@EntityModel
private struct Msg {
  let id: Int
  var text: String = ""
  @Relationship(.required, inverse: \.msgs) var author: Author?
}

@EntityModel
private struct Author {
  let id: Int
  @Relationship(inverse: \.author) var msgs: [Msg]?
}

/// A relation that a schema in text requires is there whoever writes.
@Suite struct RequiredLinkTests {
  private func database() throws -> Database {
    try Database(
      schema: """
        type Msg { id: Int! text: String! author: Author! @relation(inverse: "msgs") }
        type Author { id: Int! msgs: [Msg!]! @relation(inverse: "author") }
        """)
  }

  private func msg(_ id: Int, _ author: Int? = nil) -> Msg {
    var msg = Msg(id: id)
    if let author { msg.$author = .id(author) }
    return msg
  }

  private static let all = "{ Msg { id author { id } } Author { id } }"

  @Test func newEntities() throws {
    let database = try database()
    try Author(id: 1).save(to: database)
    let before = try database.query(Self.all).jsonString
    #expect(throws: ModelError.self) { try msg(1).save(to: database) }
    #expect(throws: ModelError.self) { try database.update { try $0.insert(msg(1)) } }
    // Nobody is there yet who would be the author.
    #expect(throws: ModelError.self) { try msg(1, 7).save(to: database) }
    // One of a graph fails, and with it all.
    var two = Author(id: 2)
    two.$msgs = .relation([msg(2)])
    var one = Author(id: 1)
    one.$msgs = .relation([msg(1), msg(2)])
    #expect(try database.query(Self.all).jsonString == before)
    try two.save(to: database)
    #expect(throws: ModelError.self) {
      try database.update {
        try two.save(to: &$0); try msg(9).save(to: &$0)
      }
    }
    try one.save(to: database)
    try msg(3, 2).save(to: database)
    #expect(
      try database.query(Self.all).jsonString
        == #"{"Msg":[{"id":2,"author":{"id":1}},{"id":1,"author":{"id":1}},{"id":3,"author":{"id":2}}],"#
        + #""Author":[{"id":1},{"id":2}]}"#)
    // What is there keeps its link, whatever is not said of it.
    try Msg(id: 3, text: "t").save(to: database)
    #expect(Msg.query(3).id(\.$author).resolve(in: database)?.$author.id == 2)
  }

  @Test func whatStays() throws {
    let database = try database()
    try Author(id: 1).save(to: database)
    try msg(1, 1).save(to: database)
    // Nothing else can be done, and it does not throw.
    try database.update { msg(1).detach(\.$author, inverse: \.$msgs, in: &$0) }
    #expect(Msg.query(1).id(\.$author).resolve(in: database)?.$author.id == 1)
    // A schema of models requires nothing of the store.
    var context = Context()
    try msg(1).save(to: &context)
    #expect(Msg.query(1).resolve(in: context) != nil)
  }
}
