import GQLite
import Testing

/// Lists of which some targets have not come yet, changed by text, against plain lists of ids.
@Suite struct WaitingListTests {
  private enum Status { case waiting, live, deleted }

  private struct Model {
    /// The ids in the order of the list, those that nobody sees too.
    var list: [String] = []
    var status: [String: Status] = [:]
    var isDeleted = false
    private var count = 0

    func all(_ wanted: Status) -> [String] { status.filter { $0.value == wanted }.keys.sorted() }
    var seen: [String] { list.filter { status[$0] == .live } }
    mutating func newID() -> String {
      count += 1
      return "n\(count)"
    }
  }

  /// A mutation, and what it does to the model; nil where there is nothing to do.
  private func change(_ model: inout Model, _ random: inout SeededRandom) -> String? {
    func update(_ books: String) -> String {
      #"updateShelf(where: id == "s", set: {books: \#(books)}) { id }"#
    }
    let live = model.all(.live)
    switch random.below(14) {
    case 0, 1, 2:
      guard let id = model.all(.waiting).randomElement(using: &random) else { return nil }
      model.status[id] = .live
      return #"insertBook(data: {id: "\#(id)"}) { id }"#
    case 3:
      let id = model.newID()
      model.status[id] = .live
      return #"insertBook(data: {id: "\#(id)"}) { id }"#
    case 4, 5:
      guard !model.isDeleted, let id = live.randomElement(using: &random) else { return nil }
      if !model.list.contains(id) { model.list.append(id) }
      return update(#"{append: ["\#(id)"]}"#)
    case 6, 7:
      guard !model.isDeleted, let id = model.seen.randomElement(using: &random) else { return nil }
      model.list.removeAll { $0 == id }
      return update(#"{remove: ["\#(id)"]}"#)
    case 8:
      // What sleeps in a list that is set has a test of its own.
      guard !model.isDeleted, random.chance(20), !model.list.contains(where: { model.status[$0] == .deleted }) else {
        return nil
      }
      for id in model.all(.waiting) { model.status[id] = nil }
      model.list = live.filter { _ in random.chance(50) }.shuffled(using: &random)
      return update("[\(model.list.map { "\"\($0)\"" }.joined(separator: ", "))]")
    case 9, 10:
      guard let id = live.randomElement(using: &random) else { return nil }
      model.status[id] = .deleted
      return #"deleteBook(where: id == "\#(id)")"#
    case 11:
      guard let id = live.randomElement(using: &random) else { return nil }
      model.status[id] = nil
      model.list.removeAll { $0 == id }
      return #"deleteBook(where: id == "\#(id)", hard: true)"#
    case 12:
      guard let id = model.all(.deleted).randomElement(using: &random) else { return nil }
      model.status[id] = .live
      return #"restoreBook(where: id == "\#(id)") { id }"#
    default:
      if random.chance(50) { return nil }
      model.isDeleted.toggle()
      return model.isDeleted ? #"deleteShelf(where: id == "s")"# : #"restoreShelf(where: id == "s") { id }"#
    }
  }

  @Test(arguments: 1...20, ["", #" @relation(inverse: "shelves")"#])
  func randomMutations(_ seed: UInt64, _ inverse: String) throws {
    var random = SeededRandom(seed: seed)
    let database = try Database(
      schema: """
        type Shelf { id: ID! books: [Book!]!\(inverse) }
        type Book { id: ID! \(inverse.isEmpty ? "" : #"shelves: [Shelf!]! @relation(inverse: "books")"#) }
        """)
    var model = Model()
    model.list = (0..<30).map { "b\($0)" }.shuffled(using: &random)
    for id in model.list { model.status[id] = random.chance(40) ? .live : .waiting }
    let books = model.all(.live).map { #"{"id": "\#($0)"}"# }.joined(separator: "\n")
    try database.load([.ndjson(type: "Book", bytes: Array(books.utf8))])
    let ids = model.list.map { "\"\($0)\"" }.joined(separator: ",")
    try database.load([.ndjson(type: "Shelf", bytes: Array(#"{"id": "s", "books": [\#(ids)]}"#.utf8))])
    for step in 0..<120 {
      guard let mutation = change(&model, &random) else { continue }
      _ = try database.query("mutation { \(mutation) }")
      let expected = model.isDeleted ? "" : model.seen.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
      let found = try database.query("{ Shelf { books { id } } }").jsonString
      try #require(
        found == (model.isDeleted ? #"{"Shelf":[]}"# : #"{"Shelf":[{"books":[\#(expected)]}]}"#),
        "seed \(seed), step \(step): \(mutation)")
    }
    #expect(database.check().isEmpty)
  }
}
