/// A variable of a fragment.
package struct FragmentParameter: Sendable {
  enum Role: Sendable {
    case value(Kind)
    /// A number of elements.
    case amount
    /// A condition or an order for lists of a type.
    case filter(String)
    case order(String)
  }
  var name: String
  /// As it is declared.
  var type: String
  var role: Role
  var isNonNull = false
  var fallback: Node?
  /// Whether no argument depends on an entity.
  var isConstant = false

  var kind: Kind? { if case .value(let kind) = role { kind } else { nil } }
}

/// Fragments with variables, and spreads of them.
///
/// What a fragment selects has names of its own, so that it conflicts with nothing beside the spread. A selection set
/// spreads one fragment, perhaps twice in the same way.
extension QueryGenerator {
  struct FragmentSignature {
    var name: String
    var type: String
    var parameters: [FragmentParameter]
  }

  mutating func fragment() -> Node {
    let type = random.pick(model.shapes.filter { $0.role != .embedded && $0.role != .union }).name
    let parameters = (0..<random.pick([0, 1, 1, 2, 2, 3])).map { _ in parameter() }
    var scope = Scope(shapes: [type])
    scope.parameters = parameters
    var selections = selections(scope, 2, aliased: true)
    // What is declared is used.
    for parameter in parameters where random.chance(60) { selections.children += use(of: parameter, scope) }
    let name = name("F")
    fragments.append(FragmentSignature(name: name, type: type, parameters: parameters))
    return Node(.fragment(name, type: type, parameters: parameters), [selections])
  }

  private mutating func parameter() -> FragmentParameter {
    var parameter: FragmentParameter
    switch random.below(10) {
    case 0, 1: parameter = FragmentParameter(name: name("v"), type: "Int", role: .amount)
    case 2:
      let target = random.pick(model.entities).name
      parameter = FragmentParameter(name: name("f"), type: "\(target)Filter", role: .filter(target))
    case 3:
      let target = random.pick(model.entities).name
      parameter = FragmentParameter(name: name("o"), type: "[\(target)Order!]", role: .order(target))
    default:
      let kind = random.pick(Kind.scalars + [.int, .text, .bool, .bool, .list(.int), .list(.text)])
      parameter = FragmentParameter(name: name("v"), type: kind.typeName, role: .value(kind))
    }
    parameter.isConstant = random.chance(40)
    parameter.isNonNull = random.chance(30)
    if random.chance(40) { parameter.fallback = fallback(parameter) }
    if parameter.isNonNull { parameter.type += "!" }
    // A variable of the operation may have the same name.
    if random.chance(30) { hiddenNames.append(parameter.name) }
    return parameter
  }

  private mutating func fallback(_ parameter: FragmentParameter) -> Node? {
    if !parameter.isNonNull, random.chance(15) { return Node(.literal(.null, isBare: true)) }
    switch parameter.role {
    case .value(let kind): return Node(.literal(Model.value(kind, &random), isBare: true))
    case .amount: return Node(.literal(.int(random.below(4)), isBare: true))
    case .filter(let target): return written(conditionFor: target, nil)
    case .order(let target): return written(orderFor: target)
    }
  }

  /// A condition that is written as an object; its values are of the place `scope`, or constants.
  private mutating func written(conditionFor target: String, _ scope: Scope?) -> Node? {
    guard let shape = model.shape(target) else { return nil }
    var inner = Scope(shapes: [target])
    inner.hasVariables = scope != nil
    inner.elsewhere = scope.map { [$0] } ?? []
    return Node(.objectForm, [objectTruth(shape, [], inner, random.below(3))])
  }

  private mutating func written(orderFor target: String) -> Node? {
    guard var object = objectOrder(Scope(shapes: [target])) else { return nil }
    object.form = .orderObject(variable: nil, type: "")
    return object
  }

  private mutating func use(of parameter: FragmentParameter, _ scope: Scope) -> [Node] {
    let node = Node(.parameter(parameter.name))
    switch parameter.role {
    case .value(.bool) where parameter.isConstant && random.chance(50):
      let conditional = Node(.conditionalParameter(parameter.name, isSkip: random.chance(50)))
      return [Node(.field("id", alias: name("x")), [conditional])]
    case .value: return [Node(.computed(name("c"), isColon: false), [node])]
    case .amount, .filter, .order:
      guard let shape = model.shape(scope.shape),
        let relation = shape.relations.filter({ $0.isMany && model.shape($0.target)?.role == .entity })
          .randomElement(using: &random)
      else { return [] }
      var arguments = arguments(scope.entering(relation.target), scope, 1)
      let name =
        switch parameter.role {
        case .filter(let target) where target == relation.target: "where"
        case .order(let target) where target == relation.target: "orderBy"
        case .amount: random.pick(["limit", "limit", "offset"])
        default: ""
        }
      guard !name.isEmpty else { return [] }
      arguments.children.removeAll { if case .argument(name) = $0.form { true } else { false } }
      let value: Node =
        switch parameter.role {
        case .filter: Node(.filterParameter(parameter.name))
        case .order: Node(.orderParameter(parameter.name))
        default: node
        }
      arguments.children.append(Node(.argument(name), [value]))
      let inner = selections(scope.entering(relation.target), 0)
      return [Node(.field(relation.name, alias: self.name("s")), [arguments, inner])]
    }
  }

  // MARK: - Spreads

