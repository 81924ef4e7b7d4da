import GQLBase
import GQLStore

/// The changes of one origin, an editor's for example, to be taken back and done again one after the other.
///
/// ```swift
/// let stack = database.undoStack(for: "editor")
/// try database.run(text, options: RunOptions(origin: "editor", action: "Rename"))
/// stack.undoNames          // ["Rename"]
/// try stack.undo()
/// try stack.redo()
/// ```
/// A mutation or a transaction that names the origin is an action. One that writes the same fields as the action before,
/// within half a second and with the same name, belongs to it. What others change meanwhile stays: an action that they
/// have written over is not undone.
public struct UndoStack: Sendable {
  let database: Database
  /// The origin whose changes it has.
  public let origin: String

  /// Returns the names of the actions that can be undone, the next one first; nil for those without a name.
  public var undoNames: [String?] { history.undo.reversed().map(\.name) }

  /// Returns the names of the actions that can be done again, the next one first.
  public var redoNames: [String?] { history.redo.reversed().map(\.action.name) }

  private var history: UndoHistory { database.registry.withLock { $0.undo[origin] ?? UndoHistory() } }

  private func change<Output>(_ body: (inout UndoHistory) -> Output) -> Output {
    database.registry.withLock { body(&$0.undo[origin, default: UndoHistory()]) }
  }

  /// Takes the newest action back. Returns nil where there is none.
  ///
  /// - Throws: ``QueryError``, as ``Database/undo(_:only:)``; the action stays on the stack then.
  @discardableResult
  public func undo(only extent: UndoExtent = .all) throws(QueryError) -> UndoReport? {
    guard let action = next() else { return nil }
    let report: UndoReport
    do throws(QueryError) {
      report = try PastWriter(database: database).undo(action.versions, only: extent, origin: origin)
    } catch {
      change { $0.undo.append(action) }
      throw error
    }
    if let version = report.version { change { $0.redo.append((action, version)) } }
    return report
  }

  /// Takes the next action off the stack, with the versions of it that nobody else has taken back.
  private func next() -> UndoHistory.Action? {
    while var action = change({ $0.undo.popLast() }) {
      action.versions.removeAll(where: database.past.isTakenBack)
      if !action.versions.isEmpty { return action }
    }
    return nil
  }

  /// Does the action again that was taken back last. Returns nil where there is none.
  ///
  /// - Throws: ``QueryError``, as ``Database/undo(_:only:)``; the action can be done again later then.
  @discardableResult
  public func redo(only extent: UndoExtent = .all) throws(QueryError) -> UndoReport? {
    guard let (action, version) = change({ $0.redo.popLast() }) else { return nil }
    let report: UndoReport
    do throws(QueryError) {
      report = try PastWriter(database: database).undo([version], only: extent, origin: origin)
    } catch {
      change { $0.redo.append((action, version)) }
      throw error
    }
    // Where nothing could be done again, there is nothing to be undone.
    guard report.version != nil else { return report }
    change { history in
      var action = action
      action.parts = []
      // What was done again in part is what there is to be undone.
      if !report.conflicts.isEmpty, let version = report.version { action.versions = [version] }
      history.undo.append(action)
    }
    return report
  }

  /// Forgets all actions.
  public func removeAll() { change { $0 = UndoHistory() } }
}

/// The actions of an origin.
struct UndoHistory: Sendable {
  struct Action: Sendable {
    var versions: [Int64]
    var name: String?
    /// When it was committed last, in microseconds since 1970.
    var time: Int64
    /// The parts that it has written, for the next one to belong to it; empty where none may.
    var parts: [ChangedPart]
  }
  /// The newest last.
  var undo: [Action] = []
  /// Actions that were taken back, each with the version that did; the newest last.
  var redo: [(action: Action, version: Int64)] = []

  /// Microseconds within which actions join.
  private static let pause: Int64 = 500_000
  private static let mostActions = 1_000

  mutating func add(_ action: Action) {
    redo = []
    if let last = undo.last, last.name == action.name, !last.parts.isEmpty, last.parts == action.parts,
      action.time - last.time <= Self.pause
    {
      undo[undo.count - 1].versions += action.versions
      undo[undo.count - 1].time = action.time
      return
    }
    // Only the newest one is joined.
    if !undo.isEmpty { undo[undo.count - 1].parts = [] }
    if undo.count >= Self.mostActions { undo.removeFirst() }
    undo.append(action)
  }

  /// Forgets actions after a version, whose numbers are given again.
  mutating func forget(after version: Int64) {
    undo.removeAll { $0.versions.contains { $0 > version } }
    redo.removeAll { $0.version > version || $0.action.versions.contains { $0 > version } }
  }
}

/// A part of a row that a change has written.
struct ChangedPart: Hashable, Sendable {
  var type: Int
  var row: UInt32
  var kind: ChangePart.Kind
  var number: Int
}

extension Database {
  /// Returns the stack of the changes of an origin, which mutations name by ``RunOptions/origin``. It begins with the
  /// first call. A database in memory that keeps no changes keeps 64 MiB of them from then on, see ``recentVersions``.
  public func undoStack(for origin: String) -> UndoStack {
    if past.limit == 0 { recentVersions = 64 << 20 }
    registry.withLock { if $0.undo[origin] == nil { $0.undo[origin] = UndoHistory() } }
    return UndoStack(database: self, origin: origin)
  }
}

extension PastWriter {
  /// Notes who makes what `body` changes, and puts it on the stack of that origin, if there is one. Called by the one
  /// writer.
  func noting<Output, Failure: Error>(
    _ origin: String?, _ name: String?, _ body: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    try database.past.cause.naming(origin) { () throws(Failure) in try stacking(origin, name, body) }
  }

  private func stacking<Output, Failure: Error>(
    _ origin: String?, _ name: String?, _ body: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    guard let origin = origin ?? database.editing.map({ _ in EditingOrigin.undoOrigin }),
      database.registry.withLock({ $0.undo[origin] != nil })
    else { return try body() }
    let before = appliedVersion
    let output = try body()
    let after = appliedVersion
    guard after > before else { return output }
    var action = UndoHistory.Action(versions: Array(before + 1...after), name: name, time: 0, parts: [])
    if after == before + 1, let commit = database.past.commit(after) {
      action.time = commit.time
      try? commit.changes.forEachRowParts { change in
        let parts = change.parts.map { ($0.kind, $0.number) } + (change.isOfStatus ? [(.record, -1)] : [])
        action.parts += parts.map { ChangedPart(type: change.type, row: change.row, kind: $0, number: $1) }
      }
    }
    database.registry.withLock { $0.undo[origin]?.add(action) }
    return output
  }

  /// The number of the newest transaction, be it kept or not.
  var appliedVersion: Int64 { database.committer?.appliedNumber ?? database.version }
}
