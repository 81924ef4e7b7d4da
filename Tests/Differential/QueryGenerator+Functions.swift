/// `func` of the document, and calls of them.
extension QueryGenerator {
  struct Signature {
    var name: String
    var parameters: [Parameter]
    var result: Kind
  }

  mutating func function() -> Node {
    let result = random.pick([Kind.int, .int, .text, .bool, .decimal, .date])
    var parameters: [Parameter] = []
    var scope = Scope(shapes: [], reach: 0)
    scope.isFunction = true
    for _ in 0..<random.below(4) {
      if random.chance(40) {
        let target = random.pick(model.entities).name
        parameters.append(Parameter(name: name("p"), type: target))
        scope.entities.append((parameters[parameters.count - 1].name, target))
      } else {
        let kind = random.pick([Kind.int, .int, .text, .bool, .decimal, .date])
        let fallback = random.chance(25) ? Model.value(kind, &random) : nil
        parameters.append(Parameter(name: name("p"), type: kind.typeName, kind: kind, fallback: fallback))
        scope.lets.append((parameters[parameters.count - 1].name, kind))
      }
    }
    // Those that may be left out come last.
    parameters = parameters.filter { $0.fallback == nil } + parameters.filter { $0.fallback != nil }
    let name = name("fn")
    let body = value(result, scope, 2)
    functions.append(Signature(name: name, parameters: parameters, result: result))
    return Node(.function(name, parameters: parameters, result: result.typeName), [body])
  }

  /// A call of a function with this result.
  mutating func userCall(_ kind: Kind, _ scope: Scope, _ depth: Int) -> Node? {
    guard let function = functions.filter({ $0.result == kind }).randomElement(using: &random) else { return nil }
    var arguments: [Node] = []
    for parameter in function.parameters {
      if let kind = parameter.kind {
        if parameter.fallback != nil, random.chance(50) { break }
        arguments.append(value(kind, scope, max(0, depth - 1)))
      } else if let entity = entity(parameter.type, scope) {
        arguments.append(entity)
      } else {
        return nil
      }
    }
    return Node(.userCall(function.name), arguments)
  }

  /// One entity of a type, as an argument.
  private mutating func entity(_ type: String, _ scope: Scope) -> Node? {
    if let known = scope.entities.filter({ $0.type == type }).randomElement(using: &random), random.chance(70) {
      return Node(.letName(known.name))
    }
    if let shape = scope.shapes.last.flatMap({ model.shape($0) }), scope.reach > 0 {
      let ones = shape.relations.filter { !$0.isMany && $0.target == type }
      if let one = ones.randomElement(using: &random), random.chance(50) {
        return Node(.path(scope: 0, isFolded: false), [Node(.step(one.name))])
      }
      if shape.name == type { return Node(.path(scope: 0, isFolded: false)) }
    }
    guard scope.isOpen, (model.rows[type]?.count ?? 0) < 100 else { return nil }
    return Node(.aggregate(end()), [Node(.set(scope: 0, isRoot: true), [Node(.step(type))])])
  }

  /// Something of a parameter that is an entity.
  mutating func ofParameter(_ kind: Kind, _ scope: Scope) -> Node? {
    guard let known = scope.entities.randomElement(using: &random), let shape = model.shape(known.type) else {
      return nil
    }
    let start = Node(.letName(known.name))
    if kind == .int || kind == .bool, random.chance(50),
      let relation = shape.relations.filter(\.isMany).randomElement(using: &random)
    {
      let set = Node(.access, [start, Node(.step(relation.name))])
      if kind == .int { return Node(.aggregate("count"), [set]) }
      return Node(.aggregate(random.pick(["some", "every", "none"])), [set, truth(scope.apart(relation.target), 0)])
    }
    var steps: [Node] = []
    var current = shape
    if random.chance(30), let one = shape.relations.filter({ !$0.isMany }).randomElement(using: &random),
      let target = model.shape(one.target)
    {
      steps.append(Node(.step(one.name)))
      current = target
    }
    guard let field = current.fields.filter({ $0.kind == kind && !$0.isFolded }).randomElement(using: &random) else {
      return nil
    }
    return Node(.access, [start] + steps + [Node(.step(field.name))])
  }
}
