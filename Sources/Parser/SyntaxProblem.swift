import GQLBase
import GQLLexer

/// Everything that can be wrong with the order of a text's tokens.
package enum SyntaxProblem: Sendable, Equatable {
  /// `{ a(b 1) }` — another token was expected.
  case unexpected(found: Found, expected: Expectation)
  /// `{ a` — the text ends before what is open is closed.
  case unclosed(opening: TokenKind, at: SourceRange)
  /// The empty text.
  case emptyDocument
  /// `{ }` — a selection set without selections.
  case emptySelectionSet
  /// `querry { a }` — no definition starts with this word.
  case unknownDefinition(word: String, near: String?)
  /// `"text" { a }` — the shorthand takes no description, nor does an extension.
  case misplacedDescription
  /// `fragment on on T { a }`, `{ ...on }` — `on` names no fragment.
  case fragmentNamedOn
  /// `enum E { true }` — a value of this name could not be told from a literal.
  case reservedEnumValue(String)
  /// `directive @a on PLACE` — GraphQL has no such location.
  case unknownDirectiveLocation(String)
  /// `extend type T` — an extension that adds nothing.
  case emptyExtension
  /// `query ($a: Int = $b) { c }` — a constant cannot hold a variable.
  case variableInConstant
  /// In GraphQL alone: `{ a(b: 1 + 2) }` — gqlite would know what follows.
  case extensionInGraphQL(found: Found)
  /// More nesting than the limit.
  case nestedTooDeeply(limit: Int)
  /// An expression with more operators above one another than the limit.
  case expressionTooTall(limit: Int)

  /// `{ a(b: c = 1) }` — one `=` where two are meant.
  case assignmentForEquality(comparesNull: Bool)
  /// `{ a(b: c & d) }` — one `&` or `|` where two are meant.
  case singleConnective(replacement: String)
  /// `{ a(b: c <> 1) }` — SQL's way to write `!=`.
  case sqlInequality
  /// `{ a(b: 1 < c < 2) }` — comparisons do not chain; the middle operand serves both.
  case chainedComparison(middle: String, insertAt: SourceRange)
  /// `{ a(b: 1..2..3) }` — ranges do not chain.
  case chainedRange
  /// `{ a(b: c as Int + 1) }` — an operator that binds tighter than the `as` or `is` before it.
  case operatorAfterTypeName(word: String, operand: SourceRange)
  /// `{ b: age > 3 }` — an expression behind `alias:` needs `:=`.
  case colonForWalrus(colon: SourceRange)
  /// `{ b = age }` — a computed selection needs `:=`.
  case equalsForWalrus(equals: SourceRange)
  /// `{ age > 3 }` — a computed selection needs a name; what to write, nil where that is too long.
  case unnamedComputation(write: String?)
  /// `{ a * }` — a star alone stands for fields only where it stands first.
  case starBehindFields
  /// `{ a(b := 1) }` — an argument takes `:`.
  case walrusForColon
  /// `{ a(b: [c > 1 and d]) }` — word operators are names directly inside a list. A warning where all of it is
  /// GraphQL, as in `[c and d]`.
  case wordOperatorInList(word: String, element: SourceRange, isGraphQL: Bool)
  /// `{ a(b: [c-d]) }` — in a list a minus needs a space on both sides.
  case minusInList
  /// `{ n: f(x y) }` — commas are needed between positional arguments.
  case missingComma
  /// `{ n := f(a: 1, 2) }` — positional arguments come first.
  case positionalAfterNamed
  /// `{ a(b: {"c": 1}) }` — the key of an object is a name.
  case quotedKey(name: String?)

  /// What another language writes so; what to write in its place, nil where the user's text is too long to repeat, and
  /// the edits that do it.
  case habit(SyntaxHabit, write: String?, edits: [Diagnostic.FixIt.Edit] = [])

  /// What stands where something else was expected.
  package enum Found: Sendable, Equatable {
    case token(TokenKind)
    case text(String)
  }

  /// What could have stood at a place.
  package enum Expectation: Sendable, Equatable {
    case token(TokenKind)
    case word(String)
    case definition, selection, selectionSet, value, expression, type, argument, operationType, fieldName, comparison
  }
}
