/// Conditions.
extension QueryGenerator {
  mutating func truth(_ scope: Scope, _ depth: Int) -> Node {
    if depth > 0 {
      switch random.below(11) {
      case 0, 1, 2:
        let sign = random.pick(["and", "or"])
        return Node(.operation(sign), (0..<(2 + random.below(2))).map { _ in truth(scope, depth - 1) })
      case 3: return Node(.not, [truth(scope, depth - 1)])
      case 4, 5, 6: if let found = quantifier(scope, depth) { return found }
      case 7:
        let kind = isRisky ? .int : random.pick([Kind.int, .decimal, .text, .float, .date])
        let sign = random.pick(["==", "!=", "<", "<=", ">", ">="])
        return Node(.operation(sign), [value(kind, scope, depth - 1), value(kind, scope, depth - 1)])
      default: break
      }
      // An unknown among conditions.
      if random.chance(3) {
        let parts = [Node(.literal(.null, isBare: true)), truth(scope, depth - 1)]
        return Node(.operation(random.pick(["and", "or"])), parts.shuffled(using: &random))
      }
    }
    return comparison(scope)
  }

  private mutating func quantifier(_ scope: Scope, _ depth: Int) -> Node? {
    if random.chance(10),
      let list = random.chance(25) ? chosenList(.int, scope, 1) : path([.list(.int)], scope)?.node
    {
      let inner = Node(
        .operation(random.pick([">", "==", "<"])), [Node(.path(scope: 0, isFolded: false)), constant(.int, scope)])
      return Node(.aggregate(random.pick(["some", "every", "none"])), [list, inner])
    }
    guard let set = set(scope, depth - 1) else { return nil }
    let kind = random.pick(["some", "some", "some", "every", "none", "one", "exists", "count", "hasMore"])
    switch kind {
    case "exists": return Node(.aggregate(kind), [set.node])
    case "count":
      let sign = random.pick([">", "==", "<=", "!="])
      let number = Node(.literal(.int(random.below(4)), isBare: true))
      return Node(.operation(sign), [Node(.aggregate("count"), [set.node]), number])
    case "hasMore":
      guard case .set = set.node.form, set.isMany, set.node.children.count == 1, var step = set.node.children.last,
        model.shape(set.target)?.role == .entity
      else {
        return nil
      }
      if step.arguments?.argument("limit") == nil {
        let limit = Node(.argument("limit"), [Node(.literal(.int(random.below(3)), isBare: true))])
        step.children = [Node(.arguments, (step.arguments?.children ?? []) + [limit])]
      }
      return Node(.aggregate(kind), [Node(set.node.form, set.node.children.dropLast() + [step])])
    default:
      let reach = scope.isOpen && !scope.shapes.isEmpty ? 2 : 1
      return Node(.aggregate(kind), [set.node, truth(scope.entering(set.target, reach: reach), depth - 1)])
    }
  }

  private mutating func comparison(_ scope: Scope) -> Node {
    let shape = scope.shapes.last.flatMap { model.shape($0) }
    if let shape, !shape.members.isEmpty, random.chance(30) {
      return Node(
        .isType(random.pick(shape.members), negated: random.chance(30)), [Node(.path(scope: 0, isFolded: false))])
    }
    if random.chance(4), let call = userCall(.bool, scope, 0) { return call }
    if random.chance(6), let entity = entityComparison(scope) { return entity }
    if random.chance(4), let test = testOfChosen(scope) { return test }
    if random.chance(2), let list = chosenList(.int, scope, 1) {
      if random.chance(50) { return Node(.operation("contains"), [list, constant(.int, scope)]) }
      return Node(.operation("in"), [constant(.int, scope, isBare: false), list])
    }
    if !scope.parameters.isEmpty, random.chance(8),
      let parameter = scope.parameters.filter({ $0.kind == .bool && $0.isConstant }).randomElement(using: &random)
    {
      return Node(.parameter(parameter.name))
    }
    if random.chance(8), let json = jsonComparison(scope) { return json }
    if let shape, shape.role == .entity, random.chance(10), let field = shape.field("d") {
      let node = Node(.path(scope: 0, isFolded: false), [Node(.step(field.name))])
      return Node(.operation("matches"), [node, literal(.text(RandomPatterns.search(&random)), .text, scope)])
    }
    let kinds = Kind.scalars + [.id, .list(.int), .list(.text), .list(.symbol)]
    guard let value = path(kinds, scope) else {
      if let found = scope.lets.filter({ $0.kind == .int }).last, !scope.shapes.isEmpty {
        return Node(.operation(">"), [Node(.letName(found.name)), constant(.int, scope)])
      }
      return Node(.literal(.bool(random.chance(60)), isBare: true))
    }
    if case .list(let element) = value.kind {
      return Node(.operation("contains"), [value.node, constant(element, scope)])
    }
    switch random.below(13) {
    case 0: return Node(.isNull(negated: random.chance(50)), [value.node])
    case 1 where random.chance(30) && scope.hasVariables && !value.isFolded && value.kind != .id:
      // A whole list in a variable.
      return Node(.operation("in"), [value.node, constant(.list(value.kind), scope)])
    case 1, 2:
      var elements = (0..<(1 + random.below(4))).map { _ in constant(value.kind, scope) }
      if random.chance(10) { elements.append(Node(.literal(.null, isBare: true))) }
      return Node(.inList(negated: random.chance(30)), [value.node] + elements)
    case 3, 4: if let test = textTest(value, scope) { return test }
    case 5:
      if value.kind == .bool { return value.node }
      if random.chance(50), value.kind != .id, value.kind != .symbol {
        let bounds = [constant(value.kind, scope), constant(value.kind, scope)]
        return Node(.inRange(isClosed: random.chance(60), negated: random.chance(20)), [value.node] + bounds)
      }
    case 6:
      // Two fields of one type, perhaps of two entities.
      if let other = path([value.kind], scope) {
        return Node(.operation(random.pick(["==", "!=", "<", ">="])), [value.node, other.node])
      }
    case 7:
      // Numbers of different types compare by exact value.
      if let other = [Kind.int, .float, .decimal].contains(value.kind) ? path([.int, .float, .decimal], scope) : nil {
        return Node(.operation(random.pick(["==", "!=", "<", ">="])), [value.node, other.node])
      }
    default: break
    }
    let signs = value.kind == .bool ? ["==", "!="] : ["==", "==", "!=", "<", "<=", ">", ">="]
    return Node(.operation(random.pick(signs)), [value.node, constant(value.kind, scope)])
  }

