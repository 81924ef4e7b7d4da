/// Answers the messages that the compiler sends to a macro plug-in.
///
/// A message is an object with one member, which names it. `getCapability` comes first; `expandAttachedMacro` holds
/// the attribute, the declaration and what is around it as source with places, and is answered by `expandMacroResult`.
package struct MacroPlugin {
  /// The version of the protocol that has all the members which are read here.
  private static let protocolVersion = 7

  package init() {}

  /// The answer to a message, or nil if it is not understood.
  package func answer(to message: MessageValue) -> MessageValue? {
    guard case .object(let members) = message, let member = members.first else { return nil }
    switch member.name {
    case "getCapability":
      return .object([
        "getCapabilityResult": .object([
          "capability": .object(["protocolVersion": .number(MacroPlugin.protocolVersion), "features": .array([])])
        ])
      ])
    case "expandAttachedMacro":
      return expand(member.value)
    case "expandFreestandingMacro":
      return refusal("this plug-in has no freestanding macros")
    case "loadPluginLibrary":
      return .object(["loadPluginLibraryResult": .object(["loaded": .bool(false), "diagnostics": .array([])])])
    default:
      return nil
    }
  }

  private func expand(_ request: MessageValue) -> MessageValue {
    let type = request["macro"]?["typeName"]?.string ?? ""
    // What `@Field` says is read by `@EntityModel`.
    if type == "FieldMacro" { return result("", []) }
    guard let macro = ModelMacro(rawValue: type) else { return refusal("this plug-in has no macro '\(type)'") }
    let role = request["macroRole"]?.string ?? ""
    guard macro.roles.contains(role) else { return refusal("'@\(macro.attribute)' can't be expanded as '\(role)'") }
    let extended = request["extendedTypeSyntax"]?["source"]?.string
    guard let declaration = request["declSyntax"]?["source"]?.string,
      let extendedType = role == "extension" ? extended : ""
    else { return refusal("'@\(macro.attribute)' needs a declaration") }

    // The protocols that the type lacks are written as those of a struct; an empty list is an absent one.
    let lacking = TokenStream(request["conformanceListSyntax"]?["source"]?.string ?? "")
    let input = EntityModelMacro.Input(
      declaration: declaration, extendedType: TokenStream(extendedType).trimmed,
      conforms: (0..<lacking.count).contains { lacking.word($0) == macro.conformance },
      context: (request["lexicalContext"]?.array ?? []).compactMap { $0["source"]?.string }, role: role)
    let output = EntityModelMacro.expand(input, as: macro)
    let place = request["declSyntax"]?["location"]
    return result(output.expansion, output.diagnostics.map { self.diagnostic($0, place: place) })
  }

  // MARK: Answers

  private func result(_ expansion: String?, _ diagnostics: [MessageValue]) -> MessageValue {
    .object([
      "expandMacroResult": .object([
        "expandedSource": expansion.map(MessageValue.string) ?? .null, "diagnostics": .array(diagnostics),
      ])
    ])
  }

  /// A failure that has nothing to do with the declaration. An empty file name leaves the place to the compiler.
  private func refusal(_ message: String) -> MessageValue {
    result(nil, [diagnostic(MacroDiagnostic(severity: .error, message: message, range: 0..<0, fixes: []), place: nil)])
  }

  private func diagnostic(_ diagnostic: MacroDiagnostic, place: MessageValue?) -> MessageValue {
    let file = MessageValue.string(place?["fileName"]?.string ?? "")
    let start = place?["offset"]?.number ?? 0
    func range(_ bytes: Range<Int>) -> MessageValue {
      .object([
        "fileName": file, "startOffset": .number(start + bytes.lowerBound),
        "endOffset": .number(start + bytes.upperBound),
      ])
    }
    return .object([
      "message": .string(diagnostic.message),
      "severity": .string(diagnostic.severity.rawValue),
      "position": .object(["fileName": file, "offset": .number(start + diagnostic.range.lowerBound)]),
      "highlights": .array(diagnostic.range.isEmpty ? [] : [range(diagnostic.range)]),
      "notes": .array([]),
      "fixIts": .array(
        diagnostic.fixes.map { fix in
          .object([
            "message": .string(fix.message),
            "changes": .array([.object(["range": range(fix.range), "newText": .string(fix.text)])]),
          ])
        }),
    ])
  }
}

extension TokenStream {
  /// The source without what stands before the first and behind the last token.
  fileprivate var trimmed: String { text(0..<count) }
}
