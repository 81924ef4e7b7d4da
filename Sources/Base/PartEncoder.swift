/// An encoder that keeps each part of a value at its place. Its containers, which are the same for all such encoders,
/// only say which part it is.
package protocol PartEncoder: AnyObject, Encoder {
  /// An encoder for what a class inherits.
  var inherited: any Encoder { get }
  /// The number of elements in the list.
  var count: Int { get }

  /// Begins an object, or goes on with the one that was begun.
  func beginObject()
  /// Begins a list, or goes on with the one that was begun.
  func beginList()

  /// Puts a member into the object.
  func set(_ value: some Encodable, for key: any CodingKey) throws
  /// Puts null into the object.
  func setNull(for key: any CodingKey) throws
  /// Takes note of an optional property without a value.
  func omit(_ key: any CodingKey) throws
  /// Returns the encoder of a member that is written later.
  func member(_ key: any CodingKey) -> Self

  /// Puts an element behind those of the list.
  func append(_ value: some Encodable) throws
  /// Puts null behind the elements of the list.
  func appendNull() throws
  /// Returns the encoder of an element that is written later.
  func element() -> Self

  /// Makes the value another one.
  func put(_ value: some Encodable) throws
  /// Makes the value null.
  func putNull()
}

extension PartEncoder {
  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    beginObject()
    return KeyedEncodingContainer(EncodedMembers<Self, Key>(encoder: self))
  }

  package func unkeyedContainer() -> any UnkeyedEncodingContainer {
    beginList()
    return EncodedElements(encoder: self)
  }

  package func singleValueContainer() -> any SingleValueEncodingContainer { EncodedSingle(encoder: self) }
}

/// The members of an object.
private struct EncodedMembers<Owner: PartEncoder, Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: Owner
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) throws { try encoder.setNull(for: key) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.set(value, for: key) }

  private func encodeAny<Value: Encodable>(_ value: Value?, _ key: Key) throws {
    if let value { try encoder.set(value, for: key) } else { try encoder.omit(key) }
  }
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeAny(value, key) }
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encodeAny(value, key) }

  func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type, forKey key: Key) -> KeyedEncodingContainer<Inner> {
    encoder.member(key).container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.member(key).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { encoder.inherited }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key) }
}

/// The elements of a list.
private struct EncodedElements<Owner: PartEncoder>: UnkeyedEncodingContainer {
  let encoder: Owner
  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.count }

  func encodeNil() throws { try encoder.appendNull() }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.append(value) }
  func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
    encoder.element().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.element().unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder.element() }
}

/// A scalar, or whatever else a type makes one value of.
private struct EncodedSingle<Owner: PartEncoder>: SingleValueEncodingContainer {
  let encoder: Owner
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws { encoder.putNull() }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.put(value) }
}

/// A member by its name, or an element by its place.
package struct PartKey: CodingKey {
  package let stringValue: String
  package let intValue: Int?

  package init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  package init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
