/// A way to code a property of an embedded model that is not optional: a part of what `@EmbeddedModel` writes.
public struct CodedPart<Value> {
  /// Calls the first way, which takes what has to be there.
  public func decode(_ value: (Value.Type) throws -> Value, _ ifPresent: (Value.Type) throws -> Value?) throws -> Value
  {
    try value(Value.self)
  }

  /// Calls the first way, which writes what is there.
  public func encode(_ part: Value, _ value: (Value) throws -> Void, _ ifPresent: (Value?) throws -> Void) throws {
    try value(part)
  }
}

/// A way to code an optional property of an embedded model: a part of what `@EmbeddedModel` writes.
public struct OptionalCodedPart<Value> {
  /// Calls the second way, which takes nil where there is nothing.
  public func decode(
    _ value: (Value.Type) throws -> Value, _ ifPresent: (Value.Type) throws -> Value?
  ) throws -> Value? { try ifPresent(Value.self) }

  /// Calls the second way, which writes nothing for nil.
  public func encode(_ part: Value?, _ value: (Value) throws -> Void, _ ifPresent: (Value?) throws -> Void) throws {
    try ifPresent(part)
  }
}

/// Returns the way to code a property: a part of what `@EmbeddedModel` writes, which does not see types.
public func codedPart<Root, Value>(_ path: KeyPath<Root, Value>) -> CodedPart<Value> { CodedPart() }

/// Returns the way to code a property: a part of what `@EmbeddedModel` writes, which does not see types.
public func codedPart<Root, Value>(_ path: KeyPath<Root, Value?>) -> OptionalCodedPart<Value> { OptionalCodedPart() }
