import GQLBase
import GQLCatalog

/// Writes the Swift models of a schema: structs with `@EntityModel`, enums, and what else they are made of. What models
/// cannot say stands beside them in a comment.
package struct SwiftModelWriter {
  let catalog: Catalog
  private(set) var text = ""
  let names: SwiftModelNames

  /// The models of a schema as Swift source.
  package static func write(_ catalog: Catalog) -> String {
    var writer = SwiftModelWriter(catalog)
    writer.writeAll()
    return writer.text
  }

  private init(_ catalog: Catalog) {
    self.catalog = catalog
    names = SwiftModelNames(catalog)
  }

  private mutating func writeAll() {
    text = "// Written by 'gqlite generate swift' from a schema.\n\nimport Foundation\nimport GQLiteModels\n"
    for type in catalog.types where type.kind == .interface { writeInterface(type) }
    for type in catalog.types where type.kind == .union { writeUnion(type) }
    for type in catalog.types where type.kind == .entity { write(type) }
    for type in catalog.embeddedTypes { write(type) }
    for type in catalog.enums where type.id != catalog.statusType { write(type) }
    if catalog.types.contains(where: { $0.kind == .entity && keyScalar($0) == .uuid }) {
      // As wide as the protocol and the type, which are the library's.
      let access = "public"
      text += """

        /// Ids are made from and into text.
        extension \(scalar(.uuid)): @retroactive LosslessStringConvertible {
          /// Reads the text of a UUID.
          \(access) init?(_ description: \(scalar(.string))) { self.init(uuidString: description) }
        }

        """
    }
  }

  mutating func line(_ words: String, _ indent: Int = 1) {
    // Names and values of the schema may hold any character; none may end a comment.
    func endsLines(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.generalCategory == .control || scalar.value >> 1 == 0x1014
    }
    var shown = words
    if words.unicodeScalars.contains(where: endsLines) {
      shown = String(String.UnicodeScalarView(words.unicodeScalars.map { endsLines($0) ? " " : $0 }))
    }
    text += String(repeating: "  ", count: indent) + shown + "\n"
  }

  mutating func describe(_ description: String?, deprecation: String? = nil, _ indent: Int = 1) {
    for part in (description ?? "").split(whereSeparator: \.isNewline) { line("/// \(part)", indent) }
    guard let deprecation else { return }
    if description != nil { line("///", indent) }
    line("/// - Deprecated: \(deprecation.split(whereSeparator: \.isNewline).joined(separator: " "))", indent)
  }

  // MARK: - Types

  /// What all members of an interface have alike becomes a protocol.
  private mutating func writeInterface(_ type: EntityType) {
    text += "\n"
    describe(type.description, 0)
    if type.description != nil { line("///", 0) }
    line("/// An interface in the schema: entities of different types are asked for together in text only.", 0)
    line("protocol \(names.type(type.name)) {", 0)
    for property in type.properties {
      let members = Set(type.members.map { member in self.property(property.name, in: catalog[member.type]) })
      if members.count == 1, case .some(.some(let member)) = members.first {
        line("var \(member) { get }")
      } else if isRelation(property) {
        line("// \(property.name): \(sdl(property.signature)) leads to other entities.")
      } else {
        line("// \(property.name): \(sdl(property.signature)) has other types in its members.")
      }
    }
    line("}", 0)
  }

  private mutating func writeUnion(_ type: EntityType) {
    text += "\n"
    describe(type.description, 0)
    let members = type.members.map { catalog[$0.type].name }.joined(separator: " | ")
    line("// union \(type.name) = \(members): entities of different types are asked for together in text only.", 0)
  }

  private mutating func write(_ type: EntityType) {
    text += "\n"
    describe(type.description, 0)
    noteName(type.name, isDescribed: type.description != nil, isEntity: true)
    let protocols = type.interfaces.map { ", \(names.type(catalog[$0].name))" }.joined()
    line("@EntityModel" + (arguments(type.identity, number: "number: ").map { "(\($0))" } ?? ""), 0)
    line("struct \(names.type(type.name)): Codable, Sendable\(protocols) {", 0)
    let lead = text
    for index in type.indexes { write(catalog[index], of: type) }
    if text != lead { text += "\n" }
    writeID(type)
    for property in type.properties where !isID(property, type) { write(property, of: type) }
    line("}", 0)
  }

  /// The property `id`, which every model has.
  private mutating func writeID(_ type: EntityType) {
    if let property = type.property(named: "id"), names[type].fields[property.id] == "id" {
      describe(property.description, deprecation: property.deprecation)
      identify(property)
      return line("let id: \(keyType(property))\(keyComment(property))")
    }
    let keys = type.idProperties.map { (name: name($0, of: type), property: type[$0]) }
    for key in keys {
      describe(key.property.description)
      identify(key.property)
      line("let \(key.name): \(keyType(key.property))\(keyComment(key.property))\(note(key.property.name, key.name))")
    }
    if keys.count == 1, let key = keys.first, SwiftModelNames.canBeID(key.property) {
      line("var id: \(keyType(key.property)) { \(key.name) }")
    } else {
      if keys.count > 1 { line("// @id(fields: [\(keys.map(\.property.name).joined(separator: ", "))])") }
      line("var id: \(scalar(.string)) { GQLiteModels.compoundID(\(keys.map(\.name).joined(separator: ", "))) }")
    }
  }

  private func isID(_ property: Property, _ type: EntityType) -> Bool { type.idProperties.contains(property.id) }

  private func keyScalar(_ type: EntityType) -> ScalarType? {
    type.idProperties.count == 1 ? type.idProperties.first.flatMap { type[$0].signature.type.scalar } : nil
  }

  /// What the type of a key does not say.
  private func keyComment(_ property: Property) -> String {
    guard case .enumeration(let type) = property.signature.type else { return "" }
    return "  // of the enum \(catalog[type].name) in the schema"
  }

  /// A line where a type has another name in the schema.
  private mutating func noteName(_ name: String, isDescribed: Bool, isEntity: Bool = false) {
    if names.type(name) == name { return }
    if isDescribed { line("///", 0) }
    let misfit = isEntity ? ", in which this type is not found: that name is not free in Swift" : ""
    line("/// '\(name)' in the schema\(misfit).", 0)
  }

  private func keyType(_ property: Property) -> String {
    guard case .scalar(let kind) = property.signature.type else { return scalar(.string) }
    return scalar(kind)
  }

  private mutating func write(_ type: EmbeddedType) {
    text += "\n"
    describe(type.description, 0)
    noteName(type.name, isDescribed: type.description != nil)
    line("@EmbeddedModel", 0)
    line("struct \(names.type(type.name)): Codable, Hashable, Sendable {", 0)
    let fields = SwiftModelNames.fields(type)
    var members = SwiftModelNames.Members()
    members.all = Set(fields)
    for (field, word) in zip(type.fields, fields) {
      describe(field.description, deprecation: field.deprecation)
      let name = SwiftModelNames.source(word)
      let initial = initial(field.defaultValue, field.signature, beside: members)
      let comment = comment(field.signature) + note(field.name, name)
      line("var \(name): \(swiftType(field.signature))\(initial)\(comment)")
    }
    writeCodingKeys(type, fields)
    line("}", 0)
  }

  /// An object is read by the names of its fields.
  private mutating func writeCodingKeys(_ type: EmbeddedType, _ words: [String]) {
    if zip(type.fields, words).allSatisfy({ $0.name == $1 }) { return }
    text += "\n"
    line("private enum CodingKeys: \(scalar(.string)), \(names.standard("Swift", "CodingKey")) {")
    for (field, word) in zip(type.fields, words) {
      let name = SwiftModelNames.source(word)
      line(field.name == word ? "case \(name)" : "case \(name) = \"\(field.name)\"", 2)
    }
    line("}")
  }

  private mutating func write(_ type: EnumType) {
    text += "\n"
    describe(type.description, 0)
    noteName(type.name, isDescribed: type.description != nil)
    line("enum \(names.type(type.name)): \(scalar(.string)), CaseIterable, Codable, Sendable {", 0)
    for (number, (value, word)) in zip(type.values, SwiftModelNames.cases(type)).enumerated() {
      let note = number < type.notes.count ? type.notes[number] : nil
      describe(note?.description, deprecation: note?.deprecation)
      let source = SwiftModelNames.source(word)
      line(word == value ? "case \(source)" : "case \(source) = \"\(value)\"")
    }
    line("}", 0)
  }
}

