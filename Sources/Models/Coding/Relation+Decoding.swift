extension Relation: Decodable where Entity: Decodable {
  /// Reads by the decoder's ``RelationDecodingStrategy``.
  ///
  /// - Throws: `DecodingError` if the value has none of the forms that may come. The plain form never fails: what it does
  ///   not know says nothing. Of all forms it is an error if it lies in more than 24 other relations.
  public init(from decoder: any Decoder) throws {
    // One deeper there is what holds no entities.
    guard CodingDepth.current <= CodingDepth.maximum else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: CodingDepth.problem, underlyingError: CodingDepth.Exceeded()
        ))
    }
    self = try CodingDepth.$current.withValue(CodingDepth.current + 1) { try Self.read(decoder) }
  }

  private static func read(_ decoder: any Decoder) throws -> Self {
    let strategy = decoder.relationDecodingStrategy
    var problem: (any Error)?
    for (form, read) in [
      (.explicitKeyedContainer, Self.readExplicit), (.keyedContainer, Self.readKeyed), (.exact, Self.readExact),
      (.plain, Self.readPlain),
    ] as [(RelationDecodingStrategy, (any Decoder) throws -> Self)] where strategy.contains(form) {
      // The explicit form is more than the other one. Trying both would take twice as long, and that at each depth.
      if form == .keyedContainer, strategy.contains(.explicitKeyedContainer) { continue }
      do { return try read(decoder) } catch {
        if CodingDepth.isExceeded(error) { throw error }
        problem = problem ?? error
      }
    }
    throw problem
      ?? DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no strategy reads relations"))
  }

  private static func isNull(_ decoder: any Decoder) -> Bool {
    (try? decoder.singleValueContainer())?.decodeNil() == true
  }

  /// What is no target where there may be none, else what is not known.
  private static var nothing: Self {
    Cardinality._isToMany || Constraints.self == Relations.Required.self ? Self(.none) : Self(.null)
  }

  // MARK: - Keyed

  private static func readExplicit(_ decoder: any Decoder) throws -> Self { try readKeyed(decoder, isExplicit: true) }
  private static func readKeyed(_ decoder: any Decoder) throws -> Self { try readKeyed(decoder, isExplicit: false) }

  private static func readKeyed(_ decoder: any Decoder, isExplicit: Bool) throws -> Self {
    if isNull(decoder) { return Self(.none) }
    let container = try decoder.container(keyedBy: RelationKey.self)
    // An entity may have such a key among others.
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw notThisForm(decoder, "a relation as an object has one key")
    }
    switch (key, Cardinality._isToMany) {
    case (.id, false):
      if try container.decodeNil(forKey: .id) { return nothing }
      return Self(.ids([try container.decode(CodedID<Entity>.self, forKey: .id).id]))
    case (.object, false):
      if try container.decodeNil(forKey: .object) { return nothing }
      return Self(.entities([try container.decode(Entity.self, forKey: .object)]))
    case (.ids, true): return Self(.ids(try container.decode([CodedID<Entity>].self, forKey: .ids).map(\.id)))
    case (.objects, true): return Self(.entities(try container.decode([Entity].self, forKey: .objects)))
    case (.sliceIDs, true) where isExplicit, (.camelSliceIDs, true) where isExplicit:
      return Self(.ids(try container.decode([CodedID<Entity>].self, forKey: key).map(\.id)), isPart: true)
    case (.slice, true) where isExplicit:
      return Self(.entities(try container.decode([Entity].self, forKey: .slice)), isPart: true)
    default: throw notThisForm(decoder, "'\(key.stringValue)' is not what a relation holds")
    }
  }

  private static func notThisForm(_ decoder: any Decoder, _ text: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: decoder.codingPath, debugDescription: text))
  }

  // MARK: - Exact

  private static func readExact(_ decoder: any Decoder) throws -> Self {
    if isNull(decoder) { return nothing }
    if let container = try? decoder.container(keyedBy: RelationKey.self), container.allKeys.count == 1 {
      switch container.allKeys.first {
      case .exactSlice where Cardinality._isToMany:
        var slice = try container.decode(Self.self, forKey: .exactSlice)
        slice.isPart = true
        return slice
      case .exactRelation where Cardinality._isToMany:
        return Self(.entities(try container.decode([Entity].self, forKey: .exactRelation)))
      case .exactFragment:
        return Cardinality._isToMany
          ? Self(.fragments(try container.decode([Entity].self, forKey: .exactFragment)))
          : Self(.fragments([try container.decode(Entity.self, forKey: .exactFragment)]))
      default: break
      }
    }
    let single = try decoder.singleValueContainer()
    if Cardinality._isToMany {
      if let ids = try CodingDepth.attempt({ try single.decode([BareID<Entity>].self) }) {
        return Self(.ids(ids.map(\.id)))
      }
      return Self(.entities(try single.decode([Entity].self)))
    }
    if let id = try CodingDepth.attempt({ try single.decode(BareID<Entity>.self) }) { return Self(.ids([id.id])) }
    return Self(.entities([try single.decode(Entity.self)]))
  }

  // MARK: - Plain

  private static func readPlain(_ decoder: any Decoder) throws -> Self {
    guard !isNull(decoder), let single = try? decoder.singleValueContainer() else { return Self(.none) }
    if Cardinality._isToMany {
      let objects = try CodingDepth.attempt { try single.decode([PlainTarget<Entity>].self) }
      if let objects {
        // One that is known by its id only makes all of them ids, because the others would be taken for all there are.
        let entities = objects.compactMap(\.entity)
        return Self(entities.count == objects.count ? .entities(entities) : .ids(objects.map(\.id)))
      }
    } else if let object = try CodingDepth.attempt({ try single.decode(PlainTarget<Entity>.self) }) {
      return Self(object.entity.map { .entities([$0]) } ?? .ids([object.id]))
    }
    return Self(.none)
  }
}

