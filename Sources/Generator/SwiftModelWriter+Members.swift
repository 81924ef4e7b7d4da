import GQLBase
import GQLCatalog

extension SwiftModelWriter {
  mutating func write(_ property: Property, of type: EntityType) {
    describe(property.description, deprecation: property.deprecation)
    if case .computed(let expression) = property.storage {
      return line("// \(property.name): computed in text, \(expression.split(whereSeparator: \.isNewline).joined())")
    }
    if isRelation(property) { return writeRelation(property, of: type) }
    identify(property)
    let name = name(property.id, of: type)
    let comment =
      (property.isCaseInsensitive ? "  // case-insensitive in text" : comment(property.signature))
      + note(property.name, name)
    let initial = initial(property.defaultValue, property.signature, beside: names[type])
    line("var \(name): \(swiftType(property.signature))\(initial)\(comment)")
  }

  /// Writes the attribute by which a property is recognized in a file, if the schema has one.
  mutating func identify(_ property: Property) {
    if let arguments = arguments(property.identity, number: "") { line("@GQLiteModels.Field(\(arguments))") }
  }

  func arguments(_ identity: Identity, number label: String) -> String? {
    var arguments = identity.number.map { ["\(label)\($0)"] } ?? []
    if !identity.formerNames.isEmpty {
      arguments.append("was: " + identity.formerNames.map(quoted).joined(separator: ", "))
    }
    return arguments.isEmpty ? nil : arguments.joined(separator: ", ")
  }

  private mutating func writeRelation(_ property: Property, of type: EntityType) {
    let field = name(property.id, of: type)
    guard case .relation(let id) = property.storage else {
      return line("// \(property.name): \(sdl(property.signature)) is what its types say of it.")
    }
    let relation = catalog[id]
    let target = catalog[relation.target]
    let rule =
      switch relation.onDelete {
      case .nullify: [String]()
      case .cascade: ["deleteRule: .cascade"]
      case .deny: ["deleteRule: .deny"]
      }
    if target.isAbstract {
      // An entity of one type only can stand in a property.
      line("// \(property.name): \(sdl(property.signature)), a relation for each of its types.")
      for (member, field) in zip(target.members, names[type].branches[property.id] ?? []) {
        writeOneWay(
          SwiftModelNames.source(field), names.type(catalog[member.type].name), isToMany: relation.isToMany, rule,
          isRequired: false)
      }
      return
    }
    identify(property)
    let inverse = catalog[relation.inverse]
    guard let other = inverse.property, inverse.presence == nil, relation.presence == nil else {
      return writeOneWay(
        field, names.type(target.name), isToMany: relation.isToMany, rule, isRequired: relation.isRequired,
        note(property.name, field))
    }
    var arguments = relation.isRequired && !relation.isToMany ? [".required"] : []
    arguments += rule + ["inverse: \\.\(name(other, of: target))"]
    let kind = relation.isToMany ? "[\(names.type(target.name))]?" : "\(names.type(target.name))?"
    line("@Relationship(\(arguments.joined(separator: ", "))) var \(field): \(kind)\(note(property.name, field))")
  }

  private mutating func writeOneWay(
    _ field: String, _ target: String, isToMany: Bool, _ rule: [String], isRequired: Bool, _ note: String = ""
  ) {
    let arguments = (isRequired && !isToMany ? [".required"] : []) + rule
    let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
    // A required relation says what kind it is by its argument.
    let value = isRequired && !isToMany ? "" : " = nil"
    line("@Relationship\(list) var \(field): \(isToMany ? "[\(target)]" : target)?\(value)\(note)")
  }

  // MARK: - Defaults

  /// ` = 5`, where a literal can say it.
  func initial(
    _ value: DefaultValue?, _ signature: TypeSignature, beside members: SwiftModelNames.Members? = nil
  ) -> String {
    switch value {
    case nil: ""
    case .now:
      signature.type == .scalar(.dateTime) ? " = \(scalar(.dateTime, beside: members))()" : "  // default now()"
    case .value(let value):
      literal(value, isOptional: !signature.isNonNull, members).map { " = \($0)" }
        ?? "  // default \(words(value))"
    }
  }

