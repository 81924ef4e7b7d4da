import GQLBase
import GQLQuery

/// A place where an object or a value was written.
enum InputSource {
  /// With the cells that it has.
  case document(SourceRange, [BoundCell])
  case range(SourceRange)
  /// In the value of a parameter.
  case variable(Int, [ValuePathStep])

  func inside(_ step: ValuePathStep) -> InputSource {
    if case .variable(let parameter, let path) = self { return .variable(parameter, path + [step]) }
    return self
  }
}
