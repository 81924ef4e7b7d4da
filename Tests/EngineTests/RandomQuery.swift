import GQLite

/// Writes random queries over a random schema.
struct RandomQuery {
  let database: ReferenceDatabase
  private(set) var roots: [ReferenceRoot] = []
  private var variables: [(name: String, type: String, value: ReferenceValue)] = []

  init(_ database: ReferenceDatabase, _ random: inout SeededRandom) {
    self.database = database
    for _ in 0..<(random.chance(20) ? 2 : 1) {
      let type = random.below(database.types.count)
      switch random.below(10) {
      case 0: roots.append(.one(type, id: 1 + random.below(60), selections([type], 2, &random)))
      case 1:
        let predicate = random.chance(80) ? truth([type], 2, &random) : nil
        roots.append(
          .computed(
            .count(ReferenceSet(steps: [], rootType: type, predicate: predicate, name: "T\(type)"))))
      default:
        let arguments = arguments([type], 3, &random)
        roots.append(.list(type, arguments, selections([type], 2, &random)))
      }
    }
  }

  var text: String {
    let declared = variables.map { "$\($0.name): \($0.type)" }.joined(separator: ", ")
    let body = roots.enumerated().map { $1.text("q\($0)") }.joined(separator: " ")
    return "query\(variables.isEmpty ? "" : "(\(declared))") { \(body) }"
  }

  var values: [String: Value] {
    var values: [String: Value] = [:]
    for variable in variables {
      values[variable.name] =
        switch variable.value {
        case .int(let number): .int(Int64(number))
        case .float(let number): .double(number)
        case .bool(let flag): .bool(flag)
        case .text(let text), .symbol(_, let text): .string(text)
        case .null, .list: .null
        }
    }
    return values
  }

  // MARK: - Selections

  private mutating func selections(
    _ scopes: [Int], _ depth: Int, _ random: inout SeededRandom
  ) -> [ReferenceSelection] {
    let type = database.types[scopes[scopes.count - 1]]
    var selections: [ReferenceSelection] = [.field("id")]
    for field in type.fields.dropFirst() where random.chance(25) { selections.append(.field(field.name)) }
    for number in 0..<random.below(3) {
      let value = random.chance(40) ? truth(scopes, 2, &random) : scalar(scopes, &random)
      selections.append(.computed("c\(scopes.count)x\(number)", value))
    }
    guard depth > 0 else { return selections }
    for relation in type.relations where random.chance(35) {
      let inner = scopes + [relation.target]
      let arguments = relation.isMany ? arguments(inner, 2, &random) : ReferenceArguments()
      selections.append(.relation(relation.name, arguments, self.selections(inner, depth - 1, &random)))
    }
    return selections
  }

  private mutating func arguments(
    _ scopes: [Int], _ depth: Int, _ random: inout SeededRandom
  ) -> ReferenceArguments {
    var arguments = ReferenceArguments()
    if random.chance(65) { arguments.predicate = truth(scopes, depth, &random) }
    if random.chance(50) {
      for _ in 0..<(1 + random.below(3)) {
        let form: ReferenceOrder.Form =
          switch random.below(5) {
          case 0, 1: .ascending
          case 2: .minus
          case 3: .descending(nullsFirst: false)
          default: .descending(nullsFirst: true)
          }
        arguments.order.append(ReferenceOrder(key: orderKey(scopes, &random), form: form))
      }
    }
    if random.chance(40) { arguments.limit = random.pick([0, 1, 2, 3, 10, 100]) }
    if random.chance(25) { arguments.offset = random.pick([0, 1, 2, 7, 50]) }
    if random.chance(15) {
      for _ in 0..<(1 + random.below(2)) { arguments.distinct.append(orderKey(scopes, &random)) }
    }
    return arguments
  }

  private mutating func orderKey(_ scopes: [Int], _ random: inout SeededRandom) -> ReferenceExpression {
    let type = scopes[scopes.count - 1]
    if random.chance(15), let relation = many(type, &random) {
      return .count(ReferenceSet(steps: [relation.name], name: relation.name))
    }
    let kinds: [ReferenceKind] = [.int, .float, .text, .bool, .symbol]
    return path(scopes.count - 1, scopes, kinds, &random)?.expression ?? .path(scope: 0, ["key"])
  }

  // MARK: - Expressions

  private func many(_ type: Int, _ random: inout SeededRandom) -> ReferenceRelation? {
    let relations = database.types[type].relations.filter(\.isMany)
    return relations.isEmpty ? nil : random.pick(relations)
  }

  /// A scalar path that starts `scopes.count - 1 - level` scopes out.
  private func path(
    _ level: Int, _ scopes: [Int], _ kinds: [ReferenceKind], _ random: inout SeededRandom
  ) -> (expression: ReferenceExpression, kind: ReferenceKind)? {
    var type = scopes[level]
    var steps: [String] = []
    while steps.count < 2, random.chance(20),
      let relation = database.types[type].relations.filter({ !$0.isMany }).randomElement(using: &random)
    {
      steps.append(relation.name)
      type = relation.target
    }
    let fields = database.types[type].fields.filter { $0.name != "id" && kinds.contains($0.kind) }
    guard let field = fields.randomElement(using: &random) else { return nil }
    return (.path(scope: scopes.count - 1 - level, steps + [field.name]), field.kind)
  }

  private func level(_ scopes: [Int], _ random: inout SeededRandom) -> Int {
    scopes.count > 1 && random.chance(15) ? random.below(scopes.count) : scopes.count - 1
  }

  private mutating func literal(_ kind: ReferenceKind, _ random: inout SeededRandom) -> ReferenceExpression {
    let value = ReferenceDatabase.value(kind, &random)
    guard random.chance(25) else { return .literal(value) }
    let name = "v\(variables.count)"
    variables.append((name, kind.typeName, value))
    return .variable(name, value)
  }

