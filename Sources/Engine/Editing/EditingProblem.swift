import GQLBase

/// Why a context cannot be saved, or brought to what is newest.
enum EditingProblem: Error {
  /// A step at which conflicts are found.
  enum Step {
    /// Saving or merging, with a choice.
    case saving(MergeChoice)
    /// Bringing a branch to the newest data, with a choice.
    case refreshing(MergeChoice)
    /// Bringing a context to the newest data, where saving it would ask for a choice.
    case following
    /// Bringing what a branch is merged into to the newest data. Nil where that is no branch.
    case preparing(branch: String?)
  }

  case conflicts([MergeConflict], Step)
  /// The newest schema cannot hold what the context has, with what it cannot.
  case otherSchema(String)
  /// Rows have other numbers since the context began.
  case renumbered

  static let codes: [DiagnosticCode] = ["merge-conflict", "context-outdated", "wrong-merge"]

  var error: QueryError {
    switch self {
    case .conflicts(let conflicts, let step):
      let open = conflicts.filter { $0.resolved == .open }
      // A context that cannot go on may have none that is open.
      return QueryError(
        (open.isEmpty ? conflicts : open).prefix(100).map {
          Diagnostic(
            "merge-conflict", step.subject + $0.description, at: SourceRange(at: 0), help: step.help(for: $0))
        }, in: SourceText(name: "", bytes: []))
    case .otherSchema(let reason):
      return QueryError(
        code: "context-outdated", "the context does not fit the schema that the database has now: \(reason)",
        help: "the context can still be read; discard it to go on with the new schema")
    case .renumbered:
      return QueryError(
        code: "context-outdated", "the database was compacted since the context began",
        help: "the context can still be read; discard it to begin anew")
    }
  }
}

extension EditingProblem.Step {
  /// The choice that was made already.
  private var choice: MergeChoice {
    switch self {
    case .saving(let choice), .refreshing(let choice): choice
    case .following, .preparing: .fail
    }
  }

  /// A beginning of the message that says whose conflict it is, where that is not plain.
  fileprivate var subject: String {
    switch self {
    case .saving, .refreshing, .following: ""
    case .preparing(let name?): "between the branch '\(name)' and its database: "
    case .preparing(nil): "between the context and its database: "
    }
  }

  /// An action, with what is said after it: `save with 'conflicts: .mine'`.
  private var action: (verb: String, joint: String) {
    switch self {
    case .saving, .following: ("save", " with ")
    case .refreshing: ("refresh", " with ")
    case .preparing(let name?): ("refresh the branch '\(name)' first", ", with ")
    case .preparing(nil): ("save the context first", ", with ")
    }
  }

  /// Returns what can be done about a conflict. No choice is named that was made, or does not decide it.
  fileprivate func help(for conflict: MergeConflict) -> String {
    let ways = conflict.ways.subtracting([choice])
    let chosen: String? =
      switch (ways.contains(.mine), ways.contains(.theirs)) {
      case (true, true): "\(action.verb)\(action.joint)'conflicts: .mine' or '.theirs'"
      case (true, false): "\(action.verb)\(action.joint)'conflicts: .mine'"
      case (false, true): "\(action.verb)\(action.joint)'conflicts: .theirs'"
      case (false, false): nil
      }
    let changed =
      switch conflict.kind {
      case .field, .deleted, .inserted: "change one of the two"
      case .key: "give one of the two another value"
      case .required, .denied: "change the links of one of the two"
      }
    guard let chosen else { return "\(changed), then \(action.verb)" }
    switch conflict.kind {
    case .field: return "\(chosen), or give the field '@merge(by:)'"
    case .deleted, .inserted: return chosen
    case .key, .required, .denied: return "\(changed), or \(chosen)"
    }
  }
}
