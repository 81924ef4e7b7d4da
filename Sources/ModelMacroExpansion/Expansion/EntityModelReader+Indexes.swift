extension EntityModelReader {
  mutating func index(
    _ property: PropertyDeclaration, _ kind: EntityModel.Index.Kind, _ wrapper: Attribute
  ) -> EntityModel.Index? {
    let arguments = wrapper.arguments ?? []
    let paths = arguments.filter { $0.label == nil }
    guard let first = paths.first else {
      report(.indexWithoutKeyPaths(attribute: wrapper.name, name: name(property)), bytes(wrapper.range, of: property))
      return nil
    }
    guard paths.count <= kind.limit else {
      report(
        .tooManyKeyPaths(attribute: wrapper.name, count: paths.count), bytes(paths[kind.limit].value, of: property))
      return nil
    }
    let beginsWithoutType = stream.at(first.value.lowerBound, "\\") && stream.at(first.value.lowerBound + 1, ".")
    if !wrapper.hasGenericArguments, beginsWithoutType {
      let end = stream.bytes(wrapper.nameEnd - 1).upperBound
      report(
        .indexWithoutType(attribute: wrapper.name), bytes(wrapper.range.lowerBound..<wrapper.nameEnd, of: property),
        fixes: [MacroFix(message: "add '<Self>'", range: end..<end, text: "<Self>")])
      return nil
    }
    guard checkType(of: wrapper, in: property), checkPaths(paths, of: property) else { return nil }
    if let modifier = property.modifier("static") {
      report(
        .staticIndex(attribute: wrapper.name, name: name(property)), bytes(modifier.range, of: property),
        fixes: [MacroFix(message: "remove 'static'", range: removal(of: modifier, of: property), text: "")])
    }
    return EntityModel.Index(
      kind: kind, name: name(property),
      arguments: arguments.map { ($0.label.map { "\($0): " } ?? "") + stream.text($0.value) })
  }

  /// `@Index<Other>` would be taken for one over the entities of this type.
  private mutating func checkType(of wrapper: Attribute, in property: PropertyDeclaration) -> Bool {
    guard wrapper.hasGenericArguments, let end = stream.afterAngles(wrapper.nameEnd, end: stream.count),
      end - 1 > wrapper.nameEnd + 1
    else { return true }
    let range = wrapper.nameEnd + 1..<end - 1
    // The last name that stands in no list of arguments.
    var last = ""
    var index = range.lowerBound
    while index < range.upperBound {
      if stream.isName(index) { last = stream.text(index) }
      index =
        stream.at(index, "<") ? stream.afterAngles(index, end: range.upperBound) ?? index + 1 : stream.after(index)
    }
    let name = EntityModelReader.unquoted(last)
    if name == "Self" || name == EntityModelReader.unquoted(typeName) { return true }
    let bytes = bytes(range, of: property)
    report(
      .indexOfOtherType(attribute: wrapper.name, other: stream.text(range), type: typeName), bytes,
      fixes: [MacroFix(message: "replace '\(stream.text(range))' with 'Self'", range: bytes, text: "Self")])
    return false
  }

  /// What lies behind a relation is not written when the entity is, and changes when it is not.
  private mutating func checkPaths(_ paths: [Attribute.Argument], of property: PropertyDeclaration) -> Bool {
    let relations = declaration.properties.filter { property in
      !property.isStatic && wrappers(property).contains { $0.name == "Relationship" }
    }.map { self.name($0) }
    for path in paths {
      guard var first = firstComponent(path.value) else { continue }
      if first.hasPrefix("$") { first.removeFirst() }
      guard relations.contains(first) else { continue }
      report(.indexThroughRelation(name: name(property), relation: first), bytes(path.value, of: property))
      return false
    }
    return true
  }

  /// The first property of `\.a.b`, `\Self.a.b` or `\User.a.b`.
  private func firstComponent(_ path: Range<Int>) -> String? {
    guard path.count >= 3, stream.at(path.lowerBound, "\\") else { return nil }
    var dot = path.lowerBound + 1
    if ["Self", typeName].contains(stream.text(dot)) { dot += 1 }
    guard dot + 1 < path.upperBound, stream.at(dot, "."), stream.isName(dot + 1) else { return nil }
    return EntityModelReader.unquoted(stream.text(dot + 1))
  }
}
