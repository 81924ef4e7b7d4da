import GQLCatalog
import GQLEngine
import GQLModels
import Observation

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
  let places = PropertyPlaces()
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

/// A place of a property in a catalog.
final class PropertyPlace: Sendable {
  let cells: CellPlace
  /// The column in which a value is written by itself; nil where the whole entity is saved.
  let point: PointColumn?

  init(_ cells: CellPlace, in catalog: Catalog) {
    self.cells = cells
    point = cells.plainColumn.flatMap { PointColumn(cells.type, $0, in: catalog) }
  }
}

/// The places of a property, by the versions of catalogs.
///
/// The classes that are looked at with each read are not generic: generic code of another module finds the types of their
/// fields while it runs.
final class PropertyPlaces: Sendable {
  /// The first one is looked at without a lock.
  private let first = OnceReference<PropertyPlace>()
  private let newest = Guarded<PropertyPlace?>(nil)

  /// Returns the first place, if it is that of a catalog. It is there as long as this is: no reference to it is counted.
  @inline(__always)
  func first(in version: UInt64) -> Unmanaged<PropertyPlace>? {
    guard let place = first.reference else { return nil }
    return place._withUnsafeGuaranteedRef { $0.cells.catalogVersion } == version ? place : nil
  }

  func place(in version: UInt64) -> PropertyPlace? {
    if let place = first(in: version) { return place.takeUnretainedValue() }
    return newest.withLock { $0?.cells.catalogVersion == version ? $0 : nil }
  }

  func note(_ place: PropertyPlace) {
    first.storeIfNil(place)
    newest.withLock { newest in
      if newest.map({ $0.cells.catalogVersion < place.cells.catalogVersion }) ?? true { newest = place }
    }
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

/// Objects by key paths, each of which is set once.
///
/// To hash a key path takes longer than to read a property. The key path of a literal is one object for each place in
/// the program, so that the places are looked up instead.
private final class KeyPathTable: @unchecked Sendable {
  /// Unchecked because key paths of properties are immutable.
  private final class Entry: @unchecked Sendable {
    let path: AnyKeyPath
    let value: AnyObject
    init(_ path: AnyKeyPath, _ value: AnyObject) { (self.path, self.value) = (path, value) }
  }
  private static let size = 128
  private let entries: UnsafeMutablePointer<OnceReference<Entry>>

  init() {
    entries = .allocate(capacity: Self.size)
    for place in 0..<Self.size { (entries + place).initialize(to: OnceReference()) }
  }

  deinit {
    entries.deinitialize(count: Self.size)
    entries.deallocate()
  }

  private static func place(_ path: AnyKeyPath) -> Int {
    let address = UInt(bitPattern: Unmanaged.passUnretained(path).toOpaque())
    return Int((address >> 4 ^ address >> 11) & UInt(size - 1))
  }

  /// Returns the object of a key path; nil where none was set, or another key path has taken its place. It is there as
  /// long as the table is.
  @inline(__always)
  func value(_ path: AnyKeyPath) -> Unmanaged<AnyObject>? {
    entries[Self.place(path)].reference?._withUnsafeGuaranteedRef { entry in
      entry.path === path ? Unmanaged.passUnretained(entry.value) : nil
    }
  }

  func set(_ value: AnyObject, for path: AnyKeyPath) { entries[Self.place(path)].storeIfNil(Entry(path, value)) }
}

/// The properties of an entity type that objects have been asked for, found by key path.
final class PropertyTable<Entity: EntityModelProtocol>: @unchecked Sendable {
  private let table = KeyPathTable()
  private let known = Guarded<[AnyKeyPath: AnyLiveProperty<Entity>]>([:])

  /// Returns the property of a key path.
  func property<Value>(_ path: KeyPath<Entity, Value>) -> LiveProperty<Entity, Value> {
    reference(path).takeUnretainedValue()
  }

  /// Returns the property of a key path. It is there as long as the table is: no reference to it is counted.
  @inline(__always)
  func reference<Value>(_ path: KeyPath<Entity, Value>) -> Unmanaged<LiveProperty<Entity, Value>> {
    // Safe because the key path says the type.
    if let found = table.value(path) { return Unmanaged.fromOpaque(found.toOpaque()) }
    return Unmanaged.passUnretained(find(path))
  }

  @inline(never)
  private func find<Value>(_ path: KeyPath<Entity, Value>) -> LiveProperty<Entity, Value> {
    if let found = known.withLock({ $0[path] }) { return enter(path, found) }
    // Not under the lock, because describing a type may call the program.
    let made = LiveProperty(path)
    let kept = known.withLock { known -> AnyLiveProperty<Entity> in
      if let found = known[path] { return found }
      known[path] = made
      return made
    }
    return enter(path, kept)
  }

  private func enter<Value>(
    _ path: KeyPath<Entity, Value>, _ property: AnyLiveProperty<Entity>
  ) -> LiveProperty<Entity, Value> {
    table.set(property, for: path)
    // Equal key paths have equal types.
    return unsafeDowncast(property, to: LiveProperty<Entity, Value>.self)
  }

  /// The properties that objects have been asked for.
  var all: [AnyLiveProperty<Entity>] { known.withLock { Array($0.values) } }
}
