/// Entities, lists and JSON values that are chosen: by `first`, `if`, `??` and `coalesce`.
extension QueryGenerator {
  /// One of the two calls that take one of many.
  mutating func end() -> String { random.chance(65) ? "first" : "last" }

  struct Chosen {
    var node: Node
    var target: String
  }

  /// An entity that is chosen; nil where nothing is to be had.
  mutating func chosen(_ scope: Scope, _ depth: Int) -> Chosen? {
    guard scope.isOpen, let target = chosenType(scope) else { return nil }
    return chosen(target, scope, depth).map { Chosen(node: $0, target: target) }
  }

  /// A type of which something is near by.
  private mutating func chosenType(_ scope: Scope) -> String? {
    var near: [String] = []
    if scope.reach > 0, let shape = scope.shapes.last.flatMap({ model.shape($0) }), shape.role != .embedded {
      if shape.role != .union { near.append(shape.name) }
      near += shape.relations.map(\.target).filter { model.shape($0)?.role != .union }
    }
    if near.isEmpty || random.chance(10) { near += model.entities.map(\.name) }
    return near.randomElement(using: &random)
  }

  private mutating func chosen(_ target: String, _ scope: Scope, _ depth: Int) -> Node? {
    if let members = model.shape(target)?.interfaces, !members.isEmpty, random.chance(12),
      let wide = operand(members[0], scope, depth)
    {
      return Node(.entityCast(target), [wide])
    }
    guard let first = operand(target, scope, depth) else { return nil }
    // In place of one of the others a member's entity, or nobody.
    func other(_ generator: inout QueryGenerator) -> Node? {
      let members = generator.model.shape(target)?.members ?? []
      if !members.isEmpty, generator.random.chance(40) {
        return generator.operand(generator.random.pick(members), scope, depth - 1)
      }
      return generator.operand(target, scope, depth - 1)
    }
    switch random.below(7) {
    case 0: return first
    case 1: return Node(.call("if"), [truth(scope, 0), first])
    case 2:
      guard let other = other(&self) else { return first }
      let sides = random.chance(50) ? [first, other] : [other, first]
      return Node(.call("if"), [truth(scope, 1)] + sides)
    case 3, 4:
      guard let other = other(&self) else { return first }
      return Node(.operation("??"), [first, other])
    default:
      var operands = [first]
      for _ in 0..<(1 + random.below(2)) { if let other = other(&self) { operands.append(other) } }
      if random.chance(30) { operands.append(Node(.literal(.null, isBare: true))) }
      return Node(.call("coalesce"), operands.shuffled(using: &random))
    }
  }

  /// One entity of a type.
  private mutating func operand(_ target: String, _ scope: Scope, _ depth: Int) -> Node? {
    if depth > 0, random.chance(12) { return chosen(target, scope, depth - 1) }
    var found: [Node] = []
    if scope.reach > 0, let shape = scope.shapes.last.flatMap({ model.shape($0) }), shape.role != .embedded {
      let ones = shape.relations.filter { !$0.isMany && $0.target == target }
      found += ones.map { Node(.path(scope: 0, isFolded: false), [Node(.step($0.name), deletedArguments())]) }
      if shape.name == target { found.append(Node(.path(scope: 0, isFolded: false))) }
      for relation in shape.relations where relation.isMany && relation.target == target {
        let arguments = random.chance(40) ? [limited(scope.entering(target, reach: 2), depth)] : []
        let set = Node(.set(scope: 0, isRoot: false), [Node(.step(relation.name), arguments)])
        found.append(Node(.aggregate(end()), [set]))
      }
    }
    if scope.reach > 1, scope.shapes.count > 1, scope.shapes[scope.shapes.count - 2] == target, random.chance(30) {
      found.append(Node(.path(scope: 1, isFolded: false)))
    }
    found += scope.entities.filter { $0.type == target }.map { Node(.letName($0.name)) }
    let isEntity = model.shape(target)?.role == .entity
    if isEntity, found.isEmpty || random.chance(15) {
      let id = model.rows[target]?.randomElement(using: &random)?["id"] ?? .id("999", isNumber: false)
      found.append(Node(.entityOfID(target.lowercased()), [literal(id, .id, scope)]))
    }
    if isEntity, found.isEmpty || random.chance(8), (model.rows[target]?.count ?? 0) < 100 {
      found.append(Node(.aggregate(end()), [Node(.set(scope: 0, isRoot: true), [Node(.step(target))])]))
    }
    return found.randomElement(using: &random)
  }

