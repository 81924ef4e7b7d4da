/// The number of a model class.
public typealias ModelKey = Int
/// The number of an instance among those of its model.
public typealias InstanceKey = Int
/// The number of a property within its model.
public typealias PropertyKey = Int

extension PropertyKey {
  /// The place of an instance's status among its properties.
  public static var instanceId: PropertyKey { 0 }
}

/// A value that a database can hold: whatever is `Codable`.
public typealias DatabaseValue = Codable

/// A name of one value: its model, its instance and its property.
public struct Path: Hashable, Sendable, Codable {
  /// The number of the model class.
  public var model: ModelKey
  /// The number of the instance.
  public var instance: InstanceKey
  /// The number of the property, or `PropertyKey.instanceId` for the instance's status.
  public var property: PropertyKey

  /// A path of a property.
  public init(model: ModelKey, instance: InstanceKey, property: PropertyKey) {
    (self.model, self.instance, self.property) = (model, instance, property)
  }

  /// A path of an instance's status.
  public init(model: ModelKey, instance: InstanceKey) {
    self.init(model: model, instance: instance, property: .instanceId)
  }

  /// A path of a property.
  public init(_ model: ModelKey, _ instance: InstanceKey, _ property: PropertyKey) {
    self.init(model: model, instance: instance, property: property)
  }
}

extension Path: CustomStringConvertible {
  /// The three numbers, as `(1, 123, 42)`.
  public var description: String { "(\(model), \(instance), \(property))" }
}

/// A state of an instance: it is there, or it was deleted and can come back.
public enum InstanceStatus: String, Codable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
  /// It was created, and not deleted since.
  case created
  /// It was deleted. Its values are kept.
  case deleted

  /// The name of the case.
  public var description: String { rawValue }
}
