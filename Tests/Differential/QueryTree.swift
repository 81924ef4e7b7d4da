/// A query as a tree of one kind of node, so that it can be printed, evaluated and reduced without a case for each.
package struct Node: Sendable {
  package var form: Form
  package var children: [Node]

  init(_ form: Form, _ children: [Node] = []) {
    self.form = form
    self.children = children
  }

  subscript(_ index: Int) -> Node {
    get throws {
      guard children.indices.contains(index) else { throw ReferenceFailure.malformed }
      return children[index]
    }
  }

  /// The number of nodes.
  var size: Int { children.reduce(1) { $0 + $1.size } }

  /// All nodes, in the order of the text.
  func forEach(_ body: (Node) -> Void) {
    body(self)
    for child in children { child.forEach(body) }
  }
}

package enum Form: Sendable {
  // MARK: Expressions

  /// Bare where the position says what type the text or the number has.
  case literal(Datum, isBare: Bool)
  case variable(String, type: String, Datum)
  /// A variable that is declared and not given; in a condition of the object form its key is absent.
  case absent(String, type: String)
  case absentKey(String, type: String)
  /// A variable that is not given and has a default.
  case defaulted(String, type: String, Datum)
  /// A variable of the fragment.
  case parameter(String)
  /// The same in a condition of the object form, where its key may be absent.
  case parameterKey(String)
  /// In an object that is passed to a fragment: a value of the place of the spread.
  case elsewhere
  /// `^.a.b`: steps from the element `scope` levels out; none is the element itself.
  case path(scope: Int, isFolded: Bool)
  /// A field, a relation, or at the front of a set a type. Children: `arguments`, or none.
  case step(String)
  case index(Int)
  /// At the front of a path: `(. as T)`.
  case cast(String)
  /// An expression that gives an entity or an object, and steps from it.
  case access
  case operation(String)
  case not
  case negative
  case isNull(negated: Bool)
  case isType(String, negated: Bool)
  case inList(negated: Bool)
  case inRange(isClosed: Bool, negated: Bool)
  case call(String)
  /// `x as T`.
  case conversion(String)
  /// `x as T` of an entity.
  case entityCast(String)
  /// One entity, behind `:=`. The child says which.
  case entity
  /// `t0(id: x)`: the entity of a type that has this id. The child is the id.
  case entityOfID(String)
  /// `concat` of lists.
  case joinedLists
  /// A word among arguments: `CI`, `DAY`.
  case word(String)
  /// `count`, `some`, `sum`, `collect`, `join` …: a set, then an expression for each member or a separator.
  case aggregate(String)
  /// A function of the document. Children: the arguments.
  case userCall(String)
  /// `_score`.
  case score
  /// Steps from the element `scope` levels out, or from a type.
  case set(scope: Int, isRoot: Bool)
  /// `closure(steps, depth: a..b, where: p)`: a set and perhaps a condition.
  case closure(ClosedRange<Int>?)
  /// `shortestPath(step, to: target, maxDepth: n)`: a set of one step, and the target.
  case shortestPath(Int?)
  case letName(String)
  /// A key of a group.
  case key(String, isFolded: Bool)
  /// `count()`, `sum(e)`, `sum(distinct(e))` over a group's members.
  case groupAggregate(String, isDistinct: Bool)
  case list
  case object([String])

  // MARK: Arguments

  case arguments
  case argument(String)
  case order(OrderForm)
  /// `{field: DESC}`, perhaps in a variable. Children: the orders.
  case orderObject(variable: String?, type: String)
  /// A condition in the object form. The child says the same as an expression.
  case objectForm
  /// The object form in a variable of the type `<Type>Filter`.
  case filterVariable(String, type: String)
  /// A variable of the fragment with a condition or an order in it.
  case filterParameter(String)
  case orderParameter(String)
  /// A null as a whole argument, or under a connective of the object form.
  case nothing(Nothing)
  /// `{name: expression}` in `groupBy`.
  case named(String)
  /// A variable with a cursor.
  case cursor(String, CursorPlace)

  // MARK: Selections

  case query
  case selections
  /// Children: `arguments`, `using`, `recurse` and `selections`, each perhaps.
  case field(String, alias: String?)
  case computed(String, isColon: Bool)
  /// A set or an entity behind `:=` with a selection. Children: the set, the selections.
  case computedSet(String)
  case `let`(String)
  case on(String)
  case using(String)
  case recurse(Int?)
  /// Among selections: what `@expand(levels:)` of their field adds.
  case expand([String])
  /// `@include(if: $name)` or `@skip`.
  case conditional(String, isSkip: Bool, Bool)
  /// The same with a variable of the fragment.
  case conditionalParameter(String, isSkip: Bool)
  /// `fragment Name(parameters) on Type`. The child is the selections.
  case fragment(String, type: String, parameters: [FragmentParameter])
  /// `...Name(arguments)`. Children: an `argument` for each that is given, and perhaps `conditional`.
  case spread(String)
  /// `func` of the document. The child is the body.
  case function(String, parameters: [Parameter], result: String)
}

/// A parameter of a function of the document.
package struct Parameter: Sendable {
  var name: String
  var type: String
  /// Nil for an entity.
  var kind: Kind?
  var fallback: Datum?
}

/// How a null is written.
package enum Nothing: Sendable {
  case literal
  case given(String, type: String)
  case missing(String, type: String)
}

/// What a cursor remembers: the text is the engine's, the place the reference's.
package struct CursorPlace: Sendable {
  var text: String
  var element: Datum
  /// The values of the terms of `orderBy` when the cursor was given.
  var keys: [Datum]
  /// What stands before the element in the list's own order, and the element.
  var predecessors: Set<String>
}

package enum OrderForm: Sendable { case plain, ascending(nullsFirst: Bool), minus, descending(nullsFirst: Bool) }

extension Node {
  var arguments: Node? { children.first { if case .arguments = $0.form { true } else { false } } }
  var selections: Node? { children.first { if case .selections = $0.form { true } else { false } } }

  /// The terms of an `orderBy`.
  var orderTerms: [Node] {
    children.flatMap { if case .orderObject = $0.form { $0.children } else { [$0] } }
  }

  /// The argument of this name, of a node `arguments`.
  func argument(_ name: String) -> Node? {
    children.first { if case .argument(name) = $0.form { true } else { false } }
  }

  /// Whether it is one entity, behind `:=`, and no set.
  var isOne: Bool {
    switch form {
    case .aggregate("first"), .aggregate("last"), .path, .entity: true
    default: false
    }
  }

  /// Whether it chooses among others: a set or an entity, which only its operands say.
  var isChoice: Bool {
    switch form {
    case .call("if"), .call("coalesce"), .operation("??"): true
    case .access: children.count == 1
    default: false
    }
  }

  /// Whether a text here is compared without regard to case.
  var isFolded: Bool {
    switch form {
    case .path(_, let isFolded), .key(_, let isFolded): isFolded
    case .call("collate"): true
    default: false
    }
  }
}