  private mutating func deletedArguments() -> [Node] {
    let modes = deletedModes()
    return modes.isEmpty ? [] : [Node(.arguments, modes)]
  }

  // MARK: - Uses

  /// A value of an entity that is chosen.
  mutating func valueOfChosen(_ kind: Kind, _ scope: Scope, _ depth: Int) -> Node? {
    guard let chosen = chosen(scope, depth), let shape = model.shape(chosen.target) else { return nil }
    var steps: [Node] = []
    var current = shape
    if random.chance(25), let one = shape.relations.filter({ !$0.isMany }).randomElement(using: &random),
      let target = model.shape(one.target)
    {
      steps.append(Node(.step(one.name)))
      current = target
    }
    guard let field = current.fields.filter({ $0.kind == kind && !$0.isFolded }).randomElement(using: &random) else {
      return nil
    }
    return Node(.access, [chosen.node] + steps + [Node(.step(field.name))])
  }

  /// What a to-many relation of an entity that is chosen leads to.
  mutating func setOfChosen(_ scope: Scope, _ depth: Int) -> SetNode? {
    guard let chosen = chosen(scope, depth),
      let relation = model.shape(chosen.target)?.relations.filter(\.isMany).randomElement(using: &random)
    else { return nil }
    return SetNode(node: Node(.access, [chosen.node, Node(.step(relation.name))]), target: relation.target)
  }

  /// A condition about an entity that is chosen.
  mutating func testOfChosen(_ scope: Scope) -> Node? {
    guard let chosen = chosen(scope, 1) else { return nil }
    let members = model.shape(chosen.target)?.members ?? []
    switch random.below(5) {
    case 0: return Node(.isNull(negated: random.chance(50)), [chosen.node])
    case 1 where !members.isEmpty:
      return Node(.isType(random.pick(members), negated: random.chance(30)), [chosen.node])
    case 2:
      guard let relation = model.shape(chosen.target)?.relations.filter(\.isMany).randomElement(using: &random) else {
        return nil
      }
      let set = Node(.access, [chosen.node, Node(.step(relation.name))])
      return Node(
        .aggregate(random.pick(["some", "every", "none"])), [set, truth(scope.apart(relation.target), 0)])
    case 3:
      guard let set = set(scope, 0), set.target == chosen.target, set.isMany, case .set = set.node.form else {
        return nil
      }
      return Node(.operation("in"), [chosen.node, set.node])
    default:
      guard let other = operand(chosen.target, scope, 1) else { return nil }
      return Node(.operation(random.pick(["==", "!="])), [chosen.node, other])
    }
  }

  /// An entity that is chosen, or what belongs to one, with a selection.
  mutating func selectionOfChosen(_ scope: Scope, _ depth: Int) -> Node? {
    guard let chosen = chosen(scope, 2), let shape = model.shape(chosen.target) else { return nil }
    var node = Node(.entity, [chosen.node])
    var target = chosen.target
    if random.chance(30), let relation = shape.relations.randomElement(using: &random) {
      let path = Node(.access, [chosen.node, Node(.step(relation.name))])
      node = relation.isMany ? path : Node(.entity, [path])
      target = relation.target
    }
    return Node(.computedSet(name("c")), [node, selections(scope.entering(target, reach: 1), depth - 1)])
  }

  // MARK: - Lists

