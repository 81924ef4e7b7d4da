import Foundation
import GQLDifferential
import GQLEngine
import Testing

@testable import GQLite

/// The best of many texts are the first of all of them, sorted.
@Suite struct BestTextsTests {
  /// Texts whose words are as unequally common as those of a language; some are longer, and say a word more often, than a
  /// posting can tell.
  private static func texts(_ random: inout SeededRandom, count: Int) -> String {
    func word(_ random: inout SeededRandom) -> String {
      // Each word is about half as common as the one before.
      var number = 0
      while number < 12, random.below(2) == 0 { number += 1 }
      return "w\(number)"
    }
    return (0..<count).map { id in
      let length =
        switch random.below(2000) {
        case 0: 1100 + random.below(200)
        case 1: 200
        default: 1 + random.below(12)
        }
      // A few rows that are dense in one word follow one another.
      let words = (0..<length).map { _ in id % 2000 < 40 ? "w9" : word(&random) }
      return #"{"id": \#(id), "n": \#(id % 7), "text": "\#(words.joined(separator: " "))"}"#
    }.joined(separator: "\n")
  }

  private func ids(_ answer: String) throws -> [Int] {
    struct Row: Decodable { var id: Int }
    return try JSONDecoder().decode([String: [Row]].self, from: Data(answer.utf8))["T", default: []].map(\.id)
  }

  @Test(arguments: 0..<3) func firstOfAll(_ seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed) &* 31 &+ 7)
    let count = [17_000, 9_000, 10_000][seed]
    let database = try Database(
      schema: #"type T { id: ID! n: Int! text: String! @fulltext(language: "none") }"#)
    try database.load([.lines("T", Self.texts(&random, count: count))])
    if seed > 0 { _ = try database.query("mutation { deleteT(where: n == \(seed)) }") }
    let all = try database.prepare("query($q: String!) { T(where: text matches $q, orderBy: [-_score, id]) { id } }")
    let best = try database.prepare(
      "query($q: String!, $k: Int!) { T(where: text matches $q, orderBy: [-_score, id], limit: $k) { id } }")
    let byScore = try database.prepare(
      "query($q: String!, $k: Int!) { T(where: text matches $q, orderBy: -_score, limit: $k) { id } }")
    for _ in 0..<10 {
      let words = (0...random.below(5)).map { _ in "w\(random.below(13))" }
      let query = Value.string(words.joined(separator: random.below(5) == 0 ? " " : " OR "))
      let expected = try ids(all.run(["q": query]).jsonString)
      for k in [1, 10, 200] {
        let variables: [String: Value] = ["q": query, "k": .int(Int64(k))]
        #expect(try ids(best.run(variables).jsonString) == Array(expected.prefix(k)), "\(words), \(k)")
        // Ids ascend with insertion, in whose order equal ones stand.
        #expect(try ids(byScore.run(variables).jsonString) == Array(expected.prefix(k)), "\(words), \(k)")
      }
    }
  }
}
