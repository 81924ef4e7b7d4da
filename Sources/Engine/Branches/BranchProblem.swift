import GQLBase

/// Why a branch cannot be used as it is asked to be.
package enum BranchProblem {
  case unknown(String, near: String?)
  case dropped
  case badName(String)
  case tooMany(Int)
  /// A branch's changes have more bytes than may be kept.
  case tooLarge(String, most: Int)
  /// An action for whole databases only, as a sentence without its subject.
  case notOnBranch(String)
  /// The storage of the database keeps no branches.
  case notKept(String)
  /// The two were not made of one database.
  case unrelated
  case itself(String)
  /// A branch was merged there before, and what it has added to numbers since cannot be told apart.
  case mergedBefore(String)
  /// The schema of the database, or the numbers of its rows, changed while the branch was written to.
  case outdated
  /// The new schema has no place for what a branch has written.
  case loses(branch: String, String)
  /// The new schema does not allow what a branch has, or what it began with.
  case conflicts(branch: String, String)

  package static let codes: [DiagnosticCode] = [
    "unknown-branch", "branch-name", "branch-limit", "not-on-branch", "unrelated-branch", "merged-branch",
  ]

  /// The code of ``conflicts(branch:_:)``, which changes of a schema have for those of the database.
  static let conflictCode = EvolutionProblem.dataConflict.code

  /// The error in words.
  package var error: QueryError {
    switch self {
    case .unknown(let name, let near):
      QueryError(
        code: "unknown-branch", "there is no branch '\(name)'", help: near.map { "did you mean '\($0)'?" })
    case .dropped: QueryError(code: "unknown-branch", "the branch was dropped", help: "make another one")
    case .badName(let why):
      QueryError(code: "branch-name", "the name of a branch \(why)", help: "take a short name, such as 'draft'")
    case .tooMany(let most):
      QueryError(
        code: "branch-limit", "the database has \(most) branches, which is the most",
        help: "drop those that are not used")
    case .tooLarge(let name, let most):
      QueryError(
        code: "branch-limit", "the changes of branch '\(name)' take more than \(most) bytes",
        help: "merge it or drop it")
    case .notOnBranch(let what):
      QueryError(code: "not-on-branch", "a branch \(what)", help: "do it with the database, and refresh the branch")
    case .notKept(let place):
      QueryError(code: "not-on-branch", "this storage keeps no branches", help: "open a file", file: place)
    case .unrelated:
      QueryError(
        code: "unrelated-branch", "the branch was made of another database",
        help: "merge it into its database, or into a context of that")
    case .itself(let name):
      QueryError(
        code: "unrelated-branch", "the branch '\(name)' cannot be merged into itself",
        help: "merge it into its database, or into another branch")
    case .mergedBefore(let name):
      QueryError(
        code: "merged-branch",
        "the branch '\(name)' was merged there before, and what it has added since to a field with '@merge(by: SUM)' is not known",
        help: "merge it into its database, discard its changes, or drop it")
    case .outdated:
      QueryError(
        code: "context-outdated", "the schema of the database was changed while the branch was written to",
        help: "write it again")
    case .conflicts(let branch, let reason):
      QueryError(
        code: Self.conflictCode, "the branch '\(branch)' does not fit the schema: \(reason)",
        help: "merge the branch, refresh it after that is mended, or drop it")
    case .loses(let branch, let reason):
      QueryError(
        code: "data-loss", "the branch '\(branch)' has changes that the schema has no place for: \(reason)",
        help: "merge the branch or drop it; or the change is made where the loss is allowed")
    }
  }
}

/// The rules for names of branches.
enum BranchName {
  static let maximumBytes = 100

  static func check(_ name: String) throws(QueryError) {
    func refuse(_ why: String) throws(QueryError) { throw BranchProblem.badName(why).error }
    if name.isEmpty { try refuse("is not empty") }
    if name.utf8.count > maximumBytes { try refuse("has at most \(maximumBytes) bytes") }
    if name.first?.isWhitespace ?? false || name.last?.isWhitespace ?? false { try refuse("has no space at its ends") }
    let isPlain = name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .format: false
      default: true
      }
    }
    if !isPlain { try refuse("has no control characters") }
  }
}
