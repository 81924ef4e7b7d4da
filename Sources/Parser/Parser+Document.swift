import GQLBase
import GQLLexer

extension Parser {
  /// ```
  /// Document = Definition , { Definition } ;
  /// ```
  mutating func parseDocument() -> Document {
    var definitions: [Definition] = []
    if at(.endOfFile), diagnostics.isEmpty { report(.emptyDocument) }
    var progress = LoopProgress()
    while !at(.endOfFile), progress.advanced(position) {
      if atForeignComment {
        skipForeignComment()
      } else if let definition = parseDefinition() {
        definitions.append(definition)
      } else {
        skipGroup()
        recoverToDefinition()
      }
    }
    return Document(definitions: definitions)
  }

  /// ```
  /// Definition = SelectionSet
  ///            | [ Description ] , ( OperationDefinition | FragmentDefinition | FunctionDefinition )
  ///            | [ Description ] , TypeSystemDefinition
  ///            | "extend" , TypeSystemExtension ;
  /// Description = String | BlockString ;
  /// ```
  private mutating func parseDefinition() -> Definition? {
    let start = self.start
    let description = at(.string) || at(.blockString) ? parseString() : nil
    if at(.leftBrace) {
      if let description { report(.misplacedDescription, at: description.range) }
      return .operation(parseShorthand())
    }
    guard let keyword = definitionKeyword(at: position) else {
      reportUnknownDefinition()
      return nil
    }
    switch keyword {
    case .query: return .operation(parseOperation(.query, description, from: start))
    case .mutation: return .operation(parseOperation(.mutation, description, from: start))
    case .subscription: return .operation(parseOperation(.subscription, description, from: start))
    case .fragment: return .fragment(parseFragment(description, from: start))
    case .func: return .function(parseFunction(description, from: start))
    case .extend:
      if let description { report(.misplacedDescription, at: description.range) }
      return parseExtension(from: start)
    default: return parseTypeSystemDefinition(keyword, description, from: start)
    }
  }

  /// The words that start a definition, shortest production first.
  enum DefinitionKeyword: String, CaseIterable {
    case query, mutation, subscription, fragment, schema, scalar, type, interface, union, `enum`, input, directive
    case extend, `func`
  }

  /// The keyword that a token is, if it is one in this dialect.
  func definitionKeyword(at index: Int) -> DefinitionKeyword? {
    guard tokens.kinds[index] == .name else { return nil }
    func keyword(_ text: StaticString, _ keyword: DefinitionKeyword) -> DefinitionKeyword? {
      isText(text, at: index) ? keyword : nil
    }
    switch bytes[Int(tokens.starts[index])] {
    case UInt8(ascii: "q"): return keyword("query", .query)
    case UInt8(ascii: "m"): return keyword("mutation", .mutation)
    case UInt8(ascii: "f"): return keyword("fragment", .fragment) ?? (isExtended ? keyword("func", .func) : nil)
    case UInt8(ascii: "t"): return keyword("type", .type)
    case UInt8(ascii: "i"): return keyword("input", .input) ?? keyword("interface", .interface)
    case UInt8(ascii: "u"): return keyword("union", .union)
    case UInt8(ascii: "d"): return keyword("directive", .directive)
    case UInt8(ascii: "e"): return keyword("enum", .enum) ?? keyword("extend", .extend)
    case UInt8(ascii: "s"):
      return keyword("scalar", .scalar) ?? keyword("schema", .schema) ?? keyword("subscription", .subscription)
    default: return nil
    }
  }

  private mutating func reportUnknownDefinition() {
    if isExtended, parseForeignDefinition() { return }
    guard at(.name), range.count <= 40 else { return reportUnexpected(.definition) }
    let word = text(at: position)
    let words = DefinitionKeyword.allCases.filter { isExtended || $0 != .func }.map(\.rawValue)
    let near = nearestNames(to: word, in: words).first
    if isExtended, near == nil, [.leftBrace, .leftParenthesis, .endOfFile].contains(kind(ahead: 1)) {
      return reportMissingBraces(around: word)
    }
    report(.unknownDefinition(word: word, near: near))
  }

