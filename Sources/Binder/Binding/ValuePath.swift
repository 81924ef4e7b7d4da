import GQLQuery

/// The way from a variable to a part of its value, for messages: the document shows no more than the variable.
///
/// Steps are noted wherever a condition or an order is followed into its parts; those before the last variable are of
/// the document, which its ranges tell.
struct ValuePath {
  private enum Step {
    case variable(String)
    case part(ValuePathStep)
  }
  private var steps: [Step] = []

  /// How many steps there are: ``leave(to:)`` goes back there.
  var depth: Int { steps.count }

  mutating func enter(variable name: String) { steps.append(.variable(name)) }
  mutating func enter(member name: String) { steps.append(.part(.member(name))) }
  mutating func enter(index: Int) { steps.append(.part(.index(index))) }
  mutating func enter(_ step: ValuePathStep) { steps.append(.part(step)) }
  mutating func leave(to depth: Int) { steps.removeLast(steps.count - depth) }

  /// `$f.and[3].age.eq`; nil outside of variables.
  var text: String? {
    var name: String?
    var parts: [ValuePathStep] = []
    for step in steps {
      switch step {
      case .variable(let variable):
        name = variable
        parts = []
      case .part(let part): parts.append(part)
      }
    }
    return name.map { ValuePathStep.text(of: $0, parts) }
  }
}
