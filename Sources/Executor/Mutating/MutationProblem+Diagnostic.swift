import GQLBase
import GQLStore

extension MutationProblem {
  /// Every code of its own; those of ``RuntimeProblem`` come up too.
  package static let diagnosticCodes: [DiagnosticCode] = [
    "unique-violation", "missing-value", "unknown-id", "ambiguous-link", "delete-denied", "required-reference",
    "unconditional-change", "absent-variable", "too-large", "command-failed", "read-only",
    "nested-transaction", "transaction-ended",
  ].map { DiagnosticCode($0) }

  package var code: DiagnosticCode {
    switch kind {
    case .runtime(let problem): problem.code
    case .uniqueViolation: DiagnosticCode("unique-violation")
    case .missingValue: DiagnosticCode("missing-value")
    case .unknownID: DiagnosticCode("unknown-id")
    case .ambiguousLink: DiagnosticCode("ambiguous-link")
    case .deleteDenied: DiagnosticCode("delete-denied")
    case .requiredReference, .lostReference: DiagnosticCode("required-reference")
    case .unconditionalChange: DiagnosticCode("unconditional-change")
    case .absentVariable: DiagnosticCode("absent-variable")
    case .tooLarge: DiagnosticCode("too-large")
    case .commandFailed: DiagnosticCode("command-failed")
    case .readOnly: DiagnosticCode("read-only")
    case .nestedTransaction: DiagnosticCode("nested-transaction")
    case .transactionEnded: DiagnosticCode("transaction-ended")
    }
  }

  private var message: String {
    switch kind {
    case .runtime: ""
    case .uniqueViolation(let type, let fields, let values, let existing):
      "'\(type)' \(existing) has \(Self.pairs(fields, values)) already, which is unique"
    case .missingValue(let type, let field, let entity):
      "'\(type).\(field)' is non-null and has no value" + (entity.map { " (\(type) \($0))" } ?? "")
    case .unknownID(let type, let field, let id): "'\(field)' names a '\(type)' that is not there: \(id)"
    case .ambiguousLink(let field, let id, let types):
      "'\(field)' leads to \(id), which is the id of " + types.map { "'\($0)'" }.joined(separator: " and ")
    case .deleteDenied(let type, let entity, let field):
      "'\(type)' \(entity) cannot be deleted: '\(type).\(field)' denies it while it is not empty"
    case .requiredReference(let type, let entity, let field):
      "'\(type)' \(entity) would lose its '\(field)', which it must have"
    case .lostReference(let type, let entity, let field, let loss):
      "'\(type)' \(entity) cannot be restored: its '\(field)', which it must have, \(Self.words(loss))"
    case .unconditionalChange(let verb, let type): "this would \(verb) every '\(type)'"
    case .absentVariable(let verb, let name):
      "the variable '$\(name)' was not provided, and without it this would \(verb) other entities than meant"
    case .tooLarge(let message): message
    case .commandFailed(let name, let message): "'\(name)' failed: \(message)"
    case .readOnly: "a view of the data cannot be changed"
    case .nestedTransaction: "a transaction of this database is under way on this thread"
    case .transactionEnded: "the transaction has ended"
    }
  }

  private static func words(_ loss: LostLink) -> String {
    switch loss {
    case .deleted: "is deleted"
    case .purged: "was removed for good"
    case .elsewhere: "has another link by now, or none"
    }
  }

  private static func pairs(_ fields: [String], _ values: [String]) -> String {
    zip(fields, values).map { "'\($0)' \($1)" }.joined(separator: " and ")
  }

  private var help: String? {
    switch kind {
    case .unconditionalChange: "add 'all: true' if that is meant"
    case .absentVariable: "provide it, make it non-null, or add 'all: true' if that is meant"
    case .ambiguousLink(_, _, let types):
      types.first.map { "give an object that says its type, as in {__typename: \"\($0)\", id: …}" }
    case .nestedTransaction: "write through the transaction"
    default: nil
    }
  }

  /// The problem in words, for all kinds but `.runtime`, whose words need the data.
  package var diagnostic: Diagnostic {
    Diagnostic(code, (path.map { "\($0): " } ?? "") + message, at: range, help: help)
  }
}
