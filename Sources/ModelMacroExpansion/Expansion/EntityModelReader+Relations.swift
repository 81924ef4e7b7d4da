extension EntityModelReader {
  mutating func relation(_ property: PropertyDeclaration, _ wrapper: Attribute) -> EntityModel.Relation? {
    let name = name(property)
    if let modifier = property.modifier("static") ?? property.modifier("class") {
      report(
        .staticRelation(name: name), bytes(modifier.range, of: property),
        fixes: [MacroFix(message: "remove 'static'", range: removal(of: modifier, of: property), text: "")])
      return nil
    }
    if let modifier = property.modifier("lazy") {
      report(
        .lazyProperty(name: name), bytes(modifier.range, of: property),
        fixes: [MacroFix(message: "remove 'lazy'", range: removal(of: modifier, of: property), text: "")])
      return nil
    }
    guard checkType(property, name), checkValue(property, wrapper, name) else { return nil }
    let arguments = wrapper.arguments ?? []
    var inverse: EntityModel.Relation.Inverse?
    if let argument = arguments.first(where: { $0.label == "inverse" }) {
      guard let found = self.inverse(argument.value) else {
        report(.inverseNotKeyPath(name: name), bytes(argument.value, of: property))
        return nil
      }
      guard checkInverse(found.name, of: property, at: argument.value) else { return nil }
      guard checkIsOnly(found.name, of: property, at: argument.value) else { return nil }
      inverse = found
    }
    let deleteRule = arguments.first { $0.label == "deleteRule" }
    return EntityModel.Relation(
      name: stream.text(property.name), isDeprecated: isDeprecated(property), inverse: inverse,
      deleteRule: deleteRule.map { stream.text($0.value) } ?? ".nullify", hasValue: hasValue(property),
      field: field(property))
  }

  // MARK: Type and value

  private mutating func checkType(_ property: PropertyDeclaration, _ name: String) -> Bool {
    guard let type = property.type, !type.isEmpty else {
      report(.relationWithoutType(name: name), stream.bytes(property.name))
      return false
    }
    let shape = TypeShape(type, in: stream)
    let range = bytes(type, of: property)
    // `User!` would do for the scanner, but no wrapper has it as its value.
    guard shape.name != nil, !stream.at(type.upperBound - 1, "!") else {
      report(.relationOfNoEntity(name: name, type: stream.text(type)), range)
      return false
    }
    guard shape.isOptional else {
      let fix = MacroFix(message: "add '?'", range: range.upperBound..<range.upperBound, text: "?")
      report(.relationNotOptional(name: name, type: stream.text(type)), range, fixes: [fix])
      return false
    }
    return true
  }

  /// Without arguments the compiler makes the wrapper before it looks at the type, and then knows nothing of it.
  private mutating func checkValue(_ property: PropertyDeclaration, _ wrapper: Attribute, _ name: String) -> Bool {
    guard wrapper.arguments == nil, !wrapper.hasGenericArguments, property.initialValue == nil,
      let type = property.type
    else { return true }
    let end = bytes(type, of: property).upperBound
    report(
      .relationWithoutValue(name: name), stream.bytes(property.name),
      fixes: [MacroFix(message: "add '= nil'", range: end..<end, text: " = nil")])
    return false
  }

  /// `nil` and `.none` leave the relation as it is without them.
  private func hasValue(_ property: PropertyDeclaration) -> Bool {
    guard let value = property.initialValue else { return false }
    return !["nil", ".none"].contains(stream.text(value))
  }

  // MARK: Inverses

  /// `\.users` or `\Chat.users`: what is before the last name, and the name.
  private func inverse(_ value: Range<Int>) -> EntityModel.Relation.Inverse? {
    let last = value.upperBound - 1
    guard value.count >= 3, stream.at(value.lowerBound, "\\"), stream.isName(last), stream.at(last - 1, ".") else {
      return nil
    }
    let root = value.lowerBound + 1..<last - 1
    if !root.isEmpty { guard TypeShape(root, in: stream).isPlainName else { return nil } }
    var name = EntityModelReader.unquoted(stream.text(last))
    if name.hasPrefix("$") { name.removeFirst() }
    guard !name.isEmpty else { return nil }
    return EntityModel.Relation.Inverse(root: stream.text(value.lowerBound..<last), name: name)
  }

  /// A relation is the other side of one only. Where it leads to the same type, this is known already.
  private mutating func checkIsOnly(_ inverse: String, of property: PropertyDeclaration, at value: Range<Int>) -> Bool {
    guard let type = property.type, let entity = TypeShape(type, in: stream).name,
      !["Self", typeName].contains(stream.text(entity))
    else { return true }
    for other in declaration.properties {
      // The later one is reported, unless conditions may leave one of them out.
      if other.name == property.name || isConditional { break }
      guard let otherType = other.type, let otherEntity = TypeShape(otherType, in: stream).name,
        stream.text(otherEntity) == stream.text(entity),
        let argument = wrappers(other).first(where: { $0.name == "Relationship" })?.arguments?
          .first(where: { $0.label == "inverse" }),
        self.inverse(argument.value)?.name == inverse
      else { continue }
      report(
        .inverseTakenTwice(first: name(other), second: name(property), inverse: inverse, type: stream.text(entity)),
        bytes(value.upperBound - 1..<value.upperBound, of: property))
      return false
    }
    return true
  }

  private var isConditional: Bool {
    declaration.members.contains { if case .condition = $0 { true } else { false } }
  }

  /// What syntax can tell of an inverse: only where the relation leads to the same type.
  private mutating func checkInverse(_ inverse: String, of property: PropertyDeclaration, at value: Range<Int>) -> Bool
  {
    guard let type = property.type, let entity = TypeShape(type, in: stream).name,
      ["Self", typeName].contains(stream.text(entity))
    else { return true }
    let range = bytes(value.upperBound - 1..<value.upperBound, of: property)
    let candidates = declaration.properties.filter { !$0.isStatic && name($0) == inverse }
    guard let candidate = candidates.first else {
      report(.unknownInverse(inverse: inverse, type: typeName), range)
      return false
    }
    guard let relation = wrappers(candidate).first(where: { $0.name == "Relationship" }) else {
      report(.inverseNotRelation(inverse: inverse, type: typeName), range)
      return false
    }
    let back = relation.arguments?.first { $0.label == "inverse" }
    // What is no key path is reported where it stands.
    if let back, self.inverse(back.value) == nil { return false }
    let named = back.flatMap { self.inverse($0.value) }?.name
    guard named == name(property) else {
      report(.inverseNotMutual(name: name(property), inverse: inverse, type: typeName), range)
      return false
    }
    return true
  }
}

extension TypeShape {
  /// Whether it is a name and nothing around it.
  fileprivate var isPlainName: Bool { name != nil && !isOptional && !isList }
}
