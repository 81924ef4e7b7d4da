import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  /// `concat(a, b, …)`: texts, or lists. A list may be a JSON value, of which the run says whether it is one.
  func concat(_ values: [Expression], _ environment: Environment, _ range: SourceRange) -> Operand {
    var operands: [(Operand, SourceRange)] = []
    for written in values {
      operands.append((resolve(bindOperand(written, environment), environment), written.range))
    }
    if !operands.contains(where: { isList($0.0) || staticType($0.0) == .json }) {
      return concatenatedTexts(operands, environment, range)
    }
    if !operands.contains(where: { staticType($0.0) == .json }) {
      // A typed list decides what those are that are written out.
      if !operands.contains(where: { staticType($0.0)?.isList ?? false }) {
        guard unifyLists(&operands, environment, range) else { return .error }
      }
      guard let bound = alike(operands, environment, range), let first = bound.first else { return .error }
      return .value(BoundExpression(.call(.concat, bound), first.type, at: range))
    }
    var lists: [BoundExpression] = []
    for (operand, place) in operands {
      guard let value = value(operand, environment, at: place)?.expression else { return .error }
      guard let list = jsonList(value, at: place) else {
        report(.wrongType(found: words(value.type), expected: "a list"), at: place)
        return .error
      }
      lists.append(list)
    }
    return .value(BoundExpression(.call(.concat, lists), .list(.json), at: range))
  }

  private func isList(_ operand: Operand) -> Bool {
    if case .list = operand { return true }
    return staticType(operand)?.isList ?? false
  }

  /// A list of JSON values; nil for what never is a list.
  private func jsonList(_ value: BoundExpression, at range: SourceRange) -> BoundExpression? {
    let type = ValueType.list(.json)
    switch value.type {
    case type: return value
    case .null: return BoundExpression(value.kind, type, at: range)
    // A JSON value that is no array is an error of the run.
    case .json: return BoundExpression(.cast(value), type, at: range)
    case .list: return BoundExpression(.convert(value), type, at: range)
    default: return nil
    }
  }

  private func concatenatedTexts(
    _ operands: [(Operand, SourceRange)], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    var arguments: [BoundExpression] = []
    for (operand, place) in operands {
      guard let value = value(operand, environment, at: place) else { return .error }
      guard value.type.scalar?.isTextual ?? false || value.type == .null else {
        report(.wrongType(found: words(value.type), expected: "text or a list"), at: place)
        return .error
      }
      arguments.append(converted(value.expression, .string))
    }
    return .value(BoundExpression(.call(.concat, arguments), .string, at: range))
  }
}
