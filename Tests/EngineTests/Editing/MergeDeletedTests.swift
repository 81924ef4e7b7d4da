import GQLDifferential
import GQLite
import Testing

/// Tests what a merge brings of entities that one side has deleted, and how they are restored afterwards.
@Suite struct MergeDeletedTests {
  private static let schema = """
    type User {
      id: ID! name: String email: String @unique homes: [Home!] friends: [User!]! @relation(inverse: "friends")
      posts: [Post!]! @relation(inverse: "author", onDelete: CASCADE)
    }
    type Post { id: ID! title: String author: User! @relation(inverse: "posts") tags: [Tag!]! @relation(inverse: "posts") }
    type Tag { id: ID! posts: [Post!]! @relation(inverse: "tags") }
    type Home { street: String near: Tag }
    """
  private static let start = #"""
    insertTag(data: [{id: 1}, {id: 2}])
    insertUser(data: [{id: 1, name: "Ada", email: "a", posts: [{id: 1, title: "x", tags: [1]}]}, {id: 2, name: "Bo"}])
    """#
  /// A change that touches nothing else, so that there is something to be merged.
  private static let elsewhere = "other: insertTag(data: {id: 9})"

  private func scene(mine: String, theirs: String = Self.elsewhere) throws -> MergeScene {
    try MergeScene(Self.schema, Self.start, mine: mine, theirs: theirs)
  }

  private func restored(_ scene: MergeScene, _ restoring: String, _ query: String) throws -> String {
    try scene.saved("{ count(User) }")
    try scene.database.run("mutation { \(restoring) }")
    #expect(scene.database.check() == [])
    return try scene.database.run(query).jsonString
  }

  @Test("a field that was written before the deletion") func field() throws {
    let scene = try self.scene(
      mine: #"updateUser(where: id == 2, set: {name: "Bob", email: "b"}) deleteUser(where: id == 2)"#)
    #expect(
      try restored(scene, "restoreUser(where: id == 2)", "{ user(id: 2) { name email } }")
        == #"{"user":{"name":"Bob","email":"b"}}"#)
  }

  @Test("a field that was set to null before the deletion") func null() throws {
    let scene = try self.scene(mine: #"updateUser(where: id == 2, set: {name: null}) deleteUser(where: id == 2)"#)
    #expect(
      try restored(scene, "restoreUser(where: id == 2)", "{ user(id: 2) { name } }") == #"{"user":{"name":null}}"#)
  }

  @Test("a link that was written before the deletion") func link() throws {
    let scene = try self.scene(
      mine: "updatePost(where: id == 1, set: {author: 2, tags: [2, 1]}) deletePost(where: id == 1)")
    #expect(
      try restored(
        scene, "restorePost(where: id == 1)",
        "{ Post { author { id } tags { id } } User(orderBy: id) { posts { id } } Tag(orderBy: id) { posts { id } } }")
        == #"{"Post":[{"author":{"id":2},"tags":[{"id":2},{"id":1}]}],"User":[{"posts":[]},{"posts":[{"id":1}]}],"Tag":[{"posts":[{"id":1}]},{"posts":[{"id":1}]},{"posts":[]}]}"#
    )
  }

  @Test("an entity that was made and deleted, with its links and its objects") func made() throws {
    let scene = try self.scene(
      mine: #"""
        insertUser(data: {id: 3, name: "Cy", email: "c", friends: [1, 2], homes: [{street: "s", near: 2}, {street: "t"}]})
        insertPost(data: {id: 7, title: "p", author: 2, tags: [2]}) deleteUser(where: id == 3) deletePost(where: id == 7)
        """#)
    #expect(
      try restored(
        scene, "restoreUser(where: id == 3) restorePost(where: id == 7)",
        "{ user(id: 3) { name email friends { id } homes { street near { id } } } post(id: 7) { title author { id } tags { id } } u: user(id: 1) { friends { id } } }"
      )
        == #"{"user":{"name":"Cy","email":"c","friends":[{"id":1},{"id":2}],"homes":[{"street":"s","near":{"id":2}},{"street":"t","near":null}]},"post":{"title":"p","author":{"id":2},"tags":[{"id":2}]},"u":{"friends":[{"id":3}]}}"#
    )
  }

  @Test("what was deleted together comes back together") func together() throws {
    let scene = try self.scene(
      mine: #"""
        insertUser(data: {id: 3, posts: [{id: 7, title: "p"}, {id: 8, title: "q"}]}) deleteUser(where: id == 3)
        insertPost(data: {id: 9, title: "r", author: 1}) more: deleteUser(where: id == 1)
        """#)
    #expect(
      try restored(
        scene, "restoreUser(where: id == 3) again: restoreUser(where: id == 1)",
        "{ User(orderBy: id) { id posts { id title } } }")
        == #"{"User":[{"id":1,"posts":[{"id":1,"title":"x"},{"id":9,"title":"r"}]},{"id":2,"posts":[]},{"id":3,"posts":[{"id":7,"title":"p"},{"id":8,"title":"q"}]}]}"#
    )
  }

  @Test("a key that the other side has taken") func taken() throws {
    let mine = #"insertUser(data: {id: 3, name: "Cy"}) deleteUser(where: id == 3)"#
    let living = try self.scene(mine: mine, theirs: #"insertUser(data: {id: 3, name: "Di"})"#)
    #expect(try living.saved("{ user(id: 3) { name } }") == #"{"user":{"name":"Di"}}"#)
    let deleted = try self.scene(
      mine: mine, theirs: #"insertUser(data: {id: 3, name: "Di"}) deleteUser(where: id == 3)"#)
    #expect(
      try restored(deleted, "restoreUser(where: id == 3)", "{ user(id: 3) { name } }") == #"{"user":{"name":"Di"}}"#)
  }

  @Test("merging is the same whether the other side has changed something else or not", arguments: [UInt64(1), 31])
  func unmoved(_ first: UInt64) {
    for seed in first..<first + 15 { #expect(MergeCampaign().runDeleted(seed: seed).reports == []) }
  }
}
