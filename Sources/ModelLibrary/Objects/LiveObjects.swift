import GQLEngine
import GQLModels
import GQLStore
import Synchronization

/// What the objects of a database share: one for each database.
final class LiveObjects: Sendable {
  private struct State {
    /// By the type of the entities.
    var types: [ObjectIdentifier: WeakEntityObjects] = [:]
    /// The objects that there are.
    var count = 0
    var watch: ChangeWatch?
    var listeners: [Int: AsyncStream<ObjectError>.Continuation] = [:]
    var lastListener = 0
  }
  private let state = Guarded(State())
  /// The thread that is within a batch, and what it has written; 0 for none.
  private let batchThread = Atomic<UInt>(0)
  private let batchState = Guarded<ObjectBatch?>(nil)

  // MARK: - Objects

  /// Returns the objects of a type, which keep the database.
  func objects<Entity: EntityModelProtocol>(_ type: Entity.Type, _ database: Database) -> EntityObjects<Entity> {
    state.withLock { state in
      let key = ObjectIdentifier(type)
      if let found = state.types[key]?.objects as? EntityObjects<Entity> { return found }
      let made = EntityObjects<Entity>(database, shared: self)
      state.types[key] = WeakEntityObjects(made)
      return made
    }
  }

  /// Counts objects, and follows the database as long as there are some.
  func count(_ difference: Int, _ database: Database) {
    // Released without the lock.
    let old = state.withLock { state -> ChangeWatch? in
      state.count += difference
      if state.count > 0, state.watch == nil {
        state.watch = ChangeWatch(database) { [weak self] changes, version in self?.tell(changes, version) }
      }
      if state.count > 0 { return nil }
      defer { state.watch = nil }
      return state.watch
    }
    withExtendedLifetime(old) {}
  }

  private func tell(_ changes: ChangeSet?, _ version: Int64?) {
    let types = state.withLock { state in
      state.types = state.types.filter { $0.value.objects != nil }
      return state.types.values.compactMap(\.objects)
    }
    guard let changes else {
      for objects in types { objects.tellAll() }
      return
    }
    var byNumber: [Int: any AnyEntityObjects] = [:]
    for objects in types { if let number = objects.typeNumber { byNumber[number] = objects } }
    if byNumber.isEmpty { return }
    do throws(ChangeProblem) {
      try changes.forEachChange { change in byNumber[change.type]?.tell(change, version) }
    } catch {
      // Invariant: what the database has recorded is well-formed. Otherwise anything may have changed.
      for objects in types { objects.tellAll() }
    }
    for objects in types { objects.endOfChanges() }
  }

  // MARK: - Errors

  func report(_ error: ObjectError) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(error) }
  }

  func errors() -> AsyncStream<ObjectError> {
    let (stream, continuation) = AsyncStream.makeStream(of: ObjectError.self, bufferingPolicy: .bufferingNewest(256))
    let number = state.withLock { state in
      state.lastListener += 1
      state.listeners[state.lastListener] = continuation
      return state.lastListener
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }
    return stream
  }

  // MARK: - Batches

  /// The batch of the thread that asks; nil where it is within none.
  @inline(__always)
  var batch: ObjectBatch? {
    let thread = batchThread.load(ordering: .relaxed)
    if thread == 0 { return nil }
    return thread == CellAccess.thread ? batchState.withLock { $0 } : nil
  }

  /// Begins or ends the batch of the thread, which is the one writer.
  func setBatch(_ batch: ObjectBatch?) {
    batchState.withLock { $0 = batch }
    batchThread.store(batch == nil ? 0 : CellAccess.thread, ordering: .relaxed)
  }
}

/// What a thread writes through objects in one transaction.
///
/// Unchecked because one thread uses it.
final class ObjectBatch: @unchecked Sendable {
  var context: Context
  /// The first error of a setter.
  var failure: (any Error)?

  init(_ context: Context) { self.context = context }
}

/// The objects of one type, whichever it is.
protocol AnyEntityObjects: AnyObject, Sendable {
  /// The number of the type in the data.
  var typeNumber: Int? { get }
  func tell(_ change: borrowing RowChange, _ version: Int64?)
  /// Tells what lies in several places, after each set of changes.
  func endOfChanges()
  /// Tells all who observe that anything may have changed.
  func tellAll()
}

private final class WeakEntityObjects: @unchecked Sendable {
  weak var objects: (any AnyEntityObjects)?
  init(_ objects: any AnyEntityObjects) { self.objects = objects }
}
