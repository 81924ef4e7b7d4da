/// Groupings.
extension QueryGenerator {
  /// A key of a grouping, as the groups see it.
  struct GroupKey {
    var name: String
    var kind: Kind?
    var isFolded = false
    /// The type of a key that is an entity.
    var target: String?
  }

  /// `scope` has the member, `outer` the parent.
  mutating func group(_ field: String, _ scope: Scope, _ outer: Scope, _ depth: Int) -> Node {
    var member = scope
    member.isOpen = false
    member.reach = 1
    member.lets = []
    member.sets = []
    member.entities = []
    member.parameters = scope.parameters.filter(\.isConstant)
    var keys: [GroupKey] = []
    var nodes: [Node] = []
    for _ in 0..<random.pick([0, 1, 1, 1, 1, 2, 2]) {
      guard let (node, key) = groupKey(member), !keys.contains(where: { $0.name == key.name }),
        !scope.isHidden(key.name)
      else { continue }
      keys.append(key)
      nodes.append(node)
    }
    var arguments = [Node(.argument("groupBy"), nodes)]
    if random.chance(40) { arguments.append(Node(.argument("where"), [truth(scope, 1)])) }
    if random.chance(35) {
      let condition = random.chance(6) ? nothing("Boolean", scope) : groupTruth(keys, member)
      arguments.append(Node(.argument("having"), [condition]))
    }
    if random.chance(50) {
      let terms = (0..<(1 + random.below(2))).map { _ in
        Node(.order(orderForm()), [groupValue(random.pick([.int, .int, .text, .decimal]), keys, member, 1)])
      }
      arguments.append(Node(.argument("orderBy"), terms))
    }
    if random.chance(25) {
      arguments.append(Node(.argument("limit"), [Node(.literal(.int(random.below(5)), isBare: true))]))
    }
    if random.chance(15) {
      arguments.append(Node(.argument("offset"), [Node(.literal(.int(random.below(3)), isBare: true))]))
    }
    if field != "_items" { arguments += deletedModes() }
    var children = [Node(.arguments, arguments)]
    // Without a selection a group shows its keys.
    if keys.isEmpty || random.chance(92) { children.append(groupSelections(keys, scope, outer, member, depth)) }
    return Node(.field(field, alias: name("g")), children)
  }

  private mutating func groupKey(_ member: Scope) -> (Node, GroupKey)? {
    switch random.below(6) {
    case 0:
      guard let relation = model.shape(member.shape)?.relations.filter({ !$0.isMany }).randomElement(using: &random),
        model.shape(relation.target)?.role == .entity
      else { return nil }
      return (
        Node(.path(scope: 0, isFolded: false), [Node(.step(relation.name))]),
        GroupKey(name: relation.name, target: relation.target)
      )
    case 1, 2:
      let kind = random.pick([Kind.int, .text, .bool, .decimal, .date])
      let name = name("k")
      let value = computed(value(kind, member, 1))
      return (Node(.named(name), [value]), GroupKey(name: name, kind: kind, isFolded: value.isFolded))
    default:
      guard let path = path(Kind.scalars + [.list(.int), .list(.text)], member),
        case .step(let name)? = path.node.children.last?.form
      else {
        return nil
      }
      return (path.node, GroupKey(name: name, kind: path.kind, isFolded: path.isFolded))
    }
  }

  private mutating func groupSelections(
    _ keys: [GroupKey], _ scope: Scope, _ outer: Scope, _ member: Scope, _ depth: Int
  ) -> Node {
    var nodes: [Node] = []
    for key in keys where random.chance(85) {
      if let target = key.target {
        nodes.append(Node(.field(key.name, alias: nil), [selections(outer.entering(target, reach: 1), 0)]))
      } else {
        nodes.append(Node(.field(key.name, alias: nil)))
      }
    }
    for number in 0..<(1 + random.below(3)) {
      let kind: Kind = number == 0 ? .int : random.pick([.int, .float, .decimal, .text, .bool, .list(.int), .date])
      let value = kind == .bool ? groupTruth(keys, member) : groupValue(kind, keys, member, 2)
      nodes.append(Node(.computed(name("c"), isColon: false), [value]))
    }
    if random.chance(35) {
      if random.chance(20), depth > 1 {
        nodes.append(group("_items", scope, outer, depth - 1))
      } else {
        let arguments = arguments(scope, nil, 1)
        nodes.append(Node(.field("_items", alias: name("i")), [arguments, selections(scope, min(1, depth - 1))]))
      }
    }
    return Node(.selections, nodes)
  }

