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
      let isOptional = property.type is any OptionalValue.Type
      nodes[property.path] = node(
        type, property.name, property.path, EmbeddedPlace(property: number), isOptional: isOptional,
        canBeMissing: isOptional, [])
    }
  }

  /// `canBeMissing` says whether the key path leads to an optional.
  private mutating func node<Object: EmbeddedModelProtocol>(
    _ type: Object.Type, _ name: String, _ path: AnyKeyPath?, _ place: EmbeddedPlace, isOptional: Bool,
    canBeMissing: Bool, _ around: [ObjectIdentifier]
  ) -> EmbeddedNode {
    var description = EmbeddedDescription<Object>()
    type.describe(&description)
    var node = EmbeddedNode(attribute: attributes.count, isOptional: isOptional)
    var own = place
    own.isObject = true
    attributes.append(Attribute(name: name, shape: nil, comparesAsStored: false, place: own))
    for field in description.fields where attributes.count < Self.limit {
      let inner = path?.appending(path: canBeMissing ? field.optionalPath : field.path)
      var place = place
      place.steps.append(EmbeddedPlace.Step(key: field.key, isNonNull: !field.isOptional))
      let name = "\(name).\(field.key)"
      // An index has the value in a column of its own.
      if let inner, let key = keys[inner], !key.isDescending, !field.isObject {
        node.fields[field.path] = .value(key.attribute)
        node.held.insert(key.attribute)
        addDescent(of: field, inner, key.attribute, canBeMissing: canBeMissing)
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
        if let inner { nodes[inner] = found }
        node.held.insert(found.attribute)
        node.held.formUnion(found.held)
      case .value(var shape, let codec, let comparesAsStored):
        if canBeMissing { shape.isNonNull = false }
        node.fields[field.path] = .value(attributes.count)
        node.held.insert(attributes.count)
        if let inner {
          keys[inner] = Key(attribute: attributes.count, isDescending: false)
          addDescent(of: field, inner, attributes.count, canBeMissing: canBeMissing)
        }
        attributes.append(
          Attribute(
            name: name, type: field.type, shape: shape, codec: codec, comparesAsStored: comparesAsStored, place: place))
      }
    }
    return node
  }

  /// The key path `\.home.city.desc`, unless an index has it.
  private mutating func addDescent(
    of field: EmbeddedField, _ path: AnyKeyPath, _ attribute: Int, canBeMissing: Bool
  ) {
    guard !canBeMissing, let path = field.descent.flatMap({ path.appending(path: $0) }), keys[path] == nil else {
      return
    }
    keys[path] = Key(attribute: attribute, isDescending: true)
  }
}

extension ObjectProperty {
  /// The column of something in it, or the one that says whether an object in it is there; nil where that does not lie
  /// there as Swift has it.
  func column(_ wanted: EmbeddedPlace, _ shape: ColumnShape?) -> ColumnID? {
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
