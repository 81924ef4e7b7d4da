import GQLLexer

/// What a text may ask of the parser.
package struct ParserLimits: Sendable, Equatable {
  /// As far as ``nesting`` may go.
  package static let deepestNesting = 200

  /// Bytes of the nodes that are made of one token, on average.
  package static let bytesOfToken = 192

  package var lexer: LexerLimits
  /// Deepest nesting of selection sets, lists, objects, types, parentheses and arguments together. Keeps the parser's
  /// recursion, and that of all who walk the document, inside the 512 KiB stack of a small thread.
  package var nesting: Int
  /// Tallest expression, counted in nodes: a chain of operators or steps leans to one side without any nesting, and
  /// later stages recurse into it.
  package var expressionHeight: Int
  /// Problems that are reported.
  package var diagnostics: Int

  package init(
    lexer: LexerLimits = LexerLimits(), nesting: Int = 200, expressionHeight: Int = 500, diagnostics: Int = 100
  ) {
    self.lexer = lexer
    self.nesting = nesting
    self.expressionHeight = expressionHeight
    self.diagnostics = diagnostics
  }
}
