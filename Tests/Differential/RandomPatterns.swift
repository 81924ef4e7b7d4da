/// Patterns of `=~`, each with what it finds, written out.
struct RandomPatterns: Sendable {
  let text: String
  let isFound: @Sendable ([String]) -> Bool

  static let all: [RandomPatterns] = [
    RandomPatterns(text: "^a") { $0.first == "a" },
    RandomPatterns(text: "b$") { $0.last == "b" },
    RandomPatterns(text: "ab|é") { letters in
      letters.contains { $0.utf8.elementsEqual("é".utf8) } || Self.hasPair(letters, "a", "b")
    },
    RandomPatterns(text: "(?i)ba?") { $0.contains { $0 == "b" || $0 == "B" } },
    RandomPatterns(text: "^.$") { $0.count == 1 && $0 != ["\n"] },
    RandomPatterns(text: "[ab][bc]") { letters in
      zip(letters, letters.dropFirst()).contains { "ab".contains($0) && "bc".contains($1) }
    },
    RandomPatterns(text: "abc|straß") { hasRun($0, ["a", "b", "c"]) || hasRun($0, ["s", "t", "r", "a", "ß"]) },
    RandomPatterns(text: "(?i)A(b|q)c.*") { letters in
      let lower = letters.map { $0.lowercased() }
      return hasRun(lower, ["a", "b", "c"]) || hasRun(lower, ["a", "q", "c"])
    },
    RandomPatterns(text: "str(a|)ss?e") { letters in
      ["strasse", "strase", "strsse", "strse"].contains { hasRun(letters, $0.map { String($0) }) }
    },
    RandomPatterns(text: "") { _ in true },
  ]

  private static func hasRun(_ letters: [String], _ run: [String]) -> Bool {
    letters.indices.contains { letters[$0...].starts(with: run) { $0.utf8.elementsEqual($1.utf8) } }
  }

  private static func hasPair(_ letters: [String], _ first: String, _ second: String) -> Bool {
    zip(letters, letters.dropFirst()).contains { $0 == first && $1 == second }
  }

  static let like = ["a%", "%b", "_", "%", "a_c", "%\\%%", "", "É", "%ß%", "B%", "% %", "%abc%", "STRASS%", "%本語"]

  /// Words with slips in them.
  private static func slip(_ random: inout SeededRandom) -> String {
    random.pick(["swfit", "dgo", "cta", "rn", "swin", "zoe", "dox", "swim", "x2"])
      + random.pick(["~", "~1", "~2", "~0"])
  }

  /// Full-text queries.
  static func search(_ random: inout SeededRandom) -> String {
    func word(_ random: inout SeededRandom) -> String { random.pick(Model.terms) }
    switch random.below(12) {
    case 8, 9: return slip(&random)
    case 10: return "\(word(&random)) OR \(slip(&random)) OR \(random.pick(["ca*", "\"cat dog\"", "-the"]))"
    case 0: return "\(word(&random)) \(word(&random))"
    case 1: return "\(word(&random)) OR \(word(&random))"
    case 2: return "\(word(&random)) \(word(&random)) OR \(word(&random))"
    case 3: return "\"\(random.pick(["cat", "dog", "swift"])) \(random.pick(["cats", "run", "swim"]))\""
    case 4: return random.pick(["ca*", "sw*", "ru*", "Zo*", "d*", "q*"])
    case 5: return "-\(word(&random)) \(word(&random))"
    case 6: return "-\(word(&random))"
    default: return word(&random)
    }
  }
}
