import GQLCatalog
import GQLParser
import GQLQuery

/// The input types and directives that the schema declares for documents.
extension IntrospectionBuilder {
  mutating func addDeclarations() {
    let declared = Declarations(Document(definitions: []), catalog)
    let taken = Set(schema.numbers.keys)
    for name in declared.inputs.keys.sorted() where !taken.contains(name) {
      guard let input = declared.inputs[name] else { continue }
      let place = number(name)
      let fields = input.definition.inputFields.map { inputValue($0) }
      schema.types[place].kind = .inputObject
      schema.types[place].description = input.definition.description?.value
      schema.types[place].inputs = fields
    }
    for name in declared.directives.keys.sorted() where !schema.directives.contains(where: { $0.name == name }) {
      guard let directive = declared.directives[name] else { continue }
      let arguments = directive.arguments.map { inputValue($0) }
      schema.directives.append(
        Schema.Directive(
          name: name, description: directive.description?.value, isRepeatable: directive.isRepeatable,
          locations: directive.locations.map(\.text), arguments: arguments))
    }
  }

  private mutating func inputValue(_ definition: InputValueDefinition) -> Schema.InputValue {
    Schema.InputValue(
      name: definition.name.text, description: definition.description?.value,
      type: argumentReference(definition.type.text), defaultValue: definition.defaultValue.map { print($0) })
  }
}
