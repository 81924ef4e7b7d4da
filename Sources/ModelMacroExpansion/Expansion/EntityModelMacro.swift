/// The macros that extend a declaration.
package enum ModelMacro: String, Sendable {
  case entityModel = "EntityModelMacro"
  case embeddedModel = "EmbeddedModelMacro"

  package var attribute: String {
    switch self {
    case .entityModel: "EntityModel"
    case .embeddedModel: "EmbeddedModel"
    }
  }

  /// The protocol that the extension conforms to.
  var conformance: String { attribute + "Protocol" }

  /// What they make of the declaration.
  var words: String {
    switch self {
    case .entityModel: "entity model"
    case .embeddedModel: "embedded model"
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

    package init(declaration: String, extendedType: String, conforms: Bool = true, context: [String] = []) {
      self.declaration = declaration
      self.extendedType = extendedType
      self.conforms = conforms
      self.context = context
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
      let range = stream.bytes(0..<min(1, stream.count)) ?? 0..<0
      return Output(expansion: nil, diagnostics: [MacroProblem.notAType(macro).diagnostic(at: range)])
    }
    var reader = EntityModelReader(stream, declaration, context: input.context.map(TokenStream.init), for: macro)
    let model =
      switch macro {
      case .entityModel: reader.read()
      case .embeddedModel: reader.readEmbedded()
      }
    guard let model else { return Output(expansion: nil, diagnostics: reader.diagnostics) }
    let writer = EntityModelWriter(model: model, type: input.extendedType, conforms: input.conforms)
    let text =
      switch macro {
      case .entityModel: writer.text()
      case .embeddedModel: writer.embeddedText()
      }
    return Output(expansion: text, diagnostics: reader.diagnostics)
  }
}
