/// Conditions and orders in the object form, and arguments in variables.
extension QueryGenerator {
  /// A condition as an object, alone or beside an expression; nil where the type has no fields.
  mutating func objectCondition(_ scope: Scope, _ depth: Int) -> Node? {
    guard let shape = model.shape(scope.shape), shape.role != .union, !scope.shapes.isEmpty else { return nil }
    let isVariable = scope.hasVariables && random.chance(40)
    var inner = Scope(shapes: [shape.name])
    inner.hasVariables = scope.hasVariables && !isVariable
    if !isVariable {
      inner.parameters = scope.parameters
      inner.lets = scope.lets
    }
    let condition = objectTruth(shape, [], inner, depth)
    let form: Form =
      isVariable
      ? .filterVariable(name("f"), type: shape.name + (shape.role == .embedded ? "ElementFilter" : "Filter"))
      : .objectForm
    let node = Node(form, [condition])
    guard random.chance(25) else { return node }
    let other = truth(scope, 0)
    return random.chance(20)
      ? Node(.not, [node])
      : Node(.operation(random.pick(["and", "or"])), random.chance(50) ? [node, other] : [other, node])
  }

  /// Only what the object form can say, from the element of `scope` over `prefix`.
  mutating func objectTruth(_ shape: Shape, _ prefix: [Node], _ scope: Scope, _ depth: Int) -> Node {
    if depth > 0, prefix.isEmpty {
      switch random.below(8) {
      case 0, 1:
        return Node(.operation("and"), objectParts(shape, prefix, scope, depth))
      case 2:
        return Node(.operation("or"), random.chance(4) ? [] : objectParts(shape, prefix, scope, depth))
      case 3:
        let part = random.chance(12) ? nothing(shape, scope) : objectTruth(shape, prefix, scope, depth - 1)
        return Node(.not, [part])
      default: break
      }
    }
    if depth > 0, random.chance(35), let found = objectRelation(shape, prefix, scope, depth) { return found }
    if random.chance(4) { return Node(.literal(.bool(true), isBare: true)) }
    return objectComparison(shape, prefix, scope)
  }

  private mutating func objectParts(_ shape: Shape, _ prefix: [Node], _ scope: Scope, _ depth: Int) -> [Node] {
    (0..<(1 + random.below(3))).map { _ in
      random.chance(10) ? nothing(shape, scope) : objectTruth(shape, prefix, scope, depth - 1)
    }
  }

  /// A null under a connective.
  private mutating func nothing(_ shape: Shape, _ scope: Scope) -> Node {
    guard shape.role != .embedded else { return Node(.nothing(.literal)) }
    return nothing("\(shape.name)Filter", scope)
  }

  private mutating func objectRelation(_ shape: Shape, _ prefix: [Node], _ scope: Scope, _ depth: Int) -> Node? {
    var ways = shape.relations.map { (name: $0.name, target: $0.target, isMany: $0.isMany) }
    for field in shape.fields {
      switch field.kind {
      case .embedded(let target): ways.append((field.name, target, false))
      case .embeddedList(let target): ways.append((field.name, target, true))
      default: break
      }
    }
    guard let way = ways.randomElement(using: &random), let target = model.shape(way.target), target.role != .union
    else { return nil }
    let steps = prefix + [Node(.step(way.name))]
    guard way.isMany else {
      if random.chance(15) {
        return Node(.isNull(negated: random.chance(50)), [Node(.path(scope: 0, isFolded: false), steps)])
      }
      return objectTruth(target, steps, scope, prefix.isEmpty ? depth - 1 : 0)
    }
    let set = Node(.set(scope: 0, isRoot: false), steps)
    if random.chance(35) {
      let number = Node(.literal(.int(random.below(4)), isBare: true))
      return Node(.operation(random.pick([">", "==", "<=", "!="])), [Node(.aggregate("count"), [set]), number])
    }
    return Node(.aggregate(random.pick(["some", "every", "none"])), [set, objectTruth(target, [], scope, depth - 1)])
  }

