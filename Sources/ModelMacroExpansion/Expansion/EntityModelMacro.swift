/// The macros that extend a declaration.
package enum ModelMacro: String, Sendable {
  case entityModel = "EntityModelMacro"
  case embeddedModel = "EmbeddedModelMacro"
  case stateModel = "StateModelMacro"

  package var attribute: String {
    switch self {
    case .entityModel: "EntityModel"
    case .embeddedModel: "EmbeddedModel"
    case .stateModel: "Model"
    }
  }

  /// The keyword of the types that it extends.
  var keyword: String { self == .stateModel ? "class" : "struct" }

  /// The parts of a type that it writes, as the compiler calls them.
  var roles: [String] { self == .stateModel ? ["member", "extension"] : ["extension"] }

  /// The protocol that the extension conforms to.
  var conformance: String { attribute + "Protocol" }

  /// What they make of the declaration.
  var words: String {
    switch self {
    case .entityModel: "entity model"
    case .embeddedModel: "embedded model"
    case .stateModel: "model"
    }
  }
}

/// The macros `@EntityModel` and `@EmbeddedModel`: a declaration's source in, an extension's source out.
package enum EntityModelMacro {
  /// What the compiler tells of the declaration that carries the attribute.
  package struct Input: Sendable {
    /// The whole declaration.
    package var declaration: String
    /// The type as an extension at the file's top level names it.
    package var extendedType: String
    /// Whether the type does not conform elsewhere.
    package var conforms: Bool
    /// The heads of the declarations around it, from the inside.
    package var context: [String]
    /// The part of the type that is written: of a model of a class, its members or its extension.
    package var role: String

    package init(
      declaration: String, extendedType: String, conforms: Bool = true, context: [String] = [],
      role: String = "extension"
    ) {
      self.declaration = declaration
      self.extendedType = extendedType
      self.conforms = conforms
      self.context = context
      self.role = role
    }
  }

  package struct Output: Equatable, Sendable {
    /// Nil where an extension would only lead to more errors.
    package var expansion: String?
    package var diagnostics: [MacroDiagnostic]
  }

  package static func expand(_ input: Input, as macro: ModelMacro = .entityModel) -> Output {
    let stream = TokenStream(input.declaration)
    guard let declaration = DeclarationScanner.declaration(in: stream) else {
      if macro == .stateModel, input.role != "member" { return Output(expansion: "", diagnostics: []) }
      let range = stream.bytes(0..<min(1, stream.count)) ?? 0..<0
      return Output(expansion: nil, diagnostics: [MacroProblem.notAType(macro).diagnostic(at: range)])
    }
    var reader = EntityModelReader(stream, declaration, context: input.context.map(TokenStream.init), for: macro)
    if macro == .stateModel {
      let model = reader.readState()
      // The members have the problems too.
      guard input.role == "member" else {
        return Output(expansion: model.flatMap { $0.extensionText(input) } ?? "", diagnostics: [])
      }
      return Output(expansion: model?.memberText() ?? "", diagnostics: reader.diagnostics)
    }
    let model =
      switch macro {
      case .entityModel: reader.read()
      case .embeddedModel, .stateModel: reader.readEmbedded()
      }
    guard let model else { return Output(expansion: nil, diagnostics: reader.diagnostics) }
    let writer = EntityModelWriter(model: model, type: input.extendedType, conforms: input.conforms)
    let text =
      switch macro {
      case .entityModel: writer.text()
      case .embeddedModel, .stateModel: writer.embeddedText()
      }
    return Output(expansion: text, diagnostics: reader.diagnostics)
  }
}
