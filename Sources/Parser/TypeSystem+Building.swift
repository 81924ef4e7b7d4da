import GQLBase

/// Type definitions that no text was read for, as when a catalog is printed.
extension TypeDefinition {
  package init(
    _ kind: Kind, _ name: Name, description: StringLiteral?, range: SourceRange
  ) {
    self.init(
      description: description, isExtension: false, kind: kind, name: name, interfaces: [], directives: [], fields: [],
      inputFields: [], members: [], values: [], range: range)
  }
}

extension FieldDefinition {
  package init(
    _ name: Name, _ type: TypeReference, description: StringLiteral?, defaultValue: Expression?,
    directives: [Directive], range: SourceRange
  ) {
    self.init(
      description: description, name: name, arguments: [], type: type, defaultValue: defaultValue,
      directives: directives, range: range)
  }
}

extension EnumValueDefinition {
  package init(_ name: Name, range: SourceRange) {
    self.init(description: nil, name: name, directives: [], range: range)
  }
}

extension InputValueDefinition {
  package init(
    _ name: Name, _ type: TypeReference, description: StringLiteral?, defaultValue: Expression?,
    directives: [Directive], range: SourceRange
  ) {
    self.init(
      description: description, name: name, type: type, defaultValue: defaultValue, directives: directives,
      range: range)
  }
}

extension DirectiveDefinition {
  package init(
    _ name: Name, description: StringLiteral?, arguments: [InputValueDefinition], isRepeatable: Bool,
    locations: [Name], range: SourceRange
  ) {
    self.init(
      description: description, name: name, arguments: arguments, isRepeatable: isRepeatable, locations: locations,
      range: range)
  }
}

extension SchemaDefinition {
  package init(_ operationTypes: [OperationTypeDefinition], range: SourceRange) {
    self.init(
      description: nil, isExtension: false, directives: [], operationTypes: operationTypes, range: range)
  }
}
