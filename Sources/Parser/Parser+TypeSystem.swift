import GQLBase
import GQLLexer

extension Parser {
  /// ```
  /// TypeSystemDefinition = SchemaDefinition | TypeDefinition | DirectiveDefinition ;
  /// ```
  mutating func parseTypeSystemDefinition(
    _ keyword: DefinitionKeyword, _ description: StringLiteral?, from start: UInt32
  ) -> Definition? {
    switch keyword {
    case .schema: return .schema(parseSchema(description, isExtension: false, from: start))
    case .directive: return .directive(parseDirectiveDefinition(description, from: start))
    default:
      guard let kind = typeKind(keyword) else { return nil }
      return .type(parseTypeDefinition(kind, description, isExtension: false, from: start))
    }
  }

  /// ```
  /// TypeSystemExtension = SchemaDefinition | TypeDefinition ;
  /// ```
  /// An extension adds something, and what it leaves out is not there.
  mutating func parseExtension(from start: UInt32) -> Definition? {
    advance()
    guard let keyword = definitionKeyword(at: position) else {
      reportUnexpected(.definition)
      return nil
    }
    if keyword == .schema { return .schema(parseSchema(nil, isExtension: true, from: start)) }
    guard let kind = typeKind(keyword) else {
      reportUnexpected(.definition)
      return nil
    }
    return .type(parseTypeDefinition(kind, nil, isExtension: true, from: start))
  }

  private func typeKind(_ keyword: DefinitionKeyword) -> TypeDefinition.Kind? {
    switch keyword {
    case .scalar: .scalar
    case .type: .object
    case .interface: .interface
    case .union: .union
    case .enum: .enum
    case .input: .inputObject
    default: nil
    }
  }

  /// ```
  /// SchemaDefinition = "schema" , [ Directives ] , "{" , RootType , { RootType } , "}" ;
  /// RootType = OperationType , ":" , Name ;
  /// ```
  private mutating func parseSchema(
    _ description: StringLiteral?, isExtension: Bool, from start: UInt32
  ) -> SchemaDefinition {
    advance()
    let directives = parseDirectives(.const)
    var roots: [SchemaDefinition.OperationTypeDefinition] = []
    if !isExtension || at(.leftBrace) && !atShorthandBehind(directives) {
      parseMembers(.leftBrace, .rightBrace, expecting: .operationType) { parser in
        if let root = parser.parseRootType() { roots.append(root) }
      }
    } else if directives.isEmpty {
      report(.emptyExtension, at: range(from: start))
    }
    return SchemaDefinition(
      description: description, isExtension: isExtension, directives: directives, operationTypes: roots,
      range: range(from: start))
  }

  /// Whether a brace behind `extend schema @data(from: "…")` opens an operation. In GraphQL it cannot: there the brace
  /// holds root types, each a word of three and a colon.
  private func atShorthandBehind(_ directives: [Directive]) -> Bool {
    guard isExtended, !directives.isEmpty else { return false }
    let isRootType =
      at(word: "query", ahead: 1) || at(word: "mutation", ahead: 1) || at(word: "subscription", ahead: 1)
    return !(isRootType && kind(ahead: 2) == .colon)
  }

  private mutating func parseRootType() -> SchemaDefinition.OperationTypeDefinition? {
    let start = self.start
    guard at(.name), let operation = OperationType(rawValue: text(at: position)) else {
      reportUnexpected(.operationType)
      return nil
    }
    advance()
    expect(.colon)
    let type = expectName()
    return .init(operation: operation, type: type, range: range(from: start))
  }

