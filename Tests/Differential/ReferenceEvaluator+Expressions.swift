/// Operators, paths and the calls over sets.
extension ReferenceEvaluator {
  func evaluate(_ node: Node, _ environment: Environment) throws -> Datum {
    switch node.form {
    case .literal(let datum, _), .variable(_, _, let datum), .defaulted(_, _, let datum): return datum
    case .absent, .nothing: return .null
    case .parameter(let name), .parameterKey(let name): return try parameter(name, environment)
    case .filterParameter(let name): return try filter(name, environment)
    case .elsewhere:
      guard let place = environment.elsewhere.last else { throw ReferenceFailure.malformed }
      return try evaluate(node[0], place)
    case .entity: return try evaluate(node[0], environment)
    case .entityOfID(let name):
      guard let shape = model.shapes.first(where: { $0.name.lowercased() == name }) else {
        throw ReferenceFailure.malformed
      }
      return try entity(of: shape.name, "id", evaluate(node[0], environment)) ?? .null
    case .entityCast(let type):
      guard case .entity(let actual, _) = try evaluate(node[0], environment), model.members(type).contains(actual)
      else {
        return .null
      }
      return try evaluate(node[0], environment)
    case .joinedLists: return try joined(node, environment)
    case .objectForm, .filterVariable: return try evaluate(node[0], environment)
    case .score: return .float(try score(environment))
    case .userCall(let name): return try userCall(name, node.children, environment)
    case .path(let scope, _):
      var steps = node.children[...]
      var value = try element(scope, environment)
      if case .cast(let type)? = steps.first?.form {
        steps.removeFirst()
        guard case .entity(let actual, _) = value else { throw ReferenceFailure.malformed }
        if !model.members(type).contains(actual) { value = .null }
      }
      return try walk(value, steps, environment)
    case .access: return try walk(evaluate(node[0], environment), node.children.dropFirst(), environment)
    case .letName(let name):
      if let value = environment.lets[name]?.value { return try value.get() }
      let (definition, scope) = try letDefinition(name, environment)
      return try evaluate(definition, scope)
    case .key(let name, _):
      guard let key = environment.group?.keys.first(where: { $0.name == name }) else {
        throw ReferenceFailure.malformed
      }
      return key.value
    case .not:
      if case .nothing = try node[0].form { return .bool(true) }
      guard case .bool(let flag) = try evaluate(node[0], environment) else { return .null }
      return .bool(!flag)
    case .negative: return try negated(evaluate(node[0], environment))
    case .isNull(let negated): return .bool(try evaluate(node[0], environment).isNull != negated)
    case .isType(let type, let negated):
      guard case .entity(let actual, _) = try evaluate(node[0], environment) else { return .bool(negated) }
      return .bool(model.members(type).contains(actual) != negated)
    case .inList(let negated):
      let value = try evaluate(node[0], environment)
      let folded = try node[0].isFolded
      let isFound = try node.children.dropFirst().contains { element in
        try Datum.isSame(evaluate(element, environment), value, folded: folded || element.isFolded)
      }
      return .bool(isFound != negated)
    case .inRange(let isClosed, let negated):
      let value = try evaluate(node[0], environment)
      let folded = try node[0].isFolded
      guard let low = try Datum.compare(value, evaluate(node[1], environment), folded: folded),
        let high = try Datum.compare(value, evaluate(node[2], environment), folded: folded)
      else { return .bool(negated) }
      return .bool((low >= 0 && (isClosed ? high <= 0 : high < 0)) != negated)
    case .operation(let sign): return try operation(sign, node, environment)
    case .call(let name): return try call(name, node, environment)
    case .conversion(let type): return try convert(evaluate(node[0], environment), to: type)
    case .aggregate(let name): return try aggregate(name, node, environment)
    case .groupAggregate(let name, let isDistinct): return try groupAggregate(name, isDistinct, node, environment)
    case .list: return .list(try node.children.map { try evaluate($0, environment) })
    case .object(let names):
      let values = try node.children.map { try evaluate($0, environment) }
      return .object(zip(names, values).map { Datum.Member(name: $0, value: $1) })
    case .set, .closure, .shortestPath:
      guard try isPlural(node, environment) else { throw ReferenceFailure.malformed }
      return .list(try set(node, environment))
    default: throw ReferenceFailure.malformed
    }
  }

