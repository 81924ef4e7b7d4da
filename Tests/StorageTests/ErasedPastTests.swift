import GQLStorage
import GQLite
import StorageProofs
import Testing

/// Links of entities whose past is erased, or out of the history: in memory, and in a file whose log is folded.
@Suite struct ErasedPastTests {
  private static func database(_ schema: String, in folder: Folder, isFile: Bool) throws -> Database {
    if !isFile { return try Database(schema: schema) }
    var options = StorageOptions(recentVersions: 0)
    options.folding.keptBytes = 1 << 20
    return try Database(path: folder.file("a.gqlite"), schema: schema, storage: options)
  }

  private func expect(_ database: Database, _ question: String, _ answers: [String]) throws {
    for (version, answer) in answers.enumerated() {
      #expect(
        try database.run("query @asOf(version: \(version)) \(question)").jsonString == answer, "version \(version)")
    }
  }

  /// A link that goes from one target to another, which came later: by the versions 1 to 4.
  private func change(_ database: Database) throws {
    try database.run("mutation { insertP(data: {id: 1, n: 7}) }")
    try database.run("mutation { insertA(data: {id: 1, o: 1}) }")
    try database.run("mutation { insertP(data: {id: 2, n: 9}) }")
    try database.run("mutation { updateA(where: id == 1, set: {o: {id: 2}}) }")
  }

  /// In the log of a file, then among its records.
  private func expectTwice(_ database: Database, isFile: Bool, _ body: () throws -> Void) throws {
    try body()
    if isFile {
      try database.compact()
      try body()
    }
  }

  @Test("both fields of a link agree in every version", arguments: [false, true]) func bothFields(_ isFile: Bool)
    throws
  {
    let folder = try Folder()
    let database = try Self.database(
      """
      type A @history { id: ID! o: P @relation(inverse: "as") }
      type P @history { id: ID! n: Int as: [A!]! @relation(inverse: "o") }
      """, in: folder, isFile: isFile)
    try change(database)
    #expect(
      try database.run("query @asOf(version: 2) { A { o { id } } P { id as { id } } }").jsonString
        == #"{"A":[{"o":{"id":1}}],"P":[{"id":1,"as":[{"id":1}]}]}"#)
    try database.run("mutation { eraseA(where: id == 1) }")
    try expectTwice(database, isFile: isFile) {
      try expect(
        database, "{ A { id o { id n } } P { id as { id } } n: count(A.o) m: count(A(where: o.n > 0)) }",
        [
          #"{"A":[{"id":1,"o":null}],"P":[],"n":0,"m":0}"#,
          #"{"A":[{"id":1,"o":null}],"P":[{"id":1,"as":[]}],"n":0,"m":0}"#,
          #"{"A":[{"id":1,"o":null}],"P":[{"id":1,"as":[]}],"n":0,"m":0}"#,
          #"{"A":[{"id":1,"o":null}],"P":[{"id":1,"as":[]},{"id":2,"as":[]}],"n":0,"m":0}"#,
          #"{"A":[{"id":1,"o":{"id":2,"n":9}}],"P":[{"id":1,"as":[]},{"id":2,"as":[{"id":1}]}],"n":1,"m":1}"#,
        ])
      #expect(
        try database.run(
          "{ A { _versions { o _version _change } } P { id _versions { as _version _change _changed } } }"
        ).jsonString
          == #"{"A":[{"_versions":[{"o":2,"_version":0,"_change":null}]}],"#
          + #""P":[{"id":1,"_versions":[{"as":[],"_version":1,"_change":"CREATED","_changed":[]}]},"#
          + #"{"id":2,"_versions":[{"as":[],"_version":3,"_change":"CREATED","_changed":[]},"#
          + #"{"as":[1],"_version":4,"_change":"UPDATED","_changed":["as"]}]}]}"#)
      #expect(
        try database.run("{ _changes { version id fields(where: name == \"as\") { old new } } }").jsonString
          == #"{"_changes":[{"version":1,"id":1,"fields":[]},{"version":3,"id":2,"fields":[]},"#
          + #"{"version":4,"id":2,"fields":[{"old":[],"new":[1]}]}]}"#)
    }
    // What comes after that is kept.
    try database.run("mutation { updateA(where: id == 1, set: {o: {id: 1}}) }")
    try expect(
      database, "{ A { o { id } } P { as { id } } }",
      [
        #"{"A":[{"o":null}],"P":[]}"#, #"{"A":[{"o":null}],"P":[{"as":[]}]}"#,
        #"{"A":[{"o":null}],"P":[{"as":[]}]}"#, #"{"A":[{"o":null}],"P":[{"as":[]},{"as":[]}]}"#,
        #"{"A":[{"o":{"id":2}}],"P":[{"as":[]},{"as":[{"id":1}]}]}"#,
        #"{"A":[{"o":{"id":2}}],"P":[{"as":[]},{"as":[{"id":1}]}]}"#,
      ])
    #expect(
      try database.run("{ A { o { id } } P { as { id } } }").jsonString
        == #"{"A":[{"o":{"id":1}}],"P":[{"as":[{"id":1}]},{"as":[]}]}"#)
  }

  @Test("a field without an inverse is that of now, as far as its target was there", arguments: [false, true])
  func oneField(_ isFile: Bool) throws {
    let folder = try Folder()
    let database = try Self.database(
      "type A @history { id: ID! o: P } type P @history { id: ID! n: Int }", in: folder, isFile: isFile)
    try change(database)
    try database.run("mutation { eraseA(where: id == 1) }")
    try expectTwice(database, isFile: isFile) {
      try expect(
        database, "{ A { o { id } } n: count(A(where: o.n > 8)) m: count(P(where: n > 8)) }",
        [
          #"{"A":[{"o":null}],"n":0,"m":0}"#, #"{"A":[{"o":null}],"n":0,"m":0}"#, #"{"A":[{"o":null}],"n":0,"m":0}"#,
          #"{"A":[{"o":{"id":2}}],"n":1,"m":1}"#, #"{"A":[{"o":{"id":2}}],"n":1,"m":1}"#,
        ])
    }
  }

  @Test("links to an entity whose past is erased stay in the past", arguments: [false, true]) func erasedTarget(
    _ isFile: Bool
  ) throws {
    let folder = try Folder()
    let database = try Self.database(
      "type A @history { id: ID! o: P } type P @history { id: ID! n: Int }", in: folder, isFile: isFile)
    try change(database)
    try database.run("mutation { updateP(where: id == 1, set: {n: 70}) }")
    try database.run("mutation { eraseP(where: id == 1) }")
    try expectTwice(database, isFile: isFile) {
      try expect(
        database, "{ A { o { id n } } n: count(A(where: o.n == 70)) }",
        [
          #"{"A":[],"n":0}"#, #"{"A":[],"n":0}"#, #"{"A":[{"o":{"id":1,"n":70}}],"n":1}"#,
          #"{"A":[{"o":{"id":1,"n":70}}],"n":1}"#, #"{"A":[{"o":{"id":2,"n":9}}],"n":0}"#,
        ])
      #expect(
        try database.run("{ A { _versions { o _version } } }").jsonString
          == #"{"A":[{"_versions":[{"o":1,"_version":2},{"o":2,"_version":4}]}]}"#)
    }
  }

  @Test("a link that is out of the history leads to nothing that was not there", arguments: [false, true])
  func leftOut(_ isFile: Bool) throws {
    let folder = try Folder()
    let database = try Self.database(
      """
      type A @history { id: ID! o: P @relation(inverse: "as") @history(off: true) }
      type P @history { id: ID! n: Int as: [A!]! @relation(inverse: "o") }
      """, in: folder, isFile: isFile)
    try change(database)
    try expectTwice(database, isFile: isFile) {
      try expect(
        database, "{ A { o { id } } P { as { id } } n: count(A.o) }",
        [
          #"{"A":[],"P":[],"n":0}"#, #"{"A":[],"P":[{"as":[]}],"n":0}"#, #"{"A":[{"o":null}],"P":[{"as":[]}],"n":0}"#,
          #"{"A":[{"o":{"id":2}}],"P":[{"as":[]},{"as":[{"id":1}]}],"n":1}"#,
          #"{"A":[{"o":{"id":2}}],"P":[{"as":[]},{"as":[{"id":1}]}],"n":1}"#,
        ])
    }
  }

  @Test("losing a link that nobody can see any more is no change", arguments: [false, true]) func lostTarget(
    _ isFile: Bool
  ) throws {
    let folder = try Folder()
    let database = try Self.database(
      "type A @history { id: ID! u: U us: [U!]! } type U @history { id: ID! }", in: folder, isFile: isFile)
    try database.run("mutation { insertA(data: {id: 1, u: {id: 5}, us: [{id: 5}, {id: 6}]}) }")
    try database.run("mutation { deleteU(where: id == 5, hard: true) }")
    try database.run("mutation { deleteU(where: id == 6) }")
    try expectTwice(database, isFile: isFile) {
      let versions = try database.run("{ A { _versions { u us _version _changed } } }").jsonString
      #expect(
        versions
          == #"{"A":[{"_versions":[{"u":null,"us":[6],"_version":1,"_changed":[]},"#
          + #"{"u":null,"us":[],"_version":3,"_changed":["us"]}]}]}"#)
      let changes = try database.run("{ _changes(types: [A]) { version fields { name old new } } }").jsonString
      #expect(
        changes
          == #"{"_changes":[{"version":1,"fields":[{"name":"id","old":null,"new":1},"#
          + #"{"name":"us","old":null,"new":[6]}]},"#
          + #"{"version":3,"fields":[{"name":"us","old":[6],"new":[]}]}]}"#)
    }
  }

  @Test(
    "lists of objects of what was deleted stay where others are erased", arguments: [false, true],
    [
      "eraseA(where: id == 2)", "deleteA(where: id == 2, hard: true)", "eraseC(where: id == 1)",
      "deleteC(where: id == 1, hard: true)",
    ]) func deletedLists(_ isFile: Bool, _ erasing: String) throws
  {
    let folder = try Folder()
    let schema =
      "type E { u: Int fs: [F!]! } type F { v: Int } type A @history { id: ID! es: [E!]! } type C @history { id: ID! }"
    let database = try Self.database(schema, in: folder, isFile: isFile)
    try database.run("mutation { insertA(data: [{id: 1, es: [{u: 7, fs: [{v: 8}]}]}, {id: 3, es: [{u: 9}]}]) }")
    try database.run("mutation { insertA(data: {id: 2}) insertC(data: {id: 1}) }")
    try database.run("mutation { deleteA(where: id in [1, 3]) }")
    try database.run("mutation { restoreA(where: id == 1) insertA(data: {id: 3}) }")
    func expectAll() throws {
      #expect(
        try database.run(
          "{ A(deleted: INCLUDE, where: id != 2, orderBy: id) @asOf(version: 3) { id _status es { u fs { v } } } }"
        ).jsonString
          == #"{"A":[{"id":1,"_status":"DELETED","es":[{"u":7,"fs":[{"v":8}]}]},"#
          + #"{"id":3,"_status":"DELETED","es":[{"u":9,"fs":[]}]}]}"#)
    }
    try expectAll()
    try database.run("mutation { \(erasing) }")
    try expectTwice(database, isFile: isFile, expectAll)
    try database.changeSchema(to: schema + " type D { id: ID! }")
    try expectTwice(database, isFile: isFile, expectAll)
  }

  @Test(
    "a link whose one end was deleted is there where both were, and suspended where one was deleted",
    arguments: [false, true], [true, false]) func suspendedLink(_ isFile: Bool, _ isErasedBefore: Bool) throws
  {
    let folder = try Folder()
    let database = try Self.database(
      """
      type A @history { id: ID! bs: [B!]! @relation(inverse: "as") }
      type B @history { id: ID! as: [A!]! @relation(inverse: "bs") }
      """, in: folder, isFile: isFile)
    try database.run("mutation { insertA(data: {id: 1, bs: [{id: 1}]}) }")
    try database.run("mutation { deleteA(where: id == 1) }")
    if isErasedBefore { try database.run("mutation { eraseB(where: id == 1) }") }
    try database.run("mutation { restoreA(where: id == 1) }")
    if !isErasedBefore { try database.run("mutation { eraseB(where: id == 1) }") }
    let linked = #"{"A":[{"bs":[{"id":1}]}],"B":[{"as":[{"id":1}],"all":[{"id":1}]}]}"#
    let suspended = #"{"A":[{"bs":[{"id":1}]}],"B":[{"as":[],"all":[{"id":1}]}]}"#
    try expectTwice(database, isFile: isFile) {
      try expect(
        database,
        "{ A(deleted: INCLUDE) { bs(deleted: INCLUDE) { id } } B { as { id } all: as(deleted: INCLUDE) { id } } }",
        [
          #"{"A":[],"B":[{"as":[],"all":[]}]}"#, linked, suspended, isErasedBefore ? suspended : linked, linked,
        ])
      for version in 0...database.version { #expect(try database.view(version: version).check() == []) }
      #expect(
        try database.run("{ A { _versions { bs _version _change } } }").jsonString
          == #"{"A":[{"_versions":[{"bs":[1],"_version":1,"_change":"CREATED"},"#
          + #"{"bs":[1],"_version":2,"_change":"DELETED"},"#
          + #"{"bs":[1],"_version":\#(isErasedBefore ? 4 : 3),"_change":"RESTORED"}]}]}"#)
    }
  }

  @Test("a link to one other is suspended where that was deleted", arguments: [false, true])
  func suspendedOne(_ isFile: Bool) throws {
    let folder = try Folder()
    let database = try Self.database(
      """
      type A @history { id: ID! bs: [B!]! @relation(inverse: "a") }
      type B @history { id: ID! a: A @relation(inverse: "bs") }
      """, in: folder, isFile: isFile)
    try database.run("mutation { insertA(data: {id: 1, bs: [{id: 1}, {id: 2}]}) }")
    try database.run("mutation { deleteA(where: id == 1) }")
    try database.run("mutation { eraseB(where: id == 1) }")
    try database.run("mutation { restoreA(where: id == 1) }")
    let linked = #"{"A":[{"bs":[{"id":1},{"id":2}]}],"B":[{"id":1,"a":{"id":1}},{"id":2,"a":{"id":1}}]}"#
    let suspended = #"{"A":[],"B":[{"id":1,"a":null},{"id":2,"a":null}]}"#
    try expectTwice(database, isFile: isFile) {
      try expect(
        database, "{ A { bs { id } } B(orderBy: id) { id a { id } } }",
        [#"{"A":[],"B":[{"id":1,"a":null}]}"#, linked, suspended, suspended, linked])
      for version in 0...database.version { #expect(try database.view(version: version).check() == []) }
    }
  }
}
