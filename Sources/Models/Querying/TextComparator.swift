import Foundation

/// How texts are sorted.
public struct TextComparator: Sendable, Hashable {
  private enum Kind { case localizedStandard, localized, lexical }
  private let kind: Kind

  /// As people of the process's language expect lists to be: whatever the case, and numbers by their values.
  public static var localizedStandard: TextComparator { TextComparator(kind: .localizedStandard) }
  /// As dictionaries of the process's language are.
  public static var localized: TextComparator { TextComparator(kind: .localized) }
  /// By code points, as columns are ordered: the same everywhere, and served by indexes.
  public static var lexical: TextComparator { TextComparator(kind: .lexical) }

  /// Which of two texts comes first.
  public func compare(_ left: String, _ right: String) -> ComparisonResult {
    switch kind {
    case .localizedStandard: left.localizedStandardCompare(right)
    case .localized: left.localizedCompare(right)
    case .lexical: left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
  }
}
