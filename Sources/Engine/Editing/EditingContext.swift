import GQLBase
import GQLStore

/// A kind of editing context, by what it shows of others' changes.
public enum EditingMode: Sendable, Hashable {
  /// Shows what others commit, where the context has not written.
  case live
  /// The data is as it was when the context was made.
  case snapshot
}

/// Changes that nobody else sees until they are saved: a draft.
///
/// ```swift
/// let draft = database.edit()
/// try draft.run("mutation { updateUser(where: id == 7, set: {name: \"Ann\"}) }")
/// print(draft.changes)
/// let report = try draft.save()
/// ```
/// Text and models work in it as in a database: it *has* one, ``database``, which begins with the data of the database that
/// it was made of. Making one copies nothing. A context that is dropped takes its changes with it.
///
/// Saving brings the changes into what became of the database meanwhile, as one transaction. What only one side has
/// touched is taken, by field and by element of lists. What both have changed differently is decided by the field's
/// `@merge`, by ``Database/onMerge(_:_:)``, or by the caller of ``save(conflicts:origin:action:)``.
///
/// Any number of threads may use it.
public class EditingContext: @unchecked Sendable {
  /// The context as a database in memory: whatever runs on a database runs on it, live queries and models among them.
  public let database: Database
  private let origin: EditingOrigin

  init(_ database: Database, _ origin: EditingOrigin) {
    self.database = database
    self.origin = origin
  }

  // MARK: - Running

  /// Runs the only operation of a document; see ``Database/run(_:_:options:)``.
  ///
  /// - Throws: ``QueryError`` with every problem of the document, the variables or the run.
  @discardableResult
  public func run(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try database.run(text, variables, options: options)
  }

  /// Runs the only operation of a document; another name for ``run(_:_:options:)``.
  ///
  /// - Throws: ``QueryError``, as ``run(_:_:options:)``.
  public func query(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    try database.run(text, variables, options: options)
  }

  /// Prepares the only operation of a document, or the one named, to be run in the context.
  ///
  /// - Throws: ``QueryError`` with every problem of the document.
  public func prepare(
    _ text: String, operation: String? = nil, name: String = "query", options: RunOptions = RunOptions()
  ) throws(QueryError) -> PreparedQuery {
    try database.prepare(text, operation: operation, name: name, options: options)
  }

  /// Runs several operations as one change of the context; see ``Database/transaction(origin:action:_:)``.
  ///
  /// - Throws: what `body` throws, or the ``QueryError`` of the operation that failed.
  public func transaction<Output>(
    action: String? = nil, _ body: (DatabaseTransaction) throws -> Output
  ) throws -> Output {
    try database.transaction(action: action, body)
  }

  /// A view of the context's data as it is now.
  public func view() -> DatabaseView { database.view() }

  /// Makes a context within this one, whose changes are saved into it.
  public func edit(_ mode: EditingMode = .live) -> EditingContext { database.edit(mode) }

  // MARK: - Changes

  /// The changes that saving would bring.
  public var changes: DatabaseChanges { origin.changes(database) }

  /// Indicates whether there are changes to be saved.
  public var hasChanges: Bool { !changes.isEmpty }

  /// Takes the newest change of the context back. Returns nil where there is none. What was saved is not taken back:
  /// ``Database/undo(_:only:)`` does that.
  ///
  /// - Throws: ``QueryError``, as ``UndoStack/undo(only:)``.
  @discardableResult
  public func undo() throws(QueryError) -> UndoReport? { try undoStack.undo() }

  /// Does the change again that was taken back last. Returns nil where there is none.
  ///
  /// - Throws: ``QueryError``, as ``UndoStack/redo(only:)``.
  @discardableResult
  public func redo() throws(QueryError) -> UndoReport? { try undoStack.redo() }

  /// The context's changes, to be taken back and done again. Each mutation and transaction is an action, but for those
  /// that name an origin of their own.
  public var undoStack: UndoStack { database.undoStack(for: EditingOrigin.undoOrigin) }

  // MARK: - Ending

  /// Saves the changes as one transaction of the database that the context was made of. The context goes on from there.
  ///
  /// - Parameters:
  ///   - choice: What counts where both sides have changed the same and no rule decides.
  ///   - origin: A name of who makes the change, for ``Database/undoStack(for:)`` and the `_origin` of versions.
  ///   - action: The name of the change, for people.
  /// - Throws: ``QueryError``, with the code `merge-conflict` for each conflict that nobody has decided, and
  ///   `context-outdated` where the schema has changed so that it cannot hold the changes. Both sides are as before then.
  @discardableResult
  public func save(
    conflicts choice: MergeChoice = .fail, origin: String? = nil, action: String? = nil
  ) throws(QueryError) -> MergeReport {
    try self.origin.save(database, choice, origin: origin, action: action)
  }

  /// Drops the changes. A live context goes on with the newest data, another with what it began with.
  ///
  /// - Throws: ``QueryError`` where the thread is within a transaction of the context.
  public func discard() throws(QueryError) { try origin.discard(database) }

  /// Brings the context to the newest data, with its changes. What is in conflict stays as the context has it, and is told
  /// when it is saved.
  ///
  /// - Throws: ``QueryError``, as ``save(conflicts:origin:action:)``, for what cannot wait until then, a unique value that
  ///   another entity has for example. The context is as before then.
  public func refresh() throws(QueryError) {
    try origin.changing(database) { () throws(QueryError) in _ = try origin.advance(database) }
  }
}

extension Database {
  /// Makes a context: changes that nobody else sees until they are saved, see ``EditingContext``. Complexity: O(1).
  ///
  /// - Parameter view: The data that a context begins with which does not follow others; nil for the newest. A context of
  ///   a view of another database, or of one from before its rows were compacted, cannot be saved: `context-outdated`.
  public func edit(_ mode: EditingMode = .live, of view: DatabaseView? = nil) -> EditingContext {
    var (newest, numbering) = numbered
    var begin = (snapshot: newest.snapshot, companion: newest.companion, hasSchema: newest.hasSchema)
    if let view, mode == .snapshot {
      (begin.snapshot, begin.companion) = (view.snapshot, view.companion)
      numbering = view.numbering ?? RowNumbering()
    }
    let origin = EditingOrigin(
      parent: self, isLive: mode == .live,
      EditingOrigin.Progress(
        base: begin.snapshot, companion: begin.companion, seen: begin.snapshot, numbering: numbering))
    return EditingContext(Database(editing: origin, begin), origin)
  }

  /// Decides what a field becomes that two sides have written, when an ``EditingContext`` is saved. In the place of what
  /// `@merge` says.
  ///
  /// ```swift
  /// try database.onMerge("Page.text") { base, mine, theirs in
  ///   .string((theirs.string ?? "") + "\n" + (mine.string ?? ""))
  /// }
  /// ```
  /// - Parameters:
  ///   - field: The type and the field. Links and embedded objects are not merged so.
  ///   - merge: Returns the value, or nil to leave it undecided. It gets the value that both began with, that of the
  ///     context and that of the database. It must not use either.
  /// - Throws: ``QueryError`` if there is no such field.
  public func onMerge(
    _ field: String, _ merge: @escaping @Sendable (_ base: Value, _ mine: Value, _ theirs: Value) -> Value?
  ) throws(QueryError) {
    guard catalog.mergedField(field) != nil else {
      throw QueryError(
        code: "unknown-field", "there is no field '\(field)' that is no link",
        help: "name a type and a field: 'User.tags'")
    }
    registry.withLock { $0.merges[field] = merge }
  }
}