extension SwiftModelWriter {
  // MARK: - Swift types

  /// The Swift type of a scalar; one whose name the schema, or a member beside it, has taken is written with its module.
  func scalar(_ type: ScalarType, beside members: SwiftModelNames.Members? = nil) -> String {
    let (module, name) = type.codec.swiftType
    return names.standard(module, name, beside: members)
  }

  /// The type of a value that is no relation.
  func swiftType(_ signature: TypeSignature) -> String {
    func text(_ type: ValueType) -> String {
      switch type {
      case .scalar(let kind): scalar(kind)
      case .enumeration(let id): names.type(catalog[id].name)
      case .embedded(let id): names.type(catalog[id].name)
      case .list(let element): "[\(text(element))]"
      case .entity(let id):
        // Inside an embedded object, what leads to an entity is its id.
        if case .element(let embedded) = catalog[id].kind {
          names.type(catalog[embedded].name)
        } else {
          scalar(.string)
        }
      case .null: scalar(.json)
      }
    }
    return text(signature.type) + (signature.isNonNull ? "" : "?")
  }

  /// A field of an entity as a property with its type; nil for relations, and where there is none.
  private func property(_ field: String, in type: EntityType) -> String? {
    guard let property = type.property(named: field), !isRelation(property) else { return nil }
    if case .computed = property.storage { return nil }
    let isKey = type.idProperties.contains(property.id)
    return "\(name(property.id, of: type)): \(isKey ? keyType(property) : swiftType(property.signature))"
  }

