/// Fields, literals and sets.
extension QueryGenerator {
  struct Path {
    var node: Node
    var kind: Kind
    var isFolded: Bool
  }

  /// A way to a value of one of these types from an element in sight.
  mutating func path(_ kinds: [Kind], _ scope: Scope, folded: Bool = true) -> Path? {
    guard !scope.shapes.isEmpty, scope.reach > 0 else { return nil }
    let level =
      scope.isOpen && scope.reach > 1 && random.chance(15) ? random.below(min(scope.reach, scope.shapes.count)) : 0
    var shape = scope.shapes[scope.shapes.count - 1 - level]
    var steps: [Node] = []
    if level == 0, let members = model.shape(shape)?.members, !members.isEmpty, random.chance(40) {
      shape = random.pick(members)
      steps.append(Node(.cast(shape)))
    }
    for _ in 0..<2 where random.chance(18) {
      guard let relation = model.shape(shape)?.relations.filter({ !$0.isMany }).randomElement(using: &random) else {
        break
      }
      steps.append(Node(.step(relation.name)))
      shape = relation.target
    }
    if let embedded = model.shape(shape)?.fields.first(where: { if case .embedded = $0.kind { true } else { false } }),
      random.chance(15), case .embedded(let name) = embedded.kind
    {
      steps.append(Node(.step(embedded.name)))
      shape = name
    }
    let isStored = scope.isOpen
    let fields = (model.shape(shape)?.fields ?? []).filter {
      kinds.contains($0.kind) && (isStored || $0.computed == nil) && (folded || !$0.isFolded)
    }
    guard let field = fields.randomElement(using: &random) else { return nil }
    steps.append(Node(.step(field.name)))
    return Path(
      node: Node(.path(scope: level, isFolded: field.isFolded), steps), kind: field.kind, isFolded: field.isFolded)
  }

  /// A JSON value inside a JSON field.
  mutating func jsonPath(_ scope: Scope) -> Node? {
    guard var node = path([.json], scope)?.node else { return nil }
    for _ in 0..<random.below(3) {
      node.children.append(
        random.chance(60) ? Node(.step(random.pick(["k", "m", "n"]))) : Node(.index(random.below(3))))
    }
    return node
  }

  /// A constant, or a variable with that value.
  mutating func literal(_ datum: Datum, _ kind: Kind, _ scope: Scope, isBare: Bool = true) -> Node {
    // A list that is written down is a JSON value.
    guard scope.hasVariables, random.chance(20) || kind.isList, kind != .json else {
      return Node(.literal(datum, isBare: isBare))
    }
    switch random.below(8) {
    case 0 where kind.isScalar && kind != .symbol: return Node(.defaulted(name("v"), type: kind.typeName, datum))
    case 1 where kind.isScalar: return Node(.variable(name("v"), type: kind.typeName, .null))
    case 2 where kind.isScalar: return Node(.absent(name("v"), type: kind.typeName))
    case 3: return Node(.variable(name("v"), type: "\(kind.typeName)!", datum))
    default: return Node(.variable(name("v"), type: kind.typeName, datum))
    }
  }

  mutating func constant(_ kind: Kind, _ scope: Scope, isBare: Bool = true) -> Node {
    if random.chance(35), let parameter = parameter(of: kind, scope) { return parameter }
    return literal(Model.value(kind, &random), kind, scope, isBare: isBare)
  }

  // MARK: - Sets

  struct SetNode {
    var node: Node
    var target: String
    /// False for a path of to-one relations, from which a value is one value.
    var isMany = true
  }

  /// A relation, a path of relations, a list of embedded values, a type, or a closure.
  mutating func set(_ scope: Scope, _ depth: Int, scalars: Bool = false) -> SetNode? {
    if scope.isOpen, random.chance(30), let known = scope.sets.randomElement(using: &random) {
      return SetNode(node: Node(.letName(known.name)), target: known.target)
    }
    if !scope.shapes.isEmpty, random.chance(4), let set = setOfChosen(scope, 0) { return set }
    if scope.shapes.isEmpty || (scope.isOpen && random.chance(15)) { return rootSet(scope, depth) }
    let level =
      scope.isOpen && scope.reach > 1 && random.chance(10) ? random.below(min(scope.reach, scope.shapes.count)) : 0
    let start = scope.shapes[scope.shapes.count - 1 - level]
    guard let shape = model.shape(start) else { return nil }
    if random.chance(15), let own = shape.relations.filter({ $0.target == start }).randomElement(using: &random) {
      if level == 0, random.chance(25) { return shortestPath(own, shape, scope) }
      let modes = deletedModes()
      let steps = [Node(.step(own.name), modes.isEmpty ? [] : [Node(.arguments, modes)])]
      let range = random.chance(30) ? nil : random.below(2)...(1 + random.below(3))
      var children = [Node(.set(scope: level, isRoot: false), steps)]
      if random.chance(30) { children.append(truth(scope.apart(start), 0)) }
      return SetNode(node: Node(.closure(range), children), target: start)
    }
    if let list = shape.fields.first(where: { if case .embeddedList = $0.kind { true } else { false } }),
      case .embeddedList(let name) = list.kind, random.chance(25)
    {
      let arguments = stepArguments(scope, name, level, depth)
      return SetNode(
        node: Node(.set(scope: level, isRoot: false), [Node(.step(list.name), arguments)]), target: name)
    }
    return steps(Node(.set(scope: level, isRoot: false)), start, scope, level, depth)
  }