  /// ```
  /// TypeDefinition = "scalar" , Name , [ Directives ]
  ///                | ( "type" | "interface" ) , Name , [ Implements ] , [ Directives ] , [ Fields ]
  ///                | "union" , Name , [ Directives ] , [ Members ]
  ///                | "enum" , Name , [ Directives ] , [ EnumValues ]
  ///                | "input" , Name , [ Directives ] , [ InputFields ] ;
  /// ```
  private mutating func parseTypeDefinition(
    _ kind: TypeDefinition.Kind, _ description: StringLiteral?, isExtension: Bool, from start: UInt32
  ) -> TypeDefinition {
    advance()
    var type = TypeDefinition(
      description: description, isExtension: isExtension, kind: kind, name: expectName(), interfaces: [],
      directives: [], fields: [], inputFields: [], members: [], values: [], range: range(from: start))
    if kind == .object || kind == .interface { type.interfaces = parseImplements() }
    type.directives = parseDirectives(.const)
    switch kind {
    case .scalar: break
    case .object, .interface:
      if at(.leftBrace) { type.fields = parseFields() }
    case .union: type.members = parseUnionMembers()
    case .enum:
      if at(.leftBrace) { type.values = parseEnumValues() }
    case .inputObject:
      if at(.leftBrace) { type.inputFields = parseInputFields() }
    }
    type.range = range(from: start)
    if isExtension, tokens.ends[max(position - 1, 0)] == type.name.range.end {
      report(.emptyExtension, at: type.range)
    }
    return type
  }

  /// ```
  /// Implements = "implements" , [ "&" ] , Name , { "&" , Name } ;
  /// ```
  private mutating func parseImplements() -> [Name] {
    guard consume(word: "implements") else { return [] }
    return parseSeparatedNames(.ampersand)
  }

  /// ```
  /// Members = "=" , [ "|" ] , Name , { "|" , Name } ;
  /// ```
  private mutating func parseUnionMembers() -> [Name] {
    guard consume(if: .equals) else { return [] }
    return parseSeparatedNames(.pipe)
  }

  private mutating func parseSeparatedNames(_ separator: TokenKind) -> [Name] {
    _ = consume(if: separator)
    var names = [expectName()]
    var progress = LoopProgress()
    while consume(if: separator), progress.advanced(position) { names.append(expectName()) }
    return names
  }

  /// ```
  /// Fields = "{" , FieldDefinition , { FieldDefinition } , "}" ;
  /// ```
  private mutating func parseFields() -> [FieldDefinition] {
    var fields: [FieldDefinition] = []
    parseMembers(.leftBrace, .rightBrace, expecting: .fieldName) { fields.append($0.parseFieldDefinition()) }
    return fields
  }

  /// ```
  /// FieldDefinition = [ Description ] , Name , [ ArgumentsDefinition ] , ":" , Type , [ Default ] , [ Directives ] ;
  /// ```
  private mutating func parseFieldDefinition() -> FieldDefinition {
    let start = self.start
    let description = at(.string) || at(.blockString) ? parseString() : nil
    let name = expectName()
    let arguments = at(.leftParenthesis) ? parseArgumentsDefinition() : []
    expect(.colon)
    let type = parseType()
    let value = isExtended ? parseDefault() : nil
    let directives = parseDirectives(.const)
    return FieldDefinition(
      description: description, name: name, arguments: arguments, type: type, defaultValue: value,
      directives: directives, range: range(from: start))
  }

  /// ```
  /// ArgumentsDefinition = "(" , InputValueDefinition , { InputValueDefinition } , ")" ;
  /// ```
  private mutating func parseArgumentsDefinition() -> [InputValueDefinition] {
    var arguments: [InputValueDefinition] = []
    parseMembers(.leftParenthesis, .rightParenthesis, expecting: .token(.name)) {
      arguments.append($0.parseInputValue())
    }
    return arguments
  }

  /// ```
  /// InputFields = "{" , InputValueDefinition , { InputValueDefinition } , "}" ;
  /// ```
  private mutating func parseInputFields() -> [InputValueDefinition] {
    var fields: [InputValueDefinition] = []
    parseMembers(.leftBrace, .rightBrace, expecting: .fieldName) { fields.append($0.parseInputValue()) }
    return fields
  }

  /// ```
  /// InputValueDefinition = [ Description ] , Name , ":" , Type , [ Default ] , [ Directives ] ;
  /// ```
  private mutating func parseInputValue() -> InputValueDefinition {
    let start = self.start
    let description = at(.string) || at(.blockString) ? parseString() : nil
    let name = expectName()
    expect(.colon)
    let type = parseType()
    let value = parseDefault()
    let directives = parseDirectives(.const)
    return InputValueDefinition(
      description: description, name: name, type: type, defaultValue: value, directives: directives,
      range: range(from: start))
  }

