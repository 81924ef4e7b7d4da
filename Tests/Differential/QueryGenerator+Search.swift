/// Lists that are searched: `matches`, `_score`, `highlight`.
extension QueryGenerator {
  /// A list by words; nil for a type without a text to search.
  mutating func searched(_ field: String, _ outer: Scope, _ target: String) -> Node? {
    guard let shape = model.shape(target), shape.role == .entity, shape.field("d") != nil else { return nil }
    let scope = outer.entering(target)
    var conditions = (0..<random.pick([1, 1, 1, 2])).map { _ in matches(shape, scope) }
    // Where one of several need not hold, what is marked is not said.
    let isLoose = conditions.count > 1 && random.chance(40)
    if random.chance(40) { conditions.append(truth(scope, 0)) }
    let condition =
      conditions.count == 1
      ? conditions[0] : Node(.operation(isLoose ? "or" : "and"), conditions.shuffled(using: &random))
    var arguments = [Node(.argument("where"), [condition])]
    if random.chance(70) {
      var terms = [Node(.order(random.pick([.minus, .minus, .plain, .descending(nullsFirst: false)])), [Node(.score)])]
      if random.chance(30) { terms.append(order(scope)) }
      arguments.append(Node(.argument("orderBy"), terms))
    }
    if random.chance(60) { arguments.append(Node(.argument("limit"), [amount(random.pick([1, 2, 3, 10]))])) }
    if random.chance(15) { arguments.append(Node(.argument("offset"), [amount(random.below(3))])) }
    let places = Node(.literal(.int(6), isBare: false))
    var nodes = [Node(.field("id", alias: nil))]
    nodes.append(Node(.computed(name("c"), isColon: false), [Node(.call("round"), [Node(.score), places])]))
    if !isLoose, random.chance(70) {
      let text = Node(.path(scope: 0, isFolded: false), [Node(.step(random.pick(Self.texts(shape))))])
      let marks = ["[", "]"].map { Node(.literal(.text($0), isBare: true)) }
      nodes.append(
        Node(
          .computed(name("c"), isColon: false), [Node(.call("highlight"), [text] + (random.chance(50) ? marks : []))]))
    }
    return Node(.field(field, alias: name("m")), [Node(.arguments, arguments), Node(.selections, nodes)])
  }

  /// Groups of what is found by words: by the scores of members, and over them.
  mutating func searchedGroups(_ field: String, _ outer: Scope, _ target: String) -> Node? {
    guard let shape = model.shape(target), shape.role == .entity, shape.field("d") != nil else { return nil }
    let scope = outer.entering(target)
    var condition = matches(shape, scope)
    if random.chance(40) {
      let other = random.chance(50) ? matches(shape, scope) : truth(scope, 0)
      condition = Node(.operation(random.pick(["and", "or"])), [condition, other])
    }
    let score = Node(.call("round"), [Node(.score), Node(.literal(.int(6), isBare: false))])
    var keys: [Node] = []
    var nodes: [Node] = []
    if random.chance(50) {
      let name = name("k")
      keys.append(Node(.named(name), [score]))
      nodes.append(Node(.field(name, alias: nil)))
    }
    if random.chance(50) {
      keys.append(Node(.path(scope: 0, isFolded: false), [Node(.step("d"))]))
      nodes.append(Node(.field("d", alias: nil)))
    }
    func over(_ name: String) -> Node { Node(.groupAggregate(name, isDistinct: false), [score]) }
    for _ in 0..<(1 + random.below(3)) {
      nodes.append(
        Node(
          .computed(name("c"), isColon: false),
          [over(random.pick(["max", "min", "count", "collect", "first", "last"]))]))
    }
    var arguments = [Node(.argument("groupBy"), keys), Node(.argument("where"), [condition])]
    if random.chance(40) {
      let least = Node(.literal(.int(1 + random.below(3)), isBare: true))
      arguments.append(Node(.argument("having"), [Node(.operation(random.pick([">", "<="])), [over("max"), least])]))
    }
    if random.chance(60) {
      arguments.append(Node(.argument("orderBy"), [Node(.order(random.pick([.minus, .plain])), [over("max")])]))
    }
    if random.chance(30) { arguments.append(Node(.argument("limit"), [amount(1 + random.below(3))])) }
    return Node(.field(field, alias: name("g")), [Node(.arguments, arguments), Node(.selections, nodes)])
  }

  private static func texts(_ shape: Shape) -> [String] { ["d", "dd"].filter { shape.field($0) != nil } }

  private mutating func matches(_ shape: Shape, _ scope: Scope) -> Node {
    var path = Node(.path(scope: 0, isFolded: false), [Node(.step(random.pick(Self.texts(shape))))])
    if !shape.textFields.isEmpty, random.chance(40) { path.children = [] }
    return Node(.operation("matches"), [path, literal(.text(RandomPatterns.search(&random)), .text, scope)])
  }
}
