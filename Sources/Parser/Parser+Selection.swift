import GQLBase
import GQLLexer

extension Parser {
  /// ```
  /// SelectionSet = "{" , ( Selection | "*" , [ Directives ] ) , { Selection } , "}" ;
  /// ```
  mutating func parseSelectionSet() -> SelectionSet {
    let opening = range
    guard at(.leftBrace) else {
      reportUnexpected(.selectionSet)
      return SelectionSet(selections: [], range: SourceRange(at: opening.start))
    }
    guard enter() else {
      skipGroup()
      return SelectionSet(selections: [], range: range(from: opening.start))
    }
    advance()
    var selections: [Selection] = []
    selections.reserveCapacity(4)
    if at(.rightBrace) { report(.emptySelectionSet, at: SourceRange(start: opening.start, end: range.end)) }
    if isExtended, at(.star) { selections.append(.splat(parseBareSplat())) }
    var progress = LoopProgress()
    while !at(.rightBrace), !at(.endOfFile), progress.advanced(position) {
      let first = position
      if let selection = parseSelection() { selections.append(selection) }
      if stuck { recoverToSelection(from: first) }
    }
    leave()
    expectClosing(.rightBrace, of: .leftBrace, at: opening)
    return SelectionSet(selections: selections, range: range(from: opening.start))
  }

  /// ```
  /// Selection = Field | FragmentSpread | InlineFragment | Splat | ComputedSelection | LetBinding ;
  /// ```
  private mutating func parseSelection() -> Selection? {
    if at(.spread) { return parseSpread() }
    guard atName else {
      if atForeignComment {
        skipForeignComment()
        return nil
      }
      if let field = parseForeignSelection() ?? (isExtended ? parseOutsideClause(valueAt: position) : nil) {
        return field
      }
      reportUnexpected(.selection)
      return nil
    }
    guard isExtended else { return .field(parseField()) }
    if at(word: "let"), isName(kind(ahead: 1)), kind(ahead: 2) == .walrus { return .letBinding(parseLet()) }
    switch computedForm {
    case .none: return atUnnamedCall ? .computed(parseUnnamedCall()) : parseFieldOrMistake()
    case .walrus: return .computed(parseComputed())
    case .callOrParentheses: return .computed(parseComputedAfterColon())
    case .mistake:
      if let selection = parseOutsideArgument() { return selection }
      report(.colonForWalrus(colon: tokens.range(at: position + 1)), at: tokens.range(at: position + 2))
      return .computed(parseComputed())
    }
  }

  private enum ComputedForm { case none, walrus, callOrParentheses, mistake }

  /// How the selection at the current name is computed, if it is (R8).
  private var computedForm: ComputedForm {
    switch kind(ahead: 1) {
    case .walrus: return .walrus
    case .colon: break
    default: return .none
    }
    let value = kind(ahead: 2)
    if value == .leftParenthesis { return .callOrParentheses }
    guard isName(value) else { return startsOperand(value) && value != .leftBrace ? .mistake : .none }
    let next = kind(ahead: 3)
    guard next == .leftParenthesis else { return isSymbolicContinuation(next) ? .mistake : .none }
    return isName(kind(ahead: 4)) && kind(ahead: 5) == .colon ? .none : .callOrParentheses
  }

  /// ```
  /// Field = [ Name , ":" ] , Name , [ Arguments ] , [ Directives ] , [ SelectionSet ] ;
  /// ```
  @inline(never) mutating func parseField() -> Field {
    let start = self.start
    var name = expectName()
    var alias: Name?
    if consume(if: .colon) {
      alias = name
      if !atName { reportUnexpected(.fieldName) }
      name = expectName()
    }
    let arguments = at(.leftParenthesis) ? parseArguments([]) : []
    let directives = parseDirectives()
    let set = at(.leftBrace) ? parseSelectionSet() : nil
    return Field(
      alias: alias, name: name, arguments: arguments, directives: directives, selectionSet: set,
      range: range(from: start))
  }

  /// A field; or, where an operator follows, the computed selection that was meant, with a diagnostic.
  private mutating func parseFieldOrMistake() -> Selection {
    let first = position
    let field = parseField()
    guard isSymbolicContinuation(kind), field.selectionSet == nil, !stuck, !atForeignComment else {
      return .field(field)
    }
    if field.alias == nil, field.arguments.isEmpty, atIndexOfSelection { return .field(parseIndexed(field)) }
    if let selection = parseOutsideClause(valueAt: first) { return selection }
    return .computed(parseMistakenField(field, at: first))
  }

