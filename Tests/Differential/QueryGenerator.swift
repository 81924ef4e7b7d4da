/// Writes random queries over a random schema, each expression for a type that is wanted.
struct QueryGenerator {
  var model: Model
  var random: SeededRandom
  private var counter = 0
  /// Whether divisors may be zero and texts no numbers.
  private(set) var isRisky = false
  /// The functions of the document.
  var functions: [Signature] = []
  /// The fragments of the document.
  var fragments: [FragmentSignature] = []
  /// Names of variables of fragments that variables of the operation may have, too.
  var hiddenNames: [String] = []

  /// What an expression may name.
  struct Scope {
    /// The types of the elements around it, the innermost last.
    var shapes: [String]
    /// How many of them may be named with `^`, counted from within.
    var reach = 1
    var lets: [(name: String, kind: Kind)] = []
    /// `let`s that name sets, and the types of their members.
    var sets: [(name: String, target: String)] = []
    /// Whether root types and outer elements may stand in it; not where an aggregate of a group begins.
    var isOpen = true
    var hasVariables = true
    /// Seen through an interface or union, a relation does not recurse.
    var isFragment = false
    /// Parameters and `let`s that are entities, and their types.
    var entities: [(name: String, type: String)] = []
    /// Whether it is the body of a function, which sees its parameters from everywhere.
    var isFunction = false
    /// The variables of the fragment around it.
    var parameters: [FragmentParameter] = []
    /// In an object that is passed to a fragment: the place of the spread.
    var elsewhere: [Scope] = []

    var shape: String { shapes[shapes.count - 1] }

    func entering(_ shape: String, reach: Int? = nil) -> Scope {
      var inner = self
      inner.shapes.append(shape)
      inner.isFragment = false
      inner.reach = reach ?? (self.reach + 1)
      return inner
    }

    /// Nothing of what is known is called so any more.
    mutating func hide(_ name: String) {
      lets.removeAll { $0.name == name }
      sets.removeAll { $0.name == name }
      entities.removeAll { $0.name == name }
    }

    /// Whether a `let` is called so.
    func isHidden(_ name: String) -> Bool {
      lets.contains { $0.name == name } || sets.contains { $0.name == name } || entities.contains { $0.name == name }
    }

    /// An element by itself, around which nothing is named; variables are as they are here.
    func apart(_ shape: String) -> Scope {
      var inner = Scope(shapes: [shape])
      inner.hasVariables = hasVariables
      inner.parameters = parameters.filter(\.isConstant)
      return inner
    }
  }

  init(_ model: Model, _ random: SeededRandom) {
    self.model = model
    self.random = random
  }

  mutating func name(_ prefix: String) -> String {
    counter += 1
    return "\(prefix)\(counter)"
  }

  // MARK: - Queries

  mutating func query() -> Node {
    isRisky = random.chance(15)
    forgetDefinitions()
    var declared = random.chance(12) ? (0..<(1 + random.below(2))).map { _ in function() } : []
    if random.chance(15) { for _ in 0..<(1 + random.below(2)) { declared.append(fragment()) } }
    return Node(.query, declared + (0..<(random.chance(20) ? 2 : 1)).map { _ in root() })
  }

  /// Begins a document without functions and fragments.
  mutating func forgetDefinitions() {
    (functions, fragments, hiddenNames) = ([], [], [])
  }

