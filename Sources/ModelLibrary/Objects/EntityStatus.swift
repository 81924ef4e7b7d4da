/// A status of an entity.
public enum EntityStatus: String, Sendable, Hashable, Codable {
  /// It is there.
  case created
  /// It is deleted, and kept: it can be inserted again.
  case deleted
  /// Nothing of it is kept.
  case gone
}

/// An error of an object's setter or method, which could not throw it.
public struct ObjectError: Error, CustomStringConvertible {
  /// The name of the entity's type.
  public let type: String
  /// The id of the entity, as text.
  public let id: String
  /// The property that was set; nil for a method.
  public let property: String?
  /// An error that says why it failed.
  public let error: any Error

  /// The place and the cause.
  public var description: String { "\(type) \(id)\(property.map { ".\($0)" } ?? ""): \(error)" }
}
