import GQLModels
import Observation

#if canImport(Combine)
  import Combine
#endif

/// A database whose objects tell those who observe them of each change.
///
/// ```swift
/// let observed = ObservableDatabase(wrapping: InMemoryDatabase())
/// ```
/// Use it in all places in which the database would stand. There is one object for each instance as long as somebody holds
/// it. What is changed past it, in the database or by text, is not told.
public final class ObservableDatabase: Database {
  private struct Weak {
    weak var object: (any ModelProtocol)?
  }

  /// The database that holds the values.
  public let wrapped: any Database
  private var objects: [Path: Weak] = [:]
  private var made = 0
  private var lists: [ModelKey: ObservedList] = [:]

  /// A database that tells of the changes of another one.
  public init(wrapping wrapped: any Database) { self.wrapped = wrapped }

  /// Returns the value of a path; nil where it has none, or one of another type.
  public func get<Value: DatabaseValue>(_ path: Path) -> Value? { wrapped.get(path) }

  /// Writes the value of a path, and tells who observes its object.
  public func set<Value: DatabaseValue>(_ value: Value, for path: Path) {
    wrapped.set(value, for: path)
    tell([path])
  }

  /// Writes several values, and tells who observes their objects.
  @discardableResult
  public func apply(_ changes: [DatabaseChange]) -> Bool {
    guard wrapped.apply(changes) else { return false }
    tell(changes.map(\.path))
    return true
  }

  /// Returns what `predicate` makes of the instances of a model. Who observes it is told of each change of one of them.
  public func all<T>(model: ModelKey, where predicate: (InstanceKey, InstanceStatus) -> T?) -> [T] {
    let list = lists[model] ?? ObservedList()
    lists[model] = list
    list.noteRead()
    return wrapped.all(model: model, where: predicate)
  }

  /// Notes a model in the database.
  public func register<Model: ModelProtocol>(_ model: Model.Type) { wrapped.register(model) }

  // MARK: - Objects

  /// Returns the object of an instance that somebody holds, or makes one.
  func object<Model: ModelProtocol>(in path: Path, _ make: () -> Model) -> Model {
    if let found = objects[path]?.object as? Model { return found }
    let object = make()
    objects[path] = Weak(object: object)
    made += 1
    if made > 1000, made > objects.count / 2 {
      made = 0
      objects = objects.filter { $0.value.object != nil }
    }
    return object
  }

  /// Tells who observes the objects of paths, and the lists that they are in.
  func tell(_ paths: [Path]) {
    for model in Set(paths.map(\.model)) { lists[model]?.tell() }
    for path in paths {
      guard let object = objects[Path(model: path.model, instance: path.instance)]?.object else { continue }
      #if canImport(Combine)
        object.sendWillChange()
      #endif
      object._modelObservation.tell(path.property)
    }
    #if canImport(Combine)
      if !paths.isEmpty { objectWillChange.send() }
    #endif
  }
}

/// The instances of a model, which are observed together.
private final class ObservedList: Observable {
  private let registrar = ObservationRegistrar()
  private var instances: Bool { true }

  func noteRead() { registrar.access(self, keyPath: \.instances) }

  func tell() { registrar.withMutation(of: self, keyPath: \.instances) {} }
}

#if canImport(Combine)
  extension ObservableDatabase: ObservableObject {}

  extension ModelProtocol {
    fileprivate func sendWillChange() { (objectWillChange as? ObservableObjectPublisher)?.send() }
  }
#endif