  private func literal(
    _ value: GQLCatalog.Value, isOptional: Bool, _ members: SwiftModelNames.Members?
  ) -> String? {
    switch value {
    case .null: return "nil"
    case .boolean(let value): return "\(value)"
    case .int(let value): return "\(value)"
    case .float(let value): return "\(value)"
    case .decimal(let value): return "\(scalar(.decimal, beside: members))(string: \"\(value)\") ?? 0"
    case .string(let text), .id(let text, _): return quoted(text.string)
    case .enumeration(let type, let code):
      let cases = SwiftModelNames.cases(catalog[type])
      guard cases.indices.contains(code) else { return nil }
      let name = ".\(SwiftModelNames.source(cases[code]))"
      // Else it would be the optional's own.
      return isOptional && ["none", "some"].contains(cases[code]) ? ".some(\(name))" : name
    case .list(let elements):
      let texts = elements.map { literal($0, isOptional: false, members) }
      return texts.contains { $0 == nil } ? nil : "[\(texts.compactMap { $0 }.joined(separator: ", "))]"
    case .dateTime, .date, .duration, .uuid, .bytes, .json, .object: return nil
    }
  }

  /// A value as the schema language writes it.
  private func words(_ value: GQLCatalog.Value) -> String {
    var buffer = ByteBuffer()
    switch value {
    case .null: return "null"
    case .boolean(let value): return "\(value)"
    case .int(let value): return "\(value)"
    case .float(let value): return "\(value)"
    case .decimal(let value): return "\"\(value)\""
    case .string(let text), .id(let text, _), .uuid(let text): return quoted(text.string)
    case .enumeration(let type, let code):
      let values = catalog[type].values
      return values.indices.contains(code) ? values[code] : "null"
    case .dateTime(let time): buffer.append(dateTime: time)
    case .date(let days): buffer.append(date: days)
    case .duration(let length): buffer.append(duration: length)
    case .bytes(let text): Array(text.bytes).withUnsafeBytes { buffer.append(base64: $0) }
    case .json(let text): return text.string
    case .list(let elements): return "[\(elements.map(words).joined(separator: ", "))]"
    case .object(let members):
      return "{\(members.map { "\($0.name.string): \(words($0.value))" }.joined(separator: ", "))}"
    }
    return buffer.string
  }

  /// A literal of Swift, in which nothing is interpolated.
  private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  // MARK: - Indexes

  mutating func write(_ index: IndexDescriptor, of type: EntityType) {
    if index.isPrimary { return }
    let properties = index.columns.map { column -> Property? in
      let name = type[type[column].foldedFrom ?? column].name
      return type.property(named: name)
    }
    let names = index.columns.map { type[type[$0].foldedFrom ?? $0].name }
    let said = "\(index.kind.rawValue) index \(index.name) over \(names.joined(separator: ", "))"
    guard !properties.contains(where: { $0 == nil }), index.columns.count <= 4 || !index.kind.facts.hasKeys else {
      return line("// \(said): models have none over parts of values, or over more than four.")
    }
    let paths = properties.compactMap { $0.map { "\\.\(name($0.id, of: type))" } }.joined(separator: ", ")
    let variable = self.names[type].indexes[index.id] ?? index.name
    let shapes = properties.compactMap { $0?.signature }
    let facts = index.kind.facts
    guard let wrapper = facts.wrapper else { return line("// \(said): models have none of this kind.") }
    if index.isUnique {
      // Nothing does not collide with nothing in the schema.
      let mayBeNil = shapes.contains { !$0.isNonNull }
      let rule = index.onConflict == .replace ? ".upsert" : ".throw"
      line("@Unique<Self>(\(paths), collisions: \(rule)\(mayBeNil ? "UnlessNil" : "")) private var \(variable)")
    } else if facts.isOrdered, !shapes.allSatisfy(isComparable) {
      line("// \(said): not in order, because the values have none in Swift.")
      line("@\(IndexDescriptor.Kind.hash.facts.wrapper ?? wrapper)<Self>(\(paths)) private var \(variable)")
    } else {
      if !facts.hasKeys, !shapes.allSatisfy({ $0.isNonNull && $0.type == .string }) {
        return line("// \(said): models have one over texts that are there.")
      }
      if let language = index.language, language != "en" { line("// The words are of the language '\(language)'.") }
      line("@\(wrapper)<Self>(\(paths)) private var \(variable)")
    }
  }

  private func isComparable(_ signature: TypeSignature) -> Bool {
    guard signature.isNonNull, case .scalar(let kind) = signature.type else { return false }
    return kind != .boolean && kind != .bytes && kind != .json
  }
}
