extension Node {
  /// The document's text; operators stand in parentheses.
  package var text: String {
    switch form {
    case .literal(let datum, let isBare): return isBare ? datum.literal : Self.typed(datum)
    case .variable(let name, _, _), .cursor(let name, _): return "$\(name)"
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
    case .query: return "query\(declarations) { \(list(" ")) }"
    case .selections: return "{ \(list(" ")) }"
    case .field(let name, let alias): return (alias.map { "\($0): " } ?? "") + name + list("")
    case .computed(let name, let isColon): return "\(name)\(isColon ? ": " : " := ")\(list(""))"
    case .computedSet(let name): return "\(name) := \(list(" "))"
    case .let(let name): return "let \(name) := \(list(""))"
    case .on(let type): return "... on \(type) \(list(""))"
    case .using(let access): return " @using(access: \(access))"
    case .recurse(let depth): return " @recurse" + (depth.map { "(depth: \($0))" } ?? "")
    }
  }

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
      case .variable(let name, let type, _): declared.append("$\(name): \(type)")
      case .cursor(let name, _): declared.append("$\(name): Cursor")
      default: break
      }
    }
    var seen: Set<String> = []
    let distinct = declared.filter { seen.insert($0).inserted }
    return distinct.isEmpty ? "" : "(\(distinct.joined(separator: ", ")))"
  }
}
