import GQLBase
import GQLCatalog
import GQLParser

/// The input types and directives that documents may use besides those of the language: a document's own, and the
/// schema's.
struct Declarations {
  /// An input type with its extensions.
  struct Input {
    var definition: TypeDefinition
    /// False for the schema's, whose ranges are of another text.
    var isOfDocument: Bool
  }

  private(set) var inputs: [String: Input] = [:]
  private(set) var directives: [String: DirectiveDefinition] = [:]

  init() {}

  /// Collects the definitions of a document, which go before those of the schema.
  init(_ document: Document, _ catalog: Catalog) {
    add(document, isOfDocument: true)
    if !catalog.declarations.isEmpty {
      let source = SourceText(name: "schema", bytes: Array(catalog.declarations.utf8))
      add(parse(source).output, isOfDocument: false)
    }
  }

  private mutating func add(_ document: Document, isOfDocument: Bool) {
    for definition in document.definitions {
      switch definition {
      case .type(let type) where type.kind == .inputObject:
        if type.isExtension {
          inputs[type.name.text]?.definition.inputFields += type.inputFields
        } else if inputs[type.name.text] == nil {
          inputs[type.name.text] = Input(definition: type, isOfDocument: isOfDocument)
        }
      case .directive(let directive) where directives[directive.name.text] == nil:
        directives[directive.name.text] = directive
      default: break
      }
    }
  }
}

/// Returns the definitions of a schema that say nothing of its data, as canonical text: inputs and directives.
func declarations(of definitions: [Definition]) -> String {
  let kept = definitions.filter { definition in
    switch definition {
    case .type(let type): type.kind == .inputObject
    case .directive: true
    default: false
    }
  }
  return kept.isEmpty ? "" : print(Document(definitions: kept))
}

/// The definitions of the schema that ``declarations(of:)`` has printed.
func declaredDefinitions(of catalog: Catalog) -> [Definition] {
  if catalog.declarations.isEmpty { return [] }
  return parse(SourceText(name: "schema", bytes: Array(catalog.declarations.utf8))).output.definitions
}
