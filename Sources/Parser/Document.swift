import GQLBase

/// A whole text as GraphQL's `Document`, with gqlite's extensions. Nodes are named as in GraphQL's specification.
package struct Document: Sendable, Equatable {
  package var definitions: [Definition]
  package init(definitions: [Definition]) { self.definitions = definitions }
}

package enum Definition: Sendable, Equatable {
  case operation(OperationDefinition)
  case fragment(FragmentDefinition)
  /// gqlite: `func vat(x: Decimal): Decimal = x * 1.25`.
  case function(FunctionDefinition)
  case schema(SchemaDefinition)
  case type(TypeDefinition)
  case directive(DirectiveDefinition)
}

/// A name as written; a backquoted name has no quotes here.
package struct Name: Sendable, Equatable, Hashable {
  package var text: String
  package var range: SourceRange
  package init(_ text: String, at range: SourceRange) {
    self.text = text
    self.range = range
  }
}

/// A string literal's value and form.
package struct StringLiteral: Sendable, Equatable {
  /// The value after escapes and, for block strings, `BlockStringValue`. UTF-8.
  package var value: String
  package var isBlock: Bool
  package var range: SourceRange
  package init(value: String, isBlock: Bool, range: SourceRange) {
    self.value = value
    self.isBlock = isBlock
    self.range = range
  }
}

// MARK: Executable definitions

package enum OperationType: String, Sendable, CaseIterable { case query, mutation, subscription }

package struct OperationDefinition: Sendable, Equatable {
  package var description: StringLiteral?
  package var operation: OperationType
  /// True for the shorthand `{ … }`.
  package var isShorthand: Bool
  package var name: Name?
  package var variables: [VariableDefinition]
  package var directives: [Directive]
  package var selectionSet: SelectionSet
  package var range: SourceRange
}

package struct VariableDefinition: Sendable, Equatable {
  package var description: StringLiteral?
  package var name: Name
  package var type: TypeReference
  package var defaultValue: Expression?
  package var directives: [Directive]
  package var range: SourceRange
}

package struct FragmentDefinition: Sendable, Equatable {
  package var description: StringLiteral?
  package var name: Name
  package var variables: [VariableDefinition]
  package var typeCondition: Name
  package var directives: [Directive]
  package var selectionSet: SelectionSet
  package var range: SourceRange
}

package struct FunctionDefinition: Sendable, Equatable {
  package struct Parameter: Sendable, Equatable {
    package var name: Name
    package var type: TypeReference
    package var defaultValue: Expression?
    package init(name: Name, type: TypeReference, defaultValue: Expression?) {
      self.name = name
      self.type = type
      self.defaultValue = defaultValue
    }
  }
  package var description: StringLiteral?
  package var name: Name
  package var parameters: [Parameter]
  package var result: TypeReference
  package var body: Expression
  package var range: SourceRange
}

package struct SelectionSet: Sendable, Equatable {
  package var selections: [Selection]
  /// From `{` to `}`.
  package var range: SourceRange
  package init(selections: [Selection], range: SourceRange) {
    self.selections = selections
    self.range = range
  }
}

package indirect enum Selection: Sendable, Equatable {
  case field(Field)
  case fragmentSpread(FragmentSpread)
  case inlineFragment(InlineFragment)
  case splat(Splat)
  case computed(ComputedSelection)
  case letBinding(LetBinding)

  package var range: SourceRange {
    switch self {
    case .field(let node): node.range
    case .fragmentSpread(let node): node.range
    case .inlineFragment(let node): node.range
    case .splat(let node): node.range
    case .computed(let node): node.range
    case .letBinding(let node): node.range
    }
  }
}

package struct Field: Sendable, Equatable {
  package var alias: Name?
  package var name: Name
  package var arguments: [Argument]
  package var directives: [Directive]
  package var selectionSet: SelectionSet?
  package var range: SourceRange

  init(
    alias: Name? = nil, name: Name, arguments: [Argument], directives: [Directive], selectionSet: SelectionSet? = nil,
    range: SourceRange
  ) {
    self.alias = alias
    self.name = name
    self.arguments = arguments
    self.directives = directives
    self.selectionSet = selectionSet
    self.range = range
  }

  /// A field without anything, of a name.
  package init(plain name: Name) {
    self.init(name: name, arguments: [], directives: [], range: name.range)
  }
}

package struct FragmentSpread: Sendable, Equatable {
  package var name: Name
  package var arguments: [Argument]
  package var directives: [Directive]
  package var range: SourceRange
}

package struct InlineFragment: Sendable, Equatable {
  package var typeCondition: Name?
  package var directives: [Directive]
  package var selectionSet: SelectionSet
  package var range: SourceRange
}

/// `...*`, `...**`, or a bare `*` as the first selection.
package struct Splat: Sendable, Equatable {
  package var isDouble: Bool
  package var isBare: Bool
  package var directives: [Directive]
  package var range: SourceRange
}

/// `name := expression` or `name: call(…)` or `name: (expression)`.
package struct ComputedSelection: Sendable, Equatable {
  package var name: Name
  /// True for `:=`.
  package var usesWalrus: Bool
  package var expression: Expression
  package var directives: [Directive]
  package var selectionSet: SelectionSet?
  package var range: SourceRange
}

package struct LetBinding: Sendable, Equatable {
  package var name: Name
  package var expression: Expression
  package var range: SourceRange
}

package struct Argument: Sendable, Equatable {
  package var name: Name
  package var value: Expression
  package var range: SourceRange
  package init(name: Name, value: Expression, range: SourceRange) {
    self.name = name
    self.value = value
    self.range = range
  }
}

package struct Directive: Sendable, Equatable {
  package var name: Name
  package var arguments: [Argument]
  package var range: SourceRange
  package init(name: Name, arguments: [Argument], range: SourceRange) {
    self.name = name
    self.arguments = arguments
    self.range = range
  }
}

package indirect enum TypeReference: Sendable, Equatable {
  case named(Name)
  case list(TypeReference, SourceRange)
  /// Never directly inside another `.nonNull`.
  case nonNull(TypeReference, SourceRange)

  package var range: SourceRange {
    switch self {
    case .named(let name): name.range
    case .list(_, let range), .nonNull(_, let range): range
    }
  }

  /// The type as a document writes it.
  package var text: String {
    switch self {
    case .named(let name): name.text
    case .list(let element, _): "[\(element.text)]"
    case .nonNull(let inner, _): inner.text + "!"
    }
  }
}
