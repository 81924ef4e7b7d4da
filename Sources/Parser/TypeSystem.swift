import GQLBase

package struct SchemaDefinition: Sendable, Equatable {
  package struct OperationTypeDefinition: Sendable, Equatable {
    package var operation: OperationType
    package var type: Name
    package var range: SourceRange
    package init(operation: OperationType, type: Name, range: SourceRange) {
      self.operation = operation
      self.type = type
      self.range = range
    }
  }
  package var description: StringLiteral?
  package var isExtension: Bool
  package var directives: [Directive]
  package var operationTypes: [OperationTypeDefinition]
  package var range: SourceRange
}

/// A definition or an extension of one named type; the lists that a kind does not have are empty.
package struct TypeDefinition: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable { case scalar, object, interface, union, `enum`, inputObject }
  package var description: StringLiteral?
  package var isExtension: Bool
  package var kind: Kind
  package var name: Name
  /// `implements`, of objects and interfaces.
  package var interfaces: [Name]
  package var directives: [Directive]
  /// Of objects and interfaces.
  package var fields: [FieldDefinition]
  /// Of input objects.
  package var inputFields: [InputValueDefinition]
  /// Of unions.
  package var members: [Name]
  /// Of enums.
  package var values: [EnumValueDefinition]
  package var range: SourceRange
}

package struct FieldDefinition: Sendable, Equatable {
  package var description: StringLiteral?
  package var name: Name
  package var arguments: [InputValueDefinition]
  package var type: TypeReference
  /// gqlite: `status: Status = ACTIVE`.
  package var defaultValue: Expression?
  package var directives: [Directive]
  package var range: SourceRange
}

package struct InputValueDefinition: Sendable, Equatable {
  package var description: StringLiteral?
  package var name: Name
  package var type: TypeReference
  package var defaultValue: Expression?
  package var directives: [Directive]
  package var range: SourceRange
}

package struct EnumValueDefinition: Sendable, Equatable {
  package var description: StringLiteral?
  package var name: Name
  package var directives: [Directive]
  package var range: SourceRange
}

package struct DirectiveDefinition: Sendable, Equatable {
  package var description: StringLiteral?
  package var name: Name
  package var arguments: [InputValueDefinition]
  package var isRepeatable: Bool
  package var locations: [Name]
  package var range: SourceRange
}