/// An entity, or its id as an object.
private struct PlainTarget<Entity: EntityModelProtocol & Decodable>: Decodable {
  let id: Entity.ID
  var entity: Entity?

  init(from decoder: any Decoder) throws {
    let keys = (try? decoder.container(keyedBy: RelationKey.self).allKeys) ?? []
    let info = EntityInfo<Entity>.shared
    // All else may be optional; but of an entity that has more, this is the id and no entity without anything.
    let isID = keys == [.id] && (info.propertyCount > 1 || !info.relations.isEmpty)
    if !isID, let entity = try CodingDepth.attempt({ try Entity(from: decoder) }) {
      self.entity = entity
      id = entity.id
    } else {
      id = try KeyedID<Entity>(from: decoder).id.id
    }
  }
}

extension Relationship: Decodable where Entity: Decodable {
  /// Reads by the decoder's ``RelationDecodingStrategy``.
  public init(from decoder: any Decoder) throws {
    self.init(try Relation<Entity, Directionality, Cardinality, Constraints>(from: decoder))
  }
}

/// What compilers write for `Codable` types takes missing relations for unknown ones, where the strategy says so.
extension KeyedDecodingContainer {
  /// Reads a relation.
  ///
  /// - Throws: `DecodingError.keyNotFound` if the key is missing, and the strategy does not say that it may.
  public func decode<Value, Entity: Decodable, Directionality, Cardinality, Constraints>(
    _ type: Relationship<Value, Entity, Directionality, Cardinality, Constraints>.Type, forKey key: Key
  ) throws -> Relationship<Value, Entity, Directionality, Cardinality, Constraints> {
    if contains(key) {
      return Relationship(
        try decode(Relation<Entity, Directionality, Cardinality, Constraints>.self, forKey: key))
    }
    if (try? superDecoder(forKey: key))?.allowsMissingRelations == true { return .none }
    throw DecodingError.keyNotFound(
      key,
      DecodingError.Context(codingPath: codingPath, debugDescription: "the relation '\(key.stringValue)' is missing"))
  }
}
