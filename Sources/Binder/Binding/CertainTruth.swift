import GQLBase
import GQLCatalog
import GQLQuery

/// Conditions that hold for every live entity whatever its values: `id == id`, `age > 3 or age <= 3` of an age that is
/// never null, `if(age > 3, true, true)`, `_status == CREATED`, `$all` of a variable that is true. A change under such a
/// condition is one of everything.
///
/// A condition is followed down to parts that look at no entity. What it hangs on them is its *premise*: an expression
/// over constants and variables, which the run evaluates, so that `name contains $x` is certain of an empty text only.
/// It knows what people and generators write to get round the question, not every tautology. Conditions are asked about
/// once they are rewritten.
struct CertainTruth {
  let query: BoundQuery
  let catalog: Catalog
  /// Whether a set of the query has deleted entities; otherwise none is deleted.
  private let meetsDeleted: Bool
  /// Nodes that were looked at, or made: what is longer than people write is not followed to its end, and what nobody
  /// waits for any longer neither.
  private let steps: StepCount

  init(query: BoundQuery, catalog: Catalog, interruption: Interruption? = nil, maximumSteps: Int = 200_000) {
    self.query = query
    self.catalog = catalog
    meetsDeleted = query.meetsDeleted
    steps = StepCount(maximumSteps, interruption)
  }

  /// How many steps were taken; beyond them nothing is certain.
  var stepCount: Int { steps.count }

  /// What a condition's being true for every entity hangs on, in whichever way it is found.
  func premise(of condition: BoundExpression) -> BoundExpression? {
    premise(condition) ?? enumerated(condition)
  }

  /// What the condition's being true for every entity hangs on: a constant true where it hangs on nothing, nil where no
  /// values of variables make it certain. With `orNull`, unknown is as good as true.
  ///
  /// The entity is `depth` scopes out.
  func premise(_ condition: BoundExpression, orNull: Bool = false, depth: Int = 0) -> BoundExpression? {
    guard mayStep() else { return nil }
    if let constant = condition.constant {
      return constant == .boolean(true) || orNull && constant.isNull ? Self.certain : nil
    }
    if isFree(condition) { return orNull ? guarded(isTrue(condition.negated()).negated()) : guarded(condition) }
    switch condition.kind {
    case .isTrue(let inner): return premise(inner, depth: depth)
    case .not(let inner): return falsity(inner, orNull: orNull, depth: depth)
    case .and(let parts): return all(parts) { premise($0, orNull: orNull, depth: depth) }
    case .or(let parts):
      let found = any(parts) { premise($0, orNull: orNull, depth: depth) }
      return found?.constant != nil ? found : together(parts, orNull: orNull) ?? found
    case .conditional(let parts):
      return chosen(parts[...], depth: depth) { premise($0, orNull: orNull, depth: depth) }
    case .coalesce(let parts): return first(parts[...], orNull: orNull, depth: depth)
    case .call(.try, let operands):
      guard let inner = operands.first, orNull || !query.canFail(inner) else { return nil }
      return premise(inner, orNull: orNull, depth: depth)
    case .compare, .inValues, .inList, .listContains, .inRange:
      return choices(condition, depth: depth) ?? range(condition, orNull: orNull)
    case .textTest, .like, .regex: return pattern(condition, orNull: orNull)
    // Nothing that is not there fails it.
    case .quantifier(.every, let set, let body):
      guard let body else { return Self.certain }
      return Self.disjunction([premise(body, depth: depth + 1), emptiness(set, depth: depth)])
    case .quantifier(.none, let set, let body):
      let fails = body.flatMap { falsity($0, orNull: true, depth: depth + 1) }
      return Self.disjunction([fails, emptiness(set, depth: depth)])
    case .quantifier(.some, let set, let body), .quantifier(.exists, let set, let body):
      return witness(set, body, depth: depth)
    case .listCall(.quantifier(.every), let list, item: _, let body):
      return Self.disjunction([body.flatMap { premise($0, depth: depth + 1) }, emptiness(ofList: list)])
    case .listCall(.quantifier(.none), let list, item: _, let body):
      let fails = body.flatMap { falsity($0, orNull: true, depth: depth + 1) }
      return Self.disjunction([fails, emptiness(ofList: list)])
    default: return nil
    }
  }

