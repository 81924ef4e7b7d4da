extension EntityModelReader {
  /// The properties of a value within entities, or nil where no extension should be written.
  mutating func readEmbedded() -> EntityModel? {
    guard checkHead(), checkCoding() else { return nil }
    var model = EntityModel(availability: availability(), access: access(), hasPatch: false, items: [])
    for member in declaration.members {
      switch member {
      case .condition(let line): model.items.append(.condition(line))
      case .property(let property):
        // Wrappers, and constants that have a value, are coded in ways of their own.
        guard property.isStored, !property.isStatic, property.modifier("lazy") == nil, !isWrapped(property),
          property.isVariable || property.initialValue == nil
        else { continue }
        model.items.append(
          .column(
            EntityModel.Column(
              name: stream.text(property.name), isDeprecated: isDeprecated(property), isRead: true, isPatched: false)))
      }
    }
    return model
  }

  /// What the struct says itself of coding may be anything.
  private mutating func checkCoding() -> Bool {
    let body = stream.insideGroup(declaration.openingBrace)
    var index = body.lowerBound
    while index < body.upperBound {
      let (word, label) = (stream.word(index), stream.word(index + 2))
      let isOwn =
        word == "init" && label == "from" || word == "encode" && label == "to" && stream.word(index - 1) == "func"
      if isOwn, stream.at(index + 1, "(") {
        report(.ownCoding(type: typeName, member: "\(word)(\(label):)"), stream.bytes(index))
        return false
      }
      index = stream.after(index)
    }
    return true
  }
}

extension EntityModelWriter {
  /// The extension that `@EmbeddedModel` adds.
  func embeddedText() -> String {
    let conformance = conforms ? ": GQLiteModels.EmbeddedModelProtocol" : ""
    let describe = member(
      "static func describe(_ model: inout GQLiteModels.EmbeddedDescription<Self>)",
      lines { item in
        guard case .column(let column) = item else { return [] }
        return ["model.field(CodingKeys.\(column.name), \\.\(column.name), \\.?.\(column.name))"]
      }, touches: { _ in true })
    return (model.availability + ["extension \(type)\(conformance) {"] + describe.map { "  " + $0 } + ["}"])
      .joined(separator: "\n")
  }
}
