extension Node {
  /// The document's text; operators stand in parentheses.
  package var text: String {
    var hidden: Set<String> = []
    forEach { node in if case .let(let name) = node.form { hidden.insert(name) } }
    return text(hidden)
  }

  /// Fields that `let`s may hide are written `.name`.
  func text(_ hidden: Set<String>) -> String {
    func list(_ separator: String) -> String { children.map { $0.text(hidden) }.joined(separator: separator) }
    var first: String { children.first?.text(hidden) ?? "" }
    var tail: [String] { children.dropFirst().map { $0.text(hidden) } }
    switch form {
    case .literal(let datum, let isBare): return isBare ? datum.literal : Self.typed(datum)
    case .variable(let name, _, _), .cursor(let name, _), .absent(let name, _), .absentKey(let name, _),
      .defaulted(let name, _, _), .filterVariable(let name, _), .parameter(let name), .parameterKey(let name),
      .filterParameter(let name), .orderParameter(let name), .nothing(.given(let name, _)),
      .nothing(.missing(let name, _)):
      return "$\(name)"
    case .userCall(let name): return "\(name)(\(list(", ")))"
    case .score: return "_score"
    case .nothing(.literal): return "null"
    case .elsewhere, .entity: return first
    case .entityCast(let type): return "(\(first) as \(type))"
    case .entityOfID(let name): return "\(name)(id: \(first))"
    case .joinedLists: return "concat(\(list(", ")))"
    case .objectForm: return children.first?.objectForm?.text(hidden) ?? "{?}"
    case .orderObject(let variable?, _): return "$\(variable)"
    case .orderObject(nil, _): return orderObject?.text(hidden) ?? "{?}"
    case .path(let scope, _): return path(scope, hidden)
    case .step(let name): return name + list(" ")
    case .index(let place): return "[\(place)]"
    case .cast(let type): return "(. as \(type))"
    case .access: return path(0, hidden)
    case .operation(let sign): return "(\(list(" \(sign) ")))"
    case .not: return "(not \(list("")))"
    case .negative: return "(-\(list("")))"
    case .isNull(let negated): return "(\(list("")) is\(negated ? " not" : "") null)"
    case .isType(let type, let negated): return "(\(list("")) is\(negated ? " not" : "") \(type))"
    case .inList(let negated):
      return "(\(first) \(negated ? "not in" : "in") [\(tail.joined(separator: ", "))])"
    case .inRange(let isClosed, let negated):
      let range = tail.joined(separator: isClosed ? ".." : "..<")
      return "(\(first) \(negated ? "not in" : "in") \(range))"
    case .call(let name): return "\(name)(\(list(", ")))"
    case .conversion(let type): return "(\(list("")) as \(type))"
    case .word(let word): return word
    case .aggregate(let name): return "\(name)(\(list(", ")))"
    case .set(let scope, let isRoot): return isRoot ? list(".") : path(scope, hidden)
    case .closure(let depth):
      let range = depth.map { ", depth: \($0.lowerBound)..\($0.upperBound)" } ?? ""
      return "closure(\(first)\(range)\(tail.map { ", where: \($0)" }.joined()))"
    case .shortestPath(let depth):
      let limit = depth.map { ", maxDepth: \($0)" } ?? ""
      return "shortestPath(\(first), to: \(tail.joined())\(limit))"
    case .letName(let name), .key(let name, _): return name
    case .groupAggregate(let name, let isDistinct):
      guard isDistinct else { return "\(name)(\(list(", ")))" }
      return "\(name)(\(["distinct(\(first))"].joined()))"
    case .list: return "[\(children.map { "(\($0.text(hidden)))" }.joined(separator: ", "))]"
    case .object(let names):
      return "{\(zip(names, children).map { "\($0): \($1.text(hidden))" }.joined(separator: ", "))}"
    case .arguments, .argument, .order, .named, .query, .selections, .field, .computed, .computedSet, .let, .on, .using,
      .recurse, .expand, .conditional, .conditionalParameter, .function, .fragment, .spread:
      return selectionText(hidden)
    }
  }

