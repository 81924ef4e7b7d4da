import GQLiteModels
import Testing

@Suite struct WordTests {
  @EntityModel
  struct Article {
    @FullTextIndex<Self>(\.title, \.content) private var contentIndex

    let id: String
    let title: String
    let content: String
    var status = "published"
  }

  /// The same without an index, and with a text that may be missing.
  @EntityModel
  struct Plain {
    let id: String
    let title: String
    var note: String?
    var loud: String { title.uppercased() }
  }

  private static let texts = [
    ("a", "Cooking", "soup and bread"), ("b", "Databases", "a swift database for swift programs"),
    ("c", "Birds", "swifts fly for months"), ("d", "Graphs", "a databse, misspelt"),
  ]

  private func context() throws -> Context {
    var context = Context()
    for (id, title, content) in Self.texts {
      try Article(id: id, title: title, content: content).save(to: &context)
      try Plain(id: id, title: "\(title) \(content)", note: id == "a" ? nil : content).save(to: &context)
    }
    return context
  }

  /// Any of the words, also with slips, the best first; the same with and without an index.
  @Test func wordsAreFoundByRank() throws {
    let context = try context()
    func articles(_ words: String) -> [String] {
      Article.filter(.string(\.title, \.content, matches: words)).resolve(in: context).map(\.id)
    }
    func plain(_ words: String) -> [String] {
      Plain.filter(.string(\.title, matches: words)).resolve(in: context).map(\.id)
    }
    for words in ["swift database", "SWIFT, (database)", "\"swift\" -database*"] {
      #expect(articles(words) == ["b", "c", "d"] || articles(words) == ["b", "d", "c"], "\(words)")
      #expect(plain(words).first == "b" && Set(plain(words)) == ["b", "c", "d"], "\(words)")
    }
    #expect(articles("databas") == plain("databas") && Set(articles("databas")) == ["b", "d"])
    #expect(articles("bread").first == "a" && articles("OR NOT zebra").isEmpty)
    #expect(articles("").isEmpty && articles("!?").isEmpty && plain("").isEmpty)
    // Short words are taken as they are.
    #expect(articles("fly") == ["c"] && articles("fry").isEmpty)
  }

  @Test func ranksAndSlicesAndOrders() throws {
    var context = try context()
    let search = Article.filter(.string(\.title, \.content, matches: "swift database"))
    #expect(search.limit(1).resolve(in: context).map(\.id) == ["b"])
    #expect(search.first().resolve(in: context)?.id == "b")
    #expect(search.sorted(by: \.id.desc).resolve(in: context).map(\.id) == ["d", "c", "b"])
    #expect(search.filter(\.status == "published").resolve(in: context).count == 3)
    #expect(search.filter(\.title.count == 5).resolve(in: context).map(\.id) == ["c"])
    // The index forgets what is deleted.
    try Article.delete(id: "b", from: &context)
    #expect(search.limit(2).resolve(in: context).count == 2 && search.first().resolve(in: context) != nil)
    #expect(!search.resolve(in: context).contains { $0.id == "b" })
  }

  @Test func textsThatMayBeMissing() throws {
    let context = try context()
    func ids(_ predicate: QueryPredicate<Plain>) -> [String] { Plain.filter(predicate).resolve(in: context).map(\.id) }
    #expect(ids(.string(\.note, contains: "SWIFT")) == ["b", "c"])
    #expect(ids(.string(\.note, notContains: "swift")) == ["a", "d"])
    #expect(ids(.string(\.note, hasPrefix: "a ")) == ["b", "d"])
    #expect(ids(.string(\.note, contains: "")) == ["b", "c", "d"])
    #expect(ids(.string(\.note, matches: "months")) == ["c"])
    #expect(ids(.string(\.note, matches: "soup")).isEmpty)
    // Computed texts are looked at in Swift.
    #expect(ids(.string(\.loud, matches: "Bird soup")) == ["a", "c"])
    #expect(ids(.string(\.loud, contains: "SOUP", caseSensitive: true)) == ["a"])
    #expect(ids(!.string(\.note, matches: "months")) == ["a", "b", "d"])
  }
}