  /// What the condition's being false for every entity hangs on, as ``premise(_:orNull:depth:)``.
  func falsity(_ condition: BoundExpression, orNull: Bool, depth: Int) -> BoundExpression? {
    guard mayStep() else { return nil }
    if let constant = condition.constant {
      return constant == .boolean(false) || orNull && constant.isNull ? Self.certain : nil
    }
    if isFree(condition) { return guarded(orNull ? isTrue(condition).negated() : condition.negated()) }
    switch condition.kind {
    case .not(let inner): return premise(inner, orNull: orNull, depth: depth)
    case .isTrue(let inner): return falsity(inner, orNull: true, depth: depth)
    case .isNull(let operand): return isNeverNull(operand) ? Self.certain : nil
    case .isDeleted: return meetsDeleted ? nil : Self.certain
    case .or(let parts): return all(parts) { falsity($0, orNull: orNull, depth: depth) }
    case .and(let parts): return any(parts) { falsity($0, orNull: orNull, depth: depth) }
    case .conditional(let parts):
      return chosen(parts[...], depth: depth) { falsity($0, orNull: orNull, depth: depth) }
    case .compare(let comparison, let left, let right):
      guard let opposite = comparison.opposite else { return nil }
      var negation = condition
      negation.kind = .compare(opposite, left, right)
      return premise(negation, orNull: orNull, depth: depth)
    case .inValues(_, let values) where values.isEmpty: return Self.certain
    case .inValues: return choices(condition, depth: depth, isNegated: true)
    // `id not in $ids` of no ids.
    case .inList(_, let list):
      return Self.disjunction([choices(condition, depth: depth, isNegated: true), emptiness(ofList: list)])
    case .quantifier(.exists, let set, let body), .quantifier(.some, let set, let body):
      let fails = body.flatMap { falsity($0, orNull: true, depth: depth + 1) }
      return Self.disjunction([fails, emptiness(set, depth: depth)])
    case .quantifier(.none, let set, let body): return witness(set, body, depth: depth)
    case .listCall(.quantifier(.some), let list, item: _, _), .listCall(.quantifier(.exists), let list, item: _, _):
      return emptiness(ofList: list)
    default: return nil
    }
  }

  // MARK: - Connectives

  static let certain = BoundExpression.truth(true, at: SourceRange(at: 0))

  private func all(
    _ parts: [BoundExpression], _ premise: (BoundExpression) -> BoundExpression?
  ) -> BoundExpression? {
    var premises: [BoundExpression] = []
    for part in parts {
      guard let found = premise(part) else { return nil }
      premises.append(found)
    }
    return Self.conjunction(premises)
  }

  private func any(
    _ parts: [BoundExpression], _ premise: (BoundExpression) -> BoundExpression?
  ) -> BoundExpression? {
    var premises: [BoundExpression?] = []
    for part in parts {
      let found = premise(part)
      if found?.constant != nil { return Self.certain }
      premises.append(found)
    }
    return Self.disjunction(premises)
  }

  static func conjunction(_ premises: [BoundExpression]) -> BoundExpression {
    BoundExpression.conjunction(premises.filter { $0.constant == nil }) ?? certain
  }

  static func disjunction(_ premises: [BoundExpression?]) -> BoundExpression? {
    let found = premises.compactMap { $0 }
    if found.contains(where: { $0.constant != nil }) { return certain }
    guard let first = found.first else { return nil }
    return found.count == 1 ? first : BoundExpression(.or(found), .boolean, at: first.range)
  }

