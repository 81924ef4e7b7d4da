extension Node {
  /// The document's text; operators stand in parentheses.
  package var text: String {
    switch form {
    case .literal(let datum, let isBare): return isBare ? datum.literal : Self.typed(datum)
    case .variable(let name, _, _), .cursor(let name, _), .absent(let name, _), .absentKey(let name, _),
      .defaulted(let name, _, _), .filterVariable(let name, _):
      return "$\(name)"
    case .userCall(let name): return "\(name)(\(list(", ")))"
    case .score: return "_score"
    case .objectForm: return children.first?.objectForm?.text ?? "{?}"
    case .orderObject(let variable?, _): return "$\(variable)"
    case .orderObject(nil, _): return orderObject?.text ?? "{?}"
    case .path(let scope, _): return path(scope)
    case .step(let name): return name + list(" ")
    case .index(let place): return "[\(place)]"
    case .cast(let type): return "(. as \(type))"
    case .access: return path(0)
    case .operation(let sign): return "(\(list(" \(sign) ")))"
    case .not: return "(not \(list("")))"
    case .negative: return "(-\(list("")))"
    case .isNull(let negated): return "(\(list("")) is\(negated ? " not" : "") null)"
    case .isType(let type, let negated): return "(\(list("")) is\(negated ? " not" : "") \(type))"
    case .inList(let negated):
      return
        "(\(children.first?.text ?? "") \(negated ? "not in" : "in") [\(tail.map(\.text).joined(separator: ", "))])"
    case .inRange(let isClosed, let negated):
      let range = tail.map(\.text).joined(separator: isClosed ? ".." : "..<")
      return "(\(children.first?.text ?? "") \(negated ? "not in" : "in") \(range))"
    case .call(let name): return "\(name)(\(list(", ")))"
    case .conversion(let type): return "(\(list("")) as \(type))"
    case .word(let word): return word
    case .aggregate(let name): return "\(name)(\(list(", ")))"
    case .set(let scope, let isRoot): return isRoot ? list(".") : path(scope)
    case .closure(let depth):
      let range = depth.map { ", depth: \($0.lowerBound)..\($0.upperBound)" } ?? ""
      return "closure(\(children.first?.text ?? "")\(range)\(tail.map { ", where: \($0.text)" }.joined()))"
    case .shortestPath(let depth):
      let limit = depth.map { ", maxDepth: \($0)" } ?? ""
      return "shortestPath(\(children.first?.text ?? ""), to: \(tail.map(\.text).joined())\(limit))"
    case .letName(let name), .key(let name, _): return name
    case .groupAggregate(let name, let isDistinct):
      guard isDistinct else { return "\(name)(\(list(", ")))" }
      return "\(name)(\(["distinct(\(children.first?.text ?? ""))"].joined()))"
    case .list: return "[\(children.map { "(\($0.text))" }.joined(separator: ", "))]"
    case .object(let names):
      return "{\(zip(names, children).map { "\($0): \($1.text)" }.joined(separator: ", "))}"
    case .arguments: return children.isEmpty ? "" : "(\(list(", ")))"
    case .argument(let name):
      let isList = ["orderBy", "distinctOn", "groupBy"].contains(name) && children.count != 1
      return "\(name): \(isList ? "[\(list(", "))]" : list(""))"
    case .order(let form): return Self.order(form, list(""))
    case .named(let name): return "{\(name): \(list(""))}"
    case .query:
      let functions = children.filter(\.isFunction).map { "\($0.text) " }.joined()
      let selections = children.filter { !$0.isFunction }.map(\.text).joined(separator: " ")
      return "\(functions)query\(declarations) { \(selections) }"
    case .selections:
      let expansions = children.filter(\.isExpansion).map(\.text).joined()
      let others = children.filter { !$0.isExpansion }
      if others.isEmpty, !expansions.isEmpty { return expansions }
      return "\(expansions) { \(others.map(\.text).joined(separator: " ")) }"
    case .field(let name, let alias): return (alias.map { "\($0): " } ?? "") + name + list("")
    case .computed(let name, let isColon): return "\(name)\(isColon ? ": " : " := ")\(list(""))"
    case .computedSet(let name): return "\(name) := \(list(" "))"
    case .let(let name): return "let \(name) := \(list(""))"
    case .on(let type): return "... on \(type) \(list(""))"
    case .using(let access): return " @using(access: \(access))"
    case .expand(let levels): return " @expand(levels: [\(levels.joined(separator: ", "))])"
    case .conditional(let name, let isSkip, _): return " @\(isSkip ? "skip" : "include")(if: $\(name))"
    case .function(let name, let parameters, let result):
      let list = parameters.map { parameter in
        "\(parameter.name): \(parameter.type)\(parameter.fallback.map { " = \($0.literal)" } ?? "")"
      }
      return "func \(name)(\(list.joined(separator: ", "))): \(result) = \(children.first?.text ?? "")"
    case .recurse(let depth): return " @recurse" + (depth.map { "(depth: \($0))" } ?? "")
    }
  }

  var isFunction: Bool { if case .function = form { true } else { false } }
  var isLet: Bool { if case .let = form { true } else { false } }
  var isExpansion: Bool { if case .expand = form { true } else { false } }

  private var tail: ArraySlice<Node> { children.dropFirst() }
  private func list(_ separator: String) -> String { children.map(\.text).joined(separator: separator) }

  private func path(_ scope: Int) -> String {
    var text = String(repeating: "^", count: scope)
    for (place, step) in children.enumerated() {
      if case .index = step.form {
        text += step.text
      } else if case .cast = step.form {
        text += step.text
      } else {
        text += (place == 0 && scope == 0 ? "" : ".") + step.text
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
