import GQLBase
import GQLParser

/// The relations of types that stay as they are while models change the types that these lead to.
enum StayingInverses {
  /// Has relations name the other side as it is called now, and drops it where the model has given it up. The relation
  /// stays, from one side.
  ///
  /// - Parameter places: Those of the types that stay.
  static func adjust(
    _ places: [Int], among definitions: inout [TypeDefinition], to models: [String: TypeDefinition]
  ) {
    let staying = Set(places.map { definitions[$0].name.text })
    for place in places {
      let source = definitions[place].name.text
      for index in definitions[place].fields.indices {
        let field = definitions[place].fields[index]
        guard let directive = field.directives.firstIndex(where: { $0.name.text == "relation" }),
          let argument = field.directives[directive].arguments.firstIndex(where: { $0.name.text == "inverse" }),
          case .string(let inverse) = field.directives[directive].arguments[argument].value.kind,
          let target = models[field.type.innermost], !staying.contains(target.name.text)
        else { continue }
        let sides = target.fields.filter { $0.type.innermost == source }
        func isOther(_ side: FieldDefinition) -> Bool { (side.inverse ?? field.name.text) == field.name.text }
        if sides.contains(where: { $0.name.text == inverse.value && isOther($0) }) { continue }
        if let other = sides.first(where: { $0.inverse == field.name.text }) {
          let name = StringLiteral(value: other.name.text, isBlock: false, range: inverse.range)
          definitions[place].fields[index].directives[directive].arguments[argument].value.kind = .string(name)
        } else {
          definitions[place].fields[index].directives[directive].arguments.remove(at: argument)
          if definitions[place].fields[index].directives[directive].arguments.isEmpty {
            definitions[place].fields[index].directives.remove(at: directive)
          }
        }
      }
    }
  }
}

extension FieldDefinition {
  /// The name of the field that is the other side of the relation.
  fileprivate var inverse: String? {
    let argument = directives.first { $0.name.text == "relation" }?.arguments.first { $0.name.text == "inverse" }
    guard case .string(let name)? = argument?.value.kind else { return nil }
    return name.value
  }
}

extension TypeReference {
  /// The name of the type within lists.
  fileprivate var innermost: String {
    switch self {
    case .named(let name): name.text
    case .list(let inner, _), .nonNull(let inner, _): inner.innermost
    }
  }
}
