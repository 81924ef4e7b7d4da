import Foundation
import GQLiteModels
import Testing

/// Patterns of Foundation and of Swift in conditions on texts.
@Suite struct PatternTests {
  @EntityModel
  struct Note {
    let id: Int
    var title: String
    var text: String?
  }

  private func context() throws -> Context {
    var context = Context()
    for (id, title, text) in [
      (1, "Order 12", nil), (2, "plain", "call 555-1234"), (3, "👩‍👩‍👧 family 7", "none"), (4, "nothing", "at all"),
    ] as [(Int, String, String?)] {
      try Note(id: id, title: title, text: text).save(to: &context)
    }
    return context
  }

  private func ids(_ predicate: QueryPredicate<Note>, _ context: Context) -> [Int] {
    Note.filter(predicate).resolve(in: context).map(\.id)
  }

  @Test func regularExpressions() throws {
    let context = try context()
    let digits = try NSRegularExpression(pattern: "[0-9]+")
    #expect(ids(.string(\.title, matches: digits), context) == [1, 3])
    #expect(ids(.string(\.title, notMatching: digits), context) == [2, 4])
    #expect(ids(.string(\.text, matches: digits), context) == [2])
    // What is missing has no match.
    #expect(ids(.string(\.text, notMatching: digits), context) == [1, 3, 4])
    let anchored = try NSRegularExpression(pattern: "7$")
    // Behind characters of several UTF-16 units too.
    #expect(ids(.string(\.title, matches: anchored, options: []), context) == [3])
    #expect(ids(.string(\.title, matches: try NSRegularExpression(pattern: "12"), options: .anchored), context).isEmpty)
  }

  @Test func swiftPatterns() throws {
    let context = try context()
    #expect(ids(.string(\.title, matches: /\d+/), context) == [1, 3])
    #expect(ids(.string(\.title, notMatching: /\d+/), context) == [2, 4])
    #expect(ids(.string(\.text, matches: /(\d{3})-(\d{4})/), context) == [2])
    let erased = try Regex("^n")
    #expect(ids(.string(\.title, matches: erased), context) == [4])
    #expect(ids(.string(\.title, \.id.description, matches: /4/), context) == [4])
  }

  @Test func amongOtherConditions() throws {
    let context = try context()
    let list = Note.filter(.string(\.title, matches: /\d/)).and(\.id > 1).sorted(by: \.title).limit(1)
    #expect(list.resolve(in: context).map(\.id) == [3])
    #expect(ids(.string(\.title, matches: /\d/) || \.id == 4, context) == [1, 3, 4])
    #expect(Note.filter(\.id == 4).or(.filter(.string(\.title, matches: /Order/))).resolve(in: context).count == 2)
    #expect(
      list.explain(in: context, costs: false).hasSuffix("in Swift: filter by 1 condition, first 1\n"))
  }
}
