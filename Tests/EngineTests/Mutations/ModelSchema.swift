/// A value of a field: how documents and variables write it, how answers print it, and what it is equal by.
indirect enum ModelValue: Hashable {
  case scalar(json: String, literal: String, key: String)
  case list([ModelValue?])
  case object([ModelMember])

  struct ModelMember: Hashable {
    var name: String
    var value: ModelValue?
  }

  static func int(_ value: Int) -> ModelValue { .scalar(json: "\(value)", literal: "\(value)", key: "\(value)") }
  static func text(_ value: String) -> ModelValue {
    .scalar(json: "\"\(value)\"", literal: "\"\(value)\"", key: "\"\(value)\"")
  }

  var json: String {
    switch self {
    case .scalar(let json, _, _): json
    case .list(let elements): "[" + elements.map { $0?.json ?? "null" }.joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\"\($0.name)\":\($0.value?.json ?? "null")" }.joined(separator: ",") + "}"
    }
  }
  var literal: String {
    switch self {
    case .scalar(_, let literal, _): literal
    case .list(let elements): "[" + elements.map { $0?.literal ?? "null" }.joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\($0.name): \($0.value?.literal ?? "null")" }.joined(separator: ", ") + "}"
    }
  }
  var key: String { if case .scalar(_, _, let key) = self { key } else { json } }
  var number: Int? { Int(json) }
  var string: String? { json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : nil }
}

/// What a field may hold.
enum ModelKind: CaseIterable {
  case int, float, decimal, text, folded, bool, moment, date, duration, uuid, bytes, json, symbol, ints, texts, place
  /// An embedded object with links, which are relations of the entity.
  case spot

  var typeName: String {
    switch self {
    case .int: "Int"
    case .float: "Float"
    case .decimal: "Decimal"
    case .text, .folded: "String"
    case .bool: "Boolean"
    case .moment: "DateTime"
    case .date: "Date"
    case .duration: "Duration"
    case .uuid: "UUID"
    case .bytes: "Bytes"
    case .json: "JSON"
    case .symbol: "Colour"
    case .ints: "[Int!]"
    case .texts: "[String]"
    case .place: "Place"
    // Each field has a type of its own, because each has other relations.
    case .spot: "Spot"
    }
  }
  var isIndexable: Bool {
    switch self {
    case .json, .ints, .texts, .place, .spot: false
    default: true
    }
  }
  var isObject: Bool { self == .place || self == .spot }

  func value(_ random: inout SeededRandom) -> ModelValue {
    func plain(_ texts: [String]) -> ModelValue {
      let text = random.pick(texts)
      return .scalar(json: text, literal: text, key: text)
    }
    func quoted(_ texts: [String]) -> ModelValue { .text(random.pick(texts)) }
    switch self {
    case .int: return plain(["0", "1", "2", "5", "-3", "40", "9007199254740993"])
    case .float: return plain(["0.5", "2.25", "4", "-1e+300", "0.1"])
    case .decimal: return plain(["1.50", "2", "-0.001", "12345678901234567890.5"])
    case .text: return quoted(["a", "b", "ab", "Ä", "", "a longer text of more than one cell", "c"])
    case .folded:
      let (text, key) = random.pick([("x", "x"), ("X", "x"), ("Straße", "strasse"), ("STRASSE", "strasse"), ("é", "é")])
      return .scalar(json: "\"\(text)\"", literal: "\"\(text)\"", key: key)
    case .bool: return plain(["true", "false"])
    case .moment: return quoted(["2024-02-29T12:00:00Z", "1999-12-31T23:59:59.500Z", "2030-01-01T00:00:00Z"])
    case .date: return quoted(["2024-02-29", "1999-12-31", "2030-01-01"])
    case .duration: return quoted(["PT1H", "P1DT2H", "PT0.5S"])
    case .uuid: return quoted(["123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000001"])
    case .bytes: return quoted(["AQID", "", "/w=="])
    case .json:
      let (json, literal) = random.pick([
        ("{\"a\":1}", "{a: 1}"), ("[1,\"x\",null]", "[1, \"x\", null]"), ("true", "true"), ("\"t\"", "\"t\""),
      ])
      return .scalar(json: json, literal: literal, key: json)
    case .symbol:
      let name = random.pick(["RED", "GREEN", "BLUE"])
      return .scalar(json: "\"\(name)\"", literal: name, key: name)
    case .ints: return .list((0..<random.below(4)).map { _ in ModelKind.int.value(&random) })
    case .texts:
      return .list((0..<random.below(4)).map { _ in random.chance(20) ? nil : ModelKind.text.value(&random) })
    case .place:
      return .object([
        .init(name: "city", value: ModelKind.text.value(&random)),
        .init(name: "n", value: random.chance(30) ? nil : ModelKind.int.value(&random)),
      ])
    case .spot: return .object([.init(name: "label", value: ModelKind.text.value(&random))])
    }
  }
}