  /// Reports a selection that stands where a document does.
  private mutating func reportMissingBraces(around word: String) {
    let end = tokens.kinds.count > 1 ? tokens.ends[tokens.kinds.count - 2] : previousEnd
    let rest = SourceRange(start: start, end: max(range.end, end))
    let text = rest.count <= 120 ? text(rest) : "\n"
    if kind(ahead: 1) == .endOfFile { return report(.habit(.missingBraces, write: "{ \(word) { … } }")) }
    guard !text.utf8.contains(0x0A), !text.utf8.contains(UInt8(ascii: "#")) else {
      return report(
        .habit(.missingBraces, write: kind(ahead: 1) == .leftBrace ? "{ \(word) { … } }" : "{ \(word)(…) { … } }"))
    }
    let edits: [Diagnostic.FixIt.Edit] = [
      .init(SourceRange(at: rest.start), "{ "), .init(SourceRange(at: rest.end), " }"),
    ]
    report(.habit(.missingBraces, write: "{ \(text) }", edits: edits))
  }

  private mutating func parseShorthand() -> OperationDefinition {
    let set = parseSelectionSet()
    return OperationDefinition(
      description: nil, operation: .query, isShorthand: true, name: nil, variables: [], directives: [],
      selectionSet: set, range: set.range)
  }

  /// ```
  /// OperationDefinition = OperationType , [ Name ] , [ VariableDefinitions ] , [ Directives ] , SelectionSet ;
  /// OperationType = "query" | "mutation" | "subscription" ;
  /// ```
  private mutating func parseOperation(
    _ operation: OperationType, _ description: StringLiteral?, from start: UInt32
  ) -> OperationDefinition {
    advance()
    let name = parseName()
    let variables = at(.leftParenthesis) ? parseVariableDefinitions() : []
    let directives = parseDirectives()
    let set = parseSelectionSet()
    return OperationDefinition(
      description: description, operation: operation, isShorthand: false, name: name, variables: variables,
      directives: directives, selectionSet: set, range: range(from: start))
  }

  /// ```
  /// FragmentDefinition = "fragment" , FragmentName , [ VariableDefinitions ] , "on" , Name , [ Directives ] ,
  ///                      SelectionSet ;
  /// FragmentName = Name - "on" ;
  /// ```
  private mutating func parseFragment(_ description: StringLiteral?, from start: UInt32) -> FragmentDefinition {
    advance()
    if at(word: "on") { report(.fragmentNamedOn) }
    let name = expectName()
    let variables = isExtended && at(.leftParenthesis) ? parseVariableDefinitions() : []
    if !consume(word: "on") { reportUnexpected(.word("on")) }
    let condition = expectName()
    let directives = parseDirectives()
    let set = parseSelectionSet()
    return FragmentDefinition(
      description: description, name: name, variables: variables, typeCondition: condition, directives: directives,
      selectionSet: set, range: range(from: start))
  }

  /// ```
  /// VariableDefinitions = "(" , VariableDefinition , { VariableDefinition } , ")" ;
  /// ```
  private mutating func parseVariableDefinitions() -> [VariableDefinition] {
    let opening = range
    advance()
    var variables: [VariableDefinition] = []
    var failed = false
    var progress = LoopProgress()
    while at(.dollar) || at(.string) || at(.blockString) || atArgumentStart, progress.advanced(position) {
      variables.append(parseVariableDefinition())
      if stuck {
        failed = true
        recoverToVariable()
      }
    }
    if variables.isEmpty { reportUnexpected(.token(.dollar)) }
    if failed || stuck {
      recoverToArgument()
      if !consume(if: .rightParenthesis) { report(.unexpected(found: found, expected: .token(.rightParenthesis))) }
    } else {
      expectClosing(.rightParenthesis, of: .leftParenthesis, at: opening)
    }
    return variables
  }

