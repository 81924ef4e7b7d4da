/// Queries that SQL can say too.
extension QueryGenerator {
  mutating func plainQuery() -> Node {
    let type = random.pick(model.entities).name
    let scope = Scope(shapes: [type])
    switch random.below(5) {
    case 0:
      let arguments = Node(.arguments, random.chance(80) ? [Node(.argument("where"), [plainTruth(scope, 2)])] : [])
      let set = Node(.set(scope: 0, isRoot: true), [Node(.step(type), [arguments])])
      guard let field = plainFields(type, [.int, .float]).randomElement(using: &random), random.chance(50) else {
        return Node(.query, [Node(.computed("c", isColon: false), [Node(.aggregate("count"), [set])])])
      }
      let bag = Node(set.form, set.children + [Node(.step(field.name))])
      let call = Node(.aggregate(random.pick(["sum", "avg", "min", "max", "count"])), [bag])
      return Node(.query, [Node(.computed("c", isColon: false), [call])])
    case 1: return Node(.query, [plainGroups(type, scope)])
    default: return Node(.query, [plainList(type, scope)])
    }
  }

  /// A list of entities, of whose own fields, and of those that to-one relations lead to, all of it is made.
  mutating func flatList() -> Node {
    let type = random.pick(model.entities).name
    let scope = Scope(shapes: [type])
    func path(_ generator: inout QueryGenerator) -> Node? {
      generator.plainPath([.int, .text, .float, .bool], scope)?.node
    }
    var arguments: [Node] = []
    if random.chance(60) { arguments.append(Node(.argument("where"), [plainTruth(scope, 1)])) }
    if random.chance(70) {
      let terms = (0..<(1 + random.below(2))).compactMap { _ in path(&self) }.map { Node(.order(orderForm()), [$0]) }
      if !terms.isEmpty { arguments.append(Node(.argument("orderBy"), terms)) }
    }
    if random.chance(50) { arguments.append(Node(.argument("limit"), [number(random.pick([0, 1, 3, 10, 30]))])) }
    var fields: [Node] = []
    // Elements without an id are told apart by their place.
    if random.chance(70) { fields.append(Node(.field("id", alias: nil))) }
    for field in plainFields(type, Kind.scalars) where random.chance(30) {
      fields.append(Node(.field(field.name, alias: nil)))
    }
    if let path = path(&self) { fields.append(Node(.computed(name("c"), isColon: false), [path])) }
    if fields.isEmpty { fields.append(Node(.field("id", alias: nil))) }
    // Long paths cost patches more than short elements are worth.
    let alias = name(random.chance(30) ? "everybodyWhoTakesPart" : "s")
    return Node(.query, [Node(.field(type, alias: alias), [Node(.arguments, arguments), Node(.selections, fields)])])
  }

  private func plainFields(_ type: String, _ kinds: [Kind]) -> [Field] {
    (model.shape(type)?.fields ?? []).filter { kinds.contains($0.kind) && SQLTranslation.isStored($0) }
  }

  private mutating func plainPaging(_ form: (inout QueryGenerator) -> Node) -> [Node] {
    var nodes: [Node] = []
    if random.chance(60) {
      let terms = (0..<(1 + random.below(3))).map { _ in Node(.order(orderForm()), [computed(form(&self))]) }
      nodes.append(Node(.argument("orderBy"), terms))
    }
    if random.chance(40) { nodes.append(Node(.argument("limit"), [number(random.pick([0, 1, 3, 10]))])) }
    if random.chance(30) { nodes.append(Node(.argument("offset"), [number(random.pick([0, 1, 5]))])) }
    return nodes
  }

  private func number(_ value: Int) -> Node { Node(.literal(.int(value), isBare: true)) }

