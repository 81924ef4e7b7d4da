import GQLParser

/// What a `let` or an argument of a fragment stands for must not depend on the place of its use.
///
/// A list, an object or a range is bound only where it is known what it must be. Until then the names in it are kept
/// with the environment that decides them, under names that no document can write.
extension Binder {
  /// Bare names are decided in their own environment; a name that is no name there stays open, for it may be an enum
  /// value.
  func settled(_ operand: Operand, _ environment: Environment) -> Operand {
    switch operand {
    case .bare(let name): return meaning(of: name, environment) ?? operand
    case .list(let elements, let range): return .list(elements.map { captured($0, environment) }, range)
    case .object(let fields, let range): return .object(captured(fields, environment), range)
    case .interval(let lower, let upper, let includesUpper, let range):
      return .interval(
        lower: captured(lower, environment), upper: captured(upper, environment), includesUpper: includesUpper, range)
    default: return operand
    }
  }

  /// The binding of a captured expression.
  func capture(named name: String) -> Environment.Binding? {
    guard name.utf8.first == 0, let index = Int(name.dropFirst()), captures.indices.contains(index) else { return nil }
    return captures[index]
  }

  private func captured(_ fields: [ObjectField], _ environment: Environment) -> [ObjectField] {
    fields.map { ObjectField(name: $0.name, value: captured($0.value, environment), range: $0.range) }
  }

  /// Literals stay what they are, so that their place still gives them their type. A variable is captured, too: another
  /// fragment may have one of its name.
  private func captured(_ expression: Expression, _ environment: Environment) -> Expression {
    let range = expression.range
    switch expression.kind {
    case .int, .float, .string, .boolean, .null, .missing: return expression
    case .name(let name) where !hasMeaning(name, environment): return expression
    case .parenthesized(let inner): return Expression(.parenthesized(captured(inner, environment)), at: range)
    case .list(let elements): return Expression(.list(elements.map { captured($0, environment) }), at: range)
    case .object(let fields): return Expression(.object(captured(fields, environment)), at: range)
    default:
      captures.append(environment.binding(expression))
      return Expression(.name(Name("\u{0}\(captures.count - 1)", at: range)), at: range)
    }
  }
}
