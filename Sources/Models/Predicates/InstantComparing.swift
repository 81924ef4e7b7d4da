import GQLCatalog
import GQLQuery
import GQLStore

/// Makes conditions on instants exact: columns compare microseconds, and where these are equal, what cells and values hold
/// beside them is compared too.
///
/// Conditions stay as they are where neither a column nor a value has anything beside its microseconds.
struct InstantComparing {
  private let types: [AnyTypeMapping]
  private let snapshot: Snapshot
  /// Those of the conditions, and behind them what their values have beside their microseconds.
  private(set) var parameters: [Parameter]
  /// The types that are gone through, the one that is asked first; nil for the elements of a list.
  private var levels: [EntityTypeID?]
  /// Whether the planner cannot compare exactly what was met.
  private var isLost = false

  /// The longest list of values with each of which an instant is compared.
  private static var longestList: Int { 24 }

  init(_ types: [AnyTypeMapping], _ type: EntityTypeID, _ snapshot: Snapshot, _ parameters: [Parameter]) {
    self.types = types
    self.snapshot = snapshot
    self.parameters = parameters
    levels = [type]
  }

  /// The condition that is exact; nil where only Swift can tell.
  mutating func exact(_ term: Term) -> Term? {
    isLost = false
    let exact = refine(term)
    return isLost ? nil : exact
  }

  private mutating func refine(_ term: Term) -> Term {
    switch term {
    case .truth, .null, .isPresent, .hasObject, .item, .finer, .matches, .updated: return term
    case .parameter, .attribute:
      // Something is done with the value that is no comparison.
      if isFine(term) { isLost = true }
      return term
    case .compare(let op, let left, let right):
      guard isFine(left) || isFine(right) else { return .compare(op, refine(left), refine(right)) }
      return exact(op, left, right)
    case .inRange(let value, let lower, let upper, let includesUpper):
      let bounds = [lower, upper].compactMap { $0 }
      guard isFine(value) || bounds.contains(where: isFine) else {
        return .inRange(
          refine(value), lower: lower.map { refine($0) }, upper: upper.map { refine($0) }, includesUpper: includesUpper)
      }
      return .and(
        [
          lower.map { exact(.greaterOrEqual, value, $0) },
          upper.map { exact(includesUpper ? .lessOrEqual : .less, value, $0) },
        ].compactMap { $0 })
    case .inList(let value, let list): return membership(value, list)
    case .isNull(let part):
      if case .attribute = part { return term }
      return .isNull(refine(part))
    case .and(let parts): return .and(parts.map { refine($0) })
    case .or(let parts): return .or(parts.map { refine($0) })
    case .not(let part): return .not(refine(part))
    case .negated(let part): return .negated(refine(part))
    case .fold(let part): return .fold(refine(part))
    case .isTrue(let part): return .isTrue(refine(part))
    case .text(let test, let text, let part): return .text(test, refine(text), refine(part))
    case .arithmetic(let op, let left, let right): return .arithmetic(op, refine(left), refine(right))
    case .quotient(let left, let right): return .quotient(refine(left), refine(right))
    case .negate(let part): return .negate(refine(part))
    case .coalesce(let parts): return .coalesce(parts.map { refine($0) })
    case .conditional(let parts): return .conditional(parts.map { refine($0) })
    case .length(let list): return .length(refine(list))
    case .element(let list, let index): return .element(refine(list), refine(index))
    case .members(let quantifier, let place, let relation, let body):
      return .members(quantifier, place, relation: relation, entering(target(of: place, relation), body))
    case .count(let place, let relation, let body):
      return .count(place, relation: relation, entering(target(of: place, relation), body))
    case .elements(let quantifier, let list, let body):
      return .elements(quantifier, refine(list), entering(nil, body) ?? body)
    }
  }