struct ModelField {
  enum Default { case value(ModelValue), now }
  enum Index: String { case btree = "BTREE", hash = "HASH", unique = "UNIQUE" }
  var name: String
  var kind: ModelKind
  var isRequired = false
  var standard: Default?
  var index: Index?
  var replaces = false

  var sdl: String {
    var text = "\(name): \(kind == .spot ? spotType : kind.typeName)\(isRequired ? "!" : "")"
    switch standard {
    case .value(let value): text += " = \(value.literal)"
    case .now: text += " @default(value: now())"
    case nil: break
    }
    switch index {
    case .unique: text += replaces ? " @unique(onConflict: REPLACE)" : " @unique"
    case .btree: text += " @index"
    case .hash: text += " @index(kind: HASH)"
    case nil: break
    }
    return text + (kind == .folded ? " @collate(CI)" : "")
  }
  /// The name of the embedded type of a `.spot`.
  var spotType = ""
  /// Without the links inside it.
  var selection: String {
    switch kind {
    case .place: "\(name) { city n }"
    case .spot: "\(name) { label }"
    default: name
    }
  }
}

/// One direction of a relation; those without a name are the other sides of one-way relations.
struct ModelRelation {
  enum Rule: String, CaseIterable { case nullify = "NULLIFY", cascade = "CASCADE", deny = "DENY" }
  /// A type; ``ModelSchema/named`` for the interface.
  var source: Int
  var target: Int
  var name: String?
  var isMany: Bool
  var isRequired = false
  var rule = Rule.nullify
  var inverse: Int
  /// The field of the embedded object in which it is.
  var within: Int?
}

/// What happens to two entities that want one key.
enum ModelDecision { case fail, keep, replace, patch }

/// A key that no two living entities share; place -1 is the id.
struct ModelKey {
  var fields: [Int]
  var replaces = false
  /// The program decides, in the schema's place.
  var isDecided = false

  /// What the program says, by the id of the entity that is there.
  static func decision(_ id: Int) -> ModelDecision { [.replace, .fail, .keep, .patch][(id % 4 + 4) % 4] }
}

struct ModelType {
  var name: String
  var fields: [ModelField] = []
  var keys: [ModelKey] = [ModelKey(fields: [-1])]
  var isNamed = false
  /// The id is two fields, `row` and `number`, which stand for one number here.
  var isCompound = false

  static func row(_ id: Int) -> String { "r\(id / 5)" }
  static func number(_ id: Int) -> Int { id % 5 }
  static func id(row: String, number: Int) -> Int? { Int(row.dropFirst()).map { $0 * 5 + number } }

  /// The fields of the id.
  var idSelection: String { isCompound ? "row number" : "id" }
  /// The members of the id, as documents write them.
  func literal(id: Int) -> String { isCompound ? "row: \"\(Self.row(id))\", number: \(Self.number(id))" : "id: \(id)" }
  func json(id: Int) -> String {
    isCompound ? "\"row\":\"\(Self.row(id))\",\"number\":\(Self.number(id))" : "\"id\":\(id)"
  }
  /// The condition that an entity has an id.
  func condition(id: Int) -> String {
    isCompound ? "(row == \"\(Self.row(id))\" and number == \(Self.number(id)))" : "id == \(id)"
  }
}

