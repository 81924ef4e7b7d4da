import GQLBase
import GQLLexer

extension SyntaxProblem {
  /// Every code that a syntax problem can carry.
  package static let codes: [DiagnosticCode] = [
    "unexpected-token", "unclosed", "empty-document", "empty-selection-set", "unknown-definition",
    "misplaced-description", "fragment-named-on", "reserved-enum-value", "unknown-directive-location",
    "empty-extension", "variable-in-constant", "not-graphql", "nested-too-deeply", "expression-too-tall",
    "assignment-for-equality", "single-connective", "sql-inequality", "chained-comparison", "chained-range",
    "colon-for-walrus", "equals-for-walrus", "unnamed-computation", "walrus-for-colon", "word-operator-in-list",
    "minus-in-list", "missing-comma", "positional-after-named", "quoted-key", "operator-after-type-name",
    "foreign-syntax",
  ].map { DiagnosticCode($0) }

  package var code: DiagnosticCode {
    switch self {
    case .unexpected: DiagnosticCode("unexpected-token")
    case .unclosed: DiagnosticCode("unclosed")
    case .emptyDocument: DiagnosticCode("empty-document")
    case .emptySelectionSet: DiagnosticCode("empty-selection-set")
    case .unknownDefinition: DiagnosticCode("unknown-definition")
    case .misplacedDescription: DiagnosticCode("misplaced-description")
    case .fragmentNamedOn: DiagnosticCode("fragment-named-on")
    case .reservedEnumValue: DiagnosticCode("reserved-enum-value")
    case .unknownDirectiveLocation: DiagnosticCode("unknown-directive-location")
    case .emptyExtension: DiagnosticCode("empty-extension")
    case .variableInConstant: DiagnosticCode("variable-in-constant")
    case .extensionInGraphQL: DiagnosticCode("not-graphql")
    case .nestedTooDeeply: DiagnosticCode("nested-too-deeply")
    case .expressionTooTall: DiagnosticCode("expression-too-tall")
    case .assignmentForEquality: DiagnosticCode("assignment-for-equality")
    case .singleConnective: DiagnosticCode("single-connective")
    case .sqlInequality: DiagnosticCode("sql-inequality")
    case .chainedComparison: DiagnosticCode("chained-comparison")
    case .chainedRange: DiagnosticCode("chained-range")
    case .operatorAfterTypeName: DiagnosticCode("operator-after-type-name")
    case .colonForWalrus: DiagnosticCode("colon-for-walrus")
    case .equalsForWalrus: DiagnosticCode("equals-for-walrus")
    case .unnamedComputation, .starBehindFields: DiagnosticCode("unnamed-computation")
    case .walrusForColon: DiagnosticCode("walrus-for-colon")
    case .wordOperatorInList: DiagnosticCode("word-operator-in-list")
    case .minusInList: DiagnosticCode("minus-in-list")
    case .missingComma: DiagnosticCode("missing-comma")
    case .positionalAfterNamed: DiagnosticCode("positional-after-named")
    case .quotedKey: DiagnosticCode("quoted-key")
    case .habit: DiagnosticCode("foreign-syntax")
    }
  }

  package func diagnostic(at range: SourceRange) -> Diagnostic {
    var result = Diagnostic(code, message, at: range, help: help, fixIts: fixIts(at: range))
    switch self {
    case .unclosed(let opening, let place): result.notes = [.init("\(opening.name) stands here", range: place)]
    case .wordOperatorInList(_, _, isGraphQL: true): result.severity = .warning
    default: break
    }
    return result
  }

  private var message: String {
    switch self {
    case .unexpected(let found, let expected): "expected \(expected.name), found \(found.name)"
    case .unclosed(let opening, _): "the text ends before \(opening.name) is closed"
    case .emptyDocument: "the document has no definitions"
    case .emptySelectionSet: "a selection set needs at least one selection"
    case .unknownDefinition(let word, _): "no definition starts with '\(word)'"
    case .misplacedDescription: "this definition takes no description"
    case .fragmentNamedOn: "'on' is no name for a fragment"
    case .reservedEnumValue(let name): "'\(name)' is a literal and no name for an enum value"
    case .unknownDirectiveLocation(let name): "there is no directive location '\(name)'"
    case .emptyExtension: "an extension needs something that it adds"
    case .variableInConstant: "a constant cannot hold a variable"
    case .extensionInGraphQL(let found): "GraphQL does not allow \(found.name) here"
    case .nestedTooDeeply(let limit): "the document nests deeper than the limit of \(limit)"
    case .expressionTooTall(let limit): "the expression has more than \(limit) operators above one another"
    case .assignmentForEquality: "'=' does not compare"
    case .singleConnective(let replacement): "'\(replacement.prefix(1))' is no operator"
    case .sqlInequality: "'<>' is no operator"
    case .chainedComparison: "comparisons do not chain"
    case .chainedRange: "ranges do not chain"
    case .operatorAfterTypeName(let word, _): "this operator binds tighter than the '\(word)' before it"
    case .colonForWalrus: "a field, a call or an expression in parentheses follows 'name:'"
    case .equalsForWalrus: "'=' does not name a computed selection"
    case .unnamedComputation: "a computed selection needs a name"
    case .starBehindFields: "'*' alone stands for all fields only where it is the first selection"
    case .walrusForColon: "a value is given with ':'"
    case .wordOperatorInList(let word, _, _): "'\(word)' is a name directly inside a list, not an operator"
    case .minusInList: "this minus is ambiguous in a list"
    case .missingComma: "a comma is missing between the arguments"
    case .positionalAfterNamed: "arguments without names come before those with names"
    case .quotedKey: "the key of an object is a name"
    case .habit(let habit, _, _): habit.message
    }
  }

