/// A seeded generator (SplitMix64), so that a failing case can be had again.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// A value as the reference evaluator sees it.
enum ReferenceValue: Hashable {
  case null
  case bool(Bool)
  case int(Int)
  case float(Double)
  case text(String)
  /// An enum value: its place in the declaration and its name.
  case symbol(Int, String)
  case list([ReferenceValue])
}

/// What a field of the random schemas may hold.
enum ReferenceKind: CaseIterable {
  case int, float, text, bool, symbol, ints, texts

  static let scalars: [ReferenceKind] = [.int, .int, .float, .text, .text, .bool, .symbol]
  var typeName: String {
    switch self {
    case .int: "Int"
    case .float: "Float"
    case .text: "String"
    case .bool: "Boolean"
    case .symbol: "Colour"
    case .ints: "[Int!]"
    case .texts: "[String!]"
    }
  }
}

struct ReferenceField {
  var name: String
  var kind: ReferenceKind
  var isNonNull: Bool
  var directive: String
}

struct ReferenceRelation {
  var name: String
  var target: Int
  var isMany: Bool
  /// The other side's name, if there is one.
  var inverse: String?
  /// Whether the data names this side; the other is derived.
  var isWritten: Bool
}

struct ReferenceType {
  var name: String
  var fields: [ReferenceField]
  var relations: [ReferenceRelation] = []
  var directives = ""
  var rows: [[String: ReferenceValue]] = []
  /// For each relation the linked rows of each row, in link order.
  var links: [String: [[Int]]] = [:]
}

/// A random schema with random data, as plain dictionaries.
struct ReferenceDatabase {
  static let colours = ["RED", "GREEN", "BLUE", "AMBER"]
  static let words = ["", "a", "ab", "abc", "b", "ba", "B", "é", "zebra", "Zebras", "日本", "日本語", "a b", "abcd"]
  var types: [ReferenceType] = []

  init(_ random: inout SeededRandom) {
    let count = 2 + random.below(2)
    for index in 0..<count { types.append(Self.type(index, &random)) }
    for index in 0..<(count + random.below(3)) { addRelation(index, &random) }
    for index in types.indices { fill(index, &random) }
    for index in types.indices { link(index, &random) }
  }

  private static func type(_ index: Int, _ random: inout SeededRandom) -> ReferenceType {
    var fields = [
      ReferenceField(name: "id", kind: .int, isNonNull: true, directive: ""),
      ReferenceField(name: "key", kind: .text, isNonNull: true, directive: " @unique"),
    ]
    for number in 0..<(3 + random.below(4)) {
      let kind = random.pick(ReferenceKind.scalars)
      var directive = random.pick(["", "", " @index", " @index", " @index(kind: HASH)"])
      if kind == .text, random.chance(50) { directive += " @trigram" }
      fields.append(
        ReferenceField(name: "f\(number)", kind: kind, isNonNull: random.chance(25), directive: directive))
    }
    fields.append(
      ReferenceField(name: "l", kind: random.chance(50) ? .ints : .texts, isNonNull: true, directive: ""))
    var type = ReferenceType(name: "T\(index)", fields: fields)
    if random.chance(60) {
      let first = 2 + random.below(fields.count - 4)
      type.directives = " @index(fields: [\"\(fields[first].name)\", \"\(fields[first + 1].name)\"])"
    }
    return type
  }

  private mutating func addRelation(_ index: Int, _ random: inout SeededRandom) {
    let source = random.below(types.count)
    let target = random.below(types.count)
    let isMany = random.chance(50)
    let hasInverse = random.chance(75)
    types[source].relations.append(
      ReferenceRelation(
        name: "r\(index)", target: target, isMany: isMany, inverse: hasInverse ? "v\(index)" : nil, isWritten: true))
    if hasInverse {
      types[target].relations.append(
        ReferenceRelation(
          name: "v\(index)", target: source, isMany: !isMany || random.chance(50), inverse: "r\(index)",
          isWritten: false))
    }
  }