  private mutating func steps(
    _ node: Node, _ start: String, _ scope: Scope, _ level: Int, _ depth: Int
  ) -> SetNode? {
    var node = node
    var target = start
    var isMany = false
    let count = random.chance(25) ? 2 : 1
    for place in 0..<count {
      // To-one relations stand in sets of two steps, and sometimes alone.
      let relations = (model.shape(target)?.relations ?? []).filter { $0.isMany || count == 2 || random.chance(20) }
      guard let relation = relations.randomElement(using: &random) else {
        return place == 0 ? nil : SetNode(node: node, target: target, isMany: isMany)
      }
      target = relation.target
      isMany = isMany || relation.isMany
      var arguments = relation.isMany ? stepArguments(scope, target, level, depth) : []
      let modes = deletedModes()
      if !modes.isEmpty { arguments = [Node(.arguments, (arguments.first?.children ?? []) + modes)] }
      node.children.append(Node(.step(relation.name), arguments))
    }
    return SetNode(node: node, target: target, isMany: isMany)
  }

  private mutating func stepArguments(_ scope: Scope, _ target: String, _ level: Int, _ depth: Int) -> [Node] {
    guard random.chance(40) else { return [] }
    // From the element itself `^` is that element; from one further out it is not tried.
    let inner = scope.entering(target, reach: level == 0 && scope.isOpen ? 2 : 1)
    return [limited(inner, depth)]
  }

  mutating func limited(_ inner: Scope, _ depth: Int) -> Node {
    var nodes: [Node] = []
    if random.chance(2) {
      nodes.append(Node(.argument("where"), [nothing("Boolean", inner)]))
    } else if random.chance(8), let condition = objectCondition(inner, 1) {
      nodes.append(Node(.argument("where"), [condition]))
    } else if random.chance(70) {
      nodes.append(Node(.argument("where"), [truth(inner, max(0, depth - 1))]))
    }
    if random.chance(25) {
      if random.chance(70) { nodes.append(Node(.argument("orderBy"), [order(inner)])) }
      nodes.append(Node(.argument("limit"), [Node(.literal(.int(1 + random.below(3)), isBare: true))]))
    }
    return Node(.arguments, nodes)
  }

  private mutating func rootSet(_ scope: Scope, _ depth: Int) -> SetNode? {
    // A set of a thousand for each of a thousand takes too long here.
    let small = model.shapes.filter { shape in
      shape.role != .embedded
        && (scope.shapes.isEmpty || model.members(shape.name).allSatisfy { (model.rows[$0]?.count ?? 0) < 100 })
    }
    guard let shape = small.randomElement(using: &random) else { return nil }
    var reach = scope.entering(shape.name)
    if scope.shapes.isEmpty, !scope.isFunction { (reach.lets, reach.sets, reach.entities) = ([], [], []) }
    var arguments = random.chance(60) ? [limited(reach, depth)] : []
    if shape.role == .entity, random.chance(model.deleted.isEmpty ? 2 : 12) {
      let mode = Node(.argument("deleted"), [Node(.word(random.pick(["ONLY", "INCLUDE"])))])
      arguments = [Node(.arguments, (arguments.first?.children ?? []) + [mode])]
    }
    let node = Node(.set(scope: 0, isRoot: true), [Node(.step(shape.name), arguments)])
    if random.chance(15), shape.role == .entity, let relation = shape.relations.randomElement(using: &random) {
      return SetNode(
        node: Node(node.form, node.children + [Node(.step(relation.name))]), target: relation.target)
    }
    return SetNode(node: node, target: shape.name)
  }

  /// A set behind `:=` that is selected from.
  mutating func entitySet(_ scope: Scope, _ depth: Int) -> SetNode? {
    guard let set = set(scope, max(0, depth)), model.shape(set.target)?.role == .entity else { return nil }
    switch set.node.form {
    case .closure, .shortestPath, .letName, .access: return set
    default: break
    }
    guard case .set(let level, _) = set.node.form else { return nil }
    if !set.isMany {
      return SetNode(node: Node(.path(scope: level, isFolded: false), set.node.children), target: set.target)
    }
    return random.chance(30) ? SetNode(node: Node(.aggregate(end()), [set.node]), target: set.target) : set
  }

  /// A set and a value for each of its members: `sum(r.f)`, or `sum(r, e)`.
  mutating func bag(_ kind: Kind, _ scope: Scope, _ depth: Int) -> [Node]? {
    guard let set = set(scope, depth) else { return nil }
    let fields = (model.shape(set.target)?.fields ?? []).filter {
      $0.kind == kind && $0.computed == nil && !$0.isFolded
    }
    if random.chance(60), let field = fields.randomElement(using: &random), case .set = set.node.form, set.isMany {
      return [Node(set.node.form, set.node.children + [Node(.step(field.name))])]
    }
    let reach = scope.isOpen && !scope.shapes.isEmpty ? 2 : 1
    return [set.node, computed(value(kind, scope.entering(set.target, reach: reach), max(0, depth - 1)))]
  }
}