  /// A list that is chosen, or joined of others.
  mutating func chosenList(_ element: Kind, _ scope: Scope, _ depth: Int) -> Node? {
    // Without variables a constant list would be written down, which is JSON.
    guard scope.hasVariables else { return nil }
    let kind = Kind.list(element)
    let inner = max(0, depth - 1)
    switch random.below(6) {
    case 0, 1:
      guard let maybe = maybeList(element, scope, inner) else { return nil }
      return Node(.operation("??"), [maybe, value(kind, scope, inner)])
    case 2:
      var operands = (0..<(1 + random.below(2))).compactMap { _ in maybeList(element, scope, inner) }
      operands.append(value(kind, scope, inner))
      if random.chance(30) { operands.insert(Node(.literal(.null, isBare: true)), at: random.below(operands.count)) }
      return Node(.call("coalesce"), operands)
    case 3:
      var operands = (0..<(2 + random.below(2))).map { _ in value(kind, scope, inner) }
      if scope.hasVariables, random.chance(25), [Kind.int, .text].contains(element) {
        operands.append(written(element))
      }
      return Node(.joinedLists, operands)
    case 4:
      let sides = [value(kind, scope, inner), value(kind, scope, inner)]
      return Node(.call("if"), [truth(scope, 0)] + sides)
    default:
      let bounds = [random.below(4) - 1, random.below(5) - 1].prefix(1 + random.below(2))
      return Node(.call("slice"), [value(kind, scope, inner)] + bounds.map { Node(.literal(.int($0), isBare: false)) })
    }
  }

  private mutating func written(_ element: Kind) -> Node {
    Node(.list, (0..<(1 + random.below(3))).map { _ in Node(.literal(Model.value(element, &random), isBare: false)) })
  }

  /// A list that may be null.
  private mutating func maybeList(_ element: Kind, _ scope: Scope, _ depth: Int) -> Node? {
    let kind = Kind.list(element)
    switch random.below(3) {
    case 0: return Node(.call("if"), [truth(scope, 0), value(kind, scope, depth)])
    case 1:
      guard scope.hasVariables else { return nil }
      return Node(.variable(name("v"), type: kind.typeName, .null))
    default: return valueOfChosen(kind, scope, 0)
    }
  }

  // MARK: - JSON

  /// A JSON value that is chosen, perhaps by something in it, or a list that is joined of JSON and others.
  mutating func chosenJSON(_ scope: Scope, _ depth: Int) -> Node? {
    guard let json = jsonPath(scope) else { return nil }
    let inner = max(0, depth - 1)
    func other(_ generator: inout QueryGenerator) -> Node {
      switch generator.random.below(5) {
      case 0: return generator.jsonPath(scope) ?? json
      case 1: return generator.written(generator.random.pick([.int, .text]))
      case 2: return Node(.object(["k"]), [generator.value(.int, scope, 0)])
      case 3: return generator.value(generator.random.pick([.int, .text, .bool]), scope, 0)
      default: return generator.value(generator.random.pick([.list(.int), .list(.text)]), scope, inner)
      }
    }
    var node: Node
    switch random.below(5) {
    case 0: node = Node(.operation("??"), [json, other(&self)])
    case 1: node = Node(.call("coalesce"), [json, other(&self), jsonPath(scope) ?? json].shuffled(using: &random))
    case 2: node = Node(.call("if"), [truth(scope, 0)] + [json, other(&self)].shuffled(using: &random))
    default:
      let lists = (0..<(1 + random.below(2))).map { _ -> Node in
        random.chance(50)
          ? written(random.pick([.int, .text])) : value(random.pick([.list(.int), .list(.text)]), scope, inner)
      }
      node = Node(.joinedLists, ([json] + lists).shuffled(using: &random))
      return isRisky && random.chance(30) ? node : Node(.call("try"), [node])
    }
    guard random.chance(30) else { return node }
    return Node(.access, [node, random.chance(50) ? Node(.step("k")) : Node(.index(random.below(3)))])
  }
}
