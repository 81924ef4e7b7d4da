/// Reduces a query as long as the same kind of difference stays.
struct Shrinker {
  let isBad: (Node) -> Bool

  func shrink(_ query: Node) -> Node {
    var best = query
    var rounds = 0
    while rounds < 400, let smaller = step(best) {
      best = smaller
      rounds += 1
    }
    return best
  }

  private func step(_ query: Node) -> Node? {
    let size = query.size
    for candidate in candidates(query) where candidate.size < size && isBad(candidate) { return candidate }
    return nil
  }

  /// Trees with one part left out, put in its parent's place, or made a constant; the larger parts first.
  private func candidates(_ node: Node) -> [Node] {
    var found: [Node] = []
    for place in node.children.indices {
      var without = node
      without.children.remove(at: place)
      found.append(without)
    }
    if isExpression(node) {
      found += node.children.filter(isExpression)
      if node.size > 1 {
        found.append(Node(.literal(.bool(true), isBare: true)))
        found.append(Node(.literal(.int(1), isBare: true)))
        found.append(Node(.path(scope: 0, isFolded: false), [Node(.step("id"))]))
      }
    }
    for (place, child) in node.children.enumerated() {
      for candidate in candidates(child) {
        var changed = node
        changed.children[place] = candidate
        found.append(changed)
      }
    }
    return found
  }

  private func isExpression(_ node: Node) -> Bool {
    switch node.form {
    case .arguments, .argument, .order, .named, .cursor, .query, .selections, .field, .computed, .computedSet, .let,
      .on, .using, .recurse, .expand, .conditional, .conditionalParameter, .function, .fragment, .spread, .orderObject,
      .orderParameter, .nothing, .entity, .step, .index, .cast, .word:
      false
    default: true
    }
  }
}

extension Subject {
  /// A smaller query with the same kind of difference.
  package func shrunk(_ query: Node, _ difference: Difference) -> (query: Node, difference: Difference) {
    // A refused document is the generator's fault, and smaller ones are refused for other reasons.
    if case .refused = difference.side { return (query, difference) }
    if difference.got == Outcome.malformed.text {
      let shrinker = Shrinker { candidate in
        self.reference(candidate) == .malformed && (try? self.database.prepare(candidate.text)) != nil
      }
      return (shrinker.shrink(query), difference)
    }
    var last = difference
    let plans = Self.plans.filter { difference.side == .plan("\($0)") }
    let accesses = Self.accesses.filter { difference.side == .using($0) }
    let shrinker = Shrinker { candidate in
      guard let found = self.difference(candidate, self.reference(candidate), plans: plans, accesses: accesses),
        found.side == difference.side
      else { return false }
      if case .reference = found.side, found.kind != difference.kind { return false }
      last = found
      return true
    }
    return (shrinker.shrink(query), last)
  }
}

extension Difference {
  /// Answers and errors do not turn into each other while shrinking.
  fileprivate var kind: [Bool] {
    [expected.hasPrefix("error["), got.hasPrefix("error["), got.hasPrefix("error[") && expected.hasPrefix("error[")]
  }
}
