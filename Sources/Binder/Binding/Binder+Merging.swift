import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// Several appearances of one response key are one field.
extension Binder {
  /// Checks GraphQL's rule that equal response keys are equal fields; the sources of the merged sub-selection.
  ///
  /// `parent` is what the fields are of, where the name of a `let` may stand in the place of a field's.
  func merge(
    _ merged: MergedEntry, of parent: SelectionParent? = nil
  ) -> (condition: BoundExpression?, sources: [SelectionSource]) {
    let first = merged.first
    if merged.entries.count == 1, first.set == nil, first.splat == nil, first.expansion == nil {
      return (first.condition, [])
    }
    var sources: [SelectionSource] = []
    let isAlone = merged.entries.count == 1
    for (position, entry) in merged.entries.enumerated() {
      if position > 0 { checkMergeable(meant(first, parent), meant(entry, parent)) }
      // With others beside it, a part of the sub-selection stays under its own condition.
      let condition = isAlone ? nil : entry.condition
      if let set = entry.set {
        sources.append(SelectionSource(set: set, environment: entry.environment, condition: condition))
      } else if let splat = entry.splat {
        sources.append(SelectionSource(splat: splat, environment: entry.environment, condition: condition))
      } else if let expansion = entry.expansion {
        sources.append(SelectionSource(expansion: expansion, environment: entry.environment, condition: condition))
      }
    }
    var conditions: [BoundExpression] = []
    for entry in merged.entries {
      guard let condition = entry.condition else { return (nil, sources) }
      if !conditions.contains(condition) { conditions.append(condition) }
    }
    if conditions.count == 1 { return (conditions[0], sources) }
    return (BoundExpression(.or(conditions), .boolean, at: first.range), sources)
  }

  /// Returns an entry with the expression in place of the field where its name is that of a `let`.
  private func meant(_ entry: SelectionEntry, _ parent: SelectionParent?) -> SelectionEntry {
    guard let parent, let name = entry.field, entry.environment.lets[name.text] != nil,
      owner(ofField: name.text, entry.declared.map { .entity($0) } ?? parent) == nil
    else { return entry }
    return entry.computing(Expression(.name(name), at: name.range), entry.environment)
  }

  private func checkMergeable(_ first: SelectionEntry, _ second: SelectionEntry) {
    if first.range == second.range, first.field?.text == second.field?.text {
      // The same place says the same, but in a fragment with other arguments.
      guard !first.environment.spreads.isEmpty || !second.environment.spreads.isEmpty else { return }
    }
    let reason: BindingProblem.Conflict
    if let firstName = first.field?.text, let secondName = second.field?.text {
      if firstName != secondName {
        reason = .names(firstName, secondName)
      } else if fingerprint(first.arguments, first.environment) != fingerprint(second.arguments, second.environment) {
        reason = .arguments
      } else if walks(first) != walks(second) {
        reason = .arguments
      } else {
        return
      }
    } else if let left = first.expression, let right = second.expression {
      if fingerprint(left, first.environment) == fingerprint(right, second.environment) { return }
      reason = .shapes
    } else {
      reason = .shapes
    }
    let places = places(first, second)
    report(
      .conflictingFields(key: first.key.text, first: places.first, reason: reason),
      places.second == second.key.range ? remedy(forConflict: second) : nil, at: places.second)
  }

  /// The names of two selections; where they are one place in a fragment, the spreads that differ.
  private func places(_ first: SelectionEntry, _ second: SelectionEntry) -> (first: SourceRange, second: SourceRange) {
    if first.key.range == second.key.range {
      for (left, right) in zip(first.environment.spreads, second.environment.spreads) where left != right {
        return (left, right)
      }
    }
    return (first.key.range, second.key.range)
  }

  /// The directives that decide what a field selects.
  func walks(_ entry: SelectionEntry) -> [[String]] {
    entry.directives.filter { ["recurse", "expand", "asOf"].contains($0.name.text) }
      .map { [$0.name.text] + fingerprint($0.arguments, entry.environment) }
  }

  private func fingerprint(_ arguments: [Argument], _ environment: Environment) -> [String] {
    arguments.map { "\($0.name.text):\(fingerprint($0.value, environment))" }.sorted()
  }

  /// Equal for expressions that say the same, wherever they stand.
  private func fingerprint(_ expression: Expression, _ environment: Environment) -> String {
    var printer = ExpressionFingerprint(self)
    printer.print(expression, environment)
    return printer.text
  }
}
