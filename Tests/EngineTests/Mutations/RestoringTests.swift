import Testing

@testable import GQLEngine

/// What one field restores comes back as one.
@Suite struct RestoringTests {
  private static func schema(_ type: String, _ code: String) -> String {
    """
    type Root { id: ID! parts: [Part!]! @relation(inverse: "root", onDelete: CASCADE) }
    type Part \(type) {
      id: ID! code: Int \(code) row: String number: Int
      root: Root @relation(inverse: "parts")
    }
    """
  }

  private func expectRefused(
    _ database: Database, _ text: String, _ code: String, _ message: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    let before = database.current
    let digest = before.memoryDigest
    let found = problem(of: { _ = try database.query(text) }, at: location)
    #expect(found?.code == code && found?.message == message, "\(found?.message ?? "")", sourceLocation: location)
    #expect(database.current === before && before.memoryDigest == digest, sourceLocation: location)
    #expect(database.check() == [], sourceLocation: location)
  }

  /// Keys that became unique while their entities were deleted.
  @Test(arguments: [
    ("", "@unique", "'code' 7"), ("", "@unique(onConflict: REPLACE)", "'code' 7"),
    (#"@unique(fields: ["row", "number"])"#, "", #"'row' "A" and 'number' 1"#),
    (#"@unique(fields: ["number", "row"], onConflict: REPLACE)"#, "", #"'number' 1 and 'row' "A""#),
  ]) func keysOfWhatIsRestoredTogether(_ type: String, _ code: String, _ values: String) throws {
    let fixture = try SchemaChangeFixture(
      Self.schema("", ""),
      #"""
      {
        "Root": [{"id": 1, "parts": [1, 2, 3]}],
        "Part": [
          {"id": 1, "code": 7, "row": "A", "number": 1}, {"id": 2, "code": 7, "row": "A", "number": 1}, {"id": 3}
        ]
      }
      """#,
      "mutation { deleteRoot(where: id == 1) }")
    try fixture.change(to: Self.schema(type, code))
    let database = fixture.database
    let message = "'Part' 1 has \(values) already, which is unique"
    expectRefused(database, "mutation { restoreRoot(all: true) }", "unique-violation", message)
    expectRefused(database, "mutation { restorePart(all: true) }", "unique-violation", message)
    let apart = "mutation { a: restorePart(where: id == 3) b: restorePart(where: id != 3) }"
    expectRefused(database, apart, "unique-violation", message)
    // The program decides about those that come, not about those that come back.
    if !code.isEmpty {
      try database.onConflict("Part.code") { _, _ in .replace }
      expectRefused(database, "mutation { restoreRoot(all: true) }", "unique-violation", message)
    }
    // One by one they stand against who is there.
    #expect(
      try fixture.answer("mutation { restorePart(where: id != 2) { id } }") == #"{"restorePart":[{"id":1},{"id":3}]}"#)
    expectRefused(database, "mutation { restorePart(where: id == 2) }", "unique-violation", message)
    _ = try fixture.answer(
      "mutation { deletePart(where: id == 1, hard: true) restorePart(where: id == 2) restoreRoot(all: true) }")
    #expect(try fixture.answer("{ Root { parts { id } } }") == #"{"Root":[{"parts":[{"id":2},{"id":3}]}]}"#)
    #expect(database.check() == [])
  }

  /// None waits for another that comes behind it.
  @Test func whatNeedsEachOther() throws {
    let database = try Database(
      schema: #"type N { id: ID! up: N! @relation(inverse: "downs") downs: [N!]! @relation(inverse: "up") }"#)
    _ = try database.query("mutation { insertN(data: [{id: 1, up: 2}, {id: 2, up: 2}, {id: 3, up: 2}]) }")
    _ = try database.query("mutation { a: deleteN(where: id == 1) b: deleteN(where: id != 1) }")
    expectRefused(
      database, "mutation { restoreN(where: id != 2) }", "required-reference",
      "'N' 1 cannot be restored: its 'up', which it must have, is deleted")
    #expect(
      try database.query("mutation { restoreN(all: true) { id up { id } downs { id } } }").jsonString
        == #"{"restoreN":[{"id":1,"up":{"id":2},"downs":[]},{"id":2,"up":{"id":2},"downs":[{"id":1},{"id":2},{"id":3}]},{"id":3,"up":{"id":2},"downs":[]}]}"#
    )
    #expect(database.check() == [])
  }

  /// What does not come back is deleted, gone for good, or another's.
  @Test func whatARequiredLinkLedTo() throws {
    let database = try Database(
      schema: """
        type Post { id: ID! author: User! @relation(inverse: "posts") badge: Badge @relation(inverse: "post") }
        type User { id: ID! posts: [Post!]! @relation(inverse: "author", onDelete: CASCADE) }
        type Badge { id: ID! post: Post! @relation(inverse: "badge") }
        """)
    _ = try database.query(
      "mutation { insertPost(data: [{id: 1, author: {id: 1}}, {id: 2, author: {id: 2}}]) insertBadge(data: {id: 1, post: 2}) }"
    )
    _ = try database.query("mutation { a: deletePost(where: id == 1) b: deleteUser(where: id == 1) }")
    expectRefused(
      database, "mutation { restorePost(all: true) }", "required-reference",
      "'Post' 1 cannot be restored: its 'author', which it must have, is deleted")
    _ = try database.query("mutation { deleteUser(where: id == 1, hard: true) }")
    expectRefused(
      database, "mutation { restorePost(all: true) }", "required-reference",
      "'Post' 1 cannot be restored: its 'author', which it must have, was removed for good")
    _ = try database.query(
      "mutation { deleteBadge(where: id == 1) insertBadge(data: {id: 2, post: 2}) }")
    expectRefused(
      database, "mutation { restoreBadge(all: true) }", "required-reference",
      "'Badge' 1 cannot be restored: its 'post', which it must have, has another link by now, or none")
    _ = try database.query("mutation { deleteBadge(all: true, hard: true) }")
    // A link to what is not there any longer, deleted or removed, says so too.
    for hard in ["false", "true"] {
      _ = try database.query("mutation { deleteUser(where: id == 2, hard: \(hard)) }")
      expectRefused(
        database, "mutation { insertPost(data: {id: 9, author: 2}) }", "unknown-id",
        "'Post.author' names a 'User' that is not there: 2")
    }
    #expect(database.check() == [])
  }

  /// A deleted entity forgets nothing when its to-one relation becomes a list; what was unlinked stays so.
  @Test func whatWasRelinkedBeforeItsRelationBecameAList() throws {
    func schema(_ up: String) -> String {
      #"type N { id: ID! up: \#(up) @relation(inverse: "downs") downs: [N!]! @relation(inverse: "up") }"#
    }
    let fixture = try SchemaChangeFixture(
      schema("N"), #"{"N": [{"id": 1}, {"id": 2, "up": 1}, {"id": 3}, {"id": 4, "up": 1}]}"#,
      "mutation { a: deleteN(where: id == 1) updateN(where: id == 2, set: {up: 3}) b: deleteN(where: id == 2) }")
    try fixture.change(to: schema("[N!]!"))
    #expect(
      try fixture.answer(
        "mutation { a: restoreN(where: id == 1) { downs { id } } b: restoreN(all: true) { id up { id } } }")
        == #"{"a":[{"downs":[{"id":4}]}],"b":[{"id":2,"up":[{"id":3}]}]}"#)
    #expect(
      try fixture.answer("{ N { downs { id } } }")
        == #"{"N":[{"downs":[{"id":4}]},{"downs":[]},{"downs":[{"id":2}]},{"downs":[]}]}"#)
    #expect(fixture.database.check() == [])
  }

  /// What a relation to an interface takes along when it cascades are entities, not parts of their owner: links to them
  /// sleep and wake, and they stay when the owner is removed for good.
  @Test func cascadesToAnInterface() throws {
    let database = try Database(
      schema: """
        interface Part { id: ID! }
        type Bolt implements Part { id: ID! }
        type Nut implements Part { id: ID! }
        type Box { id: ID! parts: [Part!]! @relation(onDelete: CASCADE) }
        """)
    func data() throws -> String {
      #expect(database.check() == [])
      return try database.query(
        """
        { Box(deleted: INCLUDE) { id _status live: parts { id } all: parts(deleted: INCLUDE) { id } }
          Part(deleted: INCLUDE) { id _status } }
        """
      ).jsonString
    }
    let bothBolts = #"{"id":1,"_status":"DELETED"},{"id":2,"_status":"DELETED"},{"id":3,"_status":"CREATED"}"#
    _ = try database.query(
      "mutation { insertBolt(data: [{id: 1}, {id: 2}]) insertNut(data: {id: 3}) insertBox(data: {id: 1, parts: [1, 2]}) }"
    )
    _ = try database.query("mutation { deleteBolt(where: id == 1) }")
    _ = try database.query("mutation { deleteBox(where: id == 1) }")
    #expect(
      try data()
        == #"{"Box":[{"id":1,"_status":"DELETED","live":[],"all":[{"id":1},{"id":2}]}],"Part":[\#(bothBolts)]}"#)
    // The second bolt went with the box, and comes with it; the first went before.
    _ = try database.query("mutation { restoreBox(all: true) }")
    #expect(
      try data()
        == #"{"Box":[{"id":1,"_status":"CREATED","live":[{"id":2}],"all":[{"id":1},{"id":2}]}],"#
        + #""Part":[{"id":1,"_status":"DELETED"},{"id":2,"_status":"CREATED"},{"id":3,"_status":"CREATED"}]}"#)
    _ = try database.query("mutation { deleteBox(all: true) }")
    _ = try database.query("mutation { deleteBox(all: true, hard: true) }")
    #expect(try data() == #"{"Box":[],"Part":[\#(bothBolts)]}"#)
    _ = try database.query("mutation { restoreBolt(all: true) insertBox(data: {id: 2, parts: [2, 1, 3]}) }")
    #expect(
      try data()
        == #"{"Box":[{"id":2,"_status":"CREATED","live":[{"id":2},{"id":1},{"id":3}],"all":[{"id":2},{"id":1},{"id":3}]}],"#
        + #""Part":[{"id":1,"_status":"CREATED"},{"id":2,"_status":"CREATED"},{"id":3,"_status":"CREATED"}]}"#)
  }
}
