import Foundation

/// One row of the table: a document, the SQL that answers with the same JSON, and the variable sets both run with.
struct QueryCase {
  let name: String
  /// What the row is called in the project's goals.
  let summary: String
  let document: String
  /// Names of the variables; the first is `?1` in SQL, and so on.
  let parameters: [String]
  /// The ways to write it that an expert would consider. The fastest on this data is the yardstick.
  let sql: [String]
  let sets: [[Parameter]]
  /// How many times SQLite's speed must be reached.
  let goal: Double?
  /// How many times SQLite's speed the engine is to end at.
  let finalGoal: Double?
  /// Both answer with the best of a ranking, whose figures differ a little: most ids must be the same.
  var isRanked = false

  init(
    _ name: String, _ summary: String, goal: Double? = nil, finalGoal: Double? = nil, _ document: String,
    parameters: [String] = [], sets: [[Parameter]] = [[]], sql: String...
  ) {
    self.name = name
    self.summary = summary
    self.document = document
    self.parameters = parameters
    self.sql = sql
    self.sets = sets
    self.goal = goal
    self.finalGoal = finalGoal
  }
}

extension QueryCase {
  /// The document and the first SQL with the values of a set written as literals.
  func written(_ set: Int) -> (document: String, sql: String) {
    var document = self.document.drop { $0 != ")" }.dropFirst()
    if parameters.isEmpty { document = self.document[...] }
    var texts = (document: String(document), sql: sql[0])
    for (number, (name, value)) in zip(parameters, sets[set]).enumerated() {
      let (written, sql): (String, String) =
        switch value {
        case .integer(let number): ("\(number)", "\(number)")
        case .text(let text): ("\"\(text)\"", "'\(text)'")
        case .integers(let numbers): ("\(numbers)", "'\(numbers)'")
        }
      texts.document = texts.document.replacingOccurrences(of: "$\(name)", with: written)
      texts.sql = texts.sql.replacingOccurrences(of: "?\(number + 1)", with: sql)
    }
    return texts
  }
}
