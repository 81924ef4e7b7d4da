import Foundation
import GQLite
import GQLiteModels
import Testing

@EntityModel
private struct Probe {
  let id: Int
  var now: Reading
  var last: Reading?
  @Relationship var next: Probe? = nil
}

@EmbeddedModel
private struct Reading: Codable {
  var size: Float
  var maybe: Float?
  var sizes: [Float]
  var exact: Double
  var place: URL?
  var key: UUID?
  var word: Caseless?
}

/// Equal whatever the case, in a column of its own making.
private struct Caseless: _ColumnScalar, Codable, Comparable, Sendable {
  let text: String
  init(_ text: String) { self.text = text }
  static var _columnShape: _ColumnShape { String._columnShape }
  init(_cell cell: _ColumnCell) throws { text = try String(_cell: cell) }
  func _write(into slot: inout _ColumnSlot) throws { try text._write(into: &slot) }
  static func == (left: Self, right: Self) -> Bool { left.text.lowercased() == right.text.lowercased() }
  static func < (left: Self, right: Self) -> Bool { left.text.lowercased() < right.text.lowercased() }
}

/// Parts of embedded objects are for conditions and orders what they are in Swift, whoever wrote them.
@Suite struct EmbeddedTextTests {
  /// A `Float` has 24 bits and a `URL` its own letters, while text writes any number and any text.
  private static let database = Result {
    let database = try Database(
      schema: """
        type Reading {
          size: Float! maybe: Float sizes: [Float!]! exact: Float! place: String key: UUID word: String
        }
        type Probe @index(fields: ["now.size"]) @index(fields: ["last.size"]) {
          id: Int! now: Reading! last: Reading next: Probe
        }
        """)
    _ = try database.query(
      #"""
      mutation { insertProbe(data: [
        {id: 1, now: {size: 0.1, maybe: 0.1, sizes: [0.1, 5.0], exact: 0.1, place: "https://a.de/é b", word: "ABC"}},
        {id: 2, now: {size: 16777217.0, maybe: 16777216.0, sizes: [], exact: 2.0,
          key: "5B1C77A0-0000-4000-8000-00000000ABCD"}, last: {size: 0.1, sizes: [16777217.0], exact: 1.0, word: "abc"}},
        {id: 3, now: {size: 16777216.0, maybe: 0.3, sizes: [16777217.0], exact: 0.3, place: "https://a.de/"},
          last: {size: 16777217.0, maybe: 0.1, sizes: [0.1], exact: 0.1, place: "https://a.de/é b"}},
        {id: 4, now: {size: 0.100000001, sizes: [0.25], exact: 0.25, word: "abD"}, next: {id: 3}},
        {id: 5, now: {size: 0.25, maybe: 0.25, sizes: [0.3], exact: 16777217.0, word: "Abc"}, next: {id: 2}}
      ]) { id } }
      """#)
    return database
  }

  @Test func conditions() throws {
    let database = try Self.database.get()
    let all = try Probe.query().with(\.$next).results(in: database)
    #expect(all.map(\.now.size) == [0.1, 16_777_216, 16_777_216, 0.1, 0.25])
    let place = try #require(all[0].now.place)
    let key = try #require(UUID(uuidString: "5B1C77A0-0000-4000-8000-00000000ABCD"))
    let word = Caseless("abc")
    let (tenth, large): (Float, Float) = (0.1, 16_777_216)
    let (some, range): ([Float], ClosedRange<Float>) = ([0.1, 7], 0.1...0.2)
    let cases: [(Predicate<Probe>, [Int])] = [
      (#Predicate { $0.now.size == tenth }, [1, 4]), (#Predicate { $0.now.size != tenth }, [2, 3, 5]),
      (#Predicate { $0.now.size == large }, [2, 3]), (#Predicate { $0.now.size > large }, []),
      (#Predicate { $0.now.size <= tenth }, [1, 4]), (#Predicate { $0.now.size < tenth }, []),
      (#Predicate { some.contains($0.now.size) }, [1, 4]), (#Predicate { range.contains($0.now.size) }, [1, 4]),
      (#Predicate { $0.now.maybe == tenth }, [1]), (#Predicate { $0.now.maybe == nil }, [4]),
      (#Predicate { $0.now.maybe != nil }, [1, 2, 3, 5]), (#Predicate { ($0.now.maybe ?? tenth) <= tenth }, [1, 4]),
      (#Predicate { $0.now.size == ($0.now.maybe ?? 0) }, [1, 2, 5]),
      (#Predicate { $0.now.sizes.contains(large) }, [3]), (#Predicate { $0.now.sizes.contains { $0 == tenth } }, [1]),
      (#Predicate { $0.now.sizes.count == 1 }, [3, 4, 5]), (#Predicate { $0.last?.size == tenth }, [2]),
      (#Predicate { $0.last?.size == large }, [3]), (#Predicate { $0.last?.maybe == tenth }, [3]),
      (#Predicate { $0.last?.maybe == nil }, [1, 2, 4, 5]), (#Predicate { $0.next?.now.size == large }, [4, 5]),
      (#Predicate { $0.next?.last?.size == tenth }, [5]), (#Predicate { $0.now.size + 1 == tenth + 1 }, [1, 4]),
      (#Predicate { $0.now.exact == 0.1 }, [1]), (#Predicate { $0.now.exact > 16_777_216 }, [5]),
      (#Predicate { $0.now.place == place }, [1]), (#Predicate { $0.last?.place == place }, [3]),
      (#Predicate { $0.now.place == nil }, [2, 4, 5]), (#Predicate { $0.now.key == key }, [2]),
      (#Predicate { $0.now.word == word }, [1, 5]), (#Predicate { ($0.now.word ?? word) > word }, [4]),
    ]
    for (predicate, wanted) in cases {
      #expect(try all.filter { try predicate.evaluate($0) }.map(\.id) == wanted, "\(predicate)")
      #expect(try Probe.include(predicate).results(in: database).map(\.id) == wanted, "\(predicate)")
      let rest = all.map(\.id).filter { !wanted.contains($0) }
      #expect(try Probe.exclude(predicate).results(in: database).map(\.id) == rest, "\(predicate)")
    }
    let conditions: [(QueryPredicate<Probe>, [Int])] = [
      (\.now.size == 0.1, [1, 4]), (\.now.size != 0.1, [2, 3, 5]), (\.now.size == 16_777_216, [2, 3]),
      (\.now.size > 16_777_216, []), (\.now.size < 0.1, []), (\.now.size >= 0.1, [1, 2, 3, 4, 5]),
      (\.now.maybe == 0.1, [1]), (\.now.maybe == nil, [4]), (\.last?.size == 0.1, [2]),
      (\.last?.size == 16_777_216, [3]), (\.last?.size != nil, [2, 3]), (\.now.place == place, [1]),
      (\.last?.place == place, [3]), (\.now.key == key, [2]), (\.now.word == word, [1, 5]),
      (\.now.word != word, [2, 3, 4]),
      (\.now.exact == 0.1, [1]),
    ]
    for (number, (condition, wanted)) in conditions.enumerated() {
      #expect(Probe.filter(condition).resolve(in: database).map(\.id) == wanted, "\(number)")
    }
    // What is the same in both stays with the planner.
    #expect(!Probe.filter(\.now.exact == 0.1 && \.now.key == key).explain(in: database.entities).contains("in Swift"))
  }

  /// What is equal in Swift comes in the order of the ids.
  @Test func orders() throws {
    let database = try Self.database.get()
    func ids(_ list: QueryList<Probe>) -> [Int] { list.resolve(in: database).map(\.id) }
    #expect(ids(Probe.query().sorted(by: \.now.size)) == [1, 4, 5, 2, 3])
    #expect(ids(Probe.query().sorted(by: \.now.size.desc)) == [2, 3, 5, 1, 4])
    #expect(ids(Probe.query().sorted(by: \.now.size.desc).limit(2)) == [2, 3])
    #expect(ids(Probe.sortBy(\.last?.size)._list) == [1, 4, 5, 2, 3])
    #expect(ids(Probe.query().sorted(by: \.now.exact)) == [1, 4, 3, 2, 5])
    let sizes: [Float] = try Probe.query().values(\.now.size, \.last?.size, in: database).map { $0.0 }
    #expect(sizes == [0.1, 16_777_216, 16_777_216, 0.1, 0.25])
  }
}
