import GQLEngine
import GQLModels
import GQLStore
import Observation
import Synchronization

/// An entity as an object: its properties are those of the newest version, and who sets one writes a transaction.
///
/// ```swift
/// let alice = try database.create(Person(id: 123, name: "Alice"))
/// alice.name = "Ally"
/// print(alice.status)
/// ```
/// It is observable: whoever reads a property is told when that property changes, whoever changes it. An entity has one
/// object in the program as long as somebody holds it. One that is gone reads as it was last, and its ``status`` says so.
///
/// A setter that fails leaves the value as it is, and reports to ``error`` and to ``GQLEngine/Database/objectErrors``.
/// ``set(_:_:)`` throws instead. Each set is a transaction; ``GQLEngine/Database/batch(_:)`` makes one of many.
///
/// Complexity: O(1) for a property that lies in one column. Others are read with the whole entity.
@dynamicMemberLookup
public final class LiveEntity<Entity: EntityModelProtocol>: Observable, Identifiable, @unchecked Sendable {
  /// A version of the entity that is shown when nothing of it is kept, and the error of the last setter.
  private struct Memory {
    var entity: Entity
    var error: (any Error)?
  }

  /// The id of the entity.
  public let id: Entity.ID
  let objects: EntityObjects<Entity>
  let key: EntityKey
  private let rowHint = Atomic<UInt32>(.max)
  private let memory: Guarded<Memory>
  private let hasError = Atomic<Bool>(false)
  private let registrar = ObservationRegistrar()
  /// The last version that a setter of the object has written, whose observers were told.
  private let ownVersion = Atomic<Int64>(-1)
  /// The places where others find it. Under the lock of those.
  @exclusivity(unchecked) var places = ObjectPlaces()
  /// Indicates whether it is the object of its entity in the database, and others find it.
  private let isRegistered = Atomic<Bool>(false)

  init(_ entity: Entity, _ key: EntityKey, _ objects: EntityObjects<Entity>) {
    id = entity.id
    self.key = key
    self.objects = objects
    memory = Guarded(Memory(entity: entity))
  }

  deinit { if isRegistered.load(ordering: .relaxed) { objects.end(self) } }

  /// Notes that others find it from now on.
  func register() { isRegistered.store(true, ordering: .relaxed) }

  // MARK: - Places

  /// The row in which the entity was found last.
  var row: UInt32 { @inline(__always) get { rowHint.load(ordering: .relaxed) } }

  @inline(never)
  func move(to row: UInt32) { objects.move(self, to: row) }

  /// Notes a row, under the lock of those who find the object by it.
  func note(_ row: UInt32) { rowHint.store(row, ordering: .relaxed) }

  // MARK: - Reading

  /// Accesses a property.
  public subscript<Value>(dynamicMember path: WritableKeyPath<Entity, Value>) -> Value {
    get { value(of: path) }
    set { reporting(path) { try set(path, newValue) } }
  }

  /// Reads a computed property of the entity.
  public subscript<Value>(dynamicMember path: KeyPath<Entity, Value>) -> Value { value(of: path) }

  @inline(__always)
  private func value<Value>(of path: KeyPath<Entity, Value>) -> Value {
    // Counting references would take longer than to read a cell.
    let property = objects.property(path)
    property._withUnsafeGuaranteedRef { registrar.access(self, keyPath: $0.observed) }
    if !objects.isWithinBatch {
      do { return try property._withUnsafeGuaranteedRef { try objects.read($0, self) } } catch {}
    }
    return entityNow[keyPath: path]
  }

  /// Returns the entity as it is now; where it is gone, as it was last. Its relations are not known.
  public var entity: Entity {
    registrar.access(self, keyPath: objects.observed.entity)
    return entityNow
  }

  private var entityNow: Entity {
    let found: Entity? = objects.context.findKept(id)
    if let entity = found {
      if row == .max { _ = try? objects.place(self) }
      return entity
    }
    return lastEntity
  }

  /// The entity as it was when it went.
  private var lastEntity: Entity {
    // Its last values come with the change that has purged it.
    if objects.view == nil { objects.shared.waitUntilTold(objects.database) }
    _ = try? objects.place(self)
    return memory.withLock { $0.entity }
  }

  /// Tells whether the entity is there.
  public var status: EntityStatus {
    registrar.access(self, keyPath: objects.observed.status)
    switch (try? objects.place(self))?.place {
    case .live: return .created
    case .deleted: return .deleted
    case .nowhere, nil: return .gone
    }
  }

  /// An error that the last setter or method of the object could not throw; nil where it has succeeded.
  public var error: (any Error)? {
    registrar.access(self, keyPath: objects.observed.error)
    return memory.withLock { $0.error }
  }

  // MARK: - Writing

  /// Sets a property, in a transaction of its own or within the batch of the thread.
  ///
  /// - Throws: ``ModelError`` and ``GQLEngine/QueryError``, as saving the entity does: `unknown-id` where it is not there,
  ///   `read-only` in a view. The property stays as it is then.
  public func set<Value>(_ path: WritableKeyPath<Entity, Value>, _ value: Value) throws {
    let property = objects.properties.property(path)
    if !objects.isWithinBatch, objects.view == nil,
      let version = try objects.write(value, as: property, self)
    {
      ownVersion.store(version, ordering: .relaxed)
    } else {
      try objects.update { try $0.set(path, of: id, to: value) }
    }
    property.tell(self, registrar)
    tellChange(of: objects.observed.entity)
  }