/// A random schema of two to four types.
struct ModelSchema {
  var types: [ModelType] = []
  var relations: [ModelRelation] = []

  init(_ random: inout SeededRandom) {
    for number in 0..<(2 + random.below(3)) { types.append(Self.type(number, &random)) }
    for number in 0..<(2 + random.below(5)) { addRelation(number, &random) }
    if types.contains(where: \.isNamed), random.chance(60) { addInterfaceRelation(&random) }
    for (number, type) in types.enumerated() {
      for (place, field) in type.fields.enumerated() where field.kind == .spot {
        types[number].fields[place].spotType = "Spot\(number)\(place)"
        for name in ["at", "all"] { addRelation(within: place, of: number, name, &random) }
      }
    }
  }

  /// Leaves all unique values to the schema.
  mutating func decidesNothing() {
    for type in types.indices {
      for key in types[type].keys.indices { types[type].keys[key].isDecided = false }
    }
  }

  /// Instead of a type: the interface.
  static let named = -1

  private mutating func addPair(_ relation: ModelRelation) {
    var relation = relation
    let place = relations.count
    relation.inverse = place + 1
    relations += [
      relation,
      ModelRelation(source: relation.target, target: relation.source, name: nil, isMany: true, inverse: place),
    ]
  }

  private mutating func addInterfaceRelation(_ random: inout SeededRandom) {
    var relation = ModelRelation(
      source: random.below(types.count), target: Self.named, name: "n", isMany: random.chance(60), inverse: 0)
    relation.rule = random.pick([.nullify, .nullify, .cascade, .deny])
    addPair(relation)
  }

  private mutating func addRelation(within place: Int, of type: Int, _ name: String, _ random: inout SeededRandom) {
    let target = types.contains(where: \.isNamed) && random.chance(25) ? Self.named : random.below(types.count)
    addPair(
      ModelRelation(source: type, target: target, name: name, isMany: name == "all", inverse: 0, within: place))
  }

  private static func type(_ number: Int, _ random: inout SeededRandom) -> ModelType {
    var type = ModelType(name: "T\(number)", isNamed: random.chance(50))
    if !type.isNamed { type.isCompound = random.chance(40) }
    if type.isNamed { type.fields.append(ModelField(name: "name", kind: .text)) }
    for place in 0..<(2 + random.below(5)) {
      var field = ModelField(name: "f\(place)", kind: random.pick(ModelKind.allCases))
      field.isRequired = random.chance(25)
      if random.chance(25), !field.kind.isObject, field.kind != .json {
        field.standard = field.kind == .moment ? .now : .value(field.kind.value(&random))
      }
      if field.kind.isIndexable {
        field.index = random.pick([nil, nil, .btree, .hash, .unique])
        // Few values, so few entities could have a unique truth value.
        if field.index == .unique, field.kind == .bool { field.index = .hash }
        field.replaces = random.chance(30)
      }
      type.fields.append(field)
    }
    if random.chance(40) { type.fields.append(ModelField(name: "spot", kind: .spot)) }
    for (place, field) in type.fields.enumerated() where field.index == .unique {
      type.keys.append(ModelKey(fields: [place], replaces: field.replaces))
    }
    let parts = type.fields.indices.filter { type.fields[$0].kind.isIndexable && type.fields[$0].index != .unique }
    if parts.count >= 2, random.chance(50) {
      type.keys.append(ModelKey(fields: Array(parts.shuffled(using: &random).prefix(2)), replaces: random.chance(20)))
    }
    for place in type.keys.indices.dropFirst() where random.chance(35) { type.keys[place].isDecided = true }
    return type
  }

