/// Ways through the graph: `@expand`, `shortestPath`.
extension QueryGenerator {
  /// Levels for a list of a type; nil where there is little to see, or too much.
  mutating func expansion(_ target: String) -> Node? {
    guard let shape = model.shape(target), shape.role == .entity, model.insertion.count < 200 else { return nil }
    var levels: [String] = []
    for _ in 0..<random.below(3) { levels.append(random.pick(["ENTITIES", "FRAGMENTS"])) }
    if random.chance(60) || levels.isEmpty, random.chance(90) { levels.append("IDS") }
    return Node(.expand(levels))
  }

  /// A shortest path along a relation from a type to itself.
  mutating func shortestPath(_ own: RelationShape, _ shape: Shape, _ scope: Scope) -> SetNode {
    var arguments: [Node] = []
    if random.chance(30) {
      arguments = [Node(.arguments, [Node(.argument("where"), [truth(scope.apart(shape.name), 0)])])]
    }
    let modes = deletedModes()
    if !modes.isEmpty { arguments = [Node(.arguments, (arguments.first?.children ?? []) + modes)] }
    let step = Node(.set(scope: 0, isRoot: false), [Node(.step(own.name), arguments)])
    let ones = shape.relations.filter { !$0.isMany && $0.target == shape.name }
    var target = Node(.path(scope: 0, isFolded: false))
    if random.chance(40), let one = ones.randomElement(using: &random) {
      target.children = [Node(.step(one.name))]
    } else if random.chance(85), let row = model.rows[shape.name]?.randomElement(using: &random), let id = row["id"] {
      target = literal(id, .id, scope)
    }
    let depth = random.chance(50) ? nil : random.below(4)
    return SetNode(node: Node(.shortestPath(depth), [step, target]), target: shape.name)
  }
}
