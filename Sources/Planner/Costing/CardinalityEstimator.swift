import GQLBase
import GQLCatalog
import GQLQuery

/// How many rows conditions leave: counted where an index can, sampled where a sampler is given, guessed elsewhere.
struct CardinalityEstimator {
  let catalog: Catalog
  let statistics: any Statistics
  let parameterTypes: [BoundParameter]
  /// Nil: planning for any parameters.
  let parameters: [Value?]?
  let sampler: (any SelectivitySampler)?
  /// Keys of a long list that are looked up for an estimate, at least.
  private static let sampledKeys = 64

  func rowCount(_ type: EntityTypeID) -> Double { Double(max(0, statistics.rowCount(type))) }

  /// The value of a constant, or of a parameter whose values are given.
  func value(of expression: BoundExpression) -> Value? {
    switch expression.kind {
    case .constant(let value): return value
    case .parameter(let index):
      guard let parameters, parameters.indices.contains(index), parameterTypes.indices.contains(index) else {
        return nil
      }
      return parameters[index] ?? parameterTypes[index].defaultValue ?? .null
    case .arithmetic(let operation, let left, let right) where operation == .add || operation == .subtract:
      switch (value(of: left), value(of: right)) {
      // `now() - "P7D"`.
      case (.dateTime(let moment)?, .duration(let span)?):
        return .dateTime(operation == .add ? moment &+ span : moment &- span)
      case (.int(let a)?, .int(let b)?):
        let sum = operation == .add ? a.addingReportingOverflow(b) : a.subtractingReportingOverflow(b)
        return sum.overflow ? nil : .int(sum.partialValue)
      default: return nil
      }
    default: return nil
    }
  }

  /// Rows of an equality with one unknown non-null value.
  func equalityRows(_ type: EntityTypeID, _ column: ColumnID) -> Double {
    let rows = rowCount(type)
    for id in catalog[type].indexes where catalog[id].isUnique && catalog[id].columns == [column] {
      return min(1, rows)
    }
    if let distinct = statistics.distinctCount(type, column), distinct >= 1 {
      return max(0, rows - Double(statistics.nullCount(type, column))) / distinct
    }
    return rows * DefaultSelectivity.equality
  }

  /// Estimates the rows that agree with one of them in a column that entities are ordered by. Numbers and times of which
  /// nothing is known have more values than what is asked for by value.
  func tiedRows(_ type: EntityTypeID, _ column: ColumnID) -> Double {
    let guess = equalityRows(type, column)
    guard statistics.distinctCount(type, column) == nil else { return guess }
    switch catalog[type][column].kind {
    case .int64, .float64: return min(guess, max(1, rowCount(type) * DefaultSelectivity.tie))
    default: return guess
    }
  }

  /// Rows of an index under a range; exact where its bounds are known.
  func rows(_ index: IndexDescriptor, _ range: IndexRange) -> RowEstimate {
    if !range.onlyNulls, !range.includesNulls || range.isBounded, let known = keyRange(range),
      let count = statistics.cardinality(index.id, known)
    {
      return RowEstimate(Double(count), isExact: true)
    }
    let all = rowCount(index.type)
    guard let first = index.columns.first else { return RowEstimate(0) }
    if range.onlyNulls { return RowEstimate(Double(statistics.nullCount(index.type, first)), isExact: true) }
    if index.isUnique, range.equal.count == index.columns.count { return RowEstimate(min(1, all)) }
    var shares: [Double] = []
    for (position, column) in index.columns.prefix(range.equal.count).enumerated() {
      // The first component's equality may be known even if the others are not.
      if position == 0, let key = value(of: range.equal[0]),
        let count = statistics.cardinality(index.id, KeyRange(equal: [key]))
      {
        shares.append(all > 0 ? Double(count) / all : 0)
      } else {
        shares.append(all > 0 ? equalityRows(index.type, column) / all : 0)
      }
    }
    if range.prefix != nil {
      shares.append(DefaultSelectivity.prefix)
    } else if range.lower != nil && range.upper != nil {
      shares.append(DefaultSelectivity.range)
    } else if range.lower != nil || range.upper != nil {
      shares.append(DefaultSelectivity.inequality)
    }
    return RowEstimate(all * Self.conjunction(shares))
  }

