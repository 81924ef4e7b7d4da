import Foundation
import GQLite
import GQLiteModels
import Testing

/// Properties whose names mean something else behind a type.
@EmbeddedModel
private struct Words: Codable, Hashable {
  var `Type`: Int
  var `Protocol`: String?
  var `self`: Int
  var `init`: Int = 0
  var `default`: Int?
}

/// The same with keys of its own.
@EmbeddedModel
private struct OwnWords: Codable, Hashable {
  var `Type`: Int?
  var `Protocol`: [Int]

  private enum CodingKeys: String, CodingKey { case `Type` = "kind", `Protocol` }
}

@EntityModel
private struct Note: Codable, Hashable {
  let id: Int
  var words: Words
  var own: OwnWords?
}

@Suite struct EmbeddedNameTests {
  private let notes = (0..<20).map { id in
    Note(
      id: id,
      words: Words(
        Type: id % 5, Protocol: id % 2 == 0 ? nil : "p\(id)", self: id % 3, init: id % 7,
        default: id % 4 == 0 ? nil : id),
      own: id % 3 == 0 ? nil : OwnWords(Type: id % 2, Protocol: [id]))
  }

  @Test func coding() throws {
    let words = try JSONEncoder().encode(Words(Type: 1, Protocol: "p", self: 2, init: 3, default: nil))
    let object = try #require(try JSONSerialization.jsonObject(with: words) as? [String: any Sendable])
    #expect(object.keys.sorted() == ["Protocol", "Type", "init", "self"])
    #expect(object["Type"] as? Int == 1 && object["self"] as? Int == 2)
    let own = try JSONDecoder().decode(OwnWords.self, from: Data(#"{"kind":4,"Protocol":[5]}"#.utf8))
    #expect(own == OwnWords(Type: 4, Protocol: [5]))
    for note in notes { #expect(try JSONDecoder().decode(Note.self, from: JSONEncoder().encode(note)) == note) }
  }

  @Test func storing() throws {
    let ofModels = try Database(Context(for: Note.self))
    let ofText = try Database(
      schema: """
        type Note { id: Int! words: Words! own: OwnWords }
        type Words { Type: Int! Protocol: String self: Int! init: Int! default: Int }
        type OwnWords { kind: Int Protocol: [Int!]! }
        """)
    for database in [ofModels, ofText] {
      for note in notes { try note.save(to: database) }
      #expect(try Note.results(in: database) == notes)
      func check(_ query: QueryList<Note>, _ holds: (Note) -> Bool) throws {
        #expect(query.resolve(in: database.entities) == notes.filter(holds))
      }
      try check(Note.filter(\.words.`Type` == 3)) { $0.words.Type == 3 }
      try check(Note.filter(\.words.`Protocol` == nil)) { $0.words.Protocol == nil }
      try check(Note.filter(\.words.`self` == 1)) { $0.words.`self` == 1 }
      try check(Note.filter(\.words.`init` > 2)) { $0.words.`init` > 2 }
      try check(Note.filter(\.own?.`Type` == 1)) { $0.own?.Type == 1 }
    }
    // Each is found by its own column.
    for query in [
      Note.filter(\.words.`Type` == 3), Note.filter(\.words.`Protocol` == nil), Note.filter(\.words.`self` == 1),
      Note.filter(\.words.`init` > 2), Note.filter(\.own?.`Type` == 1),
    ] {
      #expect(!query.explain(in: ofText.entities).contains("in Swift"))
    }
    #expect(
      try ofText.query("{ note(id: 7) { words { Type Protocol self } own { kind } } }").jsonString
        == #"{"note":{"words":{"Type":2,"Protocol":"p7","self":1},"own":{"kind":1}}}"#)
  }
}
