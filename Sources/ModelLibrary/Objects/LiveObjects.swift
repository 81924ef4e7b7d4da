import GQLEngine
import GQLModels
import GQLStore
import Synchronization

/// A registry that the objects of a database share: one for each database.
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
  let batches = CurrentBatch()
  /// The thread that tells of changes, while it does.
  private let tellingThread = Atomic<UInt>(0)

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
    tellingThread.store(CellAccess.thread, ordering: .relaxed)
    defer { tellingThread.store(0, ordering: .relaxed) }
    let types = state.withLock { state in
      state.types = state.types.filter { $0.value.objects != nil }
      return state.types.values.compactMap(\.objects)
    }
    guard let changes else {
      for objects in types { objects.tellAll() }
      return
    }
    var byNumber: [Int: any AnyEntityObjects] = [:]
    var byElement: [Int: any AnyEntityObjects] = [:]
    for objects in types {
      if let number = objects.typeNumber { byNumber[number] = objects }
      for number in objects.elementTypes { byElement[number] = objects }
    }
    if byNumber.isEmpty { return }
    var changed: [ObjectIdentifier: any AnyEntityObjects] = [:]
    do throws(ChangeProblem) {
      try changes.forEachChange { change in
        byNumber[change.type]?.tell(change, version)
        if let objects = byElement[change.type] { changed[ObjectIdentifier(objects)] = objects }
      }
    } catch {
      // Invariant: what the database has recorded is well-formed. Otherwise anything may have changed.
      for objects in types { objects.tellAll() }
    }
    for objects in changed.values { objects.tellElements() }
  }

  /// Tells all that anything may have changed.
  func tellAll() {
    for objects in state.withLock({ $0.types.values.compactMap(\.objects) }) { objects.tellAll() }
  }

  /// Returns once what was committed before is told; at once on the thread that tells, and within a write.
  func waitUntilTold(_ database: Database) {
    if batch != nil || tellingThread.load(ordering: .relaxed) == CellAccess.thread { return }
    // Whoever tells may wait for the one writer.
    guard (try? database.refuseNested()) != nil else { return }
    database.waitUntilTold()
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

  /// The batch of the thread that asks; nil where it is within none.
  var batch: ObjectBatch? { batches.batch }

  /// Makes one transaction of all that `body` writes through objects, see ``GQLEngine/Database/batch(_:)``.
  func batch<Output>(in database: Database, _ body: () throws -> Output) throws -> Output {
    if let outer = batch {
      do { return try body() } catch {
        outer.failure = outer.failure ?? error
        throw error
      }
    }
    var followUps: [() -> Void] = []
    do {
      let output = try database.update { context in
        let current = ObjectBatch(context)
        batches.set(current)
        defer { batches.set(nil) }
        let output = try body()
        if let failure = current.failure { throw failure }
        guard let written = current.context else { throw QueryError.nestedWrite }
        (context, followUps) = (written, current.followUps)
        return output
      }
      for followUp in followUps { followUp() }
      return output
    } catch {
      // Who was told of a set has to look again.
      tellAll()
      throw error
    }
  }
}

/// The objects of one type, whichever it is.
protocol AnyEntityObjects: AnyObject, Sendable {
  /// The number of the type in the data.
  var typeNumber: Int? { get }
  func tell(_ change: borrowing RowChange, _ version: Int64?)
  /// The numbers of the types whose rows are elements of lists of the entities.
  var elementTypes: [Int] { get }
  /// Tells that elements of lists have changed.
  func tellElements()
  /// Tells all who observe that anything may have changed.
  func tellAll()
}

private final class WeakEntityObjects: @unchecked Sendable {
  weak var objects: (any AnyEntityObjects)?
  init(_ objects: any AnyEntityObjects) { self.objects = objects }
}
