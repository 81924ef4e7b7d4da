import Foundation
import SocialNetwork

extension QueryCases {
  /// Patterns over the texts of all messages: words that a few hundred hold, followed by one of half of the alphabet.
  static func patterns(_ network: SocialNetwork) -> [[Parameter]] {
    let words = network.rareWords
    var random = RandomSource(seed: 13)
    return (0..<10).map { number in
      let first = words[random.below(words.count)]
      let second = words[random.below(words.count)]
      return [.text(number % 2 == 0 ? "\(first) [a-m]\\w*" : "(\(first)|\(second)) [a-m]\\w*")]
    }
  }

  static let regexDocument = "query($pattern: String!) { Message(where: text =~ $pattern) { id text } }"
  static let regexSQL = """
    SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text)))
    FROM message NOT INDEXED WHERE text REGEXP ?1
    """

  /// Searches with a trigram index; SQLite's expressions have none.
  var trigram: [QueryCase] {
    let words = network.rareWords
    var random = RandomSource(seed: 12)
    return [
      QueryCase(
        "substr_tri", "substring of 1,000,000 texts, trigram index; SQLite: FTS5's", goal: 1, finalGoal: 11,
        "query($part: String!) { Message(where: text contains $part) { id text } }", parameters: ["part"],
        sets: (0..<50).map { _ in [.text(words[random.below(words.count)])] },
        sql: """
          SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text)))
          FROM (SELECT m.id, m.text FROM message_trigram t JOIN message m ON m.id = t.rowid
            WHERE message_trigram MATCH '"' || ?1 || '"' ORDER BY t.rowid)
          """,
        """
        SELECT json_object('Message', json_group_array(json_object('id', id, 'text', text)))
        FROM (SELECT rowid AS id, text FROM message_trigram WHERE text GLOB '*' || ?1 || '*' ORDER BY rowid)
        """),
      QueryCase(
        "regex_tri", "regular expression over 1,000,000 texts, trigram index; SQLite: REGEXP by PCRE2", goal: 4,
        Self.regexDocument, parameters: ["pattern"], sets: Self.patterns(network), sql: Self.regexSQL),
    ]
  }
}

extension Benchmark {
  func measureTrigrams(_ sqlite: SQLiteDatabase) throws {
    try measure(
      TextIndex(
        schema: "type Message { id: ID! text: String! @trigram }",
        cases: QueryCases(network).trigram, loading: "load_tri",
        summary: "texts loaded and their trigrams indexed; SQLite: indexed only",
        sql: """
          CREATE VIRTUAL TABLE message_trigram
            USING fts5(text, content = 'message', content_rowid = 'id', tokenize = 'trigram case_sensitive 1');
          INSERT INTO message_trigram(message_trigram) VALUES('rebuild');
          INSERT INTO message_trigram(message_trigram) VALUES('optimize');
          """, tableServes: ["substr_tri"]),
      sqlite)
  }
}
