import GQLBase
import GQLStore
import GQLite
import Testing

@testable import GQLEngine

/// Tests that listeners hear of each commit, where the thread that calls them reads the news between two of them.
@Suite struct CommitNewsTests {
  /// An item that is changed and then deleted for good, both after the news were taken, and before the version was.
  @Test("commits are told by themselves that were noted before the version was read") func notedMeanwhile() throws {
    let database = try Database(schema: "type Item { id: ID! name: String! }")
    try database.run("mutation { insertItem(data: { id: 1, name: \"first\" }) }")
    let told = Lock<[String]>([])
    var work = LiveWork()
    _ = work.listeners.add { changes, _ in
      var words: [String] = []
      if changes == nil { words.append("anything") }
      try? changes?.forEachChange { change in
        words.append(change.isNew ? "new" : change.isPurged ? "gone" : "changed")
      }
      told.withLock { $0.append(words.joined(separator: " ")) }
    }
    let start = LiveWork.newest(of: database)
    work.begin(with: start)

    var news = LiveNews()
    for (number, field) in [
      #"updateItem(where: id == 1, set: { name: "second" }) { id }"#, "deleteItem(where: id == 1, hard: true)",
    ].enumerated() {
      try database.run("mutation { \(field) }")
      news.add(database.current, start.version + 1 + Int64(number))
    }
    // Of which nothing is noted yet.
    try database.run(#"mutation { insertItem(data: { id: 2, name: "other" }) { id } }"#)
    work.look(at: database) { $0 == .max ? LiveNews() : news.take(through: $0) }
    #expect(told.withLock { $0 } == ["changed", "gone", "new", "anything"])
  }

  @Test("news are taken up to a version, and the rest is left") func upToVersion() throws {
    let snapshot = try Database(schema: "type Item { id: ID! }").current
    var news = LiveNews()
    for version in 1...4 { news.add(snapshot, Int64(version)) }
    news.isUnknown = true
    let first = news.take(through: 2)
    #expect(first.commits.map(\.version) == [1, 2])
    #expect(!first.isUnknown)
    let second = news.take(through: 9)
    #expect(second.commits.map(\.version) == [3, 4])
    #expect(second.isUnknown)
    // It may be of a version after that.
    #expect(news.commits.isEmpty && news.isUnknown)
    #expect(news.take(through: .max).isUnknown)
    #expect(!news.isUnknown)
  }
}