  private func selectionText(_ hidden: Set<String>) -> String {
    func list(_ separator: String) -> String { children.map { $0.text(hidden) }.joined(separator: separator) }
    var first: String { children.first?.text(hidden) ?? "" }
    switch form {
    case .arguments: return children.isEmpty ? "" : "(\(list(", ")))"
    case .argument(let name):
      let isList = ["orderBy", "distinctOn", "groupBy"].contains(name) && children.count != 1
      return "\(name): \(isList ? "[\(list(", "))]" : list(""))"
    case .order(let form): return Self.order(form, list(""))
    case .named(let name): return "{\(name): \(list(""))}"
    case .query:
      let functions = children.filter(\.isFunction).map { "\($0.text(hidden)) " }.joined()
      let fragments = children.filter(\.isFragment).map { " \($0.text(hidden))" }.joined()
      let selections = children.filter { !$0.isDefinition }.map { $0.text(hidden) }.joined(separator: " ")
      return "\(functions)query\(declarations) { \(selections) }\(fragments)"
    case .selections:
      let expansions = children.filter(\.isExpansion).map { $0.text(hidden) }.joined()
      let others = children.filter { !$0.isExpansion }
      if others.isEmpty, !expansions.isEmpty { return expansions }
      return "\(expansions) { \(others.map { $0.text(hidden) }.joined(separator: " ")) }"
    case .field(let name, let alias): return (alias.map { "\($0): " } ?? "") + name + list("")
    case .computed(let name, let isColon): return "\(name)\(isColon ? ": " : " := ")\(list(""))"
    case .computedSet(let name): return "\(name) := \(list(" "))"
    case .let(let name): return "let \(name) := \(list(""))"
    case .on(let type): return "... on \(type) \(list(""))"
    case .using(let access): return " @using(access: \(access))"
    case .expand(let levels): return " @expand(levels: [\(levels.joined(separator: ", "))])"
    case .conditional(let name, let isSkip, _): return " @\(isSkip ? "skip" : "include")(if: $\(name))"
    case .conditionalParameter(let name, let isSkip): return " @\(isSkip ? "skip" : "include")(if: $\(name))"
    case .fragment(let name, let type, let parameters):
      let list = parameters.map { "$\($0.name): \($0.type)\($0.fallback.map { " = \($0.text)" } ?? "")" }
      return "fragment \(name)\(list.isEmpty ? "" : "(\(list.joined(separator: ", ")))") on \(type)\(first)"
    case .spread(let name):
      let given = children.filter(\.isArgument).map { $0.text(hidden) }
      let directives = children.filter { !$0.isArgument }.map { $0.text(hidden) }.joined()
      return "...\(name)\(given.isEmpty ? "" : "(\(given.joined(separator: ", ")))")\(directives)"
    case .function(let name, let parameters, let result):
      let list = parameters.map { parameter in
        "\(parameter.name): \(parameter.type)\(parameter.fallback.map { " = \($0.literal)" } ?? "")"
      }
      return "func \(name)(\(list.joined(separator: ", "))): \(result) = \(first)"
    case .recurse(let depth): return " @recurse" + (depth.map { "(depth: \($0))" } ?? "")
    default: return ""
    }
  }

  var isFunction: Bool { if case .function = form { true } else { false } }
  var isFragment: Bool { if case .fragment = form { true } else { false } }
  /// Whether it stands beside the operation.
  var isDefinition: Bool { isFunction || isFragment }
  var isArgument: Bool { if case .argument = form { true } else { false } }
  var isLet: Bool { if case .let = form { true } else { false } }
  var isExpansion: Bool { if case .expand = form { true } else { false } }

  private func path(_ scope: Int, _ hidden: Set<String>) -> String {
    var text = String(repeating: "^", count: scope)
    for (place, step) in children.enumerated() {
      switch step.form {
      // The element itself, from which it goes on.
      case .path(0, _) where step.children.isEmpty && children.count > 1: break
      case .index, .cast: text += step.text(hidden)
      case .step(let name) where place == 0 && scope == 0 && hidden.contains(name): text += ".\(step.text(hidden))"
      default: text += (place == 0 && scope == 0 ? "" : ".") + step.text(hidden)
      }
    }
    return text.isEmpty ? "." : text
  }

  private static func typed(_ datum: Datum) -> String {
    switch datum {
    case .date: "(\(datum.literal) as Date)"
    case .time: "(\(datum.literal) as DateTime)"
    case .duration: "(\(datum.literal) as Duration)"
    case .decimal: "(\(datum.literal) as Decimal)"
    case .int(let number): number < 0 ? "(\(number))" : "\(number)"
    case .float(let number): number < 0 ? "(\(number))" : "\(number)"
    default: datum.literal
    }
  }

  private static func order(_ form: OrderForm, _ key: String) -> String {
    switch form {
    case .plain: key
    case .ascending(let nullsFirst): "asc(\(key)\(nullsFirst ? ", nulls: FIRST" : ""))"
    case .minus: "-\(key)"
    case .descending(let nullsFirst): "desc(\(key)\(nullsFirst ? ", nulls: FIRST" : ""))"
    }
  }

  private var declarations: String {
    var declared: [String] = []
    forEach { node in
      switch node.form {
      case .variable(let name, let type, _), .absent(let name, let type), .absentKey(let name, let type),
        .filterVariable(let name, let type):
        declared.append("$\(name): \(type)")
      case .nothing(.given(let name, let type)), .nothing(.missing(let name, let type)):
        declared.append("$\(name): \(type)")
      case .defaulted(let name, let type, let datum): declared.append("$\(name): \(type) = \(datum.literal)")
      case .orderObject(let name?, let type): declared.append("$\(name): \(type)")
      case .conditional(let name, _, _): declared.append("$\(name): Boolean!")
      case .cursor(let name, _): declared.append("$\(name): Cursor")
      default: break
      }
    }
    var seen: Set<String> = []
    let distinct = declared.filter { seen.insert($0).inserted }
    return distinct.isEmpty ? "" : "(\(distinct.joined(separator: ", ")))"
  }
}
