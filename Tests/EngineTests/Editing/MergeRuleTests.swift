import GQLite
import Testing

/// Rules that no field shows: entities that come and go, keys, links that must be there.
@Suite struct MergeRuleTests {
  private static let schema = """
    type User {
      id: ID! name: String email: String @unique code: String! @unique posts: [Post!]! @relation(inverse: "author", onDelete: CASCADE)
    }
    type Post {
      id: ID! title: String author: User! @relation(inverse: "posts") comments: [Comment!]! @relation(inverse: "post", onDelete: DENY)
    }
    type Comment { id: ID! text: String post: Post @relation(inverse: "comments") by: User }
    """
  private static let start = #"""
    insertUser(data: [
      {id: 1, name: "Ada", email: "a", code: "1", posts: [{id: 1, title: "x"}, {id: 2, title: "y"}]}, {id: 2, name: "Bo", code: "2"}
    ])
    """#

  private func scene(_ start: String = "", mine: String, theirs: String) throws -> MergeScene {
    try MergeScene(Self.schema, Self.start + " " + start, mine: mine, theirs: theirs)
  }

  // MARK: - Deleted on one side

  @Test("deleted here, written there") func deletedHere() throws {
    func both() throws -> MergeScene {
      try self.scene(
        mine: "deleteUser(where: id == 2)", theirs: #"updateUser(where: id == 2, set: {name: "Bob"})"#)
    }
    let scene = try both()
    #expect(try scene.refusal() == ["'User' of 2 was deleted by one side, and 'name' was written by the other"])
    #expect(try scene.saved(.mine, "{ User { id } }") == #"{"User":[{"id":1}]}"#)
    #expect(
      try both().saved(.theirs, "{ User { id name } }")
        == #"{"User":[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]}"#)
  }

  @Test("written here, deleted there") func deletedThere() throws {
    func both() throws -> MergeScene {
      try self.scene(
        mine: #"updateUser(where: id == 2, set: {name: "Bob"})"#, theirs: "deleteUser(where: id == 2)")
    }
    let scene = try both()
    #expect(try scene.refusal() == ["'User' of 2 was deleted by one side, and 'name' was written by the other"])
    #expect(
      try scene.saved(.mine, "{ User { id name } }")
        == #"{"User":[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]}"#)
    #expect(try both().saved(.theirs, "{ User { id } }") == #"{"User":[{"id":1}]}"#)
  }

  @Test("written here, erased there") func erasedThere() throws {
    func both() throws -> MergeScene {
      try self.scene(
        mine: #"updateUser(where: id == 1, set: {name: "Ann"})"#, theirs: "deleteUser(where: id == 1, hard: true)")
    }
    #expect(
      try both().saved(.mine, "{ User(orderBy: id) { id name email } }")
        == #"{"User":[{"id":1,"name":"Ann","email":"a"},{"id":2,"name":"Bo","email":null}]}"#)
    #expect(try both().saved(.theirs, "{ User { id } }") == #"{"User":[{"id":2}]}"#)
  }

  @Test("deleted on both sides") func deletedTwice() throws {
    let scene = try self.scene(mine: "deleteUser(where: id == 2)", theirs: "deleteUser(where: id == 2)")
    #expect(try scene.saved("{ User { id } }") == #"{"User":[{"id":1}]}"#)
  }

  @Test("a cascade stays with what the other side has written to") func cascade() throws {
    func both() throws -> MergeScene {
      try self.scene(
        mine: "deleteUser(where: id == 1)", theirs: #"updatePost(where: id == 2, set: {title: "z"})"#)
    }
    let scene = try both()
    #expect(try scene.refusal() == ["'Post' of 2 was deleted by one side, and 'title' was written by the other"])
    #expect(try scene.saved(.mine, "{ User { id } Post { id } }") == #"{"User":[{"id":2}],"Post":[]}"#)
    #expect(
      try both().saved(.theirs, "{ User { id posts { id title } } }")
        == #"{"User":[{"id":1,"posts":[{"id":1,"title":"x"},{"id":2,"title":"z"}]},{"id":2,"posts":[]}]}"#)
  }

  @Test("what was erased here and stays keeps its links, in their order") func staying() throws {
    let schema = """
      type Owner { id: ID! kids: [Kid!]! @relation(inverse: "owner") }
      type Kid { id: ID! n: Int owner: Owner! @relation(inverse: "kids") others: [Kid!]! second: Owner }
      """
    let start = """
      insertOwner(data: {id: 1}) insertKid(data: [{id: 2, n: 0, owner: 1}, {id: 1, owner: 1}])
      updateKid(where: id == 2, set: {others: [1, 2], second: 1})
      """
    let query = "{ Owner { kids { id } } Kid(orderBy: id) { id n owner { id } others { id } second { id } } }"
    for theirs in ["updateKid(where: id == 2, set: {n: 1})", "updateKid(where: id == 1, set: {others: [2]})"] {
      let scene = try MergeScene(schema, start, mine: "deleteKid(where: id == 2, hard: true)", theirs: theirs)
      let before = try scene.database.run(query).jsonString
      #expect(try scene.saved(.theirs, query) == before)
    }
    let scene = try MergeScene(
      schema, start, mine: "deleteKid(where: id == 2, hard: true)", theirs: "updateKid(where: id == 2, set: {n: 1})")
    #expect(
      try scene.saved(.mine, query)
        == #"{"Owner":[{"kids":[{"id":1}]}],"Kid":[{"id":1,"n":null,"owner":{"id":1},"others":[],"second":null}]}"#)
  }

  @Test("what is erased here, and must stay for a link of the other side, keeps its own links") func stayingForLink()
    throws
  {
    let schema = """
      interface Thing { id: ID! }
      type Place implements Thing { id: ID! town: Town! }
      type Town { id: ID! }
      type Note { id: ID! about: Thing! more: [Thing!]! }
      """
    // Links that lead to what is erased by an interface, where that is written.
    let written = try MergeScene(
      schema,
      "insertTown(data: [{id: 1}, {id: 2}]) insertPlace(data: [{id: 1, town: 1}, {id: 2, town: 1}]) insertNote(data: {id: 1, about: 2, more: [1, 2]})",
      mine: "deletePlace(where: id == 1, hard: true)", theirs: "updatePlace(where: id == 1, set: {town: 2})")
    #expect(
      try written.saved(.theirs, "{ Place { id town { id } } Note { more { id } } }")
        == #"{"Place":[{"id":1,"town":{"id":2}},{"id":2,"town":{"id":1}}],"Note":[{"more":[{"id":1},{"id":2}]}]}"#)
    let scene = try MergeScene(
      schema, "insertTown(data: {id: 1}) insertPlace(data: {id: 1, town: 1})",
      mine: "deletePlace(where: id == 1, hard: true)", theirs: "insertNote(data: {id: 1, about: 1})")
    #expect(try scene.refusal().count == 1)
    #expect(
      try scene.saved(.theirs, "{ Place { id town { id } } Note { about { id } } }")
        == #"{"Place":[{"id":1,"town":{"id":1}}],"Note":[{"about":{"id":1}}]}"#)
  }

  @Test("deletions that do not hang together are decided one by one") func separateDeletions() throws {
    let scene = try self.scene(
      #"others: insertUser(data: [{id: 3, code: "3"}, {id: 4, code: "4"}])"#, mine: "deleteUser(where: id >= 2)",
      theirs: #"updateUser(where: id == 3, set: {name: "C"})"#)
    #expect(try scene.saved(.theirs, "{ User { id } }") == #"{"User":[{"id":1},{"id":3}]}"#)
  }

  @Test("new entities there, linked with what is deleted here") func linkedThere() throws {
    func both() throws -> MergeScene {
      try self.scene(mine: "deleteUser(where: id == 1)", theirs: #"insertPost(data: {id: 9, title: "n", author: 1})"#)
    }
    let scene = try both()
    #expect(try scene.refusal() == ["'User' of 1 was deleted by one side, and 'posts' was written by the other"])
    #expect(try scene.saved(.mine, "{ User { id } Post { id } }") == #"{"User":[{"id":2}],"Post":[]}"#)
    #expect(
      try both().saved(.theirs, "{ Post(orderBy: id) { id author { id } } }")
        == #"{"Post":[{"id":1,"author":{"id":1}},{"id":2,"author":{"id":1}},{"id":9,"author":{"id":1}}]}"#)
  }

  @Test("new entities here, linked with what is deleted there") func linkedHere() throws {
    func both() throws -> MergeScene {
      try self.scene(
        mine: #"insertPost(data: {id: 9, title: "n", author: 1}) insertComment(data: {id: 1, text: "c", post: 9})"#,
        theirs: "deleteUser(where: id == 1)")
    }
    let scene = try both()
    #expect(
      try scene.refusal() == [
        "'User' of 1 was deleted by one side, and 'posts' was written by the other",
        "'Post.author' of 9 would lose a link that it must have",
      ])
    #expect(
      try scene.saved(.mine, "{ User { id posts { id } } Comment { id post { id } } }")
        == #"{"User":[{"id":1,"posts":[{"id":1},{"id":2},{"id":9}]},{"id":2,"posts":[]}],"Comment":[{"id":1,"post":{"id":9}}]}"#
    )
    // The post cannot be without an author; what may be without a post stays.
    #expect(
      try both().saved(.theirs, "{ User { id } Post { id } Comment { id post { id } } }")
        == #"{"User":[{"id":2}],"Post":[],"Comment":[{"id":1,"post":null}]}"#)
  }

  @Test("a denied deletion") func denied() throws {
    let scene = try self.scene(
      mine: "deletePost(where: id == 1)", theirs: #"insertComment(data: {id: 1, text: "c", post: 1})"#)
    #expect(
      try scene.refusal(.mine) == ["'Post.comments' of 1 has links, which deny the deletion"])
    #expect(
      try scene.saved(.theirs, "{ Post(orderBy: id) { id comments { id } } }")
        == #"{"Post":[{"id":1,"comments":[{"id":1}]},{"id":2,"comments":[]}]}"#)
  }

  @Test("what was moved away before the deletion stays") func movedAway() throws {
    let scene = try self.scene(
      mine: "updatePost(where: author.id == 1, set: {author: 2}) deleteUser(where: id == 1)",
      theirs: #"insertUser(data: {id: 7, code: "7"})"#)
    #expect(
      try scene.saved("{ User(orderBy: id) { id posts { id } } }")
        == #"{"User":[{"id":2,"posts":[{"id":1},{"id":2}]},{"id":7,"posts":[]}]}"#)
  }

  @Test("restored on one side, or on both") func restored() throws {
    let scene = try self.scene(
      "deleteUser(where: id == 1)",
      mine: #"restoreUser(where: id == 1) updateUser(where: id == 1, set: {name: "Ann"})"#,
      theirs: #"insertUser(data: {id: 7, code: "7"})"#)
    #expect(
      try scene.saved("{ User(orderBy: id) { id name posts { id } } }")
        == #"{"User":[{"id":1,"name":"Ann","posts":[{"id":1},{"id":2}]},{"id":2,"name":"Bo","posts":[]},{"id":7,"name":null,"posts":[]}]}"#
    )
    let both = try self.scene(
      "deleteUser(where: id == 1)", mine: "restoreUser(where: id == 1)", theirs: "restoreUser(where: id == 1)")
    #expect(
      try both.saved("{ User(orderBy: id) { id posts { id } } }")
        == #"{"User":[{"id":1,"posts":[{"id":1},{"id":2}]},{"id":2,"posts":[]}]}"#)
  }

  // MARK: - Keys

  @Test("both have inserted one id") func sameID() throws {
    func both() throws -> MergeScene {
      try self.scene(
        mine: #"insertUser(data: {id: 5, name: "M", code: "5", posts: [{id: 8, title: "m"}]})"#,
        theirs: #"insertUser(data: {id: 5, name: "O", code: "6", posts: [{id: 9, title: "o"}]})"#)
    }
    let scene = try both()
    #expect(try scene.refusal() == ["'User' of 5 was inserted by both sides"])
    let query = "{ user(id: 5) { name code posts(orderBy: id) { id } } }"
    #expect(
      try scene.saved(.mine, query)
        == #"{"user":{"name":"M","code":"5","posts":[{"id":8},{"id":9}]}}"#)
    #expect(
      try both().saved(.theirs, query)
        == #"{"user":{"name":"O","code":"6","posts":[{"id":8},{"id":9}]}}"#)
  }

  @Test("both have inserted the same") func sameEntity() throws {
    let insertion = #"insertUser(data: {id: 5, name: "M", code: "5"})"#
    let scene = try self.scene(mine: insertion, theirs: insertion)
    #expect(try scene.saved("{ user(id: 5) { name } count(User) }") == #"{"user":{"name":"M"},"count":3}"#)
  }

  @Test("a unique value that may be null goes to the side that is chosen") func takenValue() throws {
    func both() throws -> MergeScene {
      try self.scene(
        mine: #"updateUser(where: id == 2, set: {email: "e"})"#,
        theirs: #"insertUser(data: {id: 5, email: "e", code: "5"})"#)
    }
    let scene = try both()
    #expect(try scene.refusal() == ["'User.email' of 2 has a value that another entity has now"])
    let query = "{ User(orderBy: id) { email } }"
    #expect(try scene.saved(.mine, query) == #"{"User":[{"email":"a"},{"email":"e"},{"email":null}]}"#)
    #expect(try both().saved(.theirs, query) == #"{"User":[{"email":"a"},{"email":null},{"email":"e"}]}"#)
  }

  @Test("a unique value that must be there cannot be taken from its entity") func takenRequiredValue() throws {
    func both() throws -> MergeScene {
      try self.scene(
        mine:
          #"insertUser(data: {id: 5, code: "c", posts: [{id: 8, title: "m"}]}) insertComment(data: {id: 1, by: 5})"#,
        theirs: #"insertUser(data: {id: 6, code: "c"})"#)
    }
    let scene = try both()
    #expect(try scene.refusal(.mine).first == "'User.code' of 5 has a value that another entity has now")
    #expect(
      try scene.saved(.theirs, "{ User(orderBy: id) { id } Post { id } Comment { id by { id } } }")
        == #"{"User":[{"id":1},{"id":2},{"id":6}],"Post":[{"id":1},{"id":2}],"Comment":[{"id":1,"by":null}]}"#)
  }

  @Test("unique values that entities have exchanged") func exchanged() throws {
    let scene = try self.scene(
      mine:
        #"a: updateUser(where: id == 1, set: {code: "x"}) b: updateUser(where: id == 2, set: {code: "1"}) c: updateUser(where: id == 1, set: {code: "2"})"#,
      theirs: #"updateUser(where: id == 1, set: {name: "Ann"})"#)
    #expect(
      try scene.saved("{ User(orderBy: id) { name code } }")
        == #"{"User":[{"name":"Ann","code":"2"},{"name":"Bo","code":"1"}]}"#)
  }

  @Test("a unique value that a deletion has freed") func freed() throws {
    let scene = try self.scene(
      mine: #"deleteUser(where: id == 2) insertUser(data: {id: 3, code: "2"})"#,
      theirs: #"insertUser(data: {id: 6, code: "6"})"#)
    #expect(
      try scene.saved("{ User(orderBy: id) { id code } }")
        == #"{"User":[{"id":1,"code":"1"},{"id":3,"code":"2"},{"id":6,"code":"6"}]}"#)
  }

  // MARK: - Links of one to one

  @Test("one end that both sides have linked with others") func oneToOne() throws {
    let schema = """
      type Seat { id: ID! guest: Guest @relation(inverse: "seat") }
      type Guest { id: ID! seat: Seat @relation(inverse: "guest") }
      """
    let start = "insertSeat(data: [{id: 1}, {id: 2}]) insertGuest(data: [{id: 1}, {id: 2}])"
    func both() throws -> MergeScene {
      try MergeScene(
        schema, start, mine: "updateGuest(where: id == 1, set: {seat: 1})",
        theirs: "updateGuest(where: id == 2, set: {seat: 1})")
    }
    let query = "{ Seat(orderBy: id) { guest { id } } Guest(orderBy: id) { seat { id } } }"
    let scene = try both()
    #expect(try scene.refusal() == ["'Seat.guest' of 1 is 1 here and 2 there, and was null"])
    #expect(
      try scene.saved(.mine, query)
        == #"{"Seat":[{"guest":{"id":1}},{"guest":null}],"Guest":[{"seat":{"id":1}},{"seat":null}]}"#)
    #expect(
      try both().saved(.theirs, query)
        == #"{"Seat":[{"guest":{"id":2}},{"guest":null}],"Guest":[{"seat":null},{"seat":{"id":1}}]}"#)
  }

  @Test("interfaces and unions") func abstract() throws {
    let schema = """
      interface Named { id: ID! name: String }
      type Cat implements Named { id: ID! name: String }
      type Dog implements Named { id: ID! name: String }
      type Owner { id: ID! pets: [Named!]! best: Named }
      """
    let scene = try MergeScene(
      schema, #"insertCat(data: {id: "c1", name: "C"}) insertOwner(data: {id: 1, pets: ["c1"]})"#,
      mine:
        #"insertDog(data: {id: "d1", name: "D"}) updateOwner(where: id == 1, set: {pets: ["c1", "d1"], best: "d1"})"#,
      theirs: #"insertDog(data: {id: "d2", name: "E"}) updateOwner(where: id == 1, set: {pets: ["d2", "c1"]})"#)
    #expect(
      try scene.saved("{ owner(id: 1) { pets { name } best { name } } }")
        == #"{"owner":{"pets":[{"name":"E"},{"name":"C"},{"name":"D"}],"best":{"name":"D"}}}"#)
  }
}