  private mutating func root() -> Node {
    let entity = random.pick(model.entities)
    if random.chance(3), let node = selectionOfChosen(Scope(shapes: [], reach: 0), 2) { return node }
    switch random.below(12) {
    case 0:
      let key = random.chance(70) ? "id" : "key"
      let rows = model.rows[entity.name] ?? []
      var wanted = key == "id" ? Datum.id("999", isNumber: false) : .text("k999")
      if !rows.isEmpty, random.chance(90) { wanted = random.pick(rows)[key] ?? wanted }
      let argument = Node(.argument(key), [literal(wanted, key == "id" ? .id : .text, Scope(shapes: []))])
      return Node(
        .field(entity.name.lowercased(), alias: name("q")),
        [Node(.arguments, [argument]), expanding(selections(Scope(shapes: [entity.name]), 2), entity.name)])
    case 1, 2:
      let kind = random.pick([Kind.int, .int, .float, .decimal, .text, .bool, .date, .list(.int), .list(.text)])
      return Node(.computed(name("q"), isColon: false), [value(kind, Scope(shapes: [], reach: 0), 3)])
    default:
      let abstract = model.shapes.filter { $0.role == .interface || $0.role == .union }
      let shape = !abstract.isEmpty && random.chance(20) ? random.pick(abstract) : entity
      return many(shape.name, Scope(shapes: [], reach: 0), shape.name, 3)
    }
  }

  /// Sometimes with what `@expand` adds.
  private mutating func expanding(_ selections: Node, _ target: String) -> Node {
    guard random.chance(12), let expansion = expansion(target) else { return selections }
    let isBare = random.chance(30)
    return Node(selections.form, [expansion] + selections.children.filter { !isBare || $0.isLet })
  }

  /// A selection of many, grouped or not.
  mutating func many(_ field: String, _ outer: Scope, _ target: String, _ depth: Int) -> Node {
    var scope = outer.entering(target)
    if model.shape(target)?.role == .entity, random.chance(22) {
      return group(field, scope, outer, depth)
    }
    if random.chance(10), let list = searched(field, outer, target) { return list }
    if random.chance(5), let groups = searchedGroups(field, outer, target) { return groups }
    let declared = lets(&scope, depth)
    var using: [Node] = []
    var arguments = arguments(scope, outer, min(depth, 3))
    var selections = selections(scope, depth - 1)
    if random.chance(model.deleted.isEmpty ? 4 : 20) {
      arguments.children.append(deletedMode())
      if model.shape(target)?.role == .entity { selections.children.append(Node(.field("_status", alias: nil))) }
    } else if depth == 3, random.chance(30) {
      using = [Node(.using("SCAN"))]
    }
    selections.children.insert(contentsOf: declared, at: 0)
    selections = expanding(selections, target)
    return Node(.field(field, alias: name("s")), [arguments] + using + [selections])
  }

  /// `deleted: ONLY`, more often `INCLUDE`, in which each has its place.
  mutating func deletedMode() -> Node {
    Node(.argument("deleted"), [Node(.word(random.pick(["ONLY", "INCLUDE", "INCLUDE"])))])
  }

  /// The same in a part of what could have it; nothing elsewhere.
  mutating func deletedModes() -> [Node] { random.chance(model.deleted.isEmpty ? 2 : 15) ? [deletedMode()] : [] }

  mutating func lets(_ scope: inout Scope, _ depth: Int) -> [Node] {
    guard random.chance(20), model.shape(scope.shape)?.role == .entity else { return [] }
    let name = letName(scope)
    if random.chance(35), let set = set(scope, min(depth, 2)), set.isMany {
      scope.hide(name)
      scope.sets.append((name, set.target))
      return [Node(.let(name), [set.node])]
    }
    if random.chance(25), let chosen = chosen(scope, 1) {
      scope.hide(name)
      scope.entities.append((name, chosen.target))
      return [Node(.let(name), [chosen.node])]
    }
    let kind = random.pick([Kind.int, .text, .bool, .decimal])
    let node = value(kind, scope, min(depth, 2))
    scope.hide(name)
    scope.lets.append((name, kind))
    return [Node(.let(name), [node])]
  }

  /// A name of its own, or one that fields of entities have, there or below.
  private mutating func letName(_ scope: Scope) -> String {
    guard random.chance(35), let shape = model.shape(random.chance(60) ? scope.shape : random.pick(model.entities).name)
    else { return name("l") }
    return random.pick(shape.fields.map(\.name) + shape.relations.map(\.name))
  }

  // MARK: - Selections