  static func value(_ kind: ReferenceKind, _ random: inout SeededRandom) -> ReferenceValue {
    switch kind {
    case .int: .int(random.below(12) - 3)
    case .float: .float(Double(random.below(40) - 10) / 4)
    case .text: .text(random.pick(words))
    case .bool: .bool(random.chance(50))
    case .symbol:
      {
        let place = $0
        return .symbol(place, colours[place])
      }(random.below(colours.count))
    case .ints: .list((0..<random.below(4)).map { _ in .int(random.below(6)) })
    case .texts: .list((0..<random.below(4)).map { _ in .text(random.pick(words)) })
    }
  }

  private mutating func fill(_ index: Int, _ random: inout SeededRandom) {
    let count = random.pick([0, 1, 5, 20, 45])
    let ids = Array(1...60).shuffled(using: &random)
    for row in 0..<count {
      var values: [String: ReferenceValue] = [:]
      for field in types[index].fields {
        switch field.name {
        case "id": values["id"] = .int(ids[row])
        case "key": values["key"] = .text("k\(ids[row])")
        default:
          values[field.name] =
            !field.isNonNull && random.chance(20) ? .null : Self.value(field.kind, &random)
        }
      }
      types[index].rows.append(values)
    }
  }

  private mutating func link(_ index: Int, _ random: inout SeededRandom) {
    for relation in types[index].relations where relation.isWritten {
      let targets = types[relation.target].rows.count
      var taken: Set<Int> = []
      // A to-one inverse lets every target be linked once.
      let other = types[relation.target].relations.first { $0.name == relation.inverse }
      let isExclusive = other.map { !$0.isMany } ?? false
      var forward: [[Int]] = []
      for _ in types[index].rows {
        var chosen: [Int] = []
        let wanted = targets == 0 ? 0 : relation.isMany ? random.below(5) : random.below(3) == 0 ? 0 : 1
        for _ in 0..<wanted {
          let target = random.below(targets)
          if chosen.contains(target) || (isExclusive && taken.contains(target)) { continue }
          taken.insert(target)
          chosen.append(target)
        }
        forward.append(chosen)
      }
      types[index].links[relation.name] = forward
      guard let inverse = relation.inverse else { continue }
      var backward = Array(repeating: [Int](), count: targets)
      for (source, chosen) in forward.enumerated() {
        for target in chosen { backward[target].append(source) }
      }
      types[relation.target].links[inverse] = backward
    }
  }

  // MARK: - What the engine is given

  var sdl: String {
    var text = "enum Colour { \(Self.colours.joined(separator: " ")) }\n"
    for type in types {
      text += "type \(type.name)\(type.directives) {\n"
      for field in type.fields {
        let name = field.name == "id" ? "ID" : field.kind.typeName
        text += "  \(field.name): \(name)\(field.isNonNull ? "!" : "")\(field.directive)\n"
      }
      for relation in type.relations {
        let target = types[relation.target].name
        let inverse = relation.inverse.map { " @relation(inverse: \"\($0)\")" } ?? ""
        text += "  \(relation.name): \(relation.isMany ? "[\(target)!]!" : target)\(inverse)\n"
      }
      text += "}\n"
    }
    return text
  }

  func ndjson(_ index: Int) -> String {
    let type = types[index]
    var text = ""
    for (row, values) in type.rows.enumerated() {
      var members = type.fields.map { "\"\($0.name)\":\(ReferenceJSON.text(values[$0.name] ?? .null))" }
      for relation in type.relations where relation.isWritten {
        let ids = (type.links[relation.name]?[row] ?? []).map {
          ReferenceJSON.text(types[relation.target].rows[$0]["id"] ?? .null)
        }
        if relation.isMany {
          members.append("\"\(relation.name)\":[\(ids.joined(separator: ","))]")
        } else {
          members.append("\"\(relation.name)\":\(ids.first ?? "null")")
        }
      }
      text += "{\(members.joined(separator: ","))}\n"
    }
    return text
  }
}

/// JSON as the language prints it: a Float as its shortest decimal without `.0`.
enum ReferenceJSON {
  static func text(_ value: ReferenceValue) -> String {
    switch value {
    case .null: return "null"
    case .bool(let flag): return flag ? "true" : "false"
    case .int(let number): return "\(number)"
    case .float(let number):
      let digits = "\(number)"
      if number == 0 { return number.sign == .minus ? "-0" : "0" }
      return digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
    case .text(let text), .symbol(_, let text): return "\"\(text)\""
    case .list(let elements): return "[\(elements.map(Self.text).joined(separator: ","))]"
    }
  }
}
