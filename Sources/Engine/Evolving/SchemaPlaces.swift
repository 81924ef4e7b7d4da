import GQLBase
import GQLParser

/// Where a schema's text names its types, their fields and values.
struct SchemaPlaces {
  private let definitions: [TypeDefinition]

  init(_ document: Document) {
    definitions = document.definitions.compactMap { if case .type(let type) = $0 { type } else { nil } }
  }

  /// The place of a directive of a type, field or value with an argument of some value, else that of what it stands on.
  func place(of directive: String, saying value: Expression.Kind, on path: String) -> SourceRange? {
    let steps = path.split(separator: ".", maxSplits: 1).map(String.init)
    for type in definitions where type.name.text == steps.first {
      let directives =
        steps.count == 1
        ? type.directives
        : type.fields.filter { $0.name.text == steps[1] }.flatMap(\.directives)
          + type.values.filter { $0.name.text == steps[1] }.flatMap(\.directives)
      for found in directives where found.name.text == directive {
        for argument in found.arguments where Self.say(argument.value.kind, value) { return argument.value.range }
      }
    }
    return place(of: path)
  }

  private static func say(_ kind: Expression.Kind, _ other: Expression.Kind) -> Bool {
    switch (kind, other) {
    case (.string(let left), .string(let right)): left.value == right.value
    case (.int(let left), .int(let right)): Int64(left) == Int64(right)
    default: false
    }
  }

  /// The place of a field or a value, else of its type; nil for what the schema does not name. `User.address.city` is looked for
  /// as the field `address`.
  func place(of path: String) -> SourceRange? {
    let steps = path.split(separator: ".", maxSplits: 2).map(String.init)
    guard let name = steps.first else { return nil }
    let types = definitions.filter { $0.name.text == name }
    if steps.count > 1 {
      for type in types {
        if let field = type.fields.first(where: { $0.name.text == steps[1] }) { return field.name.range }
        if let value = type.values.first(where: { $0.name.text == steps[1] }) { return value.name.range }
      }
    }
    return types.first?.name.range
  }
}