  mutating func selections(_ scope: Scope, _ depth: Int, aliased: Bool = false) -> Node {
    guard let shape = model.shape(scope.shape) else { return Node(.selections) }
    var nodes: [Node] = []
    if shape.role == .union {
      nodes.append(Node(.field("__typename", alias: aliased ? name("t") : nil)))
    } else if shape.role != .embedded {
      nodes.append(Node(.field("id", alias: aliased ? name("i") : nil)))
      if random.chance(10) { nodes.append(Node(.field("__typename", alias: name("t")))) }
    }
    for field in shape.fields where field.name != "id" && random.chance(shape.role == .embedded ? 60 : 20) {
      nodes.append(plain(field, scope, aliased: aliased))
    }
    if nodes.isEmpty, let first = shape.fields.first { nodes.append(plain(first, scope, aliased: aliased)) }
    if shape.role != .embedded { for _ in 0..<random.below(3) { nodes.append(computed(scope, depth)) } }
    if shape.role == .interface || shape.role == .union, depth > 0 {
      for member in shape.members where random.chance(60) {
        var inner = scope
        inner.shapes[inner.shapes.count - 1] = member
        inner.isFragment = true
        nodes.append(Node(.on(member), [selections(inner, depth - 1, aliased: true)]))
      }
    }
    if shape.role != .embedded, !fragments.isEmpty, random.chance(45) { nodes += spread(scope) }
    guard depth > 0 else { return Node(.selections, nodes) }
    for relation in shape.relations where random.chance(30) { nodes.append(related(relation, scope, depth)) }
    if shape.role == .entity, random.chance(8), let set = entitySet(scope, depth - 1) {
      let inner = selections(scope.entering(set.target, reach: 1), depth - 1)
      nodes.append(Node(.computedSet(name("c")), [set.node, inner]))
    }
    if shape.role == .entity, random.chance(6), let node = selectionOfChosen(scope, depth) { nodes.append(node) }
    return Node(.selections, nodes)
  }

  private mutating func plain(_ field: Field, _ scope: Scope, aliased: Bool) -> Node {
    let alias = aliased || random.chance(15) ? name("x") : nil
    switch field.kind {
    case .embedded(let target) where random.chance(60):
      return Node(.field(field.name, alias: alias), [selections(scope.entering(target), 0)])
    case .embeddedList(let target) where random.chance(70):
      let inner = scope.entering(target)
      return Node(.field(field.name, alias: alias), [arguments(inner, scope, 1), selections(inner, 0)])
    default:
      return Node(.field(field.name, alias: alias), scope.hasVariables && random.chance(4) ? [conditional(scope)] : [])
    }
  }

  private mutating func related(_ relation: RelationShape, _ scope: Scope, _ depth: Int) -> Node {
    let isOwn = relation.target == scope.shape
    if isOwn, !scope.isFragment, random.chance(40) {
      let level = scope.entering(relation.target, reach: 1)
      var arguments = Node(.arguments)
      if relation.isMany { arguments = self.arguments(level, nil, 1) }
      arguments.children += deletedModes()
      var inner = selections(level, 0)
      if random.chance(60) { inner.children.append(Node(.field("_depth", alias: nil))) }
      if random.chance(40) { inner.children.append(Node(.field("_cycle", alias: nil))) }
      let limit = relation.isMany ? 1 + random.below(3) : random.pick([nil, 1, 2, 4])
      return Node(.field(relation.name, alias: name("w")), [arguments, Node(.recurse(limit)), inner])
    }
    if relation.isMany {
      if random.chance(8) {
        var arguments = arguments(scope.entering(relation.target), scope, 1)
        arguments.children += deletedModes()
        return Node(.field(relation.name, alias: name("n")), [arguments])
      }
      return many(relation.name, scope, relation.target, depth)
    }
    let inner = scope.entering(relation.target)
    var arguments = Node(.arguments)
    if random.chance(20) {
      let condition = random.chance(10) ? nothing("Boolean", scope) : truth(inner, 1)
      arguments.children.append(Node(.argument("where"), [condition]))
    }
    arguments.children += deletedModes()
    return Node(.field(relation.name, alias: name("o")), [arguments, selections(inner, depth - 1)])
  }

