/// A path to one value of a database: a type, the id of an entity, and a field.
///
/// ```swift
/// let path = EntityPath("Person", 123, "name")
/// try database.set("Ada", at: path)
/// try database.value(at: path)        // "Ada"
/// ```
/// Types and fields go by their names, or by the numbers that the schema gives them: `EntityPath(1, 123, 42)` where it
/// says `@number(value: 1)` and `@number(value: 42)`.
public struct EntityPath: Hashable, Sendable {
  /// A type or a field of a schema: its name, or its number.
  public enum Part: Hashable, Sendable {
    case name(String)
    /// A number that the schema gives with `@number`.
    case number(Int64)
  }

  /// The type of the entity.
  public var type: Part
  /// The id of the entity: the value of its key or, where several fields are the key, an object of these.
  public var id: Value
  /// The field of the entity.
  public var field: Part

  /// A path to a field of an entity.
  public init(_ type: Part, _ id: Value, _ field: Part) {
    (self.type, self.id, self.field) = (type, id, field)
  }
}

extension EntityPath.Part: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// A name.
  public init(stringLiteral name: String) { self = .name(name) }
  /// A number.
  public init(integerLiteral number: Int64) { self = .number(number) }
}

extension EntityPath.Part: CustomStringConvertible {
  /// The name, or the number.
  public var description: String {
    switch self {
    case .name(let name): name
    case .number(let number): String(number)
    }
  }
}

extension EntityPath: CustomStringConvertible {
  /// The parts with slashes between them: `Person/123/name`.
  public var description: String { "\(type)/\(id)/\(field)" }
}
