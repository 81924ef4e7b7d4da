import Foundation
import GQLiteModels
import Testing

/// Checks how models and their errors print, and what runs texts.
@Suite struct DisplayTests {
  @EntityModel
  struct Member: Codable {
    @Index<Self>(\.name) private var nameIndex
    let id: String
    var name: String
    var extra: JSON = .object(["b": .list([.integer(1), .null]), "a": .string("x")])
    @Relationship(inverse: \.members) var clubs: [Club]?
  }

  @EntityModel
  struct Club: Codable {
    let id: String
    @Relationship(inverse: \.clubs) var members: [Member]?
  }

  private func context() throws -> Context {
    var context = Context()
    try Club(id: "c", members: .relation([Member(id: "1", name: "Ann"), Member(id: "2", name: "Bo")])).save(
      to: &context)
    return context
  }

  @Test("nothing prints the name of a module that programs do not import") func modules() throws {
    let context = try context()
    let ann = try #require(Member.query("1").with(\.$clubs).resolve(in: context))
    #expect("\(ann)".contains("_clubs: [c]") && "\(ann)".contains("_nameIndex: Index"))
    #expect("\(ann.extra)" == #"{"a":"x","b":[1,null]}"#)
    #expect("\(Relation<Member, Relations.Mutual, Relations.ToMany, Relations.Required>.none)" == "none")
    let values: [Any] = [
      context, ann, ann.$clubs, ann.extra, Deleted(ann), DeleteRule.cascade, RelationEncodingStrategy.exact,
      RelationDecodingStrategy([.plain, .exact]), Member.query("1"), Member.query(), ModelError.unknownType("A"),
    ]
    for value in values {
      for text in ["\(value)", String(reflecting: value), "\([value])"] {
        #expect(!text.contains(#/GQL(?!ite\.|iteModels\.)\w+\./#), "\(text)")
      }
    }
  }

  @Test("an error's localized description is its sentence") func localized() {
    let error: any Error = ModelError.unknownType("A")
    #expect(error.localizedDescription == "the context does not know the type A; give it to Context(for:)")
  }

  @Test("run and query are one") func runs() throws {
    let context = try context()
    let text = "{ DisplayTests_Member { id } }"
    #expect(try context.run(text) == context.query(text))
    struct Row: Decodable, Equatable { var id: String }
    #expect(try context.run(text, as: [Row].self) == [Row(id: "1"), Row(id: "2")])
    #expect(try context.query(text, as: [Row].self).count == 2)
    let database = Database(context)
    #expect(try database.run(text, as: [Row].self) == database.query(text, as: [Row].self))
    let one = "query($id: ID!) { n: count(DisplayTests_Member(where: id == $id)) }"
    #expect(try context.run(one, variables: ["id": "2"]).jsonString == #"{"n":1}"#)
  }
}
