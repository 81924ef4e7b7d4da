import Foundation
import GQLCatalog
import GQLQuery

extension PredicateWalk {
  /// The two sides of an operation on numbers that columns reckon with as Swift does: whole numbers and doubles. Where
  /// Swift would stop the process, at an overflow or a division by zero of whole numbers, the query fails with an error.
  fileprivate func numbers<Number>(
    _ left: PredicatePart, _ right: PredicatePart, _ type: Number.Type
  ) -> (Term, Term, TermType)? {
    guard Number.self is any _ColumnValue.Type, let (first, second, found) = operands(left, right),
      found.comparesAsStored, !found.shape.isList
    else { return nil }
    let result = TermType(_ColumnShape(found.shape.scalar), canBeNull: found.canBeNull)
    switch found.shape.scalar {
    case .int where Number.self is any FixedWidthInteger.Type:
      reckonsWithIntegers = true
      return (first, second, result)
    case .float where Number.self == Double.self:
      reckonsWithFloats = true
      return (first, second, result)
    default: return nil
    }
  }
}

extension PredicateExpressions.Arithmetic: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let (first, second) = (walk.lowered(lhs), walk.lowered(rhs))
    if case (.constant, .constant) = (first, second), let value = try? evaluate(PredicateBindings()) {
      return .constant(PredicateConstant(value))
    }
    guard let (left, right, type) = walk.numbers(first, second, Output.self) else { return .unknown }
    return .term(.arithmetic(operation, left, right), type)
  }

  private var operation: ArithmeticOperator {
    switch op {
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    @unknown default: .add
    }
  }

  func words(_ walk: PredicateWalk) -> String { "(\(walk.words(lhs)) \(operation.rawValue) \(walk.words(rhs)))" }
}

extension PredicateExpressions.IntDivision: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    guard let (left, right, type) = walk.numbers(walk.lowered(lhs), walk.lowered(rhs), Output.self) else {
      return .unknown
    }
    return .term(.quotient(left, right), type)
  }

  func words(_ walk: PredicateWalk) -> String { "(\(walk.words(lhs)) / \(walk.words(rhs)))" }
}

extension PredicateExpressions.IntRemainder: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    guard let (left, right, type) = walk.numbers(walk.lowered(lhs), walk.lowered(rhs), Output.self) else {
      return .unknown
    }
    return .term(.arithmetic(.remainder, left, right), type)
  }

  func words(_ walk: PredicateWalk) -> String { "(\(walk.words(lhs)) % \(walk.words(rhs)))" }
}

extension PredicateExpressions.FloatDivision: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    guard let (left, right, type) = walk.numbers(walk.lowered(lhs), walk.lowered(rhs), Output.self) else {
      return .unknown
    }
    return .term(.arithmetic(.divide, left, right), type)
  }

  func words(_ walk: PredicateWalk) -> String { "(\(walk.words(lhs)) / \(walk.words(rhs)))" }
}

extension PredicateExpressions.UnaryMinus: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let part = walk.lowered(wrapped)
    if case .constant = part, let value = try? evaluate(PredicateBindings()) {
      return .constant(PredicateConstant(value))
    }
    guard case .term(let term, let type) = part, !type.shape.isList, type.comparesAsStored,
      type.shape.scalar == .int && Output.self is any FixedWidthInteger.Type
        || type.shape.scalar == .float && Output.self == Double.self
    else { return .unknown }
    if type.shape.scalar == .int { walk.reckonsWithIntegers = true }
    return .term(.negate(term), TermType(_ColumnShape(type.shape.scalar), canBeNull: type.canBeNull))
  }

  func words(_ walk: PredicateWalk) -> String { "-\(walk.words(wrapped))" }
}
