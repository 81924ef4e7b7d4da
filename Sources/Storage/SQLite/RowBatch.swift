import Dispatch
import GQLCatalog
import GQLEngine
import GQLStore
import GQLWriting
import Synchronization

/// Rows on their way from a table into a store. For one thread after the other.
final class RowBatch: @unchecked Sendable {
  let columns: StoredBatch
  let arena = StagingArena()
  var lists: [(row: UInt32, column: ColumnID, bytes: UnsafeRawBufferPointer)] = []
  var extras: [(row: UInt32, bytes: UnsafeRawBufferPointer)] = []
  /// The number of void rows that follow.
  var voids = 0

  init(_ width: Int, _ capacity: Int) { columns = StoredBatch(width: width, capacity: capacity) }

  /// Copies bytes that SQLite keeps until the next row only.
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: arena.copy(bytes), count: bytes.count)
  }

  func reset() {
    columns.removeAll()
    arena.removeAll()
    lists.removeAll(keepingCapacity: true)
    extras.removeAll(keepingCapacity: true)
    voids = 0
  }
}

/// Batches that one thread fills while another adds them to a store, in their order.
final class BatchFeed: @unchecked Sendable {
  private let queue = DispatchQueue(label: "gqlite.opening")
  private let batches: [RowBatch]
  /// Counts the batches that are neither filled nor added at the moment.
  private let free: DispatchSemaphore
  private var number = 0
  private let add: (RowBatch) throws(QueryError) -> Void
  private let failure = Mutex<QueryError?>(nil)

  init(width: Int, capacity: Int, _ add: @escaping (RowBatch) throws(QueryError) -> Void) {
    batches = (0..<3).map { _ in RowBatch(width, capacity) }
    free = DispatchSemaphore(value: batches.count - 1)
    self.add = add
  }

  /// The batch that is being filled.
  var batch: RowBatch { batches[number % batches.count] }

  /// Hands the batch over, and returns an empty one.
  func advance() throws(QueryError) -> RowBatch {
    let filled = batch
    queue.async { [self] in
      addIfFine(filled)
      filled.reset()
      free.signal()
    }
    free.wait()
    number += 1
    try check()
    return batch
  }

  /// Returns when nothing is being added.
  func wait() { queue.sync {} }

  /// Adds the last batch, and returns when all are added.
  func finish() throws(QueryError) {
    wait()
    addIfFine(batch)
    try check()
  }

  private func addIfFine(_ batch: RowBatch) {
    if failure.withLock({ $0 != nil }) { return }
    do throws(QueryError) {
      try add(batch)
    } catch {
      failure.withLock { $0 = error }
    }
  }

  private func check() throws(QueryError) { if let failure = failure.withLock({ $0 }) { throw failure } }
}
