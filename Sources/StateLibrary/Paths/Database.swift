/// A place for the values of models, each under its path.
///
/// Three functions make a database: one reads a value, one writes it, one lists the instances of a model. The others have
/// defaults that call these.
///
/// ```swift
/// let database = InMemoryDatabase()
/// let alice: Person = database.create(id: 123)
/// ```
public protocol Database: AnyObject {
  /// Returns the value of a path; nil where it has none, or one of another type.
  func get<Value: DatabaseValue>(_ path: Path) -> Value?

  /// Writes the value of a path.
  func set<Value: DatabaseValue>(_ value: Value, for path: Path)

  /// Returns what `predicate` makes of the instances of a model, deleted ones included, without what it leaves out as nil.
  func all<T>(model: ModelKey, where predicate: (_ instance: InstanceKey, _ status: InstanceStatus) -> T?) -> [T]

  /// Notes the names and types of a model's properties. Called before objects of the model are made.
  func register<Model: ModelProtocol>(_ model: Model.Type)

  /// Writes several values, in order: as one transaction, where the database has such.
  ///
  /// - Returns: False where the database has refused them and nothing was written.
  @discardableResult func apply(_ changes: [DatabaseChange]) -> Bool
}

/// A value on its way to a path.
public struct DatabaseChange {
  /// The path of the value.
  public var path: Path
  /// The value.
  public var value: any DatabaseValue
  /// Tells that the value is the default, so that a database may forget the one that it has.
  public var isReset: Bool

  /// A change of a value.
  public init(_ path: Path, _ value: any DatabaseValue, isReset: Bool = false) {
    (self.path, self.value, self.isReset) = (path, value, isReset)
  }
}

extension Database {
  /// Notes nothing.
  public func register<Model: ModelProtocol>(_ model: Model.Type) {}

  /// Writes one value after the other.
  @discardableResult
  public func apply(_ changes: [DatabaseChange]) -> Bool {
    for change in changes { set(opening: change.value, for: change.path) }
    return true
  }

  private func set<Value: DatabaseValue>(opening value: Value, for path: Path) { set(value, for: path) }
}

// MARK: - Instances

extension Database {
  /// Creates an instance and returns its object; one that was deleted comes back with the values that it had.
  public func create<Instance: ModelProtocol>(id: InstanceKey, of type: Instance.Type = Instance.self) -> Instance {
    register(type)
    set(InstanceStatus.created, for: Path(model: type.modelId, instance: id))
    return object(id)
  }

  /// Returns the object of an instance, which may be deleted; nil where there never was one.
  public func get<Instance: ModelProtocol>(id: InstanceKey, of type: Instance.Type = Instance.self) -> Instance? {
    register(type)
    return status(of: type, id) == nil ? nil : object(id)
  }

  /// Returns the object of an instance that is not deleted.
  public func active<Instance: ModelProtocol>(id: InstanceKey, of type: Instance.Type = Instance.self) -> Instance? {
    register(type)
    return status(of: type, id) == .created ? object(id) : nil
  }

  /// Returns the object of an instance, which may be deleted; where there never was one, it is created.
  public func getOrCreate<Instance: ModelProtocol>(id: InstanceKey, of type: Instance.Type = Instance.self) -> Instance
  {
    get(id: id, of: type) ?? create(id: id, of: type)
  }

  /// Deletes an instance; its values are kept.
  public func delete<Instance: ModelProtocol>(_ instance: Instance) {
    set(InstanceStatus.deleted, for: Path(model: Instance.modelId, instance: instance.id))
  }

  /// Returns the objects of all instances that are not deleted.
  public func all<Instance: ModelProtocol>(of type: Instance.Type = Instance.self) -> [Instance] {
    all(type) { _ in true }
  }

  /// Returns the objects of the instances that are not deleted and for which `predicate` holds.
  public func all<Instance: ModelProtocol>(where predicate: (Instance) -> Bool) -> [Instance] {
    all(Instance.self, where: predicate)
  }

  /// Returns the objects of the instances that are not deleted and for which `predicate` holds.
  public func all<Instance: ModelProtocol>(_ type: Instance.Type, where predicate: (Instance) -> Bool) -> [Instance] {
    register(type)
    return all(model: type.modelId) { id, status -> Instance? in
      guard status == .created else { return nil }
      let instance: Instance = object(id)
      return predicate(instance) ? instance : nil
    }
  }

  /// Returns the value of a property; nil where it has none, or one of another type.
  public func get<Value: DatabaseValue>(
    model: ModelKey, instance: InstanceKey, property: PropertyKey, of type: Value.Type = Value.self
  ) -> Value? {
    get(Path(model: model, instance: instance, property: property))
  }

  /// Writes the value of a property.
  public func set<Value: DatabaseValue>(
    _ value: Value, model: ModelKey, instance: InstanceKey, property: PropertyKey
  ) {
    set(value, for: Path(model: model, instance: instance, property: property))
  }

  private func status<Instance: ModelProtocol>(of type: Instance.Type, _ id: InstanceKey) -> InstanceStatus? {
    get(Path(model: type.modelId, instance: id))
  }

  /// Returns the object that is in use for an instance, or a new one.
  func object<Instance: ModelProtocol>(_ id: InstanceKey) -> Instance {
    guard let observable = self as? ObservableDatabase else { return Instance(database: self, id: id) }
    return observable.object(in: Path(model: Instance.modelId, instance: id)) { Instance(database: self, id: id) }
  }
}