  private mutating func plainList(_ type: String, _ scope: Scope) -> Node {
    var arguments: [Node] = []
    if random.chance(85) { arguments.append(Node(.argument("where"), [plainTruth(scope, 3)])) }
    arguments += plainPaging { $0.plainValue($0.random.pick([.int, .text, .float, .bool]), scope, 1) }
    var fields = [Node(.field("id", alias: nil))]
    for field in plainFields(type, Kind.scalars) where random.chance(30) {
      fields.append(Node(.field(field.name, alias: nil)))
    }
    for _ in 0..<random.below(3) {
      let kind = random.pick([Kind.int, .int, .text, .float, .bool])
      fields.append(Node(.computed(name("c"), isColon: false), [plainValue(kind, scope, 2)]))
    }
    return Node(.field(type, alias: name("s")), [Node(.arguments, arguments), Node(.selections, fields)])
  }

  private mutating func plainGroups(_ type: String, _ scope: Scope) -> Node {
    let keys = Array(
      plainFields(type, [.int, .text, .bool, .symbol]).shuffled(using: &random).prefix(1 + random.below(2)))
    guard !keys.isEmpty else { return plainList(type, scope) }
    let nodes = keys.map { Node(.path(scope: 0, isFolded: false), [Node(.step($0.name))]) }
    var arguments = [Node(.argument("groupBy"), nodes)]
    if random.chance(50) { arguments.append(Node(.argument("where"), [plainTruth(scope, 2)])) }
    func aggregate(_ generator: inout QueryGenerator) -> Node {
      let numbers = generator.plainFields(type, [.int, .float])
      guard generator.random.chance(70), let field = numbers.randomElement(using: &generator.random) else {
        return Node(.groupAggregate("count", isDistinct: false))
      }
      let name = generator.random.pick(["sum", "avg", "min", "max", "count"])
      let path = Node(.path(scope: 0, isFolded: false), [Node(.step(field.name))])
      return Node(.groupAggregate(name, isDistinct: name == "count" && generator.random.chance(60)), [path])
    }
    if random.chance(40) {
      let sign = random.pick([">", "<=", "==", "!="])
      arguments.append(
        Node(.argument("having"), [Node(.operation(sign), [aggregate(&self), number(random.below(6))])]))
    }
    arguments += plainPaging { generator in
      if generator.random.chance(40) { return Node(.key(keys[0].name, isFolded: false)) }
      return aggregate(&generator)
    }
    var fields = keys.map { Node(.field($0.name, alias: nil)) }
    for _ in 0..<(1 + random.below(3)) { fields.append(Node(.computed(name("c"), isColon: false), [aggregate(&self)])) }
    return Node(.field(type, alias: name("g")), [Node(.arguments, arguments), Node(.selections, fields)])
  }

  // MARK: - Expressions

  private mutating func plainPath(_ kinds: [Kind], _ scope: Scope) -> (node: Node, kind: Kind)? {
    let level = scope.shapes.count > 1 && random.chance(15) ? 1 : 0
    var type = scope.shapes[scope.shapes.count - 1 - level]
    var steps: [Node] = []
    if random.chance(20),
      let relation = model.shape(type)?.relations.filter({ !$0.isMany && model.shape($0.target)?.role == .entity })
        .randomElement(using: &random)
    {
      steps.append(Node(.step(relation.name)))
      type = relation.target
    }
    guard let field = plainFields(type, kinds).randomElement(using: &random) else { return nil }
    return (Node(.path(scope: level, isFolded: false), steps + [Node(.step(field.name))]), field.kind)
  }

  private mutating func plainSet(_ scope: Scope, _ depth: Int) -> (node: Node, target: String)? {
    let relations = (model.shape(scope.shape)?.relations ?? []).filter {
      $0.isMany && model.shape($0.target)?.role == .entity
    }
    guard let relation = relations.randomElement(using: &random) else { return nil }
    var arguments: [Node] = []
    if random.chance(40) {
      arguments = [
        Node(.arguments, [Node(.argument("where"), [plainTruth(scope.entering(relation.target), depth - 1)])])
      ]
    }
    return (Node(.set(scope: 0, isRoot: false), [Node(.step(relation.name), arguments)]), relation.target)
  }