  private mutating func computed(_ scope: Scope, _ depth: Int) -> Node {
    let kinds: [Kind] = [
      .int, .int, .float, .decimal, .text, .text, .bool, .bool, .symbol, .date, .time, .duration, .json, .list(.int),
      .list(.text),
    ]
    return Node(.computed(name("c"), isColon: false), [value(random.pick(kinds), scope, min(2, depth + 1))])
  }

  mutating func computedField(of shape: String) -> Field {
    let kind = random.pick([Kind.int, .text, .bool])
    var scope = Scope(shapes: [shape])
    scope.isOpen = false
    scope.hasVariables = false
    return Field(name: "cf", kind: kind, computed: value(kind, scope, 1))
  }

  // MARK: - Arguments

  /// `scope` has the element, `outer` the parent: limits see the parent. Nil where limits stay literal.
  mutating func arguments(_ scope: Scope, _ outer: Scope?, _ depth: Int) -> Node {
    var nodes: [Node] = []
    if random.chance(3) {
      let isObject = model.shape(scope.shape)?.role == .entity && random.chance(50)
      nodes.append(Node(.argument("where"), [nothing(isObject ? "\(scope.shape)Filter" : "Boolean", scope)]))
    } else if random.chance(12), let condition = objectCondition(scope, min(depth, 2)) {
      nodes.append(Node(.argument("where"), [condition]))
    } else if random.chance(60) {
      nodes.append(Node(.argument("where"), [truth(scope, depth)]))
    }
    if random.chance(2), model.shape(scope.shape)?.role == .entity {
      nodes.append(Node(.argument("orderBy"), [nothing("[\(scope.shape)Order!]", scope)]))
    } else if random.chance(6), let object = objectOrder(scope) {
      nodes.append(Node(.argument("orderBy"), [object]))
    } else if random.chance(50) {
      nodes.append(Node(.argument("orderBy"), (0..<(1 + random.below(3))).map { _ in order(scope) }))
    }
    if random.chance(12) {
      nodes.append(Node(.argument("distinctOn"), (0..<(1 + random.below(2))).map { _ in sortKey(scope) }))
    }
    if random.chance(35) {
      var limit = amount(random.pick([0, 1, 2, 3, 10, 100]), outer)
      if let outer, !outer.shapes.isEmpty, model.shape(outer.shape)?.role == .entity, random.chance(20),
        let set = set(outer, 0)
      {
        limit = Node(.aggregate("count"), [set.node])
      }
      nodes.append(Node(.argument("limit"), [limit]))
    }
    if random.chance(20) {
      nodes.append(Node(.argument("offset"), [amount(random.pick([0, 1, 2, 7, 50]), outer)]))
    }
    return Node(.arguments, nodes)
  }

  mutating func orderForm() -> OrderForm {
    switch random.below(7) {
    case 0, 1, 2: .plain
    case 3: .minus
    case 4: .descending(nullsFirst: false)
    case 5: .descending(nullsFirst: true)
    default: .ascending(nullsFirst: true)
    }
  }

  mutating func order(_ scope: Scope) -> Node { Node(.order(orderForm()), [sortKey(scope)]) }

  mutating func sortKey(_ scope: Scope) -> Node {
    if random.chance(15), let set = set(scope, 1) { return Node(.aggregate("count"), [set.node]) }
    if random.chance(15) { return computed(value(random.pick([.int, .text, .bool, .decimal]), scope, 1)) }
    if random.chance(8), let text = path([.text], scope) {
      return Node(.call("collate"), [text.node, Node(.word("CI"))])
    }
    return path(Kind.scalars + [.id], scope)?.node ?? computed(truth(scope, 0))
  }

  /// A value that is written as an expression, where a literal is an error because something of an element is wanted.
  func computed(_ node: Node) -> Node {
    guard case .literal = node.form else { return node }
    return Node(.operation("??"), [node, node])
  }
}