  private func walk(_ start: Datum, _ steps: ArraySlice<Node>, _ environment: Environment) throws -> Datum {
    var value = start
    for step in steps {
      switch step.form {
      case .step(let name):
        guard !value.isNull else { return .null }
        // From many it would be a set.
        if case .entity? = value.elements.first { throw ReferenceFailure.malformed }
        var next = try read(value, name)
        if let mode = step.arguments?.deletedMode { next = links(value, name, deleted: mode).first ?? .null }
        value = next
        if let condition = try settled(step.arguments, environment)?.argument("where"), !next.isNull,
          try !keeps(condition[0], environment.entering(next))
        {
          value = .null
        }
      case .index(let place):
        guard case .list(let elements) = value, elements.indices.contains(place) else { return .null }
        value = elements[place]
      default: throw ReferenceFailure.malformed
      }
    }
    return value
  }

  // MARK: - Operators

  private func operation(_ sign: String, _ node: Node, _ environment: Environment) throws -> Datum {
    switch sign {
    case "and", "or":
      // `false` decides a conjunction, `true` a disjunction; failing that, an unknown makes it unknown.
      let decisive = sign == "or"
      var isUnknown = false
      // What says nothing among them is as if it were not there.
      let parts = node.children.filter { if case .nothing = $0.form { false } else { true } }
      if parts.isEmpty { return .bool(!decisive || !node.children.isEmpty) }
      for part in parts {
        guard case .bool(let flag) = try evaluate(part, environment) else {
          isUnknown = true
          continue
        }
        if flag == decisive { return .bool(decisive) }
      }
      return isUnknown ? .null : .bool(!decisive)
    case "??":
      let value = try evaluate(node[0], environment)
      return value.isNull ? try evaluate(node[1], environment) : value
    default: break
    }
    // In the object form the key of an absent variable says nothing.
    if try isAbsentKey(node[1], environment) { return .bool(true) }
    let folded = try node[0].isFolded || node[1].isFolded
    let left = try evaluate(node[0], environment)
    let right = try evaluate(node[1], environment)
    switch sign {
    case "==": return .bool(try Datum.isSame(left, right, folded: folded))
    case "!=": return .bool(try !Datum.isSame(left, right, folded: folded))
    case "<", "<=", ">", ">=":
      guard let order = try Datum.compare(left, right, folded: folded) else { return .null }
      return .bool(sign == "<" ? order < 0 : sign == "<=" ? order <= 0 : sign == ">" ? order > 0 : order >= 0)
    case "in":
      guard case .list(let elements) = right else { return .bool(false) }
      return .bool(try elements.contains { try Datum.isSame($0, left, folded: folded) })
    case "contains", "startsWith", "endsWith", "like", "ilike", "=~", "!~", "matches":
      if case .list(let elements) = left {
        // Null is a value for equality.
        return .bool(try elements.contains { try Datum.isSame($0, right) })
      }
      if sign == "matches" { return try matches(node, environment) }
      guard case .text(let text) = left, case .text(let part) = right else { return .null }
      return .bool(try textTest(sign, folded ? Datum.fold(text) : text, folded ? Datum.fold(part) : part))
    default: return try arithmetic(sign, left, right)
    }
  }

  private func textTest(_ sign: String, _ text: String, _ part: String) throws -> Bool {
    let whole = Array(text.utf8)
    let bytes = Array(part.utf8)
    switch sign {
    case "startsWith": return whole.starts(with: bytes)
    case "endsWith": return whole.suffix(bytes.count).elementsEqual(bytes)
    case "like": return Self.isLike(Array(text.unicodeScalars)[...], Array(part.unicodeScalars)[...])
    case "ilike":
      return Self.isLike(Array(Datum.fold(text).unicodeScalars)[...], Array(Datum.fold(part).unicodeScalars)[...])
    case "=~", "!~":
      guard let pattern = RandomPatterns.all.first(where: { $0.text == part }) else { throw ReferenceFailure.malformed }
      return pattern.isFound(Array(text.unicodeScalars).map(String.init)) == (sign == "=~")
    default:
      guard bytes.count <= whole.count else { return false }
      return (0...(whole.count - bytes.count)).contains { whole[$0...].starts(with: bytes) }
    }
  }

