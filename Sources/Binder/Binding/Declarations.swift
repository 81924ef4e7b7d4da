import GQLBase
import GQLCatalog
import GQLParser
import Synchronization

/// The input types, scalars and directives that documents may use besides those of the language: a document's own, and
/// the schema's.
struct Declarations {
  /// An input type with its extensions.
  struct Input {
    var definition: TypeDefinition
    /// False for the schema's, whose ranges are of another text.
    var isOfDocument: Bool
    /// The places of the fields by their names; of several the first.
    private(set) var places: [String: Int] = [:]

    init(_ definition: TypeDefinition, isOfDocument: Bool) {
      self.definition = definition
      self.isOfDocument = isOfDocument
      index()
    }

    func field(named name: String) -> InputValueDefinition? { places[name].map { definition.inputFields[$0] } }

    mutating func extend(_ type: TypeDefinition) {
      definition.inputFields += type.inputFields
      index()
    }

    private mutating func index() {
      for (place, field) in definition.inputFields.enumerated() where places[field.name.text] == nil {
        places[field.name.text] = place
      }
    }
  }

  private(set) var inputs: [String: Input] = [:]
  /// Scalars hold any JSON value.
  private(set) var scalars: Set<String> = []
  private(set) var directives: [String: DirectiveDefinition] = [:]

  /// Collects the definitions of a document, which go before those of the schema.
  init(_ document: Document, _ catalog: Catalog) {
    add(document.definitions, isOfDocument: true)
    add(declaredDefinitions(of: catalog), isOfDocument: false)
    // Extensions may stand before what they extend.
    for case .type(let type) in document.definitions where type.kind == .inputObject && type.isExtension {
      inputs[type.name.text]?.extend(type)
    }
  }

  private mutating func add(_ definitions: [Definition], isOfDocument: Bool) {
    for definition in definitions {
      switch definition {
      case .type(let type) where type.kind == .inputObject && !type.isExtension && inputs[type.name.text] == nil:
        inputs[type.name.text] = Input(type, isOfDocument: isOfDocument)
      case .type(let type) where type.kind == .scalar && !type.isExtension: scalars.insert(type.name.text)
      case .directive(let directive) where directives[directive.name.text] == nil:
        directives[directive.name.text] = directive
      default: break
      }
    }
    guard !isOfDocument else { return }
    for case .type(let type) in definitions where type.kind == .inputObject && type.isExtension {
      inputs[type.name.text]?.extend(type)
    }
  }
}

/// Returns the definitions of a schema that say nothing of its data, as canonical text: inputs, scalars and directives.
func declarations(of definitions: [Definition]) -> String {
  let kept = definitions.filter { definition in
    switch definition {
    case .type(let type):
      type.kind == .inputObject || type.kind == .scalar && ScalarType(rawValue: type.name.text) == nil
    case .directive: true
    default: false
    }
  }
  return kept.isEmpty ? "" : print(Document(definitions: kept))
}

/// The definitions of the schema that ``declarations(of:)`` has printed, parsed once for as long as one schema is used.
package func declaredDefinitions(of catalog: Catalog) -> [Definition] {
  let text = catalog.declarations
  if text.isEmpty { return [] }
  return lastDeclarations.withLock { last in
    if last.text != text {
      last = (text, parse(SourceText(name: "schema", bytes: Array(text.utf8))).output.definitions)
    }
    return last.definitions
  }
}

private let lastDeclarations = Mutex<(text: String, definitions: [Definition])>(("", []))
