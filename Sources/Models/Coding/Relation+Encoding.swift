extension Relation: Encodable where Entity: Encodable {
  /// Writes what is known by the encoder's ``RelationEncodingStrategy``.
  ///
  /// - Throws: `EncodingError` if it lies in more than 24 other relations.
  public func encode(to encoder: any Encoder) throws {
    guard !knownEntities.isEmpty else { return try encodeHere(to: encoder) }
    guard CodingDepth.current < CodingDepth.maximum else {
      throw EncodingError.invalidValue(
        self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: CodingDepth.problem))
    }
    try CodingDepth.$current.withValue(CodingDepth.current + 1) { try encodeHere(to: encoder) }
  }

  private func encodeHere(to encoder: any Encoder) throws {
    switch encoder.relationEncodingStrategy {
    case .plain: try encodePlainly(to: encoder)
    case .exact: try encodeExactly(to: encoder)
    case .keyedContainer: try encodeKeyed(to: encoder, isExplicit: false)
    case .explicitKeyedContainer: try encodeKeyed(to: encoder, isExplicit: true)
    }
  }

  private func encodeNull(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }

  private func encodePlainly(to encoder: any Encoder) throws {
    switch state {
    case .none, .null: try encodeNull(to: encoder)
    case .ids(let ids): try encode(ids.map { KeyedID<Entity>($0) }, to: encoder)
    case .entities(let entities), .fragments(let entities): try encode(entities, to: encoder)
    }
  }

  private func encodeExactly(to encoder: any Encoder) throws {
    if isPart {
      var whole = self
      whole.isPart = false
      var container = encoder.container(keyedBy: RelationKey.self)
      return try container.encode(whole, forKey: .exactSlice)
    }
    switch state {
    case .none, .null: try encodeNull(to: encoder)
    case .ids(let ids): try encode(ids.map { BareID<Entity>($0) }, to: encoder)
    case .entities(let entities) where entities.isEmpty && Cardinality._isToMany:
      // An empty list would be one of ids.
      var container = encoder.container(keyedBy: RelationKey.self)
      try container.encode(entities, forKey: .exactRelation)
    case .entities(let entities): try encode(entities, to: encoder)
    case .fragments(let entities):
      var container = encoder.container(keyedBy: RelationKey.self)
      if Cardinality._isToMany {
        try container.encode(entities, forKey: .exactFragment)
      } else if let entity = entities.first {
        try container.encode(entity, forKey: .exactFragment)
      }
    }
  }

  /// The only one, or all.
  private func encode<Value: Encodable>(_ values: [Value], to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if Cardinality._isToMany {
      try container.encode(values)
    } else if let value = values.first {
      try container.encode(value)
    } else {
      try container.encodeNil()
    }
  }

  private func encodeKeyed(to encoder: any Encoder, isExplicit: Bool) throws {
    if case .none = state { return try encodeNull(to: encoder) }
    let isSlice = isExplicit && isPart
    var container = encoder.container(keyedBy: RelationKey.self)
    switch state {
    case .none: break
    case .null: try container.encodeNil(forKey: .id)
    case .ids(let ids):
      let coded = ids.map { CodedID<Entity>($0) }
      if Cardinality._isToMany {
        try container.encode(coded, forKey: isSlice ? .sliceIDs : .ids)
      } else {
        try container.encode(coded.first, forKey: .id)
      }
    case .entities(let entities), .fragments(let entities):
      if Cardinality._isToMany {
        try container.encode(entities, forKey: isSlice ? .slice : .objects)
      } else {
        try container.encode(entities.first, forKey: .object)
      }
    }
  }
}

extension Relationship: Encodable where Entity: Encodable {
  /// Writes what is known by the encoder's ``RelationEncodingStrategy``.
  public func encode(to encoder: any Encoder) throws { try projectedValue.encode(to: encoder) }
}

/// Tells how relations are written where that cannot be asked for: it writes nothing.
private struct StrategyProbe: Encodable {
  struct Found: Error { let strategy: RelationEncodingStrategy }

  func encode(to encoder: any Encoder) throws { throw Found(strategy: encoder.relationEncodingStrategy) }
}

/// What compilers write for `Codable` types leaves out what is not known, where the strategy says so.
extension KeyedEncodingContainer {
  /// Writes what is known of a relation; nothing if that is nothing and the strategy is exact.
  public mutating func encode<Value, Entity: Encodable, Directionality, Cardinality, Constraints>(
    _ value: Relationship<Value, Entity, Directionality, Cardinality, Constraints>, forKey key: Key
  ) throws {
    if value.projectedValue.isNone {
      do {
        try encode(StrategyProbe(), forKey: key)
      } catch let found as StrategyProbe.Found {
        if found.strategy == .exact { return }
      }
    }
    try encode(value.projectedValue, forKey: key)
  }
}
