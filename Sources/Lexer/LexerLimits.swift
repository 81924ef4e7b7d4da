import GQLBase

/// What a text may ask of the lexer.
package struct LexerLimits: Sendable, Equatable {
  /// Bytes of a document; never more than 2 GiB, because offsets are 32 bits wide.
  package var bytes: Int
  /// Tokens of a document, without the end. Bounds the size of everything that is made of it.
  package var tokens: Int
  /// Problems that are reported.
  package var diagnostics: Int
  /// What may end reading before the text does.
  package var interruption: Interruption?

  /// The lexer looks at the interruption after so many tokens.
  package static var tokensBetweenLooks: Int { 0x1000 }

  /// Bytes of a token in its list.
  package static let tokenBytes = 10

  package init(bytes: Int = 1 << 20, tokens: Int = 100_000, diagnostics: Int = 100) {
    self.bytes = min(bytes, Int(Int32.max))
    self.tokens = tokens
    self.diagnostics = diagnostics
  }
}