  private mutating func scalar(_ scopes: [Int], _ random: inout SeededRandom) -> ReferenceExpression {
    let type = scopes[scopes.count - 1]
    switch random.below(6) {
    case 0:
      guard let relation = many(type, &random) else { break }
      return .count(set(relation, scopes, &random))
    case 1:
      guard let relation = many(type, &random) else { break }
      let fields = database.types[relation.target].fields.filter { $0.kind == .int || $0.kind == .float }.dropFirst()
      guard let field = fields.randomElement(using: &random) else { break }
      let kind = random.pick(["sum", "avg", "min", "max"])
      return .aggregate(kind, set(relation, scopes, &random), field.name)
    case 2:
      guard let left = path(level(scopes, &random), scopes, [.int, .float], &random) else { break }
      if random.chance(20) { return .arithmetic("/", left.expression, .literal(.int(random.pick([2, 4])))) }
      let right: ReferenceExpression
      if random.chance(50) {
        right = literal(left.kind, &random)
      } else {
        right = path(scopes.count - 1, scopes, [.int, .float], &random)?.expression ?? .literal(.int(2))
      }
      return .arithmetic(random.pick(["+", "-", "*"]), left.expression, right)
    case 3:
      guard let value = path(scopes.count - 1, scopes, [.int, .text, .float], &random) else { break }
      return .coalesce(value.expression, .literal(ReferenceDatabase.value(value.kind, &random)))
    case 4:
      guard let value = path(scopes.count - 1, scopes, [.int, .text], &random) else { break }
      return .conditional(
        truth(scopes, 1, &random), value.expression, .literal(ReferenceDatabase.value(value.kind, &random)))
    default: break
    }
    return path(level(scopes, &random), scopes, ReferenceKind.allCases, &random)?.expression ?? .path(scope: 0, ["key"])
  }

  private mutating func set(
    _ relation: ReferenceRelation, _ scopes: [Int], _ random: inout SeededRandom
  ) -> ReferenceSet {
    let predicate = random.chance(40) ? truth(scopes + [relation.target], 1, &random) : nil
    return ReferenceSet(steps: [relation.name], predicate: predicate, name: relation.name)
  }

  private mutating func truth(
    _ scopes: [Int], _ depth: Int, _ random: inout SeededRandom
  ) -> ReferenceExpression {
    if depth > 0 {
      switch random.below(10) {
      case 0, 1: return .and((0..<(2 + random.below(2))).map { _ in truth(scopes, depth - 1, &random) })
      case 2, 3: return .or((0..<(2 + random.below(2))).map { _ in truth(scopes, depth - 1, &random) })
      case 4: return .not(truth(scopes, depth - 1, &random))
      case 5, 6: if let found = quantifier(scopes, depth, &random) { return found }
      default: break
      }
    }
    return comparison(scopes, &random)
  }

  private mutating func quantifier(
    _ scopes: [Int], _ depth: Int, _ random: inout SeededRandom
  ) -> ReferenceExpression? {
    guard let relation = many(scopes[scopes.count - 1], &random) else { return nil }
    var target = relation.target
    var set = ReferenceSet(steps: [relation.name], name: relation.name)
    if random.chance(15), let second = database.types[target].relations.randomElement(using: &random) {
      set.steps.append(second.name)
      set.name += "." + second.name
      target = second.target
    }
    let inner = scopes + [target]
    if random.chance(30) {
      if random.chance(60) { set.predicate = truth(inner, depth - 1, &random) }
      return .compare(
        random.pick([">", "==", "<=", "!="]), .count(set), .literal(.int(random.below(4))))
    }
    let kind = random.pick(["some", "some", "some", "every", "none", "one", "exists"])
    if kind == "exists" {
      if random.chance(60) { set.predicate = truth(inner, depth - 1, &random) }
      return .quantifier(kind, set, nil)
    }
    return .quantifier(kind, set, truth(inner, depth - 1, &random))
  }

  private mutating func comparison(_ scopes: [Int], _ random: inout SeededRandom) -> ReferenceExpression {
    guard let value = path(level(scopes, &random), scopes, ReferenceKind.allCases, &random) else {
      return .compare("==", .path(scope: 0, ["key"]), .literal(.text("k\(1 + random.below(60))")))
    }
    let left = value.expression
    if case .ints = value.kind { return .listContains(left, literal(.int, &random)) }
    if case .texts = value.kind { return .listContains(left, literal(.text, &random)) }
    switch random.below(12) {
    case 0: return .isNull(left, negated: random.chance(50))
    case 1, 2:
      var elements = (0..<(1 + random.below(4))).map { _ in ReferenceDatabase.value(value.kind, &random) }
      if random.chance(10) { elements.append(.null) }
      return .inList(left, elements, negated: random.chance(30))
    case 3, 4:
      if value.kind == .text {
        let test = random.pick(["contains", "startsWith", "endsWith"])
        return .textTest(test, left, random.pick(ReferenceDatabase.words))
      }
      guard value.kind == .int || value.kind == .float else { break }
      let lower = random.below(8) - 2
      return .inRange(left, lower, lower + random.below(5), isClosed: random.chance(60), negated: random.chance(20))
    case 5:
      if value.kind == .bool { return left }
    case 6:
      // Two fields of one kind, perhaps of two entities.
      if let other = path(level(scopes, &random), scopes, [value.kind], &random) {
        return .compare(random.pick(["==", "!=", "<", ">="]), left, other.expression)
      }
    default: break
    }
    let signs = value.kind == .bool ? ["==", "!="] : ["==", "==", "!=", "<", "<=", ">", ">="]
    return .compare(random.pick(signs), left, literal(value.kind, &random))
  }
}