  private mutating func recoverToVariable() {
    var progress = LoopProgress()
    while progress.advanced(position) {
      switch kind {
      case .dollar, .rightParenthesis, .leftBrace, .rightBrace, .endOfFile: return
      default: skipGroup()
      }
    }
  }

  /// ```
  /// VariableDefinition = [ Description ] , "$" , Name , ":" , Type , [ Default ] , [ Directives ] ;
  /// ```
  private mutating func parseVariableDefinition() -> VariableDefinition {
    let start = self.start
    let description = at(.string) || at(.blockString) ? parseString() : nil
    if atArgumentStart {
      let name = text(at: position)
      report(.habit(.missingDollar, write: "$\(name)", edits: [.init(range, "$\(name)")]), at: range)
    } else {
      expect(.dollar)
    }
    let name = expectName()
    if !name.text.isEmpty, at(.rightParenthesis) || at(.equals) || at(.dollar) {
      let edits: [Diagnostic.FixIt.Edit] = [.init(SourceRange(at: previousEnd), ": Int")]
      report(
        .habit(
          .missingType, write: "$\(name.text): Int', or another type, as in '$\(name.text): [String!]", edits: edits))
    } else {
      expect(.colon)
    }
    let type = parseType()
    let value = parseDefault()
    let directives = parseDirectives(.const)
    return VariableDefinition(
      description: description, name: name, type: type, defaultValue: value, directives: directives,
      range: range(from: start))
  }

  /// ```
  /// Default = "=" , ( GraphQLValue | "(" , Expression , ")" ) ;
  /// ```
  /// The expression is constant (R7).
  mutating func parseDefault() -> Expression? {
    guard consume(if: .equals) else { return nil }
    if isExtended, at(.leftParenthesis) { return parsePrimary(.const) }
    return parseExpression([.const, .pure])
  }

  /// ```
  /// Type = ( Name | "[" , Type , "]" ) , [ "!" ] ;
  /// ```
  mutating func parseType() -> TypeReference {
    let start = self.start
    let type: TypeReference
    if at(.leftBracket) {
      type = parseListType()
    } else if let name = parseName() {
      type = .named(name)
    } else {
      reportUnexpected(.type)
      return .named(Name("", at: SourceRange(at: start)))
    }
    if consume(if: .bang) { return .nonNull(type, range(from: start)) }
    guard at(.notEqual) else { return type }
    // The lexer fused `!` and the `=` of a default (R6).
    tokens.kinds[position] = .equals
    tokens.starts[position] += 1
    kind = .equals
    return .nonNull(type, SourceRange(start: start, end: self.start))
  }

  private mutating func parseListType() -> TypeReference {
    let opening = range
    guard enter() else {
      skipGroup()
      return .named(Name("", at: opening))
    }
    advance()
    let element = parseType()
    leave()
    expectClosing(.rightBracket, of: .leftBracket, at: opening)
    return .list(element, range(from: opening.start))
  }

  /// ```
  /// Directives = Directive , { Directive } ;
  /// Directive = "@" , Name , [ Arguments | "(" , Name , ")" ] ;
  /// ```
  @inline(never) mutating func parseDirectives(_ context: ExpressionContext = []) -> [Directive] {
    guard at(.at) else { return [] }
    var directives: [Directive] = []
    var progress = LoopProgress()
    while at(.at), progress.advanced(position) {
      let start = self.start
      advance()
      let name = expectName()
      var arguments: [Argument] = []
      if isExtended, at(.leftParenthesis), isName(kind(ahead: 1)), kind(ahead: 2) == .rightParenthesis {
        // `@collate(CI)`: an argument without a name.
        advance()
        let argumentStart = self.start
        let value = expectName()
        let name = Name("", at: SourceRange(at: argumentStart))
        arguments = [Argument(name: name, value: Expression(.name(value), at: value.range), range: value.range)]
        advance()
      } else if at(.leftParenthesis) {
        arguments = parseArguments(context)
      }
      directives.append(Directive(name: name, arguments: arguments, range: range(from: start)))
    }
    return directives
  }

