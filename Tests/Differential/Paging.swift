/// A list whose elements are asked for with their cursors, and then page by page.
struct PagedList {
  var target: String
  /// The entity and the relation that it belongs to; nil for a type's own list.
  var owner: (entity: Datum, id: Datum, relation: String)?
  var arguments: [Node]
  var selections: Node

  func query(_ paging: [Node]) -> Node {
    let list = Node(
      .field(owner?.relation ?? target, alias: "page"), [Node(.arguments, arguments + paging), selections])
    guard let owner, case .entity(let type, _) = owner.entity else { return Node(.query, [list]) }
    let key = Node(.arguments, [Node(.argument("id"), [Node(.literal(owner.id, isBare: true))])])
    return Node(.query, [Node(.field(type.lowercased(), alias: "owner"), [key, Node(.selections, [list])])])
  }
}

extension QueryGenerator {
  mutating func pagedList() -> PagedList? {
    var scope = Scope(shapes: [], reach: 0)
    var owner: (entity: Datum, id: Datum, relation: String)?
    var target = random.pick(model.shapes.filter { $0.role != .embedded }).name
    if random.chance(50), let entity = model.insertion.randomElement(using: &random),
      case .entity(let type, let row) = entity,
      let id = model.rows[type]?[row]["id"],
      let relation = model.shape(type)?.relations.filter(\.isMany).randomElement(using: &random)
    {
      scope = Scope(shapes: [type])
      owner = (entity, id, relation.name)
      target = relation.target
    }
    let element = scope.entering(target)
    let arguments = arguments(element, nil, 2).children.filter { node in
      switch node.form {
      case .argument("limit"), .argument("offset"): false
      default: true
      }
    }
    var fields = [Node(.field("__typename", alias: nil)), Node(.field("_cursor", alias: nil))]
    if model.shape(target)?.role != .union { fields.append(Node(.field("id", alias: nil))) }
    return PagedList(target: target, owner: owner, arguments: arguments, selections: Node(.selections, fields))
  }
}

extension Subject {
  /// Queries for pages of a list, with cursors that the engine gave; empty if it gave none.
  func pages(of list: PagedList, _ random: inout SeededRandom) -> [Node] {
    var environment = ReferenceEvaluator.Environment()
    var elements = model.all(list.target)
    if let owner = list.owner {
      environment.scopes = [owner.entity]
      elements = evaluator.links(owner.entity, owner.relation)
    }
    let whole = list.query([])
    guard let arranged = try? evaluator.arrange(elements, Node(.arguments, list.arguments), environment),
      let answer = try? database.query(whole.text, whole.variables).jsonString
    else { return [] }
    let cursors = answer.matches(of: /"_cursor":"([^"]*)"/).map { String($0.output.1) }
    guard cursors.count == arranged.count, !cursors.isEmpty else { return [] }
    func argument(_ name: String, _ place: Int) -> Node {
      Node(.argument(name), [Node(.cursor("\(name)Cursor", text: cursors[place], arranged[place]))])
    }
    func number(_ name: String, _ value: Int) -> Node {
      Node(.argument(name), [Node(.literal(.int(value), isBare: true))])
    }
    let place = random.below(cursors.count)
    let other = random.below(cursors.count)
    var between = [argument("after", min(place, other)), argument("before", max(place, other))]
    if random.chance(50) { between.append(number("limit", random.below(4))) }
    return [
      list.query([argument("after", place), number("limit", 1 + random.below(4))]),
      list.query([argument("before", place), number("limit", 1 + random.below(4))]),
      list.query([argument("after", place), number("offset", random.below(3)), number("limit", random.below(5))]),
      list.query(between),
    ]
  }
}
