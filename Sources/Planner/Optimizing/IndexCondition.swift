import GQLBase
import GQLCatalog
import GQLQuery

/// What a conjunct asks of one column of the element, in terms that an index understands. Keys see the scopes around
/// the set.
struct IndexCondition {
  enum Test {
    /// `mayMeetNull`: key and column may both be null, and such rows belong.
    case equal(BoundExpression, mayMeetNull: Bool)
    case oneOf([BoundExpression])
    case within(lower: IndexRange.Bound?, upper: IndexRange.Bound?)
    case prefix(BoundExpression)
    case isNull
  }
  var position: Int
  var column: ColumnID
  var test: Test
  /// Whether the test says all that the conjunct says.
  var isExact = true
}

extension Optimizer {
  /// What the conjunct says about a column, if it says anything an index can use.
  func indexCondition(_ conjunct: BoundExpression, at position: Int, type: EntityTypeID) -> IndexCondition? {
    func condition(_ column: ColumnID, _ test: IndexCondition.Test, isExact: Bool = true) -> IndexCondition {
      IndexCondition(position: position, column: column, test: test, isExact: isExact)
    }
    switch conjunct.kind {
    case .isTrue(let inner): return indexCondition(inner, at: position, type: type)
    case .column where conjunct.type == .boolean:
      guard let column = elementColumn(conjunct) else { return nil }
      return condition(column, .equal(.truth(true, at: conjunct.range), mayMeetNull: false))
    case .not(let inner) where inner.type == .boolean:
      guard let column = elementColumn(inner) else { return nil }
      return condition(column, .equal(.truth(false, at: conjunct.range), mayMeetNull: false))
    case .isNull(let operand): return elementColumn(operand).map { condition($0, .isNull) }
    case .compare(let comparison, let left, let right):
      if let column = elementColumn(left), let key = accessKey(right, for: column, of: type) {
        return compared(comparison, column, key, type: type).map { condition(column, $0) }
      }
      if let column = elementColumn(right), let key = accessKey(left, for: column, of: type) {
        return compared(comparison.swapped, column, key, type: type).map { condition(column, $0) }
      }
      return nil
    case .inValues(let subject, let values):
      guard let column = elementColumn(subject) else { return nil }
      let keys = values.compactMap { accessKey($0, for: column, of: type) }
      guard keys.count == values.count else { return nil }
      if keys.count == 1, let key = keys.first {
        return condition(column, .equal(key, mayMeetNull: meetsNull(key, column, type)))
      }
      return condition(column, .oneOf(keys))
    case .inList(let subject, let list):
      guard let column = elementColumn(subject), case .list(let element) = list.type,
        element == catalog[type][column].type, let key = accessKey(list)
      else { return nil }
      return condition(column, .oneOf([key]))
    case .inRange(let subject, let lower, let upper, let includesUpper):
      guard let column = elementColumn(subject) else { return nil }
      let low = lower.flatMap { accessKey($0, for: column, of: type) }
      let high = upper.flatMap { accessKey($0, for: column, of: type) }
      if low == nil && high == nil { return nil }
      return condition(
        column,
        .within(
          lower: low.map { .init($0, isInclusive: true) }, upper: high.map { .init($0, isInclusive: includesUpper) }),
        isExact: (low == nil) == (lower == nil) && (high == nil) == (upper == nil))
    case .textTest(.startsWith, let subject, let text):
      // Not ids, because their order in an index is not that of their bytes.
      guard let column = elementColumn(subject), catalog[type][column].type == .string,
        let key = accessKey(text, for: column, of: type)
      else { return nil }
      return condition(column, .prefix(key))
    case .like(let subject, let pattern, isCaseInsensitive: false):
      guard let column = elementColumn(subject), catalog[type][column].type == .string,
        case .string(let text)? = pattern.constant, let prefix = LiteralPrefix(like: text)
      else { return nil }
      return condition(column, .prefix(prefix.expression(at: pattern.range)), isExact: prefix.isWholePattern)
    case .regex(let subject, let pattern):
      guard let column = elementColumn(subject), catalog[type][column].type == .string,
        case .string(let text)? = pattern.constant, let prefix = LiteralPrefix(regex: text)
      else { return nil }
      return condition(column, .prefix(prefix.expression(at: pattern.range)), isExact: false)
    default: return nil
    }
  }

  private func compared(
    _ comparison: ComparisonOperator, _ column: ColumnID, _ key: BoundExpression, type: EntityTypeID
  ) -> IndexCondition.Test? {
    switch comparison {
    case .equal: .equal(key, mayMeetNull: meetsNull(key, column, type))
    case .notEqual: nil
    case .less: .within(lower: nil, upper: .init(key, isInclusive: false))
    case .lessOrEqual: .within(lower: nil, upper: .init(key, isInclusive: true))
    case .greater: .within(lower: .init(key, isInclusive: false), upper: nil)
    case .greaterOrEqual: .within(lower: .init(key, isInclusive: true), upper: nil)
    }
  }

