import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// Models in databases whose schema was given as text.
@Suite struct SchemaOfTextTests {
  @Test func idsOfASchemaOfText() throws {
    let database = try Database(schema: "type Misfit { id: ID! name: ID! }")
    _ = try database.query(#"mutation { insertMisfit(data: [{id: 7, name: "7"}, {id: "a", name: "b"}]) { id } }"#)
    try Misfit(id: "7", name: "a").save(to: database)
    try Misfit(id: "8", name: "8").save(to: database)
    // What is a number for text stays one.
    #expect(
      try database.query("{ Misfit { id name } }").jsonString
        == #"{"Misfit":[{"id":7,"name":"a"},{"id":"a","name":"b"},{"id":"8","name":"8"}]}"#)
    #expect(Misfit.query("7").resolve(in: database)?.name == "a")
    func ids(_ query: Query<Misfit>) throws -> [String] { try query.results(in: database).map(\.id) }
    let some = ["7", "a", "x"]
    #expect(try ids(Misfit.include(#Predicate { $0.id == "7" })) == ["7"])
    #expect(try ids(Misfit.include(#Predicate { some.contains($0.id) })) == ["7", "a"])
    #expect(try ids(Misfit.include(#Predicate { $0.id == $0.name })) == ["8"])
    #expect(try ids(Misfit.include(#Predicate { $0.name.contains("a") && $0.id.starts(with: "7") })) == ["7"])
    #expect(try ids(Misfit.include(#Predicate { $0.id > "7" }).sortBy(\.id, comparator: .lexical)) == ["8", "a"])
    #expect(Misfit.filter(\.id == "8" || \.name == "b").resolve(in: database).map(\.id) == ["a", "8"])
    #expect(Misfit.filter(.string(\.id, hasPrefix: "A")).resolve(in: database).map(\.id) == ["a"])
    let plan = Misfit.include(#Predicate { $0.id == "7" }).explain(in: database.entities, costs: false)
    #expect(try plan == database.prepare(#"{ Misfit(where: id == "7") { id } }"#).explain(costs: false))
    try Misfit.delete(id: "7", from: database)
    #expect(try ids(Query()) == ["a", "8"] && database.check().isEmpty)
  }

  /// Ids that are not keys print as they were loaded, as long as models do not change them.
  @Test func idsThatModelsSave() throws {
    let database = try Database(schema: "type Linked { id: ID! other: ID others: [ID!]! }")
    _ = try database.query(
      #"mutation { insertLinked(data: [{id: 1, other: 7, others: [1, "2", "a", 123456789012345]}, {id: 2, other: "7", others: []}]) { id } }"#
    )
    func all() throws -> String { try database.query("{ Linked { id other others } }").jsonString }
    let first = try all()
    #expect(
      first == #"{"Linked":[{"id":1,"other":7,"others":[1,"2","a",123456789012345]},{"id":2,"other":"7","others":[]}]}"#
    )
    for linked in try Linked.results(in: database) { try linked.save(to: database) }
    #expect(try all() == first)
    var linked = try #require(Linked.query("1").resolve(in: database))
    #expect(linked == Linked(id: "1", other: "7", others: ["1", "2", "a", "123456789012345"]))
    linked.others = ["2", "3", "123456789012345", "1"]
    try linked.save(to: database)
    #expect(
      try database.query("{ linked(id: 1) { other others } }").jsonString
        == #"{"linked":{"other":7,"others":["2","3",123456789012345,1]}}"#)
    // What models write anew is a text.
    linked.other = "8"
    try linked.save(to: database)
    #expect(try database.query("{ linked(id: 1) { other } }").jsonString == #"{"linked":{"other":"8"}}"#)
    linked.other = nil
    try linked.save(to: database)
    linked.other = "7"
    try linked.save(to: database)
    #expect(try database.query("{ linked(id: 1) { other } }").jsonString == #"{"linked":{"other":"7"}}"#)
    #expect(try Linked.include(#Predicate { $0.others.contains("1") }).results(in: database).map(\.id) == ["1"])
    #expect(Linked.filter(\.other == "7").resolve(in: database).map(\.id) == ["1", "2"])
    #expect(database.check().isEmpty)
  }

  /// Whether a type fits is found out once for each schema, also if it does not.
  @Test func typesThatDoNotFit() throws {
    let database = try Database(schema: "type Misfit { id: ID! name: Int }")
    let place = FittedSchemas.Place([Misfit.self], in: database.currentSnapshot.catalog)
    #expect(ModelSchema.fitted.withLock { $0[place] } == nil)
    let expected = ModelError.invalidSchema(
      "the type 'Misfit' of the schema has a field 'name: Int' that is not String!")
    for _ in 0..<2 { #expect(throws: expected) { try Misfit.results(in: database) } }
    var entities = database.entities
    #expect(throws: expected) { try entities.removeAll(Misfit.self) }
    #expect(throws: expected) { try entities.remove(Misfit.self, id: "1") }
    #expect(throws: expected) { try Misfit.delete(id: "1", from: &entities) }
    let known = ModelSchema.fitted.withLock { $0[place] }
    #expect(throws: expected) { try #require(known).get() }
    // Another schema is another question.
    try database.changeSchema(to: "type Misfit { id: ID! name: String! }", allowingLoss: true)
    #expect(try Misfit.results(in: database).isEmpty)
    // What new entities have in fields that models do not know is asked for once for all types.
    let catalog = try Database(
      schema:
        "type Misfit { id: ID! name: String! rank: Int! = 5 } type Tagged { id: ID! name: String! rank: Int! = 6 }"
    ).currentSnapshot.catalog
    #expect(CatalogFills.of(catalog) === CatalogFills.of(catalog))
  }

  /// Without case in text, as they are in Swift.
  @Test func textsWithoutCase() throws {
    let database = try Database(schema: "type Misfit { id: ID! name: String! @collate(CI) @unique }")
    try Misfit(id: "1", name: "Ann").save(to: database)
    #expect(throws: Errors.uniqueValueIndexViolation(existing: "1", new: "Misfit", indexName: "name")) {
      try Misfit(id: "2", name: "ANN").save(to: database)
    }
    #expect(try database.query(#"{ Misfit(where: name == "ANN") { id } }"#).jsonString == #"{"Misfit":[{"id":"1"}]}"#)
    #expect(Misfit.filter(\.name == "ANN").resolve(in: database).isEmpty)
    #expect(Misfit.filter(\.name == "Ann").resolve(in: database).map(\.id) == ["1"] && database.check().isEmpty)
  }
}

@EntityModel
private struct Linked: Equatable {
  let id: String
  var other: String?
  var others: [String]
}
