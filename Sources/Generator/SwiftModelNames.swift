import GQLCatalog

/// What the types, fields and indexes of a schema are called in Swift: as in the schema, but for names that are in the
/// way of Swift, of the models or of each other. Those get a line behind them; '_' is spelt out.
struct SwiftModelNames {
  /// By the schema's names.
  private let types: [String: String]
  private let members: [EntityTypeID: Members]
  /// All names of types.
  private let taken: Set<String>

  /// The names of an entity type's properties.
  struct Members {
    fileprivate(set) var fields: [PropertyID: String] = [:]
    /// Of relations to interfaces and unions: for each member a property of its own.
    fileprivate(set) var branches: [PropertyID: [String]] = [:]
    fileprivate(set) var indexes: [IndexID: String] = [:]
    var all: Set<String> = ["id"]
  }

  init(_ catalog: Catalog) {
    let names =
      catalog.types.filter { !$0.isElement }.map(\.name) + catalog.embeddedTypes.map(\.name)
      + catalog.enums.filter { $0.id != catalog.statusType }.map(\.name)
    var scope = Scope()
    types = scope.names(names) { !Self.neededTypes.contains($0) && !Self.keywords.contains($0) }
    taken = scope.claimed
    members = Dictionary(
      uniqueKeysWithValues: catalog.types.filter { $0.kind == .entity }.map { ($0.id, Self.members($0, catalog)) })
  }

  func type(_ name: String) -> String { types[name] ?? name }
  subscript(_ type: EntityType) -> Members { members[type.id] ?? Members() }

  /// The type of a standard module, with the module where the name is taken.
  func standard(_ module: String, _ name: String, beside members: Members? = nil) -> String {
    taken.contains(name) || members?.all.contains(name) == true ? "\(module).\(name)" : name
  }

  // MARK: - Members

  private static func members(_ type: EntityType, _ catalog: Catalog) -> Members {
    var result = Members()
    var scope = Scope(["id"])
    if let id = type.property(named: "id"), type.idProperties == [id.id], canBeID(id) { result.fields[id.id] = "id" }
    let fields = type.properties.filter { property in
      if case .computed = property.storage { return false }
      return result.fields[property.id] == nil && !isAbstract(property, catalog)
    }
    // What wraps a property has its name with a line before it.
    let wrapped = Set(fields.filter { relation($0, catalog) != nil }.map(\.name))
    let names = scope.names(fields.map(\.name), isWrapped: wrapped.contains) { isProperty($0) }
    for field in fields { result.fields[field.id] = names[field.name] }
    for property in type.properties where isAbstract(property, catalog) {
      guard let relation = relation(property, catalog) else { continue }
      result.branches[property.id] = catalog[relation.target].members.map { member in
        scope.name("\(property.name)As\(catalog[member.type].name)", isWrapped: true)
      }
    }
    for index in type.indexes.map({ catalog[$0] }) where !index.isPrimary {
      var name = word(index.name)
      if !scope.claimed.isDisjoint(with: [name, "_\(name)"]) || !isProperty(name) || keywords.contains(name) {
        name += "Index"
      }
      result.indexes[index.id] = scope.name(name, isWrapped: true)
    }
    result.all = scope.claimed
    return result
  }

  /// Whether its values are ids as they are, which have a text that they can be made from.
  static func canBeID(_ property: Property) -> Bool {
    switch property.signature.type {
    case .scalar(.string), .scalar(.id), .scalar(.int), .scalar(.uuid), .scalar(.boolean), .scalar(.date): true
    // Written as a text.
    case .enumeration: true
    default: false
    }
  }

  private static func relation(_ property: Property, _ catalog: Catalog) -> Relation? {
    guard case .relation(let id) = property.storage, !catalog[catalog[id].target].isElement else { return nil }
    return catalog[id]
  }

  private static func isAbstract(_ property: Property, _ catalog: Catalog) -> Bool {
    relation(property, catalog).map { catalog[$0.target].isAbstract } ?? false
  }

