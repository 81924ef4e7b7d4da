/// The macro `@EntityModel`: a declaration's source in, an extension's source out.
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

  package static func expand(_ input: Input) -> Output {
    let stream = TokenStream(input.declaration)
    guard let declaration = DeclarationScanner.declaration(in: stream) else {
      let range = stream.bytes(0..<min(1, stream.count)) ?? 0..<0
      return Output(expansion: nil, diagnostics: [MacroProblem.notAType.diagnostic(at: range)])
    }
    var reader = EntityModelReader(stream, declaration, context: input.context.map(TokenStream.init))
    guard let model = reader.read() else { return Output(expansion: nil, diagnostics: reader.diagnostics) }
    let writer = EntityModelWriter(model: model, type: input.extendedType, conforms: input.conforms)
    return Output(expansion: writer.text(), diagnostics: reader.diagnostics)
  }
}
