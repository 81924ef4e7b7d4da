import GQLBase
import GQLCatalog
import GQLStore

/// Why a version of the past cannot be had.
enum PastProblem: Error, Sendable {
  /// `@asOf(version: 3)` where versions from 812 on are kept: the moment, and the oldest version.
  case noHistory(PastMoment, oldest: Int64)
  /// A version that is not kept of a type that a query reads; the past of the type, if it is kept, begins with that version.
  case noHistoryOf(String, PastMoment, oldest: Int64, start: Int64?)
  /// `@asOf(version: -1)`, or one that the database does not have yet.
  case unknownVersion(Int64, newest: Int64)
  /// `_undo(version: 3)` where the changes from 812 on are kept, or those since another schema.
  case notUndoable(Int64, oldest: Int64?)
  /// `_changes(from: 5, to: 2)`
  case backwards(PastMoment, PastMoment)
  /// `@asOf(version: null)`
  case noMoment
  /// Versions of entities within a transaction, or in an editing context.
  case noVersions
  /// Versions of entities, after the schema has lost the last history.
  case noHistoryAnymore
  /// A history that is to be erased in an editing context, which has none.
  case noHistoryHere
  /// A version that today's schema does not allow, with what it does not.
  case otherSchema(Int64, String)
  /// Changes that do not fit each other, which no valid record causes.
  case misfit
  case interrupted(Interruption)
  case failed(QueryError)

  /// Those that no other stage has.
  static let codes: [DiagnosticCode] = ["no-history", UndoProblem.code]

  var code: DiagnosticCode {
    switch self {
    case .noHistory, .noHistoryOf, .notUndoable, .noVersions, .noHistoryHere,
      .noHistoryAnymore:
      "no-history"
    case .unknownVersion, .noMoment, .backwards: "unknown-version"
    case .otherSchema: "no-history"
    case .misfit: "storage-corrupt"
    case .interrupted: "cancelled"
    case .failed: "storage-failed"
    }
  }

  private var message: String {
    switch self {
    case .noHistory(let moment, let oldest):
      "\(Self.words(moment)): the oldest that is kept is \(oldest)"
    case .noHistoryOf(let type, let moment, let oldest, nil):
      "\(Self.words(moment)), and '\(type)' has no history: the oldest that is kept is \(oldest)"
    case .noHistoryOf(let type, let moment, _, let start?):
      "\(Self.words(moment)): the history of '\(type)' begins with version \(start)"
    case .unknownVersion(let version, _) where version < 0: "there is no version \(version): versions count from 0"
    case .unknownVersion(let version, let newest):
      "there is no version \(version) yet: the newest is \(newest)"
    case .notUndoable(let version, let oldest):
      "the change of version \(version) is not kept, or of another schema"
        + (oldest.map { ": the oldest that can be undone is \($0)" } ?? "")
    case .backwards(let start, let end):
      "no changes lead from \(Self.name(start)) to \(Self.name(end)), which is the earlier one"
    case .noMoment: "a version or a time is expected, not null"
    case .noHistoryHere: "an editing context has no history: what is to be erased is that of its database"
    case .noHistoryAnymore: "no type has a history any more"
    case .noVersions:
      "versions of entities are read of the newest data, not in an earlier view, a transaction or an editing context"
    case .otherSchema(let version, let reason):
      "version \(version) does not fit today's schema: \(reason)"
    case .misfit: "a change does not fit the version after it"
    case .interrupted, .failed: ""
    }
  }

  private static func name(_ moment: PastMoment) -> String {
    switch moment {
    case .version(let version): "version \(version)"
    case .time(let time): text(of: time)
    }
  }

  private static func words(_ moment: PastMoment) -> String {
    switch moment {
    case .version(let version): "version \(version) is not kept"
    case .time(let time): "no version of \(text(of: time)) is kept"
    }
  }

  private static func text(of time: Int64) -> String {
    guard CivilTime.dateTimeRange.contains(time) else { return "that time" }
    var text = ByteBuffer()
    text.append(dateTime: time)
    return text.string.filter { $0 != "\"" }
  }

  /// The error in a document, at the moment that it names.
  func error(at range: SourceRange, in source: SourceText, types: [String] = []) -> QueryError {
    switch self {
    case .failed(let error): return error
    case .interrupted(let interruption):
      return QueryError(interruption.diagnostic(at: range).map { [$0] } ?? [], in: source)
    default: return QueryError([Diagnostic(code, message, at: range, help: help(types))], in: source)
    }
  }

  /// The error of a call.
  var error: QueryError {
    switch self {
    case .failed(let error): error
    case .interrupted: error(at: SourceRange(at: 0), in: SourceText(name: "", bytes: []))
    default: QueryError(code: code, message, help: help([]))
    }
  }

  private func help(_ types: [String]) -> String? {
    switch self {
    case .noHistory, .notUndoable: "'recentVersions' is the number of bytes that are kept of changes"
    case .noHistoryOf(let type, _, _, nil):
      "'type \(type) @history' keeps its old values from then on; 'recentVersions' is the number of bytes that are kept of "
        + "changes"
    case .misfit: "the database is damaged: restore a backup"
    case .noHistoryOf: "a history begins with '@history', and goes back as far as 'for:' and 'versions:' say"
    default: nil
    }
  }
}