  /// Of pairs of a condition and a value, and a last value: whichever is chosen satisfies the premise.
  private func chosen(
    _ parts: ArraySlice<BoundExpression>, depth: Int,
    _ premise: (BoundExpression) -> BoundExpression?
  ) -> BoundExpression? {
    guard let condition = parts.first else { return nil }
    guard parts.count > 1 else { return premise(condition) }
    guard mayStep() else { return nil }
    let value = premise(parts[parts.startIndex + 1])
    let rest = chosen(parts.dropFirst(2), depth: depth, premise)
    var ways: [BoundExpression?] = []
    if let rest {
      // Once only: the rest has a rest of its own, and so on.
      let passed = falsity(condition, orNull: true, depth: depth)
      if value != nil || passed != nil, let either = Self.disjunction([value, passed]) {
        ways.append(Self.conjunction([rest, either]))
      }
    }
    // The value a second time: of one that is large it is not worth it.
    if let value, isSmall(value), let taken = self.premise(condition, depth: depth) {
      ways.append(Self.conjunction([value, taken]))
    }
    return Self.disjunction(ways)
  }

  /// Whether the premise may be put in twice.
  private func isSmall(_ premise: BoundExpression) -> Bool {
    var left = Self.smallNodes
    func visit(_ expression: BoundExpression) {
      guard left > 0, mayStep() else { return left = 0 }
      left -= 1
      for operand in expression.operands { visit(operand) }
      if let body = expression.innerBody { visit(body) }
    }
    visit(premise)
    return left > 0
  }

  private static let smallNodes = 256

  /// The first that is not null is true.
  private func first(
    _ parts: ArraySlice<BoundExpression>, orNull: Bool, depth: Int
  ) -> BoundExpression? {
    guard let part = parts.first else { return orNull ? Self.certain : nil }
    var ways = [premise(part, depth: depth)]
    if let passed = premise(part, orNull: true, depth: depth),
      let rest = first(parts.dropFirst(), orNull: orNull, depth: depth)
    {
      ways.append(Self.conjunction([passed, rest]))
    }
    return Self.disjunction(ways)
  }

  /// `p or not p`, where p is never null.
  private func together(_ parts: [BoundExpression], orNull: Bool) -> BoundExpression? {
    // Chains are generated, and long ones hardly say nothing.
    guard parts.count <= 64 else { return nil }
    for (index, part) in parts.enumerated() {
      for other in parts[(index + 1)...]
      where areOpposites(part, other, orNull) || areOpposites(other, part, orNull) { return Self.certain }
    }
    return nil
  }

  private func areOpposites(_ left: BoundExpression, _ right: BoundExpression, _ orNull: Bool) -> Bool {
    switch (left.kind, right.kind) {
    case (_, .not(let inner)): return (orNull || isNeverNull(left)) && areAlike(left, inner)
    case (.compare(let comparison, let a, let b), .compare(let other, let c, let d)):
      guard areAlike(a, c), areAlike(b, d) else { return false }
      switch (comparison, other) {
      case (.equal, .notEqual): return true
      case (.less, .greaterOrEqual), (.lessOrEqual, .greater), (.lessOrEqual, .greaterOrEqual):
        return orNull || isNeverNull(a) && isNeverNull(b)
      default: return false
      }
    default: return false
    }
  }

  // MARK: - Sets

  /// What no element's being in the set hangs on.
  private func emptiness(_ id: SetID, depth: Int) -> BoundExpression? {
    let set = query[id]
    var ways = [set.predicate.flatMap { falsity($0, orNull: true, depth: depth + 1) }]
    if let limit = set.limit, isFree(limit) { ways.append(compared(.equal, limit, .int(0), .int)) }
    return Self.disjunction(ways)
  }

  private func emptiness(ofList list: BoundExpression) -> BoundExpression? {
    if case .list(let values)? = list.constant { return values.isEmpty ? Self.certain : nil }
    guard isFree(list), case .list = list.type else { return nil }
    let length = BoundExpression(.call(.length, [list]), .int, at: list.range)
    let isNull = BoundExpression(.isNull(list), .boolean, at: list.range)
    return Self.disjunction([isNull, compared(.equal, length, .int(0), .int)])
  }

