import GQLCatalog
import GQLQuery

/// A condition on entities: `\.age > 18`, `.string(\.name, contains: "a")`.
///
/// Unchecked because key paths of properties are immutable.
public struct QueryPredicate<Entity: EntityModelProtocol>: @unchecked Sendable {
  /// Others that are joined, any number side by side, so that joining one more does not nest them deeper.
  private struct Junction {
    let isAnd: Bool
    let parts: SharedList<QueryPredicate>
  }
  private let junction: Junction?
  private let ownTerm: Term?
  private let ownParameters: [Parameter]
  /// The same in Swift.
  let holds: (Entity, EntityFacts) throws -> Bool
  /// The relations that `holds` looks at, each as the places of relations that lead to it.
  var routes: Set<[Int]> = []
  /// Whether the planner would reckon with floating-point numbers, and so may fail where Swift does not.
  var reckonsWithFloats = false
  /// Whether it would reckon with whole numbers, and so fail where Swift stops the process.
  var reckonsWithIntegers = false
  /// Whether it hangs on the schema whether columns can tell of it.
  var seesObjects = false
  /// Whether Swift can be asked where the planner fails.
  var canReckonInSwift: Bool { reckonsWithFloats && !reckonsWithIntegers }
  /// The condition as people write it, where that is known.
  var words: (() -> String)?
  /// How many conditions lie within one another.
  private var depth = 1
  /// Whether these are too many: then the query fails.
  private(set) var isTooDeep = false

  init(
    _ term: Term?, _ parameters: [Parameter] = [],
    holds: @escaping (Entity, EntityFacts) throws -> Bool
  ) {
    junction = nil
    ownTerm = term
    ownParameters = parameters
    self.holds = holds
  }

  private init(_ junction: Junction) {
    self.junction = junction
    ownTerm = nil
    ownParameters = []
    let (isAnd, parts) = (junction.isAnd, junction.parts)
    holds = { entity, facts in
      for part in parts.elements where try part.holds(entity, facts) != isAnd { return !isAnd }
      return isAnd
    }
  }

  /// Takes the place of what is nested too deep, without it.
  private static var tooDeep: Self {
    var result = Self(nil) { _, _ in throw NestingDepth.problem }
    result.isTooDeep = true
    result.words = { "what is nested more than \(NestingDepth.maximum) deep" }
    return result
  }

  /// For the planner; nil where columns cannot tell, or it is nested deeper than the planner is given. Complexity: O(*n*) in what is joined.
  var term: Term? {
    if depth > NestingDepth.maximumPlanned { return nil }
    guard let junction else { return ownTerm }
    var shift = 0
    var terms: [Term] = []
    for part in junction.parts.elements {
      guard let term = part.term else { return nil }
      terms.append(term.shifted(by: shift))
      shift += part.parameters.count
    }
    return junction.isAnd ? .and(terms) : .or(terms)
  }

  /// The values that ``Term/parameter(_:)`` and others refer to.
  var parameters: [Parameter] { junction?.parts.elements.flatMap(\.parameters) ?? ownParameters }

  /// Both hold.
  public static func && (left: Self, right: Self) -> Self { joined(left, right, isAnd: true) }

  /// At least one holds.
  public static func || (left: Self, right: Self) -> Self { joined(left, right, isAnd: false) }

  /// It does not hold.
  public static prefix func ! (predicate: Self) -> Self {
    if predicate.depth >= NestingDepth.maximum || predicate.isTooDeep { return tooDeep }
    let holds = predicate.holds
    var result = Self(predicate.term.map { .negated($0) }, predicate.parameters) { try !holds($0, $1) }
    result.routes = predicate.routes
    result.reckonsWithFloats = predicate.reckonsWithFloats
    result.reckonsWithIntegers = predicate.reckonsWithIntegers
    result.seesObjects = predicate.seesObjects
    result.words = predicate.words.map { words in { "!(\(words()))" } }
    result.depth = predicate.depth + 1
    return result
  }

  /// What is joined in the same way, or the whole.
  private func parts(_ isAnd: Bool) -> SharedList<Self> {
    if let junction, junction.isAnd == isAnd { return junction.parts }
    return SharedList([self])
  }

  private static func joined(_ left: Self, _ right: Self, isAnd: Bool) -> Self {
    let depth = [left, right].reduce(0) { max($0, $1.junction?.isAnd == isAnd ? $1.depth : $1.depth + 1) }
    if depth > NestingDepth.maximum || left.isTooDeep || right.isTooDeep { return tooDeep }
    let parts = left.parts(isAnd).appending(right.parts(isAnd).elements)
    var result = Self(Junction(isAnd: isAnd, parts: parts))
    result.routes = left.routes
    if !right.routes.isEmpty { result.routes.formUnion(right.routes) }
    result.reckonsWithFloats = left.reckonsWithFloats || right.reckonsWithFloats
    result.reckonsWithIntegers = left.reckonsWithIntegers || right.reckonsWithIntegers
    result.seesObjects = left.seesObjects || right.seesObjects
    result.depth = depth
    if left.words != nil, right.words != nil {
      result.words = {
        parts.elements.compactMap { $0.words.map { "(\($0()))" } }.joined(separator: isAnd ? " && " : " || ")
      }
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
  /// Of an instant, or of each of a list, what it has beside its microseconds; empty if that is nothing.
  var finer: [Int64] = []

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
