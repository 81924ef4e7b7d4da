import GQLBase

extension LexicalProblem {
  package static let unterminatedStringCode = DiagnosticCode("unterminated-string")

  /// Every code that a lexical problem can carry.
  package static let codes: [DiagnosticCode] = [
    "unexpected-character", "invalid-utf8", "unterminated-string", "invalid-escape", "invalid-code-point",
    "single-quoted-string", "unterminated-name", "empty-name", "leading-zero", "bare-date", "missing-digits",
    "number-runs-on",
    "document-too-long", "too-many-tokens",
  ].map { DiagnosticCode($0) }

  package var code: DiagnosticCode {
    switch self {
    case .unexpectedCharacter, .foreignOperator: DiagnosticCode("unexpected-character")
    case .invalidUTF8: DiagnosticCode("invalid-utf8")
    case .unterminatedString: LexicalProblem.unterminatedStringCode
    case .invalidEscape, .interpolation: DiagnosticCode("invalid-escape")
    case .invalidCodePoint: DiagnosticCode("invalid-code-point")
    case .singleQuotedString: DiagnosticCode("single-quoted-string")
    case .unterminatedName: DiagnosticCode("unterminated-name")
    case .emptyName: DiagnosticCode("empty-name")
    case .leadingZero: DiagnosticCode("leading-zero")
    case .bareDate: DiagnosticCode("bare-date")
    case .missingDigits: DiagnosticCode("missing-digits")
    case .numberRunsOn, .threeDots: DiagnosticCode("number-runs-on")
    case .tooManyBytes: DiagnosticCode("document-too-long")
    case .tooManyTokens: DiagnosticCode("too-many-tokens")
    }
  }

  package func diagnostic(at range: SourceRange) -> Diagnostic {
    switch self {
    case .unexpectedCharacter(let scalar):
      let isSemicolon = scalar == 0x3B
      return Diagnostic(
        code, "unexpected character \(Self.display(scalar))", at: range, help: isSemicolon ? "leave it out" : nil,
        fixIts: isSemicolon ? [.init("leave it out", [.init(range, " ")])] : [])
    case .foreignOperator(let sign, let replacement):
      return Diagnostic(
        code, "'\(sign)' is no operator", at: range, help: "write '\(replacement)'",
        fixIts: [.init("write '\(replacement)'", [.init(range, replacement)])])
    case .threeDots:
      return Diagnostic(
        code, "a range has two dots", at: range, help: "write '..'", fixIts: [.init("write '..'", [.init(range, "..")])]
      )
    case .bareDate(let text):
      let quoted = "\"\(text)\""
      return Diagnostic(
        code, "a date stands in quotation marks", at: range, help: "write '\(quoted)'",
        fixIts: [.init("write '\(quoted)'", [.init(range, quoted)])])
    case .interpolation(let path):
      let replacement = path.map { "\" + \($0) + \"" }
      return Diagnostic(
        code, "a string holds no expressions, '+' joins texts", at: range,
        help: "write '\(replacement ?? "\" + … + \"")'",
        fixIts: replacement.map { [.init("join the texts with '+'", [.init(range, $0)])] } ?? [])
    case .invalidUTF8:
      return Diagnostic(code, "the text is not valid UTF-8 here", at: range, help: "save the file as UTF-8")
    case .unterminatedString(let isBlock):
      return Diagnostic(
        code, isBlock ? "this block string does not end" : "this string does not end on its line", at: range,
        help: isBlock ? #"close it with """"# : #"close it with ", or write a block string: """…""""#)
    case .invalidEscape:
      return Diagnostic(
        code, "no such escape sequence", at: range,
        help: #"strings know \" \\ \/ \b \f \n \r \t \uXXXX and \u{X}; block strings take backslashes as they are"#)
    case .invalidCodePoint:
      return Diagnostic(
        code, "this is not a Unicode scalar value", at: range,
        help: "write a code point outside a surrogate pair as \\u{X}")
    case .singleQuotedString(let replacement):
      return Diagnostic(
        code, "strings stand in double quotation marks", at: range, help: "write \(replacement)",
        fixIts: [.init("use double quotation marks", [.init(range, replacement)])])
    case .unterminatedName:
      return Diagnostic(code, "this backquoted name does not end on its line", at: range, help: "close it with `")
    case .emptyName:
      return Diagnostic(code, "a backquoted name needs at least one character", at: range)
    case .leadingZero:
      return Diagnostic(code, "a number does not start with a superfluous zero", at: range)
    case .missingDigits:
      return Diagnostic(code, "a digit is missing in this number", at: range)
    case .numberRunsOn(let replacement?):
      return Diagnostic(
        code, "a number has no underscores", at: range, help: "write '\(replacement)'",
        fixIts: [.init("write '\(replacement)'", [.init(range, replacement)])])
    case .numberRunsOn(nil):
      return Diagnostic(
        code, "a number cannot be followed directly by a letter, digit or point", at: range, help: "put a space between"
      )
    case .tooManyBytes(let limit):
      return Diagnostic(
        code, "the document is longer than the limit of \(limit) bytes", at: range,
        help: "the limit 'document-bytes' can be raised")
    case .tooManyTokens(let limit):
      return Diagnostic(
        code, "the document has more tokens than the limit of \(limit)", at: range,
        help: "the limit 'tokens' can be raised")
    }
  }

  /// A character as people can read it, with its code point.
  private static func display(_ value: UInt32) -> String {
    let hex = String(value, radix: 16, uppercase: true)
    let codePoint = "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    guard let scalar = Unicode.Scalar(value), value > 0x20, value != 0x7F, value < 0x80 || value > 0xA0 else {
      return codePoint
    }
    return value < 0x7F ? "'\(Character(scalar))'" : "'\(Character(scalar))' (\(codePoint))"
  }
}
