import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// Models and text on one database.
@Suite struct DatabaseTests {
  @Test func modelsAndTextSeeEachOther() throws {
    let database = try Database(for: Person.self)
    try Person("Jack", age: 30).save(to: database)
    #expect(try database.query("{ Person { name age } }").jsonString == #"{"Person":[{"name":"Jack","age":30}]}"#)
    _ = try database.query(
      #"mutation { insertPerson(data: {id: "Jill", name: "Jill", age: 8, isInactive: false, isPromoted: false, tags: [], mood: "calm"}) { id } }"#
    )
    #expect(try Person.sortBy(\.age).results(in: database).map(\.name) == ["Jill", "Jack"])
    _ = try database.query(#"mutation { updatePerson(where: name == "Jill", set: {age: 80}) { id } }"#)
    #expect(Person.query("Jill").resolve(in: database)?.age == 80)
    #expect(Person.filter(\.age > 50).resolve(in: database).map(\.id) == ["Jill"])
    try Person.delete(id: "Jack", from: database)
    #expect(try database.query("{ Person { id } }").jsonString == #"{"Person":[{"id":"Jill"}]}"#)
    try Deleted<Person>.query("Jack").resolve(in: database)?.restore(in: database)
    #expect(try Person.count(in: database) == 2 && database.count(of: "Person") == 2)
    #expect(database.check().isEmpty)
  }

  @Test func contextsAndDatabasesAreApart() throws {
    var context = try people()
    let database = Database(context)
    try Person("New").save(to: database)
    #expect(try Person.count(in: database) == 13)
    #expect(try Person.count(in: context) == 12)
    try Person.deleteAll(in: &context)
    #expect(try Person.count(in: database) == 13)
    var copy = database.entities
    try Person("Newer").save(to: &copy)
    #expect(try Person.count(in: copy) == 14)
    #expect(try Person.count(in: database) == 13)
    // What has no column goes along.
    var opaque = Context()
    try Attachment(
      id: UUID(), kind: .file, size: nil, tags: [], place: nil, anything: Attachment.Opaque(value: 5)
    ).save(to: &opaque)
    let other = Database(opaque)
    _ = try other.query(#"mutation { updateAttachment(where: kind == "file", set: {size: 3}) { id } }"#)
    let attachment = try Attachment.query().first(in: other)
    #expect(attachment?.anything.value == 5 && attachment?.size == 3)
  }

  @Test func aTransactionIsWholeOrNothing() throws {
    struct Failure: Error {}
    let database = try Database(for: Person.self)
    #expect(throws: Failure.self) {
      try database.update { context in
        try Person("Jack").save(to: &context)
        throw Failure()
      }
    }
    #expect(try Person.isEmpty(in: database))
    let count = try database.update { context in
      try Person("Jack").save(to: &context)
      try Person("Jill").save(to: &context)
      // Nobody else sees it yet.
      #expect(try Person.isEmpty(in: database))
      return try Person.count(in: context)
    }
    #expect(count == 2)
    #expect(try Person.count(in: database) == 2)
    // A transaction within a transaction would wait for itself.
    #expect(throws: QueryError.self) { try database.update { _ in try Person("Kim").save(to: database) } }
    let prepared = try database.prepare("query($n: String) { Person(where: name == $n) { id } }")
    try Company(id: "c", name: "Acme").save(to: database)
    // The schema grew under the prepared query.
    try Counted(id: 1, name: Tally("x")).save(to: database)
    #expect(try prepared.run(["n": "Jill"]).jsonString == #"{"Person":[{"id":"Jill"}]}"#)
    #expect(try Counted.results(in: database).map(\.id) == [1])
  }

  @Test func aDatabaseWithoutSchemaLearnsTypes() throws {
    let database = Database()
    #expect(try Person.results(in: database).isEmpty)
    try Person("Jack").save(to: database)
    #expect(try Person.count(in: database) == 1)
    #expect(database.schema.contains("type Person"))
    // A function changes the catalog; the models stay.
    try database.register(function: "twice") { (number: Int64) in number * 2 }
    #expect(try Person.count(in: database) == 1)
    try Counted(id: 4, name: Tally("x")).save(to: database)
    #expect(try database.query("{ Counted { a: twice(id) } }").jsonString == #"{"Counted":[{"a":8}]}"#)
  }

  /// Ids are texts for models, whatever the schema calls them.
  @Test(arguments: ["String", "ID"]) func aSchemaOfTextThatFits(_ id: String) throws {
    let database = try Database(
      schema: """
        type Company { id: \(id)! name: String! size: Int staff: [Person!] @relation(inverse: "company") note: String }
        type Person { id: \(id)! name: String! age: Int! isInactive: Boolean! isPromoted: Boolean! nickname: String
          rating: Float tags: [String!]! mood: String! badge: JSON company: Company pets: [Pet!] @relation(inverse: "owner") }
        type Pet { id: Int! name: String! weight: Float! @index owner: Person }
        type Misfit { id: String! name: Int! }
        """)
    _ = try database.query(
      #"mutation { insertCompany(data: {id: "c", name: "Acme", note: "kept"}) { id } }"#)
    var person = Person("Jack", age: 5)
    person.$company = .id("c")
    try person.save(to: database)
    #expect(
      try database.query("{ Person { company { note } } }").jsonString
        == #"{"Person":[{"company":{"note":"kept"}}]}"#)
    #expect(try Person.include(#Predicate { $0.company?.name == "Acme" }).results(in: database).map(\.id) == ["Jack"])
    #expect(try Person.prefetchRelationship(\.company).first(in: database)?.company?.name == "Acme")
    // What the models do not know of stays.
    try Company(id: "c", name: "Acme", size: 3).save(to: database)
    #expect(
      try database.query("{ Company { name size note } }").jsonString
        == #"{"Company":[{"name":"Acme","size":3,"note":"kept"}]}"#)
    #expect(throws: ModelError.self) { try Misfit.results(in: database) }
    #expect(throws: ModelError.self) { try Misfit(id: "1", name: "x").save(to: database) }
    #expect(throws: ModelError.self) { try Counted.results(in: database) }
    // The schema changes under the models.
    try database.changeSchema(
      to: database.schema.replacingOccurrences(of: "  note: String\n", with: ""), allowingLoss: true)
    #expect(try Person.results(in: database).map(\.name) == ["Jack"])
    try database.changeSchema(
      to: database.schema.replacingOccurrences(of: "nickname: String", with: "nickname: Int"), allowingLoss: true)
    #expect(throws: ModelError.self) { try Person.results(in: database) }
  }

  @Test func fieldsThatModelsDoNotKnowGetTheirDefaults() throws {
    let database = try Database(
      schema: """
        enum Level { LOW HIGH }
        type Size { width: Int! height: Int = 2 }
        type Misfit {
          id: String!
          name: String!
          rank: Int! = 5
          note: String = "a text that is too long for one cell"
          level: Level! = HIGH
          price: Decimal = 1.50
          tags: [String!]! = ["a", "b"]
          made: DateTime! @default(value: now())
          size: Size = {width: 7}
          none: Int
          key: String = "k" @collate(CI) @index(kind: HASH)
        }
        """)
    try Misfit(id: "1", name: "x").save(to: database)
    let all = "{ Misfit { id name rank note level price tags size { width height } none key } }"
    let first =
      #"{"id":"1","name":"x","rank":5,"note":"a text that is too long for one cell","level":"HIGH","price":1.50,"#
      + #""tags":["a","b"],"size":{"width":7,"height":2},"none":null,"key":"k"}"#
    #expect(try database.query(all).jsonString == #"{"Misfit":[\#(first)]}"#)
    let recent = try database.query(
      #"{ Misfit(where: made > now() - "PT1H" and made <= now() and key == "K") { id } }"#)
    #expect(recent.jsonString == #"{"Misfit":[{"id":"1"}]}"#)
    // Defaults are for what is new; what is there stays.
    _ = try database.query("mutation { updateMisfit(where: true, all: true, set: {rank: 6, note: null}) { id } }")
    try Misfit(id: "1", name: "y").save(to: database)
    try Misfit(id: "2", name: "z").save(to: database)
    #expect(
      try database.query("{ Misfit { name rank note } }").jsonString
        == #"{"Misfit":[{"name":"y","rank":6,"note":null},"#
        + #"{"name":"z","rank":5,"note":"a text that is too long for one cell"}]}"#)
    #expect(database.check().isEmpty)
    // What has no default must be known.
    let strict = try Database(schema: "type Misfit { id: String! name: String! rank: Int! }")
    #expect(throws: ModelError.self) { try Misfit(id: "1", name: "x").save(to: strict) }
    let inner = try Database(schema: "type Size { width: Int! } type Misfit { id: String! name: String! size: Size! }")
    #expect(throws: ModelError.self) { try Misfit(id: "1", name: "x").save(to: inner) }
  }

  /// What a schema of text wants to be unique is told when it is written; what was written before it goes.
  @Test func uniqueValuesThatModelsDoNotKnow() throws {
    let database = try Database(
      schema: """
        type Company { id: String! name: String! @unique size: Int staff: [Person!] @relation(inverse: "company") }
        type Person { id: String! name: String! @unique age: Int! isInactive: Boolean! isPromoted: Boolean!
          nickname: String rating: Float tags: [String!]! mood: String! badge: JSON company: Company
          pets: [Pet!] @relation(inverse: "owner") }
        type Pet { id: Int! name: String! weight: Float! @index owner: Person }
        """)
    try Person("Jack").save(to: database)
    let clash = Company(
      id: "c", name: "Acme",
      staff: .relation([Person("Jill"), Person(id: "x", name: "Jack")]))
    try database.update { context in
      try Company(id: "d", name: "Tiny").save(to: &context)
      #expect(throws: Errors.uniqueValueIndexViolation(existing: "Jack", new: "Person", indexName: "name")) {
        try clash.save(to: &context)
      }
    }
    #expect(try Company.results(in: database).map(\.id) == ["d"])
    #expect(try Person.results(in: database).map(\.id) == ["Jack"] && database.check().isEmpty)
  }

  @Test func functionsFromBeforeTheFirstSave() throws {
    let database = Database()
    try database.register(function: "twice") { (number: Int64) in number * 2 }
    #expect(try Person.results(in: database).isEmpty)
    try Counted(id: 4, name: Tally("x")).save(to: database)
    #expect(try database.query("{ Counted { a: twice(id) } }").jsonString == #"{"Counted":[{"a":8}]}"#)
    try Person("Jack", age: 5).save(to: database)
    #expect(try database.query("{ Person { a: twice(age) } }").jsonString == #"{"Person":[{"a":10}]}"#)
    #expect(try Person.results(in: database).map(\.name) == ["Jack"])
  }

  /// What models keep with a database follows each change of its catalog, when that is made.
  @Test func valuesWithoutAColumnAcrossChangesOfTheSchema() throws {
    let database = try Database(for: Tagged.self)
    func binding() throws -> ModelBinding { try #require(database.published.companion as? ModelBinding) }
    func isCurrent() throws -> Bool { try binding().catalog.version == database.currentSnapshot.catalog.version }
    for number in 0..<3 { try Tagged(id: "\(number)", name: "n", tag: .init(value: number)).save(to: database) }
    let original = database.schema
    func tags() throws -> [Int] { try Tagged.results(in: database).map(\.tag.value) }
    // Reads find a schema that is ready.
    try database.register(function: "twice") { (number: Int64) in number * 2 }
    #expect(try tags() == [0, 1, 2] && isCurrent())
    let schema = try #require(binding().schema)
    #expect(database.entities.storage.schema === schema && database.entities.storage.schema === schema)
    try database.changeSchema(
      to: original.replacingOccurrences(of: "name: String!", with: "name: String!\n  more: Int = 3"))
    #expect(try tags() == [0, 1, 2] && isCurrent())
    // The type does not fit for a while.
    try database.changeSchema(
      to: original.replacingOccurrences(of: "name: String!", with: "name: String"), allowingLoss: true)
    #expect(throws: ModelError.self) { try tags() }
    try database.changeSchema(to: original, allowingLoss: true)
    #expect(try tags() == [0, 1, 2] && isCurrent())
    // It is gone, and another of its name comes.
    try database.changeSchema(to: "type Other { id: ID! }", allowingLoss: true)
    #expect(throws: ModelError.self) { try tags() }
    try database.changeSchema(to: original)
    #expect(try tags().isEmpty)
    _ = try database.query(#"mutation { insertTagged(data: {id: "x", name: "new"}) { id } }"#)
    // Nothing of what was in the first row is left.
    #expect(throws: ModelError.self) { try tags() }
    try Tagged(id: "x", name: "new", tag: .init(value: 9)).save(to: database)
    #expect(try tags() == [9] && isCurrent())
  }

  /// Databases of the same types share plans, but each has those that its data wants.
  @Test func plansOfSeveralDatabases() throws {
    let few = Database(try people())
    let many = try Database(for: Person.self)
    try many.update { context in
      for number in 0..<500 { try Person("\(number)", age: number % 50).save(to: &context) }
    }
    let query = Person.filter(\.nickname != "x").filter(\.age <= 30).filter(\.name >= "0").filter(\.rating == nil)
    for _ in 0..<6 {
      // Every fourth has no rating, and none of these is older than 30: 0, 28, 16.
      #expect(query.resolve(in: few).map(\.id) == ["0", "4", "8"])
      #expect(query.resolve(in: many).count == 310)
    }
    let reading = try #require(QueryReading<Person>(few.entities))
    var builder = QueryTreeBuilder(query.nested, reading.schema)
    let tree = try reading.tree(of: query, &builder)
    #expect(reading.schema.compiled.count(of: tree) == 2)
  }

  @Test func deletingWhatOnlyTextHasWritten() throws {
    let database = try Database(schema: "type Misfit { id: String! name: String! }")
    _ = try database.query(
      #"mutation { insertMisfit(data: [{id: "a", name: "x"}, {id: "b", name: "y"}]) { id } }"#)
    try Misfit.delete(id: "a", from: database)
    #expect(try Misfit.results(in: database).map(\.id) == ["b"])
    // A link that must be there is one that a model must know.
    let strict = try Database(schema: "type Misfit { id: String! name: String! of: Misfit! }")
    #expect(throws: ModelError.self) { try Misfit.results(in: strict) }
    // Loading within a transaction would wait for itself.
    func code(_ body: () throws -> Void) -> String? {
      do { try database.update { _ in try body() } } catch { return (error as? QueryError)?.problems.first?.code }
      return nil
    }
    #expect(code { try database.load(path: "nowhere") } == "nested-transaction")
    #expect(code { try database.register(function: "twice") { (number: Int64) in number * 2 } } == "nested-transaction")
  }

  @Test func manyWritersAndReaders() async throws {
    let database = try Database(for: Person.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<50 {
            try database.update { context in
              // Each person has as many years as there were people before.
              let count = try Person.count(in: context)
              try Person("\(writer)-\(number)", age: count).save(to: &context)
            }
          }
        }
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<50 {
            let ages = try Person.sortBy(\.age).results(in: database).map(\.age)
            let plain = ages.filter { $0 < 1000 }
            #expect(plain.count < 2 || zip(plain, plain.dropFirst()).allSatisfy { $1 - $0 <= 2 && $0 < $1 })
          }
        }
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<20 {
            _ = try Person.include(#Predicate { $0.name == "One" }).findOrCreate(in: database) {
              Person(id: UUID().uuidString, name: "One", age: 1000)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try Person.count(in: database) == 201)
  }
}

@EntityModel
struct Misfit {
  let id: String
  var name: String
}

@EntityModel
struct Tagged {
  let id: String
  var name: String
  var tag: Tag

  /// Nothing that a column could hold.
  struct Tag: Equatable { var value: Int }
}
