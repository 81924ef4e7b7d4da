import GQLBase
@testable import GQLParser

/// The document as the JSON of graphql-js's syntax tree, without `loc`, on one line.
///
/// gqlite's own nodes have graphql-js's form with their own kind and their text: `{"kind":"Expression","source":"a > 1"}`.
/// Complexity: O(nodes).
func graphQLJSON(_ document: Document) -> String {
  var writer = SyntaxJSONWriter()
  writer.open("Document")
  writer.list("definitions", document.definitions) { $0.write($1) }
  writer.close()
  return String(decoding: writer.output, as: UTF8.self)
}

/// Writes one JSON object for each node, members in graphql-js's order.
private struct SyntaxJSONWriter {
  var output: [UInt8] = []

  mutating func raw(_ text: StaticString) {
    output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func string(_ text: String) {
    output.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): raw("\\\"")
      case UInt8(ascii: "\\"): raw("\\\\")
      case 0x08: raw("\\b")
      case 0x09: raw("\\t")
      case 0x0A: raw("\\n")
      case 0x0C: raw("\\f")
      case 0x0D: raw("\\r")
      case 0x00..<0x20:
        raw(byte < 0x10 ? "\\u000" : "\\u001")
        output.append(contentsOf: String(byte & 0x0F, radix: 16).utf8)
      default: output.append(byte)
      }
    }
    output.append(UInt8(ascii: "\""))
  }

  mutating func open(_ kind: StaticString) {
    raw("{\"kind\":\"")
    raw(kind)
    raw("\"")
  }

  mutating func close() { raw("}") }

  mutating func key(_ key: StaticString) {
    raw(",\"")
    raw(key)
    raw("\":")
  }

  mutating func list<Node>(
    _ key: StaticString, _ nodes: [Node], _ write: (inout SyntaxJSONWriter, Node) -> Void
  ) {
    self.key(key)
    raw("[")
    for (index, node) in nodes.enumerated() {
      if index > 0 { raw(",") }
      write(&self, node)
    }
    raw("]")
  }

  mutating func source(_ kind: StaticString, _ text: String) {
    open(kind)
    key("source")
    string(text)
    close()
  }

  mutating func name(_ name: Name) {
    open("Name")
    key("value")
    string(name.text)
    close()
  }

  mutating func namedType(_ name: Name) {
    open("NamedType")
    key("name")
    self.name(name)
    close()
  }

  mutating func write(_ definition: Definition) {
    switch definition {
    case .operation(let node): write(node)
    case .fragment(let node): write(node)
    case .function(let node): source("FunctionDefinition", print(Document(definitions: [.function(node)])))
    case .schema(let node): write(node)
    case .type(let node): write(node)
    case .directive(let node): write(node)
    }
  }

  private mutating func description(_ literal: StringLiteral?) {
    guard let literal else { return }
    key("description")
    write(literal)
  }

  private mutating func write(_ literal: StringLiteral) {
    open("StringValue")
    key("value")
    string(literal.value)
    key("block")
    raw(literal.isBlock ? "true" : "false")
    close()
  }

  private mutating func write(_ node: OperationDefinition) {
    open("OperationDefinition")
    description(node.description)
    key("operation")
    string(node.operation.rawValue)
    if let name = node.name {
      key("name")
      self.name(name)
    }
    list("variableDefinitions", node.variables) { $0.write($1) }
    directives(node.directives)
    key("selectionSet")
    write(node.selectionSet)
    close()
  }

  private mutating func write(_ node: FragmentDefinition) {
    open("FragmentDefinition")
    description(node.description)
    key("name")
    name(node.name)
    if !node.variables.isEmpty { list("variableDefinitions", node.variables) { $0.write($1) } }
    key("typeCondition")
    namedType(node.typeCondition)
    directives(node.directives)
    key("selectionSet")
    write(node.selectionSet)
    close()
  }

  private mutating func write(_ node: VariableDefinition) {
    open("VariableDefinition")
    description(node.description)
    key("variable")
    variable(node.name)
    key("type")
    write(node.type)
    defaultValue(node.defaultValue)
    directives(node.directives)
    close()
  }

  private mutating func defaultValue(_ value: Expression?) {
    guard let value else { return }
    key("defaultValue")
    write(value)
  }

  private mutating func variable(_ name: Name) {
    open("Variable")
    key("name")
    self.name(name)
    close()
  }

  private mutating func write(_ type: TypeReference) {
    switch type {
    case .named(let name): namedType(name)
    case .list(let inner, _):
      open("ListType")
      key("type")
      write(inner)
      close()
    case .nonNull(let inner, _):
      open("NonNullType")
      key("type")
      write(inner)
      close()
    }
  }

  private mutating func directives(_ directives: [Directive]) {
    list("directives", directives) { writer, directive in
      writer.open("Directive")
      writer.key("name")
      writer.name(directive.name)
      writer.arguments(directive.arguments)
      writer.close()
    }
  }

  private mutating func arguments(_ arguments: [Argument]) {
    list("arguments", arguments) { writer, argument in
      writer.open("Argument")
      writer.key("name")
      writer.name(argument.name)
      writer.key("value")
      writer.write(argument.value)
      writer.close()
    }
  }

  private mutating func write(_ set: SelectionSet) {
    open("SelectionSet")
    list("selections", set.selections) { $0.write($1) }
    close()
  }

  private mutating func write(_ selection: Selection) {
    switch selection {
    case .field(let node): write(node)
    case .fragmentSpread(let node):
      open("FragmentSpread")
      key("name")
      name(node.name)
      if !node.arguments.isEmpty { arguments(node.arguments) }
      directives(node.directives)
      close()
    case .inlineFragment(let node):
      open("InlineFragment")
      if let condition = node.typeCondition {
        key("typeCondition")
        namedType(condition)
      }
      directives(node.directives)
      key("selectionSet")
      write(node.selectionSet)
      close()
    case .splat: source("Splat", printed(selection))
    case .computed: source("ComputedSelection", printed(selection))
    case .letBinding: source("LetBinding", printed(selection))
    }
  }

  private func printed(_ selection: Selection) -> String {
    var printer = Printer(trivia: nil)
    printer.write(selection, after: nil, before: nil)
    return printer.text
  }

  private mutating func write(_ node: Field) {
    open("Field")
    if let alias = node.alias {
      key("alias")
      name(alias)
    }
    key("name")
    name(node.name)
    arguments(node.arguments)
    directives(node.directives)
    if let set = node.selectionSet {
      key("selectionSet")
      write(set)
    }
    close()
  }

  mutating func write(_ expression: Expression) {
    switch expression.kind {
    case .int(let digits): literal("IntValue", digits)
    case .float(let digits): literal("FloatValue", digits)
    case .name(let name): literal("EnumValue", name.text)
    case .string(let literal): write(literal)
    case .boolean(let value):
      open("BooleanValue")
      key("value")
      raw(value ? "true" : "false")
      close()
    case .null:
      open("NullValue")
      close()
    case .variable(let name): variable(name)
    case .list(let elements):
      open("ListValue")
      list("values", elements) { $0.write($1) }
      close()
    case .object(let fields):
      open("ObjectValue")
      list("fields", fields) { writer, field in
        writer.open("ObjectField")
        writer.key("name")
        writer.name(field.name)
        writer.key("value")
        writer.write(field.value)
        writer.close()
      }
      close()
    default: source("Expression", print(expression))
    }
  }

  private mutating func literal(_ kind: StaticString, _ value: String) {
    open(kind)
    key("value")
    string(value)
    close()
  }
}

