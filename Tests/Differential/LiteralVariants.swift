import Foundation

/// Texts that differ from one in the values of its literals, in blanks and in comments.
struct LiteralVariants: Sequence {
  let text: String

  init(_ text: String) { self.text = text }

  func makeIterator() -> AnyIterator<String> {
    var random = SeededRandom(seed: text.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    var left = 4
    return AnyIterator {
      left -= 1
      return left < 0 ? nil : variant(&random)
    }
  }

  private func variant(_ random: inout SeededRandom) -> String {
    var result = ""
    var rest = text[...]
    while let match = rest.firstMatch(of: /"[^"\\\n]*"|\b[0-9]+\b/) {
      result += rest[..<match.range.lowerBound]
      let literal = String(match.output)
      result += random.below(2) == 0 ? literal : other(literal, &random)
      rest = rest[match.range.upperBound...]
    }
    result += rest
    if random.below(2) == 0 { return "# a comment\n" + result }
    return result.replacing("(", with: "( ").replacing(":", with: " :")
  }

  private func other(_ literal: String, _ random: inout SeededRandom) -> String {
    guard literal.hasPrefix("\"") else { return "\((Int(literal) ?? 0) / 2 + random.below(6))" }
    switch random.below(3) {
    case 0: return literal.uppercased()
    case 1: return literal.lowercased()
    default: return literal.replacing(/[0-9](?=[^0-9]*$)/, with: "\(random.below(10))")
    }
  }
}
