/// What a token is. GraphQL's punctuators come first, gqlite's after them; words are all ``name``.
@frozen package enum TokenKind: UInt8, Sendable {
  case endOfFile

  // GraphQL.
  case name, int, float, string, blockString
  case bang, dollar, ampersand, leftParenthesis, rightParenthesis, spread, colon, equals, at
  case leftBracket, rightBracket, leftBrace, pipe, rightBrace

  // gqlite.
  case quotedName
  case walrus, equal, notEqual, match, notMatch, less, lessOrEqual, greater, greaterOrEqual
  case and, or, coalesce, closedRange, halfOpenRange
  case plus, minus, star, slash, percent, dot, caret

  // Other languages', and always an error.
  case question

  // Written out, because the compiler's own is called by way of a table from other modules.
  @inlinable package static func == (left: Self, right: Self) -> Bool {
    unsafeBitCast(left, to: UInt8.self) == unsafeBitCast(right, to: UInt8.self)
  }

  /// How diagnostics call a token of this kind when its text says nothing.
  package var name: String {
    switch self {
    case .endOfFile: "the end of the text"
    case .name, .quotedName: "a name"
    case .int: "an integer"
    case .float: "a number"
    case .string, .blockString: "a string"
    case .bang: "'!'"
    case .dollar: "'$'"
    case .ampersand: "'&'"
    case .leftParenthesis: "'('"
    case .rightParenthesis: "')'"
    case .spread: "'...'"
    case .colon: "':'"
    case .equals: "'='"
    case .at: "'@'"
    case .leftBracket: "'['"
    case .rightBracket: "']'"
    case .leftBrace: "'{'"
    case .pipe: "'|'"
    case .rightBrace: "'}'"
    case .walrus: "':='"
    case .equal: "'=='"
    case .notEqual: "'!='"
    case .match: "'=~'"
    case .notMatch: "'!~'"
    case .less: "'<'"
    case .lessOrEqual: "'<='"
    case .greater: "'>'"
    case .greaterOrEqual: "'>='"
    case .and: "'&&'"
    case .or: "'||'"
    case .coalesce: "'??'"
    case .closedRange: "'..'"
    case .halfOpenRange: "'..<'"
    case .plus: "'+'"
    case .minus: "'-'"
    case .star: "'*'"
    case .slash: "'/'"
    case .percent: "'%'"
    case .dot: "'.'"
    case .caret: "'^'"
    case .question: "'?'"
    }
  }
}