  /// `%` is any text, `_` a code point, `\` makes the next letter itself.
  private static func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    switch first {
    case "%":
      return (text.startIndex...text.endIndex).contains { isLike(text[$0...], pattern.dropFirst()) }
    case "_": return !text.isEmpty && isLike(text.dropFirst(), pattern.dropFirst())
    case "\\" where pattern.count > 1:
      return text.first == pattern[pattern.startIndex + 1] && isLike(text.dropFirst(), pattern.dropFirst(2))
    default: return text.first == first && isLike(text.dropFirst(), pattern.dropFirst())
    }
  }

  // MARK: - Calls over sets

  private func aggregate(_ name: String, _ node: Node, _ environment: Environment) throws -> Datum {
    let source = try node[0]
    if name == "hasMore" {
      return .bool(try set(source, environment, limits: false).count > set(source, environment).count)
    }
    // How many there are does not depend on their order, which is not looked at.
    let isNumber = name == "exists" || name == "count" && node.children.count == 1
    if name == "exists" {
      // A member that a condition fails for does not count, and is an error only where the others leave it open.
      var failure: (any Error)?
      let found = try set(source.withoutOrder, environment) { failure = failure ?? $0 }
      if found.isEmpty, let failure { throw failure }
      return .bool(!found.isEmpty)
    }
    let found = try set(isNumber ? source.withoutOrder : source, environment)
    switch name {
    case "some", "every", "none", "one":
      let test = try node[1]
      var good = 0
      var bad = 0
      var failure: ReferenceFailure?
      for element in found {
        do {
          if try evaluate(test, environment.entering(element)).isTrue { good += 1 } else { bad += 1 }
        } catch let problem as ReferenceFailure {
          guard case .runtime = problem else { throw problem }
          failure = failure ?? problem
        }
      }
      // A failure counts only where no other element decides, wherever they stand.
      let isDecided =
        switch name {
        case "some", "none": good > 0
        case "every": bad > 0
        default: good > 1
        }
      if let failure, !isDecided { throw failure }
      switch name {
      case "some": return .bool(good > 0)
      case "none": return .bool(good == 0)
      case "one": return .bool(good == 1)
      default: return .bool(bad == 0)
      }
    default: break
    }
    let separates = name == "join"
    let hasValue = node.children.count > (separates ? 2 : 1)
    if name == "first" || name == "last" {
      let ends = name == "first" ? found : found.reversed()
      guard hasValue else { return ends.first { !$0.isNull } ?? .null }
      for (place, element) in ends.enumerated() {
        let value = try evaluate(node[1], environment.entering(element))
        if value.isNull { continue }
        if name == "last" {
          // Whether what stands before it is looked at is not said.
          for other in ends[(place + 1)...] {
            try unneeded { _ = try evaluate(node[1], environment.entering(other)) }
          }
        }
        return value
      }
      return .null
    }
    var values = found
    var isFolded = false
    if hasValue {
      let value = try node[1]
      isFolded = value.isFolded
      values = try found.map { try evaluate(value, environment.entering($0)) }
    }
    let separator = separates ? try evaluate(node[hasValue ? 2 : 1], environment) : .null
    return try aggregate(name, values, separator, folded: isFolded)
  }

  static func distinct(_ values: [Datum], folded: Bool = false) -> [Datum] {
    var seen: Set<String> = []
    return values.filter { !$0.isNull && seen.insert($0.key(folded: folded)).inserted }
  }

  func aggregate(_ name: String, _ values: [Datum], _ separator: Datum, folded: Bool) throws -> Datum {
    let values = values.filter { !$0.isNull }
    if name == "first" { return values.first ?? .null }
    if name == "last" { return values.last ?? .null }
    switch name {
    case "count": return .int(values.count)
    case "collect": return .list(values)
    case "distinct": return .list(Self.distinct(values))
    case "join":
      guard case .text(let separator) = separator else { return .null }
      let texts = try values.map { value -> String in
        guard case .text(let text) = value else { throw ReferenceFailure.malformed }
        return text
      }
      return .text(texts.joined(separator: separator))
    case "sum": return try sum(values)
    case "avg":
      if case .decimal? = values.first { return .decimal(try .average(values.map { try $0.exact() })) }
      return values.isEmpty ? .null : try arithmetic("/", sum(values), .int(values.count))
    case "min", "max":
      var best: Datum?
      for value in values {
        guard let known = best else {
          best = value
          continue
        }
        let order = try Datum.order(value, known, folded: folded)
        if name == "min" ? order < 0 : order > 0 { best = value }
      }
      return best ?? .null
    default: throw ReferenceFailure.malformed
    }
  }
}