  /// Rows whose time, a column that the store fills, is within the bounds.
  func rows(_ type: EntityTypeID, times column: ColumnID, _ range: IndexRange) -> RowEstimate {
    if let known = keyRange(range), let count = statistics.timeCardinality(type, column, known) {
      return RowEstimate(Double(count))
    }
    let share =
      range.lower != nil && range.upper != nil ? DefaultSelectivity.range : DefaultSelectivity.inequality
    return RowEstimate(rowCount(type) * share)
  }

  /// The bounds as values, if all are known and none is null.
  func keyRange(_ range: IndexRange) -> KeyRange? {
    func bound(_ bound: IndexRange.Bound?) -> KeyRange.Bound?? {
      guard let bound else { return .some(nil) }
      guard let value = value(of: bound.value), !value.isNull else { return nil }
      return .some(KeyRange.Bound(value, isInclusive: bound.isInclusive))
    }
    var result = KeyRange()
    for key in range.equal {
      guard let value = value(of: key), !value.isNull else { return nil }
      result.equal.append(value)
    }
    guard let lower = bound(range.lower), let upper = bound(range.upper) else { return nil }
    result.lower = lower
    result.upper = upper
    if let prefix = range.prefix {
      guard let value = value(of: prefix), !value.isNull else { return nil }
      result.prefix = value
    }
    return result
  }

  func rows(_ index: IndexDescriptor, key: [BoundExpression]) -> RowEstimate {
    let all = rowCount(index.type)
    if index.isUnique { return RowEstimate(min(1, all)) }
    return rows(index, IndexRange(equal: key))
  }

  /// Estimates the rows under any of the keys, and tells whether all are under one.
  func rows(_ index: IndexDescriptor, each keys: [BoundExpression]) -> (rows: RowEstimate, isOneRun: Bool) {
    let all = rowCount(index.type)
    var total = 0.0
    var isExact = true
    var runs = 0
    for key in keys {
      if case .list = key.type {
        if let known = value(of: key) {
          guard case .list(let elements) = known else { continue }
          runs += elements.count
          // Evenly spread samples of a long list stand for the others.
          let step = max(1, elements.count / Self.sampledKeys)
          var sampled = 0.0
          for place in stride(from: 0, to: elements.count, by: step) where !elements[place].isNull {
            let one = rows(index, key: [BoundExpression(.constant(elements[place]), .null, at: key.range)])
            sampled += one.rows
            isExact = isExact && one.isExact && step == 1
          }
          total += sampled * Double(step)
        } else {
          total += DefaultSelectivity.listCount * rows(index, key: [key]).rows
          isExact = false
          runs += 2
        }
      } else {
        let one = rows(index, key: [key])
        if one.rows > 0 || !one.isExact { runs += 1 }
        total += one.rows
        isExact = isExact && one.isExact
      }
    }
    return (RowEstimate(min(all, total), isExact: isExact), runs < 2)
  }

  /// Conditions are seldom independent: the most selective counts in full, the next by its root, and so on (exponential
  /// backoff).
  static func conjunction(_ selectivities: [Double]) -> Double {
    var result = 1.0
    var exponent = 1.0
    for selectivity in selectivities.sorted().prefix(4) {
      result *= exponent == 1 ? selectivity : power(selectivity, exponent)
      exponent /= 2
    }
    return min(1, max(0, result))
  }

  /// `base` to the powers 1/2, 1/4, 1/8, without a mathematics library.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    var result = max(0, base)
    var remaining = exponent
    while remaining < 1 {
      result = result.squareRoot()
      remaining *= 2
    }
    return result
  }
}