  /// What a field of an entity type is called, as source has it.
  func name(_ property: PropertyID, of type: EntityType) -> String {
    SwiftModelNames.source(names[type].fields[property] ?? type[property].name)
  }

  /// A comment where a field has another name in the schema.
  func note(_ field: String, _ name: String) -> String {
    name == SwiftModelNames.source(field) ? "" : "  // '\(field)' in the schema"
  }

  /// What a Swift type does not say of a field.
  func comment(_ signature: TypeSignature) -> String {
    if case .list(let element) = signature.type {
      if case .entity(let id) = element {
        return catalog[id].isElement ? "" : "  // ids of \(sdl(element))"
      }
      if !signature.isElementNonNull { return "  // the schema allows nulls in it" }
    }
    if case .entity = signature.type { return "  // the id of \(sdl(signature.type))" }
    return ""
  }

  func isRelation(_ property: Property) -> Bool {
    switch property.signature.type {
    case .entity(let id), .list(.entity(let id)): !catalog[id].isElement
    default: false
    }
  }

  // MARK: - Words of the schema language

  private func sdl(_ type: ValueType) -> String {
    switch type {
    case .scalar(let kind): kind.rawValue
    case .enumeration(let id): catalog[id].name
    case .embedded(let id): catalog[id].name
    case .entity(let id): catalog[id].name
    case .list(let element): "[\(sdl(element))]"
    case .null: "null"
    }
  }

  /// A type as the schema writes it.
  func sdl(_ signature: TypeSignature) -> String {
    var text = sdl(signature.type)
    if case .list(let element) = signature.type {
      text = "[\(sdl(element))\(signature.isElementNonNull ? "!" : "")]"
    }
    return text + (signature.isNonNull ? "!" : "")
  }
}
