import GQLCatalog
import GQLQuery

/// A condition on entities: `\.age > 18`, `.string(\.name, contains: "a")`.
///
/// Unchecked because key paths of properties are immutable.
public struct QueryPredicate<Entity: EntityModelProtocol>: @unchecked Sendable {
  /// For the planner; nil where columns cannot tell.
  let condition: Condition?
  /// What ``Condition/compare(_:_:_:)`` and others refer to.
  let parameters: [Parameter]
  /// The same in Swift.
  let holds: (Entity, EntityFacts) throws -> Bool
  /// The relations that `holds` looks at, each as the places of relations that lead to it.
  var routes: Set<[Int]> = []
  /// Whether the planner would reckon with floating-point numbers, and so may fail where Swift does not.
  var reckonsWithFloats = false
  /// Whether it would reckon with whole numbers, and so fail where Swift stops the process.
  var reckonsWithIntegers = false
  /// Whether Swift can be asked where the planner fails.
  var canReckonInSwift: Bool { reckonsWithFloats && !reckonsWithIntegers }
  /// The condition as people write it, where that is known.
  var words: (() -> String)?

  init(
    _ condition: Condition?, _ parameters: [Parameter] = [],
    holds: @escaping (Entity, EntityFacts) throws -> Bool
  ) {
    self.condition = condition
    self.parameters = parameters
    self.holds = holds
  }

  /// Both hold.
  public static func && (left: Self, right: Self) -> Self {
    let (first, second) = (left.holds, right.holds)
    return Self(
      Condition.joined(left.condition, right.condition, shift: left.parameters.count) { .and([$0, $1]) },
      left.parameters + right.parameters
    ) { try first($0, $1) && second($0, $1) }.looking(left, right, "&&")
  }

  /// At least one holds.
  public static func || (left: Self, right: Self) -> Self {
    let (first, second) = (left.holds, right.holds)
    return Self(
      Condition.joined(left.condition, right.condition, shift: left.parameters.count) { .or([$0, $1]) },
      left.parameters + right.parameters
    ) { try first($0, $1) || second($0, $1) }.looking(left, right, "||")
  }

  /// It does not hold.
  public static prefix func ! (predicate: Self) -> Self {
    let holds = predicate.holds
    var result = Self(predicate.condition.map { .not($0) }, predicate.parameters) { try !holds($0, $1) }
    result.routes = predicate.routes
    result.reckonsWithFloats = predicate.reckonsWithFloats
    result.reckonsWithIntegers = predicate.reckonsWithIntegers
    result.words = predicate.words.map { words in { "!(\(words()))" } }
    return result
  }

  /// With what both of its parts look at.
  private func looking(_ left: Self, _ right: Self, _ join: String) -> Self {
    var result = self
    result.routes = left.routes.union(right.routes)
    result.reckonsWithFloats = left.reckonsWithFloats || right.reckonsWithFloats
    result.reckonsWithIntegers = left.reckonsWithIntegers || right.reckonsWithIntegers
    if let first = left.words, let second = right.words {
      result.words = { "(\(first())) \(join) (\(second()))" }
    }
    return result
  }
}

/// What a condition may look at beside the entity.
struct EntityFacts {
  /// When it was saved last, in microseconds since 1970; nil if its type keeps no metadata.
  var updatedAt: Int64?
}

/// A value that a condition compares with.
struct Parameter: Hashable {
  var value: Value
  var type: ValueType
  /// With which the value is compared, or of whose values it is a list.
  var attribute: AttributePlace?

  /// The code of an enum's value becomes that of the schema's enum, a text an id.
  mutating func takeType(of column: ColumnDescriptor?) {
    let element: ValueType
    switch column?.type {
    case .list(let type)?: element = type
    case let type?: element = type
    case nil: return
    }
    guard let typed = Self.typing(element) else { return }
    if case .list(let values) = value {
      value = .list(values.map(typed))
      type = .list(element)
    } else {
      value = typed(value)
      type = element
    }
  }

  /// Makes values of a type that models have other values for; nil for other types.
  private static func typing(_ type: ValueType) -> ((Value) -> Value)? {
    switch type {
    case .enumeration(let id):
      return { value in if case .int(let code) = value { .enumeration(id, code: Int(code)) } else { value } }
    case .scalar(.id):
      return { value in if case .string(let text) = value { .id(text, isNumber: false) } else { value } }
    default: return nil
    }
  }
}

/// An attribute of an entity type, for all schemas.
struct AttributePlace: Hashable {
  /// The Swift type of the entity.
  let type: ObjectIdentifier
  let attribute: Int
}

/// A condition in terms of attributes and numbered parameters: the part of a query that its plan depends on.
indirect enum Condition: Hashable {
  case compare(ComparisonOperator, attribute: Int, parameter: Int)
  case text(TextTest, attributes: [Int], parameter: Int, isCaseSensitive: Bool)
  case matches(attributes: [Int], parameter: Int)
  case isNull(attribute: Int)
  /// Within the instants of two parameters.
  case updated(from: Int, to: Int)
  /// A truth value.
  case term(Term)
  case and([Condition])
  case or([Condition])
  case not(Condition)

  /// Two conditions in one, the parameters of the second behind those of the first; nil if one of them is.
  static func joined(
    _ left: Condition?, _ right: Condition?, shift: Int, _ join: (Condition, Condition) -> Condition
  ) -> Condition? {
    guard let left, let right else { return nil }
    return join(left, right.shifted(by: shift))
  }

  /// The searches for words that must hold.
  var searches: [Condition] {
    switch self {
    case .matches: [self]
    case .and(let parts): parts.flatMap(\.searches)
    case .compare, .text, .isNull, .updated, .term, .or, .not: []
    }
  }

  /// The attributes that are compared, and the parameters with which.
  var comparisons: [(attribute: Int, parameter: Int)] {
    switch self {
    case .compare(_, let attribute, let parameter): [(attribute, parameter)]
    case .and(let parts), .or(let parts): parts.flatMap(\.comparisons)
    case .not(let part): part.comparisons
    case .text, .matches, .isNull, .updated, .term: []
    }
  }

  func shifted(by shift: Int) -> Condition {
    if shift == 0 { return self }
    return switch self {
    case .compare(let op, let attribute, let parameter):
      .compare(op, attribute: attribute, parameter: parameter + shift)
    case .text(let test, let attributes, let parameter, let isCaseSensitive):
      .text(test, attributes: attributes, parameter: parameter + shift, isCaseSensitive: isCaseSensitive)
    case .matches(let attributes, let parameter): .matches(attributes: attributes, parameter: parameter + shift)
    case .isNull: self
    case .updated(let from, let to): .updated(from: from + shift, to: to + shift)
    case .term(let term): .term(term.shifted(by: shift))
    case .and(let parts): .and(parts.map { $0.shifted(by: shift) })
    case .or(let parts): .or(parts.map { $0.shifted(by: shift) })
    case .not(let part): .not(part.shifted(by: shift))
    }
  }
}
