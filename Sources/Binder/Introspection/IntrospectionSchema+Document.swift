import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Returns the schema that GraphQL clients see, with root fields, arguments and generated types, as SDL.
package func printAPI(_ schema: IntrospectionSchema) -> String {
  print(Document(definitions: APIWriter(schema: schema).definitions))
}

/// Writes what introspection tells as definitions. What GraphQL has by itself is left out.
private struct APIWriter {
  let schema: IntrospectionSchema
  private let nowhere = SourceRange(at: 0)

  private static let builtInScalars: Set = ["Int", "Float", "String", "Boolean", "ID"]
  private static let builtInDirectives: Set = ["skip", "include", "deprecated", "specifiedBy", "oneOf"]

  init(schema: IntrospectionSchema) { self.schema = schema }

  var definitions: [Definition] {
    var result: [Definition] = [.schema(SchemaDefinition(roots, range: nowhere))]
    for directive in schema.directives where !Self.builtInDirectives.contains(directive.name) {
      result.append(
        .directive(
          DirectiveDefinition(
            name(directive.name), description: literal(directive.description),
            arguments: directive.arguments.map(input), isRepeatable: directive.isRepeatable,
            locations: directive.locations.map(name), range: nowhere)))
    }
    for type in schema.types where !GraphQLName.isReserved(type.name) {
      if type.kind == .scalar, Self.builtInScalars.contains(type.name) { continue }
      result.append(.type(definition(type)))
    }
    return result
  }

  private var roots: [SchemaDefinition.OperationTypeDefinition] {
    let roots: [(OperationType, Int?)] = [
      (.query, schema.queryType), (.mutation, schema.mutationType), (.subscription, schema.subscriptionType),
    ]
    return roots.compactMap { operation, type in
      type.map {
        SchemaDefinition.OperationTypeDefinition(
          operation: operation, type: name(schema.types[$0].name), range: nowhere)
      }
    }
  }

  private func definition(_ type: IntrospectionSchema.NamedType) -> TypeDefinition {
    let kind: TypeDefinition.Kind =
      switch type.kind {
      case .scalar: .scalar
      case .object: .object
      case .interface: .interface
      case .union: .union
      case .enumeration: .enum
      case .inputObject: .inputObject
      }
    var result = TypeDefinition(kind, name(type.name), description: literal(type.description), range: nowhere)
    if let url = type.specifiedByURL { result.directives = [directive("specifiedBy", "url", url)] }
    result.interfaces = type.interfaces.map { name(schema.types[$0].name) }
    if type.kind == .union { result.members = type.possibleTypes.map { name(schema.types[$0].name) } }
    result.fields = type.fields.map { field in
      var definition = FieldDefinition(
        name(field.name), reference(field.type), description: literal(field.description), defaultValue: nil,
        directives: deprecated(field.deprecation), range: nowhere)
      definition.arguments = field.arguments.map(input)
      return definition
    }
    result.inputFields = type.inputs.map(input)
    result.values = type.values.map { value in
      var definition = EnumValueDefinition(name(value.name), range: nowhere)
      definition.description = literal(value.description)
      definition.directives = deprecated(value.deprecation)
      return definition
    }
    return result
  }

  private func input(_ value: IntrospectionSchema.InputValue) -> InputValueDefinition {
    InputValueDefinition(
      name(value.name), reference(value.type), description: literal(value.description),
      defaultValue: value.defaultValue.map { parseExpression(SourceText(name: "", bytes: Array($0.utf8))).output },
      directives: deprecated(value.deprecation), range: nowhere)
  }

  private func reference(_ type: IntrospectionSchema.Reference) -> TypeReference {
    switch type {
    case .named(let number): .named(name(schema.types[number].name))
    case .list(let element): .list(reference(element), nowhere)
    case .nonNull(let inner): .nonNull(reference(inner), nowhere)
    }
  }

  private func deprecated(_ reason: String?) -> [Directive] {
    reason.map { [directive("deprecated", "reason", $0)] } ?? []
  }

  private func directive(_ directive: String, _ argument: String, _ value: String) -> Directive {
    let literal = Expression(.string(StringLiteral(value: value, isBlock: false, range: nowhere)), at: nowhere)
    return Directive(
      name: name(directive), arguments: [Argument(name: name(argument), value: literal, range: nowhere)],
      range: nowhere)
  }

  private func literal(_ text: String?) -> StringLiteral? {
    text.flatMap { $0.isEmpty ? nil : StringLiteral(value: $0, isBlock: false, range: nowhere) }
  }

  private func name(_ text: String) -> Name { Name(text, at: nowhere) }
}