  private var help: String? {
    switch self {
    case .unexpected, .unclosed, .emptyDocument, .emptySelectionSet, .reservedEnumValue, .unknownDirectiveLocation,
      .emptyExtension, .variableInConstant, .fragmentNamedOn, .positionalAfterNamed:
      nil
    case .unknownDefinition(_, let near): near.map { "did you mean '\($0)'?" }
    case .misplacedDescription: "write it as a comment, after '#'"
    case .extensionInGraphQL: "it may be an extension, which the dialect 'graphql' leaves out"
    case .nestedTooDeeply(let limit):
      limit < ParserLimits.deepestNesting ? "the limit 'nesting' can be raised" : "'nesting' cannot be higher"
    case .expressionTooTall: "use 'in', or put halves in parentheses"
    case .assignmentForEquality(let comparesNull): comparesNull ? "write '== null'" : "write '=='"
    case .singleConnective(let replacement): "write '\(replacement)'"
    case .sqlInequality: "write '!='"
    case .chainedComparison: "write 'a < b and b < c'"
    case .chainedRange: "put one of them in parentheses"
    case .operatorAfterTypeName(let word, _): "put the expression with '\(word)' in parentheses"
    case .colonForWalrus, .equalsForWalrus: "write ':='"
    case .unnamedComputation(let text): "write '\(text ?? "name := …")'"
    case .starBehindFields: "write '...*'"
    case .walrusForColon: "write ':'"
    case .wordOperatorInList: "put the expression in parentheses"
    case .minusInList: "put a space on both sides of it to subtract"
    case .missingComma: "write ','"
    case .habit(let habit, let text, _): text.map { "write '\($0)'" } ?? habit.help
    case .quotedKey(let name): name == nil ? "put the name in backquotes" : "write it without quotation marks"
    }
  }

  private func fixIts(at range: SourceRange) -> [Diagnostic.FixIt] {
    func replace(_ place: SourceRange, _ text: String, _ message: String) -> [Diagnostic.FixIt] {
      [.init(message, [.init(place, text)])]
    }
    switch self {
    case .assignmentForEquality: return replace(range, "==", "compare with '=='")
    case .operatorAfterTypeName(_, let operand):
      return [
        .init(
          "put it in parentheses",
          [.init(SourceRange(at: operand.start), "("), .init(SourceRange(at: operand.end), ")")])
      ]
    case .singleConnective(let text): return replace(range, text, "write '\(text)'")
    case .sqlInequality: return replace(range, "!=", "write '!='")
    case .chainedComparison(let middle, let place):
      return replace(place, " and \(middle)", "compare '\(middle)' twice")
    case .colonForWalrus(let colon): return replace(colon, ":=", "write ':='")
    case .equalsForWalrus(let equals): return replace(equals, ":=", "write ':='")
    case .walrusForColon: return replace(range, ":", "write ':'")
    case .wordOperatorInList(_, let element, _):
      let edits: [Diagnostic.FixIt.Edit] = [
        .init(SourceRange(at: element.start), "("), .init(SourceRange(at: element.end), ")"),
      ]
      return [.init("put the expression in parentheses", edits)]
    case .minusInList: return replace(range, " - ", "put spaces around the minus")
    case .missingComma: return replace(SourceRange(at: range.start), ", ", "put a comma between")
    case .quotedKey(let name?): return replace(range, name, "write the name without quotation marks")
    case .unnamedComputation(let text?): return replace(range, text, "write '\(text)'")
    case .habit(_, let text, let edits) where !edits.isEmpty:
      return [.init(text.map { "write '\($0)'" } ?? "mend it", edits)]
    case .unknownDefinition(_, let near?): return replace(range, near, "write '\(near)'")
    default: return []
    }
  }
}

extension SyntaxProblem.Found {
  fileprivate var name: String {
    switch self {
    case .token(let kind): kind.name
    case .text(let text): "'\(text)'"
    }
  }
}

extension SyntaxProblem.Expectation {
  fileprivate var name: String {
    switch self {
    case .token(let kind): kind.name
    case .word(let word): "'\(word)'"
    case .definition: "a definition"
    case .selection: "a selection"
    case .selectionSet: "a selection set"
    case .value: "a value"
    case .expression: "an expression"
    case .type: "a type"
    case .argument: "an argument, 'name: value'"
    case .operationType: "'query', 'mutation' or 'subscription'"
    case .fieldName: "the name of a field"
    case .comparison: "'null' or a type"
    }
  }
}
