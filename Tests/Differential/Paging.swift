/// A list whose elements are asked for with their cursors, and then page by page.
struct PagedList {
  var target: String
  /// The entity and the relation that it belongs to; nil for a type's own list.
  var owner: (entity: Datum, relation: String)?
  /// A way to the owner: an entity, and a relation that leads to the next, up to the owner.
  var way: [(entity: Datum, id: Datum, relation: String)] = []
  var arguments: [Node]
  var selections: Node
  /// The size of the pages of a walk from the end of the list to its start; nil for pages at random places.
  var stride: Int?

  func query(_ paging: [Node]) -> Node {
    var node = Node(
      .field(owner?.relation ?? target, alias: "page"), [Node(.arguments, arguments + paging), selections])
    for (place, step) in way.enumerated().reversed() {
      let key = Node(.literal(step.id, isBare: true))
      var argument = Node(.argument("id"), [key])
      var name = ""
      if place == 0, case .entity(let type, _) = step.entity {
        name = type.lowercased()
      } else {
        // The one of the list that the way leads over.
        let path = Node(.path(scope: 0, isFolded: false), [Node(.step("id"))])
        argument = Node(.argument("where"), [Node(.operation("=="), [path, key])])
        name = way[place - 1].relation
      }
      node = Node(
        .field(name, alias: "way\(place)"), [Node(.arguments, [argument]), Node(.selections, [node])])
    }
    return Node(.query, [node])
  }
}

extension QueryGenerator {
  mutating func pagedList() -> PagedList? {
    forgetDefinitions()
    var scope = Scope(shapes: [], reach: 0)
    var list = PagedList(
      target: random.pick(model.shapes.filter { $0.role != .embedded }).name, arguments: [],
      selections: Node(.selections))
    if random.chance(50) { leadAstray(&list) }
    if let owner = list.owner, case .entity(let type, _) = owner.entity {
      scope = Scope(shapes: [type])
    }
    let element = scope.entering(list.target)
    list.arguments = arguments(element, nil, 2).children.filter { node in
      switch node.form {
      case .argument("limit"), .argument("offset"): false
      default: true
      }
    }
    list.arguments += deletedModes()
    var fields = [Node(.field("__typename", alias: nil)), Node(.field("_cursor", alias: nil))]
    if model.shape(list.target)?.role != .union { fields.append(Node(.field("id", alias: nil))) }
    list.selections = Node(.selections, fields)
    return list
  }

  /// A list for pages at random places, or for a walk backward.
  mutating func anyPagedList() -> PagedList? {
    random.chance(model.isLarge ? 60 : 20) ? walkedList() : pagedList()
  }

  /// A list of all of a type, to be walked backward. Where the type fills several pages of the store, most pages of the
  /// walk in canonical order begin and end in different ones.
  mutating func walkedList() -> PagedList? {
    forgetDefinitions()
    guard var target = model.entities.max(by: { model.count($0) < model.count($1) }) else { return nil }
    // The same rows are those of an interface or a union.
    if random.chance(25), let abstract = model.shapes.first(where: { $0.members.contains(target.name) }) {
      target = abstract
    }
    var list = PagedList(target: target.name, arguments: [], selections: Node(.selections))
    let element = Scope(shapes: [], reach: 0).entering(target.name)
    if random.chance(30) {
      list.arguments.append(Node(.argument("orderBy"), (0..<(1 + random.below(2))).map { _ in order(element) }))
    }
    if random.chance(60) {
      list.arguments.append(Node(.argument("where"), [truth(element, 1)]))
    }
    list.arguments += deletedModes()
    let name = target.role == .union ? "__typename" : "id"
    list.selections = Node(.selections, [Node(.field(name, alias: nil)), Node(.field("_cursor", alias: nil))])
    list.stride = random.pick(model.isLarge ? [60, 300, 700, 1024, 1100] : [1, 2, 5])
    return list
  }