  private mutating func textTest(_ value: Path, _ scope: Scope) -> Node? {
    guard value.kind == .text else { return nil }
    switch random.below(6) {
    case 0 where !value.isFolded:
      return Node(
        .operation(random.pick(["like", "ilike"])),
        [value.node, literal(.text(random.pick(RandomPatterns.like)), .text, scope)])
    case 1 where !value.isFolded:
      let pattern = Node(.literal(.text(random.pick(RandomPatterns.all).text), isBare: true))
      return Node(.operation(random.pick(["=~", "=~", "!~"])), [value.node, pattern])
    case 2 where !value.isFolded:
      let folded = Node(.call("collate"), [value.node, Node(.word("CI"))])
      return Node(.operation(random.pick(["==", "contains", "<"])), [folded, constant(.text, scope)])
    default:
      return Node(
        .operation(random.pick(["contains", "startsWith", "endsWith"])), [value.node, constant(.text, scope)])
    }
  }

  /// Entities compare by identity: two links, or membership in a set.
  private mutating func entityComparison(_ scope: Scope) -> Node? {
    guard let shape = scope.shapes.last.flatMap({ model.shape($0) }), shape.role == .entity else { return nil }
    let ones = shape.relations.filter { !$0.isMany }
    if random.chance(40), let one = ones.randomElement(using: &random) {
      let path = Node(.path(scope: 0, isFolded: false), [Node(.step(one.name))])
      if random.chance(50) { return Node(.isNull(negated: random.chance(50)), [path]) }
      guard let other = ones.filter({ $0.target == one.target }).randomElement(using: &random) else { return nil }
      let right = Node(.path(scope: 0, isFolded: false), [Node(.step(other.name))])
      return Node(.operation(random.pick(["==", "!="])), [path, right])
    }
    guard let set = set(scope, 0), set.target == shape.name, set.isMany, case .set = set.node.form else { return nil }
    return Node(.operation("in"), [Node(.path(scope: 0, isFolded: false)), set.node])
  }

  private mutating func jsonComparison(_ scope: Scope) -> Node? {
    guard let json = jsonPath(scope) else { return nil }
    switch random.below(5) {
    case 0: return Node(.isNull(negated: random.chance(50)), [json])
    case 4: return jsonMembership(json, scope)
    case 1:
      return Node(
        .operation(random.pick(["==", "!="])), [json, Node(.literal(.text(random.pick(["a", "ab"])), isBare: true))])
    default:
      let number = Node(.literal(.int(random.below(5)), isBare: true))
      return Node(.operation(random.pick(["==", "!=", "<", ">="])), [json, number])
    }
  }

  /// In a JSON value, which may be no list; or a JSON value in a variable.
  private mutating func jsonMembership(_ json: Node, _ scope: Scope) -> Node {
    if scope.hasVariables, random.chance(40) {
      let list = Datum.list((0..<random.below(9)).map { _ in Model.value(.json, &random) })
      return Node(.operation("in"), [json, Node(.variable(name("v"), type: "JSON", list))])
    }
    let subjects: [Node] = [
      Node(.literal(.int(random.below(5)), isBare: true)),
      Node(.literal(.text(random.pick(["a", "ab"])), isBare: true)),
      Node(.literal(.null, isBare: true)),
      jsonPath(scope) ?? json,
      path([.int, .float, .decimal], scope)?.node ?? json,
    ]
    return Node(.operation("in"), [random.pick(subjects), json])
  }
}
