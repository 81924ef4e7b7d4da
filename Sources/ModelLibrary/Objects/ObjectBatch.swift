import GQLEngine
import GQLModels
import Synchronization

/// The batch of a database that a thread is within.
///
/// A class of its own because each read of a property asks it: nothing refers to it weakly, which would make counting
/// references slow.
final class CurrentBatch: Sendable {
  /// The thread that is within a batch; 0 for none.
  private let thread = Atomic<UInt>(0)
  /// Holds what the thread has written.
  private let state = Guarded<ObjectBatch?>(nil)

  /// The batch of the thread that asks; nil where it is within none.
  @inline(__always)
  var batch: ObjectBatch? {
    let thread = thread.load(ordering: .relaxed)
    if thread == 0 { return nil }
    return thread == CellAccess.thread ? state.withLock { $0 } : nil
  }

  /// Begins or ends the batch of the thread, which is the one writer.
  func set(_ batch: ObjectBatch?) {
    state.withLock { $0 = batch }
    thread.store(batch == nil ? 0 : CellAccess.thread, ordering: .relaxed)
  }
}

/// A batch of what a thread writes through objects in one transaction.
///
/// Unchecked because one thread uses it.
final class ObjectBatch: @unchecked Sendable {
  /// The entities with what was written; nil while something is being written.
  private(set) var context: Context?
  /// Holds the first error of a setter, or of a batch within.
  var failure: (any Error)?
  /// Holds the work that is done once the batch is committed.
  var followUps: [() -> Void] = []

  init(_ context: Context) { self.context = context }

  /// Writes.
  ///
  /// - Throws: `nested-transaction` within another write, in a hook for example, and what `body` throws.
  func write<Output>(_ body: (inout Context) throws -> Output) throws -> Output {
    guard var taken = context else { throw QueryError.nestedWrite }
    // Taken out, so that it is not copied, and code of the program that reads meanwhile meets nothing half-done.
    context = nil
    defer { context = taken }
    return try body(&taken)
  }
}