  private mutating func objectComparison(_ shape: Shape, _ prefix: [Node], _ scope: Scope) -> Node {
    let kinds = Kind.scalars + [.id, .list(.int), .list(.text)]
    guard let field = shape.fields.filter({ kinds.contains($0.kind) }).randomElement(using: &random) else {
      return Node(.literal(.bool(true), isBare: true))
    }
    let path = Node(.path(scope: 0, isFolded: field.isFolded), prefix + [Node(.step(field.name))])
    func test(_ names: [String], _ other: Node, _ random: inout SeededRandom) -> Node {
      Node(.operation(random.pick(names)), [path, other])
    }
    if case .list(let element) = field.kind { return test(["contains"], objectConstant(element, scope), &random) }
    switch random.below(8) {
    case 0: return Node(.isNull(negated: random.chance(50)), [path])
    case 1:
      let elements = (0..<(1 + random.below(3))).map { _ in
        Node(.literal(Model.value(field.kind, &random), isBare: true))
      }
      return Node(.inList(negated: random.chance(40)), [path] + elements)
    case 2, 3:
      guard field.kind == .text else { break }
      if !field.isFolded, random.chance(40) {
        if random.chance(40) {
          return test(["=~"], Node(.literal(.text(random.pick(RandomPatterns.all).text), isBare: true)), &random)
        }
        return test(
          ["like", "ilike"], Node(.literal(.text(random.pick(RandomPatterns.like)), isBare: true)), &random)
      }
      if field.language != nil, prefix.isEmpty, shape.role == .entity, random.chance(60) {
        return test(["matches"], Node(.literal(.text(RandomPatterns.search(&random)), isBare: true)), &random)
      }
      return test(["contains", "startsWith", "endsWith"], objectConstant(.text, scope), &random)
    case 4: return test(["==", "!="], Node(.literal(.null, isBare: true)), &random)
    default: break
    }
    let signs = field.kind == .bool ? ["==", "!="] : ["==", "==", "!=", "<", "<=", ">", ">="]
    return test(signs, objectConstant(field.kind, scope), &random)
  }

  private mutating func objectConstant(_ kind: Kind, _ scope: Scope) -> Node {
    if let place = scope.elsewhere.first, random.chance(50), kind != .id {
      return Node(.elsewhere, [value(kind, place, random.below(2))])
    }
    if random.chance(25), let found = scope.lets.filter({ $0.kind == kind }).randomElement(using: &random) {
      return Node(.letName(found.name))
    }
    let node = constant(kind, scope)
    switch node.form {
    case .absent(let name, let type): return Node(.absentKey(name, type: type))
    case .parameter(let name): return Node(.parameterKey(name))
    default: return node
    }
  }

  /// `orderBy: {field: DESC}`.
  mutating func objectOrder(_ scope: Scope) -> Node? {
    guard let shape = model.shape(scope.shape), shape.role == .entity || shape.role == .interface else { return nil }
    let fields = shape.fields.filter { Kind.scalars.contains($0.kind) && $0.computed == nil }.shuffled(using: &random)
    let terms = fields.prefix(1 + random.below(2)).map { field in
      Node(
        .order(random.chance(50) ? .plain : .minus),
        [Node(.path(scope: 0, isFolded: field.isFolded), [Node(.step(field.name))])])
    }
    guard !terms.isEmpty else { return nil }
    let isVariable = scope.hasVariables && random.chance(50)
    return Node(.orderObject(variable: isVariable ? name("o") : nil, type: "[\(shape.name)Order!]"), terms)
  }

  /// A number of elements, written down or in a variable of some kind.
  mutating func amount(_ number: Int, _ scope: Scope? = nil) -> Node {
    if let scope, !scope.parameters.isEmpty, random.chance(40) {
      let known = scope.parameters.filter { if case .amount = $0.role { true } else { false } }
      if let parameter = known.randomElement(using: &random) { return Node(.parameter(parameter.name)) }
    }
    return switch random.below(14) {
    case 0: Node(.variable(name("v"), type: "Int!", .int(number)))
    case 1: Node(.defaulted(name("v"), type: "Int", .int(number)))
    case 2: Node(.variable(name("v"), type: "Int", .null))
    case 3: Node(.absent(name("v"), type: "Int"))
    default: Node(.literal(.int(number), isBare: true))
    }
  }

  /// `@include` or `@skip` with a variable.
  mutating func conditional(_ scope: Scope? = nil) -> Node {
    let known = (scope?.parameters ?? []).filter { $0.kind == .bool && $0.isConstant }
    if random.chance(60), let parameter = known.randomElement(using: &random) {
      return Node(.conditionalParameter(parameter.name, isSkip: random.chance(50)))
    }
    return Node(.conditional(name("b"), isSkip: random.chance(50), random.chance(50)))
  }
}