  private mutating func entering(_ type: EntityTypeID?, _ body: Term?) -> Term? {
    guard let body else { return nil }
    levels.append(type)
    defer { levels.removeLast() }
    return refine(body)
  }

  private mutating func exact(_ op: ComparisonOperator, _ left: Term, _ right: Term) -> Term {
    guard let finerLeft = finer(left), let finerRight = finer(right) else {
      isLost = true
      return .truth(false)
    }
    let rest = Term.compare(op, finerLeft, finerRight)
    switch op {
    case .equal: return .and([.compare(op, left, right), rest])
    case .notEqual: return .or([.compare(op, left, right), rest])
    case .less, .lessOrEqual:
      return .and([.compare(.lessOrEqual, left, right), .or([.compare(.less, left, right), rest])])
    case .greater, .greaterOrEqual:
      return .and([.compare(.greaterOrEqual, left, right), .or([.compare(.greater, left, right), rest])])
    }
  }

  private mutating func membership(_ value: Term, _ list: Term) -> Term {
    guard isFine(value) || isFine(list) else { return .inList(refine(value), refine(list)) }
    guard case .parameter(let number) = list, case .list(let values) = parameters[number].value,
      values.count <= Self.longestList
    else {
      isLost = true
      return .truth(false)
    }
    let finer = parameters[number].finer
    return .or(
      values.enumerated().map { place, instant in
        parameters.append(Parameter(value: instant, type: .scalar(.dateTime)))
        if place < finer.count { parameters[parameters.count - 1].finer = [finer[place]] }
        return exact(.equal, value, .parameter(parameters.count - 1))
      })
  }

  /// What a value has beside its microseconds; nil where that is not known.
  private mutating func finer(_ term: Term) -> Term? {
    switch term {
    case .attribute(let place, let number): return column(place, number) == nil ? nil : .finer(term)
    case .parameter(let number):
      guard parameters[number].type == .scalar(.dateTime) else { return nil }
      parameters.append(Parameter(value: .int(parameters[number].finer.first ?? 0), type: .int))
      return .parameter(parameters.count - 1)
    default: return nil
    }
  }

  /// Whether a value may have something beside its microseconds.
  private func isFine(_ term: Term) -> Bool {
    switch term {
    case .parameter(let number): return !parameters[number].finer.isEmpty
    case .attribute(let place, let number):
      guard let (type, column) = column(place, number) else { return false }
      return snapshot.isFine(type, column)
    // A value that is chosen among others.
    case .coalesce(let parts), .conditional(let parts): return parts.contains(where: isFine)
    default: return false
    }
  }

  /// The column of an attribute that is an instant.
  private func column(_ place: Term.Place, _ number: Int) -> (EntityTypeID, ColumnID)? {
    guard let type = type(of: place), let column = types[Int(type.index)].columns[number],
      column.type == .scalar(.dateTime)
    else { return nil }
    return (type, column.id)
  }

  private func type(of place: Term.Place) -> EntityTypeID? {
    switch place {
    case .level(let level): level < levels.count ? levels[level] : nil
    case .target(let base, let relation): target(of: base, relation)
    }
  }

  private func target(of place: Term.Place, _ number: Int) -> EntityTypeID? {
    type(of: place).flatMap { types[Int($0.index)].relations[number]?.target }
  }
}

extension InstantComparing {
  /// The keys of an order, each of an instant with what decides between equal microseconds.
  static func exact(_ keys: [OrderKey], _ mapping: AnyTypeMapping, _ snapshot: Snapshot) -> [OrderKey] {
    keys.flatMap { key -> [OrderKey] in
      switch key {
      case .attribute(let number, let isDescending), .optional(let number, let isDescending):
        guard let column = mapping.columns[number], column.type == .scalar(.dateTime),
          snapshot.isFine(mapping.type, column.id)
        else { return [key] }
        return [key, .finer(number, isDescending: isDescending)]
      case .updatedAt, .score, .finer: return [key]
      }
    }
  }
}