  @inline(never) private mutating func parseMistakenField(_ field: Field, at first: Int) -> ComputedSelection {
    var name = field.name
    if let alias = field.alias {
      report(.colonForWalrus(colon: tokens.range(at: first + 1)))
      move(to: first + 2)
      name = alias
    } else if at(.equals) {
      report(.equalsForWalrus(equals: range))
      advance()
    } else if at(.star), tokens.kinds[position + 1] == .rightBrace {
      report(.starBehindFields)
      let star = range
      advance()
      return ComputedSelection(
        name: name, usesWalrus: true, expression: Expression(.missing, at: star), directives: [], selectionSet: nil,
        range: field.range)
    } else {
      return parseUnnamed(from: first)
    }
    return parseComputed(name, from: field.range.start, usesWalrus: true)
  }

  mutating func move(to index: Int) {
    position = index
    kind = tokens.kinds[index]
  }

  /// True for tokens that go on with an expression and start no selection.
  func isSymbolicContinuation(_ kind: TokenKind) -> Bool {
    switch kind {
    case .equals, .equal, .notEqual, .match, .notMatch, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or,
      .coalesce, .closedRange, .halfOpenRange, .plus, .minus, .star, .slash, .percent, .dot, .leftBracket,
      .question:
      true
    default: false
    }
  }

  /// ```
  /// ComputedSelection = Name , ":=" , Expression , [ Directives ] , [ SelectionSet ]
  ///                   | Name , ":" , ( Call | "(" , Expression , ")" ) , [ Directives ] , [ SelectionSet ]
  ///                   | Call , [ ( "as" | "AS" ) , Name ] , [ Directives ] , [ SelectionSet ] ;
  /// ```
  private mutating func parseComputed() -> ComputedSelection {
    let start = self.start
    let name = expectName()
    advance()
    return parseComputed(name, from: start, usesWalrus: true)
  }

  private mutating func parseComputed(_ name: Name, from start: UInt32, usesWalrus: Bool) -> ComputedSelection {
    finishComputed(name, parseExpression(), from: start, usesWalrus: usesWalrus)
  }

  @inline(never) private mutating func parseComputedAfterColon() -> ComputedSelection {
    let start = self.start
    let name = expectName()
    let colon = range
    advance()
    let first = position
    let expression = parsePrimary([])
    guard isSymbolicContinuation(kind), !commaBefore, !stuck else {
      return finishComputed(name, expression, from: start, usesWalrus: false)
    }
    report(.colonForWalrus(colon: colon))
    move(to: first)
    return parseComputed(name, from: start, usesWalrus: true)
  }

  mutating func finishComputed(
    _ name: Name, _ expression: Expression, from start: UInt32, usesWalrus: Bool
  ) -> ComputedSelection {
    let directives = parseDirectives()
    let set = at(.leftBrace) ? parseSelectionSet() : nil
    return ComputedSelection(
      name: name, usesWalrus: usesWalrus, expression: expression, directives: directives, selectionSet: set,
      range: range(from: start))
  }

  /// ```
  /// LetBinding = "let" , Name , ":=" , Expression ;
  /// ```
  @inline(never) private mutating func parseLet() -> LetBinding {
    let start = self.start
    advance()
    let name = expectName()
    advance()
    let expression = parseExpression()
    return LetBinding(name: name, expression: expression, range: range(from: start))
  }

  /// ```
  /// FragmentSpread = "..." , FragmentName , [ Arguments ] , [ Directives ] ;
  /// InlineFragment = "..." , [ "on" , Name ] , [ Directives ] , SelectionSet ;
  /// ```
  @inline(never) private mutating func parseSpread() -> Selection? {
    let start = self.start
    advance()
    if isExtended, at(.star) { return .splat(parseSplat(from: start)) }
    guard atName, !at(word: "on") else { return .inlineFragment(parseInlineFragment(from: start)) }
    let name = expectName()
    let arguments = isExtended && at(.leftParenthesis) ? parseArguments([]) : []
    let directives = parseDirectives()
    return .fragmentSpread(
      FragmentSpread(name: name, arguments: arguments, directives: directives, range: range(from: start)))
  }

  @inline(never) private mutating func parseInlineFragment(from start: UInt32) -> InlineFragment {
    var condition: Name?
    if consume(word: "on") {
      condition = parseName()
      if condition == nil { report(.fragmentNamedOn) }
    }
    let directives = parseDirectives()
    let set = parseSelectionSet()
    return InlineFragment(
      typeCondition: condition, directives: directives, selectionSet: set, range: range(from: start))
  }

  /// ```
  /// Splat = "..." , "*" , [ "*" ] , [ Directives ] ;
  /// ```
  private mutating func parseSplat(from start: UInt32) -> Splat {
    advance()
    let isDouble = at(.star) && !tokens.spaceBefore(at: position)
    if isDouble { advance() }
    let directives = parseDirectives()
    return Splat(isDouble: isDouble, isBare: false, directives: directives, range: range(from: start))
  }

  private mutating func parseBareSplat() -> Splat {
    let start = self.start
    advance()
    let directives = parseDirectives()
    return Splat(isDouble: false, isBare: true, directives: directives, range: range(from: start))
  }
}
