extension EntityModelReader {
  /// The properties of a value within entities, or nil where no extension should be written.
  mutating func readEmbedded() -> EntityModel? {
    guard checkHead(), checkCoding(), checkKeys() else { return nil }
    let keys = codingKeys
    var model = EntityModel(availability: availability(), access: access(), hasCodingKeys: keys != nil)
    for member in declaration.members {
      switch member {
      case .condition(let line): model.items.append(.condition(line))
      case .codingKeys: break
      case .property(let property):
        checkHasNoField(property)
        guard isCoded(property) else { continue }
        // What a struct calls `CodingKeys` without saying here what is in it has all of them, or the compiler tells.
        let cases = keys?.cases?.filter { self.name($0) == name(property) }.map(\.conditions)
        model.items.append(
          .part(
            EntityModel.Part(
              name: stream.text(property.name), isDeprecated: isDeprecated(property), isWrapped: isWrapped(property),
              isConstant: !property.isVariable && property.initialValue != nil, cases: cases ?? [[]])))
      }
    }
    if let cases = keys?.cases { model.items = inOrder(of: cases, model.items) }
    return model
  }

  /// Swift codes in the order of the keys. Where conditions stand among them, that of the properties stays.
  private func inOrder(of cases: [CodingKeysDeclaration.Case], _ items: [EntityModel.Item]) -> [EntityModel.Item] {
    guard cases.allSatisfy({ $0.conditions.isEmpty }) else { return items }
    var places: [String: Int] = [:]
    for (place, key) in cases.enumerated() { places[name(key)] = place }
    var placed: [(place: Int, item: EntityModel.Item)] = []
    for item in items {
      guard case .part(let part) = item else { return items }
      placed.append((places[Self.unquoted(part.name)] ?? cases.count, item))
    }
    return placed.sorted { $0.place < $1.place }.map(\.item)
  }

  /// Whether Swift codes it, if it has a key.
  private func isCoded(_ property: PropertyDeclaration) -> Bool {
    property.isStored && !property.isStatic && property.modifier("lazy") == nil
  }

  private var codingKeys: CodingKeysDeclaration? {
    declaration.members.lazy.compactMap { if case .codingKeys(let keys) = $0 { keys } else { nil } }.first
  }

  private func name(_ key: CodingKeysDeclaration.Case) -> String { Self.unquoted(stream.text(key.name)) }

  /// What the struct says itself of coding may be anything.
  private mutating func checkCoding() -> Bool {
    let body = stream.insideGroup(declaration.openingBrace)
    var index = body.lowerBound
    while index < body.upperBound {
      if let member = ownCoding(at: index) {
        report(.ownCoding(type: typeName, member: member), stream.bytes(index))
        return false
      }
      index = stream.after(index)
    }
    return true
  }

  /// `init(from decoder: any Decoder)` or `func encode(to encoder: any Encoder)`, where one of them begins.
  private func ownCoding(at index: Int) -> String? {
    let (member, label, type): (String, String, String)
    switch stream.word(index) {
    case "init" where !stream.at(index - 1, "."): (member, label, type) = ("init(from:)", "from", "Decoder")
    case "encode" where stream.word(index - 1) == "func" && stream.word(index - 2) != "static":
      (member, label, type) = ("encode(to:)", "to", "Encoder")
    default: return nil
    }
    guard stream.at(index + 1, "(") else { return nil }
    var parameter = stream.insideGroup(index + 1)
    guard stream.word(parameter.lowerBound) == label else { return nil }
    parameter = parameter.lowerBound + 1..<parameter.upperBound
    // The inner name, if there is one.
    if !stream.at(parameter.lowerBound, ":") { parameter = parameter.lowerBound + 1..<parameter.upperBound }
    guard parameter.count > 1, stream.at(parameter.lowerBound, ":") else { return nil }
    return isPlain(type, parameter.lowerBound + 1..<parameter.upperBound) ? member : nil
  }

  /// Whether a type is this one of the standard library's protocols: `any Decoder`, `(some Swift.Decoder)`.
  private func isPlain(_ name: String, _ type: Range<Int>) -> Bool {
    var words: [String] = []
    for index in type where !stream.at(index, "(") && !stream.at(index, ")") {
      words.append(stream.at(index, ".") ? "." : Self.unquoted(stream.text(index)))
    }
    if ["any", "some"].contains(words.first) { words.removeFirst() }
    return words == [name] || words == ["Swift", ".", name]
  }

  private mutating func checkKeys() -> Bool {
    var depth = 0
    for member in declaration.members {
      switch member {
      case .condition(let line): depth += line.kind == .if ? 1 : line.kind == .endif ? -1 : 0
      case .codingKeys(let keys) where depth > 0:
        report(.conditionalKeys, stream.bytes(keys.keyword))
        return false
      case .codingKeys, .property: break
      }
    }
    let coded = declaration.properties.filter(isCoded).map(name)
    guard let foreign = codingKeys?.cases?.first(where: { !coded.contains(name($0)) }) else { return true }
    report(.foreignKey(type: typeName, name: name(foreign)), stream.bytes(foreign.name))
    return false
  }
}
