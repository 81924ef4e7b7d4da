import Foundation
import GQLEngine
import GQLiteState
import Testing

/// The types and fields that models become, and what becomes of them when the models change.
@Suite struct StateSchemaTests {
  enum First {
    @Model(id: 3)
    final class Note {
      @Property(id: 1) var title: String
      @Property(id: 2) var pages: Int
      @Reference(id: 3) var next: Note?
      @ReferenceList(id: 4) var others: [Note]
    }
  }

  enum Second {
    @Model(id: 3)
    final class Remark {
      @Property(id: 1) var heading: String
      @Property(id: 2) var pages: String = "none"
      @Property(id: 5) var isNew: Bool
    }
  }

  enum Odd {
    @Model(id: 4)
    final class Mutation {
      @Property(id: 1) var größe: Int
      @Property(id: 2) var `default`: Int
      @Property(id: 3) var _hidden: Int
      @Property(id: 4) var stateMarks: [Int]
      @Property(id: 5) var properties: Int
    }
    @Model(id: 5)
    final class Note {
      @Property(id: 1) var text: String
    }
  }

  @Test func classesAreTypes() {
    let database = InMemoryDatabase()
    _ = First.Note.create(in: database, id: 1, title: "a", pages: 1)
    #expect(
      database.gqlite.schema == """
        type Note @number(value: 3) {
          id: Int!
          title: String @number(value: 1)
          pages: Int @number(value: 2)
          next: Int @number(value: 3)
          others: [Int!] @number(value: 4)
        }

        """)
  }

  @Test func readingMakesNoType() {
    let database = InMemoryDatabase()
    #expect(database.get(id: 1, of: First.Note.self) == nil)
    #expect(First.Note(database: database, id: 1).title == "")
    #expect(database.all(of: First.Note.self).isEmpty)
    #expect(database.gqlite.schema == GQLEngine.Database().schema && database.gqlite.version == 0)
  }

  @Test func anotherVersionOfTheProgram() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("notes.gqlite")
    do {
      let database = try SQLiteDatabase(path: path)
      _ = First.Note.create(in: database, id: 1, title: "a", pages: 12)
      _ = First.Note.create(in: database, id: 2, title: "b", pages: 7)
      #expect(database.errors.recent == [])
      try database.close()
    }
    let database = try SQLiteDatabase(path: path)
    let remark: Second.Remark? = database.get(id: 1)
    #expect(remark?.heading == "a" && remark?.pages == "none" && remark?.isNew == false)
    remark?.isNew = true
    #expect(database.gqlite.schema.contains("type Remark @number(value: 3) {"))
    #expect(database.gqlite.schema.contains("heading: String @number(value: 1)"))
    #expect(database.gqlite.schema.contains("next: Int @number(value: 3)"))
    // Another type of a property: what fits is converted.
    remark?.pages = "many"
    #expect(remark?.pages == "many" && database.get(id: 2, of: Second.Remark.self)?.pages == "7")
    #expect(database.errors.recent == [])
    try database.close()
  }

  @Test func whatDoesNotFitIsReported() {
    let database = InMemoryDatabase()
    let path = Path(model: 3, instance: 1, property: 2)
    database.set("many", for: path)
    database.set(InstanceStatus.created, for: Path(model: 3, instance: 1))
    #expect(database.get(path) as Int? == nil)
    database.set(5, for: Path(model: 3, instance: 2, property: 2))
    #expect(database.get(path) as Int? == nil && database.get(path) as String? == nil)
    #expect(database.get(Path(model: 3, instance: 2, property: 2)) == 5)
    #expect(database.errors.recent.map(\.code) == ["data-loss"])
  }

  @Test func pathsBeforeTheirModel() {
    let database = InMemoryDatabase()
    database.set(InstanceStatus.created, for: Path(model: 3, instance: 1))
    database.set("a", for: Path(model: 3, instance: 1, property: 1))
    #expect(database.gqlite.schema.contains("type Model3 @number(value: 3) {"))
    #expect(database.gqlite.schema.contains("property1: String @number(value: 1)"))
    let note: First.Note? = database.get(id: 1)
    #expect(note?.title == "a")
    note?.pages = 3
    #expect(database.gqlite.schema.contains("type Note @number(value: 3) {"))
    #expect(database.gqlite.schema.contains("title: String @number(value: 1)"))
    #expect(note?.title == "a" && note?.pages == 3)
    #expect(database.errors.recent == [])
  }

  @Test func oddNames() throws {
    let database = InMemoryDatabase()
    _ = First.Note.create(in: database, id: 1, title: "a", pages: 1)
    let other = Odd.Note.create(in: database, id: 1, text: "b")
    let odd = Odd.Mutation.create(
      in: database, id: 1, größe: 1, default: 2, _hidden: 3, stateMarks: [4], properties: 5)
    #expect(odd.größe == 1 && odd.default == 2 && odd._hidden == 3 && odd.stateMarks == [4] && odd.properties == 5)
    #expect(other.text == "b" && database.get(id: 1, of: First.Note.self)?.title == "a")
    #expect(database.errors.recent == [])
    #expect(
      try database.gqlite.run("{ note(id: 1) { title } note5(id: 1) { text } }").jsonString.contains(#""text":"b""#))
  }

  @Test func twoClassesWithOneNumber() {
    let database = InMemoryDatabase()
    _ = database.create(id: 1, of: First.Note.self)
    _ = database.create(id: 1, of: Second.Remark.self)
    _ = database.create(id: 2, of: Second.Remark.self)
    #expect(database.errors.recent.map(\.code) == ["number-conflict"])
  }

  @Test func otherTypesOfTheSchemaStay() throws {
    let database = InMemoryDatabase()
    try database.gqlite.changeSchema(to: "\"a city\"\ntype City { id: ID! name: String! @index }")
    try database.gqlite.run(#"mutation { insertCity(data: {id: 1, name: "Rome"}) { id } }"#)
    let note = First.Note.create(in: database, id: 1, title: "a", pages: 1)
    try database.gqlite.changeSchema(
      to: database.gqlite.schema.replacingOccurrences(of: "title: String", with: "title: String @index"))
    note.title = "b"
    Second.Remark(database: database, id: 1).isNew = true
    #expect(database.gqlite.schema.contains("name: String! @index"))
    #expect(database.gqlite.schema.contains("title: String @index @number(value: 1)"))
    let answer = try database.gqlite.run(#"{ City { name } Note(where: title == "b") { id } }"#)
    #expect(answer.jsonString == #"{"City":[{"name":"Rome"}],"Note":[{"id":1}]}"#)
  }
}
