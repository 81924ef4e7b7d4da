/// A rule by which a field is merged that both sides of a merge have written: `@merge(by: SUM)`.
package enum MergeRule: String, Sendable, Hashable, CaseIterable {
  /// The value that is saved last counts: mine.
  case last = "LAST"
  /// The value that was saved first counts: theirs.
  case first = "FIRST"
  case min = "MIN"
  case max = "MAX"
  /// Adds to the value what both sides have added.
  case sum = "SUM"
  /// A list with the elements of both, each once.
  case union = "UNION"
  /// Nothing is decided: it is a conflict.
  case fail = "FAIL"

  /// Returns the rules that fit fields of a type.
  package static func fitting(_ type: ValueType) -> [MergeRule] {
    allCases.filter { $0.fits(type) }
  }

  private func fits(_ type: ValueType) -> Bool {
    switch self {
    case .last, .first, .fail: return true
    case .union:
      // Lists of lists lie as JSON, and embedded objects have nothing that tells them apart.
      if case .list(let element) = type {
        switch element {
        case .scalar, .enumeration, .entity: return true
        case .list, .embedded, .null: return false
        }
      }
      return false
    case .sum:
      switch type.scalar {
      case .int?, .float?, .decimal?, .duration?: return true
      default: return false
      }
    case .min, .max:
      if case .enumeration = type { return true }
      switch type.scalar {
      case .int?, .float?, .decimal?, .duration?, .date?, .dateTime?, .string?: return true
      default: return false
      }
    }
  }
}
