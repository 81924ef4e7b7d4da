import Foundation
import SocialNetwork

extension QueryCases {
  /// Searches over the texts of all messages.
  var fullText: [QueryCase] {
    var random = RandomSource(seed: 11)
    let words = commonWords
    func pairs(_ joined: String) -> [[Parameter]] {
      (0..<50).map { _ in
        let first = 10 + random.below(90)
        let second = 10 + (first - 10 + 1 + random.below(89)) % 90
        return [.text("\(words[first])\(joined)\(words[second])")]
      }
    }
    let sql = """
      SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text)))
      FROM (SELECT m.id, m.text FROM
        (SELECT rowid AS found, rank AS score FROM message_text WHERE message_text MATCH ?1 ORDER BY rank LIMIT 10)
        JOIN message m ON m.id = found ORDER BY score, id)
      """
    let document =
      "query($words: String!) { Message(where: text matches $words, orderBy: -_score, limit: 10) { id text } }"
    var cases = [
      QueryCase(
        "fts_or", "ten best texts with either of two words", goal: 20, finalGoal: 94, document,
        parameters: ["words"], sets: pairs(" OR "), sql: sql),
      QueryCase(
        "fts_and", "ten best texts with both of two words", goal: 20, finalGoal: 29, document,
        parameters: ["words"], sets: pairs(" "), sql: sql),
    ]
    // With a tie-breaker, as people write it.
    let tied = document.replacing("-_score", with: "[-_score, id]")
    let tiedSQL = sql.replacing("ORDER BY rank LIMIT", with: "ORDER BY rank, rowid LIMIT")
    cases += [
      QueryCase(
        "fts_or_id", "ten best texts with either of two words, [-_score, id]", goal: 20, finalGoal: 140, tied,
        parameters: ["words"], sets: pairs(" OR "), sql: tiedSQL),
      QueryCase(
        "fts_and_id", "ten best texts with both of two words, [-_score, id]", goal: 10, finalGoal: 20, tied,
        parameters: ["words"], sets: pairs(" "), sql: tiedSQL),
    ]
    for index in cases.indices { cases[index].isRanked = true }
    return cases
  }

  /// The words of some texts, the most common first.
  var commonWords: [String] {
    let texts = network.messages.text
    var counts: [String: Int] = [:]
    for row in 0..<min(texts.count, 20_000) {
      for word in texts[row].split(separator: " ") { counts[String(word), default: 0] += 1 }
    }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }
}

extension Benchmark {
  func measureFullText(_ sqlite: SQLiteDatabase) throws {
    try measure(
      TextIndex(
        schema: #"type Message { id: ID! text: String! @fulltext(language: "none") }"#,
        cases: QueryCases(network).fullText, loading: "load_text",
        summary: "texts loaded and indexed; SQLite: indexed only",
        sql: """
          CREATE VIRTUAL TABLE message_text
            USING fts5(text, content = 'message', content_rowid = 'id', tokenize = 'unicode61');
          INSERT INTO message_text(message_text) VALUES('rebuild');
          INSERT INTO message_text(message_text) VALUES('optimize');
          """, tableServes: ["fts_or", "fts_and", "fts_or_id", "fts_and_id"]),
      sqlite)
  }
}

/// Two rankings of messages.
enum RankedComparison {
  static func difference(_ left: [UInt8], _ right: [UInt8]) -> String? {
    guard let first = ids(left), let second = ids(right) else { return "no list of messages" }
    if first.count != second.count { return "\(first.count) and \(second.count) messages" }
    let common = Set(first).intersection(second).count
    return common * 10 >= first.count * 8 ? nil : "\(first)\n\(second)"
  }

  private static func ids(_ answer: [UInt8]) -> [String]? {
    let object = try? JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
    return (object?["Message"] as? [[String: Any]])?.map { "\($0["id"] ?? "")" }
  }
}
