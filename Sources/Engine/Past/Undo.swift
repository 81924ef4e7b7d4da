import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore

/// A choice of what is taken back of a change.
public enum UndoExtent: Sendable, Hashable {
  /// All of it; where something was written since, nothing is done.
  case all
  /// The part that nobody has written since.
  case untouched
}

/// An entity or a field that a later change has written, so that an earlier one cannot be taken back.
public struct UndoConflict: Sendable, Hashable, CustomStringConvertible {
  /// The name of the type.
  public let type: String
  /// The fields that identify the entity with their values, as in `id '7'`; empty where there are none.
  public let entity: String
  /// The name of the field; nil for the entity itself.
  public let field: String?
  /// Indicates whether another entity has the unique value, or else a later change has written the field.
  public let isTaken: Bool

  /// A sentence: `'Account.balance' of id '7' was written later`.
  public var description: String {
    let name = field.map { "'\(type).\($0)'" } ?? "'\(type)'"
    let place = entity.isEmpty ? name : field == nil ? "\(name) \(entity)" : "\(name) of \(entity)"
    return "\(place) \(isTaken ? "has a value that another entity has now" : "was written later")"
  }
}

/// A report of what was taken back.
public struct UndoReport: Sendable, Hashable {
  /// The version that has taken the change back; nil where there was nothing to be done.
  public let version: Int64?
  /// Lists what was left as it is, because it was written since.
  public let conflicts: [UndoConflict]
}

extension Database {
  /// Takes the change of a version back, as a new change; undoing that is redoing it.
  ///
  /// ```swift
  /// let version = database.version
  /// try database.undo(version)
  /// ```
  /// Each field becomes what it was, links and entities that came or went together. It needs the changes since then, see
  /// ``recentVersions``.
  ///
  /// - Parameter only: Whether the rest is taken back where a later change has written some of it.
  /// - Throws: ``QueryError``, with the code `undo-conflict` for each conflict; nothing is done then. The code is
  ///   `no-history` where the change is not kept.
  @discardableResult
  public func undo(_ version: Int64, only extent: UndoExtent = .all) throws(QueryError) -> UndoReport {
    try PastWriter(database: self).undo([version], only: extent)
  }
}

/// A writer that takes changes back.
struct PastWriter {
  let database: Database

  /// Takes the changes of versions back, as one change.
  ///
  /// - Parameter origin: A name of who takes them back; nil for none.
  func undo(
    _ versions: [Int64], only extent: UndoExtent, origin: String? = nil
  ) throws(QueryError) -> UndoReport {
    do {
      return try database.exclusively {
        try database.past.cause.naming(origin) {
          try database.changingAsWriter { (transaction) throws(QueryError) in
            do throws(UndoProblem) {
              return try transaction.undo(versions, only: extent)
            } catch {
              throw error.error(at: nil, in: SourceText(name: "", bytes: []))
            }
          }
        }
      }
    } catch let error as QueryError {
      throw error
    } catch {
      throw QueryError(code: "command-failed", "\(error)")
    }
  }
}

/// Why a version is not taken back.
enum UndoProblem: Error {
  case past(PastProblem)
  case conflicts([UndoConflict])
  /// It was taken back before.
  case undone

  static let code: DiagnosticCode = "undo-conflict"

  func error(at range: SourceRange?, in source: SourceText) -> QueryError {
    switch self {
    case .past(let problem): return range.map { problem.error(at: $0, in: source) } ?? problem.error
    case .undone:
      let message = "the change was taken back before"
      return QueryError([Diagnostic(Self.code, message, at: range ?? SourceRange(at: 0))], in: source)
    case .conflicts(let conflicts):
      return QueryError(
        conflicts.prefix(100).map {
          Diagnostic(
            Self.code, "\($0)", at: range ?? SourceRange(at: 0), help: "'only: UNTOUCHED' takes back the rest")
        }, in: source)
    }
  }
}

extension DatabaseTransaction {
  /// Takes the changes of versions back.
  func undo(_ versions: [Int64], only extent: UndoExtent) throws(UndoProblem) -> UndoReport {
    guard let mutator else { throw .past(.misfit) }
    let newest: (snapshot: Snapshot, version: Int64)
    do throws(QueryError) { newest = try NewestVersion(database: database).refreshed() } catch {
      throw .past(.failed(error))
    }
    let before = mutator.snapshot()
    let own = before === base ? ChangeSet() : before.changes(since: base)
    let transaction = mutator.transaction
    var conflicts: [UndoConflict] = []
    for version in versions where version < 0 || version > newest.version {
      throw .past(.unknownVersion(version, newest: newest.version))
    }
    do throws(QueryError) {
      if let oldest = versions.min() { try PastReader(database: database).read(oldest) }
    } catch {
      throw .past(.failed(error))
    }
    if versions.contains(where: database.past.isTakenBack) { throw .undone }
    note(touched: versions)
    mutator.change()
    for version in versions.reversed() {
      guard var found = database.past.changes(of: version, leavingOut: versions) else {
        throw .past(.notUndoable(version, oldest: database.past.oldestUndoable))
      }
      if !own.isEmpty { found.later.append(own) }
      do throws(ChangeProblem) {
        // To delete for good again is to erase again.
        conflicts += try found.changes.undo(
          in: transaction, later: found.later, untouched: extent == .untouched,
          keepsHistory: !database.past.redoes(version)
        ).map { UndoConflict($0, transaction) }
      } catch {
        throw .past(.misfit)
      }
      if !conflicts.isEmpty, extent == .all { throw .conflicts(conflicts) }
    }
    let hasChanged = !mutator.snapshot().changes(since: before).isEmpty
    note(undone: conflicts.isEmpty && hasChanged ? versions : nil)
    return UndoReport(version: hasChanged || !own.isEmpty ? newest.version + 1 : nil, conflicts: conflicts)
  }
}

extension UndoConflict {
  fileprivate init(_ conflict: GQLStore.UndoConflict, _ transaction: WriteTransaction) {
    let catalog = transaction.base.catalog
    let type = catalog[conflict.type]
    self.type = type.name
    let isThere = transaction.isLive(type.id, conflict.row) || transaction.isDeleted(type.id, conflict.row)
    if isThere, !type.indexes.isEmpty {
      let columns = catalog[type.primaryIndex].columns.map { Int((type[$0].foldedFrom ?? $0).index) }
      entity = StoreMessages.key(type.id, columns, of: conflict.row, catalog: catalog, transaction: transaction)
    } else {
      entity = ""
    }
    field = conflict.column.map { type[$0].name }
    isTaken = conflict.reason == .keyTaken
  }
}