  mutating func groupTruth(_ keys: [GroupKey], _ member: Scope) -> Node {
    switch random.below(5) {
    case 0: return Node(.operation(random.pick(["and", "or"])), [groupTruth(keys, member), groupTruth(keys, member)])
    case 1:
      guard let key = keys.filter({ $0.kind?.isScalar ?? false }).randomElement(using: &random), let kind = key.kind
      else { break }
      let node = Node(.key(key.name, isFolded: key.isFolded))
      if random.chance(30) { return Node(.isNull(negated: random.chance(60)), [node]) }
      return Node(
        .operation(random.pick(kind == .bool ? ["==", "!="] : ["==", "!=", "<", ">"])), [node, constant(kind, member)])
    case 2:
      let kind = random.pick([Kind.int, .decimal])
      return Node(
        .operation(random.pick(["<", ">=", "!="])),
        [groupValue(kind, keys, member, 1), groupValue(kind, keys, member, 1)])
    default: break
    }
    let count = Node(.groupAggregate("count", isDistinct: false))
    return Node(
      .operation(random.pick([">", "==", "<="])), [count, Node(.literal(.int(1 + random.below(4)), isBare: true))])
  }

  /// An expression over keys and aggregates.
  mutating func groupValue(_ kind: Kind, _ keys: [GroupKey], _ member: Scope, _ depth: Int) -> Node {
    if random.chance(20), let key = keys.filter({ $0.kind == kind }).randomElement(using: &random) {
      return Node(.key(key.name, isFolded: key.isFolded))
    }
    if depth > 1, random.chance(25), kind == .int || kind == .decimal {
      let sides = [groupValue(kind, keys, member, depth - 1), groupValue(kind, keys, member, depth - 1)]
      return Node(.operation(random.pick(["+", "-", "*"])), sides)
    }
    func over(_ name: String, _ argument: Node, isDistinct: Bool = false) -> Node {
      Node(.groupAggregate(name, isDistinct: isDistinct), [computed(argument)])
    }
    switch kind {
    case .int:
      switch random.below(6) {
      case 0: return over("sum", value(.int, member, 1), isDistinct: random.chance(20))
      case 1: return over(random.pick(["min", "max"]), value(.int, member, 1))
      case 2: return over("count", value(random.pick([.int, .text, .date]), member, 0), isDistinct: random.chance(60))
      case 3:
        guard let steps = memberPath(.int, member) else { break }
        return over(random.pick(["sum", "max", "count"]), steps)
      default: break
      }
      return Node(.groupAggregate("count", isDistinct: false))
    case .float: return over("avg", value(random.pick([.int, .float]), member, 1))
    case .decimal: return over(random.pick(["sum", "min", "max", "avg"]), value(.decimal, member, 1))
    case .text:
      if random.chance(30) {
        let separator = Node(.literal(.text("; "), isBare: true))
        return Node(.groupAggregate("join", isDistinct: false), [computed(value(.text, member, 1)), separator])
      }
      return over(random.pick(["min", "max", "first", "last"]), value(.text, member, 1))
    case .list(let element): return over(random.pick(["collect", "distinct"]), value(element, member, 1))
    case .bool: return groupTruth(keys, member)
    default: return over(random.pick(["min", "max", "first", "last"]), value(kind, member, 0))
    }
  }

  /// A to-many path of the member, united over all members.
  private mutating func memberPath(_ kind: Kind, _ member: Scope) -> Node? {
    guard let relation = model.shape(member.shape)?.relations.filter(\.isMany).randomElement(using: &random),
      let field = model.shape(relation.target)?.fields.filter({ $0.kind == kind && $0.computed == nil }).randomElement(
        using: &random)
    else { return nil }
    return Node(.set(scope: 0, isRoot: false), [Node(.step(relation.name)), Node(.step(field.name))])
  }
}
