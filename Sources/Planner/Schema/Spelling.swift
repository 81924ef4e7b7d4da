import GQLBase

/// Near names for "did you mean".
package enum Spelling {
  package static func near(_ name: String, among candidates: some Sequence<String>) -> [String] {
    nearestNames(to: name, in: candidates)
  }

  /// `did you mean 'a', 'b' or 'c'?`; nil without names.
  package static func question(_ names: [String]) -> String? {
    guard let last = names.last else { return nil }
    let quoted = names.dropLast().map { "'\($0)'" }
    return quoted.isEmpty ? "did you mean '\(last)'?" : "did you mean \(quoted.joined(separator: ", ")) or '\(last)'?"
  }
}
