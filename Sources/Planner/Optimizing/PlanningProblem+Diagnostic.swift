import GQLBase
import GQLCatalog
import GQLQuery

extension PlanningProblem {
  package func diagnostic(_ catalog: Catalog) -> Diagnostic {
    switch self {
    case .accessNotPossible(let hint, let type, let possible):
      let index = hint.index.map { " with index '\($0)'" } ?? ""
      let ways = possible.flatMap { catalog.hintNames(of: $0) }
        .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      return Diagnostic(
        .accessNotPossible, "access \(hint.access.rawValue)\(index) is not possible for '\(catalog[type].name)' here",
        at: hint.range,
        help: ways.isEmpty
          ? "there is one way only to these rows"
          : "possible: \(ways.joined(separator: ", "))")
    }
  }
}

extension Catalog {
  /// How `@using` would ask for the path.
  func hintNames(of path: AccessPath) -> [String] {
    switch path {
    case .scan: ["SCAN"]
    case .lookup(let id, _), .lookupEach(let id, _), .range(let id, _):
      self[id].isPrimary ? ["ID"] : ["\(self[id].kind.rawValue) with index '\(self[id].name)'"]
    case .intersection(let paths): paths.flatMap(hintNames)
    case .timeRange: ["SCAN"]
    case .fullText(let id, _, _): ["FULLTEXT with index '\(self[id].name)'"]
    case .trigram(let id, _, _, _): ["TRIGRAM with index '\(self[id].name)'"]
    case .source, .rowSet, .union, .empty, .hashJoin: []
    }
  }
}