  private mutating func plainTruth(_ scope: Scope, _ depth: Int) -> Node {
    if depth > 0 {
      switch random.below(9) {
      case 0, 1, 2:
        let parts = (0..<(2 + random.below(2))).map { _ in plainTruth(scope, depth - 1) }
        return Node(.operation(random.pick(["and", "or"])), parts)
      case 3: return Node(.not, [plainTruth(scope, depth - 1)])
      case 4, 5, 6:
        guard let set = plainSet(scope, depth) else { break }
        let kind = random.pick(["some", "some", "every", "none", "one", "exists", "count"])
        if kind == "exists" { return Node(.aggregate(kind), [set.node]) }
        if kind == "count" {
          return Node(
            .operation(random.pick([">", "==", "<="])), [Node(.aggregate(kind), [set.node]), number(random.below(4))])
        }
        return Node(.aggregate(kind), [set.node, plainTruth(scope.entering(set.target), depth - 1)])
      default: break
      }
    }
    guard let value = plainPath([.int, .float, .text, .bool, .symbol], scope) else {
      return Node(.literal(.bool(true), isBare: true))
    }
    func constant() -> Node { literal(Model.value(value.kind, &random), value.kind, scope) }
    switch random.below(8) {
    case 0: return Node(.isNull(negated: random.chance(50)), [value.node])
    case 1: return Node(.inList(negated: random.chance(30)), [value.node, constant(), constant()])
    case 2 where value.kind == .int || value.kind == .float || value.kind == .text:
      return Node(
        .inRange(isClosed: random.chance(50), negated: random.chance(20)), [value.node, constant(), constant()])
    case 3 where value.kind == .text:
      return Node(.operation(random.pick(["contains", "startsWith"])), [value.node, constant()])
    case 4:
      guard let other = plainPath([value.kind], scope) else { break }
      return Node(.operation(random.pick(["==", "!=", "<", ">="])), [value.node, other.node])
    case 5 where value.kind == .bool: return value.node
    default: break
    }
    let signs = value.kind == .bool ? ["==", "!="] : ["==", "!=", "<", "<=", ">", ">="]
    return Node(.operation(random.pick(signs)), [value.node, constant()])
  }

  private mutating func plainValue(_ kind: Kind, _ scope: Scope, _ depth: Int) -> Node {
    if kind == .bool { return plainTruth(scope, depth) }
    if depth > 0 {
      switch random.below(8) {
      case 0 where kind != .text, 1 where kind != .text:
        let sides = [plainValue(kind, scope, depth - 1), plainValue(kind, scope, depth - 1)]
        return Node(.operation(random.pick(["+", "-", "*"])), sides)
      case 0, 1: return Node(.operation("+"), [plainValue(kind, scope, depth - 1), plainValue(kind, scope, depth - 1)])
      case 2:
        let sides = [plainValue(kind, scope, depth - 1), plainValue(kind, scope, depth - 1)]
        return Node(.call("if"), [plainTruth(scope, 1)] + sides)
      case 3:
        guard let path = plainPath([kind], scope) else { break }
        return Node(.operation("??"), [path.node, literal(Model.value(kind, &random), kind, scope, isBare: false)])
      case 4, 5:
        guard let set = plainSet(scope, depth) else { break }
        if kind == .int, random.chance(50) { return Node(.aggregate("count"), [set.node]) }
        guard let field = plainFields(set.target, [kind]).randomElement(using: &random) else { break }
        let bag = Node(set.node.form, set.node.children + [Node(.step(field.name))])
        return Node(.aggregate(random.pick(kind == .text ? ["min", "max"] : ["sum", "min", "max"])), [bag])
      case 6 where kind == .int: return Node(.call("length"), [plainValue(.text, scope, depth - 1)])
      default: break
      }
    }
    return plainPath([kind], scope)?.node ?? literal(Model.value(kind, &random), kind, scope, isBare: false)
  }
}
