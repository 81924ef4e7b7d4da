/// Expressions of a wanted type.
extension QueryGenerator {
  mutating func value(_ kind: Kind, _ scope: Scope, _ depth: Int) -> Node {
    if kind == .bool, random.chance(75) { return truth(scope, depth) }
    if !functions.isEmpty, random.chance(12), let call = userCall(kind, scope, depth) { return call }
    if !scope.entities.isEmpty, random.chance(scope.isFunction ? 60 : 20), let node = ofParameter(kind, scope) {
      return node
    }
    if random.chance(30), let parameter = parameter(of: kind, scope) { return parameter }
    if depth > 0, random.chance(65), let node = compound(kind, scope, depth) { return node }
    if random.chance(30),
      let found = scope.lets.filter({ $0.kind == kind }).randomElement(using: &random)
    {
      return Node(.letName(found.name))
    }
    // What becomes of a case-insensitive text inside an expression is not said: it stands beside operators only.
    if let path = path([kind], scope, folded: false) { return path.node }
    if kind == .symbol { return symbol(scope) }
    return constant(kind, scope, isBare: false)
  }

  private mutating func symbol(_ scope: Scope) -> Node {
    // A bare name is an enum value only beside an enum.
    guard scope.hasVariables else { return Node(.literal(.null, isBare: true)) }
    return Node(.variable(name("v"), type: Kind.symbol.typeName, Model.value(.symbol, &random)))
  }

  private mutating func compound(_ kind: Kind, _ scope: Scope, _ depth: Int) -> Node? {
    if isRisky, kind == .int, random.chance(50) { return integer(scope, depth) }
    if random.chance(5), let node = valueOfChosen(kind, scope, depth - 1) { return node }
    switch kind == .json ? 8 : random.below(9) {
    case 0: return Node(.call("if"), [truth(scope, 1), value(kind, scope, depth - 1), value(kind, scope, depth - 1)])
    case 1:
      guard let path = path([kind], scope, folded: false) else { return nil }
      return Node(random.chance(70) ? .operation("??") : .call("coalesce"), [path.node, constant(kind, scope)])
    case 2:
      guard kind.isScalar || kind == .json, let set = set(scope, depth - 1),
        let field = model.shape(set.target)?.fields.filter({ $0.kind == kind && !$0.isFolded }).randomElement(
          using: &random)
      else { return nil }
      return Node(.access, [Node(.aggregate(end()), [set.node]), Node(.step(field.name))])
    case 3 where [.int, .float, .decimal, .text, .date, .symbol, .time].contains(kind):
      guard let bag = bag(kind, scope, depth - 1) else { return nil }
      return Node(.aggregate(random.pick(["min", "max", "first", "last"])), bag)
    case 4 where [.int, .float, .decimal, .text, .date].contains(kind):
      return Node(
        .call(random.pick(["least", "greatest"])), [value(kind, scope, depth - 1), value(kind, scope, depth - 1)])
    default: break
    }
    switch kind {
    case .int: return integer(scope, depth)
    case .float: return float(scope, depth)
    case .decimal: return decimal(scope, depth)
    case .text: return text(scope, depth)
    case .date, .time, .duration: return moment(kind, scope, depth)
    case .list(let element): return list(element, scope, depth)
    case .json: return json(scope, depth)
    default: return nil
    }
  }

  private mutating func arithmetic(_ kind: Kind, _ scope: Scope, _ depth: Int) -> Node {
    Node(
      .operation(random.pick(["+", "-", "*"])), [value(kind, scope, depth - 1), value(kind, scope, depth - 1)])
  }

