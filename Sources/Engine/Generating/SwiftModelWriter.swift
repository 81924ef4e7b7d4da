import GQLBase
import GQLCatalog

/// Writes the Swift models of a schema: structs with `@EntityModel`, enums, and what else they are made of. What models
/// cannot say stands beside them in a comment.
package struct SwiftModelWriter {
  let catalog: Catalog
  private(set) var text = ""
  /// Names of Swift that types of the schema have taken.
  private let taken: Set<String>

  /// The models of a schema as Swift source.
  package static func write(_ catalog: Catalog) -> String {
    var writer = SwiftModelWriter(catalog)
    writer.writeAll()
    return writer.text
  }

  private init(_ catalog: Catalog) {
    self.catalog = catalog
    taken = Set(
      catalog.types.filter { !$0.isElement }.map(\.name) + catalog.embeddedTypes.map(\.name) + catalog.enums.map(\.name)
    )
  }

  private mutating func writeAll() {
    text = "// Written by 'gqlite generate swift' from a schema.\n\nimport Foundation\nimport GQLiteModels\n"
    for type in catalog.types where type.kind == .interface { writeInterface(type) }
    for type in catalog.types where type.kind == .union { writeUnion(type) }
    for type in catalog.types where type.kind == .entity { write(type) }
    for type in catalog.embeddedTypes { write(type) }
    for type in catalog.enums where type.id != catalog.statusType { write(type) }
    if catalog.types.contains(where: { $0.kind == .entity && keyScalar($0) == .uuid }) {
      text += """

        /// Ids are made from and into text.
        extension UUID: @retroactive LosslessStringConvertible {
          /// Reads the text of a UUID.
          public init?(_ description: String) { self.init(uuidString: description) }
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
    line("protocol \(typeName(type.name)) {", 0)
    for property in type.properties {
      let types = Set(type.members.map { member in swiftType(of: property.name, in: catalog[member.type]) })
      if types.count == 1, case .some(.some(let swift)) = types.first {
        line("var \(name(property.name)): \(swift) { get }")
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
    let protocols = type.interfaces.map { ", \(typeName(catalog[$0].name))" }.joined()
    line("@EntityModel", 0)
    line("struct \(typeName(type.name)): Codable, Sendable\(protocols) {", 0)
    let lead = text
    for index in type.indexes { write(catalog[index], of: type) }
    if text != lead { text += "\n" }
    writeID(type)
    for property in type.properties where !isID(property, type) { write(property, of: type) }
    line("}", 0)
  }

  /// The property `id`, which every model has.
  private mutating func writeID(_ type: EntityType) {
    if let property = type.property(named: "id"), type.idProperties == [property.id] {
      describe(property.description, deprecation: property.deprecation)
      return line("let id: \(keyType(property))")
    }
    let keys = type.idProperties.map { name(type[$0].name) }
    for property in type.idProperties where type[property].name != "id" {
      describe(type[property].description)
      line("let \(name(type[property].name)): \(keyType(type[property]))")
    }
    if keys.count == 1, let key = keys.first, let property = type.idProperties.first {
      line("var id: \(keyType(type[property])) { \(key) }")
    } else {
      line("// @id(fields: [\(type.idProperties.map { type[$0].name }.joined(separator: ", "))])")
      line("var id: \(scalar(.string)) { \"\(keys.map { "\\(\($0))" }.joined(separator: "|"))\" }")
    }
  }

  private func isID(_ property: Property, _ type: EntityType) -> Bool { type.idProperties.contains(property.id) }

  private func keyScalar(_ type: EntityType) -> ScalarType? {
    type.idProperties.count == 1 ? type.idProperties.first.flatMap { type[$0].signature.type.scalar } : nil
  }

  private func keyType(_ property: Property) -> String {
    guard case .scalar(let kind) = property.signature.type else { return scalar(.string) }
    return scalar(kind)
  }

  private mutating func write(_ type: EmbeddedType) {
    text += "\n"
    describe(type.description, 0)
    line("struct \(typeName(type.name)): Codable, Hashable, Sendable {", 0)
    for field in type.fields {
      describe(field.description, deprecation: field.deprecation)
      let comment = comment(field.signature)
      line("var \(name(field.name)): \(swiftType(field.signature))\(initial(field.defaultValue))\(comment)")
    }
    line("}", 0)
  }

  private mutating func write(_ type: EnumType) {
    text += "\n"
    describe(type.description, 0)
    line("enum \(typeName(type.name)): String, CaseIterable, Codable, Sendable {", 0)
    for (number, value) in type.values.enumerated() {
      let note = number < type.notes.count ? type.notes[number] : nil
      describe(note?.description, deprecation: note?.deprecation)
      let word = caseName(value, type)
      line(word == value ? "case \(name(word))" : "case \(name(word)) = \"\(value)\"")
    }
    line("}", 0)
  }
}

extension SwiftModelWriter {
  // MARK: - Names

  /// Names that models use themselves.
  private static let reservedTypes: Set<String> = [
    "EntityModel", "Relationship", "Index", "HashIndex", "Unique", "FullTextIndex", "Context", "Self", "Type",
    "Protocol", "Any", "Optional", "Codable", "Sendable", "Hashable", "CaseIterable", "LosslessStringConvertible",
  ]

  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
    "internal", "let", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static",
    "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do", "else",
    "fallthrough", "for", "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as",
    "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type", "Protocol",
  ]

  /// A type's name; one that Swift or the models need gets a line behind it.
  func typeName(_ name: String) -> String {
    Self.reservedTypes.contains(name) || Self.keywords.contains(name) ? "\(name)_" : name
  }

  /// A property's name; a keyword, and what is no identifier, stands between backticks.
  func name(_ name: String) -> String {
    if name == "_" { return "__" }
    let isWord = name.utf8.allSatisfy {
      (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 >= 0x80
    }
    return Self.keywords.contains(name) || !isWord ? "`\(name)`" : name
  }

  /// `IN_PROGRESS` becomes `inProgress`, where that stays another name than those of the other values.
  func caseName(_ value: String, _ type: EnumType) -> String {
    func camel(_ value: String) -> String {
      guard value.utf8.allSatisfy({ !(0x61...0x7A).contains($0) }) else { return value }
      let words = value.split(separator: "_").map { $0.lowercased() }
      guard let first = words.first, !first.isEmpty, !(first.first?.isNumber ?? true) else { return value }
      return words.dropFirst().reduce(first) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
    let all = type.values.map(camel)
    return Set(all).count == all.count ? camel(value) : value
  }

  // MARK: - Swift types

  /// The Swift type of a scalar; one whose name the schema has taken is written with its module.
  func scalar(_ type: ScalarType) -> String {
    let (module, name): (String, String) =
      switch type {
      case .int: ("Swift", "Int")
      case .float: ("Swift", "Double")
      case .boolean: ("Swift", "Bool")
      case .string, .id, .cursor: ("Swift", "String")
      case .duration: ("Swift", "Duration")
      case .decimal: ("Foundation", "Decimal")
      case .dateTime: ("Foundation", "Date")
      case .uuid: ("Foundation", "UUID")
      case .bytes: ("Foundation", "Data")
      case .date: ("GQLiteModels", "CalendarDate")
      case .json: ("GQLiteModels", "JSON")
      }
    return taken.contains(name) ? "\(module).\(name)" : name
  }

  /// The type of a value that is no relation.
  func swiftType(_ signature: TypeSignature) -> String {
    func text(_ type: ValueType) -> String {
      switch type {
      case .scalar(let kind): scalar(kind)
      case .enumeration(let id): typeName(catalog[id].name)
      case .embedded(let id): typeName(catalog[id].name)
      case .list(let element): "[\(text(element))]"
      case .entity(let id):
        // Inside an embedded object, what leads to an entity is its id.
        if case .element(let embedded) = catalog[id].kind { typeName(catalog[embedded].name) } else { scalar(.string) }
      case .null: scalar(.json)
      }
    }
    return text(signature.type) + (signature.isNonNull ? "" : "?")
  }

  /// The Swift type that a field has in an entity; nil for relations, and where there is none.
  func swiftType(of field: String, in type: EntityType) -> String? {
    guard let property = type.property(named: field), !isRelation(property) else { return nil }
    if case .computed = property.storage { return nil }
    if type.idProperties.contains(property.id), case .scalar(let kind) = property.signature.type { return scalar(kind) }
    return swiftType(property.signature)
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
