import GQLQuery

/// Names the operators that make a set's lists and answer its other uses.
extension PlanTreeBuilder {
  /// Returns the node of the operator that makes the lists of a set for many elements, where it is more than gathering
  /// them.
  func lists(_ id: SetID, depth: Int) -> PlanNode? {
    words(id, depth: depth).map { PlanNode(label: "lists", text: $0) }
  }

  private func words(_ id: SetID, depth: Int) -> String? {
    // At the root there is one list.
    if depth == 0 { return nil }
    switch plan[id].operators.lists {
    case .slices where plan.query[id].limit != nil || plan.query[id].offset != nil: return "slices"
    case .batched, .slices: return nil
    case .shared: return "once for all"
    case .each: return "one after the other"
    case .firstLinks: return "first links that the filter keeps"
    case .topLinks: return "one end of each list"
    case .keyed: return "keys together"
    case .walks: return "walks together"
    }
  }

  /// Returns the nodes of the operators by which expressions use a set.
  func uses(of id: SetID, in expressions: [BoundExpression], depth: Int) -> [PlanNode] {
    var labels: [String] = []
    for expression in expressions {
      expression.forEachNode { node in
        guard node.setCall?.set == id, let label = use(node), !labels.contains(label) else { return }
        labels.append(label)
      }
    }
    return labels.compactMap { label in
      switch label {
      case "count": PlanNode(label: label, text: count(id, depth: depth))
      case "exists": PlanNode(label: label, text: exists(id, depth: depth))
      default: lists(id, depth: depth)
      }
    }
  }

  private func use(_ call: BoundExpression) -> String? {
    switch call.kind {
    case .quantifier(.every, _, nil): nil
    case .quantifier(.one, _, nil), .aggregate(.count, _, nil): "count"
    case .quantifier(_, _, nil): "exists"
    default: "lists"
    }
  }

  private func count(_ id: SetID, depth: Int) -> String {
    switch plan[id].operators.count {
    case .lists: return "by lists" + (words(id, depth: depth).map { ", \($0)" } ?? "")
    case .filter: return "what the filter keeps, once"
    case .access:
      switch plan[id].access {
      case .source: return "by degrees"
      case .range: return "by ranks"
      case .lookup, .hashJoin: return "by keys"
      default: return "number of rows"
      }
    }
  }

  private func exists(_ id: SetID, depth: Int) -> String {
    switch plan[id].operators.exists {
    case .count: "count \(count(id, depth: depth))"
    case .firstLinks: "first links that the filter keeps"
    case .keyed: "keys together"
    case .first: "first member"
    }
  }
}

extension PageMethod {
  /// Says how the cursors of a page are found.
  var words: String {
    switch self {
    case .ranks: ", by rank"
    case .ties: ", by rank of the first terms"
    case .rows: ", by row"
    case .compared: ", compared"
    }
  }
}
