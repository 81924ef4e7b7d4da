import GQLBase
import GQLBinder
import GQLCatalog
import GQLParser
import GQLStore

/// The catalog of some entity types and all that they lead to, and where each type lies in it. Shared in the process.
package final class ModelSchema: @unchecked Sendable {
  /// In the order in which they were met.
  let types: [any EntityModelProtocol.Type]
  let catalog: Catalog
  /// As it was written from the types.
  let text: String
  /// By type.
  private let mappings: TypeTable
  /// By number of the entity type.
  let byNumber: [AnyTypeMapping]
  package let empty: Snapshot
  let compiled = CompiledQueries()
  /// By number of the entity type: whether a save may be refused when a part of it is written already.
  let mayRefuseLate: [Bool]
  /// Whether a type has embedded objects, or may have.
  let hasObjects: Bool
  /// Whether a type has instants that columns hold.
  let hasInstants: Bool
  /// What prepares text, made by whoever does that first.
  package let textPreparer = Guarded<(any AnyObject & Sendable)?>(nil)

  private init(_ types: [any EntityModelProtocol.Type]) throws {
    let writer = SchemaWriter(types)
    for type in writer.types { try DescriptionCheck.check(type) }
    self.types = writer.types
    text = writer.text
    try Self.check(writer.types)
    var catalog = try Self.catalog(text)
    // What a generic type of deleted entities is called.
    catalog.rootNames += catalog.types.map {
      RootName(name: "Deleted_\($0.name)", type: $0.id, isList: true, isDeleted: true)
    }
    self.catalog = catalog
    var mappings: [ObjectIdentifier: AnyTypeMapping] = [:]
    var byNumber: [AnyTypeMapping] = []
    for type in writer.types {
      guard let entity = catalog.type(named: writer.name(of: type)) else { continue }
      let mapping = Self.addMappings(type, entity, catalog, &mappings)
      byNumber.append(mapping)
    }
    self.mappings = TypeTable(mappings)
    self.byNumber = byNumber
    mayRefuseLate = Self.refusals(byNumber)
    hasObjects = byNumber.contains(where: \.hasUnknownColumns)
    hasInstants = byNumber.contains(where: \.hasInstants)
    empty = Snapshot.empty(catalog)
  }

  /// The catalog of a schema that was written from types.
  private static func catalog(_ text: String) throws -> Catalog {
    let source = SourceText(name: "models", text: text)
    let parsed = parse(source)
    let built = buildCatalog(parsed.output)
    let problems = (parsed.diagnostics + built.diagnostics).filter { $0.severity == .error }
    if !problems.isEmpty {
      throw ModelError.invalidSchema(problems.map { DiagnosticRenderer(source).text($0) }.joined())
    }
    var catalog = built.output
    catalog.version = Catalog.nextVersion()
    return catalog
  }

  /// Types, and all that they lead to, in a catalog that was not made of them, or of more than them.
  ///
  /// - Throws: ``ModelError/invalidSchema(_:)`` if the catalog cannot hold one of them.
  private init(_ types: [any EntityModelProtocol.Type], in catalog: Catalog) throws {
    let writer = SchemaWriter(types)
    for type in writer.types { try DescriptionCheck.check(type) }
    self.types = writer.types
    text = writer.text
    self.catalog = catalog
    try Self.check(writer.types)
    var mappings: [ObjectIdentifier: AnyTypeMapping] = [:]
    var byNumber: [AnyTypeMapping] = catalog.types.map { UnknownTypeMapping($0) }
    for type in writer.types {
      let name = writer.name(of: type)
      guard let entity = catalog.type(named: name) else {
        throw ModelError.invalidSchema("the schema has no type '\(name)'")
      }
      try SchemaFit(entity, catalog).check(type, writer)
      byNumber[Int(entity.id.index)] = Self.addMappings(type, entity, catalog, &mappings)
    }
    self.mappings = TypeTable(mappings)
    self.byNumber = byNumber
    mayRefuseLate = Self.refusals(byNumber)
    hasObjects = byNumber.contains(where: \.hasUnknownColumns)
    hasInstants = byNumber.contains(where: \.hasInstants)
    empty = Snapshot.empty(catalog)
  }

  /// Throws if no schema can have one of the types.
  private static func check(_ types: [any EntityModelProtocol.Type]) throws {
    func problems<Entity: EntityModelProtocol>(_ type: Entity.Type) -> [String] { EntityInfo<Entity>.shared.problems }
    for type in types {
      if let problem = problems(type).first { throw ModelError.invalidSchema(problem) }
    }
  }

  /// Adds where a type lies, and the same of its deleted entities; gives the first.
  private static func addMappings<Entity: EntityModelProtocol>(
    _ type: Entity.Type, _ entity: EntityType, _ catalog: Catalog, _ mappings: inout [ObjectIdentifier: AnyTypeMapping]
  ) -> AnyTypeMapping {
    let mapping = TypeMapping<Entity>(.shared, entity, catalog)
    mappings[ObjectIdentifier(type)] = mapping
    mappings[ObjectIdentifier(Deleted<Entity>.self)] = TypeMapping<Deleted<Entity>>(
      .shared, entity, catalog, like: mapping)
    return mapping
  }

  /// By number of the entity type: whether it, or one that an entity of it may hold, has unique values that its model does
  /// not know, or links or embedded objects that are written when the row is there, and may be refused then.
  private static func refusals(_ mappings: [AnyTypeMapping]) -> [Bool] {
    var result = mappings.map(\.mayRefuseLate)
    guard result.contains(true) else { return result }
    var holders: [[Int]] = Array(repeating: [], count: mappings.count)
    for (number, mapping) in mappings.enumerated() {
      for case let relation? in mapping.relations { holders[Int(relation.target.index)].append(number) }
    }
    var next = result.indices.filter { result[$0] }
    while let number = next.popLast() {
      for holder in holders[number] where !result[holder] {
        result[holder] = true
        next.append(holder)
      }
    }
    return result
  }

  /// Where a type lies; nil if the schema does not know it.
  func mapping(of type: ObjectIdentifier) -> AnyTypeMapping? { mappings[type] }

  /// Where a type lies; nil if the schema does not know it.
  func mapping<Entity: EntityModelProtocol>(of type: Entity.Type) -> TypeMapping<Entity>? {
    guard let mapping = mappings[ObjectIdentifier(type)] else { return nil }
    // Safe because there is one kind of mapping under the key of a type.
    return unsafeDowncast(mapping, to: TypeMapping<Entity>.self)
  }

  /// The column of an attribute; nil if it has none, or the schema does not know the type.
  func column(_ place: AttributePlace) -> ColumnDescriptor? {
    guard let columns = mappings[place.type]?.columns, place.attribute < columns.count else { return nil }
    return columns[place.attribute]
  }

  // MARK: - Making schemas

  private static let known = Guarded<[[ObjectIdentifier]: ModelSchema]>([:])

  /// The schema of the types and all that they lead to.
  static func make(for types: [any EntityModelProtocol.Type]) throws -> ModelSchema {
    let key = types.map { ObjectIdentifier($0) }
    if let found = known.withLock({ $0[key] }) { return found }
    let made = try ModelSchema(types)
    return known.withLock { known in
      if let found = known[key] { return found }
      known[key] = made
      return made
    }
  }

  static let fitted = Guarded(FittedSchemas())

  /// Types, and all that they lead to, in a catalog that was not made of them. Why they do not fit is worked out once too.
  static func make(for types: [any EntityModelProtocol.Type], in catalog: Catalog) throws -> ModelSchema {
    let place = FittedSchemas.Place(types, in: catalog)
    if let found = fitted.withLock({ $0[place] }) { return try found.get() }
    let made = Result { try ModelSchema(types, in: catalog) }
    return try fitted.withLock { fitted in
      if let found = fitted[place] { return found }
      fitted.add(made, at: place)
      return made
    }.get()
  }

  /// Those of the types that a catalog can hold, with all that they lead to; nil if there is none.
  static func fitting(_ types: [any EntityModelProtocol.Type], in catalog: Catalog) -> ModelSchema? {
    if let all = try? make(for: types, in: catalog) { return all }
    let some = types.filter { (try? make(for: [$0], in: catalog)) != nil }
    return some.isEmpty ? nil : try? make(for: some, in: catalog)
  }

  /// The schema with one type more.
  func adding(_ type: any EntityModelProtocol.Type) throws -> ModelSchema { try Self.make(for: types + [type]) }
}

/// The schema, in GraphQL's schema definition language, of entity types and all that they lead to.
public func schema(of types: [any EntityModelProtocol.Type]) throws -> String {
  printSchema(try ModelSchema.make(for: types).catalog)
}
