import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Database {
  /// Runs several operations as one transaction: each sees what the earlier ones changed, other threads see nothing
  /// until `body` returns, and nothing at all if it throws.
  ///
  /// ```swift
  /// try database.transaction { transaction in
  ///   try transaction.run("mutation { updateAccount(where: id == 1, set: {balance: balance - 5}) }")
  ///   try transaction.run("mutation { updateAccount(where: id == 2, set: {balance: balance + 5}) }")
  /// }
  /// ```
  /// Other writers wait meanwhile; `body` must not write to the database but through the transaction. If one operation
  /// fails, the transaction fails as a whole, even where `body` catches the error.
  ///
  /// - Parameters:
  ///   - origin: A name of who makes the change, for ``undoStack(for:)`` and the `_origin` of versions.
  ///   - action: The name of the change, for people.
  /// - Throws: what `body` throws, or the ``QueryError`` of the operation that failed.
  public func transaction<Output>(
    origin: String? = nil, action: String? = nil, _ body: (DatabaseTransaction) throws -> Output
  ) throws -> Output {
    try CommitCause.check(origin: origin)
    return try exclusively {
      try PastWriter(database: self).noting(origin, action) {
        try changingAsWriter { transaction in
          let output = try body(transaction)
          if let failure = transaction.failure { throw failure }
          return output
        }
      }
    }
  }

  /// Runs `body`, which publishes what it changes, as the one writer. A context notes it as an action to be undone.
  package func changingEntities<Output>(_ body: () throws -> Output) throws -> Output {
    try exclusively { try PastWriter(database: self).noting(nil, nil, body) }
  }

  /// Holds the writer's lock, and publishes what `body` changed, if it does not throw.
  func changing<Output, Failure: Error>(
    _ body: (DatabaseTransaction) throws(Failure) -> Output
  ) throws -> Output {
    try exclusively { try changingAsWriter(body) }
  }

  /// The same, called by the one writer.
  func changingAsWriter<Output, Failure: Error>(
    _ body: (DatabaseTransaction) throws(Failure) -> Output
  ) throws -> Output {
    let base = try newestVersion()
    let transaction = WriteTransaction(base, fold: foldText)
    transaction.now = WallClock.now
    let mutator = Mutator(base, transaction, resolvers: registry.withLock { $0.resolvers(base.catalog) })
    let context = DatabaseTransaction(self, base, mutator)
    defer { context.end() }
    let output = try body(context)
    let next = mutator.finish()
    if next !== base {
      try past.cause.undoing(context.undone, touching: context.touched) { () throws(QueryError) in
        try publish(next, time: transaction.now)
      }
    }
    return output
  }

  /// Whether the program decides about unique indexes.
  var hasResolvers: Bool { registry.withLock { !$0.resolvers.isEmpty } }

  /// Decides what happens when two entities want one value of a unique index, named for its type and field or fields:
  /// `"User.email"`, `"Seat.row,number"`. In the place of what `@unique(onConflict:)` says.
  ///
  /// `decide` is called within the transaction, with the fields of the entity that is there and of the one that comes.
  ///
  /// - Throws: ``QueryError`` if there is no such unique index.
  public func onConflict(
    _ index: String, _ decide: @escaping @Sendable (_ existing: Value, _ new: Value) -> ConflictResolution
  ) throws(QueryError) {
    let catalog = self.catalog
    guard catalog.uniqueIndex(index) != nil else {
      let known = catalog.indexes.filter { $0.isUnique || $0.isPrimary }.map { catalog.name(of: $0) }
      throw QueryError(
        code: "unknown-index", "there is no unique index '\(index)'",
        help: nearestNames(to: index, in: known).first.map { "did you mean '\($0)'?" })
    }
    registry.withLock {
      $0.resolvers[index] = { existing, new in
        let existing = (try? Value(json: Array(existing.bytes))) ?? .null
        let new = (try? Value(json: Array(new.bytes))) ?? .null
        switch decide(existing, new) {
        case .fail: return .fail
        case .keep: return .keep
        case .replace: return .replace
        case .patch: return .patch
        }
      }
    }
  }
}

extension Registry {
  /// The program's decisions by index.
  func resolvers(_ catalog: Catalog) -> [IndexID: ConflictResolver] {
    if resolvers.isEmpty { return [:] }
    var result: [IndexID: ConflictResolver] = [:]
    for (name, resolver) in resolvers { if let index = catalog.uniqueIndex(name) { result[index] = resolver } }
    return result
  }
}

