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
    if case .intersection(let paths) = path { return paths.flatMap(hintNames) }
    guard let access = path.hints(self).first else { return [] }
    guard access != .id, let index = path.index else { return [access.rawValue] }
    return ["\(access.rawValue) with index '\(self[index].name)'"]
  }
}
