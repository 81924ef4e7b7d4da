import Foundation
import GQLCatalog
import GQLQuery

extension PredicateWalk {
  /// A comparison of two parts. `ifConstant` compares what both have captured.
  func comparison(
    _ op: ComparisonOperator, _ left: PredicatePart, _ right: PredicatePart, ifConstant: () -> Bool
  ) -> PredicatePart {
    let isEquality = op == .equal || op == .notEqual
    switch (left, right) {
    case (.constant, .constant): return .boolean(.truth(ifConstant()))
    case (.constant, _): return comparison(op.swapped, right, left, ifConstant: ifConstant)
    case (.entity(let entity), .constant(let constant)):
      // Entities are equal if all of them is, which columns cannot tell; but whether there is one they can.
      guard isEquality, constant.isNil, entity.path.isItself, entity.canBeMissing else { return .unknown }
      let isPresent = Term.isPresent(entity.place)
      return .boolean(op == .equal ? .not(isPresent) : isPresent)
    case (.object(let part, let node), .constant(let constant)):
      guard isEquality, constant.isNil else { return .unknown }
      seesObjects = true
      let isPresent = Term.hasObject(part.place, node.attribute)
      return .boolean(op == .equal ? .not(isPresent) : isPresent)
    case (.members(let members), .constant(let constant)):
      guard isEquality, constant.isNil else { return .unknown }
      let part = members.part
      let isPresent: Term = part.canBeMissing ? .isPresent(part.place) : .truth(true)
      return .boolean(op == .equal ? .not(isPresent) : isPresent)
    case (.term(let term, let type), _):
      if isEquality, term.isTest, case .constant(let constant) = right,
        case .boolean(let truth)? = constant.stored(type.shape, type.isID)
      {
        return .boolean(test(term, canBeNull: type.canBeNull, is: truth, op))
      }
      guard type.comparesAsStored, !type.shape.isList, isEquality || type.isOrdered,
        let (other, otherType) = operand(right, like: type),
        otherType.comparesAsStored, otherType.isLike(type), isEquality || otherType.isOrdered
      else { return .unknown }
      if isEquality, case .null = other {
        return .boolean(op == .equal ? .isNull(term) : .not(.isNull(term)))
      }
      return .boolean(
        .compare(op, term, other), canBeNull: !isEquality && (type.canBeNull || otherType.canBeNull))
    default: return .unknown
    }
  }

  /// `test == true` and the like as the test itself, or its contrary: the planner would see no index in the comparison.
  private func test(_ term: Term, canBeNull: Bool, is truth: Bool, _ op: ComparisonOperator) -> Term {
    let holds: Term
    switch (truth, canBeNull) {
    case (true, true): holds = isTrue(term)
    case (true, false): holds = term
    case (false, true): holds = .isTrue(.not(term))
    case (false, false): holds = .not(term)
    }
    return op == .equal ? holds : .not(holds)
  }

  /// A part as a term of a type; nil if it is none.
  func operand(_ part: PredicatePart, like type: TermType) -> (Term, TermType)? {
    switch part {
    case .term(let term, let type): return (term, type)
    case .constant(let constant):
      guard let value = constant.stored(type.shape, type.isID) else { return nil }
      let term = parameter(value, type.shape.valueType, of: type.attribute, from: [constant.value])
      var operand = TermType(type.shape, canBeNull: value.isNull)
      operand.attribute = type.attribute
      return (term, operand)
    default: return nil
    }
  }

  /// Two parts as terms of one type, of which at least one is a term already.
  func operands(_ left: PredicatePart, _ right: PredicatePart) -> (Term, Term, TermType)? {
    if case .term(let term, let type) = left, let (other, otherType) = operand(right, like: type) {
      return otherType.isLike(type) ? (term, other, otherType.canBeNull ? type.nullable() : type) : nil
    }
    if case .term(let term, let type) = right, let (other, otherType) = operand(left, like: type) {
      return otherType.isLike(type) ? (other, term, otherType.canBeNull ? type.nullable() : type) : nil
    }
    return nil
  }

  /// A part as a truth value.
  func truth(_ part: PredicatePart) -> (Term, canBeNull: Bool)? {
    switch part {
    case .term(let term, let type) where type.shape.scalar == .boolean && !type.shape.isList:
      return (term, type.canBeNull)
    case .constant(let constant): return (constant.value as? Bool).map { (.truth($0), false) }
    default: return nil
    }
  }

  /// Whether a value is within a range.
  func containment(_ range: PredicatePart, _ element: PredicatePart) -> PredicatePart {
    guard case .range(let lower, let upper, let includesUpper) = range, case .term(let term, let type) = element,
      type.isOrdered, type.comparesAsStored, !type.shape.isList
    else { return .unknown }
    var bounds: [Term?] = []
    for bound in [lower, upper] {
      guard let bound else {
        bounds.append(nil)
        continue
      }
      guard let (value, valueType) = operand(bound, like: type), valueType.isLike(type), valueType.isOrdered
      else { return .unknown }
      bounds.append(value)
    }
    return .boolean(
      .inRange(term, lower: bounds[0], upper: bounds[1], includesUpper: includesUpper), canBeNull: type.canBeNull)
  }

  /// Whether a value is one of those that were captured; what has no place in the column is none of them.
  func membership<Values: Sequence>(_ element: PredicatePart, in values: Values) -> PredicatePart {
    guard case .term(let term, let type) = element, type.comparesAsStored, !type.shape.isList else { return .unknown }
    var list: [GQLCatalog.Value] = []
    // What these were.
    var instants: [Any] = []
    var isNullable = false
    for value in values {
      // A sequence may have no end.
      if list.count == Self.longestList { return .unknown }
      guard let stored = storedValue(value, type.shape, isID: type.isID) else { continue }
      if stored.isNull {
        isNullable = true
        continue
      }
      list.append(stored)
      if type.shape.scalar == .dateTime { instants.append(value) }
    }
    let found: Term
    switch list.count {
    case 0: found = .truth(false)
    // The rows of one value are in order, those of several are not.
    case 1: found = .compare(.equal, term, parameter(list[0], type.shape.valueType, of: type.attribute, from: instants))
    default:
      found = .inList(
        term, parameter(.list(list), .list(type.shape.valueType), of: type.attribute, from: instants))
    }
    return .boolean(isNullable ? .or([found, .isNull(term)]) : found)
  }

  private static var longestList: Int { 10_000 }
}

/// The bounds of a range that was captured.
protocol CapturedRange {
  var part: PredicatePart { get }
}

private func bound<Bound>(_ value: Bound) -> PredicatePart { .constant(PredicateConstant(value)) }

extension Range: CapturedRange {
  var part: PredicatePart { .range(lower: bound(lowerBound), upper: bound(upperBound), includesUpper: false) }
}
extension ClosedRange: CapturedRange {
  var part: PredicatePart { .range(lower: bound(lowerBound), upper: bound(upperBound), includesUpper: true) }
}
extension PartialRangeFrom: CapturedRange {
  var part: PredicatePart { .range(lower: bound(lowerBound), upper: nil, includesUpper: false) }
}
extension PartialRangeUpTo: CapturedRange {
  var part: PredicatePart { .range(lower: nil, upper: bound(upperBound), includesUpper: false) }
}
extension PartialRangeThrough: CapturedRange {
  var part: PredicatePart { .range(lower: nil, upper: bound(upperBound), includesUpper: true) }
}
