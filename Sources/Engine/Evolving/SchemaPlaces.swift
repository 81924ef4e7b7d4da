import GQLBase
import GQLParser

/// Where a schema's text names its types and their fields.
struct SchemaPlaces {
  private let definitions: [TypeDefinition]

  init(_ document: Document) {
    definitions = document.definitions.compactMap { if case .type(let type) = $0 { type } else { nil } }
  }

  /// The place of a field, else of its type; nil for what the schema does not name. `User.address.city` is looked for
  /// as the field `address`.
  func place(of path: String) -> SourceRange? {
    let steps = path.split(separator: ".", maxSplits: 2).map(String.init)
    guard let name = steps.first else { return nil }
    let types = definitions.filter { $0.name.text == name }
    if steps.count > 1 {
      for type in types {
        if let field = type.fields.first(where: { $0.name.text == steps[1] }) { return field.name.range }
      }
    }
    return types.first?.name.range
  }
}
