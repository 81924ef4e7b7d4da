import Foundation

/// An order of texts.
public struct TextComparator: Sendable, Hashable {
  private enum Kind { case localizedStandard, localized, lexical }
  private let kind: Kind

  /// Sorts as people of the process's language expect lists to be: whatever the case, and numbers by their values.
  public static var localizedStandard: TextComparator { TextComparator(kind: .localizedStandard) }
  /// Sorts as dictionaries of the process's language do.
  public static var localized: TextComparator { TextComparator(kind: .localized) }
  /// By code points, as columns are ordered: the same everywhere, and served by indexes.
  public static var lexical: TextComparator { TextComparator(kind: .lexical) }

  /// Tells which of two texts comes first.
  func compare(_ left: String, _ right: String) -> ComparisonResult {
    switch kind {
    case .localizedStandard: left.localizedStandardCompare(right)
    case .localized: left.localizedCompare(right)
    case .lexical: ComparisonResult(rawValue: String.rank(left, right).signum()) ?? .orderedSame
    }
  }
}
