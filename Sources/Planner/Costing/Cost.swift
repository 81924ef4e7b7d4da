/// One unit is the time to test one fixed-width cell in a batch, about 0.4 ns on the reference machine.
package struct Cost: Sendable, Hashable {
  package var units: Double

  package init(_ units: Double) { self.units = units }

  package static let zero = Cost(0)
  package static func + (left: Cost, right: Cost) -> Cost { Cost(left.units + right.units) }
  package static func * (cost: Cost, factor: Double) -> Cost { Cost(cost.units * factor) }

  /// Tolerant, so that the last bits of a sum never decide: ties go to the lower access rank, then the lower index.
  package func isClearlyLess(than other: Cost) -> Bool { units < other.units * (1 - 1e-9) }
}

/// What may be relied upon: never wrong.
package struct RowBounds: Sendable, Hashable {
  package var lower: Int
  /// Nil: no bound is known.
  package var upper: Int?
  package init(lower: Int = 0, upper: Int? = nil) {
    self.lower = lower
    self.upper = upper
  }
}

/// What is likely: may be wrong, and then costs speed, never a result.
package struct RowEstimate: Sendable, Hashable {
  package var rows: Double
  /// Counted by an index rather than guessed.
  package var isExact: Bool
  package init(_ rows: Double, isExact: Bool = false) {
    self.rows = rows
    self.isExact = isExact
  }
}