  /// Makes it a list of some entity, found over up to two others.
  private mutating func leadAstray(_ list: inout PagedList) {
    let live = model.insertion.filter { !model.isDeleted($0) }
    guard var current = live.randomElement(using: &random) else { return }
    var way: [(entity: Datum, id: Datum, relation: String)] = []
    for level in 0..<3 {
      guard case .entity(let type, let row) = current, let id = model.rows[type]?[row]["id"],
        let shape = model.shape(type)
      else { return }
      let last = level == 2 || random.chance(50)
      let relations = shape.relations.filter { last ? $0.isMany : model.shape($0.target)?.role == .entity }
      guard let relation = relations.randomElement(using: &random) else { return }
      way.append((current, id, relation.name))
      let linked = model.written(current, relation.name).filter { !model.isDeleted($0) }
      if last {
        list.owner = (current, relation.name)
        list.target = relation.target
        list.way = way
        return
      }
      guard let next = linked.randomElement(using: &random) else { return }
      current = next
    }
  }
}

extension Subject {
  /// The places of the cursors that the engine gave for a list; empty if there are none.
  func cursors(of list: PagedList, _ random: inout SeededRandom) -> [CursorPlace] {
    var environment = ReferenceEvaluator.Environment()
    let whole = list.query([])
    let arguments = Node(.arguments, list.arguments)
    var elements = model.all(list.target, deleted: arguments.deletedMode)
    var own = model.all(list.target, deleted: "INCLUDE")
    if let owner = list.owner {
      environment.scopes = [owner.entity]
      elements = evaluator.links(owner.entity, owner.relation, deleted: arguments.deletedMode)
      own = model.written(owner.entity, owner.relation)
    }
    guard let arranged = try? evaluator.arrange(elements, arguments, environment),
      let answer = try? database.query(whole.text, whole.variables).jsonString
    else { return [] }
    let texts = answer.matches(of: /"_cursor":"([^"]*)"/).map { String($0.output.1) }
    guard texts.count == arranged.count else { return [] }
    let terms = arguments.argument("orderBy")?.orderTerms ?? []
    // A few are enough, in the list's order.
    let chosen =
      if let size = list.stride {
        Array(stride(from: arranged.count - 1, through: 0, by: -size).prefix(6).reversed())
      } else {
        arranged.indices.shuffled(using: &random).prefix(6).sorted()
      }
    let keys = own.map { $0.key() }
    return chosen.compactMap { index in
      let element = arranged[index]
      let key = element.key()
      let inner = environment.found(by: arguments).entering(element)
      guard let place = keys.firstIndex(of: key), let values = try? terms.map({ try evaluator.evaluate($0[0], inner) })
      else { return nil }
      return CursorPlace(text: texts[index], element: element, keys: values, predecessors: Set(keys[...place]))
    }
  }

  /// Queries for pages of a list.
  func pages(of list: PagedList, _ cursors: [CursorPlace], _ random: inout SeededRandom) -> [Node] {
    guard !cursors.isEmpty else { return [] }
    func argument(_ name: String, _ place: Int) -> Node {
      Node(.argument(name), [Node(.cursor("\(name)Cursor", cursors[place]))])
    }
    func number(_ name: String, _ value: Int) -> Node {
      Node(.argument(name), [Node(.literal(.int(value), isBare: true))])
    }
    if let size = list.stride {
      let walk = cursors.indices.reversed().map { list.query([argument("before", $0), number("limit", size)]) }
      let place = argument("before", random.below(cursors.count))
      let offset = number("offset", random.below(2 * size))
      return walk + [
        list.query([place, offset]), list.query([place, offset, number("limit", 1 + random.below(size))]),
      ]
    }
    let place = random.below(cursors.count)
    let other = random.below(cursors.count)
    var between = [argument("after", min(place, other)), argument("before", max(place, other))]
    if random.chance(50) { between.append(number("limit", random.below(4))) }
    let none = Node(.argument("after"), [Node(.variable("noCursor", type: "Cursor", .null))])
    return [
      list.query([argument("after", place), number("limit", 1 + random.below(4))]),
      list.query([argument("before", place), number("limit", 1 + random.below(4))]),
      list.query([argument("after", place), number("offset", random.below(3)), number("limit", random.below(5))]),
      list.query(between),
      list.query([none, number("limit", random.below(4))]),
    ]
  }
}
