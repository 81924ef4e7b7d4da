import GQLBase
import GQLCatalog
import GQLQuery

/// Values beside the elements of a list that is no list of the document: `x in list`, `list contains x`.
struct MemberBinder {
  let binder: Binder

  /// Returns a value and a list in the type that the value has together with each element, as `==` has it; nil where
  /// there is none.
  func sides(_ value: BoundExpression, _ list: BoundExpression) -> (value: BoundExpression, list: BoundExpression)? {
    guard case .list(let element) = list.type else { return nil }
    if value.type == element || value.type == .null || value.type.isNumeric && element.isNumeric {
      return (value, list)
    }
    if let a = value.type.scalar, let b = element.scalar, a.isTextual, b.isTextual { return (value, list) }
    switch (value.type, element) {
    // A number is the id that prints so.
    case (.scalar(.int), .scalar(.id)): return (binder.converted(value, element), list)
    case (.scalar(.id), .scalar(.int)): return (value, binder.converted(list, .list(value.type)))
    case (.scalar(.json), _): return binder.conversion(list, to: .json).map { (value, $0) }
    default: return nil
    }
  }

  /// `list contains x`; nil if something is wrong, which is reported.
  func contains(
    _ list: BoundExpression, of element: ValueType, _ pattern: Operand, _ environment: Environment,
    at range: SourceRange, origin: ValueCoercion.Origin
  ) -> BoundExpression? {
    let operand = binder.resolve(pattern, environment, wanting: element)
    let value = binder.identity(operand)?.expression ?? operand.boundValue
    if let value, binder.conversion(value, to: element) == nil, let sides = sides(value, list) {
      return BoundExpression(.listContains(sides.list, sides.value), .boolean, at: range)
    }
    let member = binder.coerce(operand, to: element, environment, at: range, origin: origin)
    return member.map { BoundExpression(.listContains(list, $0), .boolean, at: range) }
  }
}

extension Operand {
  /// The expression of a value.
  fileprivate var boundValue: BoundExpression? {
    if case .value(let value) = self { value.expression } else { nil }
  }
}