  /// ```
  /// EnumValues = "{" , EnumValueDefinition , { EnumValueDefinition } , "}" ;
  /// ```
  private mutating func parseEnumValues() -> [EnumValueDefinition] {
    var values: [EnumValueDefinition] = []
    parseMembers(.leftBrace, .rightBrace, expecting: .token(.name)) { values.append($0.parseEnumValue()) }
    return values
  }

  /// ```
  /// EnumValueDefinition = [ Description ] , EnumValueName , [ Directives ] ;
  /// EnumValueName = Name - ( "true" | "false" | "null" ) ;
  /// ```
  private mutating func parseEnumValue() -> EnumValueDefinition {
    let start = self.start
    let description = at(.string) || at(.blockString) ? parseString() : nil
    if at(word: "true") || at(word: "false") || at(word: "null") { report(.reservedEnumValue(text(at: position))) }
    let name = expectName()
    let directives = parseDirectives(.const)
    return EnumValueDefinition(description: description, name: name, directives: directives, range: range(from: start))
  }

  /// Members in brackets, at least one.
  private mutating func parseMembers(
    _ opening: TokenKind, _ closing: TokenKind, expecting expectation: SyntaxProblem.Expectation,
    _ read: (inout Parser) -> Void
  ) {
    let place = range
    guard expect(opening) else { return }
    var failed = at(closing)
    if failed { reportUnexpected(expectation) }
    var progress = LoopProgress()
    while !at(closing), !at(.endOfFile), !at(.rightBrace), progress.advanced(position) {
      let first = position
      read(&self)
      if stuck {
        failed = true
        if opening == .leftBrace { recoverToMember() } else { recoverToArgument() }
        if position == first, !at(closing) { skipGroup() }
      }
    }
    if !failed || at(.endOfFile) {
      expectClosing(closing, of: opening, at: place)
    } else {
      _ = consume(if: closing)
    }
  }

  /// ```
  /// DirectiveDefinition = "directive" , "@" , Name , [ ArgumentsDefinition ] , [ "repeatable" ] , "on" , [ "|" ] ,
  ///                       DirectiveLocation , { "|" , DirectiveLocation } ;
  /// DirectiveLocation = "QUERY" | "MUTATION" | "SUBSCRIPTION" | "FIELD" | "FRAGMENT_DEFINITION" | "FRAGMENT_SPREAD"
  ///                   | "INLINE_FRAGMENT" | "VARIABLE_DEFINITION" | "SCHEMA" | "SCALAR" | "OBJECT"
  ///                   | "FIELD_DEFINITION" | "ARGUMENT_DEFINITION" | "INTERFACE" | "UNION" | "ENUM" | "ENUM_VALUE"
  ///                   | "INPUT_OBJECT" | "INPUT_FIELD_DEFINITION" ;
  /// ```
  private mutating func parseDirectiveDefinition(
    _ description: StringLiteral?, from start: UInt32
  ) -> DirectiveDefinition {
    advance()
    expect(.at)
    let name = expectName()
    let arguments = at(.leftParenthesis) ? parseArgumentsDefinition() : []
    let isRepeatable = consume(word: "repeatable")
    if !consume(word: "on") { reportUnexpected(.word("on")) }
    let first = position
    let locations = parseSeparatedNames(.pipe)
    for index in first..<position where tokens.kinds[index] == .name {
      let location = text(at: index)
      if !Self.directiveLocations.contains(location) {
        report(.unknownDirectiveLocation(location), at: tokens.range(at: index))
      }
    }
    return DirectiveDefinition(
      description: description, name: name, arguments: arguments, isRepeatable: isRepeatable, locations: locations,
      range: range(from: start))
  }

  private static let directiveLocations: Set<String> = [
    "QUERY", "MUTATION", "SUBSCRIPTION", "FIELD", "FRAGMENT_DEFINITION", "FRAGMENT_SPREAD", "INLINE_FRAGMENT",
    "VARIABLE_DEFINITION", "SCHEMA", "SCALAR", "OBJECT", "FIELD_DEFINITION", "ARGUMENT_DEFINITION", "INTERFACE",
    "UNION", "ENUM", "ENUM_VALUE", "INPUT_OBJECT", "INPUT_FIELD_DEFINITION",
  ]
}
