import Foundation
import GQLite
import GQLiteModels
import Testing

/// What programs for SwiftletModel compile with, and what does something else here: the list in docs/swiftletmodel.md.
@Suite struct DifferenceTests {
  @EntityModel
  struct Writer: Equatable {
    @Unique<Self>(\.mail, collisions: .throw) private var mails
    @HashIndex<Self>(\.city) private var cities

    let id: String
    var mail: String
    var city = ""
    @Relationship(inverse: \.writer) var texts: [Text]?
    @Relationship var idol: Writer? = nil
    @Relationship var shelf: [Text]? = nil
  }

  @EntityModel
  struct Text: Equatable {
    @FullTextIndex<Self>(\.words) private var search
    let id: Int
    var words = ""
    var rank: Int?
    @Relationship(inverse: \.texts) var writer: Writer?
    func asDeleted(in context: Context) -> Deleted<Self>? {
      var other = self
      other.words = "gone"
      return words == "" ? nil : Deleted(other)
    }
  }

  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"

  /// Swift takes both for equal; a column holds code points.
  @Test func composedAndDecomposedTexts() throws {
    #expect(Self.composed == Self.decomposed)
    var context = Context()
    try Writer(id: Self.composed, mail: "1", city: Self.composed).save(to: &context)
    try Writer(id: Self.decomposed, mail: "2", city: Self.decomposed).save(to: &context)
    #expect(Writer.query().resolve(in: context).map(\.mail) == ["1", "2"])
    #expect(Writer.query(Self.decomposed).resolve(in: context)?.mail == "2")
    try Writer(id: "3", mail: Self.composed).save(to: &context)
    try Writer(id: "4", mail: Self.decomposed).save(to: &context)
    #expect(throws: Errors.self) { try Writer(id: "5", mail: Self.composed).save(to: &context) }
    #expect(Writer.filter(\.city == Self.composed).resolve(in: context).map(\.mail) == ["1"])
    #expect(Writer.filter(.string(\.city, contains: "\u{E9}")).resolve(in: context).map(\.mail) == ["1"])
    let order = Writer.query().sorted(by: \.city).resolve(in: context).map(\.city.unicodeScalars.count)
    #expect(order == [0, 0, 5, 4])
  }

  @Test func oneInstantForASave() throws {
    var context = Context()
    let writer = Writer(id: "a", mail: "1", texts: .relation((0..<50).map { Text(id: $0, words: "x") }))
    try writer.save(to: &context)
    let times = Set(
      Text.query().resolve(in: context).map { $0.updatedAt(in: context) } + [writer.updatedAt(in: context)])
    #expect(times.count == 1)
    let range = Date.distantPast...Date.distantFuture
    let changed = Text.query().filter(.updated(within: range)).sorted(by: .updatedAt).resolve(in: context)
    #expect(changed.map(\.id) == Array(0..<50))
  }

  @Test func matchesLooksForWords() throws {
    var context = Context()
    for (id, words) in ["swift databases", "a data base", "swiftly", "dtabase"].enumerated() {
      try Text(id: id, words: words).save(to: &context)
    }
    func ids(_ words: String) -> [Int] { Text.filter(.string(\.words, matches: words)).resolve(in: context).map(\.id) }
    // Other forms of a word, and a slip; but no part of a word.
    #expect(ids("database") == [0, 3])
    #expect(ids("base") == [1])
    #expect(ids("ft").isEmpty && ids("").isEmpty)
    // Any of the words.
    #expect(Set(ids("swift nothing")) == [0, 2])
  }

  @Test func restoringLinks() throws {
    var context = Context()
    try Writer(id: "idol", mail: "0").save(to: &context)
    var writer = Writer(id: "a", mail: "1")
    writer.$idol = .id("idol")
    writer.$shelf = .relation([Text(id: 1, words: "x"), Text(id: 2, words: "x")])
    try writer.save(to: &context)
    func links() -> (String?, [Int]?) {
      let writer = Writer.query("a").id(\.$idol).id(\.$shelf).resolve(in: context)
      return (writer?.$idol.id, writer?.$shelf.ids)
    }
    #expect(links() == ("idol", [1, 2]))
    try Writer.delete(id: "idol", from: &context)
    try Text.delete(id: 1, from: &context)
    // A link of one way leads nowhere while its target is deleted,
    #expect(links() == (nil, [2]))
    try Deleted<Writer>.query("idol").resolve(in: context)?.restore(in: &context)
    try Deleted<Text>.query(1).resolve(in: context)?.restore(in: &context)
    // and comes back with it,
    #expect(links() == ("idol", [1, 2]))
    try Writer.delete(id: "idol", from: &context)
    try writer.save(to: &context)
    try Writer(id: "idol", mail: "9").save(to: &context)
    #expect(links().0 == "idol")
    try Writer.delete(id: "idol", from: &context)
    // unless the relation was written meanwhile.
    var other = Writer(id: "a", mail: "1")
    other.$idol = .null
    try other.save(to: &context)
    try Deleted<Writer>.query("idol").resolve(in: context)?.restore(in: &context)
    #expect(links().0 == nil)
  }

  /// What a model makes of what is kept is not looked at, but for nil.
  @Test func whatADeletionKeeps() throws {
    var context = Context()
    for (id, words) in ["x", ""].enumerated() {
      try Text(id: id, words: words).save(to: &context)
      try Text.delete(id: id, from: &context)
    }
    #expect(Deleted<Text>.query().resolve(in: context).map(\.entity.words) == ["x"])
  }

  @Test func orders() throws {
    var context = Context()
    for (id, rank) in [2, nil, 1, 2].enumerated() { try Text(id: id, words: "x", rank: rank).save(to: &context) }
    #expect(Text.query().resolve(in: context).map(\.id) == [0, 1, 2, 3])
    #expect(Text.query().sorted(by: \.rank).resolve(in: context).map(\.id) == [1, 2, 0, 3])
    #expect(Text.query().sorted(by: \.rank.desc).resolve(in: context).map(\.id) == [0, 3, 2, 1])
    // The last of several saves of one id counts, and its place is that of the first.
    try Text(id: 0, words: "y").save(to: &context)
    #expect(Text.query().resolve(in: context).map(\.id) == [0, 1, 2, 3])
  }
}
