extension Model {
  static let words = [
    "", "a", "ab", "abc", "abcd", "b", "ba", "B", "é", "É", "e\u{301}", "straße", "strasse", "日本", "日本語", "a b",
    "x\"y\n",
  ]
  static let terms = ["cat", "cats", "dog", "Dogs", "run", "running", "the", "swift", "swim", "Zoë", "zoë", "x1"]

  package static func random(_ random: inout SeededRandom, allowsLarge: Bool = true) -> Model {
    var model = randomSchema(&random)
    // More rows than a batch and a page hold, sometimes.
    let isLarge = random.chance(3) && allowsLarge
    var waiting: [(type: String, values: [String: Datum])] = []
    var ids = Array(1...(isLarge ? 4000 : 200)).shuffled(using: &random)
    for (place, shape) in model.entities.enumerated() {
      let count = isLarge && place == 0 ? largeCount(&random) : random.pick([0, 1, 5, 12, 20, 30])
      let hasTextIds = random.chance(25)
      for _ in 0..<count {
        let id = ids.removeLast()
        waiting.append((shape.name, values(of: shape, id, hasTextIds: hasTextIds, &random)))
      }
    }
    if random.chance(50) { waiting.shuffle(using: &random) }
    for (place, entry) in waiting.enumerated() {
      model.insertion.append(.entity(entry.type, model.rows[entry.type]?.count ?? 0))
      model.rows[entry.type, default: []].append(entry.values)
      model.places[entry.type, default: []].append(place)
    }
    for shape in model.entities {
      let none = Array(repeating: [Datum](), count: model.rows[shape.name]?.count ?? 0)
      for relation in shape.relations { model.links[shape.name, default: [:]][relation.name] = none }
    }
    for shape in model.entities {
      for relation in shape.relations where relation.isWritten { model.link(shape.name, relation, &random) }
    }
    return model
  }

  /// More rows than a page of the store has; in every third large database, enough for four pages.
  private static func largeCount(_ random: inout SeededRandom) -> Int {
    random.chance(33) ? 3_080 + random.below(600) : 1_030 + random.below(1_170)
  }

  static func value(_ kind: Kind, _ random: inout SeededRandom) -> Datum {
    switch kind {
    case .int: return .int(random.below(12) - 3)
    case .float: return .float(Double(random.below(40) - 10) / 4)
    case .decimal:
      let scale = random.below(3)
      return .decimal(ExactDecimal(Int128(random.below(400) - 100), scale: scale))
    case .text: return .text(random.pick(words))
    case .bool: return .bool(random.chance(50))
    case .symbol:
      let place = random.below(colours.count)
      return .symbol(place, colours[place])
    case .id: return .id("\(1 + random.below(200))", isNumber: false)
    case .date: return .date(random.pick([-400, -1, 0, 58, 59, 365, 11_016, 11_017, 19_000, 19_030, 19_031]))
    case .time: return .time(random.below(12) * 3_000_000 + random.below(3) * 1_003)
    case .duration: return .duration((random.below(9) - 3) * random.pick([1, 3600, 43_200, 86_400]))
    case .json: return json(2, &random)
    case .list(let element): return .list((0..<random.below(4)).map { _ in value(element, &random) })
    case .embedded: return embedded(&random)
    case .embeddedList: return .list((0..<random.below(4)).map { _ in embedded(&random) })
    }
  }

  private static func embedded(_ random: inout SeededRandom) -> Datum {
    let kinds: [(String, Kind)] = [("a", .int), ("b", .text), ("c", .decimal)]
    return .object(
      kinds.map { name, kind in
        Datum.Member(name: name, value: random.chance(25) ? .null : value(kind, &random))
      })
  }

  private static func json(_ depth: Int, _ random: inout SeededRandom) -> Datum {
    switch random.below(depth > 0 ? 9 : 5) {
    case 0: return .int(random.below(5))
    case 1: return .decimal(ExactDecimal(Int128(random.below(40)) * 2 + 1, scale: 1))
    case 2: return .text(random.pick(["", "a", "ab", "b"]))
    case 3: return .bool(random.chance(50))
    case 4: return .null
    case 5: return .list((0..<random.below(4)).map { _ in json(depth - 1, &random) })
    default:
      let names = ["k", "m", "n"].filter { _ in random.chance(60) }
      return .object(names.map { Datum.Member(name: $0, value: json(depth - 1, &random)) })
    }
  }

  package static func values(
    of shape: Shape, _ id: Int, hasTextIds: Bool, _ random: inout SeededRandom
  ) -> [String: Datum] {
    var values: [String: Datum] = [:]
    for field in shape.fields where field.computed == nil {
      switch field.name {
      case "id": values["id"] = hasTextIds ? .id("x\(id)", isNumber: false) : .id("\(id)", isNumber: true)
      case "key": values["key"] = .text("k\(id)")
      case "d", "dd":
        let words = (0..<random.below(7)).map { _ in random.pick(terms) }
        values[field.name] = random.chance(15) ? .null : .text(words.joined(separator: random.pick([" ", ", "])))
      default:
        let isNull = !field.isNonNull && !field.kind.isList && random.chance(20)
        values[field.name] = isNull ? .null : value(field.kind, &random)
      }
    }
    return values
  }

  private mutating func link(_ type: String, _ relation: RelationShape, _ random: inout SeededRandom) {
    let targets = all(relation.target)
    let other = relation.inverse.flatMap { shape(relation.target)?.relation($0) }
    // A to-one inverse lets every target be linked once.
    let isExclusive = other.map { !$0.isMany } ?? false
    var taken: Set<String> = []
    let count = rows[type]?.count ?? 0
    var forward: [[Datum]] = []
    for _ in 0..<count {
      var chosen: [Datum] = []
      let wanted = targets.isEmpty ? 0 : relation.isMany ? random.below(5) : random.below(3) == 0 ? 0 : 1
      for _ in 0..<wanted {
        let target = random.pick(targets)
        if chosen.contains(where: { $0.key() == target.key() }) { continue }
        if isExclusive, !taken.insert(target.key()).inserted { continue }
        chosen.append(target)
      }
      forward.append(chosen)
    }
    links[type, default: [:]][relation.name] = forward
    guard let inverse = relation.inverse else { return }
    // The lists of the derived side are in the order of the records that name them.
    var backward = Array(repeating: [Datum](), count: rows[relation.target]?.count ?? 0)
    let order = insertion.filter { if case .entity(type, _) = $0 { true } else { false } }
    for case .entity(_, let row) in order {
      for case .entity(_, let target) in forward[row] { backward[target].append(.entity(type, row)) }
    }
    links[relation.target, default: [:]][inverse] = backward
  }
}
