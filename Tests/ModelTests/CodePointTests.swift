import GQLite
import GQLiteModels
import Testing

@EntityModel
private struct Note {
  let id: Int
  var name: String
  var nick: String?
  var letter: Character
  var tags: [String] = []
  var half: Substring { name[...] }
  var twice: Int { id * 2 }
  @Relationship(inverse: \.replies) var source: Note?
  @Relationship(inverse: \.source) var replies: [Note]?
}

/// Texts are compared by code points, whether columns or Swift tell what holds of them.
@Suite struct CodePointTests {
  private static let composed = "\u{E9}"
  private static let decomposed = "e\u{301}"
  private static let between = "\u{DF}"

  private static func notes() throws -> Context {
    var context = Context()
    for (id, text) in [composed, decomposed, between].enumerated() {
      var note = Note(id: id, name: text, nick: text, letter: Character(text), tags: ["a", text])
      if id > 0 { note.$source = .id(id - 1) }
      try note.save(to: &context)
    }
    return context
  }

  @Test func conditions() throws {
    let context = try Self.notes()
    /// Checks a condition by columns, where they know it, and in Swift.
    func check(
      _ condition: QueryPredicate<Note>, _ wanted: [Int], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let others = [0, 1, 2].filter { !wanted.contains($0) }
      func ids(_ condition: QueryPredicate<Note>) throws -> [Int] {
        try Note.filter(condition).results(in: context).map(\.id)
      }
      #expect(try ids(condition) == wanted, sourceLocation: sourceLocation)
      #expect(try ids(condition || \.twice == 99) == wanted, sourceLocation: sourceLocation)
      #expect(try ids(!condition) == others, sourceLocation: sourceLocation)
      #expect(try ids(!(condition && \.twice < 99)) == others, sourceLocation: sourceLocation)
    }
    #expect(Self.composed == Self.decomposed)
    try check(\.name == Self.composed, [0])
    try check(\.name != Self.composed, [1, 2])
    try check(\.name < Self.between, [1])
    try check(\.name <= Self.between, [1, 2])
    try check(\.name > Self.between, [0])
    try check(\.name >= Self.between, [0, 2])
    try check(\.name.desc < Self.between.desc, [0])
    try check(\.nick == Self.decomposed, [1])
    try check(\.nick == Optional(Self.decomposed), [1])
    try check(\.nick == nil, [])
    try check(\.nick < Self.composed, [1, 2])
    try check(\.nick! >= Self.composed, [0])
    try check(\.half == Self.composed[...], [0])
    try check(\.half < Self.composed[...], [1, 2])
    try check(\.letter == Character(Self.composed), [0])
    try check(\.letter > Character(Self.between), [0])
    try check(\.tags == ["a", Self.composed], [0])
    try check(\.tags != ["a", Self.decomposed], [0, 2])
    try check(\.source!.name == Self.decomposed, [2])
  }

  @Test func orders() throws {
    let context = try Self.notes()
    func ids(_ query: QueryList<Note>) throws -> [Int] { try query.results(in: context).map(\.id) }
    let query = Note.query()
    for sorted in [
      query.sorted(by: \.name), query.sorted(by: \.name, \.twice), query.sorted(by: \.nick, \.twice),
      query.sorted(by: \.nick!, \.twice), query.sorted(by: \.half), query.sorted(by: \.letter, \.twice),
      query.sorted(by: \.twice).sorted(by: \.name, comparator: .lexical),
      query.sorted(by: \.twice).sorted(by: \.nick, comparator: .lexical),
    ] { #expect(try ids(sorted) == [1, 2, 0]) }
    for sorted in [
      query.sorted(by: \.name.desc), query.sorted(by: \.name.desc, \.twice), query.sorted(by: \.nick.desc, \.twice),
      query.sorted(by: \.half.desc), query.sortBy(\.name, comparator: .lexical, order: .reverse).sortBy(\.twice),
    ] { #expect(try ids(sorted) == [0, 2, 1]) }
    #expect(try ids(query.sorted(by: \.source?.name)) == [0, 2, 1])
    #expect(try ids(query.sorted(by: \.source?.name.desc)) == [1, 2, 0])
  }
}