  /// Deletes the entity, which is kept: ``insert()`` brings it back. Returns whether that succeeded.
  @discardableResult
  public func delete() -> Bool {
    reporting(nil) { try objects.update { try Entity.delete(id: id, from: &$0) } }
  }

  /// Brings a deleted entity back as it was; one that is gone is saved as it was last. Returns whether that succeeded.
  @discardableResult
  public func insert() -> Bool {
    reporting(nil) {
      let isGone = status == .gone
      let entity = isGone ? lastEntity : memory.withLock { $0.entity }
      try objects.update { context in
        let found: Entity? = context.find(id)
        if found != nil { return }
        if try !context.restore(Entity.self, id: id) { try entity.save(to: &context) }
      }
    }
  }

  /// Sets a property to its default: null, zero, false, or empty. Returns whether that succeeded.
  @discardableResult
  public func clear<Value>(_ path: WritableKeyPath<Entity, Value>) -> Bool {
    reporting(path) {
      guard let value = (Value.self as? any Clearable.Type)?.cleared as? Value else {
        throw ModelError.noDefault("\(Entity.self)", property: propertyName(of: path, in: Entity.self) ?? "\(path)")
      }
      try set(path, value)
    }
  }

  @discardableResult
  func reporting(_ path: AnyKeyPath?, _ body: () throws -> Void) -> Bool {
    do {
      try body()
      setError(nil)
      return true
    } catch {
      setError(error)
      if let batch = objects.shared.batch, batch.failure == nil { batch.failure = error }
      let property = path.flatMap { propertyName(of: $0, in: Entity.self) }
      objects.shared.report(ObjectError(type: "\(Entity.self)", id: "\(id)", property: property, error: error))
      return false
    }
  }

  private func setError(_ error: (any Error)?) {
    // Most setters follow others that have succeeded.
    if error == nil, !hasError.load(ordering: .relaxed) { return }
    memory.withLock { memory in
      memory.error = error
      hasError.store(error != nil, ordering: .relaxed)
    }
    tellChange(of: objects.observed.error)
  }

  // MARK: - Telling

  /// Notes that a property is read otherwise than by its value.
  func noteRead<Value>(of path: KeyPath<Entity, Value>) {
    registrar.access(self, keyPath: objects.properties.property(path).observed)
  }

  /// Tells those who have read a property that it has changed.
  func tellChange<Value>(of path: KeyPath<Entity, Value>) {
    objects.properties.property(path).tell(self, registrar)
  }

  private func tellChange<Part>(of part: KeyPath<LiveEntity, Part>) {
    registrar.willSet(self, keyPath: part)
    registrar.didSet(self, keyPath: part)
  }

  /// Keeps what the entity was before it went.
  func keep(_ entity: Entity) { memory.withLock { $0.entity = entity } }

  func tell(_ change: borrowing RowChange, _ version: Int64?, _ table: EntityTable<Entity>) {
    if let version, version == ownVersion.load(ordering: .relaxed), !change.hasOtherStatus {
      // Those who have read what a setter of the object has written know it already, but not what is computed of it.
      for property in objects.properties.all where !table.columns(of: property.keyPath).isAll {
        property.tell(self, registrar)
      }
      return
    }
    if change.hasOtherStatus { return tell(objects.properties.all, withStatus: true) }
    var changed = Set(change.lists)
    for field in change.fields { changed.insert(field.column) }
    tell(
      objects.properties.all.filter { property in
        let (columns, isAll) = table.columns(of: property.keyPath)
        return !isAll || columns.contains(where: changed.contains)
      })
  }

  func tell(_ properties: [AnyLiveProperty<Entity>], withStatus: Bool = false) {
    for property in properties { property.tell(self, registrar) }
    tellChange(of: objects.observed.entity)
    if !withStatus { return }
    tellChange(of: objects.observed.status)
  }
}

extension LiveEntity: Hashable {
  /// Tells whether both are one entity of one database, or of one version in views.
  public static func == (left: LiveEntity, right: LiveEntity) -> Bool {
    if left === right { return true }
    guard left.id == right.id else { return false }
    if left.objects === right.objects { return true }
    guard let one = left.objects.view, let other = right.objects.view else { return false }
    return one.snapshot === other.snapshot
  }
  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A type with a value that a property has when it is cleared.
private protocol Clearable {
  static var cleared: Self { get }
}
extension Optional: Clearable { fileprivate static var cleared: Self { nil } }
extension Array: Clearable { fileprivate static var cleared: Self { [] } }
extension String: Clearable { fileprivate static var cleared: Self { "" } }
extension Bool: Clearable { fileprivate static var cleared: Self { false } }
extension Double: Clearable { fileprivate static var cleared: Self { 0 } }
extension Float: Clearable { fileprivate static var cleared: Self { 0 } }
extension Int: Clearable { fileprivate static var cleared: Self { 0 } }
extension Int64: Clearable { fileprivate static var cleared: Self { 0 } }
extension Int32: Clearable { fileprivate static var cleared: Self { 0 } }
extension Int16: Clearable { fileprivate static var cleared: Self { 0 } }
extension Int8: Clearable { fileprivate static var cleared: Self { 0 } }
extension UInt: Clearable { fileprivate static var cleared: Self { 0 } }
extension UInt64: Clearable { fileprivate static var cleared: Self { 0 } }
extension UInt32: Clearable { fileprivate static var cleared: Self { 0 } }
extension UInt16: Clearable { fileprivate static var cleared: Self { 0 } }
extension UInt8: Clearable { fileprivate static var cleared: Self { 0 } }
