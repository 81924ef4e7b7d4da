import GQLBase
import GQLCatalog
import GQLQuery

/// A sample of a type's rows, with the conjuncts of a predicate that hold for each: which hold together, and where.
///
/// Columns are correlated in most data: a kind follows a price, a time follows the order of insertion. Shares that are
/// multiplied do not show that.
struct ConjunctSample {
  private let sample: RowSample
  /// By position of the conjunct.
  private let bits: [Int: UInt64]
  private let shares: [Int: Double]
  /// The column whose values the sample has.
  let column: ColumnID?

  /// - Parameter sampled: The positions of the conjuncts that were given to the sampler, in its order.
  init(_ sample: RowSample, sampled: [Int], column: ColumnID?, _ conjuncts: [ConjunctEstimate]) {
    self.sample = sample
    self.column = column
    var bits: [Int: UInt64] = [:]
    for (number, position) in sampled.enumerated() where sample.tested >> UInt64(number) & 1 == 1 {
      bits[position] = 1 << UInt64(number)
    }
    self.bits = bits
    shares = Dictionary(conjuncts.map { ($0.position, $0.selectivity) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the share of the type's rows for which the conjuncts at all positions hold.
  ///
  /// Where few rows of the sample match, or none, what independent conditions would leave counts as one match more.
  func share(of positions: [Int]) -> Double {
    let known = positions.filter { bits[$0] != nil }
    var parts = positions.filter { bits[$0] == nil }.map { shares[$0] ?? 1 }
    if known.count > 1 {
      let mask = known.reduce(0) { $0 | (bits[$1] ?? 0) }
      let single = known.map { shares[$0] ?? 1 }
      let prior = max(single.reduce(1, *), 1e-9)
      let found = sample.masks.reduce(0) { $1 & mask == mask ? $0 + 1 : $0 }
      parts.append(min(single.min() ?? 1, (Double(found) + 1) / (Double(sample.masks.count) + 1 / prior)))
    } else {
      parts += known.map { shares[$0] ?? 1 }
    }
    return parts.reduce(1, *)
  }

  /// Returns where the matches stand in the order of insertion, as shares of the rows for which the conjuncts at
  /// `covered` hold; nil if the sample cannot tell.
  private func places(among covered: [Int]) -> [Double]? {
    guard covered.allSatisfy({ bits[$0] != nil }) else { return nil }
    let mask = covered.reduce(0) { $0 | (bits[$1] ?? 0) }
    var before = 0.0
    var counts: [Double] = []
    for own in sample.masks {
      counts.append(before)
      if own & mask == mask { before += 1 }
    }
    return sample.matches.map { counts[$0.place] / max(1, before) }
  }

  /// Returns where the matches stand in a walk of a path, as ascending shares of its rows; nil if the sample
  /// cannot tell.
  func places(
    along candidate: AccessCandidate, isByRow: Bool, isDescending: Bool, _ estimator: CardinalityEstimator
  ) -> [Double]? {
    guard case .range(let id, let range) = candidate.path, !isByRow,
      estimator.catalog[id].columns.dropFirst(range.equal.count).first == column, let column
    else {
      guard candidate.kind == .scan || candidate.isAscending || isByRow,
        let found = places(among: candidate.covered)
      else { return nil }
      return (isDescending ? found.map { 1 - $0 } : found).sorted()
    }
    let all = candidate.rows.rows
    guard all > 0, var bounds = estimator.keyRange(range) else { return nil }
    // Nulls come last in both directions.
    var nulls = 0.0
    if range.includesNulls, range.equal.isEmpty {
      nulls = min(all, Double(estimator.statistics.nullCount(estimator.catalog[id].type, column)))
    }
    func entries(upTo value: Value, isInclusive: Bool) -> Double? {
      bounds.upper = .init(value, isInclusive: isInclusive)
      return estimator.statistics.cardinality(id, bounds).map { Double($0) }
    }
    var found: [(before: Double, value: Value)] = []
    for match in sample.matches where !match.value.isNull {
      guard let before = entries(upTo: match.value, isInclusive: false) else { return nil }
      found.append((before, match.value))
    }
    found.sort { $0.before < $1.before }
    var places = [Double](repeating: 1, count: sample.matches.count - found.count)
    var start = 0
    while start < found.count {
      let (before, value) = found[start]
      var end = start + 1
      while end < found.count, found[end].before == before { end += 1 }
      // Those with the same value are spread over its entries.
      guard let through = end - start > 1 ? entries(upTo: value, isInclusive: true) : before else { return nil }
      for number in 0..<end - start {
        let place = before + (through - before) * (Double(number) + 0.5) / Double(end - start)
        places.append(min(1, max(0, isDescending ? all - nulls - place : place) / all))
      }
      start = end
    }
    return places.sorted()
  }

  /// Returns the share of the rows that stand before the first for which a conjunct holds; nil if it was not sampled.
  func begin(of position: Int) -> Double? {
    guard let bit = bits[position], !sample.masks.isEmpty else { return nil }
    let first = sample.masks.firstIndex { $0 & bit != 0 } ?? sample.masks.count
    return Double(first) / Double(sample.masks.count)
  }

  /// Returns the share of rows that are passed in an order until a share of the matches is found, of which some stand at
  /// the places `found`, ascending shares of the rows.
  ///
  /// Of matches that are spread evenly, the first of a sample comes later than `late` in one case of fifty only, with the
  /// distances between the others given. Where it does, all matches are taken to begin shortly before it.
  static func passed(_ found: [Double], untilShare wanted: Double) -> Double {
    guard found.count > 2, let first = found.first, let last = found.last else { return wanted }
    if wanted >= 1 { return 1 }
    let count = Double(found.count)
    let gap = max((last - first) / (count - 1), 1e-9)
    let place = wanted * count
    if place <= 1 {
      let late = gap * lateness(distances: found.count - 1)
      return min(max(first, wanted), max(0, first - late) + place * min(gap, 1 / count))
    }
    let number = Int(place)
    let next = number < found.count ? found[number] : 1
    return found[number - 1] + (next - found[number - 1]) * (place - Double(number))
  }

  /// Returns how many times the mean of so many random distances another one exceeds in one case of fifty:
  /// *n* · (50^(1/*n*) − 1), where each is distributed exponentially.
  private static func lateness(distances: Int) -> Double {
    switch distances {
    case ...2: 12
    case 3: 8
    case 4: 6.6
    case 5...7: 5.6
    case 8...15: 4.8
    default: 4.2
    }
  }
}

extension CardinalityEstimator {
  /// Rows of a type from which on a sample is worth its time, and for the members of a row set, which is made of all.
  private static let (leastSampled, leastSampledOfRowSet) = (2_048.0, 256.0)

  /// Tests the conjuncts of a collection that are cheap, all together, on a sample of rows; nil where nothing hangs on
  /// it.
  func sample(
    _ conjuncts: [(position: Int, expression: BoundExpression)], _ set: BoundSet, in query: BoundQuery,
    isRowSet: Bool, isCheap: (BoundExpression) -> Bool
  ) -> (sample: RowSample, positions: [Int], column: ColumnID?)? {
    guard let sampler, rowCount(set.type) >= (isRowSet ? Self.leastSampledOfRowSet : Self.leastSampled) else {
      return nil
    }
    var fixed: Set<ColumnID> = []
    var chosen: [(position: Int, expression: BoundExpression)] = []
    for conjunct in conjuncts {
      if case .compare(.equal, let left, let right) = conjunct.expression.kind,
        let column = left.elementColumn ?? right.elementColumn
      {
        fixed.insert(column)
      }
      guard chosen.count < RowSample.mostConditions, canSample(conjunct.expression, in: query),
        !query.canFail(conjunct.expression), isCheap(conjunct.expression)
      else { continue }
      chosen.append(conjunct)
    }
    let column = set.order.compactMap(\.expression.elementColumn).first { !fixed.contains($0) }
    guard
      let sample = sampler.sample(
        chosen.map(\.expression), valuesOf: column, type: set.type, parameters: parameters ?? [])
    else { return nil }
    return (sample, chosen.map(\.position), column)
  }
}
