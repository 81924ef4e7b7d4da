/// A key of the objects that stand for relations.
package struct RelationKey: CodingKey, Hashable {
  package let stringValue: String
  package var intValue: Int? { nil }
  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }

  static let id = Self(stringValue: "id")
  static let ids = Self(stringValue: "ids")
  static let object = Self(stringValue: "object")
  static let objects = Self(stringValue: "objects")
  static let sliceIDs = Self(stringValue: "slice_ids")
  /// What a decoder makes of it that turns snake case into camel case.
  static let camelSliceIDs = Self(stringValue: "sliceIds")
  static let slice = Self(stringValue: "slice")
  /// Not the name of a property.
  static let exactFragment = Self(stringValue: "$fragment")
  /// Not the name of a property.
  static let exactRelation = Self(stringValue: "$relation")
  /// Not the name of a property.
  static let exactSlice = Self(stringValue: "$slice")
}

/// An id as encoders write it: by itself where its type can, else by its description.
struct CodedID<Entity: EntityModelProtocol>: Codable {
  let id: Entity.ID
  init(_ id: Entity.ID) { self.id = id }

  func encode(to encoder: any Encoder) throws {
    if let id = id as? any Encodable {
      try id.encode(to: encoder)
    } else {
      var container = encoder.singleValueContainer()
      try container.encode(id.description)
    }
  }

  init(from decoder: any Decoder) throws {
    if let type = Entity.ID.self as? any Decodable.Type {
      // Safe because it is the same type.
      if let value = try type.init(from: decoder) as? Entity.ID {
        id = value
        return
      }
    }
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Entity.ID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no \(Entity.ID.self)")
    }
    id = value
  }
}

/// An id that is never an object, so that it can be told from an entity.
struct BareID<Entity: EntityModelProtocol>: Codable {
  let id: Entity.ID
  init(_ id: Entity.ID) { self.id = id }

  /// Whether the type writes one value.
  private static var isScalar: Bool {
    Entity.ID.self is any _ColumnScalar.Type || Entity.ID.self is any RawRepresentable.Type
  }

  func encode(to encoder: any Encoder) throws {
    if Self.isScalar { return try CodedID<Entity>(id).encode(to: encoder) }
    var container = encoder.singleValueContainer()
    try container.encode(id.description)
  }

  init(from decoder: any Decoder) throws {
    if Self.isScalar {
      id = try CodedID<Entity>(from: decoder).id
      return
    }
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Entity.ID(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no \(Entity.ID.self)")
    }
    id = value
  }
}

/// An id as an object: `{"id": x}`.
struct KeyedID<Entity: EntityModelProtocol>: Codable {
  let id: CodedID<Entity>
  init(_ id: Entity.ID) { self.id = CodedID(id) }
}