extension Catalog {
  fileprivate func uniqueIndex(_ name: String) -> IndexID? {
    let wanted = name.filter { $0 != " " }
    return indexes.first { ($0.isUnique || $0.isPrimary) && self.name(of: $0) == wanted }?.id
  }

  fileprivate func name(of index: IndexDescriptor) -> String {
    let type = self[index.type]
    return type.name + "." + index.columns.map { type[type[$0].foldedFrom ?? $0].name }.joined(separator: ",")
  }
}

/// A way out where two entities want one value of a unique index.
public enum ConflictResolution: Sendable, Hashable {
  /// The change fails, and with it its operation.
  case fail
  /// The entity that is there stays; the new one is not saved.
  case keep
  /// The entity that is there is deleted.
  case replace
  /// The non-null fields of the new one are written to the entity that is there.
  case patch
}

/// Several operations that take effect together; see ``Database/transaction(_:)``. Used by the thread that got it, and
/// not beyond the call that gave it.
public final class DatabaseTransaction {
  let database: Database
  let base: Snapshot
  private(set) var mutator: Mutator?
  /// The versions that were taken back, where nothing else was done.
  private(set) var undone: [Int64] = []
  private var isMixed = false
  /// The versions of which something was taken back, where that was not all of them, or something else was done.
  var touched: [Int64] { undone.isEmpty ? asked : [] }
  private var asked: [Int64] = []
  /// Output buffers that wait; a command that runs operations itself takes another.
  private var buffers: [ReusableBuffer] = []
  /// The first error of an operation: the transaction cannot be finished then.
  private(set) var failure: QueryError?

  init(_ database: Database, _ base: Snapshot, _ mutator: Mutator) {
    self.database = database
    self.base = base
    self.mutator = mutator
  }

  func end() { mutator = nil }

  /// Notes that something of versions is taken back.
  func note(touched versions: [Int64]) { asked += versions }

  /// Notes that versions were taken back whole; nil for another change.
  func note(undone versions: [Int64]?) {
    isMixed = isMixed || versions == nil
    undone = isMixed ? [] : undone + (versions ?? [])
  }

  /// Runs an operation on the data as the transaction has made it.
  ///
  /// - Throws: ``QueryError``; the transaction has failed then, and takes no further operation.
  @discardableResult
  public func run(
    _ query: PreparedQuery, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    var answer: [UInt8] = []
    try run(query, variables, options: options) { answer = [UInt8]($0) }
    return Answer(utf8: answer)
  }

  /// Runs the only operation of a document; to run one more than once, prepare it.
  ///
  /// - Throws: ``QueryError``, as ``run(_:_:options:)-(PreparedQuery,_,_)``.
  @discardableResult
  public func run(
    _ text: String, _ variables: [String: Value] = [:], options: RunOptions = RunOptions()
  ) throws(QueryError) -> Answer {
    let query = try failing { () throws(QueryError) in try database.prepare(text) }
    return try run(query, variables, options: options)
  }

  func run(
    _ query: PreparedQuery, _ variables: [String: Value], options: RunOptions, _ take: (UnsafeRawBufferPointer) -> Void
  ) throws(QueryError) {
    try failing { () throws(QueryError) in
      guard let mutator else {
        throw QueryError(
          [MutationProblem(.transactionEnded, at: SourceRange(at: 0)).diagnostic],
          in: SourceText(name: "", bytes: []))
      }
      let output = buffers.popLast() ?? ReusableBuffer()
      defer { buffers.append(output) }
      output.buffer.removeAll()
      if query.isSegmented {
        var isDone = false
        if options.areUsual { isDone = try query.applyReady(variables, in: self, mutator, into: &output.buffer) }
        if !isDone {
          try query.runSegments(variables, base, mutator, self, options: options, into: &output.buffer)
        }
      } else {
        try query.append(variables, on: mutator.snapshot(), options: options, into: &output.buffer)
      }
      output.buffer.withUnsafeBytes { take($0) }
    }
  }

  func failing<Output>(_ body: () throws(QueryError) -> Output) throws(QueryError) -> Output {
    if let failure { throw failure }
    do {
      return try body()
    } catch {
      if failure == nil { failure = error }
      throw error
    }
  }
}
