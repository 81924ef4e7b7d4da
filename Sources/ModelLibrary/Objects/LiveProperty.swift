import GQLModels
import Observation
import Synchronization

/// A property of an entity type that objects have been asked for.
class AnyLiveProperty<Entity: EntityModelProtocol>: @unchecked Sendable {
  /// The key path within the entity.
  let keyPath: AnyKeyPath

  init(_ keyPath: AnyKeyPath) { self.keyPath = keyPath }

  /// Tells those who have read it of an object that it has changed.
  func tell(_ object: LiveEntity<Entity>, _ registrar: ObservationRegistrar) {}
}

/// A property of an entity type with the type of its values.
final class LiveProperty<Entity: EntityModelProtocol, Value>: AnyLiveProperty<Entity>, @unchecked Sendable {
  let access: PropertyAccess<Entity, Value>
  /// By which observers know it: the same for all objects.
  let observed: KeyPath<LiveEntity<Entity>, Value>

  init(_ path: KeyPath<Entity, Value>) {
    access = PropertyAccess(path)
    observed = \LiveEntity<Entity>.[observed: PropertyTag(path: path)]
    super.init(path)
  }

  override func tell(_ object: LiveEntity<Entity>, _ registrar: ObservationRegistrar) {
    registrar.willSet(object, keyPath: observed)
    registrar.didSet(object, keyPath: observed)
  }
}

/// A key path as an argument of a subscript.
///
/// Unchecked because key paths of properties are immutable.
struct PropertyTag<Entity: EntityModelProtocol, Value>: Hashable, @unchecked Sendable {
  let path: KeyPath<Entity, Value>
}

extension LiveEntity {
  /// Reads a property.
  subscript<Value>(observed tag: PropertyTag<Entity, Value>) -> Value { self[dynamicMember: tag.path] }
}

/// The properties of an entity type that objects have been asked for, found by key path.
///
/// To hash a key path takes longer than to read a property. The key path of a literal is one object for each place in
/// the program, so that the places are looked up instead.
final class PropertyTable<Entity: EntityModelProtocol>: @unchecked Sendable {
  private final class Entry {
    let path: AnyKeyPath
    let property: AnyLiveProperty<Entity>
    init(_ path: AnyKeyPath, _ property: AnyLiveProperty<Entity>) { (self.path, self.property) = (path, property) }
  }
  private static var size: Int { 128 }

  /// Each is set once. Key paths that find another one in their place are looked up by their hash.
  private let entries: UnsafeMutablePointer<AtomicLazyReference<Entry>>
  private let known = Guarded<[AnyKeyPath: AnyLiveProperty<Entity>]>([:])

  init() {
    entries = .allocate(capacity: Self.size)
    for place in 0..<Self.size { (entries + place).initialize(to: AtomicLazyReference()) }
  }

  deinit {
    entries.deinitialize(count: Self.size)
    entries.deallocate()
  }

  /// Returns the property of a key path.
  @inline(__always)
  func property<Value>(_ path: KeyPath<Entity, Value>) -> LiveProperty<Entity, Value> {
    let address = UInt(bitPattern: Unmanaged.passUnretained(path).toOpaque())
    let place = Int((address >> 4 ^ address >> 11) & UInt(Self.size - 1))
    if let entry = entries[place].load(), entry.path === path {
      // Safe because the key path says the type.
      return unsafeDowncast(entry.property, to: LiveProperty<Entity, Value>.self)
    }
    return find(path, place)
  }

  @inline(never)
  private func find<Value>(_ path: KeyPath<Entity, Value>, _ place: Int) -> LiveProperty<Entity, Value> {
    if let found = known.withLock({ $0[path] }) { return enter(path, found, place) }
    // Not under the lock, because describing a type may call the program.
    let made = LiveProperty(path)
    let kept = known.withLock { known -> AnyLiveProperty<Entity> in
      if let found = known[path] { return found }
      known[path] = made
      return made
    }
    return enter(path, kept, place)
  }

  private func enter<Value>(
    _ path: KeyPath<Entity, Value>, _ property: AnyLiveProperty<Entity>, _ place: Int
  ) -> LiveProperty<Entity, Value> {
    _ = entries[place].storeIfNil(Entry(path, property))
    // Equal key paths have equal types.
    return unsafeDowncast(property, to: LiveProperty<Entity, Value>.self)
  }

  /// The properties that objects have been asked for.
  var all: [AnyLiveProperty<Entity>] { known.withLock { Array($0.values) } }
}