// MARK: Type system

extension SyntaxJSONWriter {
  fileprivate mutating func write(_ node: SchemaDefinition) {
    open(node.isExtension ? "SchemaExtension" : "SchemaDefinition")
    description(node.description)
    directives(node.directives)
    list("operationTypes", node.operationTypes) { writer, root in
      writer.open("OperationTypeDefinition")
      writer.key("operation")
      writer.string(root.operation.rawValue)
      writer.key("type")
      writer.namedType(root.type)
      writer.close()
    }
    close()
  }

  fileprivate mutating func write(_ node: TypeDefinition) {
    open(node.jsonKind)
    description(node.description)
    key("name")
    name(node.name)
    if node.kind == .object || node.kind == .interface { list("interfaces", node.interfaces) { $0.namedType($1) } }
    directives(node.directives)
    switch node.kind {
    case .scalar: break
    case .object, .interface: list("fields", node.fields) { $0.write($1) }
    case .inputObject: list("fields", node.inputFields) { $0.write($1) }
    case .union: list("types", node.members) { $0.namedType($1) }
    case .enum:
      list("values", node.values) { writer, value in
        writer.open("EnumValueDefinition")
        writer.description(value.description)
        writer.key("name")
        writer.name(value.name)
        writer.directives(value.directives)
        writer.close()
      }
    }
    close()
  }

  private mutating func write(_ node: FieldDefinition) {
    open("FieldDefinition")
    description(node.description)
    key("name")
    name(node.name)
    list("arguments", node.arguments) { $0.write($1) }
    key("type")
    write(node.type)
    defaultValue(node.defaultValue)
    directives(node.directives)
    close()
  }

  private mutating func write(_ node: InputValueDefinition) {
    open("InputValueDefinition")
    description(node.description)
    key("name")
    name(node.name)
    key("type")
    write(node.type)
    defaultValue(node.defaultValue)
    directives(node.directives)
    close()
  }

  fileprivate mutating func write(_ node: DirectiveDefinition) {
    open("DirectiveDefinition")
    description(node.description)
    key("name")
    name(node.name)
    list("arguments", node.arguments) { $0.write($1) }
    key("repeatable")
    raw(node.isRepeatable ? "true" : "false")
    list("locations", node.locations) { $0.name($1) }
    close()
  }
}

extension TypeDefinition {
  fileprivate var jsonKind: StaticString {
    switch kind {
    case .scalar: isExtension ? "ScalarTypeExtension" : "ScalarTypeDefinition"
    case .object: isExtension ? "ObjectTypeExtension" : "ObjectTypeDefinition"
    case .interface: isExtension ? "InterfaceTypeExtension" : "InterfaceTypeDefinition"
    case .union: isExtension ? "UnionTypeExtension" : "UnionTypeDefinition"
    case .enum: isExtension ? "EnumTypeExtension" : "EnumTypeDefinition"
    case .inputObject: isExtension ? "InputObjectTypeExtension" : "InputObjectTypeDefinition"
    }
  }
}