  private mutating func integer(_ scope: Scope, _ depth: Int) -> Node? {
    if isRisky, random.chance(60) {
      if random.chance(30) { return Node(.call("int"), [value(.text, scope, 0)]) }
      return Node(.operation("%"), [value(.int, scope, depth - 1), value(.int, scope, 0)])
    }
    switch random.below(14) {
    case 0, 1, 2: return arithmetic(.int, scope, depth)
    case 3, 4: return set(scope, depth - 1).map { Node(.aggregate("count"), [$0.node]) }
    case 5: return bag(.int, scope, depth - 1).map { Node(.aggregate("sum"), $0) }
    case 6:
      return Node(
        .call("length"), [value(scope.hasVariables && random.chance(30) ? .list(.int) : .text, scope, depth - 1)])
    case 7:
      let divisor =
        random.chance(isRisky ? 30 : 100)
        ? Node(.literal(.int(random.pick([2, 3, -2])), isBare: false)) : value(.int, scope, 0)
      let dividend = value(.int, scope, depth - 1)
      return random.chance(50) ? Node(.call("div"), [dividend, divisor]) : Node(.operation("%"), [dividend, divisor])
    case 8: return Node(.call("abs"), [value(.int, scope, depth - 1)])
    case 9:
      return Node(
        .call(random.pick(["round", "floor", "ceil"])), [value(random.pick([.float, .decimal]), scope, depth - 1)])
    case 10:
      let part = random.pick(["year", "month", "day", "weekday"])
      return Node(.call(part), [value(random.pick([.date, .time]), scope, depth - 1)])
    case 11: return Node(.call(random.pick(["hour", "minute", "second"])), [value(.time, scope, depth - 1)])
    case 12:
      let unit = Node(.word(random.pick(["DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "HOUR"])))
      let kind = random.pick([Kind.date, .time])
      if kind == .date, case .word("HOUR") = unit.form { return nil }
      return Node(.call("dateDiff"), [value(kind, scope, depth - 1), value(kind, scope, depth - 1), unit])
    default:
      let number = Node(.call("int"), [value(.text, scope, depth - 1)])
      return isRisky && random.chance(20) ? number : Node(.call("try"), [number])
    }
  }

  private mutating func float(_ scope: Scope, _ depth: Int) -> Node? {
    switch random.below(6) {
    case 0, 1: return arithmetic(.float, scope, depth)
    case 2: return bag(random.pick([.int, .float]), scope, depth - 1).map { Node(.aggregate("avg"), $0) }
    case 3: return bag(.float, scope, depth - 1).map { Node(.aggregate("sum"), $0) }
    case 4:
      return Node(
        .operation("/"), [value(.int, scope, depth - 1), Node(.literal(.int(random.pick([2, 3, 4])), isBare: false))])
    default: return Node(.call("float"), [value(.int, scope, depth - 1)])
    }
  }

  private mutating func decimal(_ scope: Scope, _ depth: Int) -> Node? {
    switch random.below(7) {
    case 0, 1: return arithmetic(.decimal, scope, depth)
    case 2: return bag(.decimal, scope, depth - 1).map { Node(.aggregate(random.pick(["sum", "sum", "avg"])), $0) }
    case 3:
      let places = Node(.literal(.int(random.below(3)), isBare: false))
      return Node(.call("round"), [value(.decimal, scope, depth - 1), places])
    case 4: return Node(.call("decimal"), [value(.int, scope, depth - 1)])
    case 5:
      return Node(
        .operation("/"),
        [value(.decimal, scope, depth - 1), Node(.literal(.int(random.pick([2, 3, 8])), isBare: false))])
    default: return Node(.call("abs"), [value(.decimal, scope, depth - 1)])
    }
  }

  private mutating func text(_ scope: Scope, _ depth: Int) -> Node? {
    let inner = value(.text, scope, depth - 1)
    func number(_ value: Int) -> Node { Node(.literal(.int(value), isBare: false)) }
    switch random.below(10) {
    case 0, 1: return Node(.operation("+"), [inner, value(.text, scope, depth - 1)])
    case 2: return Node(.call(random.pick(["lower", "upper", "trim"])), [inner])
    case 3:
      let bounds = [random.below(4) - 1, random.below(5) - 1].prefix(1 + random.below(2))
      return Node(.call("slice"), [inner] + bounds.map(number))
    case 4: return Node(.call("replace"), [inner, constant(.text, scope), constant(.text, scope)])
    case 5: return Node(.call("concat"), [inner, value(.text, scope, depth - 1), constant(.text, scope)])
    case 6: return Node(.call("padStart"), [inner, number(random.below(6)), Node(.literal(.text(" "), isBare: true))])
    case 7:
      let kind = random.pick([Kind.int, .float, .decimal, .bool, .date])
      return Node(.call("string"), [value(kind, scope, depth - 1)])
    default:
      guard let bag = bag(.text, scope, depth - 1) else { return nil }
      return Node(.aggregate("join"), bag + [Node(.literal(.text(", "), isBare: true))])
    }
  }

  private mutating func moment(_ kind: Kind, _ scope: Scope, _ depth: Int) -> Node? {
    switch (kind, random.below(4)) {
    case (.date, 0): return Node(.call("date"), [value(.time, scope, depth - 1)])
    case (.date, 1), (.time, 1):
      let units =
        kind == .date ? ["WEEK", "MONTH", "QUARTER", "YEAR"] : ["HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR"]
      return Node(.call("trunc"), [value(kind, scope, depth - 1), Node(.word(random.pick(units)))])
    case (.date, 2), (.time, 2), (.time, 0):
      let days = Datum.duration((random.below(9) - 4) * CivilCalendar.secondsPerDay)
      let span = kind == .date ? Node(.literal(days, isBare: false)) : value(.duration, scope, depth - 1)
      return Node(.operation(random.pick(["+", "-"])), [value(kind, scope, depth - 1), span])
    case (.duration, 0): return Node(.operation("-"), [value(.time, scope, depth - 1), value(.time, scope, depth - 1)])
    case (.duration, 1):
      return Node(.operation("+"), [value(.duration, scope, depth - 1), value(.duration, scope, depth - 1)])
    case (.duration, 2):
      return Node(.operation("*"), [value(.duration, scope, depth - 1), constant(.int, scope, isBare: false)])
    default: return nil
    }
  }

  private mutating func list(_ element: Kind, _ scope: Scope, _ depth: Int) -> Node? {
    if random.chance(30), let chosen = chosenList(element, scope, depth) { return chosen }
    switch random.below(5) {
    case 0, 1: return bag(element, scope, depth - 1).map { Node(.aggregate("collect"), $0) }
    case 2: return bag(element, scope, depth - 1).map { Node(.aggregate("distinct"), $0) }
    case 3: return Node(.call("sort"), [value(.list(element), scope, depth - 1)])
    default:
      guard element == .text else { return nil }
      return Node(.call("split"), [value(.text, scope, depth - 1), constant(.text, scope)])
    }
  }

  private mutating func json(_ scope: Scope, _ depth: Int) -> Node? {
    if random.chance(30), let chosen = chosenJSON(scope, depth) { return chosen }
    if random.chance(40) { return jsonPath(scope) }
    let kinds: [Kind] = [.int, .text, .bool, .decimal, .list(.int)]
    let values = (0..<(1 + random.below(3))).map { _ in value(random.pick(kinds), scope, depth - 1) }
    return Node(.object(values.indices.map { "m\($0)" }), values)
  }
}
