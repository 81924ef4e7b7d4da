/// The extension that `@EmbeddedModel` adds: the coding that Swift would write, and what it does.
///
/// That the coding stands here is what makes the description true. One that the struct has elsewhere, which nobody sees
/// here, is declared twice then, as are its `CodingKeys`, and the compiler says so.
extension EntityModelWriter {
  func embeddedText() -> String {
    let conformance = conforms ? ": GQLiteModels.EmbeddedModelProtocol" : ""
    let describe = member(
      "static func describe(_ model: inout GQLiteModels.EmbeddedDescription<Self>)",
      lines { item in
        // A wrapper is coded in a way of its own, and a constant is what it is whatever was coded.
        item.coded { part in
          part.isWrapped || part.isConstant
            ? [] : ["model.field(\(part.key), \\.\(part.name), \\.?.\(part.name))"]
        }
      }, touches: { $0.isDescribed })
    let members = keys() + decoding() + encoding() + describe
    return (model.availability + ["extension \(type)\(conformance) {"] + members.map { "  " + $0 } + ["}"])
      .joined(separator: "\n")
  }

  /// No raw type, which an enum that may have no cases cannot have. Other files see it, as far as they see the struct:
  /// else they could have one too.
  private func keys() -> [String] {
    guard !model.hasCodingKeys else { return [] }
    let access = model.access == "fileprivate " ? model.access : ""
    return ["\(access)enum CodingKeys: Swift.CodingKey {"]
      + lines { item in item.coded { ["case \($0.name)"] } }.map { "  " + $0 } + ["}"]
  }

  private func decoding() -> [String] {
    let container = "try decoder.container(keyedBy: CodingKeys.self)"
    // Without any keys nothing is asked of what is decoded.
    let body = coding("let container = \(container)", first: hasKey ? ["_ = \(container)"] : []) { part in
      part.isConstant ? nil : "self.\(part.storage) = try \(part.helper).decode(\(part.ways("decode")))"
    }
    return member(
      "init(from decoder: any Swift.Decoder) throws", body,
      touches: { $0.part.map { !$0.isConstant && !$0.cases.isEmpty } ?? false })
  }

  private func encoding() -> [String] {
    let container = "encoder.container(keyedBy: CodingKeys.self)"
    let body = coding("var container = \(container)", first: ["_ = \(container)"]) { part in
      "try \(part.helper).encode(self.\(part.storage), \(part.ways("encode")))"
    }
    return member(
      "func encode(to encoder: any Swift.Encoder) throws", body, touches: { $0.part.map { !$0.cases.isEmpty } ?? false }
    )
  }

  /// The lines that code properties with one container; or with one for each, behind the first lines, where conditions
  /// may leave none of them.
  private func coding(_ container: String, first: [String], _ line: (EntityModel.Part) -> String?) -> [String] {
    if unconditional.contains(where: { line($0) != nil }) {
      return [container] + lines { item in item.coded { line($0).map { [$0] } ?? [] } }
    }
    return first
      + lines { item in item.coded { line($0).map { ["do {", "  " + container, "  " + $0, "}"] } ?? [] } }
  }

  private var hasKey: Bool { !unconditional.isEmpty }

  /// The properties that have keys under all conditions.
  private var unconditional: [EntityModel.Part] {
    var depth = 0
    return model.items.compactMap { item in
      if case .condition(let line) = item { depth += line.kind == .if ? 1 : line.kind == .endif ? -1 : 0 }
      return depth == 0 ? item.part.flatMap { $0.cases.contains([]) ? $0 : nil } : nil
    }
  }
}

extension EntityModel.Item {
  fileprivate var part: EntityModel.Part? { if case .part(let part) = self { part } else { nil } }

  fileprivate var isDescribed: Bool { part.map { !$0.isWrapped && !$0.isConstant && !$0.cases.isEmpty } ?? false }

  /// The lines of a property, under the conditions of its key.
  fileprivate func coded(_ lines: (EntityModel.Part) -> [String]) -> [String] {
    guard let part else { return [] }
    let own = lines(part)
    if own.isEmpty { return [] }
    return part.cases.flatMap { conditions in
      conditions.flatMap { $0.map(\.text) } + own + conditions.map { _ in "#endif" }
    }
  }
}

extension EntityModel.Part {
  /// What is stored.
  fileprivate var storage: String { isWrapped ? "_" + EntityModelReader.unquoted(name) : name }

  /// Knows whether it is optional, which the source need not say.
  fileprivate var helper: String { "GQLiteModels._codedPart(\\\(member(storage, of: "Self")))" }

  fileprivate var key: String { member(name, of: "CodingKeys") }

  /// Behind a type some words are its own, between backticks too, which they are not behind the type as a value.
  private func member(_ name: String, of type: String) -> String {
    ["Type", "Protocol"].contains(EntityModelReader.unquoted(name)) ? "\(type).self.\(name)" : "\(type).\(name)"
  }

  /// How to code it if it is not optional, and if it is. They stand there so that what the program adds to containers
  /// for its types is called, as it is by what Swift writes.
  fileprivate func ways(_ function: String) -> String {
    "{ try container.\(function)($0, forKey: \(key)) }, "
      + "{ try container.\(function)IfPresent($0, forKey: \(key)) }"
  }
}
