import GQLCatalog

/// Where an attribute lies that is no property, but something in one.
struct EmbeddedPlace {
  struct Step {
    let key: String
    /// Whether Swift wants something to be there.
    let isNonNull: Bool
  }
  let property: Int
  /// From the property.
  var steps: [Step] = []
  /// Whether it is an object, of which the attribute says whether it is there.
  var isObject = false
}

/// A value within an entity whose fields are described.
struct EmbeddedNode {
  /// Of which the value is whether it is there.
  let attribute: Int
  /// Whether it may not be there.
  let isOptional: Bool
  /// By the key path of a property of it.
  fileprivate(set) var fields: [AnyKeyPath: Field] = [:]
  /// The attributes of what it holds; they are null where it is not there.
  fileprivate(set) var held: Set<Int> = []

  indirect enum Field {
    case value(Int)
    case object(EmbeddedNode)
  }
}

/// Finds the attributes of what the properties of an entity hold.
struct EmbeddedAttributes<Entity: EntityModelProtocol> {
  typealias Attribute = EntityInfo<Entity>.Attribute
  typealias Key = EntityInfo<Entity>.Key
  private(set) var attributes: [Attribute]
  private(set) var keys: [AnyKeyPath: Key]
  /// By key path.
  private(set) var nodes: [AnyKeyPath: EmbeddedNode] = [:]
  /// More than any schema has columns; types that hold each other, as classes may, could have any number.
  private static var limit: Int { 10_000 }

  init(_ attributes: [Attribute], _ keys: [AnyKeyPath: Key], of properties: [EntityDescription<Entity>.Property]) {
    self.attributes = attributes
    self.keys = keys
    for (number, property) in properties.enumerated() {
      guard property.codec is any ObjectCodec, let type = embeddedType(property.type) else { continue }
      let isOptional = property.type is any _OptionalValue.Type
      let spellings = [EmbeddedSpelling(path: property.path, isOptional: isOptional)]
      let found = node(
        type, property.name, spellings, EmbeddedPlace(property: number), isOptional: isOptional,
        canBeMissing: isOptional, [])
      add(found, spellings)
    }
  }

  private mutating func add(_ node: EmbeddedNode, _ spellings: [EmbeddedSpelling]) {
    for spelling in spellings {
      nodes[spelling.path] = node
      if let path = spelling.unwrapped { nodes[path] = node }
    }
  }

  /// `canBeMissing` says whether something on the way is optional.
  private mutating func node<Object: EmbeddedModelProtocol>(
    _ type: Object.Type, _ name: String, _ spellings: [EmbeddedSpelling], _ place: EmbeddedPlace, isOptional: Bool,
    canBeMissing: Bool, _ around: [ObjectIdentifier]
  ) -> EmbeddedNode {
    var description = EmbeddedDescription<Object>()
    type.describe(&description)
    var node = EmbeddedNode(attribute: attributes.count, isOptional: isOptional)
    var own = place
    own.isObject = true
    attributes.append(Attribute(name: name, shape: nil, comparesAsStored: false, place: own))
    for field in description.fields where attributes.count < Self.limit {
      let inner = spellings.flatMap { $0.spellings(of: field) }
      var place = place
      place.steps.append(EmbeddedPlace.Step(key: field.key, isNonNull: !field.isOptional))
      let name = "\(name).\(field.key)"
      // An index has the value in a column of its own.
      let indexed = inner.lazy.compactMap { [keys] in keys[$0.path] }.first { !$0.isDescending }
      if let indexed, !field.isObject {
        node.fields[field.path] = .value(indexed.attribute)
        node.held.insert(indexed.attribute)
        addKeys(of: field, inner, indexed.attribute)
        continue
      }
      switch field.content {
      case nil: break
      case .object(let type):
        let types = around + [ObjectIdentifier(Object.self)]
        if types.contains(ObjectIdentifier(type)) { continue }
        let found = self.node(
          type, name, inner, place, isOptional: field.isOptional, canBeMissing: canBeMissing || field.isOptional, types)
        node.fields[field.path] = .object(found)
        add(found, inner)
        node.held.insert(found.attribute)
        node.held.formUnion(found.held)
      case .value(var shape, let codec, let comparesAsStored):
        if canBeMissing { shape.isNonNull = false }
        node.fields[field.path] = .value(attributes.count)
        node.held.insert(attributes.count)
        addKeys(of: field, inner, attributes.count)
        attributes.append(
          Attribute(
            name: name, type: field.type, shape: shape, codec: codec, comparesAsStored: comparesAsStored, place: place))
      }
    }
    return node
  }

  /// The key paths `\.home.city` and `\.home.city.desc`, unless an index has them.
  private mutating func addKeys(of field: EmbeddedField, _ spellings: [EmbeddedSpelling], _ attribute: Int) {
    for spelling in spellings {
      add(spelling.path, attribute, isDescending: false)
      if spelling.isChained { continue }
      for ending in field.endings {
        guard let path = spelling.path.appending(path: ending.path) else { continue }
        add(path, attribute, isDescending: ending.isDescending)
      }
    }
  }

  private mutating func add(_ path: AnyKeyPath, _ attribute: Int, isDescending: Bool) {
    if keys[path] == nil { keys[path] = Key(attribute: attribute, isDescending: isDescending) }
  }
}

/// A key path to something within an entity: `\.work`, `\.work!.geo` and `\.work?.geo` are spellings.
private struct EmbeddedSpelling {
  let path: AnyKeyPath
  /// Whether it leads to an optional.
  let isOptional: Bool
  /// Whether it has a `?`, behind which there is no `!`.
  var isChained = false

  /// The path with a `!` behind it, where it can have one.
  var unwrapped: AnyKeyPath? {
    if !isOptional || isChained { return nil }
    return PathEnding.unwrapping(type(of: path).valueType).flatMap { path.appending(path: $0) }
  }

  /// The key paths to a field of what lies there.
  func spellings(of field: EmbeddedField) -> [Self] {
    var result: [Self] = []
    if isOptional, let path = path.appending(path: field.optionalPath) {
      result.append(Self(path: path, isOptional: true, isChained: true))
    }
    if let path = (isOptional ? unwrapped : path)?.appending(path: field.path) {
      result.append(Self(path: path, isOptional: field.isOptional))
    }
    return result
  }
}

extension ObjectProperty {
  /// The column of something in it, or the one that says whether an object in it is there; nil where that does not lie
  /// there as Swift has it.
  func column(_ wanted: EmbeddedPlace, _ shape: _ColumnShape?) -> ColumnID? {
    var place = self.place
    var isElementNonNull = false
    for step in wanted.steps {
      guard case .object(_, _, let fields) = place, let field = fields.first(where: { $0.name == step.key }),
        field.isNonNull || !step.isNonNull
      else { return nil }
      place = field.place
      isElementNonNull = field.isElementNonNull
    }
    switch place {
    case .object(_, let presence, _): return wanted.isObject ? presence : nil
    case .cell(let column, let type):
      guard let shape, SchemaFit.fits(type, shape, types.catalog), !shape.isList || isElementNonNull else { return nil }
      return column
    case .elements, .link: return nil
    }
  }
}
