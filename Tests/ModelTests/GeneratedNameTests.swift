import Foundation
import GQLiteModels
import Testing

@testable import GQLGeneratedNames

/// Models of a schema whose names are in the way of Swift, of the models and of each other.
@Suite struct GeneratedNameTests {
  @Test func idsOfSeveralTextsAreDifferent() throws {
    var context = Context()
    let texts = ["a", "b", "|", "\\", "a|", "|a", "\\|", "|\\", "\\\\", ""]
    for first in texts { for second in texts { try Pair(id_: first, other: second).save(to: &context) } }
    #expect(Pair.query().resolve(in: context).count == 100)
    #expect(Pair(id_: "a|b", other: "c").id == #"a\|b|c"# && Pair(id_: "a", other: "b|c").id == #"a|b\|c"#)
    #expect(Pair.query(#"\||\\"#).resolve(in: context).map { [$0.id_, $0.other] } == ["|", "\\"])
    // Times within a second, and bytes, are different too.
    #expect(Moment(at: Date(timeIntervalSince1970: 1.5)).id == "1500000")
    #expect(compoundID(Foundation.Data([1]), 2) != compoundID(Foundation.Data([2]), 2))
    #expect(compoundID(Duration.seconds(1), true) == "1.0|true")
  }

  @Test func fieldsBesideTheID() throws {
    var context = Context()
    try GQLGeneratedNames.Task(id: "t", underscore: true).save(to: &context)
    #expect(GQLGeneratedNames.Task.query("t").resolve(in: context)?.underscore == true)
    try Code(code: "k", id__: 7, id_: "x", self_: 1).save(to: &context)
    try Clash(id: "1", a: 1, b: 2, c: "c", _a: 3, _owner: 4, owner_: .relation(Clash(id: "2", a: 5, b: 6, c: "d")))
      .save(to: &context)
    #expect(Code.query("k").resolve(in: context)?.id__ == 7)
    #expect(Clash.query("2").related(\.$owned).resolve(in: context).map(\._owner) == [4])
    #expect(Clash.filter(\.a == 5 && \.b == 6).resolve(in: context).map(\.id) == ["2"])
    let hashable = Hashable_(id: "h", self_: "s", init_: 1, Type: "t", CodingKeys_: 2, Swift_: true, super: 3)
    try hashable.save(to: &context)
    #expect(Hashable_.query("h").resolve(in: context)?.Type == "t")
    #expect(try JSONDecoder().decode(Hashable_.self, from: JSONEncoder().encode(hashable)).super == 3)
  }

  /// Objects are found by the schema's names, whatever these mean behind a dot.
  @Test func fieldsOfObjects() throws {
    let schema = "type Error { id: ID! kind: Kind } type Kind { Type: Int Protocol: [String!]! default: Int }"
    let database = try Database(schema: schema)
    try GQLGeneratedNames.Error(id: "e", kind: Kind(Type: 3, Protocol: ["p"], default: 4)).save(to: database)
    #expect(
      try database.query("{ Error(where: kind.Type == 3) { kind { Type Protocol default } } }").jsonString
        == #"{"Error":[{"kind":{"Type":3,"Protocol":["p"],"default":4}}]}"#)
    #expect(try GQLGeneratedNames.Error.results(in: database).map(\.kind?.Type) == [3])
    let value = Value(self_: "s", Type: 5, underscore: 6)
    let object = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: any Sendable])
    #expect(object["Type"] as? Int == 5 && object["_"] as? Int == 6 && object["self"] as? String == "s")
    #expect(try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)).underscore == 6)
  }

  @Test func enumsWithACaseNone() throws {
    var context = Context()
    try GQLGeneratedNames.Result(id: "1", odds: [.none, .allCases__, .default]).save(to: &context)
    try GQLGeneratedNames.Result(id: "2", odd: nil, odds: []).save(to: &context)
    #expect(
      try context.query("{ Result { odd odds must } }").jsonString
        == #"{"Result":[{"odd":"NONE","odds":["NONE","ALL_CASES","default"],"must":"NONE"},"#
        + #"{"odd":null,"odds":[],"must":"NONE"}]}"#)
  }
}
