import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  /// The best alternative, or the one that is forced; a hint narrows the choice first.
  mutating func choose(among alternatives: [Alternative], for id: SetID) -> SetPlan {
    let set = query[id]
    var ranked = alternatives
    if case .perturbed = options.forcing {
      for position in ranked.indices {
        ranked[position].total = ranked[position].total * options.perturbation(id.index, position)
      }
    }
    ranked = ranked.enumerated().sorted { left, right in
      if Alternative.precedes(left.element, right.element) { return true }
      if Alternative.precedes(right.element, left.element) { return false }
      return left.offset < right.offset
    }.map(\.element)
    ranked = withoutPending(ranked, set)
    if let hint = set.hint {
      let fitting = ranked.filter { catalog.meets(hint, $0.candidate.path) }
      if fitting.isEmpty {
        report(hint, possible: ranked.map(\.candidate.path), type: set.type)
      } else {
        ranked = fitting
      }
    }
    var position = 0
    if case .alternative(let number) = options.forcing { position = max(0, min(number, ranked.count - 1)) }
    guard ranked.indices.contains(position) else { return baseline(id) }
    let chosen = ranked[position]
    var dropped: [DroppedAlternative] = []
    for (number, other) in ranked.enumerated() where number != position && dropped.count < 4 {
      let description = catalog.shortDescription(of: other.candidate.path, order: other.order)
      if !dropped.contains(where: { $0.description == description }) {
        dropped.append(DroppedAlternative(description: description, cost: other.estimate.cost))
      }
    }
    var plan = SetPlan(
      access: chosen.candidate.path, filter: chosen.filter, order: chosen.order,
      needsAscendingIDs: chosen.needsAscendingIDs, estimate: chosen.estimate, dropped: dropped)
    // A plan that is forced runs as it stands, so that it can be measured.
    if position == 0 { plan.retreat = retreat(from: chosen, to: ranked.dropFirst()) }
    return plan
  }

  /// Returns the plan that takes over where a scan or a walk finds too few rows for what it has looked at: the cheapest
  /// that does not hope for an early end. Then both together cost twice as much as that plan at most, as far as its
  /// price is right.
  private func retreat(from chosen: Alternative, to others: ArraySlice<Alternative>) -> SetPlan.Retreat? {
    guard let costOfRow = chosen.costOfEarlyRow, costOfRow > 0, let filter = chosen.filter,
      !query.canFail(filter)
    else { return nil }
    let other = others.first {
      $0.costOfEarlyRow == nil && $0.candidate.path != chosen.candidate.path
        && !$0.candidate.path.keyExpressions.contains { query.canFail($0) }
    }
    guard let other else { return nil }
    let tested = max(other.estimate.cost * chosen.retreatShare / costOfRow, Double(options.rowsBeforeRetreat))
    let rows = chosen.passedOver + tested
    guard rows < chosen.candidate.rows.rows else { return nil }
    return .after(
      rows: Int(rows),
      SetPlan(
        access: other.candidate.path, filter: other.filter, order: other.order,
        needsAscendingIDs: other.needsAscendingIDs, estimate: other.estimate))
  }

  /// Leaves out what needs an order of ids that is not there, and asks for that order if the best needs it.
  private mutating func withoutPending(_ ranked: [Alternative], _ set: BoundSet) -> [Alternative] {
    guard estimator.statistics.idOrder(set.type) == .pending else { return ranked }
    let there = ranked.filter { !needsIDOrder($0.candidate.path) }
    if let best = ranked.first, needsIDOrder(best.candidate.path), let chosen = there.first,
      chosen.total.units > best.total.units * costs.orderingGain
    {
      wantedOrders.insert(set.type)
    }
    return there
  }

  /// Whether a path is a range of ids, or made of one.
  private func needsIDOrder(_ path: AccessPath) -> Bool {
    switch path {
    case .range(let index, _): catalog.isOfIDs(catalog[index])
    case .intersection(let paths), .union(let paths): paths.contains(where: needsIDOrder)
    default: false
    }
  }

  /// Leaves out what needs an order of ids that is not there.
  func withoutPending(_ found: [AccessCandidate], of type: EntityTypeID) -> [AccessCandidate] {
    guard estimator.statistics.idOrder(type) == .pending else { return found }
    return found.filter { !needsIDOrder($0.path) }
  }

  // MARK: Hints

  /// A relation or a key leaves no choice of access.
  mutating func checkHintOfLinked(_ set: BoundSet) {
    guard let hint = set.hint else { return }
    if case .key(let index, _) = set.source {
      if catalog.meets(hint, .lookup(index, [])) { return }
      report(hint, possible: [.lookup(index, [])], type: set.type)
    } else {
      report(hint, possible: [], type: set.type)
    }
  }

  private mutating func report(_ hint: AccessHint, possible: [AccessPath], type: EntityTypeID) {
    let problem = PlanningProblem.accessNotPossible(
      hint, type: type, possible: possible.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
    diagnostics.append(problem.diagnostic(catalog))
  }
}

/// What planning has to object to.
package enum PlanningProblem: Sendable, Equatable {
  /// `{ User(where: age > 3) @using(access: HASH) { id } }` — no hash index answers the condition.
  case accessNotPossible(AccessHint, type: EntityTypeID, possible: [AccessPath])
}

extension DiagnosticCode {
  package static let accessNotPossible = DiagnosticCode("access-not-possible")
  /// Every code that planning may give.
  package static let planningCodes: [DiagnosticCode] = [.accessNotPossible]
}

extension Catalog {
  /// Returns whether a path, or each part of it, is what `@using` asks for.
  func meets(_ hint: AccessHint, _ path: AccessPath) -> Bool {
    if !path.parts.isEmpty { return path.parts.allSatisfy { meets(hint, $0) } }
    guard path.hints(self).contains(hint.access) else { return false }
    guard let name = hint.index else { return true }
    return path.index.map { self[$0].name.utf8.elementsEqual(name.utf8) } ?? false
  }
}