  private mutating func addRelation(_ number: Int, _ random: inout SeededRandom) {
    let place = relations.count
    let source = random.below(types.count)
    var relation = ModelRelation(
      source: source, target: random.below(types.count), name: "r\(number)", isMany: random.chance(60),
      inverse: place + 1)
    relation.rule = random.pick([.nullify, .nullify, .cascade, .deny])
    // Required only towards earlier types, so that some entity can be the first.
    if !relation.isMany, relation.target < source { relation.isRequired = random.chance(40) }
    if source == relation.target, random.chance(30) {
      relation.inverse = place
      relations.append(relation)
      return
    }
    var other = ModelRelation(source: relation.target, target: source, name: nil, isMany: true, inverse: place)
    if random.chance(65) {
      other.name = "s\(number)"
      other.isMany = random.chance(60)
      other.rule = random.pick([.nullify, .nullify, .cascade, .deny])
      // Not both sides: the first of the two could never be inserted alone.
      if !other.isMany, other.target < other.source { other.isRequired = random.chance(40) }
    }
    relations += [relation, other]
  }

  var sdl: String {
    var text = "enum Colour { RED GREEN BLUE }\ntype Place { city: String! n: Int = 7 }\n"
    if types.contains(where: \.isNamed) { text += "interface Named { id: ID! name: String }\n" }
    for (number, type) in types.enumerated() {
      text += "type \(type.name)\(type.isNamed ? " implements Named" : "")"
      if type.isCompound { text += " @id(fields: [\"row\", \"number\"])" }
      for key in type.keys where key.fields.count > 1 {
        let names = key.fields.map { "\"\(type.fields[$0].name)\"" }.joined(separator: ", ")
        text += " @unique(fields: [\(names)]\(key.replaces ? ", onConflict: REPLACE" : ""))"
      }
      text += type.isCompound ? " {\n  row: String!\n  number: Int!\n" : " {\n  id: ID!\n"
      for field in type.fields { text += "  \(field.sdl)\n" }
      for place in named(of: number) { text += "  \(sdl(relations[place]))\n" }
      text += "}\n"
      for (place, field) in type.fields.enumerated() where field.kind == .spot {
        text += "type \(field.spotType) {\n  label: String!\n"
        for relation in within(place, of: number) {
          let target = name(relations[relation].target)
          let type = relations[relation].isMany ? "[\(target)!]" : target
          text += "  \(relations[relation].name ?? ""): \(type)\n"
        }
        text += "}\n"
      }
    }
    return text
  }

  func name(_ type: Int) -> String { type == Self.named ? "Named" : types[type].name }

  private func sdl(_ relation: ModelRelation) -> String {
    let target = name(relation.target)
    let type = relation.isMany ? "[\(target)!]!" : target + (relation.isRequired ? "!" : "")
    let inverse = relations[relation.inverse].name.map { "\"\($0)\"" } ?? "null"
    return "\(relation.name ?? ""): \(type) @relation(inverse: \(inverse), onDelete: \(relation.rule.rawValue))"
  }

  /// The relations that the schema gives a type, in its order; not those inside embedded objects.
  func named(of type: Int) -> [Int] {
    relations.indices.filter {
      relations[$0].source == type && relations[$0].name != nil && relations[$0].within == nil
    }
  }
  /// Those of an embedded object.
  func within(_ place: Int, of type: Int) -> [Int] {
    relations.indices.filter { relations[$0].source == type && relations[$0].within == place }
  }
  func all(of type: Int) -> [Int] {
    relations.indices.filter {
      relations[$0].source == type || relations[$0].source == Self.named && types[type].isNamed
    }
  }
  /// The types that a relation may lead to.
  func types(of target: Int) -> [Int] {
    target == Self.named ? types.indices.filter { types[$0].isNamed } : [target]
  }

  /// All fields and relations of a type in a selection.
  func selection(_ type: Int) -> String {
    let fields = types[type].fields.enumerated().map { place, field in
      guard field.kind == .spot else { return field.selection }
      return "\(field.name) { label \(within(place, of: type).map(selection(relation:)).joined(separator: " ")) }"
    }
    return ([types[type].idSelection] + fields + named(of: type).map(selection(relation:))).joined(separator: " ")
  }

  private func selection(relation place: Int) -> String {
    let target = relations[place].target
    let members = target == Self.named ? "__typename id" : types[target].idSelection
    return "\(relations[place].name ?? "") { \(members) }"
  }
}
