import GQLBase
import GQLParser

extension Document {
  /// The document with every range empty at 0, for comparing what two texts say.
  func strippedOfRanges() -> Document {
    var result = self
    for index in result.definitions.indices { result.definitions[index].strip() }
    return result
  }

  /// True if both documents say the same, wherever it stands.
  func isSameTree(as other: Document) -> Bool { strippedOfRanges() == other.strippedOfRanges() }

  /// True if both documents say the same but for parentheses that change nothing.
  func isSameTreeUpToParentheses(as other: Document) -> Bool {
    Stripping.$dropsParentheses.withValue(true) { isSameTree(as: other) }
  }
}

private enum Stripping {
  @TaskLocal static var dropsParentheses = false
}

extension Expression {
  func strippedOfRanges() -> Expression {
    var result = self
    result.strip()
    return result
  }
}

private let nowhere = SourceRange(at: 0)

private protocol Strippable { mutating func strip() }

extension Array: Strippable where Element: Strippable {
  fileprivate mutating func strip() { for index in indices { self[index].strip() } }
}

extension Optional: Strippable where Wrapped: Strippable {
  fileprivate mutating func strip() {
    guard var value = self else { return }
    value.strip()
    self = value
  }
}

extension Name: Strippable { fileprivate mutating func strip() { range = nowhere } }

extension StringLiteral: Strippable { fileprivate mutating func strip() { range = nowhere } }

extension Definition: Strippable {
  fileprivate mutating func strip() {
    func stripped<Node: Strippable>(_ node: Node) -> Node {
      var node = node
      node.strip()
      return node
    }
    switch self {
    case .operation(let node): self = .operation(stripped(node))
    case .fragment(let node): self = .fragment(stripped(node))
    case .function(let node): self = .function(stripped(node))
    case .schema(let node): self = .schema(stripped(node))
    case .type(let node): self = .type(stripped(node))
    case .directive(let node): self = .directive(stripped(node))
    }
  }
}

extension OperationDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    name.strip()
    variables.strip()
    directives.strip()
    selectionSet.strip()
    range = nowhere
  }
}

extension VariableDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    name.strip()
    type.strip()
    defaultValue.strip()
    directives.strip()
    range = nowhere
  }
}

extension FragmentDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    name.strip()
    variables.strip()
    typeCondition.strip()
    directives.strip()
    selectionSet.strip()
    range = nowhere
  }
}

extension FunctionDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    name.strip()
    parameters.strip()
    result.strip()
    body.strip()
    range = nowhere
  }
}

extension FunctionDefinition.Parameter: Strippable {
  fileprivate mutating func strip() {
    name.strip()
    type.strip()
    defaultValue.strip()
  }
}

extension SelectionSet: Strippable {
  fileprivate mutating func strip() {
    selections.strip()
    range = nowhere
  }
}

extension Selection: Strippable {
  fileprivate mutating func strip() {
    switch self {
    case .field(var node):
      node.alias.strip()
      node.name.strip()
      node.arguments.strip()
      node.directives.strip()
      node.selectionSet.strip()
      node.range = nowhere
      self = .field(node)
    case .fragmentSpread(var node):
      node.name.strip()
      node.arguments.strip()
      node.directives.strip()
      node.range = nowhere
      self = .fragmentSpread(node)
    case .inlineFragment(var node):
      node.typeCondition.strip()
      node.directives.strip()
      node.selectionSet.strip()
      node.range = nowhere
      self = .inlineFragment(node)
    case .splat(var node):
      node.directives.strip()
      node.range = nowhere
      self = .splat(node)
    case .computed(var node):
      node.name.strip()
      node.expression.strip()
      node.directives.strip()
      node.selectionSet.strip()
      node.range = nowhere
      self = .computed(node)
    case .letBinding(var node):
      node.name.strip()
      node.expression.strip()
      node.range = nowhere
      self = .letBinding(node)
    }
  }
}

extension Argument: Strippable {
  fileprivate mutating func strip() {
    name.strip()
    value.strip()
    range = nowhere
  }
}

extension Directive: Strippable {
  fileprivate mutating func strip() {
    name.strip()
    arguments.strip()
    range = nowhere
  }
}

extension TypeReference: Strippable {
  fileprivate mutating func strip() {
    switch self {
    case .named(var name):
      name.strip()
      self = .named(name)
    case .list(var type, _):
      type.strip()
      self = .list(type, nowhere)
    case .nonNull(var type, _):
      type.strip()
      self = .nonNull(type, nowhere)
    }
  }
}

extension ObjectField: Strippable {
  fileprivate mutating func strip() {
    name.strip()
    value.strip()
    range = nowhere
  }
}

extension CallArguments: Strippable {
  fileprivate mutating func strip() {
    positional.strip()
    named.strip()
    range = nowhere
  }
}

extension Expression: Strippable {
  fileprivate mutating func strip() {
    func stripped<Node: Strippable>(_ node: Node) -> Node {
      var node = node
      node.strip()
      return node
    }
    range = nowhere
    switch kind {
    case .int, .float, .boolean, .null, .outer, .missing: break
    case .string(let literal): kind = .string(stripped(literal))
    case .name(let name): kind = .name(stripped(name))
    case .variable(let name): kind = .variable(stripped(name))
    case .list(let elements): kind = .list(stripped(elements))
    case .object(let fields): kind = .object(stripped(fields))
    case .parenthesized(let inner):
      if Stripping.dropsParentheses { self = stripped(inner) } else { kind = .parenthesized(stripped(inner)) }
    case .current(let name): kind = .current(stripped(name))
    case .member(let base, let name, let arguments):
      kind = .member(stripped(base), stripped(name), stripped(arguments))
    case .index(let base, let index): kind = .index(stripped(base), stripped(index))
    case .call(let name, let arguments): kind = .call(stripped(name), stripped(arguments))
    case .unary(let operation, let operand): kind = .unary(operation, stripped(operand))
    case .binary(let operation, let left, let right): kind = .binary(operation, stripped(left), stripped(right))
    case .chain(let operation, let terms): kind = .chain(operation, terms.map { stripped($0) })
    case .isTest(let operand, let negated, let type):
      kind = .isTest(stripped(operand), negated: negated, stripped(type))
    case .cast(let operand, let type): kind = .cast(stripped(operand), stripped(type))
    }
  }
}

extension SchemaDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    directives.strip()
    operationTypes.strip()
    range = nowhere
  }
}

extension SchemaDefinition.OperationTypeDefinition: Strippable {
  fileprivate mutating func strip() {
    type.strip()
    range = nowhere
  }
}

extension TypeDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    name.strip()
    interfaces.strip()
    directives.strip()
    fields.strip()
    inputFields.strip()
    members.strip()
    values.strip()
    range = nowhere
  }
}

extension FieldDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    name.strip()
    arguments.strip()
    type.strip()
    defaultValue.strip()
    directives.strip()
    range = nowhere
  }
}

extension InputValueDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    name.strip()
    type.strip()
    defaultValue.strip()
    directives.strip()
    range = nowhere
  }
}

extension EnumValueDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    name.strip()
    directives.strip()
    range = nowhere
  }
}

extension DirectiveDefinition: Strippable {
  fileprivate mutating func strip() {
    description.strip()
    name.strip()
    arguments.strip()
    locations.strip()
    range = nowhere
  }
}