  /// The column of the element itself that the expression is.
  func elementColumn(_ expression: BoundExpression) -> ColumnID? { expression.elementColumn }

  /// The expression as what surrounds the set sees it: one scope fewer. Nil if it reads the element, may fail, or holds
  /// a set that is bound to a scope.
  func accessKey(_ expression: BoundExpression) -> BoundExpression? {
    let scopes = query.freeScopes(of: expression)
    guard !scopes.contains(depth: 0), !query.canFail(expression) else { return nil }
    if !query.isPlain(expression) { return scopes.isEmpty ? expression : nil }
    return expression.mapReferences { $0.shifted(by: -1) }
  }

  /// The same of one that may fail, but for all elements of the set alike: `^.n + 1`, `$age + 1`. Where it does, the
  /// executor scans the set instead, so that it is an error exactly where the condition is evaluated for some element.
  /// Not of programs' functions, which may answer otherwise each time, or count how often they are asked.
  func failingKey(_ expression: BoundExpression) -> BoundExpression? {
    guard query.standsAround(expression) else { return nil }
    return expression.mapReferences { $0.shifted(by: -1) }
  }

  /// The same for a key of a column; of its very type, because an index compares cells of one kind.
  private func accessKey(_ expression: BoundExpression, for column: ColumnID, of type: EntityTypeID) -> BoundExpression?
  {
    guard expression.type == catalog[type][column].type else { return nil }
    return accessKey(expression) ?? failingKey(expression)
  }

  /// Whether null could meet null: the rows with a null would belong.
  private func meetsNull(_ key: BoundExpression, _ column: ColumnID, _ type: EntityTypeID) -> Bool {
    !catalog[type][column].isNonNull && mayBeNull(key)
  }

  func mayBeNull(_ key: BoundExpression) -> Bool { query.mayBeNull(key, catalog: catalog) }
}

extension BoundQuery {
  /// Whether there is no set in it, nor an expression over the elements of a list.
  func isPlain(_ expression: BoundExpression) -> Bool {
    var isPlain = true
    expression.forEachNode { if $0.setCall != nil || $0.innerBody != nil { isPlain = false } }
    return isPlain
  }

  /// Whether the value is computed from constants, variables and what encloses the set alone, so that it is the same, or
  /// fails, for all elements of one list.
  func standsAround(_ expression: BoundExpression) -> Bool {
    var calls = false
    expression.forEachNode { if case .invoke = $0.kind { calls = true } }
    return !calls && isPlain(expression) && !freeScopes(of: expression).contains(depth: 0)
  }

  /// Whether the condition compares what cannot fail with what may fail, but for all elements of one list alike.
  func failsAlike(_ condition: BoundExpression) -> Bool {
    guard canFail(condition) else { return false }
    let operands: [BoundExpression]
    switch condition.kind {
    case .compare(_, let left, let right), .textTest(_, let left, let right): operands = [left, right]
    case .inRange(let subject, let lower, let upper, _): operands = [subject, lower, upper].compactMap { $0 }
    case .inValues(let subject, let values): operands = [subject] + values
    case .isTrue(let inner): return failsAlike(inner)
    default: return false
    }
    return operands.allSatisfy { !canFail($0) || standsAround($0) }
  }
}

/// The text that every match of a pattern begins with.
struct LiteralPrefix {
  var text: Text
  /// The pattern asks for nothing else.
  var isWholePattern: Bool

  /// `abc%`: the characters before the first wildcard, with `\` before those meant literally.
  init?(like pattern: Text) {
    let bytes = Array(pattern.bytes)
    var literal: [UInt8] = []
    var position = 0
    while position < bytes.count, bytes[position] != UInt8(ascii: "%"), bytes[position] != UInt8(ascii: "_") {
      if bytes[position] == UInt8(ascii: "\\") {
        position += 1
        guard position < bytes.count else { return nil }
      }
      literal.append(bytes[position])
      position += 1
    }
    guard !literal.isEmpty else { return nil }
    text = Text(literal)
    isWholePattern = position == bytes.count - 1 && bytes[position] == UInt8(ascii: "%")
  }

  /// `^abc…`, without alternatives: what stands between the anchor and the first character with a meaning.
  init?(regex pattern: Text) {
    let bytes = Array(pattern.bytes)
    guard bytes.first == UInt8(ascii: "^"), !bytes.contains(UInt8(ascii: "|")) else { return nil }
    let special = Set("\\^$.[]()?*+{}#".utf8)
    var literal: [UInt8] = []
    var position = 1
    while position < bytes.count, !special.contains(bytes[position]) {
      literal.append(bytes[position])
      position += 1
    }
    // A quantifier may take the last character away, all bytes of it.
    if position < bytes.count, "?*{".utf8.contains(bytes[position]) {
      while let last = literal.popLast(), last & 0xC0 == 0x80 {}
    }
    guard !literal.isEmpty else { return nil }
    text = Text(literal)
    isWholePattern = false
  }

  func expression(at range: SourceRange) -> BoundExpression {
    BoundExpression(.constant(.string(text)), .string, at: range)
  }
}