  /// What there being a member hangs on, in a set of all entities of the type: `. in User`, `exists(User)`. The entity
  /// itself is one of them.
  private func witness(_ id: SetID, _ body: BoundExpression?, depth: Int) -> BoundExpression? {
    let set = query[id]
    guard set.type == query.sets[0].type, set.limit == nil, set.offset == nil, set.paging == nil else { return nil }
    switch set.source {
    case .all, .deleted(includesLive: true): break
    default: return nil
    }
    var premises: [BoundExpression] = []
    for part in [set.predicate, body].compactMap({ $0 }) {
      var isFlat = true
      part.forEachNode { if $0.setCall != nil || $0.innerBody != nil { isFlat = false } }
      guard isFlat else { return nil }
      let own = part.mapReferences { reference in
        reference.scope == 0 ? reference.shifted(by: depth) : reference.shifted(by: -1)
      }
      guard let found = premise(own, depth: depth) else { return nil }
      premises.append(found)
    }
    return Self.conjunction(premises)
  }

  // MARK: - Premises

  private func isTrue(_ condition: BoundExpression) -> BoundExpression {
    BoundExpression(.isTrue(condition), .boolean, at: condition.range)
  }

  /// Evaluated before it is known whether it would be: what it does wrong is not for now.
  func guarded(_ premise: BoundExpression) -> BoundExpression {
    // What may not be looked at is taken for what may fail.
    !isCounted(premise) || query.canFail(premise)
      ? BoundExpression(.call(.try, [premise]), premise.type, at: premise.range) : premise
  }

  func compared(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: Value, _ type: ValueType
  ) -> BoundExpression? {
    let constant = BoundExpression(.constant(right), type, at: left.range)
    let test = query.folded(BoundExpression(.compare(comparison, left, constant), .boolean, at: left.range))
    guard let truth = test.constant else { return guarded(test) }
    return truth == .boolean(true) ? Self.certain : nil
  }

  /// Whether it looks at nothing but constants and variables, and gives the same each time.
  func isFree(_ expression: BoundExpression) -> Bool {
    var items: Set<Int> = []
    return isFree(expression, &items)
  }

  /// Counts work; false once there is to be no more.
  func mayStep(_ work: Int = 1) -> Bool { steps.take(work) }

  /// Counts all nodes of an expression; false where there are too many.
  func isCounted(_ expression: BoundExpression) -> Bool {
    guard mayStep() else { return false }
    for operand in expression.operands where !isCounted(operand) { return false }
    return expression.innerBody.map { isCounted($0) } ?? true
  }

  private func isFree(_ expression: BoundExpression, _ items: inout Set<Int>) -> Bool {
    guard mayStep() else { return false }
    switch expression.kind {
    case .item(_, let number): return items.contains(number)
    case .invoke(let function, _) where !function.isDeterministic: return false
    case .matches(_, _, let source) where source.type != nil: return false
    case .score, .highlight: return false
    case .listCall(_, _, let item, _): items.insert(item)
    default: break
    }
    if expression.ownReference != nil || expression.setCall != nil { return false }
    for operand in expression.operands where !isFree(operand, &items) { return false }
    return expression.innerBody.map { isFree($0, &items) } ?? true
  }
}

/// Counts for a value that is passed about.
private final class StepCount {
  private(set) var count = 0
  private let maximum: Int
  private let interruption: Interruption?
  private var nextLook = 0
  private var isDue = false

  init(_ maximum: Int, _ interruption: Interruption?) {
    self.maximum = maximum
    self.interruption = interruption
  }

  func take(_ work: Int) -> Bool {
    if isDue || count > maximum { return false }
    count += work
    if count >= nextLook, let interruption {
      nextLook = count + 256
      isDue = interruption.isDue
    }
    return !isDue && count <= maximum
  }
}