  /// A spread of a fragment that may hold for the element, perhaps twice.
  mutating func spread(_ scope: Scope) -> [Node] {
    let members = Set(model.members(scope.shape))
    let known = fragments.filter { !members.isDisjoint(with: model.members($0.type)) }
    guard !scope.isFragment, scope.isOpen, let fragment = known.randomElement(using: &random) else { return [] }
    var children: [Node] = []
    for parameter in fragment.parameters.shuffled(using: &random) {
      let mayBeLeftOut = parameter.fallback != nil || !parameter.isNonNull
      if mayBeLeftOut, random.chance(20) { continue }
      children.append(Node(.argument(parameter.name), [argument(parameter, scope)]))
    }
    if scope.hasVariables, random.chance(6) { children.append(conditional()) }
    let node = Node(.spread(fragment.name), children)
    return random.chance(10) ? [node, node] : [node]
  }

  private mutating func argument(_ parameter: FragmentParameter, _ scope: Scope) -> Node {
    if !parameter.isNonNull, random.chance(8) { return Node(.literal(.null, isBare: true)) }
    // One of the enclosing fragment.
    let outer = scope.parameters.filter { other in
      other.type == parameter.type && (other.isConstant || !parameter.isConstant)
    }
    if let other = outer.randomElement(using: &random), random.chance(50) {
      switch parameter.role {
      case .filter: return Node(.filterParameter(other.name))
      case .order: return Node(.orderParameter(other.name))
      case .value, .amount: return Node(.parameter(other.name))
      }
    }
    switch parameter.role {
    case .value(let kind): return value(parameter, kind, scope)
    case .amount: return number(parameter, scope)
    case .filter(let target):
      if !parameter.isNonNull, random.chance(15) { return nothing("\(target)Filter", scope) }
      return written(conditionFor: target, parameter.isConstant ? nil : scope) ?? Node(.literal(.null, isBare: true))
    case .order(let target):
      if !parameter.isNonNull, random.chance(15) { return nothing("[\(target)Order!]", scope) }
      return written(orderFor: target) ?? Node(.literal(.null, isBare: true))
    }
  }

  private mutating func number(_ parameter: FragmentParameter, _ scope: Scope) -> Node {
    let constant = Node(.literal(.int(random.below(4)), isBare: true))
    switch random.below(6) {
    case 0 where !parameter.isConstant:
      guard let set = set(scope, 0) else { return constant }
      return Node(.aggregate("count"), [set.node])
    case 1: return Node(.variable(variableName(scope), type: parameter.type, .int(random.below(4))))
    case 2 where !parameter.isNonNull: return Node(.absent(variableName(scope), type: "Int"))
    case 3 where !parameter.isNonNull: return Node(.variable(variableName(scope), type: "Int", .null))
    default: return constant
    }
  }

  private mutating func value(_ parameter: FragmentParameter, _ kind: Kind, _ scope: Scope) -> Node {
    let datum = Model.value(kind, &random)
    switch random.below(10) {
    case 0: return Node(.variable(variableName(scope), type: parameter.type, datum))
    case 1 where !parameter.isNonNull: return Node(.absent(variableName(scope), type: parameter.type))
    case 2 where !parameter.isNonNull: return Node(.variable(variableName(scope), type: parameter.type, .null))
    case 3:
      // An Int is a number of any type, and one value a list of one.
      if kind == .float || kind == .decimal { return Node(.literal(.int(random.below(9) - 2), isBare: true)) }
      guard case .list(let element) = kind else { break }
      return Node(.literal(Model.value(element, &random), isBare: true))
    case 4...8:
      guard !parameter.isConstant, kind != .symbol else { break }
      let node = expression(kind, scope)
      // A variable that may be null is refused where null is.
      let isVariable = node.children.isEmpty
      guard parameter.isNonNull, isVariable || !(isRisky && random.chance(30)) else { return node }
      return Node(.call("coalesce"), [value(kind, scope, 1), written(datum)])
    default: break
    }
    return Node(.literal(datum, isBare: true))
  }

  /// A constant beside others: a list in a variable, because one that is written down would be JSON.
  private mutating func written(_ datum: Datum) -> Node {
    if case .list(let elements) = datum, !elements.isEmpty {
      return Node(.list, elements.map { Node(.literal($0, isBare: false)) })
    }
    return Node(.literal(datum, isBare: false))
  }

  /// Something that is of the type, or becomes it.
  private mutating func expression(_ kind: Kind, _ scope: Scope) -> Node {
    if random.chance(25) {
      switch kind {
      case .float, .decimal: return value(.int, scope, 1)
      case .date: return Node(.call("string"), [value(.date, scope, 1)])
      case .list(let element): return value(element, scope, 1)
      default: break
      }
    }
    return value(kind, scope, 1)
  }

  // MARK: - Uses

  /// A variable of the enclosing fragment with values of this type.
  mutating func parameter(of kind: Kind, _ scope: Scope) -> Node? {
    guard !scope.parameters.isEmpty else { return nil }
    return scope.parameters.filter { $0.kind == kind }.randomElement(using: &random).map { Node(.parameter($0.name)) }
  }

  /// A name for a variable of the operation, perhaps one that a fragment hides.
  mutating func variableName(_ scope: Scope) -> String {
    guard scope.parameters.isEmpty, random.chance(30), let hidden = hiddenNames.popLast() else { return name("v") }
    return hidden
  }

  /// A null as a whole argument.
  mutating func nothing(_ type: String, _ scope: Scope) -> Node {
    switch scope.hasVariables ? random.below(3) : 0 {
    case 0: Node(.nothing(.literal))
    case 1: Node(.nothing(.given(name("v"), type: type)))
    default: Node(.nothing(.missing(name("v"), type: type)))
    }
  }
}
