import Observation

#if canImport(Combine)
  import Combine

  /// A class whose objects tell of their changes to SwiftUI.
  public typealias _ObservableModel = ObservableObject
#else
  /// A class whose objects tell of their changes.
  public protocol _ObservableModel: AnyObject {}
#endif

/// A class whose objects stand for instances in a database: each property reads and writes the database.
///
/// The macro ``Model(id:)`` writes what it asks for.
public protocol ModelProtocol: _ObservableModel, Identifiable, Hashable, Observable {
  /// The number of the model, which no other one in the database has.
  static var modelId: ModelKey { get }
  /// The number of the instance.
  var id: InstanceKey { get }
  /// The database that holds the values.
  var database: any Database { get }
  /// An object of an instance. It creates nothing in the database.
  init(database: any Database, id: InstanceKey)

  /// The names, numbers and types of the properties.
  static var _modelProperties: [ModelProperty] { get }
  /// The default values, by their paths.
  var _modelDefaults: [DatabaseChange] { get }
  /// The observers of the object.
  var _modelObservation: ModelObservation { get }
}

/// A property of a model, as databases need it.
public struct ModelProperty {
  /// The name in the class.
  public var name: String
  /// The number.
  public var id: PropertyKey
  /// The type of the value as it lies in the database: a number, or a list of numbers, for references.
  public var type: any DatabaseValue.Type
  /// Indicates whether nil is what the property has as long as it was never set.
  public var isNilByDefault: Bool

  /// A property.
  public init(_ name: String, _ id: PropertyKey, _ type: any DatabaseValue.Type, isNilByDefault: Bool = false) {
    (self.name, self.id, self.type, self.isNilByDefault) = (name, id, type, isNilByDefault)
  }
}

extension ModelProtocol {
  /// The path of the instance's status.
  public var instancePath: Path { Path(model: Self.modelId, instance: id) }

  /// The status in the database; of an instance that was never created, `created`.
  public var status: InstanceStatus {
    _modelObservation.noteStatusRead(of: self)
    return database.get(instancePath) ?? .created
  }

  /// Deletes the instance; its values are kept. Nothing happens where it is deleted, or was never created.
  public func delete() {
    guard let status: InstanceStatus = database.get(instancePath), status == .created else { return }
    database.delete(self)
  }

  /// Brings the instance back, if it is deleted, with its values.
  public func insert() {
    guard let status: InstanceStatus = database.get(instancePath), status == .deleted else { return }
    database.set(InstanceStatus.created, for: instancePath)
  }

  /// Deletes the instance and resets each property to its default, in one transaction.
  public func deleteAndClearProperties() {
    var changes = _modelDefaults.map { DatabaseChange($0.path, $0.value, isReset: true) }
    if let status: InstanceStatus = database.get(instancePath), status == .created {
      changes.append(DatabaseChange(instancePath, InstanceStatus.deleted))
    }
    database.apply(changes)
  }

  /// The names, numbers and types of the properties: none are known of a class without the macro.
  public static var _modelProperties: [ModelProperty] { [] }
  /// The default values: none are known of a class without the macro.
  public var _modelDefaults: [DatabaseChange] { [] }

  /// Tells whether two objects stand for one instance of one database.
  public static func == (left: Self, right: Self) -> Bool {
    left === right || left.id == right.id && left.database === right.database
  }

  /// Hashes the number of the instance.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// Creates an instance with the values of its properties, in one transaction. For the expansions of macros.
public func _create<Model: ModelProtocol>(
  _ type: Model.Type, in database: any Database, _ id: InstanceKey,
  _ values: [(property: PropertyKey, value: any DatabaseValue)]
) -> Model {
  database.register(type)
  let status = DatabaseChange(Path(model: type.modelId, instance: id), InstanceStatus.created)
  database.apply(
    [status]
      + values.map { DatabaseChange(Path(model: type.modelId, instance: id, property: $0.property), $0.value) })
  return database.object(id)
}
