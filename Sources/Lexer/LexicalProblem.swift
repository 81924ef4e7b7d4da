import GQLBase

/// Everything that can be wrong with the characters of a text.
package enum LexicalProblem: Sendable, Equatable {
  /// `{ name ; }` — no token starts with this character.
  case unexpectedCharacter(UInt32)
  /// The byte FF anywhere — the text is not UTF-8.
  case invalidUTF8
  /// `{ a(b: "x) }` — the line or the text ends inside a string.
  case unterminatedString(isBlock: Bool)
  /// `{ a(b: "\k") }` — no such escape sequence.
  case invalidEscape
  /// `{ a(b: "\u{110000}") }`, `{ a(b: "\uD800") }` — not a Unicode scalar value.
  case invalidCodePoint
  /// `{ a(b: 'x') }` — text in apostrophes; the replacement is the same text in quotation marks.
  case singleQuotedString(replacement: String)
  /// ``{ `a }`` — the line ends inside a backquoted name.
  case unterminatedName
  /// ``{ `` }`` — a backquoted name without characters.
  case emptyName
  /// `{ a(b: 007) }` — a number starts with a superfluous zero.
  case leadingZero
  /// `{ a(b: 1.) }`, `{ a(b: 1e) }` — digits are missing.
  case missingDigits
  /// `{ a(b: 1x) }` — a letter, digit or point touches a number; of `1_000` the number without its underscores.
  case numberRunsOn(replacement: String?)
  /// `{ a(b: c in 1...5) }` — a range of three dots.
  case threeDots
  /// `{ a(b: c > 1990-01-01) }` — a date without quotation marks.
  case bareDate(String)
  /// `{ a(b: "I am \(name)") }` — a value inside a string; what stands in the parentheses, nil if it is no path.
  case interpolation(String?)
  /// `{ a(b: c ≥ 1) }` — another language's sign for an operator.
  case foreignOperator(String, replacement: String)
  /// A text longer than the limit.
  case tooManyBytes(limit: Int)
  /// A text of more tokens than the limit.
  case tooManyTokens(limit: Int)
}
