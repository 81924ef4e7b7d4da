import GQLBase
import GQLParser

/// Finds names that may have been meant, for no more problems than are printed, and with bounded work for all of a
/// document. Past that, problems have no suggestions.
final class Suggestions {
  /// Problems that still get suggestions.
  private var problems: Int
  /// Names that may still be compared.
  private var comparisons = 500_000
  /// Those that were found: what stands in a fragment is bound many times.
  private var known: [Place: [String]] = [:]

  /// A name and where it stands: those in the value of a variable stand where it does.
  private struct Place: Hashable {
    var name: String
    var range: SourceRange
  }

  init(problems: Int) { self.problems = problems }

  /// Whether so many names may be looked at for what a name of another language means.
  func mayLook(at candidates: Int) -> Bool {
    guard problems > 0, comparisons > 0 else { return false }
    comparisons -= candidates
    return true
  }

  /// The names that `name`, which stands at `range`, may have been meant as.
  func near(_ name: String, at range: SourceRange, _ candidates: () -> [String]) -> [String] {
    let place = Place(name: name, range: range)
    if let found = known[place] { return found }
    guard problems > 0, comparisons > 0 else { return [] }
    let candidates = candidates()
    problems -= 1
    comparisons -= candidates.count
    let found = nearestNames(to: name, in: candidates)
    known[place] = found
    return found
  }
}

extension Binder {
  func suggest(_ name: Name, _ candidates: @autoclosure () -> [String]) -> [String] {
    suggestions.near(name.text, at: name.range, candidates)
  }
}
