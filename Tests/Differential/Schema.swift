/// The type of a field or an expression.
package indirect enum Kind: Hashable, Sendable {
  case int, float, decimal, text, bool, symbol, id, date, time, duration, json
  case list(Kind)
  /// An embedded value, or a list of them.
  case embedded(String)
  case embeddedList(String)

  static let scalars: [Kind] = [.int, .float, .decimal, .text, .bool, .symbol, .date, .time, .duration]

  var typeName: String {
    switch self {
    case .int: "Int"
    case .float: "Float"
    case .decimal: "Decimal"
    case .text: "String"
    case .bool: "Boolean"
    case .symbol: "Colour"
    case .id: "ID"
    case .date: "Date"
    case .time: "DateTime"
    case .duration: "Duration"
    case .json: "JSON"
    case .list(let element): "[\(element.typeName)!]"
    case .embedded(let name): name
    case .embeddedList(let name): "[\(name)!]"
    }
  }

  var isScalar: Bool {
    switch self {
    case .list, .embedded, .embeddedList, .json: false
    default: true
    }
  }
}

package struct Field: Sendable {
  package var name: String
  package var kind: Kind
  var isNonNull = false
  /// `@collate(CI)`.
  var isFolded = false
  var directives = ""
  /// The language of its full-text index; nil if it has none.
  var language: String?
  var computed: Node?
  package var isComputed: Bool { computed != nil }
}

package struct RelationShape: Sendable {
  package var name: String
  /// An entity type, an interface or a union.
  package var target: String
  package var isMany: Bool
  /// The other side's name, if there is one.
  var inverse: String?
  /// Whether the data names this side; the other is derived.
  var isWritten = true
}

/// A type of a random schema.
package struct Shape: Sendable {
  package enum Role: Sendable { case entity, embedded, interface, union }
  package var name: String
  package var role = Role.entity
  package var fields: [Field] = []
  package var relations: [RelationShape] = []
  var directives = ""
  /// The interfaces of an entity type; the members of an interface or a union.
  var interfaces: [String] = []
  var members: [String] = []
  /// The fields of its one full-text index, which `. matches` looks at.
  var textFields: [String] = []

  func field(_ name: String) -> Field? { fields.first { $0.name == name } }
  func relation(_ name: String) -> RelationShape? { relations.first { $0.name == name } }
}

/// A random schema with random data, as plain dictionaries.
package struct Model: Sendable {
  static let colours = ["RED", "GREEN", "BLUE", "AMBER"]
  package var shapes: [Shape] = []
  /// The entities of each type: their fields by name.
  var rows: [String: [[String: Datum]]] = [:]
  /// For each type, relation and row the linked entities, in link order.
  var links: [String: [String: [[Datum]]]] = [:]
  /// All entities in the order of their insertion.
  var insertion: [Datum] = []
  /// The keys of deleted entities.
  var deleted: Set<String> = []
  /// For each type and row the place in that order.
  var places: [String: [Int]] = [:]

  package func shape(_ name: String) -> Shape? { shapes.first { $0.name == name } }
  package var entities: [Shape] { shapes.filter { $0.role == .entity } }

  /// The entity types that a set of this type may hold.
  func members(_ name: String) -> [String] {
    guard let shape = shape(name) else { return [] }
    return shape.role == .interface || shape.role == .union ? shape.members : [name]
  }

  func place(_ entity: Datum) -> Int {
    guard case .entity(let type, let row) = entity else { return 0 }
    return places[type]?[row] ?? 0
  }

  /// All entities of a type, an interface or a union, in canonical order; those that are deleted with `ONLY`, all with
  /// `INCLUDE`.
  func all(_ name: String, deleted mode: String? = nil) -> [Datum] {
    let members = Set(members(name))
    return insertion.filter { entity in
      guard case .entity(let type, _) = entity, members.contains(type) else { return false }
      return mode == "INCLUDE" || isDeleted(entity) == (mode == "ONLY")
    }
  }

  /// The number of rows of an entity type, deleted ones too.
  func count(_ shape: Shape) -> Int { rows[shape.name]?.count ?? 0 }

  /// Whether some type fills more than one page of the store.
  var isLarge: Bool { entities.contains { count($0) > 1_024 } }

  func isDeleted(_ entity: Datum) -> Bool { !deleted.isEmpty && deleted.contains(entity.key()) }

  /// The links as they were written, those that sleep too.
  func written(_ element: Datum, _ name: String) -> [Datum] {
    guard case .entity(let type, let row) = element else { return [] }
    return links[type]?[name]?[row] ?? []
  }
}