  /// ```
  /// Arguments = "(" , Argument , { Argument } , ")" ;
  /// Argument = Name , ":" , Expression ;
  /// ```
  mutating func parseArguments(_ context: ExpressionContext) -> [Argument] {
    let opening = range
    guard enter() else {
      skipGroup()
      return []
    }
    advance()
    var arguments: [Argument] = []
    var failed = at(.rightParenthesis)
    if failed { reportUnexpected(.argument) }
    var progress = LoopProgress()
    arguments: while progress.advanced(position) {
      switch kind {
      case .rightParenthesis, .rightBrace, .leftBrace, .endOfFile: break arguments
      case .name, .quotedName:
        let mistaken = isExtended ? parseMistakenArgument(context, among: arguments) : nil
        if let argument = mistaken ?? (stuck && !atArgumentStart ? nil : parseArgument(context)) {
          arguments.append(argument)
        }
      case .minus where atForeignComment, .slash where atForeignComment: skipForeignComment()
      default: reportUnexpected(.argument)
      }
      if stuck {
        failed = true
        recoverToArgument()
      }
    }
    leave()
    if !failed || at(.endOfFile) {
      expectClosing(.rightParenthesis, of: .leftParenthesis, at: opening)
    } else {
      _ = consume(if: .rightParenthesis)
    }
    return arguments
  }

  @inline(never) mutating func parseArgument(_ context: ExpressionContext) -> Argument? {
    let start = self.start
    let name = expectName()
    if isExtended, at(.walrus) {
      report(.walrusForColon)
      advance()
    } else {
      guard expect(.colon) else { return nil }
    }
    let problems = diagnostics.count
    if isExtended, kind(ahead: 1) == .equals, let fields = parseAssignments(to: name, context) {
      return Argument(name: name, value: fields, range: range(from: start))
    }
    var value = parseExpression(context.union(.enclosed))
    if isExtended, at(.name), !commaBefore, !startsNamed(position) {
      value = parseMistakenRest(after: value, since: problems, context) ?? value
    }
    return Argument(name: name, value: value, range: range(from: start))
  }

  /// ```
  /// FunctionDefinition = "func" , Name , "(" , { FunctionParameter } , ")" , ":" , Type , "=" , Expression ;
  /// ```
  private mutating func parseFunction(_ description: StringLiteral?, from start: UInt32) -> FunctionDefinition {
    advance()
    let name = expectName()
    let opening = range
    var parameters: [FunctionDefinition.Parameter] = []
    if expect(.leftParenthesis) {
      var progress = LoopProgress()
      while atName, progress.advanced(position) {
        parameters.append(parseFunctionParameter())
        if stuck { recoverToArgument() }
      }
      expectClosing(.rightParenthesis, of: .leftParenthesis, at: opening)
    }
    expect(.colon)
    let result = parseType()
    expect(.equals)
    let body = parseExpression()
    return FunctionDefinition(
      description: description, name: name, parameters: parameters, result: result, body: body,
      range: range(from: start))
  }

  /// ```
  /// FunctionParameter = Name , ":" , Type , [ Default ] ;
  /// ```
  private mutating func parseFunctionParameter() -> FunctionDefinition.Parameter {
    let name = expectName()
    expect(.colon)
    let type = parseType()
    return FunctionDefinition.Parameter(name: name, type: type, defaultValue: parseDefault())
  }
}

/// The words that a document may begin with.
package let documentKeywords = Set(Parser.DefinitionKeyword.allCases.map(\.rawValue))