  /// The names of a value's fields, in order.
  static func fields(_ type: EmbeddedType) -> [String] {
    var scope = Scope()
    let names = scope.names(type.fields.map(\.name)) { isProperty($0) }
    return type.fields.map { names[$0.name] ?? $0.name }
  }

  /// An index's name as a word.
  private static func word(_ name: String) -> String {
    var word = String(
      name.unicodeScalars.map { scalar -> Character in
        let isWord = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        return isWord || scalar == "_" ? Character(scalar) : "_"
      })
    while word.hasPrefix("__") { word.removeFirst() }
    return word.first?.isNumber ?? true ? "_\(word)" : word
  }

  /// Whether a property can bear the name, between backticks maybe.
  private static func isProperty(_ name: String) -> Bool { !neededMembers.contains(name) }

  // MARK: - Names that are not free

  /// Types and modules that models name.
  private static let neededTypes: Set<String> = [
    "EntityModel", "EmbeddedModel", "Relationship", "Index", "HashIndex", "Unique", "FullTextIndex", "Context", "Query",
    "Optional",
    "Codable", "Sendable", "Hashable", "CaseIterable", "LosslessStringConvertible", "Swift", "Foundation", "GQLite",
    "GQLiteModels",
  ]

  /// Members that Swift gives every struct, or every `Codable` or `Hashable` one, and modules.
  private static let neededMembers: Set<String> = [
    "_", "self", "Self", "init", "CodingKeys", "hashValue", "Swift", "Foundation", "GQLiteModels",
  ]

  /// Members of an enum with raw values.
  private static let neededCases: Set<String> = [
    "allCases", "AllCases", "RawValue", "self", "Self", "init", "Type", "Protocol", "_",
  ]

  static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
    "internal", "let", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static",
    "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do", "else",
    "fallthrough", "for", "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as",
    "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type", "Protocol",
  ]

  /// The name as source has it; a keyword, and what is no identifier, stands between backticks.
  static func source(_ name: String) -> String {
    let isWord = name.utf8.allSatisfy {
      (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 >= 0x80
    }
    return keywords.contains(name) || !isWord ? "`\(name)`" : name
  }

  /// The cases of an enum: `IN_PROGRESS` becomes `inProgress`, where all values stay different.
  static func cases(_ type: EnumType) -> [String] {
    func camel(_ value: String) -> String {
      guard value.utf8.allSatisfy({ !(0x61...0x7A).contains($0) }) else { return value }
      let words = value.split(separator: "_").map { $0.lowercased() }
      guard let first = words.first, !first.isEmpty, !(first.first?.isNumber ?? true) else { return value }
      return words.dropFirst().reduce(first) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }
    let all = type.values.map(camel)
    let wanted = Set(all).count == all.count ? all : type.values
    var scope = Scope()
    let names = scope.names(wanted) { !neededCases.contains($0) }
    return wanted.map { names[$0] ?? $0 }
  }

  /// Names that stand beside each other.
  private struct Scope {
    private(set) var claimed: Set<String>

    init(_ claimed: Set<String> = []) { self.claimed = claimed }

    /// Takes a name, or the next one that is free. What wraps a property takes a second one.
    mutating func name(_ wanted: String, isWrapped: Bool = false) -> String {
      var name = wanted
      while claimed.contains(name) || isWrapped && claimed.contains("_\(name)") { name += "_" }
      claimed.insert(name)
      if isWrapped { claimed.insert("_\(name)") }
      return name
    }

    /// Takes different names. Those that can stay as they are are taken first.
    mutating func names(
      _ wanted: [String], isWrapped: (String) -> Bool = { _ in false }, _ isFree: (String) -> Bool
    ) -> [String: String] {
      var result: [String: String] = [:]
      for name in wanted where isFree(name) && !claimed.contains(name) && !isWrapped(name) {
        result[name] = self.name(name)
      }
      for name in wanted where result[name] == nil {
        // Two lines are the beginning of names that are reserved.
        let other = name == "_" ? "underscore" : "\(name)_"
        result[name] = self.name(isFree(name) ? name : other, isWrapped: isWrapped(name))
      }
      return result
    }
  }
}
