import GQLBase
import GQLCatalog

extension ExpressionPrinter {
  /// `closure(replies(where: …), depth: 1..3, limit: 2)`.
  func traversal(_ closure: BoundClosure, _ arguments: [String]) -> String {
    var parts = [step(closure.step, from: closure.start)]
    if closure.lower != nil || closure.upper != nil {
      let lower = closure.lower.map { text($0) } ?? "1"
      let upper = closure.upper.map { text($0) } ?? "null"
      parts.append("depth: \(lower)\(closure.includesUpper ? ".." : "..<")\(upper)")
    }
    return "closure(\((parts + arguments).joined(separator: ", ")))"
  }

  /// `shortestPath(friends, to: user(id: "2"), maxDepth: 6)`.
  func traversal(_ path: BoundShortestPath, _ arguments: [String]) -> String {
    var parts = [step(path.step, from: path.start)]
    switch path.target {
    case .entity(let reference):
      parts.append("to: \(text(BoundExpression(.entity(reference), .null, at: SourceRange(at: 0))))")
    case .set(let set): parts.append("to: \(self.set(query[set]))")
    }
    if let depth = path.maximumDepth { parts.append("maxDepth: \(text(depth))") }
    return "shortestPath(\((parts + arguments).joined(separator: ", ")))"
  }

  /// `@recurse(depth: 3)`.
  package func recursion(_ recursion: BoundRecursion) -> String {
    recursion.depth.map { "@recurse(depth: \(text($0)))" } ?? "@recurse"
  }

  /// The step behind where it starts, such as `.friends(where: …)`.
  private func step(_ id: SetID, from start: TraversalEnd) -> String {
    let step = set(query[id])
    switch start {
    case .set(let base): return "\(set(query[base])).\(step)"
    case .entity(let reference):
      let base = text(BoundExpression(.entity(reference), .null, at: SourceRange(at: 0)))
      return base.isEmpty || base == "." ? step : "\(base).\(step)"
    }
  }
}
